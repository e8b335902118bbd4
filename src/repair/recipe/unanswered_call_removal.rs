//! SL102: a call that was never answered is taken out, alone when its record says more. No result is ever made up.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::adapter::layout::Block;
use crate::finding::Finding;
use crate::repair::bench::position;
use crate::repair::gate::{Effect, effect};

pub(super) static RECIPE: Recipe = Recipe {
    name: "unanswered-call-removal",
    codes: &["SL102"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("unanswered_call");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    // Where numbers must have no hole, the program closes open calls itself.
    Case::require(bench.ground.layout.numbering.is_none_or(|n| !n.gapless), "record_may_go")?;
    let at = position(finding, "index").ok_or(UNMET)?;
    if effect(bench, at) != Effect::None {
        case.require_acknowledgement()?;
    }
    let event = bench.event(at);
    let key = bench.text(event.correlation);
    let blocks = case.blocks_where(event.record, |b| matches!(b, Block::Call(id) if *id == key))?;
    let changes = match blocks[..] {
        [] => vec![Change::Drop { record: event.record }],
        [block, ..] => vec![Change::DropBlock { record: event.record, block }],
    };
    let loss = Some(Loss::Count("unanswered-call", 1));
    Ok(Proposal { changes, region: Some(case.neighbourhood(event.record)), loss })
}
