//! Test: canonical streams of the recorded cases give the recorded findings, fingerprints included.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::testing::{Build, flatten};
use crate::rule::profile;

#[test]
fn recorded_canonical_findings_are_reproduced() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance/checks");
    let Ok(folders) = fs::read_dir(&root) else {
        println!("skipped: no recorded cases beside the repository");
        return;
    };
    let mut compared = 0;
    for folder in folders {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let case: Json = serde_json::from_str(&fs::read_to_string(folder.join("case.json")).unwrap()).unwrap();
        let Ok(text) = fs::read_to_string(folder.join("session.jsonl")) else { continue };
        let reader_findings = case["stdout"]["findings"].as_array().is_none_or(|f| f.iter().any(is_reader));
        let canonical = text.starts_with(r#"{"schema_version""#)
            && text.lines().all(|l| serde_json::from_str::<Json>(l).is_ok_and(|v| v.is_object()));
        // Ours sees forks: docs/differences.md.
        let differs = name == "sl106-fork-not-seen";
        if !canonical || differs || reader_findings || case["stdout"]["repro"].is_null() {
            continue;
        }
        let profile = profile::find(case["stdout"]["repro"]["profile"]["name"].as_str().unwrap()).unwrap();
        let path = case["args"].as_array().unwrap().iter().filter_map(Json::as_str).find(|a| a.ends_with(".jsonl"));
        let found = Build::canonical(&text).run_with(profile, path.unwrap());
        let all = flatten(&found);
        let further = |f: &&&crate::finding::Finding| !f.subject.part.contains('#') && !asks_more(f);
        let mut ours: Vec<String> = all.iter().filter(further).map(|f| describe_ours(f)).collect();
        let mut theirs: Vec<String> =
            case["stdout"]["findings"].as_array().unwrap().iter().map(describe_recorded).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{name}");
        compared += 1;
    }
    assert!(compared > 60, "only {compared} cases compared");
}

/// The strict profiles of the reference program judge no request.
fn asks_more(finding: &crate::finding::Finding) -> bool {
    super::REQUEST_RULES.iter().any(|rule| rule.code == finding.code())
}

fn is_reader(finding: &Json) -> bool {
    matches!(finding["code"].as_str(), Some("SL001" | "SL002" | "SL301" | "SL302"))
}

fn describe_ours(f: &crate::finding::Finding) -> String {
    let evidence = Json::Object(f.evidence.clone());
    describe(f.code(), f.severity.as_str(), f.repairability.as_str(), &f.fingerprint, f.line.into(), &evidence)
}

fn describe_recorded(f: &Json) -> String {
    let mut evidence = f["evidence"].clone();
    evidence.as_object_mut().unwrap().remove("ordinal");
    let word = |name: &str| f[name].as_str().unwrap().to_owned();
    describe(
        &word("code"),
        &word("severity"),
        &word("repairability"),
        &word("fingerprint"),
        f["span"]["line"].clone(),
        &evidence,
    )
}

/// Evidence without texts under names that hold `id`, which reports shorten.
fn describe(code: &str, severity: &str, repair: &str, fingerprint: &str, line: Json, evidence: &Json) -> String {
    let shown: serde_json::Map<String, Json> = evidence
        .as_object()
        .unwrap()
        .iter()
        .filter(|(k, v)| !(k.contains("id") && v.is_string()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    format!("{code} {severity} {repair} {fingerprint} {line} {}", Json::Object(shown))
}
