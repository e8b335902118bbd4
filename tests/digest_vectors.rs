//! The shared vectors of the scheme, all of them. They are not part of the repository: without them nothing is run.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use serde_json::Value as Json;
use sesslint::digest::{Canonicaliser, Framing, Operand, Pair, Source, comparable, entry_digest, log_digest};

fn vectors() -> Option<Json> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/conformance/digest/vectors.json");
    match std::fs::read(path) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).expect("vectors are JSON")),
        Err(_) => {
            eprintln!("skipped: no shared vectors beside the crate");
            None
        }
    }
}

fn texts(list: &Json) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|line| line.as_str().expect("a text")).collect()
}

fn rows<'a>(vectors: &'a Json, name: &str) -> &'a Vec<Json> {
    let rows = vectors[name].as_array().expect("a list");
    assert!(!rows.is_empty());
    rows
}

#[test]
fn values_and_logs() {
    let Some(vectors) = vectors() else { return };
    let mut canonicaliser = Canonicaliser::default();
    for row in rows(&vectors, "values") {
        let input = row["input"].as_str().expect("a text");
        let canonical = canonicaliser.read(input.as_bytes()).expect("a value");
        assert_eq!(
            str::from_utf8(canonical.bytes()),
            Ok(row["canonical"].as_str().expect("a text")),
            "{}",
            row["name"]
        );
        assert_eq!(entry_digest(input).expect("a value").to_string(), row["entry_digest"], "{}", row["name"]);
    }
    for row in rows(&vectors, "invalid") {
        assert!(entry_digest(row["input"].as_str().expect("a text")).is_err(), "{}", row["name"]);
    }
    for row in rows(&vectors, "logs") {
        let lines = texts(&row["lines"]);
        let entries: Vec<String> = lines.iter().map(|l| entry_digest(l).expect("a value").to_string()).collect();
        assert_eq!(entries, texts(&row["entry_digests"]), "{}", row["name"]);
        assert_eq!(log_digest(lines).expect("values").to_string(), row["log_digest"], "{}", row["name"]);
    }
}

#[test]
fn comparability() {
    let Some(vectors) = vectors() else { return };
    for row in rows(&vectors, "comparable") {
        let answer = comparable(row["a"].as_str(), row["b"].as_str());
        assert_eq!(answer.is_ok(), row["comparable"], "{}", row["name"]);
        assert_eq!(answer.err().map(|reason| reason.as_str()), row["reason"].as_str(), "{}", row["name"]);
    }
}

#[test]
fn relations() {
    let Some(vectors) = vectors() else { return };
    for row in rows(&vectors, "relations") {
        let side = |lines: &Json| {
            let text = texts(lines).iter().map(|line| format!("{line}\n")).collect::<String>();
            let source = Source::memory(text.into_bytes()).expect("memory");
            Operand::log("log".into(), source, Framing::Unknown).expect("memory")
        };
        let pair = Pair::of(&side(&row["a"]), &side(&row["b"])).expect("memory");
        assert_eq!(pair.a.digest.as_deref(), row["a_digest"].as_str(), "{}", row["name"]);
        assert_eq!(pair.b.digest.as_deref(), row["b_digest"].as_str(), "{}", row["name"]);
        let found = serde_json::to_value(&pair).expect("a document");
        for (name, expected) in row.as_object().expect("an object") {
            if !["name", "a", "b", "a_digest", "b_digest"].contains(&name.as_str()) {
                assert_eq!(&found[name], expected, "{} of {}", name, row["name"]);
            }
        }
    }
}
