//! The cap per code: the findings with the smallest ids are kept, the rest are counted.
//!
//! Works while findings arrive, so that a hostile session never holds more than the cap in memory.

use std::collections::BinaryHeap;

use super::context::{Context, Found, NONE, overflow};
use crate::finding::fingerprint::fingerprint;
use crate::rule::Rule;

/// What is kept of each code unless said otherwise.
pub(crate) const CAP: usize = 500;

/// Findings of one code, the best [`Capped::cap`] of all that were pushed.
pub(crate) struct Capped {
    rule: &'static Rule,
    cap: usize,
    total_name: &'static str,
    total: usize,
    kept: BinaryHeap<Ranked>,
}

struct Ranked {
    primary: String,
    arrival: usize,
    found: Found,
}

impl Ranked {
    fn key(&self) -> (&str, &str, usize) {
        (&self.primary, &self.found.finding.fingerprint, self.arrival)
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Capped {
    /// For a code with the usual cap.
    pub(crate) fn new(rule: &'static Rule) -> Self {
        Self::with_cap(rule, CAP, "total_count")
    }

    /// For a code with its own cap, whose summary names the total `total_name`.
    pub(crate) fn with_cap(rule: &'static Rule, cap: usize, total_name: &'static str) -> Self {
        Self { rule, cap, total_name, total: 0, kept: BinaryHeap::new() }
    }

    /// Adds a finding, ranked by `primary` and then by fingerprint, which is set here unless it is known.
    pub(crate) fn push(&mut self, context: &Context<'_>, primary: &str, mut found: Found) {
        self.total += 1;
        let full = self.kept.len() >= self.cap;
        if full && self.kept.peek().is_some_and(|worst| primary > worst.primary.as_str()) {
            return;
        }
        if found.finding.fingerprint.is_empty() {
            found.finding.fingerprint = fingerprint(&found.finding, &context.origin);
        }
        self.kept.push(Ranked { primary: primary.to_owned(), arrival: self.total, found });
        if full {
            self.kept.pop();
        }
    }

    /// Adds a finding ranked by its record id.
    pub(crate) fn push_by_record(&mut self, context: &Context<'_>, found: Found) {
        let primary = found.finding.record_id.clone().unwrap_or_default();
        self.push(context, &primary, found);
    }

    /// The kept findings in order, and a summary when more were pushed.
    pub(crate) fn finish(self, context: &Context<'_>) -> Vec<Found> {
        let (cap, total) = (self.cap, self.total);
        let mut all: Vec<Found> = self.kept.into_sorted_vec().into_iter().map(|ranked| ranked.found).collect();
        if total > cap {
            let mut summary = overflow(self.rule, cap, total, self.total_name);
            summary.fingerprint = fingerprint(&summary, &context.origin);
            all.push(Found::one(summary, NONE));
        }
        all
    }
}
