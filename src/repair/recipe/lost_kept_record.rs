//! SL108: a compaction that names a first kept record which is not there says from now on that it keeps none.
//!
//! That is what its loader does with it: the summary is sent and nothing that stood before it.

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::repair::bench::{position, token};
use crate::repair::script::{Insert, Splice};

pub(super) static RECIPE: Recipe = Recipe {
    name: "lost-kept-record",
    codes: &["SL108"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("compaction_names_what_it_keeps");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let at = position(finding, "index").filter(|_| finding.variant == "nothing-kept").ok_or(UNMET)?;
    let member = bench.ground.layout.kept_from.ok_or(UNMET)?;
    let record = bench.event(at).record;
    let parsed = bench.parse(record)?;
    let value = parsed.json().get(member).ok_or(UNMET)?;
    let with = Insert::Text(token(bench.text(bench.id_of(record))));
    let changes = vec![Change::Replace(Splice { at: parsed.range(value), with })];
    Ok(Proposal { changes, region: Some([at].into_iter().collect()), loss: None })
}
