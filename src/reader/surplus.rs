//! The cap on findings of reading, per code: the first ones are kept, the rest are counted.
//!
//! A finding takes some kilobytes and a broken line a few bytes: without a cap a file of them takes many times its size.

use std::collections::BTreeMap;

use crate::finding::{Finding, Repairability, Severity, Stage};
use crate::rule::Rule;

/// What is kept of each code: as much as a plan of repair can hold.
const CAP: usize = 20_000;

/// Counts findings by code.
#[derive(Debug, Default)]
pub(super) struct Surplus(BTreeMap<&'static str, Seen>);

#[derive(Debug)]
struct Seen {
    rule: &'static Rule,
    total: usize,
    /// The worst of those left out.
    severity: Severity,
}

impl Surplus {
    /// Gives the finding back unless there are too many of its code.
    pub(super) fn admit(&mut self, finding: Finding) -> Option<Finding> {
        let new = Seen { rule: finding.rule, total: 0, severity: Severity::Info };
        let seen = self.0.entry(finding.code()).or_insert(new);
        seen.total += 1;
        if seen.total <= CAP {
            return Some(finding);
        }
        seen.severity = seen.severity.max(finding.severity);
        None
    }

    /// One row for each code of which findings were left out; as bad as the worst of them.
    pub(super) fn summaries(&self) -> impl Iterator<Item = Finding> {
        self.0.values().filter(|seen| seen.total > CAP).map(|seen| {
            let mut finding = Finding::new(seen.rule, Stage::Reading);
            finding.variant = "overflow-summary";
            finding.severity = seen.severity;
            finding.repairability = Repairability::Manual;
            finding.evidence.insert("cap".into(), CAP.into());
            finding.evidence.insert("overflow".into(), true.into());
            finding.evidence.insert("truncated_count".into(), (seen.total - CAP).into());
            finding.evidence.insert("total_count".into(), seen.total.into());
            finding.evidence.insert("variant".into(), finding.variant.into());
            finding.subject.part = finding.variant.into();
            finding
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::framing::{SL001, SL002};

    #[test]
    fn what_is_left_out_is_counted_and_weighs_as_much() {
        let mut surplus = Surplus::default();
        let mut kept = 0;
        for severity in [Severity::Warning, Severity::Error, Severity::Info] {
            for _ in 0..CAP {
                kept += surplus.admit(Finding { severity, ..Finding::new(&SL001, Stage::Reading) }).iter().count();
            }
        }
        assert!(surplus.admit(Finding::new(&SL002, Stage::Reading)).is_some());
        let summaries: Vec<Finding> = surplus.summaries().collect();
        assert_eq!((kept, summaries.len()), (CAP, 1));
        assert_eq!((summaries[0].code(), summaries[0].severity), ("SL001", Severity::Error));
        assert_eq!(summaries[0].evidence["truncated_count"], 2 * CAP);
    }
}
