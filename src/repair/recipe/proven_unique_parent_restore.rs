//! SL004: a record whose parent was lost is hung on the one record that can be proven to stand above the lost one.
//!
//! Two proofs are accepted. The lost record's torn rest is still there and names its parent. Or, where events are
//! numbered and form one tree: exactly one number is missing, and only one earlier record has nothing hanging on it.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::model::{Kind, Sym};
use crate::repair::bench::position;
use crate::repair::recipe::framing::torn_rests;

pub(super) static RECIPE: Recipe = Recipe {
    name: "proven-unique-parent-restore",
    codes: &["SL004"],
    salvage: false,
    audience: Audience::Every,
    shared: true,
    propose,
};

const UNMET: Unmet = Unmet::Condition("unique_parent_candidate");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let child = position(finding, "index").ok_or(UNMET)?;
    let proven = match by_torn_rest(case, child)? {
        Some(id) => Some(id),
        None => by_number(case, child),
    };
    let parent = proven.ok_or(UNMET)?;
    let record = bench.event(child).record;
    let mut region = case.neighbourhood(record);
    region.extend(bench.with_id(parent));
    let changes = vec![Change::Relink { record, parent: Some(bench.text(parent).to_owned()) }];
    Ok(Proposal { changes, region: Some(region), loss: None })
}

/// The parent that the torn rest of the lost record names.
fn by_torn_rest(case: &Case<'_>, child: u32) -> Result<Option<Sym>, Unmet> {
    let bench = case.bench;
    let lost = bench.text(bench.event(child).parent).to_owned();
    let place = bench.row(bench.event(child).record).offset;
    let rests = torn_rests(case)?;
    let named: Vec<Sym> = rests
        .iter()
        .filter(|rest| rest.offset < place && (rest.names(&lost) || rests.len() == 1 && only_loss(case)))
        .filter_map(|rest| rest.parent.as_deref().map(|parent| (rest.offset, bench.sym(parent))))
        .filter(|&(offset, parent)| {
            let before = |at: &u32| bench.row(bench.event(*at).record).offset < offset;
            bench.with_id(parent).first().is_some_and(before)
        })
        .map(|(_, parent)| parent)
        .collect();
    Ok(match named[..] {
        [one] if !splits(case, one, child) => Some(one),
        _ => None,
    })
}

/// Whether all lost parents of the file are one record.
fn only_loss(case: &Case<'_>) -> bool {
    let lost: BTreeSet<Sym> = case
        .bench
        .all_findings()
        .into_iter()
        .filter(|f| f.code() == "SL004")
        .filter_map(|f| Some(case.bench.event(position(f, "index")?).parent))
        .collect();
    lost.len() == 1
}

fn by_number(case: &Case<'_>, child: u32) -> Option<Sym> {
    let bench = case.bench;
    let conventions = &bench.session.conventions;
    if !(case.canonical && conventions.one_tree && conventions.stored_in_order) {
        return None;
    }
    let event = bench.event(child);
    let before = bench.event(child.checked_sub(1)?);
    if event.seq != before.seq.checked_add(2)? {
        return None;
    }
    let scope = |at: u32| bench.session.scope(bench.event(at));
    let free: Vec<u32> = (0..child)
        .filter(|&at| bench.children(bench.event(at).id).is_empty() && scope(at) == scope(child))
        .filter(|&at| !splits(case, bench.event(at).id, child))
        .collect();
    match free[..] {
        [one] if bench.with_id(bench.event(one).id).len() == 1 => Some(bench.event(one).id),
        _ => None,
    }
}

/// Whether a compaction boundary, or another branch, stands between a record and its would-be child.
fn splits(case: &Case<'_>, parent: Sym, child: u32) -> bool {
    let bench = case.bench;
    let Some(&at) = bench.with_id(parent).last() else { return true };
    let (low, high) = (at.min(child), at.max(child));
    let boundary = (low + 1..high).any(|i| bench.event(i).kind == Kind::CompactionBoundary);
    let (a, b) = (bench.session.scope(bench.event(at)), bench.session.scope(bench.event(child)));
    boundary || a.branch != b.branch || at > child
}
