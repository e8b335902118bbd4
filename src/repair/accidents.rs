//! Tests: accidents that happen to whole logs, in rows of what is damaged, what mends it, and at what price.
#![allow(clippy::unwrap_used)]

use super::Policy;
use super::tests::{Bed, output, record};

const META: &str =
    r#"{"timestamp":"t","ordinal":0,"type":"session_meta","payload":{"id":"s","cwd":"/p","history_mode":"paginated"}}"#;
const OLD: &str = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/p"}}"#;
const USER: &str =
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}"#;
const CALL: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"f","arguments":"{}","call_id":"c1"}}"#;
const OUTPUT: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"ok"}}"#;

fn numbered(ordinal: u32) -> String {
    format!(r#"{{"timestamp":"t","ordinal":{ordinal},"type":"event_msg","payload":{{"type":"token_count"}}}}"#)
}

fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The damaged log becomes the mended one, with this loss, under the policy and under no milder one; and that is proven.
fn mends(title: &str, damaged: &str, mended: &str, policy: Policy, loss: &[&str]) {
    let bed = Bed::new(damaged.as_bytes());
    if policy == Policy::Salvage {
        let untouched = bed.prepare(Policy::Conservative).is_ok_and(|prepared| output(&prepared) == mended);
        assert!(!untouched, "{title}");
    }
    let prepared = bed.prepare(policy).unwrap_or_else(|error| panic!("{title}: {error}"));
    assert_eq!(output(&prepared), mended, "{title}");
    assert_eq!(prepared.manifest()["declared_loss"], serde_json::json!(loss), "{title}");
    let to = bed.write(&prepared);
    assert!(bed.verify(&to, policy).ok(), "{title}");
}

#[test]
fn logs_that_were_joined() {
    let (u1, a2, u3) = (record("u1", &["go"]), record("a2<u1", &["one"]), record("u3<a2", &["two"]));
    let copy = |record: &str| record.replace(r#""sessionId":"s""#, r#""sessionId":"t""#).replace("T10", "T11");
    let on = copy(&record("u4<a2", &["three"]));
    mends(
        "a fork behind the log that it copied",
        &lines(&[&u1, &a2, &u3, &copy(&u1), &copy(&a2), &on]),
        &lines(&[&u1, &a2, &u3, &on]),
        Policy::Salvage,
        &["stamp:1", "stamp:1"],
    );
    let (n1, n2, n3) = (numbered(1), numbered(2), numbered(3));
    mends(
        "a backup behind the log",
        &lines(&[META, &n1, &n2, META, &n1, &n2, &n3]),
        &lines(&[META, &n1, &n2, &n3]),
        Policy::Salvage,
        &[],
    );
    mends(
        "records stored again",
        &lines(&[META, &n1, &n2, &n1, &n2, &n3]),
        &lines(&[META, &n1, &n2, &n3]),
        Policy::Conservative,
        &[],
    );
}

#[test]
fn logs_that_went_through_an_editor() {
    let (u1, a2, u3) = (record("u1", &["go"]), record("a2<u1", &["one"]), record("u3<a2", &["two"]));
    let laid_out = a2.replacen('{', "{\r\n  ", 1).replace(",\"", ",\n\n    \"");
    mends(
        "a record laid out over several lines",
        &lines(&[&u1, &laid_out, &u3]),
        &lines(&[&u1, &a2, &u3]),
        Policy::Conservative,
        &[],
    );
    mends(
        "a byte order mark",
        &("\u{FEFF}".to_owned() + &lines(&[OLD, USER])),
        &lines(&[OLD, USER]),
        Policy::Conservative,
        &[],
    );
}

#[test]
fn an_output_before_its_call_moves_behind_it() {
    mends(
        "at once",
        &lines(&[OLD, USER, OUTPUT, CALL, USER]),
        &lines(&[OLD, USER, CALL, OUTPUT, USER]),
        Policy::Salvage,
        &[],
    );
    let (other_call, other_output) = (CALL.replace("c1", "c2"), OUTPUT.replace("c1", "c2"));
    mends(
        "among parallel calls",
        &lines(&[OLD, OUTPUT, USER, CALL, &other_call, &other_output, USER]),
        &lines(&[OLD, USER, CALL, OUTPUT, &other_call, &other_output, USER]),
        Policy::Salvage,
        &[],
    );
}

#[test]
fn a_call_moves_over_a_compaction_to_its_output() {
    let compacted = r#"{"timestamp":"t","type":"compacted","payload":{"message":"so far"}}"#;
    let other_call = CALL.replace("c1", "c2");
    let other_output = OUTPUT.replace("c1", "c2");
    mends(
        "two calls, and talk in between",
        &lines(&[OLD, USER, CALL, &other_call, compacted, USER, OUTPUT, &other_output]),
        &lines(&[OLD, USER, compacted, CALL, &other_call, USER, OUTPUT, &other_output]),
        Policy::Salvage,
        &[],
    );
}
