//! What a report says in one word, and what to do about it: the same on every surface.

use super::{Assurance, Report};
use crate::finding::Repairability;

/// The one-word outcome of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to report.
    Healthy,
    /// It replays; something is worth a look.
    Warnings,
    /// At least one error.
    Invalid,
    /// No error, but nothing can be concluded either.
    Inconclusive,
}

impl Verdict {
    /// The word in text reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Warnings => "healthy with warnings",
            Self::Invalid => "invalid",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// A short sentence without full stop.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Healthy => "The session will replay",
            Self::Warnings => "The session will replay, with warnings",
            Self::Invalid => "The session will not replay as recorded",
            Self::Inconclusive => "There is nothing to judge",
        }
    }
}

/// The next thing a person should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Nothing.
    Nothing,
    /// Read the warnings.
    Review,
    /// Repair without loss is possible.
    Repair,
    /// Repair is possible when something is given up.
    Salvage,
    /// A person has to look.
    Inspect,
    /// Make sure that this is a session at all.
    CheckInput,
}

impl Report {
    /// The outcome in one word.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.counts.failing() > 0 {
            Verdict::Invalid
        } else if self.assurance == Assurance::A0 {
            Verdict::Inconclusive
        } else if self.counts.warning > 0 {
            Verdict::Warnings
        } else {
            Verdict::Healthy
        }
    }

    /// What to do next about the whole file.
    #[must_use]
    pub fn next_step(&self) -> NextStep {
        let has = |r: Repairability| self.findings.iter().any(|f| f.repairability == r);
        match self.verdict() {
            Verdict::Healthy => NextStep::Nothing,
            Verdict::Inconclusive => NextStep::CheckInput,
            Verdict::Warnings => NextStep::Review,
            Verdict::Invalid if has(Repairability::Deterministic) => NextStep::Repair,
            Verdict::Invalid if has(Repairability::LossyExplicit) => NextStep::Salvage,
            Verdict::Invalid => NextStep::Inspect,
        }
    }
}
