//! SL005: a canonical session ends before a ring of parents, when no tool did anything and no checkpoint is lost.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;
use crate::repair::gate::effects;

pub(super) static RECIPE: Recipe = Recipe {
    name: "terminal-suffix-discard",
    codes: &["SL005"],
    salvage: true,
    audience: Audience::Canonical,
    shared: true,
    propose,
};

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    const CONDITION: &str = "no_prior_safe_tool_after_cut";
    case.require_salvage()?;
    let bench = case.bench;
    let cut = position(finding, "entry_index").ok_or(Unmet::Condition(CONDITION))?;
    let end = bench.session.events.len() as u32;
    let no_checkpoint = (cut..end).all(|at| bench.event(at).kind != Kind::Checkpoint);
    // Only a ring that nothing follows is a suffix.
    let ring_only = (cut..end).all(|at| on_ring(case, at));
    Case::require(cut > 0 && no_checkpoint && ring_only && effects(bench, 0..end).is_empty(), CONDITION)?;
    let changes = (cut..end).map(|at| Change::Drop { record: bench.event(at).record }).collect();
    Ok(Proposal { changes, region: Some((cut..end).collect()), loss: Some(Loss::Events("discarded-suffix")) })
}

/// Whether the way up from an event never ends.
fn on_ring(case: &Case<'_>, from: u32) -> bool {
    let bench = case.bench;
    let mut at = from;
    for _ in 0..=bench.session.events.len() {
        match bench.with_id(bench.event(at).parent).first() {
            Some(&parent) => at = parent,
            None => return false,
        }
    }
    true
}
