//! Checkpoints and side effects: SL201 gaps, SL202 disagreeing hashes, SL203 tools after either.
//!
//! Run-state entries come before events and stand at no position; findings about them are on line 1.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::capped::Capped;
use super::checkpoint_rules::{SL201, SL202, SL203};
use super::context::{Context, Found, NONE, evidence};
use crate::finding::{Finding, Location, Stage, Subject};
use crate::model::Kind;
use crate::model::content_free::{mask, record_id};
use crate::model::session::Checkpoint;
use crate::rule::Rule;

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    if !context.session.conventions.checkpoints {
        return Vec::new();
    }
    let mut run_state: Vec<&Checkpoint> = context.session.run_state.iter().collect();
    run_state.sort_by_key(|c| (c.seq.is_none(), c.seq, c.index));
    let states = States { context, run_state };
    let mut found = states.divergences();
    found.extend(states.disagreements());
    let unsafe_tool = unsafe_tool(context, &found);
    found.extend(unsafe_tool);
    found
}

struct States<'a, 'b> {
    context: &'b Context<'a>,
    /// By sequence, those without one last.
    run_state: Vec<&'a Checkpoint>,
}

/// One reason to report a checkpoint.
#[derive(Clone, Copy, PartialEq)]
enum Divergence {
    NoHash,
    Jump,
    NoSequence,
}

impl<'a> States<'a, '_> {
    fn events(&self) -> impl Iterator<Item = &'a Checkpoint> + use<'a> {
        self.context.session.checkpoints.iter()
    }

    fn divergences(&self) -> Vec<Found> {
        let mut kept = Capped::new(&SL201);
        let in_events: BTreeSet<i64> = self.events().filter_map(|c| c.seq).collect();
        let known = |c: &Checkpoint| c.seq.is_some_and(|seq| in_events.contains(&seq));
        let mut last: Option<i64> = None;
        for entry in &self.run_state {
            for what in self.judge(entry, last).into_iter().filter(|&w| w == Divergence::NoSequence || !known(entry)) {
                self.push_divergence(&mut kept, entry, true, last, what);
            }
            last = entry.seq.or(last);
        }
        if let Some(&first) = in_events.first() {
            last = self.run_state.iter().filter_map(|c| c.seq).filter(|&seq| seq < first).max();
        }
        for checkpoint in self.events() {
            for what in self.judge(checkpoint, last) {
                self.push_divergence(&mut kept, checkpoint, false, last, what);
            }
            last = checkpoint.seq.or(last);
        }
        kept.finish(self.context)
    }

    fn judge(&self, checkpoint: &Checkpoint, last: Option<i64>) -> Vec<Divergence> {
        let jump = matches!((checkpoint.seq, last), (Some(seq), Some(last)) if seq > last.saturating_add(1));
        let no_sequence = checkpoint.seq.is_none() && self.context.profile.checkpoint_sensitive;
        [
            (checkpoint.hash.is_none(), Divergence::NoHash),
            (jump, Divergence::Jump),
            (no_sequence, Divergence::NoSequence),
        ]
        .into_iter()
        .filter_map(|(holds, what)| holds.then_some(what))
        .collect()
    }

    fn push_divergence(
        &self,
        kept: &mut Capped,
        at: &Checkpoint,
        run_state: bool,
        last: Option<i64>,
        what: Divergence,
    ) {
        let mut finding = self.finding(&SL201, at, run_state);
        finding.evidence.insert("at_index".into(), at.index.into());
        finding.evidence.insert("expected_seq".into(), last.map_or(0, |l| l.saturating_add(1)).into());
        finding.evidence.insert("found_seq".into(), at.seq.into());
        let (variant, part) = match what {
            Divergence::NoHash => ("no-hash", "hash"),
            Divergence::Jump => ("", "sequence"),
            Divergence::NoSequence => ("no-sequence", "no sequence"),
        };
        if what == Divergence::NoSequence {
            finding.evidence.insert("sensitivity".into(), "high".into());
        }
        finding.variant = variant;
        finding.subject.part.push_str(part);
        self.push(kept, finding, at, run_state);
    }

    fn disagreements(&self) -> Vec<Found> {
        let mut kept = Capped::new(&SL202);
        let mut first: BTreeMap<i64, &str> = BTreeMap::new();
        let entries = self.run_state.iter().map(|&c| (c, true));
        for (checkpoint, run_state) in entries.chain(self.events().map(|c| (c, false))) {
            let (Some(seq), Some(hash)) = (checkpoint.seq, checkpoint.hash.as_deref()) else { continue };
            let known = *first.entry(seq).or_insert(hash);
            if known == hash {
                continue;
            }
            let start = |hash: &str| mask(&hash.chars().take(16).collect::<String>()).to_owned();
            let mut finding = self.finding(&SL202, checkpoint, run_state);
            finding.evidence.insert("hash_a".into(), start(known).into());
            finding.evidence.insert("hash_b".into(), start(hash).into());
            finding.evidence.insert("seq".into(), seq.into());
            self.push(&mut kept, finding, checkpoint, run_state);
        }
        kept.finish(self.context)
    }

    fn finding(&self, rule: &'static Rule, at: &Checkpoint, run_state: bool) -> Finding {
        let mut finding = if run_state {
            let mut finding = Finding::new(rule, Stage::Checking);
            finding.record_id = record_id(&at.id);
            finding.line = Some(1);
            finding.location = Location { line: Some(1), ..Location::default() };
            finding.subject = Subject { record: at.id.clone(), part: "run state ".into() };
            finding.evidence.insert("source".into(), "run_state".into());
            finding
        } else {
            self.context.finding(rule, at.index as u32, at.index as u32)
        };
        if let Some(projection) = &self.context.session.run_state_projection {
            finding.evidence.insert("run_state".into(), projection.clone());
        }
        finding
    }

    fn push(&self, kept: &mut Capped, finding: Finding, at: &Checkpoint, run_state: bool) {
        let position = if run_state { NONE } else { at.index as u32 };
        kept.push_by_record(self.context, Found::one(finding, position));
    }
}

/// The first tool event behind the first trigger, if there is one.
fn unsafe_tool(context: &Context<'_>, found: &[Found]) -> Option<Found> {
    let mut first_event = BTreeMap::new();
    for checkpoint in context.session.checkpoints.iter().rev() {
        checkpoint.seq.map(|seq| first_event.insert(seq, checkpoint.index));
    }
    let mut triggers: Vec<(i64, &'static str)> = found.iter().filter_map(|f| trigger(f, &first_event)).collect();
    triggers.extend(unchecked_boundaries(context).map(|at| (i64::from(at), "compaction")));
    let first = triggers.iter().map(|t| t.0).min()?;
    let (at, _) = context.events().find(|(at, e)| e.kind.is_tool() && i64::from(*at) > first)?;
    let causes: BTreeSet<&str> = triggers.iter().filter(|t| t.0 < i64::from(at)).map(|t| t.1).collect();
    let mut finding = context.finding(&SL203, at, at);
    finding.evidence = evidence(json!({ "caused_by": causes, "first_unsafe_index": at }));
    let mut kept = Capped::new(&SL203);
    kept.push_by_record(context, Found::one(finding, at));
    kept.finish(context).pop()
}

/// The earliest position an SL201 or SL202 makes doubtful, -1 for run state. A summary makes none.
fn trigger(found: &Found, first_event: &BTreeMap<i64, usize>) -> Option<(i64, &'static str)> {
    let finding = &found.finding;
    if finding.variant == "overflow-summary" {
        return None;
    }
    // The first event with a disputed sequence is as doubtful as the later one.
    let seq = finding.evidence.get("seq").and_then(serde_json::Value::as_i64);
    let first = seq.and_then(|seq| first_event.get(&seq)).map(|&at| at as i64);
    let at = if found.at == NONE { -1 } else { first.unwrap_or(i64::from(found.at)) };
    Some((at, finding.code()))
}

/// Compaction boundaries with no checkpoint behind them before the next tool event or the end.
fn unchecked_boundaries(context: &Context<'_>) -> impl Iterator<Item = u32> {
    let (mut waiting, mut unchecked) = (Vec::new(), Vec::new());
    for (at, event) in context.events() {
        match event.kind {
            Kind::CompactionBoundary => waiting.push(at),
            Kind::Checkpoint => waiting.clear(),
            Kind::ToolCall | Kind::ToolResult => unchecked.append(&mut waiting),
            _ => {}
        }
    }
    unchecked.append(&mut waiting);
    unchecked.into_iter()
}
