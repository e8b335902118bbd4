//! The repair loop: look, plan, apply, look again, until nothing can be done any more.
//!
//! Each round either drops, splits or relinks something named by a finding or ends the loop, so it ends; a bound is kept
//! all the same.

use std::collections::BTreeSet;
use std::io;

use super::Policy;
use super::bench::{Bench, Ground};
use super::change::{Change, Changes};
use super::plan::{Blocked, Plan, Step};
use super::planner;
use super::recipe::Case;
use super::refusal::Blocking;
use super::script::{Edit, Script};
use crate::finding::Severity;

/// Most rounds of one repair.
const MAX_ROUNDS: usize = 200;
/// Most steps: of canonical sources as in the reference program.
pub(crate) const CANONICAL_CAP: usize = 256;
const NATIVE_CAP: usize = 20_000;

/// What is wanted of a repair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub policy: Policy,
    pub acknowledged: bool,
    pub canonical: bool,
}

impl Terms {
    pub(crate) const fn cap(&self) -> usize {
        if self.canonical { CANONICAL_CAP } else { NATIVE_CAP }
    }
}

/// A source mended as far as the terms allow.
pub(crate) struct Mended {
    pub script: Script,
    pub plan: Plan,
    /// Steps by source offset of what they changed.
    pub touched: Vec<(u64, u32)>,
    /// Events of the source that may have had side effects, with what they may have had.
    pub effects: Vec<(u32, super::gate::Effect)>,
    /// A finding of the source is an error or worse.
    pub was_broken: bool,
    pub sl203: bool,
    /// Findings that stay and why, worst first.
    pub blocking: Vec<Blocking>,
    /// Codes of the errors that stay.
    pub remaining: Vec<&'static str>,
    /// The step that closes the half frame behind the text.
    pub closed_tail: Option<u32>,
}

/// What the first look at a source shows.
struct First {
    plan: Plan,
    broken: bool,
    sl203: bool,
    effects: Vec<(u32, super::gate::Effect)>,
}

/// Mends a source.
pub(crate) fn mend(mut ground: Ground<'_>, terms: Terms) -> io::Result<Mended> {
    let mut script = Script::whole(ground.source.len());
    let mut steps: Vec<Step> = Vec::new();
    let mut touched: Vec<(u64, u32)> = Vec::new();
    let mut first: Option<First> = None;
    let mut blocked: Vec<Blocked> = Vec::new();
    let mut blocking: Vec<Blocking> = Vec::new();
    let mut remaining = Vec::new();
    let mut closed_tail = None;
    for round in 0..MAX_ROUNDS {
        let current = script.clone();
        let bench = Bench::new(ground, &current)?;
        let case =
            Case { bench: &bench, policy: terms.policy, acknowledged: terms.acknowledged, canonical: terms.canonical };
        let room = terms.cap().saturating_sub(steps.len());
        let planned = planner::plan(&case, steps.len() as u32, room)?;
        if round == 0 {
            let all = bench.all_findings();
            let broken = all.iter().any(|f| f.severity >= Severity::Error);
            let sl203 = all.iter().any(|f| f.code() == "SL203");
            let needs_effects = terms.policy == Policy::Salvage && !terms.acknowledged;
            let effects = if needs_effects && terms.canonical {
                super::gate::effects(&bench, 0..bench.session.events.len() as u32)
            } else {
                Vec::new()
            };
            let plan = Plan {
                source_hash: bench.sha256.clone(),
                profile: ground.profile.id.to_owned(),
                policy: terms.policy,
                steps: Vec::new(),
                blocked: Vec::new(),
                events: bench.session.events.len() as u64,
            };
            first = Some(First { plan, broken, sl203, effects });
        }
        if round == 0 || !terms.canonical {
            blocked = planned.blocked;
        }
        blocking = planned.blocking;
        remaining = errors(&bench);
        if planned.steps.is_empty() {
            break;
        }
        let mut changes = Changes::default();
        for (step, wanted) in planned.steps.iter().zip(&planned.changes) {
            wanted.iter().for_each(|change| changes.add(step.seq, change));
            if wanted.contains(&Change::CloseTail) {
                (closed_tail, ground.tail) = (Some(step.seq), None);
            }
        }
        let resolved = changes.resolve(&bench)?;
        if resolved.is_empty() && bench.ground.tail.is_none() == ground.tail.is_none() {
            break;
        }
        for (splice, owners) in &resolved {
            let place = script.source_offset(splice.at.start);
            touched.extend(owners.iter().map(|&step| (place, step)));
        }
        let splices: Vec<_> = resolved.into_iter().map(|(splice, _)| splice).collect();
        script.apply(&splices);
        steps.extend(planned.steps);
    }
    super::lines::restore(ground, &script, &mut blocking)?;
    touched.sort_unstable();
    touched.dedup();
    let Some(First { plan, broken: was_broken, sl203, effects }) = first else {
        return Err(io::Error::other("no round was made"));
    };
    let plan = Plan { steps, blocked, ..plan };
    Ok(Mended { script, plan, touched, effects, was_broken, sl203, blocking, remaining, closed_tail })
}

/// Codes of the findings of a text that are errors or worse.
fn errors(bench: &Bench<'_>) -> Vec<&'static str> {
    bench.findings.iter().filter(|f| f.severity >= Severity::Error).map(|f| f.code()).collect()
}

impl Mended {
    /// The same with these steps (recipe and finding) alone; says what stands in the way when they cannot be had alone.
    pub(crate) fn only(mut self, ground: Ground<'_>, asked: &[(String, String)]) -> io::Result<Result<Self, String>> {
        let is_asked =
            |step: &Step| asked.iter().any(|(recipe, finding)| step.recipe == *recipe && step.finding == *finding);
        let kept: BTreeSet<u32> = self.plan.steps.iter().filter(|s| is_asked(s)).map(|s| s.seq).collect();
        let mut edits = Vec::new();
        for edit in self.script.edits() {
            let steps = self.steps_of(&edit);
            if steps.is_subset(&kept) {
                edits.push(edit);
            } else if !steps.is_disjoint(&kept) {
                return Ok(Err("a step of the plan cannot be carried out without one that it leaves out".to_owned()));
            }
        }
        self.script = Script::of(ground.source.len(), &edits);
        self.plan.steps.retain(|step| kept.contains(&step.seq));
        self.touched.retain(|(_, step)| kept.contains(step));
        self.closed_tail = self.closed_tail.filter(|step| kept.contains(step));
        let bench = Bench::new(ground, &self.script)?;
        self.remaining = errors(&bench);
        drop(bench);
        Ok(Ok(self))
    }

    /// Steps that asked for an edit.
    pub(crate) fn steps_of(&self, edit: &Edit) -> BTreeSet<u32> {
        let end = edit.source.end.max(edit.source.start + 1);
        let from = self.touched.partition_point(|(at, _)| *at < edit.source.start);
        self.touched[from..]
            .iter()
            .take_while(|(at, _)| *at < end || *at == edit.source.start)
            .map(|(_, s)| *s)
            .collect()
    }
}
