//! Printed runs in a few events each, and what is said about them.

use super::FORMAT;
use crate::adapter::testing::{judge, score};

const START: &str = r#"{"type":"thread.started","thread_id":"t"}"#;
const TURN: &str = r#"{"type":"turn.started"}"#;
const END: &str = r#"{"type":"turn.completed","usage":{}}"#;
const FAILED: &str = r#"{"type":"turn.failed","error":{"message":"x"}}"#;

/// An item event from words: `+ID TYPE` begins, `-ID TYPE [rest]` completes, `~ID TYPE` updates; anything else as it is.
fn event(words: &str) -> String {
    let (phase, words) = match words.split_at(1) {
        ("+", rest) => ("started", rest),
        ("-", rest) => ("completed", rest),
        ("~", rest) => ("updated", rest),
        _ => return words.to_owned(),
    };
    let mut words = words.splitn(3, ' ');
    let (id, kind, rest) = (words.next().unwrap(), words.next().unwrap(), words.next());
    let rest =
        rest.unwrap_or(if phase == "completed" { r#""exit_code":0,"status":"completed""# } else { r#""status":"""# });
    format!(r#"{{"type":"item.{phase}","item":{{"id":"{id}","type":"{kind}",{rest}}}}}"#)
}

fn judge_words(rows: &[(&str, &[&str], &[&str])]) {
    for (title, words, expected) in rows {
        let lines: Vec<String> = words.iter().map(|w| event(w)).collect();
        judge(&FORMAT, &[(title, &lines.iter().map(String::as_str).collect::<Vec<_>>(), expected)]);
    }
}

#[test]
fn runs_and_their_ends() {
    let (begun, done) = ("+item_0 command_execution", "-item_0 command_execution");
    judge_words(&[
        ("a run", &[START, TURN, begun, done, "-item_1 agent_message", END], &[]),
        ("a failed one", &[START, TURN, r#"{"type":"error","message":"x"}"#, FAILED], &[]),
        ("configuration warnings", &[START, "-item_0 error", TURN, END], &[]),
        ("two runs count their items anew", &[START, TURN, begun, done, END, START, TURN, begun, done, END], &[]),
        ("no end", &[START, TURN, "-item_0 agent_message"], &["SL503 warning 3"]),
        ("only a beginning", &[START], &["SL503 warning 1"]),
        (
            "stopped while a command ran",
            &[START, TURN, begun, "-item_1 agent_message"],
            &["SL503 warning 4 [SL102 info 3 stopped]"],
        ),
        ("the first of two", &[START, TURN, begun, START, TURN, END], &["SL503 warning 3 [SL102 info 3 stopped]"]),
        ("open although it ended", &[START, TURN, begun, END], &["SL102 error 3"]),
        ("an open plan", &[START, TURN, "+item_0 todo_list", END], &[]),
        (
            "the beginning is missing",
            &["-item_7 command_execution", "-item_3 todo_list", END],
            &["SL302 warning 1 missing-beginning"],
        ),
    ]);
}

#[test]
fn items_and_their_halves() {
    let (begun, done) = ("+item_0 command_execution", "-item_0 command_execution");
    let lost = r#"-item_0 command_execution "exit_code":null,"status":"completed""#;
    judge_words(&[
        ("never begun", &[START, TURN, "-item_0 file_change", "-item_1 reasoning", "-item_2 web_search", END], &[]),
        ("a command that was never begun", &[START, TURN, done, END], &["SL101 error 3"]),
        ("completed twice", &[START, TURN, begun, done, done, END], &["SL104 error 5 identical-results"]),
        ("begun twice", &[START, TURN, begun, begun, done, END], &["SL103 error 4"]),
        ("abandoned", &[START, TURN, begun, lost, END], &["SL505 error 4"]),
        ("a call that never came back", &[START, TURN, "+item_0 mcp_tool_call", END], &["SL102 error 3"]),
        ("others between", &[START, TURN, begun, "+item_1 file_change", done, "-item_1 file_change", END], &[]),
        ("an event nobody knows", &[START, TURN, r#"{"type":"novel.event"}"#, END], &["SL302 info 3 unknown-type"]),
    ]);
}

#[test]
fn recognised_by_its_events_alone() {
    let rollout = r#"{"timestamp":"t","type":"event_msg","payload":{}}"#;
    for (text, expected) in [
        (START, 1.0),
        (&*event("-item_39 agent_message"), 1.0),
        (&*format!("{rollout}\n{START}"), 0.0),
        (r#"{"type":"session.start","data":{}}"#, 0.0),
    ] {
        assert_eq!(score(&FORMAT, text), expected, "{text}");
    }
}
