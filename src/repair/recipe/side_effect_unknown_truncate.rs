//! SL102: a canonical session ends before its first call that was never answered.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "side-effect-unknown-truncate",
    codes: &["SL102"],
    salvage: true,
    audience: Audience::Canonical,
    shared: true,
    propose,
};

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    case.require_acknowledgement()?;
    let bench = case.bench;
    let at = position(finding, "index").ok_or(Unmet::Condition("unanswered_call"))?;
    Case::require(at > 0, "session_root_remains")?;
    let end = bench.session.events.len() as u32;
    let changes = (at..end).map(|at| Change::Drop { record: bench.event(at).record }).collect();
    Ok(Proposal { changes, region: Some((at..end).collect()), loss: Some(Loss::Events("truncated-side-effects")) })
}
