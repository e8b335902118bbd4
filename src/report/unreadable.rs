//! The report of a file that could not be opened: one error, so that no surface passes over it.

use std::collections::BTreeMap;

use super::assemble::{Parts, assemble};
use super::{Detection, Report};
use crate::check::framing::SL001;
use crate::finding::{Finding, Stage, Subject};
use crate::rule::profile::Profile;
use crate::rule::selection::Selection;

/// The report of the file at `path` (cleaned). `what` is what the system said.
#[must_use]
pub fn unreadable(
    path: &str,
    repo_path: Option<String>,
    home: Option<&str>,
    what: &str,
    profile: &'static Profile,
) -> Report {
    let mut finding = Finding::new(&SL001, Stage::Reading);
    finding.variant = "unreadable-file";
    finding.detail.insert("error".into(), what.into());
    // There is nothing to know it by but its name.
    finding.subject = Subject { record: repo_path.as_deref().unwrap_or(path).to_owned(), part: finding.variant.into() };
    assemble(Parts {
        path,
        repo_path,
        home,
        sha256: String::new(),
        size: 0,
        format: None,
        detection: Detection::default(),
        profile,
        records: 0,
        events: 0,
        is_gated: false,
        kinds: BTreeMap::new(),
        reconstructed: false,
        findings: vec![finding],
        outline: None,
        selection: &Selection::default(),
    })
}
