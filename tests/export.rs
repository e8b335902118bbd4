//! Exports, byte for byte against the recorded ones of the reference program, and read back by their own reader.

#![allow(clippy::print_stderr, reason = "tests say what they skip")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sesslint::adapter;
use sesslint::export::{ExportError, Refusal, export};
use sesslint::finding::fingerprint::hex;
use sesslint::reader::{self, Builder};

/// Recorded exports that ours are not equal to, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("cc-export-blocks", "the last result of a record keeps the record's id; a call without id pairs with nothing"),
    ("cc-synthetic-ids", "the last result of a record keeps the record's id; a call without id pairs with nothing"),
    ("cc-timestamps", "time stamps are brought to UTC, so that an export passes its own reader"),
];

fn shared(part: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(part);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: nothing at {}", folder.display());
    None
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path()).collect();
    found.sort();
    found
}

#[test]
fn recorded_exports_are_reproduced() {
    let Some(root) = shared("conformance") else { return };
    let mut compared = 0;
    for case in ["ingest", "repair"].iter().flat_map(|group| entries(&root.join(group))) {
        let Ok(text) = fs::read_to_string(case.join("case.json")) else { continue };
        let name = case.file_name().expect("name").to_string_lossy().into_owned();
        let json: Value = serde_json::from_str(&text).expect("json");
        let whole = vec![json.clone()];
        for step in json["steps"].as_array().unwrap_or(&whole) {
            let args: Vec<&str> = step["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let target = args.iter().position(|a| ["--out", "--output", "-o"].contains(a)).map(|i| args[i + 1]);
            let (Some(&"export"), Some(target), Some(0)) = (args.first(), target, step["exit"].as_i64()) else {
                continue;
            };
            let Some(expected) = json["outputs"][target].as_str() else { continue };
            let format = step["stdout"]["input_format"].as_str().and_then(adapter::find);
            let mut out = Vec::new();
            let written = export(&case.join(args[1]), args[1], format, &mut out).expect("export");
            assert_eq!(hex(&written.output_sha256) == expected, !DIFFERENCES.iter().any(|d| d.0 == name), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn exports_of_real_logs_pass_their_own_reader() {
    let Some(root) = shared("corpus") else { return };
    let mut exported = 0;
    for folder in ["claude-code", "claude-code-fresh", "openai-agents", "openai-agents-fresh"] {
        for file in entries(&root.join(folder)) {
            let name = file.file_name().expect("name").to_string_lossy().into_owned();
            let mut out = Vec::new();
            match export(&file, &name, None, &mut out) {
                Ok(summary) => {
                    let format = &adapter::canonical::FORMAT;
                    let mut builder = Builder::new(format);
                    let source = reader::read(&out[..], format, &name, &mut builder).expect("read");
                    assert_eq!(source.sha256, summary.output_sha256, "{name}");
                    let (session, findings) = builder.finish(&source);
                    let findings: Vec<_> = findings.iter().map(|f| (f.code(), &f.evidence, f.line)).collect();
                    assert!(findings.is_empty(), "{name}: {findings:?}");
                    assert_eq!(session.events.len() as u64, summary.events, "{name}");
                    exported += 1;
                }
                Err(ExportError::Refused(_)) => {}
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    assert!(exported > 30, "{exported}");
}

#[test]
fn unfit_sessions_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    for (text, refusal) in [
        ("words\n", Refusal::Undetected("low-confidence")),
        ("", Refusal::Undetected("empty")),
        ("{\"items\":[],\"run_state\":{}}", Refusal::Empty),
        (
            "[{\"role\":\"user\",\"content\":\"a\"},{\"type\":\"message\",\"role\":\"user\",\"content\":\"b\"}",
            Refusal::Unreadable(1),
        ),
    ] {
        let file = folder.path().join("s.json");
        fs::write(&file, text).expect("write");
        let mut out = Vec::new();
        match export(&file, "s.json", None, &mut out) {
            Err(ExportError::Refused(found)) => assert_eq!(found, refusal),
            other => panic!("{text}: {other:?}"),
        }
        assert!(out.is_empty());
    }
    let missing = export(&folder.path().join("none"), "none", None, &mut Vec::new());
    assert!(matches!(missing, Err(ExportError::NotFound(_))));
}
