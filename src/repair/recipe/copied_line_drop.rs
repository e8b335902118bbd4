//! SL506, SL514: lines that are stored again byte for byte go. The first copy stays.
//!
//! A numbered record that was copied is no loss. A copied header begins the log anew: without it everything above counts
//! again, so that the session comes to more than a loader saw last. That is done under the salvage policy.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::repair::change::remove;

pub(super) static NUMBERED: Recipe = Recipe {
    name: "numbered-copy-drop",
    codes: &["SL506"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose: |case, finding| {
        Case::require(finding.variant == "copied", "stored_again")?;
        Ok(drop(line(case, finding)?))
    },
};

pub(super) static HEADER: Recipe = Recipe {
    name: "copied-header-drop",
    codes: &["SL514"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose: |case, finding| {
        case.require_salvage()?;
        let line = line(case, finding)?;
        let first = case.bench.bytes(0..case.bench.line_end(0)?)?;
        let again = case.bench.bytes(line.clone())?;
        Case::require(first.trim_ascii() == again.trim_ascii(), "copy_of_the_header")?;
        Ok(drop(line))
    },
};

fn line(case: &Case<'_>, finding: &Finding) -> Result<Range<u64>, Unmet> {
    let place = finding.location;
    match (place.byte_start, place.byte_end, place.column) {
        (Some(start), Some(end), Some(1)) => Ok(start..case.bench.line_end(end)?),
        _ => Err(Unmet::Condition("line_of_its_own")),
    }
}

fn drop(line: Range<u64>) -> Proposal {
    Proposal { changes: vec![Change::Replace(remove(line))], region: Some(BTreeSet::new()), loss: None }
}
