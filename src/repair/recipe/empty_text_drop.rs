//! SL501: a text that says nothing is taken out of its message: an empty one loses nothing, blanks go under salvage. A
//! message that holds nothing else goes with it, under salvage.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::adapter::layout::Block;
use crate::finding::Finding;
use crate::repair::planner::target_index;

pub(super) static RECIPE: Recipe = Recipe {
    name: "empty-text-drop",
    codes: &["SL501"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let at = target_index(bench, finding).ok_or(Unmet::Condition("empty_text"))?;
    let record = bench.event(at).record;
    let is_empty = |b: &Block<'_>| matches!(b, Block::EmptyText);
    let is_blank = |b: &Block<'_>| !finding.variant.is_empty() && matches!(b, Block::BlankText);
    let blank = case.blocks_where(record, is_blank)?.len() as u64;
    let gone = case.blocks_where(record, |b| is_empty(b) || is_blank(b))?;
    let counts = case.blocks_where(record, |b| !is_empty(b) && !is_blank(b) && !matches!(b, Block::Thinking))?;
    if counts.is_empty() {
        // Where a hole in the numbers is refused, a record is not given up for what its loader takes.
        Case::require(bench.ground.layout.numbering.is_none_or(|numbering| !numbering.gapless), "other_content")?;
        case.require_salvage()?;
        let loss = Some(Loss::Count("empty-record", 1));
        let region = Some(case.neighbourhood(record));
        return Ok(Proposal { changes: vec![Change::Drop { record }], region, loss });
    }
    let loss = (blank > 0).then_some(Loss::Count("blank-text", blank));
    if loss.is_some() {
        case.require_salvage()?;
    }
    let changes = gone.into_iter().map(|block| Change::DropBlock { record, block }).collect();
    Ok(Proposal { changes, region: Some(BTreeSet::new()), loss })
}
