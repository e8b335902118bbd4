//! Folding of repeats, so that a file with hundreds of equal findings stays readable.

use std::collections::BTreeMap;

use super::rank;
use crate::finding::Finding;

/// A kind of finding with more members than this is folded.
const FOLD_ABOVE: usize = 5;
/// As many of them are still shown in full.
const SHOWN: usize = 3;

/// One entry of a list for people.
pub(super) enum Row<'a> {
    /// A finding in full, and its index.
    One(usize, &'a Finding),
    /// The rest of its kind, behind the last one shown. Never empty.
    More(Vec<&'a Finding>),
}

impl Row<'_> {
    /// The finding that tells what kind the row is.
    pub(super) fn first(&self) -> &Finding {
        match self {
            Row::One(_, finding) => finding,
            Row::More(rest) => rest[0],
        }
    }
}

/// Findings in the order given, repeats of a code and variant folded.
pub(super) fn fold(findings: &[Finding]) -> Vec<Row<'_>> {
    let kind = |f: &Finding| (f.code(), f.variant, rank::urgency(f));
    let mut groups: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        groups.entry(kind(finding)).or_default().push(finding);
    }
    let mut shown: BTreeMap<_, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        let seen = shown.entry(kind(finding)).or_default();
        let group = &groups[&kind(finding)];
        *seen += 1;
        if group.len() <= FOLD_ABOVE {
            rows.push(Row::One(index, finding));
        } else if *seen <= SHOWN {
            rows.push(Row::One(index, finding));
            if *seen == SHOWN {
                rows.push(Row::More(group[SHOWN..].to_vec()));
            }
        }
    }
    rows
}
