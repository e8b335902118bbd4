//! SL108: a call and its result come to stand on the same side of the one compaction boundary between them.
//!
//! In a sequence the boundary moves behind the pair. In a tree the result goes below its call, and what followed it
//! goes below what it followed.

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "compaction-projection-reunion",
    codes: &["SL108"],
    salvage: false,
    audience: Audience::Every,
    shared: true,
    propose,
};

const UNMET: Unmet = Unmet::Condition("single_boundary_split");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let (call, result) = (position(finding, "use_index"), position(finding, "result_index"));
    let (call, result) = (call.ok_or(UNMET)?, result.ok_or(UNMET)?);
    let region = Some((call.min(result)..=call.max(result)).collect());
    let record = bench.event(result).record;
    if bench.session.conventions.compaction_on_chain {
        let alone = bench.events_of(record).all(|at| bench.event(at).kind == Kind::ToolResult);
        Case::require(alone && bench.events_of(record).len() == 1, "single_boundary_split")?;
        let above = bench.parent_of(record);
        let above = above.is_some().then(|| bench.text(above).to_owned());
        let call_id = bench.text(bench.id_of(bench.event(call).record)).to_owned();
        let mut changes = vec![Change::Relink { record, parent: Some(call_id) }];
        let children = bench.children(bench.id_of(record)).iter();
        changes.extend(children.map(|&child| Change::Relink { record: child, parent: above.clone() }));
        return Ok(Proposal { changes, region, loss: None });
    }
    let (low, high) = (call.min(result), call.max(result));
    let inside: Vec<u32> = (low + 1..high).filter(|&at| bench.event(at).kind == Kind::CompactionBoundary).collect();
    let [boundary] = inside[..] else { return Err(UNMET) };
    let changes = vec![Change::Move { record: bench.event(boundary).record, behind: bench.event(high).record }];
    Ok(Proposal { changes, region, loss: None })
}
