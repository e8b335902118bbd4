//! One bad line, one finding: healthy logs of which a single line is cut.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sesslint::adapter::find;
use sesslint::finding::{Finding, Severity};
use sesslint::inspect::{Options, check_path};

use crate::support::{entries, shared};

/// Folders of logs in lines, and their format.
const FOLDERS: [(&str, &str); 7] = [
    ("claude-code", "claude-code-jsonl"),
    ("claude-code-fresh", "claude-code-jsonl"),
    ("claude-stream", "claude-stream"),
    ("codex", "codex-rollout"),
    ("codex-exec", "codex-exec"),
    ("codex-fresh", "codex-rollout"),
    ("pi-fresh", "pi-jsonl"),
];

/// Logs in which some cuts give more than one finding, and why.
const EXCEPTIONS: [(&str, &str); 1] = [("codex-fresh-09.jsonl", "a prompt stands between the call and its output")];

fn failing(path: &Path, format: &str) -> Vec<Finding> {
    let options = Options { format: find(format), ..Options::default() };
    let report = check_path(path, &options).unwrap();
    report.findings.into_iter().filter(|f| f.severity >= Severity::Warning).collect()
}

/// A line that lost its end or its beginning, or that the next one was appended to.
fn cuts(line: &[u8]) -> [(&[u8], &str); 6] {
    let at = |percent: usize| line.len() * percent / 100;
    [
        (&line[..at(30)], "\n"),
        (&line[..at(60)], "\n"),
        (&line[..at(95)], "\n"),
        (&line[..at(30)], ""),
        (&line[..at(95)], ""),
        (&line[at(40)..], "\n"),
    ]
}

/// What is not one finding after a cut, and how many cuts were tried.
fn judge(log: &Path, format: &str, folder: &Path) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    let bytes = std::fs::read(log).unwrap();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    let name = log.file_name().unwrap();
    let file = folder.join(name);
    // In a printed stream, a line without its beginning is a line of another program.
    let kinds = if format == "claude-stream" || format == "codex-exec" { 5 } else { 6 };
    for number in (0..lines.len()).step_by((lines.len() / 8).max(1)) {
        let line = lines[number].trim_ascii_end();
        for (kept, end) in cuts(line).into_iter().take(kinds) {
            let rest = lines[number + 1..].concat();
            std::fs::write(&file, [&lines[..number].concat(), kept, end.as_bytes(), &rest].concat()).unwrap();
            let found = failing(&file, format);
            tried += 1;
            if found.len() != 1 && !EXCEPTIONS.iter().any(|(log, _)| *log == name) {
                let found: Vec<_> = found.iter().map(|f| (f.code(), f.variant, f.location.line)).collect();
                wrong.push(format!("{} line {}: {found:?}", name.display(), number + 1));
            }
        }
    }
    (tried, wrong)
}

#[test]
fn a_cut_line_is_one_finding() {
    let Some(corpus) = shared("corpus") else { return };
    let logs: Vec<(PathBuf, &str)> = FOLDERS
        .iter()
        .flat_map(|(folder, format)| entries(&corpus.join(folder)).into_iter().map(|path| (path, *format)))
        .filter(|(path, format)| path.extension().is_some_and(|e| e == "jsonl") && failing(path, format).is_empty())
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let results: Vec<_> = logs.par_iter().map(|(path, format)| judge(path, format, folder.path())).collect();
    let tried: usize = results.iter().map(|(tried, _)| tried).sum();
    let wrong: Vec<String> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    eprintln!("{tried} cuts in {} logs", logs.len());
    assert!(tried > 1000, "{tried}");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Title, format, lines, findings: code, line, and the codes and lines of what follows.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "the last record was a result",
        "pi-jsonl",
        &[
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}"#,
            r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"go"}}"#,
            r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"ls","arguments":{}}],"stopReason":"toolUse"}}"#,
            r#"{"type":"message","id":"c","parentId":"b","message":{"role":"toolRes"#,
        ],
        &["SL002 4 [SL102 3]"],
    ),
    (
        "a call and its output stand on lines of their own",
        "codex-rollout",
        &[
            r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","call_id":"k","na"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"k","output":"x"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}"#,
        ],
        &["SL001 2 [SL101 3]"],
    ),
    (
        "the end of a run was cut, and the beginning of the next",
        "codex-exec",
        &[
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"{"type":"turn.started"}"#,
            r#"{"type":"turn.compl"#,
            r#"{"type":"thread.started","thread_id":"u"}"#,
            r#"{"type":"turn.started"}"#,
            r#"{"type":"turn.completed","usage":{}}"#,
        ],
        &["SL001 3 [SL503 2]"],
    ),
    (
        "two numbered records and the line end between them, all zeroed",
        "codex-rollout",
        &[
            r#"{"timestamp":"t","ordinal":0,"type":"session_meta","payload":{"id":"s","cwd":"/p","history_mode":"paginated"}}"#,
            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            r#"{"timestamp":"t","ordinal":3,"type":"event_msg","payload":{"type":"token_count"}}"#,
            "",
        ],
        &["SL001 2 [SL506 3]"],
    ),
];

#[test]
fn a_cut_line_explains_what_it_held() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    for (title, format, lines, expected) in CASES {
        std::fs::write(&file, lines.join("\n")).unwrap();
        let place = |f: &Finding| format!("{} {}", f.code(), f.location.line.unwrap_or(0));
        let outline = |f: &Finding| {
            let further: String = f.consequences.iter().map(|c| format!(" [{}]", place(c))).collect();
            place(f) + &further
        };
        let found: Vec<String> = failing(&file, format).iter().map(outline).collect();
        assert_eq!(found, *expected, "{title}");
    }
}

/// Severities of the findings of one Claude Code record between two ordinary ones.
fn beside(record: &str) -> Vec<String> {
    let said = |uuid: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":null,"sessionId":"s","version":"2.1.0","message":{{"role":"user","content":"x"}}}}"#
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    std::fs::write(&file, [&said("a"), record, &said("b"), ""].join("\n")).unwrap();
    let found =
        check_path(&file, &Options { format: find("claude-code-jsonl"), ..Options::default() }).unwrap().findings;
    found.iter().map(|f| format!("{} {}", f.code(), f.severity.as_str())).collect()
}

#[test]
fn what_a_later_agent_may_write_is_information() {
    for (record, expected) in [
        (
            r#"{"type":"user","uuid":"c","parentUuid":"a","version":"dev","message":{"role":"user","content":"x"}}"#,
            "SL301 info",
        ),
        (
            r#"{"type":"user","uuid":"c","parentUuid":"a","version":{"v":1},"message":{"role":"user","content":"x"}}"#,
            "SL301 error",
        ),
        (r#"{"type":"of-a-later-version","sessionId":"s"}"#, "SL302 info"),
        (r#"{"kind":"of-a-later-version","sessionId":"s"}"#, "SL302 info"),
        (r#"{"kind":"of-something-else","n":1}"#, "SL302 error"),
    ] {
        assert_eq!(beside(record), [expected], "{record}");
    }
}
