//! Printed runs in a few records each, and what is said about them.

use super::FORMAT;
use crate::adapter::testing::{judge, score};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s","uuid":"u-init","tools":[]}"#;
const END: &str =
    r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","uuid":"u-end"}"#;

/// A record from words: `call uuid key [caller]`, `result uuid key`, `said uuid`, `piece uuid type [message]`,
/// `system uuid subtype`; anything else as it is.
fn record(words: &str) -> String {
    let w: Vec<&str> = words.split(' ').collect();
    let caller = w.get(3).map_or("null".to_owned(), |caller| format!("\"{caller}\""));
    let envelope = |uuid: &str| format!(r#""parent_tool_use_id":{caller},"session_id":"s","uuid":"{uuid}""#);
    match w[0] {
        "call" => format!(
            r#"{{"type":"assistant","message":{{"id":"m","content":[{{"type":"tool_use","id":"{}","name":"Bash","input":{{}}}}]}},{}}}"#,
            w[2],
            envelope(w[1])
        ),
        "result" => format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{}","content":"ok"}}]}},{}}}"#,
            w[2],
            envelope(w[1])
        ),
        "said" => format!(
            r#"{{"type":"assistant","message":{{"id":"m","content":[{{"type":"text","text":"x"}}]}},{}}}"#,
            envelope(w[1])
        ),
        "piece" => format!(
            r#"{{"type":"stream_event","event":{{"type":"{}","message":{{"id":"m"}}}},"session_id":"s","parent_tool_use_id":null,"uuid":"{}"}}"#,
            w[2], w[1]
        ),
        "system" => format!(r#"{{"type":"system","subtype":"{}","session_id":"s","uuid":"{}"}}"#, w[2], w[1]),
        _ => words.to_owned(),
    }
}

fn judge_words(rows: &[(&str, &[&str], &[&str])]) {
    for (title, words, expected) in rows {
        let lines: Vec<String> = words.iter().map(|w| record(w)).collect();
        judge(&FORMAT, &[(title, &lines.iter().map(String::as_str).collect::<Vec<_>>(), expected)]);
    }
}

#[test]
fn runs_and_their_ends() {
    judge_words(&[
        ("a run", &[INIT, "call a k", "result b k", "said c", END], &[]),
        ("a hook before it, a note behind it", &["system h hook_started", INIT, "said c", END, "system n note"], &[]),
        ("two turns", &[INIT, "said a", END, &INIT.replace("u-init", "v"), "said b", &END.replace("u-end", "w")], &[]),
        ("no end", &[INIT, "said a"], &["SL503 warning 2"]),
        ("killed at the start", &["system h hook_started", INIT], &["SL503 warning 2"]),
        (
            "open when it stopped",
            &[INIT, "call a k", "call b l", "result c k"],
            &["SL503 warning 4 [SL102 info 3 stopped]"],
        ),
        ("open although it ended", &[INIT, "call a k", END], &["SL102 error 2"]),
        (
            "the second of two has no end",
            &[INIT, "said a", END, &INIT.replace("u-init", "v"), "call b k"],
            &["SL503 warning 5 [SL102 info 5 stopped]"],
        ),
        ("two ends", &[INIT, "said a", END, &END.replace("u-end", "w")], &["SL503 warning 4 extra-end"]),
        (
            "lines of another program",
            &["npm warn", INIT, "42", "said a", "done?", END],
            &["SL001 warning 1 foreign-lines"],
        ),
        ("a record that was cut", &[INIT, r#"{"type":"assist"#, "said a", END], &["SL001 error 2 malformed-line"]),
        ("the end alone", &[END], &[]),
        ("the beginning is missing", &["result a k", "said b", END], &["SL302 warning 1 missing-beginning"]),
    ]);
}

#[test]
fn calls_results_and_ids() {
    judge_words(&[
        ("a result alone", &[INIT, "result a k", END], &["SL101 error 2"]),
        ("answered twice", &[INIT, "call a k", "result b k", "result c k", END], &["SL104 error 4 identical-results"]),
        ("one id twice", &[INIT, "call a k", "call b k", "result c k", END], &["SL103 error 3"]),
        ("a record twice", &[INIT, "said a", "said a", END], &["SL003 warning 3 identical-duplicate"]),
        (
            "one id, two records",
            &[INIT, "said a", "call a k", "result b k", END],
            &["SL003 error 3 conflicting-duplicate"],
        ),
        ("a sub-agent", &[INIT, "call a k", "call b l k", "result c l k", "result d k", END], &[]),
        (
            "a sub-agent whose call was lost",
            &[INIT, "call b l k", "result c l k", "result d k", END],
            &["SL004 error 2 unknown-caller [SL004 error 3 unknown-caller] [SL101 error 4]"],
        ),
        (
            "a sub-agent of nobody",
            &[INIT, "call b l k", "result c l k", END],
            &["SL004 error 2 unknown-caller [SL004 error 3 unknown-caller]"],
        ),
    ]);
}

#[test]
fn messages_in_pieces() {
    let start = ["piece p message_start", "piece q content_block_start"];
    judge_words(&[
        ("whole", &[INIT, start[0], start[1], "said a", "piece r message_stop", END], &[]),
        ("broken off", &[INIT, start[0], start[1], END], &["SL504 warning 2 unfinished"]),
        ("never whole", &[INIT, start[0], start[1], "piece r message_stop", END], &["SL504 warning 2 without-final"]),
        ("without a block", &[INIT, start[0], "piece r message_stop", END], &[]),
        ("when the run stopped", &[INIT, start[0], start[1]], &["SL504 info 2 unfinished", "SL503 warning 3"]),
    ]);
}

#[test]
fn recognised_by_its_envelope_alone() {
    let disk = r#"{"type":"assistant","message":{},"sessionId":"s","uuid":"u","parentUuid":null}"#;
    let lookalike = r#"{"type":"tool_call","subtype":"started","call_id":"c","session_id":"s","timestamp_ms":1}"#;
    for (text, expected) in [
        (INIT, 1.0),
        (END, 1.0),
        (&*format!("[\n  {INIT},\n  {END}\n]"), 1.0),
        (disk, 0.0),
        (&*format!("{END}\n{lookalike}"), 0.0),
        (r#"{"type":"init","session_id":"s","model":"m"}"#, 0.0),
        (r#"{"type":"result","status":"success","stats":{}}"#, 0.0),
    ] {
        assert_eq!(score(&FORMAT, text), expected, "{text}");
    }
}
