//! SL107: a result that stands behind other turns goes back to its call, behind the results that stand there already.
//!
//! Only where parent links are the history. The turns in between keep their order and hang on the result then.

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::{Kind, Sym};
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "displaced-result-reunion",
    codes: &["SL107"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("result_below_its_call");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let (call, result) = (position(finding, "use_index"), position(finding, "result_index"));
    let (call, result) = (bench.event(call.ok_or(UNMET)?).record, bench.event(result.ok_or(UNMET)?).record);
    let is_result = |record: u32| bench.events_of(record).all(|at| bench.event(at).kind == Kind::ToolResult);
    Case::require(is_result(result), "result_below_its_call")?;
    let path = path(case, call, result).ok_or(UNMET)?;
    // Behind the call and the results that follow it at once.
    let near = path.iter().take_while(|&&record| record == call || is_result(record)).count();
    let (Some(&last), Some(&next)) = (path.get(near.wrapping_sub(1)), path.get(near)) else { return Err(UNMET) };
    Case::require(next != result, "result_below_its_call")?;
    let name = |id: Sym| id.is_some().then(|| bench.text(id).to_owned());
    let above = name(bench.parent_of(result));
    let mut changes = vec![
        Change::Relink { record: result, parent: name(bench.id_of(last)) },
        Change::Relink { record: next, parent: name(bench.id_of(result)) },
        Change::Move { record: result, behind: last },
    ];
    let children = bench.children(bench.id_of(result)).iter();
    changes.extend(children.map(|&record| Change::Relink { record, parent: above.clone() }));
    let region = path.iter().flat_map(|&record| bench.events_of(record)).collect();
    Ok(Proposal { changes, region: Some(region), loss: None })
}

/// Records from the call down to the result.
fn path(case: &Case<'_>, call: u32, result: u32) -> Option<Vec<u32>> {
    let bench = case.bench;
    let mut path = vec![result];
    let mut record = result;
    for _ in 0..bench.session.records.len() {
        if record == call {
            path.reverse();
            return Some(path);
        }
        let parent = bench.with_id(bench.parent_of(record)).last()?;
        record = bench.event(*parent).record;
        path.push(record);
    }
    None
}
