//! Findings of reading: code, line and fingerprint.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use serde_json::Value;
use sesslint::adapter::detect::{Sample, decide};
use sesslint::adapter::{self, Format};
use sesslint::finding::Severity;
use sesslint::finding::fingerprint::{Origin, fingerprint};
use sesslint::reader::{self, Builder};
use sesslint::rule::profile;

use crate::recordings::steps;
use crate::support::{entries, shared};

/// Code, line, fingerprint.
type Row = (String, u64, String);

const KNOWN_TYPE: &str = "the type is known, or told once as information";

/// Files whose findings differ, and why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("ingest/oa-broken-documents", "scalar.jsonl", "a last line with its line end is not torn"),
    ("ingest/oa-stream-taken-for-document", "session.jsonl", "a member of an item does not make a stream a document"),
    ("ingest/oa-unknown-types", "session.jsonl", KNOWN_TYPE),
    ("checks/sl302-openai", "session.json", KNOWN_TYPE),
];

fn detect(path: &Path) -> Option<&'static Format> {
    let sample = Sample::read(File::open(path).expect("open")).expect("readable");
    decide(&sample, &profile::NEUTRAL, None, None).format
}

fn found(path: &Path, name: &str, format: &'static Format) -> BTreeSet<Row> {
    let mut builder = Builder::new(format);
    let source = reader::read(File::open(path).expect("open"), format, name, &mut builder).expect("readable");
    let (_, findings) = builder.finish(&source);
    let origin = Origin { format: "", format_version: "", profile: "", profile_version: "", path: name };
    let reading = findings.iter().filter(|f| matches!(f.code(), "SL001" | "SL002" | "SL301" | "SL302"));
    reading.map(|f| (f.code().to_owned(), f.line.unwrap_or(0), fingerprint(f, &origin))).collect()
}

fn recorded(stdout: &Value) -> Option<BTreeSet<Row>> {
    let text = |f: &Value, name: &str| f[name].as_str().unwrap_or_default().to_owned();
    let findings = stdout.get("findings")?.as_array()?;
    let reading = findings.iter().filter(|f| matches!(f["code"].as_str(), Some("SL001" | "SL002" | "SL301" | "SL302")));
    Some(reading.map(|f| (text(f, "code"), f["span"]["line"].as_u64().unwrap_or(0), text(f, "fingerprint"))).collect())
}

#[test]
fn findings_of_reading_are_those_of_the_reference() {
    let mut compared = 0;
    let steps = steps(&["ingest", "checks"], "check");
    for step in &steps {
        let Some(expected) = recorded(&step.recorded["stdout"]) else { continue };
        let id = step.recorded["stdout"]["coverage"]["adapter"]["id"].as_str().unwrap_or_default();
        let file = step.folder.join(&step.args[1]);
        let Some(format) = adapter::find(id).filter(|f| f.id != "claude-code-jsonl" && file.is_file()) else {
            continue;
        };
        if step.case.starts_with("ingest/det-") {
            // Which format those are is decided anew.
            continue;
        }
        let found = found(&file, &step.args[1], format);
        let differs = DIFFERENCES.iter().any(|d| (d.0, d.1) == (&step.case, &step.args[1]));
        assert_eq!(found != expected, differs, "{} {}\n{expected:?}\n{found:?}", step.case, step.args[1]);
        compared += 1;
    }
    assert!(steps.is_empty() || compared > 100, "{compared}");
}

#[test]
fn real_exports_are_recognised_and_silent() {
    let Some(root) = shared("corpus") else { return };
    let mut seen = 0;
    for folder in entries(&root).into_iter().filter(|f| f.is_dir()) {
        let ours = folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with("openai-agents"));
        for file in entries(&folder).into_iter().filter(|f| f.is_file()) {
            let name = file.file_name().expect("name").to_string_lossy().into_owned();
            if ["truth.json", ".md", "expected.json"].iter().any(|end| name.ends_with(end)) {
                continue;
            }
            let format = detect(&file);
            let id = format.map(|f| f.id);
            if let (true, Some(format)) = (ours || name.contains("agents-limit"), format) {
                assert_eq!(format.id, "openai-agents", "{name}");
                assert_eq!(found(&file, &name, format), BTreeSet::new(), "{name}");
                seen += 1;
            } else {
                assert!(!ours && !matches!(id, Some("openai-agents" | "canonical")), "{name} is taken for {id:?}");
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn recorded_files_are_still_recognised() {
    let mut missed = Vec::new();
    let mut seen = 0;
    for step in steps(&["ingest", "checks"], "check") {
        let id = step.recorded["stdout"]["coverage"]["adapter"]["id"].as_str().unwrap_or_default();
        let file = step.folder.join(&step.args[1]);
        if step.option(&["--format"]).is_some() || !matches!(id, "canonical" | "openai-agents") || !file.is_file() {
            continue;
        }
        seen += 1;
        if detect(&file).map(|f| f.id) != Some(id) {
            missed.push(format!("{} {}", step.case, step.args[1]));
        }
    }
    missed.dedup();
    let expected = [
        // Records of another program, and texts without a single whole record.
        "ingest/det-claude-array one.json",
        "ingest/det-claude-array pretty.json",
        "ingest/det-signals-late late.jsonl",
        "ingest/oa-broken-documents utf8.json",
        "ingest/oa-broken-documents scalar.jsonl",
    ];
    assert!(seen == 0 || missed == expected, "{missed:#?}");
}

#[test]
fn long_first_lines_are_recognised_by_their_beginning() {
    let filler = "words ".repeat(1 << 20);
    for (text, id) in [
        (
            format!(
                "{{\"items\":[{{\"role\":\"user\",\"content\":\"a\"}},{{\"role\":\"user\",\"content\":\"{filler}\"}}]}}"
            ),
            "openai-agents",
        ),
        (
            format!("[{{\"role\":\"user\",\"content\":\"a\"}},{{\"role\":\"user\",\"content\":\"{filler}\"}}]"),
            "openai-agents",
        ),
        (format!("{{\"schema_version\":\"sesslint.session/v1\",\"events\":[{{\"id\":\"{filler}\"}}]}}"), "canonical"),
    ] {
        let sample = Sample::read(text.as_bytes()).expect("readable");
        let format = decide(&sample, &profile::NEUTRAL, None, None).format;
        assert_eq!(format.map(|f| f.id), Some(id));
    }
}

#[test]
fn a_live_database_is_refused_whatever_format_is_named() {
    let mut store = b"SQLite format 3\0".to_vec();
    store.extend_from_slice(b"\n{\"role\":\"user\"}\n");
    for format in adapter::FORMATS {
        let mut builder = Builder::new(format);
        let source = reader::read(std::io::Cursor::new(&store), format, "s.db", &mut builder).expect("readable");
        let (session, findings) = builder.finish(&source);
        assert_eq!((source.size, session.events.len(), findings.len()), (store.len() as u64, 0, 1), "{}", format.id);
        assert_eq!((findings[0].variant, findings[0].severity), ("live-database", Severity::Fatal));
    }
}

#[test]
fn a_cut_last_line_is_torn_wherever_it_is_cut() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/examples");
    let mut formats = 0;
    for log in entries(&folder).into_iter().filter(|path| path.to_string_lossy().ends_with("-healthy.jsonl")) {
        let text = std::fs::read(&log).expect("readable");
        let end = text.trim_ascii_end().len();
        let start = text[..end].iter().rposition(|byte| *byte == b'\n').expect("several lines") + 1;
        let format = detect(&log).expect("a known format");
        for cut in start + 1..end {
            let mut builder = Builder::new(format);
            let torn = std::io::Cursor::new(&text[..cut]);
            let source = reader::read(torn, format, "s.jsonl", &mut builder).expect("readable");
            let codes: Vec<_> = builder.finish(&source).1.iter().map(|f| f.code()).collect();
            assert_eq!(codes.iter().filter(|code| **code == "SL002").count(), 1, "{} cut at {cut}", log.display());
            assert!(!codes.contains(&"SL001"), "{} cut at {cut}: {codes:?}", log.display());
        }
        formats += 1;
    }
    assert!(formats >= 4, "{formats}");
}
