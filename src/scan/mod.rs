//! Scanning trees: every file checked, in parallel, with one order of results whatever the number of threads.

pub mod pattern;
pub mod roots;
pub mod walk;

use std::path::Path;

use rayon::prelude::*;

pub use roots::Root;
pub use walk::{Fate, Limits, Skip};

use crate::finding::Severity;
use crate::inspect::{self, CheckError};
use crate::report::Report;
use crate::report::gate::Gate;
use crate::source::path::{clean, minimise};

/// What became of one file of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was checked: its place in [`Scan::reports`].
    Checked(usize),
    /// It was left out, by rule or because it is no session.
    Skipped(Skip),
    /// It could not be read; what the system said.
    Unreadable(String),
    /// A followed link that leads nowhere.
    BrokenLink,
}

/// One file of a scan.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its path, cleaned: the root joined with the relative path.
    pub path: String,
    /// The path as documents of the reference program show it.
    pub minimised_path: String,
    /// See there.
    pub outcome: Outcome,
}

/// In which of five buckets a file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bucket {
    /// No error; warnings included.
    Healthy,
    /// At least one error.
    Invalid,
    /// A format or version we do not read.
    Unsupported,
    /// It could not be read.
    Unreadable,
    /// It was left out.
    Skipped,
}

impl Bucket {
    /// All buckets, in the order of totals.
    pub const ALL: [Self; 5] = [Self::Healthy, Self::Invalid, Self::Unsupported, Self::Unreadable, Self::Skipped];

    /// The word in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Invalid => "invalid",
            Self::Unsupported => "unsupported",
            Self::Unreadable => "unreadable",
            Self::Skipped => "skipped",
        }
    }
}

/// The result of a scan.
#[derive(Debug)]
pub struct Scan {
    /// The roots as documents show them; several are joined by a comma and a blank.
    pub root: String,
    /// Every file, sorted by minimised path.
    pub rows: Vec<Row>,
    /// The reports of the files that were checked, sorted by path.
    pub reports: Vec<Report>,
}

impl Scan {
    /// The bucket of a row.
    #[must_use]
    pub fn bucket(&self, row: &Row) -> Bucket {
        match row.outcome {
            Outcome::Checked(index) => {
                let report = &self.reports[index];
                if report.is_unsupported() {
                    Bucket::Unsupported
                } else if report.counts.failing() > 0 {
                    Bucket::Invalid
                } else {
                    Bucket::Healthy
                }
            }
            Outcome::Skipped(_) => Bucket::Skipped,
            Outcome::Unreadable(_) | Outcome::BrokenLink => Bucket::Unreadable,
        }
    }

    /// Number of files in a bucket.
    #[must_use]
    pub fn count(&self, bucket: Bucket) -> usize {
        self.rows.iter().filter(|row| self.bucket(row) == bucket).count()
    }

    /// Whether the gate passes. A file that cannot be read weighs as much as an error.
    #[must_use]
    pub fn passes(&self, gate: &Gate) -> bool {
        let unreadable =
            gate.fail_on.is_some_and(|least| least <= Severity::Error) && self.count(Bucket::Unreadable) > 0;
        !unreadable && gate.passes(&self.reports)
    }
}

/// Told after each file how many bytes it had; may be called from any thread.
pub type Progress<'a> = dyn Fn(u64) + Sync + 'a;

/// How to check the file at a path; may be asked from any thread.
pub type OptionsFor<'a> = dyn Fn(&Path) -> inspect::Options + Sync + 'a;

/// Walks the roots and checks every file. In a folder, files that are no session are left out and counted; a root that
/// is a file itself was meant to be one. Paths below `home` are shown as `~/…`.
#[must_use]
pub fn scan(
    roots: &[Root],
    limits: &Limits,
    home: Option<&str>,
    options: &OptionsFor<'_>,
    done: &Progress<'_>,
) -> Scan {
    let entries = walk::walk(roots, limits);
    let checked: Vec<(String, Result<Report, Outcome>)> = entries
        .into_par_iter()
        .map(|entry| {
            let result = match entry.fate {
                Fate::Skipped(skip) => Err(Outcome::Skipped(skip)),
                Fate::BrokenLink => Err(Outcome::BrokenLink),
                Fate::Unexaminable(what) => Err(Outcome::Unreadable(what)),
                Fate::Check => check(&entry.path, entry.named, &options(&entry.path)),
            };
            done(result.as_ref().map_or(0, |report| report.source_size));
            (clean(&entry.path), result)
        })
        .collect();
    let mut checked: Vec<_> = checked.into_iter().map(|(path, result)| (minimise(&path, home), path, result)).collect();
    checked.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut scan = Scan { root: shown_roots(roots, home), rows: Vec::new(), reports: Vec::new() };
    for (minimised_path, path, result) in checked {
        let outcome = match result {
            Ok(report) => {
                scan.reports.push(report);
                Outcome::Checked(scan.reports.len() - 1)
            }
            Err(outcome) => outcome,
        };
        scan.rows.push(Row { path, minimised_path, outcome });
    }
    scan
}

fn shown_roots(roots: &[Root], home: Option<&str>) -> String {
    let shown: Vec<String> = roots.iter().map(|root| minimise(&clean(&root.path), home)).collect();
    shown.join(", ")
}

fn check(path: &Path, named: bool, options: &inspect::Options) -> Result<Report, Outcome> {
    match inspect::check_path(path, options) {
        Ok(report) if !named && report.is_empty_file() => Err(Outcome::Skipped(Skip::Empty)),
        Ok(report) if !named && report.is_not_a_session() => Err(Outcome::Skipped(Skip::NotASession)),
        Ok(report) => Ok(report),
        Err(CheckError::Io { source, .. }) => Err(Outcome::Unreadable(source.to_string())),
        Err(error) => Err(Outcome::Unreadable(error.to_string())),
    }
}
