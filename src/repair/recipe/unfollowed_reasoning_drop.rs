//! SL516: reasoning that lost the item it led to is taken out, where loaders would send it as it stands.

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::repair::bench::position;

pub(super) static RECIPE: Recipe = Recipe {
    name: "unfollowed-reasoning-drop",
    codes: &["SL516"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("reasoning_is_sent_alone");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let alone = finding.variant == "unfollowed" && case.bench.session.conventions.sends_reasoning_alone;
    let at = position(finding, "index").filter(|_| alone).ok_or(UNMET)?;
    let record = case.bench.event(at).record;
    let loss = Some(Loss::Count("unfollowed-reasoning", 1));
    Ok(Proposal { changes: vec![Change::Drop { record }], region: Some(case.neighbourhood(record)), loss })
}
