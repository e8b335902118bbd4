//! deepseek-harness logs through `check`: the audit's verdicts under the common codes, in frames as in plain text.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use sesslint::dsh::{Artifact, Code, ExpectedFormat, Options as AuditOptions, StoreAudit};
use sesslint::export;
use sesslint::finding::{Finding, Severity};
use sesslint::inspect::{Options, check_path};
use sesslint::report::Report;
use sesslint::rule;
use sesslint::scan::{Limits, Outcome, Root, scan};
use sha2::{Digest, Sha256};

use crate::support::{entries, shared};

const HEADER: &str =
    "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":1,\"cwd\":\"/p\",\"delegationDepth\":0}\n";

fn frame(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// A log as the harness stores it: the header in a frame of its own, then a frame for each batch of lines.
fn container(text: &[u8], batch: usize) -> Vec<u8> {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let mut frames = frame(lines.next().unwrap_or_default());
    let lines: Vec<&[u8]> = lines.collect();
    lines.chunks(batch).for_each(|lines| frames.extend(frame(lines.concat())));
    frames
}

fn event(kind: &str, seq: u64, data: &str) -> String {
    format!("{{\"type\":\"{kind}\",\"seq\":{seq},\"time\":1,\"data\":{data}}}\n")
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn check(path: &Path) -> Report {
    check_path(path, &Options { format: sesslint::adapter::find("dsh-jsonl"), ..Options::default() }).unwrap()
}

/// Checks bytes under a name, in a folder of their own.
fn check_bytes(name: &str, bytes: impl AsRef<[u8]>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    check(&write(folder.path(), name, bytes))
}

fn outline(report: &Report) -> Vec<(&str, &str, Option<u64>)> {
    report.findings.iter().map(|f| (f.code(), f.variant, f.location.item)).collect()
}

/// What a finding says, but for where the bytes are and under which path.
fn said(finding: &Finding) -> String {
    let consequences: Vec<String> = finding.consequences.iter().map(said).collect();
    format!(
        "{} {} {:?} {:?} line {:?} column {:?} {:?} {:?} {:?} {} {consequences:?}",
        finding.code(),
        finding.variant,
        finding.severity,
        finding.repairability,
        finding.location.line,
        finding.location.column,
        finding.record_id,
        finding.evidence,
        finding.detail,
        finding.stable_id,
    )
}

fn all_said(report: &Report) -> Vec<String> {
    report.findings.iter().map(said).collect()
}

/// The audit's names that stand in a report, on findings and on what follows from them.
fn audit_codes(findings: &[Finding]) -> BTreeSet<String> {
    let own = findings.iter().filter_map(|f| Some(f.detail.get("audit_code")?.as_str()?.to_owned()));
    own.chain(findings.iter().flat_map(|f| audit_codes(&f.consequences))).collect()
}

/// What `check` and the audit say differently of one file, beyond what they mean to.
fn disagreement(audit: &Artifact, report: &Report) -> Option<String> {
    let mut expected: BTreeSet<&str> = audit.findings.iter().map(|finding| finding.code.as_str()).collect();
    let found = audit_codes(&report.findings);
    let mut found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    // A copied file is no worse for lying elsewhere.
    expected.retain(|name| !matches!(*name, "SESSION_PATH_MISMATCH" | "PROJECT_PATH_MISMATCH"));
    // A whole record in an incomplete last line is read, so that the line is broken rather than torn.
    if expected.contains("TORN_FINAL_LINE") && found.contains("UNPARSABLE_LINE") {
        found.insert("TORN_FINAL_LINE");
        expected.insert("UNPARSABLE_LINE");
    }
    // So are whole records in other broken lines, and all that stands behind a lost header: more or less is said of
    // the events then.
    if expected.iter().any(|name| matches!(*name, "HEADER_MISSING" | "UNPARSABLE_LINE")) {
        let headless = expected.contains("HEADER_MISSING");
        let is_about_lines = |name: &&str| {
            ["_ARTIFACT", "_FRAME", "FRAME_SHAPE", "HEADER_MISSING"].iter().any(|part| name.ends_with(part))
                || !headless && matches!(*name, "FORMAT_VERSION_DRIFT" | "TORN_FINAL_LINE" | "UNPARSABLE_LINE")
        };
        expected.retain(is_about_lines);
        found.retain(is_about_lines);
    }
    if found != expected {
        return Some(format!("check says {found:?}, the audit says {expected:?}"));
    }
    let places = audit_places(&report.findings);
    let is_told = |code: &str| places.iter().any(|(told, _)| told == code);
    let placed = audit.findings.iter().filter(|f| f.at.is_some() && is_told(f.code.as_str()));
    let lost = placed.map(|f| (f.code.as_str().to_owned(), f.at)).find(|place| !places.contains(place));
    lost.map(|place| format!("check does not say {place:?} but {places:?}"))
}

fn audit_places(findings: &[Finding]) -> BTreeSet<(String, Option<i64>)> {
    let own = findings.iter().filter_map(|f| {
        Some((f.detail.get("audit_code")?.as_str()?.to_owned(), f.detail.get("at").and_then(serde_json::Value::as_i64)))
    });
    own.chain(findings.iter().flat_map(|f| audit_places(&f.consequences))).collect()
}

fn audit(root: &Path) -> Vec<Artifact> {
    let options = AuditOptions { format: ExpectedFormat::FromName, ..AuditOptions::default() };
    StoreAudit::of(root, &options).unwrap().artifacts
}

#[test]
fn check_says_what_the_audit_says() {
    let Some(trees) = shared("conformance/dsh") else { return };
    let mut compared = 0;
    for tree in entries(&trees).into_iter().filter(|tree| tree.join("expected.json").is_file()) {
        let root = tree.join("input");
        for artifact in audit(&root) {
            let path = root.join(&artifact.path);
            let report = check(&path);
            assert_eq!(disagreement(&artifact, &report), None, "{}", path.display());
            let is_loud =
                report.findings.iter().any(|f| f.severity > Severity::Info && f.detail.contains_key("audit_code"));
            assert!(!is_loud || !artifact.findings.is_empty(), "{}: {:?}", path.display(), all_said(&report));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} artifacts compared");
}

#[test]
fn check_says_where_the_audit_says_it_is() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("--p--/s");
    fs::create_dir_all(&folder).unwrap();
    let text = HEADER.to_owned()
        + &event("tool/call", 0, "{}").replace(":0,", ":-1,")
        + &event("assistant/message", 0, r#"{"message":{"content":[{"type":"text","text":""}]}}"#)
        + &event("my/type", 1, "{}")
        + "{\"type\":";
    let path = write(&folder, "session.jsonl", text);
    let artifact = &audit(root.path())[0];
    assert_eq!(artifact.findings.iter().filter_map(|f| f.at).collect::<Vec<_>>(), [5, 1, 0, -1]);
    assert_eq!(disagreement(artifact, &check(&path)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn check_says_what_the_audit_says_of_any_damage(
        edits in proptest::collection::vec((any::<usize>(), any::<u8>(), 0..3_u8), 0..4),
        tail in proptest::collection::vec(any::<u8>(), 0..12),
        batch in 0_usize..4,
    ) {
        let text = broken_log();
        let (name, mut bytes) = match batch {
            0 => ("session.jsonl", text.into_bytes()),
            _ => ("session.jsonl.zstd", container(text.as_bytes(), batch)),
        };
        for (at, byte, kind) in edits {
            let at = at % bytes.len();
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at + 1),
                _ => bytes.insert(at, b'\n'),
            }
        }
        bytes.extend(tail);
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("--p--/s");
        fs::create_dir_all(&folder).unwrap();
        let path = write(&folder, name, &bytes);
        let found = disagreement(&audit(root.path())[0], &check(&path));
        prop_assert_eq!(found, None, "{:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn every_code_of_the_audit_has_a_rule() {
    for code in Code::ALL {
        assert!(rule::find(code.rule().code).is_some(), "{}", code.as_str());
    }
}

#[test]
fn real_logs_stay_silent_in_frames() {
    let Some(logs) = shared("corpus/dsh") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for log in entries(&logs) {
        let text = fs::read(&log).unwrap();
        let plain = check_path(&log, &Options::default()).unwrap();
        for batch in [1, 7, 10_000] {
            let bytes = container(&text, batch);
            let packed = check_path(&write(folder.path(), "log.jsonl.zstd", &bytes), &Options::default()).unwrap();
            assert_eq!(packed.format, "dsh-jsonl");
            assert_eq!(all_said(&packed), all_said(&plain), "{} in batches of {batch}", log.display());
            assert_eq!((packed.records, packed.events), (plain.records, plain.events));
            assert_eq!(packed.source_fingerprint, sesslint::finding::fingerprint::hex(&Sha256::digest(&bytes)));
            assert!(packed.findings.iter().all(|f| f.severity == Severity::Info), "{}", log.display());
        }
        count += 1;
    }
    assert_eq!(count, 32);
}

/// A log with many defects that do not depend on how it is stored.
fn broken_log() -> String {
    let call = |seq, id: &str| {
        event("tool/call", seq, &format!("{{\"callId\":\"{id}\",\"name\":\"sh\",\"arguments\":\"{{}}\"}}"))
    };
    let said = |seq, text: &str| {
        let content = format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]");
        event("assistant/message", seq, &format!("{{\"message\":{{\"content\":{content}}}}}"))
    };
    let user = "{\"content\":[],\"source\":{\"kind\":\"user\"}}";
    let packed =
        r#"{"type":"text-chunks","seq0":9,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}}"#;
    [
        HEADER.to_owned(),
        event("turn/start", 0, "{\"turn\":1}"),
        call(1, "c"),
        event("user/message", 2, user),
        said(3, " "),
        // The same line twice, another event under one number, a gap, a number that comes late.
        said(3, " "),
        event("todo/write", 4, "{\"n\":1}"),
        event("todo/write", 4, "{\"n\":2}"),
        event("my/metric", 8, "{}"),
        format!("{packed}\n"),
        event("todo/write", 7, "{}"),
        "{\"type\":\"x\"}\n".to_owned(),
        "\n".to_owned(),
        format!("{}{}", said(11, "x").trim_end(), said(12, "y")),
        "{\"type\":\"st\n".to_owned(),
        event("tool/result", 14, "{}"),
    ]
    .concat()
}

#[test]
fn findings_do_not_depend_on_frames() {
    let folder = tempfile::tempdir().unwrap();
    let text = broken_log();
    let plain = check(&write(folder.path(), "session.jsonl", &text));
    let codes: BTreeSet<&str> = plain.findings.iter().map(Finding::code).collect();
    assert_eq!(
        codes,
        BTreeSet::from(["SL001", "SL003", "SL004", "SL101", "SL102", "SL302", "SL501", "SL507", "SL508"])
    );
    for batch in [1, 2, 3, 100] {
        let packed = check(&write(folder.path(), "session.jsonl.zstd", container(text.as_bytes(), batch)));
        assert_eq!(all_said(&packed), all_said(&plain), "batches of {batch}");
    }
    // Records and lines may span frames.
    let (head, tail) = text.as_bytes().split_at(HEADER.len());
    for size in [1, 10, 64] {
        let bytes: Vec<u8> = [head].into_iter().chain(tail.chunks(size)).flat_map(frame).collect();
        let packed = check(&write(folder.path(), "session.jsonl.zstd", bytes));
        assert_eq!(all_said(&packed), all_said(&plain), "frames of {size} bytes");
    }
}

#[test]
fn the_place_of_a_record_is_its_frame() {
    let frames = [
        frame(HEADER),
        frame(event("todo/write", 0, "{}") + &event("todo/write", 5, "{}")),
        frame(event("my/metric", 6, "{}")),
    ];
    let offsets: Vec<u64> = (0..=3).map(|n| frames[..n].concat().len() as u64).collect();
    let report = check_bytes("session.jsonl.zstd", frames.concat());
    let places: Vec<_> = report
        .findings
        .iter()
        .map(|f| (f.code(), f.location.line, f.location.item, f.location.byte_start, f.location.byte_end))
        .collect();
    let at = |n: usize| (Some(n as u64), Some(offsets[n - 1]), Some(offsets[n]));
    let row = |code, line, (item, start, end)| (code, Some(line), item, start, end);
    assert_eq!(places, [row("SL004", 3, at(2)), row("SL302", 4, at(3))]);
}

#[test]
fn frames_that_cannot_be_read_are_the_only_finding() {
    let text = event("todo/write", 0, "{}") + &event("my/metric", 9, "{}");
    let good = [frame(HEADER), frame(&text)].concat();
    let (first, end) = (frame(HEADER).len(), good.len());
    let mut checksum = [&good[..], &frame("x")[..]].concat();
    *checksum.last_mut().unwrap() ^= 1;
    let bomb = [good.clone(), frame(vec![b' '; 100 << 20])].concat();
    for (bytes, variant, item, at) in [
        ([&good[..], b"garbage"].concat(), "broken-frames", 3, end),
        ([&good[..], b"\x28\xB5\x2F\xFD\x08"].concat(), "broken-frames", 3, end + 4),
        (checksum, "undecodable-frame", 3, end),
        (bomb, "undecodable-frame", 3, end),
        (vec![0; 64], "broken-frames", 1, 0),
        (HEADER.into(), "broken-frames", 1, 0),
        ([&good[..first], &[0; 9]].concat(), "broken-frames", 2, first),
    ] {
        let report = check_bytes("session.jsonl.zstd", &bytes);
        assert_eq!(outline(&report), [("SL001", variant, Some(item))]);
        let finding = &report.findings[0];
        assert_eq!((finding.severity, finding.location.byte_start), (Severity::Error, Some(at as u64)));
        assert_eq!(finding.detail["at"], at);
        assert_eq!((report.assurance.as_str(), report.records, report.events), ("A0", 0, 0));
    }
}

#[test]
fn a_torn_frame_is_information_whatever_is_left_of_it() {
    let good = [frame(HEADER), frame(event("todo/write", 0, "{}"))].concat();
    let torn = frame(event("todo/write", 1, "{}"));
    for cut in 1..torn.len() {
        let report = check_bytes("session.jsonl.zstd", [&good[..], &torn[..cut]].concat());
        assert_eq!(outline(&report), [("SL002", "torn-frame", Some(3))]);
        assert_eq!((report.findings[0].severity, report.records), (Severity::Info, 2));
        assert_eq!(report.assurance.as_str(), "A3");
    }
    let report = check_bytes("session.jsonl.zstd", &torn[..9]);
    assert_eq!(outline(&report), [("SL001", "missing-header", None), ("SL002", "torn-frame", Some(1))]);
}

#[test]
fn shapes_of_containers() {
    let event = event("todo/write", 0, "{}");
    let header = HEADER.trim_end();
    let whole = |parts: &[&str]| parts.iter().flat_map(frame).collect::<Vec<u8>>();
    type Found<'a> = &'a [(&'a str, &'a str, Option<u64>)];
    for (name, bytes, found) in [
        ("a.jsonl.zstd", whole(&[HEADER, &event]), &[] as Found<'_>),
        ("a.jsonl", whole(&[HEADER, &event]), &[]),
        ("a.jsonl.zstd", whole(&[&format!("{HEADER}{event}")]), &[("SL512", "", Some(1))]),
        ("a.jsonl.zstd", whole(&["", HEADER, &event]), &[("SL512", "", Some(1))]),
        ("a.jsonl.zstd", whole(&[header, "\n", &event]), &[("SL512", "", Some(1))]),
        // In a frame a line without end is damage, not a tear.
        ("a.jsonl.zstd", whole(&[HEADER, event.trim_end()]), &[("SL001", "unended-line", Some(2))]),
        ("a.jsonl.zstd", whole(&[HEADER, &event[..20]]), &[("SL001", "unparsable-line", Some(2))]),
        ("a.jsonl.zstd", whole(&[HEADER, "{}"]), &[("SL001", "not-a-record", Some(2))]),
        ("a.jsonl", [HEADER.as_bytes(), &event.as_bytes()[..20]].concat(), &[("SL002", "", None)]),
        ("a.jsonl", [HEADER.as_bytes(), b"{}"].concat(), &[("SL002", "not-a-record", None)]),
        ("a.jsonl", [HEADER, event.trim_end()].concat().into(), &[("SL001", "unended-last-line", None)]),
        ("a.jsonl", header.into(), &[("SL001", "unended-last-line", None)]),
        ("a.jsonl", [HEADER, &event, "\n\n"].concat().into(), &[]),
        ("a.jsonl.zstd", whole(&[HEADER, &event, "\n\n"]), &[("SL001", "empty-last-lines", Some(3))]),
        ("a.jsonl.zstd", whole(&[&event]), &[("SL001", "missing-header", Some(1))]),
        ("a.jsonl.zstd", whole(&["{}\n"]), &[("SL001", "missing-header", Some(1))]),
        ("a.jsonl.zstd", whole(&[""]), &[("SL001", "missing-header", None)]),
        ("a.jsonl.zstd", vec![], &[("SL513", "", None)]),
        ("a.jsonl", vec![], &[("SL513", "", None)]),
        ("a.jsonl", b"\n".to_vec(), &[("SL001", "missing-header", None)]),
    ] {
        let report = check_bytes(name, bytes);
        assert_eq!(outline(&report), found, "{name} {found:?}");
    }
}

#[test]
fn exports_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let text: String =
        [HEADER.to_owned()].into_iter().chain((0..300).map(|seq| event("todo/write", seq, "{}"))).collect();
    let export = |name: &str, bytes: &[u8]| {
        let path = write(folder.path(), name, bytes);
        let mut out = Vec::new();
        let summary = export::export(&path, name, None, &mut out).unwrap();
        assert_eq!((summary.events, summary.input_sha256), (300, Sha256::digest(bytes).into()));
        String::from_utf8(out).unwrap().replace(name, "NAME")
    };
    let plain = export("session.jsonl", text.as_bytes());
    assert_eq!(export("session.jsonl.zstd", &container(text.as_bytes(), 7)), plain);
}

#[test]
fn trees_hold_containers_and_other_compressed_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = [HEADER, &event("todo/write", 0, "{}")].concat();
    let good = container(text.as_bytes(), 1);
    for (name, bytes) in [
        ("1.jsonl.zstd", good.clone()),
        ("2.jsonl.zstd", good[..good.len() - 3].to_vec()),
        ("3.jsonl.zstd", good[..9].to_vec()),
        ("4.jsonl.zstd", vec![0; 100]),
        ("5.jsonl.zstd", frame("{\"text\":\"a row of a data set\"}\n")),
        ("6.jsonl.zstd", Vec::new()),
        ("7.tar.zst", frame(vec![7; 1000])),
        ("8.zst", frame(r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}"#)),
        ("9.zst", frame("x")[..9].to_vec()),
    ] {
        write(folder.path(), name, bytes);
    }
    let roots = [Root::folder(folder.path())];
    let scan = scan(&roots, &Limits::default(), None, &|_| Options::default(), &|_| ());
    let rows: Vec<String> = scan
        .rows
        .iter()
        .map(|row| match &row.outcome {
            Outcome::Checked(index) => {
                let report = &scan.reports[*index];
                format!("{} {:?}", report.format, report.findings.iter().map(Finding::code).collect::<Vec<_>>())
            }
            Outcome::Skipped(skip) => skip.as_str().to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        rows,
        [
            "dsh-jsonl []",
            "dsh-jsonl [\"SL002\"]",
            "dsh-jsonl [\"SL001\", \"SL002\"]",
            "dsh-jsonl [\"SL001\"]",
            "not-a-session",
            "empty-file",
            "not-a-session",
            "not-a-session",
            "not-a-session",
        ]
    );
}
