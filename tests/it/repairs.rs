//! What repair and verify must have in common with the reference program: plans, receipts, bytes, verdicts, refusal codes.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// What differs between one recorded step of `repair` or `verify` and ours.
pub(crate) fn differences(args: &[&str], recorded: &Value, stdout: &str, stderr: &str) -> Vec<String> {
    let command = args.iter().find(|a| matches!(**a, "repair" | "verify"));
    let mut wrong = match command {
        Some(&"repair") => repaired(recorded, stdout, stderr),
        Some(&"verify") => verified(recorded, stdout),
        _ => Vec::new(),
    };
    for line in &mut wrong {
        *line = format!("{args:?}: {line}");
    }
    wrong
}

fn repaired(recorded: &Value, stdout: &str, stderr: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let theirs = recorded["stderr"].as_str().unwrap_or("");
    if let Some(code) = theirs.strip_prefix("Repair refused [").and_then(|t| t.split_once(']')).map(|t| t.0)
        && !stderr.contains(&format!("Repair refused [{code}]"))
    {
        wrong.push(format!("recorded refusal {code}, ours: {}", stderr.lines().next().unwrap_or("")));
    }
    let theirs = &recorded["stdout"];
    if theirs.is_object() {
        match serde_json::from_str::<Value>(stdout) {
            Ok(ours) => wrong.extend(unequal(&masked(theirs), &masked(&ours), "")),
            Err(_) => wrong.push("no JSON on standard output".into()),
        }
    } else if let Some(text) = theirs.as_str() {
        for name in ["Plan fingerprint: ", "Proposed steps: ", "Blocked findings: "] {
            let line = |text: &str| text.lines().find_map(|l| l.strip_prefix(name)).map(str::to_owned);
            if line(text).is_some() && line(text) != line(stdout) {
                wrong.push(format!("{name}{:?}, recorded {:?}", line(stdout), line(text)));
            }
        }
    }
    wrong
}

fn verified(recorded: &Value, stdout: &str) -> Vec<String> {
    let (theirs, ours) = (flags(&recorded["stdout"]), flags(&Value::String(stdout.to_owned())));
    if theirs == ours || theirs.is_empty() { Vec::new() } else { vec![format!("checks {ours}, recorded {theirs}")] }
}

/// `.` for each check that passed, `X` for each that failed, and the names when they are not the usual ones.
fn flags(verdict: &Value) -> String {
    let parsed = verdict.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let document = if verdict.is_object() { Some(verdict) } else { parsed.as_ref() };
    if let Some(document) = document {
        let checks = document["checks"].as_array().cloned().unwrap_or_default();
        return checks.iter().map(|c| if c["ok"] == true { '.' } else { 'X' }).collect();
    }
    let text = verdict.as_str().unwrap_or("");
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start();
            line.starts_with("[PASS]").then_some('.').or_else(|| line.starts_with("[FAIL]").then_some('X'))
        })
        .collect()
}

/// Without what a receipt of ours holds beside the reference program's: the report's words, edits, digests.
fn masked(document: &Value) -> Value {
    let mut document = document.clone();
    if let Some(members) = document.as_object_mut().filter(|m| m.contains_key("idempotency_key")) {
        for name in ["revalidate_report", "edits", "digests"] {
            members.remove(name);
        }
        if let Some(revalidation) = members.get_mut("revalidation").and_then(Value::as_object_mut) {
            revalidation.remove("report_fingerprint");
        }
    }
    document
}

/// Members that differ, by their path.
fn unequal(theirs: &Value, ours: &Value, path: &str) -> Vec<String> {
    match (theirs, ours) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
            let null = Value::Null;
            names
                .flat_map(|k| unequal(a.get(k).unwrap_or(&null), b.get(k).unwrap_or(&null), &format!("{path}/{k}")))
                .collect()
        }
        _ if theirs == ours => Vec::new(),
        _ => vec![format!("{path} is {ours}, recorded {theirs}")],
    }
}

/// What differs between the files a recorded case made and ours.
pub(crate) fn files(folder: &Path, recorded: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, hash) in recorded["outputs"].as_object().into_iter().flatten() {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            wrong.push(format!("{name} was not written"));
            continue;
        };
        let ours: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        if hash.as_str() == Some(&*ours) {
            continue;
        }
        let parse = |text: &str| serde_json::from_str::<Value>(text).map(|v| masked(&v)).ok();
        let theirs = recorded["outputs_text"][name].as_str().unwrap_or("");
        let (a, b) = (parse(theirs), parse(&String::from_utf8_lossy(&bytes)));
        match (a, b) {
            (Some(a), Some(b)) if name.ends_with(".manifest.json") => {
                wrong.extend(unequal(&a, &b, name));
            }
            _ => wrong.push(format!(
                "{name} differs:\n      {}\n    recorded\n      {theirs}",
                String::from_utf8_lossy(&bytes)
            )),
        }
    }
    wrong
}
