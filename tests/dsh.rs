//! The audit of deepseek-harness logs against recorded trees and real logs, when they are at hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sesslint::dsh::place;
use sesslint::dsh::record::Header;
use sesslint::dsh::{Artifact, ExpectedFormat, Options, StoreAudit};

/// A folder of material that is not part of the repository.
#[expect(clippy::print_stderr, reason = "a skipped test should say so")]
fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if !path.is_dir() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

fn options(args: &[Value]) -> Options {
    let mut options = Options::default();
    let mut args = args.iter().filter_map(Value::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--strict" => options.strict = true,
            "--id" => options.id = args.next().map(str::to_owned),
            "--harness-format" => {
                options.format = match args.next() {
                    Some("auto") => ExpectedFormat::FromName,
                    number => ExpectedFormat::Generation(number.and_then(|n| n.parse().ok()).expect("a generation")),
                }
            }
            other => panic!("unknown argument {other}"),
        }
    }
    options
}

/// The part of an artifact that the recorded expectations cover.
fn compared(artifact: &Artifact) -> Value {
    let full = serde_json::to_value(artifact).expect("a document");
    let findings: Vec<_> = full["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| json!({"code": finding["code"], "severity": finding["severity"], "at": finding["at"]}))
        .collect();
    json!({
        "path": full["path"], "findings": findings, "needs_manual": full["needs_manual"],
        "event_count": full["event_count"], "frame_count": full["frame_count"], "torn_bytes": full["torn_bytes"],
    })
}

#[test]
fn recorded_trees_give_the_recorded_findings() {
    let Some(trees) = shared("conformance/dsh") else { return };
    let mut count = 0;
    for tree in fs::read_dir(trees).expect("readable") {
        let tree = tree.expect("readable").path();
        let Ok(expected) = fs::read(tree.join("expected.json")) else { continue };
        let expected: Value = serde_json::from_slice(&expected).expect("JSON");
        let options = options(expected["args"].as_array().expect("a list"));
        let audit = StoreAudit::of(&tree.join("input"), &options).expect("a readable root");
        let found: Vec<_> = audit.artifacts.iter().map(compared).collect();
        assert_eq!(json!(found), expected["artifacts"], "{}", tree.display());
        assert_eq!(u64::from(audit.summary.needs_manual > 0), expected["exit"], "{}", tree.display());
        count += 1;
    }
    assert_eq!(count, 49);
}

/// Puts a log where its own header says it belongs.
fn store(root: &Path, log: &Path) {
    let text = fs::read(log).expect("readable");
    let first = text.split(|byte| *byte == b'\n').next().expect("a line");
    let header = Header::read(first).expect("a header");
    let project = place::project_directory(header.cwd.as_ref()).expect("a project");
    let session = place::session_directory(&header.id).expect("an id");
    // Several of the logs share an id, so each gets a root of its own.
    let folder = root.join(log.file_stem().expect("a name")).join(project).join(session);
    fs::create_dir_all(&folder).expect("writable");
    fs::write(folder.join("session.jsonl"), text).expect("writable");
}

#[test]
fn real_logs_stay_silent() {
    let Some(logs) = shared("corpus/dsh") else { return };
    let root = tempfile::tempdir().expect("a folder");
    for log in fs::read_dir(logs).expect("readable") {
        store(root.path(), &log.expect("readable").path());
    }
    let mut count = 0;
    for folder in fs::read_dir(root.path()).expect("readable") {
        let audit = StoreAudit::of(&folder.expect("readable").path(), &Options::default()).expect("a readable root");
        for artifact in audit.artifacts {
            assert!(artifact.findings.is_empty(), "{}: {:?}", artifact.path, artifact.findings);
            count += 1;
        }
    }
    assert_eq!(count, 32);
}
