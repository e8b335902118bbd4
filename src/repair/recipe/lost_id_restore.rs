//! SL302: a record that lost its id gets it back where the links to it prove what it was; else it goes, under salvage.
//!
//! Proven: records behind it name one parent that no record has, and no other record lacks an id or could not be read.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::Sym;
use crate::repair::bench::{evidence_text, position, token};
use crate::repair::script::{Insert, Splice};

pub(super) static RECIPE: Recipe = Recipe {
    name: "lost-id-restore",
    codes: &["SL302"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("record_without_id");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let lacks_id = |f: &Finding| {
        f.variant == "dropped-record" && evidence_text(f, "field_path") == Some(bench.session.conventions.id_member)
    };
    Case::require(lacks_id(finding), "record_without_id")?;
    let start = finding.location.byte_start.ok_or(UNMET)?;
    let record = bench.session.records.iter().position(|row| row.offset == start).ok_or(UNMET)? as u32;
    let all = bench.all_findings();
    let unread = all.iter().any(|f| matches!(f.code(), "SL001" | "SL002"));
    let only_one = all.iter().filter(|f| lacks_id(f)).count() == 1;
    let lost: BTreeSet<Sym> = all
        .iter()
        .filter(|f| f.code() == "SL004")
        .filter_map(|f| position(f, "index"))
        .map(|at| bench.event(at))
        .map(|child| if child.record > record { child.parent } else { Sym::NONE })
        .collect();
    let parsed = bench.parse(record)?;
    let link =
        bench.ground.layout.parent.first().and_then(|name| parsed.json().rows().find(|(n, _)| n.text() == *name));
    if let (Some(id), Some((name, _)), true, false) = (lost.first(), link, only_one && lost.len() == 1, unread)
        && id.is_some()
    {
        let place = parsed.offset + name.start() as u64;
        let member =
            [&token(bench.session.conventions.id_member), b":".as_slice(), &token(bench.text(*id)), b","].concat();
        let changes = vec![Change::Replace(Splice { at: place..place, with: Insert::Text(member) })];
        return Ok(Proposal { changes, region: Some(case.neighbourhood(record)), loss: None });
    }
    case.require_salvage()?;
    case.require_acknowledgement()?;
    let loss = Some(Loss::Count("record-without-id", 1));
    Ok(Proposal { changes: vec![Change::Drop { record }], region: Some(case.neighbourhood(record)), loss })
}
