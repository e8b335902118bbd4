//! SL104: of several equal results of one call the first stays. Results that differ are never chosen between.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::adapter::layout::Block;
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;
use crate::repair::gate::payload_hash;

pub(super) static RECIPE: Recipe = Recipe {
    name: "duplicate-projection-removal",
    codes: &["SL104"],
    salvage: false,
    audience: Audience::Every,
    shared: true,
    propose,
};

const UNMET: Unmet = Unmet::Condition("duplicate_projection_identical");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let first = Case::positions(finding, "result_indexes").into_iter().min().or_else(|| position(finding, "index"));
    let key = bench.event(first.ok_or(UNMET)?).correlation;
    let of_kind = |kind: Kind| bench.with_key(key).iter().copied().filter(move |&at| bench.event(at).kind == kind);
    let results: Vec<u32> = of_kind(Kind::ToolResult).collect();
    let [first, rest @ ..] = results.as_slice() else { return Err(UNMET) };
    let content = |at: u32| bench.object(at).as_ref().and_then(payload_hash);
    let kept = content(*first);
    let equal: Vec<u32> = rest.iter().copied().filter(|&at| kept.is_some() && content(at) == kept).collect();
    Case::require(!equal.is_empty(), "duplicate_projection_identical")?;
    let kept_record = bench.event(*first).record;
    let mut region: BTreeSet<u32> = of_kind(Kind::ToolCall).chain([*first]).collect();
    let mut changes = Vec::new();
    for at in equal {
        let record = bench.event(at).record;
        region.extend(case.neighbourhood(record));
        if record == kept_record || bench.events_of(record).len() > 1 {
            changes.extend(block(case, record, at, *first)?);
            continue;
        }
        changes.push(Change::Drop { record });
        let parent = Some(bench.text(bench.id_of(kept_record)).to_owned());
        let children = bench.children(bench.id_of(record)).iter();
        changes.extend(children.map(|&record| Change::Relink { record, parent: parent.clone() }));
    }
    Ok(Proposal { changes, region: Some(region), loss: None })
}

/// The part of a record that holds a surplus result: the last one of the call, where the first stands in the same record.
fn block(case: &Case<'_>, record: u32, at: u32, first: u32) -> Result<Option<Change>, Unmet> {
    let key = case.bench.text(case.bench.event(at).correlation);
    let skip = usize::from(case.bench.event(first).record == record);
    let nth =
        case.bench.events_of(record).filter(|&e| case.bench.event(e).correlation == case.bench.event(at).correlation);
    let rank = nth.take_while(|&e| e < at).count().max(skip);
    let blocks = case.blocks_where(record, |b| matches!(b, Block::Result(id) if *id == key))?;
    Ok(blocks.into_iter().nth(rank).map(|block| Change::DropBlock { record, block }))
}
