//! Tests: the request we expect is the one that the newest loader made.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use serde_json::Value as Json;

use super::{NONE, Request, Turn};
use crate::adapter::claude_code;
use crate::check::context::Context;
use crate::reader::builder::FileRecall;
use crate::reader::{self, Builder};
use crate::rule::profile::CLAUDE_STRICT;

/// Turns: whether the model speaks, and the lines its blocks stand on.
type Turns = Vec<(bool, BTreeSet<u64>)>;

/// Parts of names of logs whose request differs by design, and why.
const EXCEPTIONS: [(&str, &str); 8] = [
    ("019-missing-newline", "the loader loses the second record on a line, which is read here"),
    ("51-line-two-records", "the same"),
    ("94-field-message-null", "the loader skips a record without message"),
    ("compact-kept-", "what a compaction keeps is sent behind its summary, and not followed here"),
    ("compact_auto-2.1.332", "the same"),
    ("compact_manual-2.1.332", "the same"),
    ("026-retry-on-progress-branch", "several messages share one id"),
    ("claude-code-23", "two lines hold one text, and which of them was sent is a guess"),
];

/// The turns of the request, none where there is no request; and whether its beginning was lost.
fn expected(log: &Path) -> (Turns, bool) {
    let format = &claude_code::FORMAT;
    let mut builder = Builder::new(format);
    let source = reader::read(File::open(log).unwrap(), format, "s.jsonl", &mut builder).unwrap();
    let (session, _) = builder.finish(&source);
    let recall = FileRecall::new(File::open(log).unwrap(), format, "s.jsonl");
    let context = Context::new(&session, &recall, &CLAUDE_STRICT, "s.jsonl");
    let line = |at: &u32| session.location(context.event(*at)).line.unwrap();
    let Some(request) = Request::new(&context) else { return (Turns::new(), false) };
    let turn = |turn: &Turn| (turn.from_model, turn.events.iter().map(line).collect());
    (request.turns.iter().map(turn).collect(), request.cut_at != NONE)
}

/// The turns that the program sent, without results on lines that are not `known`: it puts those back.
fn sent(messages: &Json, known: &BTreeSet<u64>) -> Turns {
    let line = |block: &Json| {
        let text = block.as_str()?;
        let line = text.rsplit('@').next()?.trim_end_matches('~').parse().ok()?;
        (known.contains(&line) || !text.starts_with("tool_result")).then_some(line)
    };
    let message = |m: &Json| (m[0] == "assistant", m[1].as_array().into_iter().flatten().filter_map(line).collect());
    joined(messages.as_array().into_iter().flatten().map(message).collect())
}

/// Without what is empty, neighbours of one side together.
fn joined(turns: Turns) -> Turns {
    let mut joined = Turns::new();
    for (from_model, lines) in turns.into_iter().filter(|turn| !turn.1.is_empty()) {
        match joined.last_mut() {
            Some(last) if last.0 == from_model => last.1.extend(lines),
            _ => joined.push((from_model, lines)),
        }
    }
    joined
}

/// What the newest program made of each log it resumed.
fn replayed(corpus: &Path) -> Vec<(String, Json)> {
    const NEWEST: &str = "2.1.332";
    let read = |name: &str| -> Json { serde_json::from_slice(&std::fs::read(corpus.join(name)).unwrap()).unwrap() };
    let mut rows = Vec::new();
    for (name, row) in read("replay-claude-code.json").as_object().unwrap() {
        let outcome = row[NEWEST]["same_as"].as_str().map_or(&row[NEWEST], |other| &row[other]);
        rows.push((name.clone(), outcome.clone()));
    }
    let cases = "loader-cases/claude-code";
    for (name, case) in read(&format!("{cases}/expected.json")).as_object().unwrap() {
        let newest = |o: &&Json| o["versions"].as_array().unwrap().iter().any(|version| version == NEWEST);
        let outcome = case["outcomes"].as_array().unwrap().iter().find(newest).unwrap();
        rows.push((format!("{cases}/{name}"), outcome.clone()));
    }
    rows.retain(|(_, outcome)| outcome["resumed"] == true);
    rows
}

#[test]
fn the_request_is_the_one_that_was_sent() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.is_dir() {
        eprintln!("note: ../shared/corpus is absent; skipped");
        return;
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, outcome) in replayed(&corpus) {
        if EXCEPTIONS.iter().any(|(part, _)| name.contains(part)) {
            continue;
        }
        let (mut turns, cut) = expected(&corpus.join(&name));
        // Where a parent was lost, what stands before it is found again by luck.
        if turns.is_empty() || cut {
            continue;
        }
        let known = turns.iter().flat_map(|turn| turn.1.iter().copied()).collect();
        let theirs = sent(&outcome["messages"], &known);
        let not_sent = outcome["not_sent"].as_object().into_iter().flatten().filter_map(|(_, lines)| lines.as_array());
        let dropped: BTreeSet<u64> = not_sent.flatten().filter_map(Json::as_u64).collect();
        for turn in &mut turns {
            turn.1.retain(|line| !dropped.contains(line));
        }
        compared += 1;
        if joined(turns) != theirs {
            wrong.push(name);
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(wrong.is_empty(), "of {compared}: {wrong:#?}");
}
