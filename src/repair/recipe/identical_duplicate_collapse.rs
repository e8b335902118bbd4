//! SL003: of a record stored more than once the first copy stays.
//!
//! Canonical copies must be neighbours; elsewhere equal bytes decide, however far apart the copies stand. Copies that
//! were stamped anew for another session go under the salvage policy.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::{Finding, Repairability};
use crate::model::Kind;
use crate::repair::bench::position;
use crate::repair::gate::payload_hash;

pub(super) static RECIPE: Recipe = Recipe {
    name: "identical-duplicate-collapse",
    codes: &["SL003"],
    salvage: false,
    audience: Audience::Every,
    shared: true,
    propose,
};

pub(super) static RESTAMPED: Recipe = Recipe {
    name: "restamped-copy-collapse",
    codes: &["SL003"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose: |case, finding| {
        case.require_salvage()?;
        Case::require(finding.variant == "restamped-copy", "says_the_same")?;
        let first = position(finding, "first_index").ok_or(UNMET)?;
        let extra = copies(case, first, |record| case.bench.said_hash(record));
        let loss = Some(Loss::Count("stamp", extra.len() as u64));
        Ok(Proposal { loss, ..collapse(case, first, extra) })
    },
};

const UNMET: Unmet = Unmet::Condition("adjacent_identical_duplicate");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    // Where position decides what an item follows, copies differ in that alone.
    if case.canonical && finding.repairability != Repairability::Deterministic {
        return Err(UNMET);
    }
    let first = position(finding, "first_index").ok_or(UNMET)?;
    let extra = if case.canonical {
        neighbours(case, first)
    } else {
        copies(case, first, |record| case.bench.record_hash(record))
    };
    if extra.is_empty() {
        return Err(UNMET);
    }
    Ok(collapse(case, first, extra))
}

fn collapse(case: &Case<'_>, first: u32, extra: BTreeSet<u32>) -> Proposal {
    let mut region = case.neighbourhood(case.bench.event(first).record);
    region.extend(extra.iter().flat_map(|&record| case.bench.events_of(record)));
    let changes = extra.into_iter().map(|record| Change::Drop { record }).collect();
    Proposal { changes, region: Some(region), loss: None }
}

/// Records right behind the first copy, or right before it, that are the same event.
fn neighbours(case: &Case<'_>, first: u32) -> BTreeSet<u32> {
    let bench = case.bench;
    let content = |at: u32| bench.object(at).as_ref().and_then(payload_hash);
    let same = |a: u32, b: u32| {
        let (x, y) = (bench.event(a), bench.event(b));
        let plain = !matches!(x.kind, Kind::Checkpoint | Kind::CompactionBoundary);
        x.id == y.id && x.kind == y.kind && plain && content(a).is_some() && content(a) == content(b)
    };
    let end = bench.session.events.len() as u32;
    (first + 1..end).take_while(|&at| same(at - 1, at)).map(|at| bench.event(at).record).collect()
}

/// Records with the id and the hash of the first.
fn copies(case: &Case<'_>, first: u32, hash_of: impl Fn(u32) -> Option<[u8; 32]>) -> BTreeSet<u32> {
    let bench = case.bench;
    let kept = bench.event(first).record;
    let hash = hash_of(kept);
    let same = |record: &u32| *record != kept && hash.is_some() && hash_of(*record) == hash;
    let records: BTreeSet<u32> =
        bench.with_id(bench.event(first).id).iter().map(|&at| bench.event(at).record).collect();
    records.into_iter().filter(same).collect()
}
