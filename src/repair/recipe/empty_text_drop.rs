//! SL501: an empty text is taken out of its message. A message that holds nothing else goes with it, under salvage.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::adapter::layout::Block;
use crate::finding::Finding;
use crate::repair::bench::position;

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
    let at = position(finding, "index").ok_or(Unmet::Condition("empty_text"))?;
    let record = bench.event(at).record;
    let empty = case.blocks_where(record, |b| matches!(b, Block::EmptyText))?;
    let counts = case.blocks_where(record, |b| !matches!(b, Block::EmptyText | Block::Thinking))?;
    let region = Some(case.neighbourhood(record));
    if counts.is_empty() {
        case.require_salvage()?;
        let loss = Some(Loss::Count("empty-record", 1));
        return Ok(Proposal { changes: vec![Change::Drop { record }], region, loss });
    }
    let changes = empty.into_iter().map(|block| Change::DropBlock { record, block }).collect();
    Ok(Proposal { changes, region: Some(std::collections::BTreeSet::new()), loss: None })
}
