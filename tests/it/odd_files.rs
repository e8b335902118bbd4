//! Files that are no logs, and logs of impossible shapes: an answer soon, whatever stands at a path.

use std::fs;
use std::path::{Path, PathBuf};

use sesslint::adapter::{FORMATS, find};
use sesslint::inspect::{CheckError, Options, check_path};
use sesslint::report::Report;

fn check(path: &Path, format: &str) -> Report {
    check_path(path, &Options { format: find(format), details: true, ..Options::default() }).unwrap()
}

fn written(folder: &Path, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join("log.jsonl");
    fs::write(&path, bytes).unwrap();
    path
}

fn codes(report: &Report) -> Vec<(&'static str, &'static str)> {
    report.findings.iter().map(|f| (f.code(), f.variant)).collect()
}

const LINES: [&str; 2] = [
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}"#,
    r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"go"}}"#,
];

#[test]
fn what_is_no_text_is_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let text = LINES.join("\n");
    let utf16: Vec<u8> = std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    // A header, and what looks like noise behind it.
    let noise = text.bytes().map(|b| b.wrapping_mul(151) | 128);
    let gzip: Vec<u8> = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3].into_iter().chain(noise).collect();
    let old = text.replace('\n', "\r").into_bytes();
    for bytes in [utf16, gzip, old.clone()] {
        let report = check(&written(folder.path(), bytes), "");
        assert_eq!(report.events, 0);
        assert_eq!(report.findings[0].code(), "SL302", "{:?}", codes(&report));
    }
    // Old line ends are none: both records stand on one line, and are read by whoever insists.
    let report = check(&written(folder.path(), old), "pi-jsonl");
    assert_eq!((codes(&report), report.events), (vec![("SL001", "concatenated-records")], 1));
    let windows = text.replace('\n', "\r\n");
    assert_eq!(codes(&check(&written(folder.path(), windows), "")), []);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [folder.path(), &pipe, Path::new("/dev/null")] {
        let refused = check_path(path, &Options::default());
        assert!(matches!(refused, Err(CheckError::NotAFile(_))), "{}", path.display());
        let options = sesslint::repair::Options::default();
        assert!(sesslint::repair::prepare(path, &options).is_err(), "{}", path.display());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xFF\xFE\nlog.jsonl"));
    fs::write(&path, LINES.join("\n")).unwrap();
    assert_eq!(codes(&check(&path, "")), []);
}

#[test]
fn nesting_costs_no_stack_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (lists, objects) = ("[".repeat(10_000), r#"{"a":"#.repeat(10_000));
    let closed = [lists.clone() + &"]".repeat(10_000), objects.clone() + "1" + &"}".repeat(10_000)];
    let around = [
        ("", ""),
        (r#"{"type":"#, r#","id":"a"}"#),
        (r#"{"id":"a","type":"message","message":"#, "}"),
        (
            r#"{"type":"assistant","uuid":"u","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","input":"#,
            "}]}}",
        ),
        (r#"[{"role":"user","content":"#, "}]"),
        (r#"{"items":[{"a":"#, "}]}"),
    ];
    for (before, behind) in around {
        for nest in closed.iter().chain([&lists, &objects]) {
            let path = written(folder.path(), format!("{}\n{before}{nest}{behind}\n{}\n", LINES[0], LINES[1]));
            let alone = folder.path().join("alone.json");
            fs::write(&alone, format!("{before}{nest}{behind}")).unwrap();
            for format in FORMATS.iter().map(|f| f.id).chain([""]) {
                assert!(!check(&path, format).findings.is_empty(), "{format} {before}");
                assert!(!check(&alone, format).findings.is_empty(), "{format} {before}");
            }
        }
    }
}

#[test]
fn a_record_may_hold_more_parts_than_sixteen_bits_count() {
    let folder = tempfile::tempdir().unwrap();
    let block = |n: usize| format!(r#"{{"type":"tool_use","id":"t{}","name":"x","input":{{}}}}"#, n % 66_000);
    let blocks: Vec<String> = (0..66_001).map(block).collect();
    let line = format!(
        r#"{{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"s","message":{{"role":"assistant","content":[{}]}}}}"#,
        blocks.join(",")
    );
    let report = check(&written(folder.path(), line), "claude-code-jsonl");
    assert!(report.events >= 66_001 && !report.findings.is_empty(), "{} events", report.events);
}

#[test]
fn broken_lines_beyond_a_cap_are_counted_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), LINES.join("\n") + "\n" + &"{\"cut\":\n".repeat(20_007) + LINES[1] + "\n");
    let report = check(&path, "pi-jsonl");
    let summary = report.findings.iter().find(|f| f.variant == "overflow-summary" && f.code() == "SL001").unwrap();
    assert_eq!(summary.evidence["truncated_count"], 7);
    assert_eq!(report.findings.iter().filter(|f| f.code() == "SL001").count(), 20_001);
    assert!(sesslint::repair::prepare(&path, &sesslint::repair::Options::default()).is_err());
}
