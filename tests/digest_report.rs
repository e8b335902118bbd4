//! What people and programs read of a digest or a comparison. Ids and names of fields, never values.

use sesslint::digest::{Framing, Operand, Pair, Single, Source};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"t","cwd":"/w"}"#;

fn entry(id: &str, text: &str) -> String {
    format!("{{\"type\":\"message\",\"id\":\"{id}\",\"timestamp\":\"t\",\"message\":{{\"content\":\"{text}\"}}}}")
}

fn log(path: &str, entries: &[String]) -> Operand {
    let text = format!("{HEADER}\n{}\n", entries.join("\n"));
    let source = Source::memory(text.into_bytes()).expect("memory can be read");
    Operand::log(path.into(), source, Framing::Unknown).expect("memory can be read")
}

fn tides() -> Vec<String> {
    ["ebb", "flood", "slack", "spring"].map(|id| entry(id, id)).into()
}

fn text(a: &Operand, b: &Operand) -> String {
    let mut out = Vec::new();
    Pair::of(a, b).expect("memory can be read").write_text(&mut out).expect("memory can be written");
    String::from_utf8(out).expect("text")
}

#[test]
fn one_log() {
    let mut out = Vec::new();
    let single = Single::of(&log("tides.jsonl", &tides()[..2]), true).expect("memory can be read");
    single.write_text(&mut out).expect("memory can be written");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"));
    let single = Single::of(&log("tides.jsonl", &["1".into()]), true).expect("memory can be read");
    insta::assert_snapshot!(serde_json::to_string_pretty(&single).expect("a document"));
}

#[test]
fn one_continues_the_other() {
    let (long, short) = (log("laptop.jsonl", &tides()), log("backup.jsonl", &tides()[..3]));
    insta::assert_snapshot!(text(&long, &short));
    insta::assert_snapshot!(text(&short, &long));
    insta::assert_snapshot!(text(&short, &short));
}

#[test]
fn logs_with_a_torn_end_are_identical_only_up_to_there() {
    let torn = format!("{HEADER}\n{}\n{{\"id\":\"slack", tides()[..2].join("\n"));
    let source = Source::memory(torn.into_bytes()).expect("memory can be read");
    let torn = Operand::log("backup.jsonl".into(), source, Framing::Unknown).expect("memory can be read");
    insta::assert_snapshot!(text(&log("laptop.jsonl", &tides()[..2]), &torn));
}

#[test]
fn ids_agree_and_content_does_not() {
    let (a, mut corrected) = (tides(), tides());
    corrected[1] = entry("flood", "corrected").replace("\"timestamp\":\"t\"", "\"stamp\":1,\"label\":null");
    corrected.pop();
    insta::assert_snapshot!(text(&log("laptop.jsonl", &a), &log("server.jsonl", &corrected)));
    let pair = Pair::of(&log("laptop.jsonl", &a), &log("server.jsonl", &corrected)).expect("memory can be read");
    insta::assert_snapshot!(serde_json::to_string_pretty(&pair).expect("a document"));
}

#[test]
fn everything_at_once() {
    let many: Vec<String> = (0..9).map(|n| entry(&format!("a{n}"), "x")).collect();
    let mut a = tides();
    a.extend(many);
    a.push(entry("ebb", "again"));
    let mut b = tides();
    b.swap(2, 3);
    b[0] = entry("ebb", "other");
    b.push("{\"id\":\"neap\"".into());
    b.push("7".into());
    b[4] += "}";
    insta::assert_snapshot!(text(&log("laptop.jsonl", &a), &log("server.jsonl", &b)));
    b.rotate_left(1);
    b.truncate(3);
    insta::assert_snapshot!(text(&log("x", &b), &log("y", &[b[1].clone(), b[0].clone(), b[2].clone()])));
}

#[test]
fn what_cannot_be_compared() {
    let good = log("laptop.jsonl", &tides());
    let bad = log("server.jsonl", &["{\"cut".into(), entry("ebb", "ebb")]);
    insta::assert_snapshot!(text(&good, &bad));
    let digest = |scheme: &str| Operand::Digest(Some(format!("{scheme}:sha256:{}", "7".repeat(64))));
    insta::assert_snapshot!(text(&good, &digest("sema-log-v3")));
    insta::assert_snapshot!(text(&good, &digest("mail@example.com")));
    for (a, b, relationship, reason) in [
        (&good, &digest("sesslint-log-v1"), "different", None),
        (&digest("sema-log-v3"), &digest("sema-log-v3"), "identical", None),
        (&digest("sema-log-v3"), &digest("sesslint-log-v1"), "not-comparable", Some("scheme-mismatch")),
        (&digest("sema-log-v2"), &digest("sema-log-v2"), "not-comparable", Some("unknown-scheme")),
        (&digest("sema-log-v2"), &good, "not-comparable", Some("unknown-scheme")),
        (&digest("SEMA-log-v3"), &good, "not-comparable", Some("malformed")),
        (&digest("two words"), &digest("sema-log-v2"), "not-comparable", Some("malformed")),
        (&good, &Operand::Digest(None), "not-comparable", Some("absent")),
        (&bad, &good, "not-comparable", Some("unreadable-entry")),
        (&bad, &digest("sesslint-log-v1"), "not-comparable", Some("unreadable-entry")),
    ] {
        let pair = Pair::of(a, b).expect("memory can be read");
        assert_eq!((pair.relationship.as_str(), pair.reason), (relationship, reason));
        assert_eq!((pair.common_prefix, pair.changed, pair.id_relationship), (None, None, None));
    }
}

#[test]
fn a_digest_string_of_the_log_itself_is_identical() {
    let tides = log("laptop.jsonl", &tides());
    let digest = Single::of(&tides, false).expect("memory can be read").a.digest.expect("a digest");
    let pair = Pair::of(&Operand::Digest(Some(digest)), &tides).expect("memory can be read");
    assert_eq!(pair.relationship.as_str(), "identical");
}

#[test]
fn values_and_unsafe_ids_stay_out() {
    let secret = "kiss me at midnight";
    let long = "i".repeat(300);
    let entries = [
        entry("line\\nfeed", secret),
        entry("half\\ud800", secret),
        entry(&long, secret),
        format!("{{\"id\":\"f\",\"field\\u001b[31m\":\"{secret}\",\"{long}\":1,\"\u{e000}\":1,\"\u{1f600}\":1}}"),
    ];
    let a = log("a\u{1b}[31m.jsonl", &entries);
    let b = log("b.jsonl", &entries.map(|e| e.replace(secret, "no").replace("},", "}").replace(":1", ":2")));
    let pair = Pair::of(&a, &b).expect("memory can be read");
    let shown = text(&a, &b) + &serde_json::to_string(&pair).expect("a document");
    for hidden in ["midnight", "\u{1b}", "\\u001b", "feed", "half", "iii"] {
        assert!(!shown.contains(hidden), "{hidden} in {shown}");
    }
    let changed = pair.changed.expect("both logs are at hand");
    assert_eq!(changed.len(), 4);
    assert!(changed[..3].iter().all(|c| c.id.starts_with("<masked:") && c.fields == ["message"]));
    // Names come in the order of their code units: escape, letters, pair, private use.
    let names: Vec<&str> = changed[3].fields.iter().map(|name| name.split(':').next().expect("a part")).collect();
    assert_eq!(names, ["<masked", "<masked", "\u{1f600}", "\u{e000}"]);
}
