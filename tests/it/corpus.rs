//! Real logs decide: a healthy one gives no error and no warning, a broken one exactly the true findings.

use std::path::Path;

use sesslint::finding::{Finding, Severity};
use sesslint::inspect::{Options, check_path};

use crate::support::{entries, json, shared};

/// The codes that stand for a defect class of the truth files.
fn codes(class: &str) -> &'static [&'static str] {
    match class {
        "dangling-tool-call" => &["SL102"],
        "orphan-tool-result" => &["SL101"],
        "duplicate-tool-call-id" => &["SL103"],
        "duplicate-tool-result" => &["SL104"],
        "tool-pair-split-by-compaction" => &["SL108"],
        "non-adjacent-tool-result" => &["SL107"],
        "missing-parent" | "seq-gap" => &["SL004"],
        "cycle" => &["SL005"],
        "duplicate-id" | "duplicate-record" => &["SL003"],
        "torn-tail" | "torn-final-frame" => &["SL002"],
        "malformed-line"
        | "non-object-line"
        | "nul-bytes"
        | "invalid-utf8"
        | "spliced-record"
        | "concatenated-records" => &["SL001"],
        "format-version-drift" => &["SL301"],
        "unknown-required-type" => &["SL302"],
        "missing-header" => &["SL302", "SL001"],
        "empty-text-block" => &["SL501"],
        "lone-surrogate" => &["SL502"],
        "run-without-end" | "duplicate-result" => &["SL503"],
        "partial-message-unfinished" | "partial-message-without-final" => &["SL504"],
        "abandoned-command" => &["SL505"],
        "missing-ordinal" | "ordinal-gap" => &["SL506"],
        other => panic!("no code for class {other}"),
    }
}

type Defect = (String, u64);

/// What is wrong with the verdict on one file, in words.
fn judge(path: &Path, defects: &[Defect], advisory: &[Defect]) -> Vec<String> {
    let report = match check_path(path, &Options::default()) {
        Ok(report) => report,
        Err(error) => return vec![error.to_string()],
    };
    let place = |f: &Finding| f.location.item.or(f.location.line).unwrap_or(0);
    let is = |f: &Finding, (class, line): &Defect| codes(class).contains(&f.code()) && place(f) == *line;
    let mut wrong = Vec::new();
    for defect in defects {
        let found = report.findings.iter().any(|f| is(f, defect) || f.consequences.iter().any(|c| is(c, defect)));
        if !found {
            wrong.push(format!("missed {} on line {}", defect.0, defect.1));
        }
    }
    let known = |f: &Finding| defects.iter().chain(advisory).any(|d| is(f, d));
    for finding in report.findings.iter().filter(|f| f.severity >= Severity::Warning) {
        if !known(finding) && !finding.consequences.iter().any(known) {
            let (severity, code) = (finding.severity.as_str(), finding.code());
            wrong.push(format!("false {severity} {code} {} on line {}", finding.variant, place(finding)));
        }
    }
    wrong
}

fn defect_list(value: &serde_json::Value) -> Vec<Defect> {
    let rows = value.as_array().cloned().unwrap_or_default();
    rows.iter()
        .map(|row| match row {
            serde_json::Value::Array(pair) => (pair[0].as_str().unwrap().to_owned(), pair[1].as_u64().unwrap_or(0)),
            row => (row["class"].as_str().unwrap().to_owned(), row["line"].as_u64().unwrap_or(0)),
        })
        .collect()
}

/// Judges every file of the given corpus folders; `formats` selects among the bug reproductions.
fn judge_all(folders: &[&str], formats: &[&str]) {
    let Some(corpus) = shared("corpus") else { return };
    let mut wrong = Vec::new();
    let mut files = 0;
    let mut add = |path: &Path, defects: &[Defect], advisory: &[Defect]| {
        files += 1;
        let name = path.strip_prefix(&corpus).unwrap().display().to_string();
        wrong.extend(judge(path, defects, advisory).into_iter().map(|w| format!("{name}: {w}")));
    };
    let truth = json(&corpus.join("truth.json"));
    for folder in folders {
        let own = corpus.join(folder).join("truth.json");
        if own.is_file() {
            for (name, row) in json(&own).as_object().unwrap() {
                add(&corpus.join(folder).join(name), &defect_list(&row["defects"]), &[]);
            }
        } else {
            let prefix = format!("{folder}/");
            for (name, row) in truth.as_object().unwrap().iter().filter(|(name, _)| name.starts_with(&prefix)) {
                add(&corpus.join(name), &defect_list(&row["defects"]), &[]);
            }
        }
    }
    for path in entries(&corpus.join("bugs")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".expected.json") else { continue };
        let expected = json(&path);
        if !formats.contains(&expected["format"].as_str().unwrap()) {
            continue;
        }
        let log = ["jsonl", "json", "jsonl.zstd"]
            .iter()
            .map(|e| corpus.join(format!("bugs/{stem}.{e}")))
            .find(|p| p.is_file());
        add(&log.unwrap(), &defect_list(&expected["expect"]), &defect_list(&expected["advisory"]));
    }
    assert!(files > 0, "no file found");
    assert!(wrong.is_empty(), "{} of {files} files judged; wrong:\n{}", files, wrong.join("\n"));
}

#[test]
fn claude_code() {
    judge_all(&["claude-code", "claude-code-fresh"], &["claude-code"]);
}

#[test]
fn openai_agents() {
    judge_all(&["openai-agents", "openai-agents-fresh"], &["openai-agents"]);
}

#[test]
fn codex() {
    judge_all(&["codex", "codex-fresh"], &["codex"]);
}

#[test]
fn pi() {
    judge_all(&["pi", "pi-fresh", "openclaw"], &["pi", "openclaw"]);
}

#[test]
fn claude_stream() {
    judge_all(&["claude-stream"], &["claude-stream"]);
}

#[test]
fn codex_exec() {
    judge_all(&["codex-exec"], &["codex-exec"]);
}

#[test]
fn dsh() {
    judge_all(&["dsh"], &[]);
}

#[test]
fn dsh_bugs() {
    judge_all(&[], &["dsh"]);
}
