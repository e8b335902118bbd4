//! Claude Code logs in a few lines each, and what is said about them.

use super::FORMAT;
use crate::adapter::testing::{judge, read, score};

const USER: &str = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"go"},"uuid":"u1","timestamp":"2026-03-01T10:00:00.000Z"}"#;
const SAID: &str = r#"{"parentUuid":"u1","isSidechain":false,"sessionId":"s","type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"done"}]},"uuid":"a1","timestamp":"2026-03-01T10:00:01.000Z"}"#;
const CALL: &str = r#"{"parentUuid":"u1","isSidechain":false,"sessionId":"s","type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]},"uuid":"a2","timestamp":"2026-03-01T10:00:02.000Z"}"#;
const RESULT: &str = r#"{"parentUuid":"a2","isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"uuid":"u2","timestamp":"2026-03-01T10:00:03.000Z"}"#;

#[test]
fn copies_that_were_stamped_anew_say_the_same() {
    let later = &USER.replace(r#""sessionId":"s""#, r#""sessionId":"t""#).replace("10:00:00", "11:00:00");
    let spaced = &SAID.replace("\":", "\": ");
    let other = &SAID.replace("done", "gone");
    judge(
        &FORMAT,
        &[
            ("byte for byte", &[USER, SAID, SAID], &["SL003 warning 3 identical-duplicate"]),
            ("for another session", &[USER, SAID, later], &["SL003 warning 3 restamped-copy"]),
            ("spelled in another way", &[USER, SAID, spaced], &["SL003 warning 3 restamped-copy"]),
            (
                "once of each kind",
                &[USER, USER, SAID, later],
                &["SL003 warning 2 restamped-copy [SL003 warning 4 restamped-copy]"],
            ),
            ("with another text", &[USER, SAID, other], &["SL003 error 3 conflicting-duplicate"]),
            (
                "with another parent",
                &[USER, SAID, &SAID.replace(r#":"u1""#, ":null")],
                &["SL003 error 3 conflicting-duplicate"],
            ),
            (
                "a call and its result",
                &[USER, CALL, RESULT, CALL, RESULT],
                &["SL003 warning 4 identical-duplicate", "SL003 warning 5 identical-duplicate"],
            ),
        ],
    );
}

#[test]
fn a_record_on_several_lines_is_one_finding_and_is_read() {
    let spread = CALL.replace(",\"", ",\n  \"").replacen('{', "{\n  ", 1).replace("}}\n", "}\n}\n");
    let count = spread.lines().count();
    let (_, found) = read(&FORMAT, [USER, "\n", &spread, "\n", RESULT, "\n"].concat().as_bytes());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("SL001 error 2 spread-record [SL001 error 3 spread-record]"), "{found:?}");
    assert_eq!(found[0].matches("spread-record").count(), count, "{found:?}");
    judge(
        &FORMAT,
        &[
            (
                "no record",
                &[USER, "{", "words", SAID],
                &["SL001 error 2 malformed-line", "SL001 error 3 malformed-line"],
            ),
            (
                "a cut one before it",
                &[USER, r#"{"parentUuid":"u1","#, "{", r#""type":"mode""#, "}", SAID],
                &[
                    "SL001 error 2 malformed-line",
                    "SL001 error 3 spread-record [SL001 error 4 spread-record] [SL001 error 5 spread-record]",
                ],
            ),
        ],
    );
}

#[test]
fn recognised_although_every_record_is_laid_out() {
    let laid_out = |record: &str| record.replacen('{', "{\n ", 1).trim_end_matches('}').to_owned() + "\n}\n";
    let laid_out_twice = laid_out(r#"{"sessionId":"s","type":"mode"}"#) + &laid_out(USER.trim_end_matches('}')) + SAID;
    assert!(score(&FORMAT, &laid_out_twice) >= 0.8, "{laid_out_twice}");
    assert_eq!(score(&FORMAT, "{\n \"sessionId\": \"s\"\n}\n{\n \"a\": 1\n}\n"), 0.0);
}
