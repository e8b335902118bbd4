//! Tests: what the strict profiles say about the request, one row a case.
//!
//! A row gives the events (`kind id parent key message`; behind `#` a fact about the event) and the findings.

use crate::check::testing::{Build, FLAT, FOREST, outline};
use crate::model::{Conventions, Reasoning};
use crate::rule::profile::{CLAUDE_STRICT, OPENAI_STRICT, Profile};

/// Title, events, findings.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Trees whose loaders put messages back together.
const REUNITED: Conventions = Conventions { reunites_messages: true, pair_on_path: false, ..FOREST };

fn build(conventions: Conventions, lines: &[&str]) -> Build {
    let events: Vec<&str> = lines.iter().map(|line| line.split(" #").next().unwrap_or_default()).collect();
    let mut build = Build::new(conventions).add_all(&events);
    for (event, line) in build.session.events.iter_mut().zip(lines) {
        let flags = &mut event.flags;
        match line.split(" #").nth(1) {
            Some("blank") => flags.blank_text = true,
            Some("no head") => flags.no_head = true,
            Some("reasoning") => flags.reasoning = Reasoning::Alone,
            Some("reasoning first") => flags.reasoning = Reasoning::First,
            Some("reasoning late") => flags.reasoning = Reasoning::Late,
            Some(other) => panic!("{other}"),
            None => {}
        }
        if line.starts_with("opaque") {
            event.actor = crate::model::Actor::Assistant;
        }
    }
    build
}

fn judge(conventions: Conventions, profile: &Profile, cases: &[Case]) {
    for (title, lines, expected) in cases {
        let found: Vec<String> =
            build(conventions, lines).run_with(profile, "session.jsonl").iter().map(outline).collect();
        assert_eq!(found, *expected, "{title}");
    }
}

#[test]
fn a_person_speaks_first() {
    judge(
        REUNITED,
        &CLAUDE_STRICT,
        &[
            ("a prompt", &["user a", "assistant b a"], &[]),
            ("an answer", &["assistant a", "user b a"], &["SL515 error 1"]),
            ("a second root cuts off the prompt", &["user a", "assistant b - - m", "user c b"], &["SL515 error 2"]),
            ("another root is not sent", &["assistant a", "user b", "assistant c b"], &[]),
            (
                "a lost parent says why",
                &["user a", "assistant c b", "user d c"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 1] [SL515 error 2]"],
            ),
            (
                "a summary stands behind its compaction",
                &["assistant a", "boundary k", "user s k", "assistant b s"],
                &[],
            ),
            ("no summary and no prompt", &["user a", "boundary k", "assistant b k"], &["SL515 error 3"]),
            ("nothing can be sent", &["assistant a - - - #no head"], &[]),
            ("what runs in a circle has no beginning", &["assistant a b", "user b a"], &["SL005 fatal 2"]),
        ],
    );
    judge(
        Conventions::CANONICAL,
        &CLAUDE_STRICT,
        &[("a compaction is its own summary", &["user a", "boundary k a", "assistant b k"], &[])],
    );
    judge(FLAT, &OPENAI_STRICT, &[("items may begin with any", &["assistant a", "user b"], &[])]);
}

#[test]
fn the_head_decides_what_is_sent() {
    let outline =
        |build: Build| -> Vec<String> { build.run_with(&CLAUDE_STRICT, "session.jsonl").iter().map(outline).collect() };
    let two_roots = ["assistant a", "user b", "assistant c b", "user d a"];
    assert_eq!(outline(build(REUNITED, &two_roots)), ["SL515 error 1"]);
    assert_eq!(outline(build(REUNITED, &["assistant a", "user b", "assistant c b", "user d a #no head"])), [""; 0]);
    let mut named = build(REUNITED, &two_roots);
    let first = named.session.strings.intern("b");
    let absent = named.session.strings.intern("absent");
    named.session.resumed = vec![first, absent];
    assert_eq!(outline(named), [""; 0]);
    // An answer that is stored before its prompt is still the end.
    assert_eq!(
        outline(build(REUNITED, &["user a", "assistant c b - - #blank", "user b a"])),
        ["SL501 error 2 nothing-but-blanks"]
    );
}

#[test]
fn pairs_are_sent_whole() {
    judge(
        Conventions::CANONICAL,
        &OPENAI_STRICT,
        &[
            (
                "the result stands on another branch",
                &["user a", "call b a k", "result c b k", "user d b"],
                &["SL007 warning 3", "SL102 error 2 result-not-sent"],
            ),
            (
                "the call stands on another branch",
                &["user a", "call b a k", "result c a k"],
                &["SL007 warning 2", "SL106 error 3 [SL101 error 3 call-not-sent]"],
            ),
        ],
    );
    judge(
        REUNITED,
        &CLAUDE_STRICT,
        &[
            (
                "results of parallel calls come along",
                &["user a", "call b a k m", "call c b l m", "result d b k", "result e c l", "assistant f e - n"],
                &[],
            ),
            (
                "the call stands on another branch",
                &["user a", "call b a k m", "user d a", "result c d k", "assistant e c - n"],
                &["SL101 error 4 call-not-sent"],
            ),
        ],
    );
}

#[test]
fn blanks_are_no_text() {
    judge(
        REUNITED,
        &CLAUDE_STRICT,
        &[
            ("sent", &["user a - - - #blank", "assistant b a"], &["SL501 error 1 nothing-but-blanks"]),
            ("on another branch", &["user a", "assistant b a - - #blank", "user c a"], &[]),
        ],
    );
    judge(FLAT, &OPENAI_STRICT, &[("items may be blank", &["user a - - - #blank"], &[])]);
}

#[test]
fn reasoning_has_its_place() {
    judge(
        REUNITED,
        &CLAUDE_STRICT,
        &[
            ("first", &["user a", "assistant b a - m #reasoning", "call c b k m", "result d c k"], &[]),
            ("first in its record", &["user a", "call b a k m #reasoning first", "result d b k"], &[]),
            (
                "late",
                &["user a", "assistant b a - m", "assistant c b - m #reasoning", "call d c k m", "result e d k"],
                &["SL516 error 3 late"],
            ),
            (
                "late in its record",
                &["user a", "call b a k m #reasoning late", "result d b k"],
                &["SL516 error 2 late"],
            ),
            (
                "late in a message that is not the last",
                &["user a", "call b a k m #reasoning late", "result d b k", "assistant e d - n"],
                &[],
            ),
            ("late without calls", &["user a", "assistant b a - m", "assistant c b - m #reasoning"], &[]),
            ("alone", &["user a", "assistant b a - m #reasoning"], &["SL516 info 2 alone"]),
        ],
    );
    judge(
        FLAT,
        &OPENAI_STRICT,
        &[
            ("before its call", &["user a", "opaque b - - - #reasoning", "call c - k", "result d - k"], &[]),
            ("before a prompt", &["user a", "opaque b - - - #reasoning", "user c"], &["SL516 warning 2 unfollowed"]),
            ("at the end", &["user a", "opaque b - - - #reasoning"], &[]),
        ],
    );
}

#[test]
fn neutral_judges_no_request() {
    let events = ["assistant a - - - #blank", "user b a"];
    assert_eq!(build(REUNITED, &events).outline(), [""; 0]);
}
