//! SL103, SL104: of calls or results that differ under one key the last one stays, where the loader takes that one alone.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "superseded-copy-drop",
    codes: &["SL103", "SL104"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("last_copy_counts");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    case.require_acknowledgement()?;
    let bench = case.bench;
    Case::require(bench.ground.layout.last_copy_counts, "last_copy_counts")?;
    let (kind, list) = match finding.code() {
        "SL103" => (Kind::ToolCall, "call_indexes"),
        _ => (Kind::ToolResult, "result_indexes"),
    };
    let any = Case::positions(finding, list).first().copied().or_else(|| position(finding, "index")).ok_or(UNMET)?;
    let key = bench.event(any).correlation;
    let copies = bench.with_key(key).iter().filter(|&&at| bench.event(at).kind == kind);
    let records: BTreeSet<u32> = copies.map(|&at| bench.event(at).record).collect();
    let last = records.last().copied().filter(|_| records.len() > 1).ok_or(UNMET)?;
    let changes: Vec<Change> =
        records.iter().filter(|record| **record != last).map(|&record| Change::Drop { record }).collect();
    let loss = Some(Loss::Count("superseded-copy", changes.len() as u64));
    Ok(Proposal { changes, region: Some(bench.with_key(key).iter().copied().collect()), loss })
}
