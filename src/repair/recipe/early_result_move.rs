//! SL105: a result that stands before its call goes behind it, where order alone is the history.

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "early-result-move",
    codes: &["SL105"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("order_is_the_history");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let (call, result) = (position(finding, "use_index"), position(finding, "result_index"));
    let (call, result) = (call.ok_or(UNMET)?, result.ok_or(UNMET)?);
    let linear = |at: u32| !bench.session.conventions.tree || bench.event(at).flags.synthetic_id;
    let (record, behind) = (bench.event(result).record, bench.event(call).record);
    let alone = bench.events_of(record).all(|at| bench.event(at).kind == Kind::ToolResult);
    Case::require(linear(call) && linear(result) && alone && record < behind, "order_is_the_history")?;
    let region = Some([record, behind].into_iter().flat_map(|record| bench.events_of(record)).collect());
    Ok(Proposal { changes: vec![Change::Move { record, behind }], region, loss: None })
}
