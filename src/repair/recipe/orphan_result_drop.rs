//! SL101: a result whose call is nowhere is taken out, alone when its record says more.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::adapter::layout::Block;
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;
use crate::repair::gate::{Effect, effect};

pub(super) static RECIPE: Recipe = Recipe {
    name: "orphan-result-drop",
    codes: &["SL101"],
    salvage: true,
    audience: Audience::Every,
    shared: true,
    propose,
};

const UNMET: Unmet = Unmet::Condition("sl101_orphan_present");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    let at = position(finding, "index").ok_or(UNMET)?;
    if case.canonical || effect(bench, at) != Effect::None {
        case.require_acknowledgement()?;
    }
    let event = bench.event(at);
    Case::require(event.kind == Kind::ToolResult, "sl101_orphan_present")?;
    let key = bench.text(event.correlation);
    let blocks = case.blocks_where(event.record, |b| matches!(b, Block::Result(id) if *id == key))?;
    let changes = match blocks[..] {
        [] => vec![Change::Drop { record: event.record }],
        _ => blocks.into_iter().map(|block| Change::DropBlock { record: event.record, block }).collect(),
    };
    let loss = Some(Loss::Count("orphan-result", 1));
    Ok(Proposal { changes, region: Some(case.neighbourhood(event.record)), loss })
}
