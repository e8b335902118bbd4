//! SL005: a ring of parents is opened at its earliest record, which then hangs on what stood before the ring.

use super::nearest_parent_relink::nearest;
use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Sym;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe =
    Recipe { name: "cycle-break", codes: &["SL005"], salvage: true, audience: Audience::Every, shared: false, propose };

const UNMET: Unmet = Unmet::Condition("cycle_members_known");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    let entry = position(finding, "entry_index").ok_or(UNMET)?;
    let step = |at: u32| {
        let parent: Sym = bench.parent_of(bench.event(at).record);
        bench.with_id(parent).last().copied()
    };
    let (mut earliest, mut at) = (entry, entry);
    for _ in 0..bench.session.events.len() {
        at = step(at).ok_or(UNMET)?;
        if at == entry {
            break;
        }
        earliest = earliest.min(at);
    }
    let parent = nearest(case, earliest).map(|id| bench.text(id).to_owned());
    let record = bench.event(earliest).record;
    Ok(Proposal {
        changes: vec![Change::Relink { record, parent }],
        region: Some(case.neighbourhood(record)),
        loss: Some(Loss::Count("guessed-parent", 1)),
    })
}
