//! SL103: of a call that is stored more than once the first copy stays. Calls that differ are never chosen between.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::adapter::layout::Block;
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::gate::payload_hash;

pub(super) static RECIPE: Recipe = Recipe {
    name: "identical-call-collapse",
    codes: &["SL103"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    const CONDITION: &str = "calls_are_equal";
    let bench = case.bench;
    let first = Case::positions(finding, "call_indexes").into_iter().min().ok_or(Unmet::Condition(CONDITION))?;
    let key = bench.event(first).correlation;
    let of_kind = |kind: Kind| bench.with_key(key).iter().copied().filter(move |&at| bench.event(at).kind == kind);
    let content = |at: u32| bench.object(at).as_ref().and_then(payload_hash);
    for kind in [Kind::ToolCall, Kind::ToolResult] {
        let contents: BTreeSet<Option<String>> = of_kind(kind).map(content).collect();
        Case::require(contents.len() <= 1 && !contents.contains(&None), CONDITION)?;
    }
    let kept = bench.event(first).record;
    let mut region: BTreeSet<u32> = bench.with_key(key).iter().copied().collect();
    let mut changes = Vec::new();
    for at in of_kind(Kind::ToolCall).filter(|&at| at != first) {
        let record = bench.event(at).record;
        region.extend(case.neighbourhood(record));
        let name = bench.text(key);
        let blocks = case.blocks_where(record, |b| matches!(b, Block::Call(id) if *id == name))?;
        // Two copies in one record: the first part stays.
        let extra = blocks.get(usize::from(record == kept)).copied();
        changes.push(match extra {
            Some(block) => Change::DropBlock { record, block },
            None => Change::Drop { record },
        });
    }
    Ok(Proposal { changes, region: Some(region), loss: None })
}
