//! Exports: byte for byte, and read back by their own reader.

#![allow(clippy::print_stderr, reason = "tests say what they skip")]

use std::fs;

use sesslint::adapter;
use sesslint::export::{ExportError, Refusal, export};
use sesslint::finding::fingerprint::hex;
use sesslint::reader::{self, Builder};

use crate::recordings::steps;
use crate::support::{entries, shared};

/// Recorded exports that ours are not equal to, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "ingest/cc-export-blocks",
        "the last result of a record keeps the record's id; a call without id pairs with nothing",
    ),
    (
        "ingest/cc-synthetic-ids",
        "the last result of a record keeps the record's id; a call without id pairs with nothing",
    ),
    ("ingest/cc-timestamps", "time stamps are brought to UTC, so that an export passes its own reader"),
];

#[test]
fn recorded_exports_are_reproduced() {
    let steps = steps(&["ingest", "repair"], "export");
    let mut compared = 0;
    for step in &steps {
        let target = step.option(&["--out", "--output", "-o"]).unwrap_or_default();
        let Some(expected) = step.outputs[target].as_str().filter(|_| step.recorded["exit"] == 0) else { continue };
        let format = step.recorded["stdout"]["input_format"].as_str().and_then(adapter::find);
        let mut out = Vec::new();
        let written = export(&step.folder.join(&step.args[1]), &step.args[1], format, &mut out).expect("export");
        let differs = DIFFERENCES.iter().any(|d| d.0 == step.case);
        assert_eq!(hex(&written.output_sha256) != expected, differs, "{}", step.case);
        compared += 1;
    }
    assert!(steps.is_empty() || compared > 20, "{compared}");
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
                    let source = reader::read(std::io::Cursor::new(&out), format, &name, &mut builder).expect("read");
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
