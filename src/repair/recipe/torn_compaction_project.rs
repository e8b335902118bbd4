//! SL108: several boundaries stand inside a pair, so the pair cannot be put on one side by moving one of them: all of
//! them move behind it.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "torn-compaction-project",
    codes: &["SL108"],
    salvage: true,
    audience: Audience::Canonical,
    shared: true,
    propose,
};

const UNMET: Unmet = Unmet::Condition("sl108_present");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    let (call, result) = (position(finding, "use_index"), position(finding, "result_index"));
    let (call, result) = (call.ok_or(UNMET)?, result.ok_or(UNMET)?);
    let (low, high) = (call.min(result), call.max(result));
    let inside: Vec<u32> = (low + 1..high).filter(|&at| bench.event(at).kind == Kind::CompactionBoundary).collect();
    Case::require(inside.len() > 1, "sl108_present")?;
    let behind = bench.event(high).record;
    let changes = inside.iter().map(|&at| Change::Move { record: bench.event(at).record, behind }).collect();
    let loss = Some(Loss::Count("projected-orphans", inside.len() as u64 - 1));
    Ok(Proposal { changes, region: Some((low..=high).collect()), loss })
}
