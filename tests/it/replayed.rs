//! The strict profiles against what the real programs sent: an error where every request was refused, none beyond those
//! of the neutral profile where none was.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sesslint::finding::Severity;
use sesslint::inspect::{Options, check_path};
use sesslint::rule::profile;

use crate::support::{json, shared};

/// Codes and lines of the errors under a profile.
fn errors(log: &Path, profile: &str) -> BTreeSet<(&'static str, u64)> {
    let options = Options { profile: profile::find(profile).unwrap(), ..Options::default() };
    let report = check_path(log, &options).unwrap();
    let errors = report.findings.iter().filter(|f| f.severity >= Severity::Error);
    errors.map(|f| (f.code(), f.location.item.or(f.location.line).unwrap_or(0))).collect()
}

/// Whether each program that resumed a log made a request that is refused.
fn refused<'a>(outcomes: impl Iterator<Item = &'a Value>) -> Vec<bool> {
    let resumed = outcomes.filter(|o| o["resumed"] == true || o["verdict"].as_str().is_some_and(|v| v != "not-loaded"));
    resumed.map(|o| o["refusals"].as_array().is_some_and(|list| !list.is_empty())).collect()
}

/// What is wrong with the verdict on one log.
fn judge(log: &Path, profile: &str, versions: usize, refused: &[bool]) -> Option<String> {
    let strict = errors(log, profile);
    if refused.len() == versions && refused.iter().all(|r| *r) && strict.is_empty() {
        return Some("refused by all".into());
    }
    let added: Vec<_> = strict.difference(&errors(log, "neutral")).copied().collect();
    (refused.iter().all(|r| !r) && !added.is_empty()).then(|| format!("refused by none: {added:?}"))
}

/// Judges every log of a table `{log: {version: outcome}}`. Gives the number of those that every program had refused.
fn judge_table(table: &str, profile: &str, place: fn(&Path, &str) -> PathBuf) -> Option<usize> {
    let corpus = shared("corpus")?;
    let (mut hopeless, mut wrong) = (0, Vec::new());
    let table = json(&corpus.join(table));
    for (name, row) in table.as_object().unwrap() {
        let row = row.as_object().unwrap();
        let outcomes = row.values().map(|outcome| outcome["same_as"].as_str().map_or(outcome, |other| &row[other]));
        let refused = refused(outcomes);
        hopeless += usize::from(refused.len() == row.len() && refused.iter().all(|r| *r));
        let found = judge(&place(&corpus, name), profile, row.len(), &refused);
        wrong.extend(found.map(|found| format!("{name}: {found}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Some(hopeless)
}

#[test]
fn claude_strict_is_what_the_api_refuses() {
    let hopeless = judge_table("replay-claude-code.json", "claude-strict", |corpus, name| corpus.join(name));
    assert!(hopeless.is_none_or(|hopeless| hopeless > 0));
}

#[test]
fn openai_strict_is_what_the_api_refuses() {
    fn place(corpus: &Path, name: &str) -> PathBuf {
        let folders = ["codex", "codex-fresh", "openai-agents", "openai-agents-fresh", "bugs"];
        folders.iter().map(|folder| corpus.join(folder).join(name)).find(|path| path.is_file()).unwrap()
    }
    judge_table("replay-codex.json", "openai-strict", place);
    let hopeless = judge_table("replay-openai-agents.json", "openai-strict", place);
    assert!(hopeless.is_none_or(|hopeless| hopeless > 0));
}

#[test]
fn minimal_experiments_are_judged_alike() {
    let Some(cases) = shared("corpus/loader-cases/claude-code") else { return };
    let mut wrong = Vec::new();
    for (name, case) in json(&cases.join("expected.json")).as_object().unwrap() {
        let outcomes = case["outcomes"].as_array().unwrap();
        let found = judge(&cases.join(name), "claude-strict", outcomes.len(), &refused(outcomes.iter()));
        wrong.extend(found.map(|found| format!("{name}: {found}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Healthy logs that every loader sends as a request that is refused.
const REFUSED_ALL_THE_SAME: [&str; 1] = ["claude-code/claude-code-17.jsonl"];

#[test]
fn healthy_logs_have_no_error_under_their_strict_profile() {
    let Some(corpus) = shared("corpus") else { return };
    let mut healthy: Vec<String> = Vec::new();
    let mut add = |truth: Value, folder: &str| {
        let clean = |(_, row): &(&String, &Value)| row["defects"].as_array().is_some_and(Vec::is_empty);
        healthy.extend(truth.as_object().unwrap().iter().filter(clean).map(|(name, _)| format!("{folder}{name}")));
    };
    add(json(&corpus.join("truth.json")), "");
    for folder in ["claude-code-fresh", "codex-fresh", "openai-agents-fresh"] {
        add(json(&corpus.join(folder).join("truth.json")), &format!("{folder}/"));
    }
    let mut refused = Vec::new();
    for name in &healthy {
        let profile = match name.split(['/', '-']).next() {
            Some("claude") => "claude-strict",
            Some("codex" | "openai") => "openai-strict",
            _ => continue,
        };
        if !errors(&corpus.join(name), profile).is_empty() {
            refused.push(name.as_str());
        }
    }
    assert_eq!(refused, REFUSED_ALL_THE_SAME);
}

/// A record: type, id, parent, content; `more` are further members.
fn record(kind: &str, id: &str, parent: &str, content: &str, more: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"sessionId":"s","type":"{kind}","uuid":"{id}",{more}"message":{{"role":"{kind}","content":{content}}}}}"#
    )
}

#[test]
fn facts_of_records_reach_the_strict_rules() {
    let (user, said) = (r#""go""#, r#"[{"type":"text","text":"ok"}]"#);
    let call = r#"[{"type":"text","text":"ok"},{"type":"thinking","thinking":"","signature":"x"},{"type":"tool_use","id":"k","name":"ls","input":{}}]"#;
    let result = r#"[{"type":"tool_result","tool_use_id":"k","content":"x"}]"#;
    let start = record("user", "a", "", user, "");
    type Case<'a> = (&'a str, &'a [String], &'a [(&'a str, u64)]);
    let cases: &[Case<'_>] = &[
        ("a whole turn", &[start.clone(), record("assistant", "b", "a", said, "")], &[]),
        ("no prompt", &[record("assistant", "b", "", said, "")], &[("SL515", 1)]),
        ("sidechains are sent by nobody", &[record("assistant", "b", "", said, "").replace("false", "true")], &[]),
        (
            "blanks",
            &[start.clone(), record("assistant", "b", "a", r#"[{"type":"text","text":" "}]"#, "")],
            &[("SL501", 2)],
        ),
        ("a prompt of blanks", &[record("user", "a", "", r#"" ""#, "")], &[("SL501", 1)]),
        (
            "late reasoning",
            &[start.clone(), record("assistant", "b", "a", call, ""), record("user", "c", "b", result, "")],
            &[("SL516", 2)],
        ),
        (
            "the log names where to go on",
            &[
                start.clone(),
                record("assistant", "b", "a", said, ""),
                record("assistant", "x", "", said, ""),
                r#"{"type":"last-prompt","leafUuid":"a","sessionId":"s"}"#.to_owned(),
            ],
            &[],
        ),
        (
            "progress is passed and never the end",
            &[
                start.clone(),
                r#"{"parentUuid":null,"isSidechain":false,"type":"progress","uuid":"p","sessionId":"s"}"#.to_owned(),
            ],
            &[],
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    for (title, lines, expected) in cases {
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
        assert_eq!(errors(&file, "claude-strict"), expected.iter().copied().collect(), "{title}");
    }
}
