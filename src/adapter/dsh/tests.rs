//! Logs in a few events each, and what is said about them.

use super::FORMAT;
use crate::adapter::testing::{judge, read, score};
use crate::model::Kind;

const HEAD: &str = r#"{"type":"session","version":0,"id":"s","createdAt":1785000000000}"#;

/// A line from words: `seq type` with `data` as the rest; anything else as it is.
fn line(words: &str) -> String {
    let mut parts = words.splitn(3, ' ');
    let (seq, kind, data) = (parts.next().unwrap(), parts.next(), parts.next().unwrap_or("{}"));
    match (seq.parse::<i64>(), kind) {
        (Ok(seq), Some(kind)) => format!(r#"{{"type":"{kind}","seq":{seq},"time":1785000000000,"data":{data}}}"#),
        _ => words.to_owned(),
    }
}

fn judge_words(rows: &[(&str, &[&str], &[&str])]) {
    for (title, words, expected) in rows {
        let lines: Vec<String> = std::iter::once(HEAD.to_owned()).chain(words.iter().map(|w| line(w))).collect();
        judge(&FORMAT, &[(title, &lines.iter().map(String::as_str).collect::<Vec<_>>(), expected)]);
    }
}

const ASKS: &str =
    r#"0 assistant/message {"message":{"content":[{"type":"tool-call","id":"c","name":"bash","arguments":"{}"}]}}"#;
const CALL: &str = r#"1 tool/call {"callId":"c","name":"bash","arguments":"{}"}"#;
const RESULT: &str = r#"2 tool/result {"message":{"content":[{"toolCallId":"c","isError":false}]}}"#;

#[test]
fn calls_and_results() {
    let user = r#"2 user/message {"content":[],"source":{"kind":"user"}}"#;
    let plugin = r#"2 user/message {"content":[],"source":{"kind":"plugin"}}"#;
    judge_words(&[
        ("asked for, begun, answered", &[ASKS, CALL, RESULT], &[]),
        ("older results", &[ASKS, CALL, r#"2 tool/result {"message":{"toolCallId":"c"}}"#], &[]),
        ("open at the end", &[ASKS, CALL, plugin], &["SL102 warning 3 open-tail"]),
        ("open, then the user goes on", &[ASKS, CALL, user], &["SL102 error 3"]),
        ("never begun", &[ASKS, "1 step/end", user], &["SL102 error 2"]),
        ("answered without a beginning", &[ASKS, &RESULT.replace('2', "1")], &[]),
        ("a result alone", &[&RESULT.replacen('2', "0", 1)], &["SL101 error 2"]),
        ("a call without id", &[r#"0 tool/call {"name":"x"}"#], &["SL102 error 2 no-id"]),
        ("a result without id", &["0 tool/result {}"], &["SL101 error 2 no-id"]),
    ]);
}

#[test]
fn numbers() {
    let packed = r#"{"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1,1],"texts":["a","b","c"]}}"#;
    judge_words(&[
        ("packed rows stand for many", &[packed, "3 step/end"], &[]),
        ("a gap", &["0 step/start", "4 step/end"], &["SL004 error 3 sequence-gap"]),
        (
            "a gap that a broken line explains",
            &["0 step/start", "{\"type\":\"st", "2 step/end"],
            &["SL001 error 3 unparsable-line"],
        ),
        ("late", &["0 step/start", "2 step/end", "1 step/start"], &["SL004 error 3 sequence-gap", "SL507 warning 4"]),
        ("the same line twice", &["0 step/start", "0 step/start"], &["SL003 warning 3 identical-duplicate"]),
        ("another event under one number", &["0 step/start", "0 step/end"], &["SL003 error 3 conflicting-duplicate"]),
        ("pieces twice", &[packed, packed], &["SL507 warning 3 repeated"]),
        ("an event under a piece's number", &[packed, "2 step/end", "3 step/end"], &["SL507 warning 3 repeated"]),
        ("a piece under an event's number", &["0 step/start", "0 assistant/chunk"], &["SL507 warning 3 repeated"]),
        ("no record", &["0 step/start", r#"{"type":"x"}"#, "1 step/end"], &["SL001 error 3 not-a-record"]),
        ("an empty line", &["0 step/start", "", "1 step/end"], &["SL001 error 3 empty-line"]),
    ]);
}

#[test]
fn types_turns_and_streams() {
    let loops = format!(
        r#"{{"type":"text-chunks","seq0":0,"time0":1,"data":{{"turn":1,"step":1,"index":0,"dt":[{}],"texts":[{}]}}}}"#,
        ["0"; 19].join(","),
        [r#""x""#; 20].join(",")
    );
    let hint = r#"{"type":"my/hint","seq":0,"time":1,"data":{},"ignorable":true}"#;
    let blank = r#"0 assistant/message {"message":{"content":[{"type":"text","text":" \n"}]}}"#;
    judge_words(&[
        ("a type nobody knows", &["0 my/metric"], &["SL302 error 2"]),
        ("one that may be skipped", &[hint], &[]),
        ("an open turn", &[r#"0 turn/start {"turn":1}"#, "1 step/start"], &["SL508 info 2"]),
        ("a turn", &[r#"0 turn/start {"turn":1}"#, r#"1 turn/end {"turn":1}"#], &[]),
        ("a model in a loop", &[&loops], &["SL509 warning 2"]),
        ("a blank text", &[blank], &["SL501 warning 2 blank"]),
    ]);
}

#[test]
fn headers() {
    let start = line("0 step/start");
    judge(
        &FORMAT,
        &[
            ("alone", &[HEAD], &[]),
            ("none", &[&start], &["SL001 error 1 missing-header"]),
            ("broken", &[&HEAD[..20], &start], &["SL001 error 1 unparsable-line"]),
            ("of another generation", &[&HEAD.replace(":0", ":3"), &start], &["SL301 error 1"]),
            ("behind a mark", &[&format!("\u{feff}{HEAD}"), &start], &["SL001 error 1 byte-order-mark"]),
        ],
    );
}

#[test]
fn events_are_a_chain_of_what_is_kept() {
    let lines = [HEAD, &line(ASKS), &line(CALL), &line(RESULT)].join("\n");
    let (session, _) = read(&FORMAT, lines.as_bytes());
    let kinds: Vec<_> = session.events.iter().map(|e| (e.kind, session.text(e.id), session.text(e.parent))).collect();
    assert_eq!(
        kinds,
        [(Kind::Message, "seq:0", ""), (Kind::ToolCall, "seq:1", "seq:0"), (Kind::ToolResult, "seq:2", "seq:1")]
    );
}

#[test]
fn recognised_by_header_or_numbered_events() {
    let pi = r#"{"type":"session","version":3,"id":"s","timestamp":"t"}"#;
    for (text, expected) in [(HEAD, 1.0), (&*line("7 step/start"), 1.0), (pi, 0.0)] {
        assert_eq!(score(&FORMAT, text), expected, "{text}");
    }
}
