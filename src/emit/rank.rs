//! Which findings come first where a service shows only some: new before known, worst first, each code once before any
//! code twice, then by place.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::finding::{Finding, Severity, Standing};
use crate::report::Report;

/// A finding with its file.
pub(super) type Entry<'a> = (&'a Report, &'a Finding);

/// What comes first: new before known, worst first.
pub(super) fn urgency(finding: &Finding) -> (bool, Reverse<Severity>) {
    (finding.standing == Some(Standing::Known), Reverse(finding.severity))
}

/// All findings in the order in which they earn a place.
pub(super) fn ranked<'a>(reports: impl IntoIterator<Item = &'a Report>) -> Vec<Entry<'a>> {
    let mut all: Vec<Entry<'a>> = reports.into_iter().flat_map(|r| r.findings.iter().map(move |f| (r, f))).collect();
    all.sort_by(|(ra, fa), (rb, fb)| {
        (urgency(fa), &ra.path, fa.location.line).cmp(&(urgency(fb), &rb.path, fb.location.line))
    });
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbered: Vec<(usize, Entry<'a>)> = all
        .into_iter()
        .map(|entry| {
            let number = seen.entry(entry.1.code()).or_default();
            *number += 1;
            (*number, entry)
        })
        .collect();
    numbered.sort_by_key(|(number, (_, finding))| (urgency(finding), *number));
    numbered.into_iter().map(|(_, entry)| entry).collect()
}
