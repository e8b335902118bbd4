//! SL002, and SL001 where that line has its end: the unfinished record at the end of the file is left out. It was never
//! committed; no whole record is touched.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::repair::change::remove;

pub(super) static RECIPE: Recipe = Recipe {
    name: "torn-terminal-record-discard",
    codes: &["SL002", "SL001"],
    salvage: false,
    audience: Audience::Every,
    shared: true,
    propose,
};

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let is_torn = |finding: &Finding| finding.code() == "SL002";
    Case::require(is_torn(finding) || finding.consequences.iter().any(is_torn), "torn_terminal_record")?;
    let (start, end) = (finding.location.byte_start, finding.location.byte_end);
    let (Some(start), Some(end)) = (start, end) else { return Err(Unmet::Condition("torn_terminal_record")) };
    let bench = case.bench;
    let last = bench.session.events.len() as u32;
    // The torn record may have been the result of what came last, or have hung on the record it names.
    let named = super::super::planner::target_index(bench, finding);
    let region: BTreeSet<u32> = match named {
        Some(at) => (at.saturating_sub(1)..last).collect(),
        None => last_said(case).into_iter().collect(),
    };
    Ok(Proposal {
        changes: vec![Change::Replace(remove(start..end))],
        region: (last > 0).then_some(region),
        loss: None,
    })
}

/// The last event that is part of the conversation; in canonical sessions every event is.
fn last_said(case: &Case<'_>) -> Option<u32> {
    let events = &case.bench.session.events;
    let at = events.iter().rposition(|e| case.canonical || !e.flags.not_sent)?;
    u32::try_from(at).ok()
}
