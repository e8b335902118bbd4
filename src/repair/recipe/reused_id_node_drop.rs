//! SL003: a note of the agent that reuses the id of another record is left out.
//!
//! Only records that are never sent are dropped. What was written behind such a note hangs on what the note hung on.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Kind;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "reused-id-node-drop",
    codes: &["SL003"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("one_copy_is_sent");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    Case::require(bench.session.conventions.tree, "one_copy_is_sent")?;
    let id = bench.event(position(finding, "first_index").ok_or(UNMET)?).id;
    let records: BTreeSet<u32> = bench.with_id(id).iter().map(|&at| bench.event(at).record).collect();
    let is_note = |record: &u32| bench.events_of(*record).all(|at| bench.event(at).kind == Kind::Opaque);
    let said: Vec<u32> = records.iter().copied().filter(|r| !is_note(r)).collect();
    let kept = match said[..] {
        [] => records.first().copied().ok_or(UNMET)?,
        [one] => one,
        _ => return Err(UNMET),
    };
    let extra: BTreeSet<u32> = records.into_iter().filter(|r| *r != kept).collect();
    let mut changes: Vec<Change> = extra.iter().map(|&record| Change::Drop { record }).collect();
    for &child in bench.children(id) {
        // A record names as its parent the copy that was written last before it.
        let Some(&meant) = extra.range(..child).next_back().filter(|&&copy| copy > kept || child < kept) else {
            continue;
        };
        if !extra.contains(&child) {
            let parent = bench.parent_of(meant);
            changes.push(Change::Relink { record: child, parent: parent.is_some().then(|| bench.text(parent).into()) });
        }
    }
    Ok(Proposal {
        changes,
        region: Some(BTreeSet::new()),
        loss: Some(Loss::Count("unsent-record", extra.len() as u64)),
    })
}
