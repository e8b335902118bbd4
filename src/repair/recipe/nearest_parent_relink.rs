//! SL004: a record whose parent was lost is hung on the nearest earlier record of the same chain. A guess, and named so.
//!
//! A result goes below its call. Anything else goes below the last record before it that is part of the conversation,
//! of the same branch and on the same side of every compaction boundary. What nothing stands before becomes a root.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::{Kind, Sym};
use crate::repair::bench::{position, token};
use crate::repair::script::{Insert, Splice};

pub(super) static RECIPE: Recipe = Recipe {
    name: "nearest-parent-relink",
    codes: &["SL004"],
    salvage: true,
    audience: Audience::Every,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("child_is_known");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    case.require_salvage()?;
    let bench = case.bench;
    let child = position(finding, "index").ok_or(UNMET)?;
    let record = bench.event(child).record;
    let parent = nearest(case, child).map(|id| bench.text(id).to_owned());
    let mut changes = vec![Change::Relink { record, parent }];
    changes.extend(kept_from(case, child)?);
    Ok(Proposal { changes, region: Some(case.neighbourhood(record)), loss: Some(Loss::Count("guessed-parent", 1)) })
}

/// A compaction that kept the lost record and what followed keeps what followed. A result alone would not be taken.
fn kept_from(case: &Case<'_>, child: u32) -> Result<Vec<Change>, Unmet> {
    let bench = case.bench;
    let event = bench.event(child);
    let Some(member) = bench.ground.layout.kept_from.filter(|_| event.kind != Kind::ToolResult) else {
        return Ok(Vec::new());
    };
    let mut changes = Vec::new();
    let is_first = bench.children(event.parent).first() == Some(&event.record);
    for kept in bench.session.kept.iter().filter(|kept| is_first && kept.first == event.parent) {
        let parsed = bench.parse(bench.event(kept.boundary).record)?;
        let Some(value) = parsed.json().get(member).filter(|_| child < kept.boundary) else { continue };
        let with = Insert::Text(token(bench.text(bench.id_of(event.record))));
        changes.push(Change::Replace(Splice { at: parsed.range(value), with }));
    }
    Ok(changes)
}

/// Id of the record that a cut-off event most likely followed; none when it begins what is left of its chain.
pub(super) fn nearest(case: &Case<'_>, child: u32) -> Option<Sym> {
    let bench = case.bench;
    let event = bench.event(child);
    let below = descendants(case, event.id);
    let usable = |at: u32| !below.contains(&bench.event(at).record) && !bench.event(at).flags.synthetic_id;
    if event.kind == Kind::ToolResult && event.correlation.is_some() {
        let call = bench.with_key(event.correlation).iter().copied().find(|&at| bench.event(at).kind == Kind::ToolCall);
        if let Some(call) = call.filter(|&at| at < child && usable(at)) {
            return Some(bench.id_of(bench.event(call).record));
        }
    }
    let scope = bench.session.scope(event);
    for at in (0..child).rev() {
        let other = bench.event(at);
        let same = {
            let s = bench.session.scope(other);
            (s.agent, s.branch) == (scope.agent, scope.branch)
        };
        if !same || !usable(at) {
            continue;
        }
        if other.kind == Kind::CompactionBoundary {
            return Some(other.id);
        }
        if other.kind != Kind::Opaque && other.kind != Kind::Unknown {
            return Some(bench.id_of(other.record));
        }
    }
    None
}

/// Records that hang on an id, directly or not.
fn descendants(case: &Case<'_>, id: Sym) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open: Vec<u32> = case.bench.with_id(id).iter().map(|&at| case.bench.event(at).record).collect();
    while let Some(record) = open.pop() {
        if found.insert(record) {
            open.extend(case.bench.children(case.bench.id_of(record)));
        }
    }
    found
}
