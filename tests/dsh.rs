//! The audit of deepseek-harness logs against recorded trees and real logs, when they are at hand.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use sesslint::dsh::finding::{Attention, severity_word};
use sesslint::dsh::place;
use sesslint::dsh::record::Header;
use sesslint::dsh::{Artifact, Code, Effect, ExpectedFormat, Options, StoreAudit};

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

#[test]
fn minimal_reproductions_of_reported_bugs_are_found_at_their_line() {
    let Some(bugs) = shared("corpus/bugs") else { return };
    for (name, code, at, line) in [
        ("046-dsh-seq-gap.jsonl", "SEQ_GAP", Value::Null, Some(8)),
        ("048-dsh-unknown-required-type.jsonl", "UNKNOWN_REQUIRED_TYPE", json!(6), Some(8)),
        ("050-dsh-torn-final-frame.jsonl.zstd", "TORN_FINAL_FRAME", json!(2), None),
    ] {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("--home-user-project--/session-1ded52ee-d0cf-409b-8587-fa640ab80404");
        fs::create_dir_all(&folder).expect("writable");
        fs::copy(bugs.join(name), folder.join(name)).expect("writable");
        let audit = StoreAudit::of(root.path(), &Options::default()).expect("a readable root");
        let document = serde_json::to_value(&audit).expect("a document");
        let finding = &document["artifacts"][0]["findings"][0];
        assert_eq!((&finding["code"], &finding["at"]), (&json!(code), &at), "{document}");
        assert_eq!(finding["evidence"]["lines"][0].as_u64(), line, "{document}");
    }
}

#[test]
fn page_and_schema_name_every_code() {
    let page = include_str!("../docs/dsh-audit.md");
    let schema: Value = serde_json::from_str(include_str!("../schemas/dsh-audit.v1.schema.json")).expect("JSON");
    let listed = &schema["$defs"]["finding"]["properties"]["code"]["enum"];
    assert_eq!(*listed, json!(Code::ALL.map(Code::as_str)));
    let mut rest = page;
    for code in Code::ALL {
        let attention = match code.attention() {
            Attention::None => "",
            Attention::Strict => " strict",
            Attention::Manual => " manual",
        };
        let row = format!("| `{}` | {} |{attention} |", code.as_str(), severity_word(code.severity()));
        rest = rest.split_once(&row).unwrap_or_else(|| panic!("no row {row}, or not in this order")).1;
    }
}

const HEADER: &str =
    "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":1,\"cwd\":\"/p\",\"delegationDepth\":0}\n";

fn frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.include_checksum(true).expect("a known parameter");
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// Audits one file in the place that [`HEADER`] names.
fn audit_file(name: &str, bytes: &[u8]) -> Artifact {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("--p--/s");
    fs::create_dir_all(&folder).expect("writable");
    fs::write(folder.join(name), bytes).expect("writable");
    let audit = StoreAudit::of(root.path(), &Options::default()).expect("a readable root");
    audit.artifacts.into_iter().next().expect("one log")
}

fn codes(artifact: &Artifact) -> Vec<(Code, Option<i64>)> {
    artifact.findings.iter().map(|finding| (finding.code, finding.at)).collect()
}

#[test]
fn a_bomb_is_refused_with_a_finding_that_says_so() {
    let header = frame(HEADER.as_bytes());
    let bytes = [header.clone(), frame(&vec![b' '; 100 << 20])].concat();
    let artifact = audit_file("session.jsonl.zstd", &bytes);
    assert_eq!(codes(&artifact), [(Code::UndecodableFrame, Some(header.len() as i64))]);
    assert!(artifact.findings[0].message.contains("expands to more than 1024 times its size"));
}

#[test]
fn a_large_container_reads_the_same_as_plain_text() {
    let event = |seq: u64| {
        format!("{{\"type\":\"todo/write\",\"seq\":{seq},\"time\":1,\"data\":{{\"x\":\"{}\"}}}}\n", Hash(seq))
    };
    let text: String = (0..60_000).map(event).collect();
    let plain = audit_file("session.jsonl", [HEADER, &text, "{"].concat().as_bytes());
    let mut frames = frame(HEADER.as_bytes());
    text.as_bytes().chunks(10_000).for_each(|chunk| frames.extend(frame(chunk)));
    assert!(frames.len() > 1 << 20);
    let torn = [frames.as_slice(), &frame(b"{")[..9]].concat();
    let packed = audit_file("session.jsonl.zstd", &torn);
    assert_eq!(codes(&plain), [(Code::TornFinalLine, Some(60_002))]);
    assert_eq!(codes(&packed), [(Code::TornFinalFrame, packed.frame_count.map(|n| n as i64))]);
    assert_eq!((plain.event_count, packed.event_count), (60_000, 60_000));
    let mut damaged = torn;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert!(audit_file("session.jsonl.zstd", &damaged).needs_manual);
}

/// A number whose digits do not compress well.
struct Hash(u64);

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut x = self.0 + 1;
        for _ in 0..4 {
            x = (x ^ (x >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            write!(f, "{x:016x}")?;
        }
        Ok(())
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_only_and_other_entries_are_unreadable() {
    use std::os::unix::fs::symlink;

    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("--p--/s");
    fs::create_dir_all(folder.join("folder.jsonl")).expect("writable");
    fs::write(folder.join("session.jsonl"), HEADER).expect("writable");
    symlink(folder.join("session.jsonl"), folder.join("link.jsonl")).expect("writable");
    symlink("nowhere", folder.join("loose.jsonl")).expect("writable");
    // Not followed, but both names of the log now exist in this file system.
    fs::create_dir_all(root.path().join("--q--")).expect("writable");
    symlink(&folder, root.path().join("--q--/s")).expect("writable");
    fs::create_dir_all(root.path().join("--q--/moved")).expect("writable");
    fs::hard_link(folder.join("session.jsonl"), root.path().join("--q--/moved/session.jsonl")).expect("writable");
    let audit = StoreAudit::of(root.path(), &Options::default()).expect("a readable root");
    let found: Vec<_> = audit.artifacts.iter().map(|artifact| (artifact.path.as_str(), codes(artifact))).collect();
    let unreadable = || vec![(Code::UnreadableArtifact, None)];
    assert_eq!(
        found,
        [
            ("--p--/s/folder.jsonl", unreadable()),
            ("--p--/s/link.jsonl", vec![]),
            ("--p--/s/loose.jsonl", unreadable()),
            ("--p--/s/session.jsonl", vec![]),
            ("--q--/moved/session.jsonl", vec![(Code::SessionPathMismatch, None), (Code::ProjectPathMismatch, None)]),
        ]
    );
    for finding in &audit.artifacts[4].findings {
        assert_eq!((&finding.evidence["same_file"], finding.effect), (&json!(true), Effect::Opens));
    }
}

fn sample() -> String {
    let packed = "{\"type\":\"text-chunks\",\"seq0\":1,\"time0\":5,\"data\":{\"turn\":1,\"step\":1,\"index\":0,\"dt\":[1],\"texts\":[\"a\",\"b\"]}}\n";
    let call = "{\"type\":\"tool/call\",\"seq\":3,\"time\":9,\"data\":{\"turn\":1,\"callId\":\"c\"}}\n";
    [HEADER, "{\"type\":\"turn/start\",\"seq\":0,\"time\":4,\"data\":{\"turn\":1}}\n", packed, call].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_damage_to_a_log_is_reported_and_never_fatal(
        at in any::<usize>(), flip in 1u8.., tail in proptest::collection::vec(any::<u8>(), 0..30), compressed in any::<bool>(),
    ) {
        let (name, mut bytes) = if compressed {
            let frames: Vec<u8> = sample().split_inclusive('\n').flat_map(|line| frame(line.as_bytes())).collect();
            ("session.jsonl.zstd", frames)
        } else {
            ("session.jsonl", sample().into_bytes())
        };
        let at = at % bytes.len();
        bytes[at] ^= flip;
        bytes.extend(tail);
        let artifact = audit_file(name, &bytes);
        prop_assert_eq!(artifact.byte_length, bytes.len() as u64);
        prop_assert!(artifact.torn_bytes <= artifact.byte_length);
        let order: Vec<_> = artifact.findings.iter().map(|finding| finding.code).collect();
        prop_assert!(order.is_sorted(), "{:?}", order);
        // The checksum of a frame sees any change of its content.
        prop_assert!(!compressed || !artifact.findings.is_empty());
    }

    #[test]
    fn any_bytes_are_audited(bytes in proptest::collection::vec(any::<u8>(), 0..100), compressed in any::<bool>()) {
        let name = if compressed { "session.jsonl.zstd" } else { "session.jsonl" };
        prop_assert!(!audit_file(name, &bytes).findings.is_empty());
    }
}

#[test]
fn whole_records_of_a_torn_frame_are_counted() {
    let Some(logs) = shared("conformance/dsh/z16-torn-block-mid/input") else { return };
    let audit = StoreAudit::of(&logs, &Options::default()).expect("a readable root");
    let found: Vec<_> = audit
        .artifacts
        .iter()
        .map(|artifact| (artifact.torn_bytes, artifact.findings[0].evidence["recoverable_events"].as_u64()))
        .collect();
    // What the harness itself recovers from the same bytes.
    let expected =
        [(200, 0), (4979, 1150), (5, 0), (9, 0), (9953, 3432), (9954, 4000), (9957, 4000)].map(|(n, k)| (n, Some(k)));
    assert_eq!(found, expected);
}

#[test]
fn records_of_a_torn_frame_count_as_long_as_they_follow() {
    let event = |seq: u64| format!("{{\"type\":\"todo/write\",\"seq\":{seq},\"time\":1,\"data\":{{}}}}\n");
    let row = "{\"type\":\"text-chunks\",\"seq0\":1,\"time0\":1,\"data\":{\"turn\":1,\"step\":1,\"index\":0,\"dt\":[1],\"texts\":[\"a\",\"b\"]}}\n";
    for (text, count) in [
        (event(0) + &event(1), 2),
        (event(0) + row + &event(3), 4),
        (event(0) + row + &event(2), 3),
        (event(0) + &event(0) + &event(1), 1),
        (event(0) + "\n" + &event(1), 1),
        ("{}\n".to_owned() + &event(0), 0),
    ] {
        let torn = frame(text.as_bytes());
        let bytes = [frame(HEADER.as_bytes()).as_slice(), &torn[..torn.len() - 1]].concat();
        let found = &audit_file("session.jsonl.zstd", &bytes).findings[0];
        assert_eq!(
            (found.code, found.evidence["recoverable_events"].as_u64()),
            (Code::TornFinalFrame, Some(count)),
            "{text}"
        );
    }
}

#[test]
fn the_first_frame_must_be_the_header_line_and_nothing_else() {
    let line = HEADER.as_bytes();
    let unended = line.strip_suffix(b"\n").expect("an LF");
    for (frames, expected, effect) in [
        (vec![line], vec![], Effect::Opens),
        (vec![unended], vec![Code::HeaderFrameShape], Effect::BlocksStart),
        (vec![unended, b"\n"], vec![Code::HeaderFrameShape], Effect::BlocksStart),
        (vec![b"".as_slice(), line], vec![Code::HeaderFrameShape], Effect::BlocksStart),
        (vec![b"{}\n".as_slice()], vec![Code::HeaderMissing], Effect::HidesSession),
        (vec![b"{}".as_slice()], vec![Code::HeaderMissing], Effect::BlocksStart),
        (vec![b"".as_slice()], vec![Code::HeaderMissing], Effect::BlocksStart),
    ] {
        let bytes: Vec<u8> = frames.iter().flat_map(|text| frame(text)).collect();
        let artifact = audit_file("session.jsonl.zstd", &bytes);
        let found: Vec<_> = artifact.findings.iter().map(|finding| finding.code).collect();
        assert_eq!((found, artifact.effect()), (expected, effect), "{frames:?}");
    }
}
