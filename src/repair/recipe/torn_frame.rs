//! SL002: the half frame at the end of a compressed log is left out when nothing of it can be read, else what can be
//! read is sealed as a whole frame.
//!
//! The program that wrote the log would do the same on its next load. The checksum of a frame stands at its end, so
//! nothing proves the records that half a frame still gives: keeping them is salvage.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};

pub(super) static TRUNCATE: Recipe = Recipe {
    name: "torn-frame-truncate",
    codes: &["SL002"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose: |case, _| {
        Case::require(records(case) == Some(0), "nothing_recoverable")?;
        close_tail(None)
    },
};

pub(super) static RESEAL: Recipe = Recipe {
    name: "torn-frame-reseal",
    salvage: true,
    propose: |case, _| {
        case.require_salvage()?;
        close_tail(Some(Loss::Count("frame-checksum", 1)))
    },
    ..TRUNCATE
};

/// Whole records that the half frame still gives.
fn records(case: &Case<'_>) -> Option<u64> {
    case.bench.ground.tail.map(|tail| tail.records)
}

/// No event of the text before it depends on what was never written whole.
fn close_tail(loss: Option<Loss>) -> Result<Proposal, Unmet> {
    Ok(Proposal { changes: vec![Change::CloseTail], region: Some(BTreeSet::new()), loss })
}
