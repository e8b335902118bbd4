//! Tests: whatever a session holds, checks end soon, say the same twice, and never hide the worse below the milder.

use proptest::prelude::{Strategy, prop, proptest};

use super::testing::{Build, FLAT, FOREST, flatten};
use crate::finding::Finding;
use crate::model::Conventions;
use crate::rule::profile::{CLAUDE_STRICT, NEUTRAL, OPENAI_STRICT, Profile};

/// One event in words, from small alphabets, so that ids, parents and keys collide.
fn event() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "user",
        "assistant",
        "call",
        "result",
        "boundary",
        "checkpoint",
        "opaque",
        "unknown",
        "error",
    ]);
    let id = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g", "h"]);
    let parent = prop::sample::select(vec!["-", "a", "b", "c", "d", "e", "f", "gone"]);
    let key = prop::sample::select(vec!["-", "k", "l", "m", "token=1"]);
    let message = prop::sample::select(vec!["-", "x", "y"]);
    (kind, id(), parent, key, message).prop_map(|(k, i, p, c, m)| format!("{k} {i} {p} {c} {m}"))
}

fn run(conventions: Conventions, profile: &Profile, events: &[String]) -> Vec<Finding> {
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    Build::new(conventions).add_all(&events).run_with(profile, "session.jsonl")
}

/// Trees whose loaders put messages back together.
const REUNITED: Conventions = Conventions { reunites_messages: true, pair_on_path: false, ..FOREST };

proptest! {
    #[test]
    fn any_session_can_be_checked(events in prop::collection::vec(event(), 0..24)) {
        let profiles = [&NEUTRAL, &CLAUDE_STRICT, &OPENAI_STRICT];
        let all = [Conventions::CANONICAL, FOREST, FLAT, REUNITED];
        for (conventions, profile) in all.iter().flat_map(|&c| profiles.iter().map(move |p| (c, *p))) {
            let findings = run(conventions, profile, &events);
            for finding in flatten(&findings) {
                assert_eq!(finding.fingerprint.len(), 16);
                assert!(finding.location.line.is_some_and(|line| line <= events.len() as u64));
                assert!(finding.consequences.iter().all(|c| c.severity <= finding.severity));
            }
            assert_eq!(format!("{findings:?}"), format!("{:?}", run(conventions, profile, &events)));
        }
    }
}

/// Event number `n` in words.
type Shape = fn(usize) -> String;

#[test]
fn large_broken_sessions_end_soon() {
    // Anything quadratic takes minutes here.
    const COUNT: usize = 12_000;
    let shapes: [(&str, Shape); 8] = [
        ("lost parents", |i| format!("user e{i} lost{i}")),
        ("open calls of one message", |i| format!("call e{i} - c{i} m")),
        ("one key", |i| format!("{} e{i} - c", ["call", "result"][i % 2])),
        ("splits", |i| format!("{} e{i} - c{}", ["call", "boundary", "checkpoint", "result"][i % 4], i / 4)),
        ("all calls, then all results", |i| {
            format!("{} e{i} - c{}", ["call", "result"][i / (COUNT / 2)], i % (COUNT / 2))
        }),
        ("one cycle", |i| format!("user e{i} e{}", (i + 1) % COUNT)),
        ("every child before its parent", |i| format!("assistant e{i} e{} - m{}", i + 1, i % 3)),
        ("one message between its results", |i| {
            format!("{} e{i} e{} c{} m", ["call", "result"][i % 2], i.wrapping_sub(1), i / 2)
        }),
    ];
    for (name, shape) in shapes {
        let events: Vec<String> = (0..COUNT).map(shape).collect();
        let findings = run(Conventions::CANONICAL, &NEUTRAL, &events);
        let strict = run(REUNITED, &CLAUDE_STRICT, &events);
        assert!((1..2600).contains(&(findings.len() + strict.len())), "{name}: {}", findings.len());
    }
}
