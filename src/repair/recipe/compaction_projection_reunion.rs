//! SL108: a call and its result come to stand on the same side of the one compaction boundary between them.
//!
//! The call moves to its result, so that a resume still sends the result: in a sequence right behind the boundary, in a
//! tree to its result. A call in a tree that shares its record cannot move, and then the result goes back to it. In
//! canonical sessions the boundary moves behind the pair, as the reference program has it.

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::{Kind, Sym};
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
    if bench.session.conventions.compaction_on_chain {
        let changes = on_chain(case, bench.event(call).record, bench.event(result).record).ok_or(UNMET)?;
        return Ok(Proposal { changes, region, loss: None });
    }
    let (low, high) = (call.min(result), call.max(result));
    let inside: Vec<u32> = (low + 1..high).filter(|&at| bench.event(at).kind == Kind::CompactionBoundary).collect();
    let [boundary] = inside[..] else { return Err(UNMET) };
    let boundary = bench.event(boundary).record;
    let change = if case.canonical {
        Change::Move { record: boundary, behind: bench.event(high).record }
    } else {
        // What was said between the boundary and the result must not come to stand above the boundary.
        Case::require(call < result, "single_boundary_split")?;
        Change::Move { record: bench.event(call).record, behind: boundary }
    };
    let changes = vec![change];
    Ok(Proposal { changes, region, loss: None })
}

/// Re-links a call and its result, each of which must be all that a record says; none when the result is not.
fn on_chain(case: &Case<'_>, call: u32, result: u32) -> Option<Vec<Change>> {
    let bench = case.bench;
    let alone = |record: u32| bench.events_of(record).len() == 1;
    let name = |id: Sym| id.is_some().then(|| bench.text(id).to_owned());
    let (call_parent, result_parent) = (name(bench.parent_of(call)), name(bench.parent_of(result)));
    if !alone(result) {
        return None;
    }
    let mut changes = vec![Change::Relink { record: result, parent: name(bench.id_of(call)) }];
    if alone(call) && result > 0 {
        let children = bench.children(bench.id_of(call)).iter().filter(|&&child| child != result);
        changes.extend(children.map(|&record| Change::Relink { record, parent: call_parent.clone() }));
        changes.push(Change::Relink { record: call, parent: result_parent });
        changes.push(Change::Move { record: call, behind: result - 1 });
    } else {
        let children = bench.children(bench.id_of(result)).iter();
        changes.extend(children.map(|&record| Change::Relink { record, parent: result_parent.clone() }));
    }
    Some(changes)
}
