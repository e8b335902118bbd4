//! SL005, SL006: a part of a canonical session that hangs on nothing is cut off, unless a checkpoint is in it.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::planner::target_index;

pub(super) static RECIPE: Recipe = Recipe {
    name: "unresolvable-branch-amputate",
    codes: &["SL005", "SL006"],
    salvage: true,
    audience: Audience::Canonical,
    shared: true,
    propose,
};

/// More is never cut off in one step.
const LIMIT: usize = 10_000;

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    let seed = target_index(bench, finding).ok_or(Unmet::Condition("branch_has_no_checkpoint"))?;
    let members = component(case, seed);
    let checkpoint = members.iter().any(|&at| bench.event(at).kind == Kind::Checkpoint);
    Case::require(!checkpoint, "branch_has_no_checkpoint")?;
    Case::require(members.len() < bench.session.events.len(), "something_remains")?;
    Case::require(members.len() <= LIMIT, "component-too-large")?;
    let changes = members.iter().map(|&at| Change::Drop { record: bench.event(at).record }).collect();
    Ok(Proposal { changes, region: Some(members), loss: Some(Loss::Events("amputated-branch")) })
}

/// Every event that hangs together with one, up or down; for a repeated id the last event counts.
fn component(case: &Case<'_>, seed: u32) -> BTreeSet<u32> {
    let bench = case.bench;
    let mut found = BTreeSet::new();
    let mut open = vec![seed];
    while let Some(at) = open.pop() {
        if !found.insert(at) {
            continue;
        }
        let event = bench.event(at);
        open.extend(bench.with_id(event.parent).last());
        if bench.with_id(event.id).last() == Some(&at) {
            open.extend(bench.children(event.id).iter().flat_map(|&record| bench.events_of(record)));
        }
    }
    found
}
