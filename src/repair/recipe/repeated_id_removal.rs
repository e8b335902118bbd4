//! SL003: records that say different things under one id all stay; the later ones go without the id, where a record may.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::record::Json;
use crate::repair::bench::position;
use crate::repair::change::remove;

pub(super) static RECIPE: Recipe = Recipe {
    name: "repeated-id-removal",
    codes: &["SL003"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("id_may_go");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    Case::require(!bench.session.conventions.tree, "id_may_go")?;
    let id = bench.event(position(finding, "first_index").ok_or(UNMET)?).id;
    let records: BTreeSet<u32> = bench.with_id(id).iter().map(|&at| bench.event(at).record).collect();
    let mut changes = Vec::new();
    for &record in records.iter().skip(1) {
        let parsed = bench.parse(record)?;
        let member = (bench.ground.layout.spare_id)(parsed.json()).ok_or(UNMET)?;
        let range = member_range(parsed.json(), member).ok_or(UNMET)?;
        let at = parsed.offset + range.start as u64..parsed.offset + range.end as u64;
        changes.push(Change::Replace(remove(at)));
    }
    Case::require(!changes.is_empty(), "id_may_go")?;
    let loss = Some(Loss::Count("repeated-id", changes.len() as u64));
    Ok(Proposal { changes, region: Some(BTreeSet::new()), loss })
}

/// Where a member of an object stands, with the comma that parts it from its neighbour.
fn member_range(object: Json<'_>, member: &str) -> Option<Range<usize>> {
    let rows: Vec<(Json<'_>, Json<'_>)> = object.rows().collect();
    let place = rows.iter().position(|(name, _)| name.text() == member)?;
    Some(match (rows.get(place + 1), place.checked_sub(1).map(|before| rows[before].1)) {
        (Some((next, _)), _) => rows[place].0.start()..next.start(),
        (None, Some(before)) => before.end()..rows[place].1.end(),
        (None, None) => rows[place].0.start()..rows[place].1.end(),
    })
}
