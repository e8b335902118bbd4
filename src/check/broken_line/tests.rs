//! Tests: what follows from a broken line and what does not.
//!
//! A line is an event (`kind id parent key message`), or behind `!` the text of a broken one.

use std::ops::Range;

use super::tie;
use crate::check::framing::SL001;
use crate::check::testing::{Build, FLAT, FOREST, outline};
use crate::finding::{Finding, Location, Severity, Stage};
use crate::model::Conventions;
use crate::rule::profile::NEUTRAL;

/// Title, lines, findings.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const WIDTH: u64 = 100;

fn place(line: usize) -> Range<u64> {
    line as u64 * WIDTH..(line as u64 + 1) * WIDTH
}

fn broken(line: usize, severity: Severity) -> Finding {
    let Range { start, end } = place(line);
    let line = Some(line as u64 + 1);
    let location = Location { line, byte_start: Some(start), byte_end: Some(end), ..Location::default() };
    Finding { variant: "malformed-line", location, severity, ..Finding::new(&SL001, Stage::Reading) }
}

fn tied(conventions: Conventions, lines: &[&str], severity: Severity) -> Vec<String> {
    let (mut events, mut places, mut reading, mut text) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, line) in lines.iter().enumerate() {
        match line.strip_prefix('!') {
            Some(raw) => {
                reading.push(broken(number, severity));
                text.extend_from_slice(raw.as_bytes());
            }
            None => {
                events.push(*line);
                places.push(number);
            }
        }
        text.resize(place(number).end as usize, b' ');
    }
    let mut build = Build::new(conventions).add_all(&events);
    for (row, line) in build.session.records.iter_mut().zip(places) {
        (row.offset, row.len, row.line) = (place(line).start, WIDTH, line as u64 + 1);
    }
    let (session, checked) = build.judged(&NEUTRAL, "session.jsonl");
    let raw = |range: Range<u64>| Some(text[range.start as usize..range.end as usize].to_vec());
    tie(&session, reading, checked, &raw).iter().map(outline).collect()
}

fn judge(conventions: Conventions, cases: &[Case]) {
    for (title, lines, expected) in cases {
        assert_eq!(tied(conventions, lines, Severity::Error), *expected, "{title}");
    }
}

#[test]
fn lost_parents() {
    judge(
        FOREST,
        &[
            ("nothing was lost with it", &["user a", "!words", "user b a"], &["SL001 error 2 malformed-line"]),
            (
                "the damage is in the parent's id",
                &["user a", "!{\"id\":\"0123\u{0}\u{0}6789\",\"parent\":\"a\"}", "user m a", "user c 0123456789"],
                &["SL001 error 2 malformed-line [SL004 error 4] [SL006 warning 4] [SL007 warning 4]"],
            ),
            (
                "the damage is in another id",
                &["user a", "!{\"id\":\"0123\u{0}\u{0}6789\",\"parent\":\"a\"}", "user m a", "user c 0123456780"],
                &["SL001 error 2 malformed-line", "SL004 error 4 [SL006 warning 4] [SL007 warning 4]"],
            ),
            (
                "the parent's id is still there, however far away its child stands",
                &[
                    "user a",
                    "!{\"id\":\"b\",\"pa",
                    "user m a",
                    "user n m",
                    "user o n",
                    "user p o",
                    "user q p",
                    "user r q",
                    "user s r",
                    "user t s",
                    "user u t",
                    "user c b",
                ],
                &["SL001 error 2 malformed-line [SL004 error 12] [SL006 warning 12] [SL007 warning 12]"],
            ),
            (
                "another record's id is there: the parent was lost elsewhere",
                &["user a", "!{\"id\":\"x\",\"pa", "user c b"],
                &["SL001 error 2 malformed-line", "SL004 error 3 [SL006 warning 3] [SL007 warning 1]"],
            ),
            (
                "what it hung on was lost elsewhere",
                &["user a", "!{\"id\":\"x\",\"parentId\":\"b\",", "user c b"],
                &["SL001 error 2 malformed-line", "SL004 error 3 [SL006 warning 3] [SL007 warning 1]"],
            ),
            (
                "cut before its id: the next record that misses its parent hung on it, and so did its siblings",
                &["user a", "!{\"ty", "user c b", "user d b"],
                &[
                    "SL001 error 2 malformed-line [SL004 error 3] [SL006 warning 3] [SL007 warning 1] [SL004 error 4] [SL006 warning 4]",
                ],
            ),
            (
                "one line was one record",
                &["user a", "!{\"ty", "user c b", "user e d"],
                &[
                    "SL001 error 2 malformed-line [SL004 error 3] [SL006 warning 3] [SL007 warning 1]",
                    "SL004 error 4 [SL006 warning 4]",
                ],
            ),
            (
                "two lines were two records, the nearer one the parent",
                &["user a", "!{\"ty", "!{\"ty", "user c b"],
                &[
                    "SL001 error 2 malformed-line",
                    "SL001 error 3 malformed-line [SL004 error 4] [SL006 warning 4] [SL007 warning 1]",
                ],
            ),
            (
                "records in between hang elsewhere",
                &["user a", "!{\"ty", "user m a", "user n a", "user c b"],
                &["SL001 error 2 malformed-line [SL004 error 5] [SL006 warning 5]"],
            ),
            (
                "too far away",
                &[
                    "user a", "!{\"ty", "user m a", "user n m", "user o n", "user p o", "user q p", "user r q",
                    "user s r", "user t s", "user c b",
                ],
                &["SL001 error 2 malformed-line", "SL004 error 11 [SL006 warning 11] [SL007 warning 11]"],
            ),
            (
                "it stands behind",
                &["user a", "user c b", "!{\"ty"],
                &["SL001 error 3 malformed-line", "SL004 error 2 [SL006 warning 2] [SL007 warning 1]"],
            ),
        ],
    );
}

#[test]
fn lost_calls_and_results() {
    judge(
        FOREST,
        &[
            (
                "a result that is named",
                &["user a", "call b a k", "!{\"id\":\"r\",\"for\":\"k\",", "user c b"],
                &["SL001 error 3 malformed-line [SL102 error 2]"],
            ),
            (
                "a result that was cut before it says so",
                &["user a", "call b a k", "!{\"ty", "user c b"],
                &["SL001 error 3 malformed-line [SL102 error 2]"],
            ),
            (
                "the tail",
                &["user a", "call b a k", "!{\"ty"],
                &["SL001 error 3 malformed-line [SL102 warning 2 open-tail]"],
            ),
            (
                "the line that hangs on the call is its result",
                &["call b - k", "call c - l", "user x c", "!{\"parent\":\"b\",\"ty", "user d b"],
                &["SL001 error 4 malformed-line [SL102 error 1]", "SL102 error 2"],
            ),
            (
                "the talk went on before it",
                &["user a", "call b a k", "user c b", "!{\"ty", "user d c"],
                &["SL001 error 4 malformed-line", "SL102 error 2"],
            ),
            (
                "one line was one result",
                &["call b - k", "call c b l", "!{\"ty", "user d c"],
                &["SL001 error 3 malformed-line [SL102 error 1]", "SL102 error 2"],
            ),
            (
                "a call that is named takes its lost child along",
                &["user a", "!{\"id\":\"b\",\"call\":\"k\",", "result c b k", "user d c"],
                &["SL001 error 2 malformed-line [SL004 error 3] [SL006 warning 1] [SL007 warning 1] [SL101 error 3]"],
            ),
            (
                "an id that a text quotes is not lost there",
                &["user a", "!\\\"k\\\"", "user d a", "call b d k", "user c b"],
                &["SL001 error 2 malformed-line", "SL102 error 4"],
            ),
        ],
    );
    judge(
        FLAT,
        &[
            (
                "a call that was cut before its id",
                &["user a", "!{\"ty", "result c - k", "user d"],
                &["SL001 error 2 malformed-line [SL101 error 3]"],
            ),
            (
                "its call would have stood behind the turn before",
                &["!{\"ty", "user a", "result c - k", "user d"],
                &["SL001 error 1 malformed-line", "SL101 error 3"],
            ),
        ],
    );
}

#[test]
fn nothing_hides_below_something_milder() {
    let lines = ["user a", "call b a k", "!{\"for\":\"k\",", "user c b"];
    assert_eq!(tied(FOREST, &lines, Severity::Warning), ["SL001 warning 3 malformed-line", "SL102 error 2"]);
}

#[test]
fn recordings_of_one_tree_keep_their_findings_apart() {
    let lines = ["user a", "!{\"id\":\"b\"", "user c b"];
    let found = tied(Conventions::CANONICAL, &lines, Severity::Error);
    assert_eq!(found.len(), 2, "{found:?}");
}
