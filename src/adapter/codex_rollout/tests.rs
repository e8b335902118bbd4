//! Rollouts in a few lines each, and what is said about them.

use super::FORMAT;
use crate::adapter::testing::{judge, read, score};
use crate::model::Kind;

const META: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/p"}}"#;
const PAGED: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","ordinal":0,"type":"session_meta","payload":{"id":"s","cwd":"/p","history_mode":"paginated"}}"#;
const USER: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}"#;
const SAID: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}"#;
const CALL: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}}"#;
const OUTPUT: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"ok"}}"#;
const CUSTOM: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"x","call_id":"c1"}}"#;
const COMPACTED: &str = r#"{"timestamp":"t","type":"compacted","payload":{"message":"so far"}}"#;

fn numbered(ordinal: &str) -> String {
    format!(r#"{{"timestamp":"t","ordinal":{ordinal},"type":"event_msg","payload":{{"type":"token_count"}}}}"#)
}

#[test]
fn calls_and_outputs() {
    let open_search =
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_call","call_id":"s1"}}"#;
    let event = r#"{"timestamp":"t","type":"event_msg","payload":{"type":"exec_command_end","call_id":"c1"}}"#;
    judge(
        &FORMAT,
        &[
            ("a turn", &[META, USER, CALL, event, OUTPUT, SAID], &[]),
            ("a family of its own", &[META, USER, CUSTOM, event, SAID], &["SL102 error 3"]),
            ("open at the end", &[META, USER, CALL, event], &["SL102 warning 3 open-tail"]),
            ("open, then the model goes on", &[META, USER, CALL, SAID], &["SL102 error 3"]),
            ("an output alone", &[META, USER, OUTPUT], &["SL101 error 3"]),
            ("an output before its call", &[META, OUTPUT, CALL], &["SL105 error 2"]),
            ("two outputs", &[META, CALL, OUTPUT, OUTPUT], &["SL104 error 4 identical-results"]),
            ("one id twice", &[META, CALL, CALL, OUTPUT], &["SL103 error 3"]),
            ("much between", &[META, CALL, USER, SAID, OUTPUT], &[]),
            ("no answer is due", &[META, USER, open_search, SAID], &[]),
            ("split by a compaction", &[META, CALL, COMPACTED, OUTPUT], &["SL108 error 4"]),
            ("both before it", &[META, CALL, OUTPUT, COMPACTED], &[]),
        ],
    );
}

#[test]
fn turns_that_were_taken_back() {
    let back = |turns: &str| {
        let payload = format!(r#"{{"type":"thread_rolled_back","num_turns":{turns}}}"#);
        format!(r#"{{"timestamp":"t","type":"event_msg","payload":{payload}}}"#)
    };
    let (one, two, none, many) = (back("1"), back("2"), back("0"), back("99"));
    let marker = &USER.replace("go", "<turn_aborted>\\nstopped\\n</turn_aborted>");
    let kept = r#"{"timestamp":"t","type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}]}}"#;
    judge(
        &FORMAT,
        &[
            ("with an open call", &[META, USER, CALL, &one, USER, SAID], &[]),
            ("its output comes late", &[META, USER, CALL, &one, OUTPUT, USER, SAID], &[]),
            ("its call id is used again", &[META, USER, CALL, OUTPUT, &one, USER, CALL, OUTPUT, SAID], &[]),
            ("the one before stays", &[META, USER, CALL, USER, SAID, &one, USER, SAID], &["SL102 error 3"]),
            ("both", &[META, USER, CALL, USER, SAID, &two, USER, SAID], &[]),
            ("one after the other", &[META, USER, CALL, USER, SAID, &one, &one, USER, SAID], &[]),
            ("more than there are", &[META, USER, CALL, &many, USER, SAID], &[]),
            ("none", &[META, USER, CALL, &none, USER, SAID], &["SL102 error 3"]),
            ("what the program said is no turn", &[META, USER, CALL, marker, &one, USER, SAID], &[]),
            ("beyond a compaction", &[META, USER, SAID, kept, USER, SAID, &two, USER, SAID], &[]),
            ("not beyond a compaction", &[META, USER, SAID, kept, USER, SAID, &one, USER, SAID], &["SL102 error 4"]),
            (
                "a second output in the turn that follows",
                &[META, USER, CALL, OUTPUT, &one, USER, CALL, OUTPUT, OUTPUT, SAID],
                &["SL104 error 9 identical-results"],
            ),
        ],
    );
}

#[test]
fn what_the_loaders_drop_is_said_once() {
    let item = |payload: &str| format!(r#"{{"timestamp":"t","type":"response_item","payload":{payload}}}"#);
    let wrong_family = item(r#"{"type":"custom_tool_call_output","call_id":"c1","output":"x"}"#);
    let no_output = item(r#"{"type":"function_call_output","call_id":"c1","output":null}"#);
    let no_id = item(r#"{"type":"function_call","name":"f","arguments":"{}"}"#);
    let object = item(r#"{"type":"function_call","name":"f","arguments":{},"call_id":"c1"}"#);
    let no_content = item(r#"{"type":"message","role":"user","content":null}"#);
    judge(
        &FORMAT,
        &[
            ("output of another family", &[META, CALL, &wrong_family], &["SL302 error 3 dropped-record"]),
            ("no output", &[META, CALL, &no_output], &["SL302 error 3 dropped-record"]),
            ("no call id", &[META, &no_id, OUTPUT, SAID], &["SL302 error 2 dropped-record"]),
            ("arguments that are no text", &[META, &object, OUTPUT], &["SL302 error 2 dropped-record"]),
            ("no content", &[META, &no_content], &["SL302 error 2 dropped-record"]),
            ("no payload", &[META, r#"{"timestamp":"t","type":"turn_context"}"#], &["SL302 error 2 dropped-record"]),
            ("no time", &[META, r#"{"type":"turn_context","payload":{}}"#], &["SL302 error 2 dropped-record"]),
            (
                "types nobody knows, once each",
                &[
                    META,
                    r#"{"timestamp":"t","type":"novel","payload":{}}"#,
                    r#"{"timestamp":"t","type":"novel","payload":{}}"#,
                ],
                &["SL302 info 2 unknown-type"],
            ),
        ],
    );
}

#[test]
fn texts_that_the_loaders_cannot_read() {
    let twice = r#"{"timestamp":"t","type":"turn_context","type":"turn_context","payload":{}}"#;
    let half = r#"{"timestamp":"t","type":"event_msg","payload":{"message":"\ud83d"}}"#;
    judge(
        &FORMAT,
        &[
            ("a key twice, of which every version takes the last", &[META, twice], &["SL303 warning 2"]),
            ("half a surrogate", &[META, half], &["SL502 error 2"]),
            ("a mark at the start", &[&format!("\u{feff}{META}"), USER], &["SL001 error 1 byte-order-mark"]),
        ],
    );
}

#[test]
fn headers() {
    let no_cwd = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}"#;
    judge(
        &FORMAT,
        &[
            ("none", &[USER, SAID], &["SL001 error 1 missing-header"]),
            ("second", &[USER, META], &["SL001 error 1 missing-header"]),
            ("broken", &[&META[..40], USER], &["SL001 error 1 malformed-line"]),
            ("without a field that is needed", &[no_cwd, USER], &["SL302 error 1 refused-header"]),
            ("again", &[META, USER, META, SAID], &[]),
            (
                "again in a paginated log",
                &[PAGED, &numbered("1"), PAGED, &numbered("1")],
                &["SL514 error 3 second-header [SL506 warning 4 copied]"],
            ),
            (
                "again in the middle of a count",
                &[PAGED, &numbered("1"), PAGED, &numbered("2")],
                &["SL514 error 3 second-header"],
            ),
        ],
    );
}

#[test]
fn numbers() {
    let rows: &[(&[&str], &[&str])] = &[
        (&["1", "2"], &[]),
        (&["1", "7", "8"], &["SL506 warning 3"]),
        (&["2", "1", "3"], &["SL506 warning 2 [SL506 warning 3 repeated]"]),
        (&["1", "1", "2"], &["SL506 warning 3 copied"]),
        (&["1", "-1", "2"], &["SL506 error 3 unusable"]),
        (&["1", "null", "3"], &["SL506 warning 3 missing"]),
        (&["1", "null", "null"], &["SL506 error 4 missing-at-end [SL506 warning 3 missing]"]),
    ];
    for (ordinals, expected) in rows {
        let lines: Vec<String> = ordinals.iter().map(|n| numbered(n)).collect();
        let lines: Vec<&str> = std::iter::once(PAGED).chain(lines.iter().map(String::as_str)).collect();
        judge(&FORMAT, &[(&format!("{ordinals:?}"), &lines, expected)]);
    }
    let fork = [PAGED.replace(":0,", ":19,"), numbered("20")].join("\n");
    assert_eq!(read(&FORMAT, fork.as_bytes()).1, Vec::<String>::new());
    let torn = [PAGED, r#"{"timestamp":"t","ordinal":1,"ty"#, &numbered("1")].join("\n");
    assert_eq!(read(&FORMAT, torn.as_bytes()).1, ["SL001 error 2 malformed-line"]);
}

#[test]
fn a_missing_number_belongs_to_what_was_lost_with_it() {
    let at =
        |line: &str, ordinal: u32| line.replace("{\"timestamp\"", &format!("{{\"ordinal\":{ordinal},\"timestamp\""));
    judge(
        &FORMAT,
        &[
            ("an output", &[PAGED, &at(CALL, 1), &numbered("3"), &at(SAID, 4)], &["SL102 error 2 [SL506 warning 3]"]),
            ("a call", &[PAGED, &numbered("1"), &at(OUTPUT, 3), &at(SAID, 4)], &["SL101 error 3 [SL506 warning 3]"]),
            (
                "more than that",
                &[PAGED, &at(CALL, 1), &numbered("5"), &at(SAID, 6)],
                &["SL102 error 2", "SL506 warning 3"],
            ),
            (
                "something elsewhere",
                &[PAGED, &at(CALL, 1), &at(SAID, 2), &at(USER, 3), &numbered("5")],
                &["SL102 error 2", "SL506 warning 5"],
            ),
        ],
    );
}

#[test]
fn copies_are_sent_and_refused() {
    let with_id = |line: &str, ordinal: u32| {
        line.replace("{\"timestamp\"", &format!("{{\"ordinal\":{ordinal},\"timestamp\""))
            .replace("\"payload\":{", "\"payload\":{\"id\":\"i1\",")
    };
    judge(
        &FORMAT,
        &[
            (
                "a message",
                &[PAGED, &with_id(SAID, 1), &with_id(SAID, 1)],
                &["SL003 error 3 identical-duplicate [SL506 warning 3 copied]"],
            ),
            (
                "a call",
                &[
                    PAGED,
                    &with_id(CALL, 1),
                    &with_id(CALL, 1),
                    &OUTPUT.replace("{\"timestamp\"", "{\"ordinal\":2,\"timestamp\""),
                ],
                &["SL103 error 3 [SL003 error 3 identical-duplicate] [SL506 warning 3 copied]"],
            ),
            (
                "one id, two items",
                &[META, &with_id(SAID, 1), &with_id(USER, 2)],
                &["SL003 error 3 conflicting-duplicate"],
            ),
            ("without ids", &[META, SAID, SAID], &[]),
        ],
    );
}

#[test]
fn a_replacement_brings_calls_of_its_own_and_copies() {
    let replacing = r#"{"timestamp":"t","type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[]},{"type":"function_call","name":"f","arguments":"{}","call_id":"c1"},{"type":"function_call","name":"f","arguments":"{}","call_id":"c2"}]}}"#;
    judge(&FORMAT, &[("a copy is no second call", &[META, CALL, OUTPUT, replacing, SAID], &["SL102 error 4"])]);
}

#[test]
fn the_oldest_dialect_has_no_envelope() {
    let header = r#"{"id":"s","timestamp":"2025-05-01T00:00:00Z","instructions":null}"#;
    let call = r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}"#;
    let output = r#"{"type":"function_call_output","call_id":"c1","output":"ok"}"#;
    let text = [header, r#"{"record_type":"state"}"#, call, output].join("\n");
    let (session, findings) = read(&FORMAT, text.as_bytes());
    assert_eq!(findings, Vec::<String>::new());
    assert_eq!(session.events.iter().map(|e| e.kind).collect::<Vec<_>>(), [Kind::ToolCall, Kind::ToolResult]);
    assert_eq!(score(&FORMAT, &text), 0.9);
}

#[test]
fn recognised_by_its_envelope_alone() {
    for (text, expected) in [
        (META, 1.0),
        (USER, 1.0),
        (r#"{"type":"thread.started","thread_id":"t"}"#, 0.0),
        (r#"{"type":"message","payload":{}}"#, 0.0),
        (r#"{"type":"session_meta","payload":"session_meta"}"#, 0.0),
    ] {
        assert_eq!(score(&FORMAT, text), expected, "{text}");
    }
}
