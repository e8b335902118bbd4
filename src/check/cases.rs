//! Tests: what each family says about small sessions, one row a case.
//!
//! A row gives the events (`kind id parent key message`) and the findings in one line each:
//! `code severity line [variant] [[consequence]]`.

use super::testing::{Build, FLAT, FOREST};
use crate::model::Conventions;
use crate::model::session::Adjacency;

/// Title, events, findings.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

fn judge(conventions: Conventions, cases: &[Case]) {
    for (title, events, expected) in cases {
        assert_eq!(Build::new(conventions).add_all(events).outline(), *expected, "{title}");
    }
}

const ONE_TREE: Conventions = Conventions::CANONICAL;

#[test]
fn parent_links_of_one_tree() {
    judge(
        ONE_TREE,
        &[
            ("a chain", &["user a", "user b a", "user c b"], &[]),
            ("no events", &[], &[]),
            (
                "a lost parent explains the second part and the second head",
                &["user a", "user b a", "user d c"],
                &["SL004 error 3 [SL006 warning 3] [SL007 warning 2]"],
            ),
            (
                "also when the part behind it is the larger one",
                &["user a", "user c b", "user d c"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 1]"],
            ),
            ("a fork stands alone", &["user a", "user b a", "user c a"], &["SL007 warning 2"]),
            (
                "a fork is not explained by a lost parent",
                &["user a", "user b a", "user c a", "user e d"],
                &["SL004 error 4 [SL006 warning 4]", "SL007 warning 2"],
            ),
            ("a second root explains the second head", &["user a", "user b"], &["SL006 warning 2 [SL007 warning 1]"]),
            ("a self-parent", &["user a a"], &["SL005 fatal 1"]),
            (
                "a cycle closes at its latest record and explains why it hangs alone",
                &["user m", "user b c", "user n m", "user c b", "user o n"],
                &["SL005 fatal 4 [SL006 warning 2]"],
            ),
        ],
    );
}

#[test]
fn parent_links_where_branches_are_ordinary() {
    judge(
        FOREST,
        &[
            ("forks and roots", &["user a", "user b a", "user c a", "user d"], &[]),
            ("a lost parent", &["user a", "user c b"], &["SL004 error 2 [SL006 warning 2] [SL007 warning 1]"]),
            (
                "with two roots it is unclear what was cut off",
                &["user a", "user b", "user d c", "user e d"],
                &["SL004 error 3"],
            ),
            (
                "the lost record held a call",
                &["user a", "result r1 b c1", "result r2 r1 c2", "assistant e r2"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 1] [SL101 error 2] [SL101 error 3]"],
            ),
            (
                "the lost record held a parallel call",
                &["user a", "call t b c2 m", "result r t c1", "result s r c2", "assistant e s"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 1] [SL101 error 3]"],
            ),
            (
                "a result behind a later call is another matter",
                &["user a", "result r b c1", "call t r c2 m", "result s t c3", "result u s c2"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 1] [SL101 error 2]", "SL101 error 4"],
            ),
            (
                "a result further behind is another matter",
                &["user a", "user x b", "result r1 x c1"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 1]", "SL101 error 3"],
            ),
            (
                "the lost record held the result",
                &["user a", "call t a c1 m1", "assistant e r m2"],
                &["SL004 error 3 [SL006 warning 3] [SL007 warning 3] [SL102 error 2]"],
            ),
        ],
    );
    judge(FLAT, &[("no parents, no graph", &["user a x", "user b b"], &[])]);
}

#[test]
fn repeated_ids() {
    judge(
        ONE_TREE,
        &[
            ("twice the same", &["user a", "user a"], &["SL003 warning 2 identical-duplicate"]),
            (
                "three times, one of them different",
                &["user a", "user a", "user a b"],
                &["SL003 error 2 conflicting-duplicate"],
            ),
            (
                "a repeated call counts twice",
                &["call t - c1", "call t - c1", "result r t c1"],
                &["SL003 warning 2 identical-duplicate", "SL103 error 2"],
            ),
        ],
    );
    judge(
        FOREST,
        &[(
            "where the last copy wins, a repeated record counts once",
            &["user a", "call t a c1 m1", "call t a c1 m1", "result r t c1", "result r t c1", "user b r"],
            &["SL003 warning 5 identical-duplicate", "SL003 warning 3 identical-duplicate"],
        )],
    );
}

#[test]
fn numbers_of_calls_and_results() {
    judge(
        ONE_TREE,
        &[
            ("a pair", &["call t - c", "result r t c"], &[]),
            ("an orphan", &["user a", "result r a c"], &["SL101 error 2"]),
            ("no key at all", &["call t", "result r t"], &["SL101 error 2", "SL102 error 1"]),
            ("open in the middle", &["call t - c", "user a t"], &["SL102 error 1"]),
            ("open at the end", &["user a", "call t a c"], &["SL102 error 2 open-tail"]),
            (
                "results of nothing",
                &["result r - c", "result s r c"],
                &["SL101 error 1", "SL101 error 2", "SL104 error 2"],
            ),
            ("three results", &["call t - c", "result r t c", "result s r c", "result u s c"], &["SL104 error 3"]),
            (
                "reused and open",
                &["call t - c", "call s t c"],
                &["SL102 error 2 open-tail", "SL102 error 1 open-tail", "SL103 error 2"],
            ),
        ],
    );
}

#[test]
fn open_calls_where_branches_are_ordinary() {
    judge(
        FOREST,
        &[
            (
                "without keys, calls are answered in order",
                &["call t", "result r t", "call s r", "user a s"],
                &["SL102 error 3"],
            ),
            ("a tail", &["user a", "call t a c"], &["SL102 warning 2 open-tail"]),
            (
                "one of a parallel batch is still open",
                &["user a", "call t a c m", "call s t d m", "result r t c"],
                &["SL102 warning 3 open-tail"],
            ),
            (
                "the batch of a stream, its results between",
                &["user a", "call t a c m", "result r t c", "call s r d m"],
                &["SL102 warning 4 open-tail"],
            ),
            (
                "what is not said does not end a batch",
                &["user a", "call t a c m", "opaque p t", "unknown q p"],
                &["SL102 warning 2 open-tail"],
            ),
            ("a prompt follows", &["user a", "call t a c m", "user b t"], &["SL102 error 2"]),
            (
                "a prompt follows on another branch",
                &["user a", "call t a c m", "user b a"],
                &["SL102 error 2 left-branch"],
            ),
            (
                "the message goes on behind the result of its other call",
                &["user a", "call t a c m", "call s t d m", "result r t c", "user b r"],
                &["SL102 error 3"],
            ),
            ("retried on two branches", &["call t - c m", "result r t c", "result s t c"], &[]),
            ("answered twice on one", &["call t - c m", "result r t c", "result s r c"], &["SL104 error 3"]),
        ],
    );
    judge(
        FLAT,
        &[
            (
                "calls in a row are one batch",
                &["user a", "call t - c", "call s - d", "result r - d"],
                &["SL102 warning 2 open-tail"],
            ),
            (
                "a later call is not",
                &["call t - c", "call s - d", "result r - d", "call u - e"],
                &["SL102 error 1", "SL102 warning 4 open-tail"],
            ),
            (
                "a late answer ends the tail",
                &["call t - c", "user a", "call s - d", "result r - c"],
                &["SL102 error 3"],
            ),
        ],
    );
}

#[test]
fn a_call_that_needs_no_result_is_silent_but_its_results_are_orphans() {
    for (events, expected) in [
        (&["call t - c", "user a t"][..], &[][..]),
        (&["call t - c", "result r t c"][..], &["SL101 error 2 call-left-out"][..]),
    ] {
        let mut build = Build::new(FOREST).add_all(events);
        build.session.events[0].flags.needs_no_result = true;
        assert_eq!(build.outline(), expected);
    }
}

#[test]
fn places_of_pairs_by_position() {
    judge(
        ONE_TREE,
        &[
            ("tool events may stand between", &["call t - c", "call s t d", "result r s c", "result q r d"], &[]),
            ("a message may not", &["call t - c", "user a t", "result r a c"], &["SL107 warning 3"]),
            ("reversed", &["result r - c", "call t r c"], &["SL105 error 1"]),
            ("beside its call", &["user a", "call t a c", "result r a c"], &["SL007 warning 3", "SL106 error 3"]),
            (
                "with the id of its call",
                &["user a", "call t a c", "result t t c"],
                &["SL003 error 3 conflicting-duplicate"],
            ),
            (
                "parallel calls, both results below the last one",
                &["user a", "call t a c", "call s a d", "result r s c", "result q r d"],
                &["SL007 warning 5"],
            ),
            (
                "below a call of another turn",
                &["user a", "call t a c", "user b a", "call s b d", "result q s d", "result r q c"],
                &["SL007 warning 6", "SL106 error 6", "SL107 warning 6"],
            ),
            (
                "parted by a lost parent",
                &["call t - c", "result r x c"],
                &["SL004 error 2 [SL006 warning 1] [SL007 warning 2] [SL106 error 2]"],
            ),
            (
                "split; the doubt about side effects is worse than the split and stands alone",
                &["call t - c", "boundary k t", "result r k c"],
                &["SL108 warning 3 [SL107 warning 3]", "SL203 error 3"],
            ),
            (
                "split twice",
                &["call t - c", "boundary k t", "boundary l k", "checkpoint p l", "result r p c"],
                &["SL108 warning 5 several-boundaries [SL107 warning 5]"],
            ),
        ],
    );
    judge(
        Conventions { adjacency: Adjacency::Free, ..FLAT },
        &[
            ("distance is free", &["call t - c", "user a", "result r - c"], &[]),
            ("a compaction is not", &["call t - c", "boundary k", "result r - c"], &["SL108 warning 3"]),
        ],
    );
}

#[test]
fn places_of_pairs_on_the_chain() {
    judge(
        FOREST,
        &[
            ("stored before its call, parents right", &["result r t c", "call t - c m"], &[]),
            ("above its call", &["result r - c", "call t r c m"], &["SL105 error 1"]),
            ("its own message between", &["call t - c m", "call s t d m", "result r s c", "result q r d"], &[]),
            ("another message between", &["call t - c m", "assistant a t - n", "result r a c"], &["SL107 error 3"]),
            (
                "another message between, above parts of its own",
                &["call t - c m", "assistant a t - n", "call s a d m", "result r s c", "result q r d"],
                &["SL107 error 4"],
            ),
            ("a prompt between", &["call t - c", "user a t", "result r a c"], &["SL107 error 3"]),
            ("a prompt on another branch", &["call t - c m", "user a t", "result r t c"], &[]),
            ("a boundary between", &["call t - c m", "boundary k t", "result r k c"], &["SL108 warning 3"]),
            ("a boundary that starts anew", &["call t - c m", "boundary k", "result r k c"], &["SL108 warning 3"]),
            ("a boundary before both", &["boundary k", "call t k c m", "result r t c"], &[]),
            ("a boundary on another branch", &["call t - c m", "boundary k t", "result r t c"], &[]),
        ],
    );
}

#[test]
fn scopes_part_pairs() {
    let mut build = Build::new(FOREST).add_all(&["call t - c m", "result r t c"]);
    let branch = build.session.strings.intern("side");
    build.session.scopes.push(crate::model::Scope { branch, ..Default::default() });
    build.session.events[1].scope = 1;
    let findings = build.run();
    assert_eq!((findings.len(), findings[0].code(), findings[0].variant), (1, "SL106", "other-scope"));
    assert_eq!(findings[0].evidence["result_branch_id"], "side");
    assert!(!findings[0].evidence.contains_key("call_branch_id"));
}

#[test]
fn checkpoints() {
    for (states, tail, expected) in [
        (&[(0, Some("a")), (1, Some("b"))][..], &["call t - c", "result r t c"][..], &[][..]),
        (&[(0, Some("a")), (2, Some("b"))], &[], &["SL201 error 2"]),
        (
            &[(0, Some("a")), (2, None)],
            &["call t - c", "result r t c"],
            &["SL201 error 2 no-hash", "SL201 error 2 [SL203 error 3]"],
        ),
        (&[(0, Some("a")), (0, Some("b"))], &["call t - c", "result r t c"], &["SL202 error 2 [SL203 error 3]"]),
    ] {
        let mut build = Build::new(Conventions { tree: false, ..ONE_TREE });
        for (index, (seq, hash)) in states.iter().enumerate() {
            build.add(&format!("checkpoint p{index}"));
            let hash = hash.map(str::to_owned);
            let state = crate::model::session::Checkpoint { index, seq: Some(*seq), hash, id: String::new() };
            build.session.checkpoints.push(state);
        }
        assert_eq!(build.add_all(tail).outline(), expected);
    }
}

#[test]
fn worked_fingerprints() {
    let canonical = "{\"schema_version\":\"sesslint.session/v1\",\"version\":1}\n\
        {\"id\":\"m1\",\"parent_id\":null,\"kind\":\"message\"}\n\
        {\"id\":\"m2\",\"parent_id\":\"m1\",\"kind\":\"message\"}\n\
        {\"id\":\"m3\",\"parent_id\":\"gone\",\"kind\":\"message\"}\n";
    assert_eq!(Build::canonical(canonical).run()[0].fingerprint, "11e1359c952bacd2");

    let mut vendor = Build::new(FOREST).add_all(&["user u1", "user a-é père"]);
    vendor.session.format = "claude-code-jsonl";
    vendor.session.events[1].line = 2;
    assert_eq!(vendor.run()[0].fingerprint, "4a93956d5a1d9d3d");
}

#[test]
fn findings_are_placed_and_named() {
    let findings = Build::new(ONE_TREE).add_all(&["user a", "call t a c", "user b t"]).run();
    let location = findings[0].location;
    assert_eq!((location.line, location.byte_start, location.byte_end), (Some(2), Some(100), Some(200)));
    assert_eq!((findings[0].subject.record.as_str(), findings[0].subject.part.as_str()), ("t", "c"));

    let mut unnamed = Build::new(ONE_TREE).add_all(&["call t - c", "user b t"]);
    unnamed.session.events[0].flags.synthetic_id = true;
    assert_eq!(unnamed.run()[0].subject.record.len(), 64);
}

#[test]
fn ids_that_must_not_be_shown_are_masked() {
    let findings = Build::new(ONE_TREE).add_all(&["user me@example.org", "call token=1 me@example.org a@b.co"]).run();
    assert_eq!(findings[0].record_id.as_deref(), Some("<redacted>"));
    assert_eq!(findings[0].evidence["correlation_id"], "<redacted>");
    assert_eq!(findings[0].evidence["event_id"], "<redacted>");
    assert!(findings[0].related.is_empty());
}

#[test]
fn beyond_the_cap_findings_are_counted_and_consequences_stay_attached() {
    let mut build = Build::new(FOREST);
    for i in 0..700 {
        build.add(&format!("result r{i:03} lost{i} c{i}"));
    }
    let findings = build.run();
    let codes: Vec<_> = findings.iter().map(|f| (f.code(), f.variant)).collect();
    assert_eq!(codes[499..], [("SL004", ""), ("SL004", "overflow-summary"), ("SL101", "overflow-summary")]);
    assert_eq!(findings[500].evidence["total_count"], 700);
    assert_eq!(findings[500].evidence["truncated_count"], 200);
    assert!(findings[..500].iter().all(|f| f.consequences.iter().any(|c| c.code() == "SL101")));
    assert_eq!(findings[40].evidence["rejected_decoys"].as_array().unwrap().len(), 32);
}
