//! Scanning trees: every file checked, in parallel, with one order of results whatever the number of threads.

pub mod merge;
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
use crate::report::unreadable::unreadable;
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

impl Outcome {
    /// Why the file could not be read, when that is so.
    #[must_use]
    pub fn unreadable(&self) -> Option<&str> {
        match self {
            Self::Unreadable(what) => Some(what),
            Self::BrokenLink => Some("the link leads nowhere"),
            Self::Checked(_) | Self::Skipped(_) => None,
        }
    }
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
    /// The roots as documents show them, folders hashed; several are joined by a comma and a blank.
    pub root: String,
    /// The roots as given, for people.
    pub named_root: String,
    /// Which part of a divided tree this is: I of N.
    pub shard: Option<(u64, u64)>,
    /// Every file, sorted by minimised path.
    pub rows: Vec<Row>,
    /// The reports of the files that were checked, sorted by path.
    pub reports: Vec<Report>,
    /// Reports that stand for the files that could not be read, sorted by minimised path.
    pub unreadable: Vec<Report>,
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

    /// The report that stands for a file that could not be read.
    #[must_use]
    pub fn unreadable_report(&self, row: &Row) -> Option<&Report> {
        let place = (&row.minimised_path, &row.path);
        let found = self.unreadable.binary_search_by(|report| (&report.minimised_path, &report.path).cmp(&place));
        found.ok().map(|index| &self.unreadable[index])
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

/// Reads `I/N`, part I of N.
///
/// # Errors
/// A sentence.
pub fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts
        .filter(|(i, n): &(u64, u64)| (1..=*n).contains(i))
        .ok_or_else(|| format!("expected I/N with 1 <= I <= N, got {text:?}"))
}

/// A path, what came of it, and the report that stands for it when it could not be read.
type Checked = (String, Result<Report, Outcome>, Option<Report>);

/// Told after each file how many bytes it had; may be called from any thread.
pub type Progress<'a> = dyn Fn(u64) + Sync + 'a;

/// How to check the file at a path; may be asked from any thread.
pub type OptionsFor<'a> = dyn Fn(&Path) -> inspect::Options + Sync + 'a;

/// Walks the roots and checks every file. In a folder, files that are no session are left out and counted; a root that
/// is a file itself was meant to be one. Paths below `home` are shown as `~/…`.
///
/// ```
/// use sesslint::inspect::Options;
/// use sesslint::scan::{Bucket, Limits, Root, scan};
///
/// let roots = [Root::folder("fixtures/examples".as_ref())];
/// let found = scan(&roots, &Limits::default(), None, &|_| Options::default(), &|_| ());
/// assert_eq!((found.count(Bucket::Healthy), found.count(Bucket::Invalid)), (5, 5));
/// ```
#[must_use]
pub fn scan(
    roots: &[Root],
    limits: &Limits,
    home: Option<&str>,
    options: &OptionsFor<'_>,
    done: &Progress<'_>,
) -> Scan {
    let entries = walk::walk(roots, limits);
    let checked: Vec<Checked> = entries
        .into_par_iter()
        .map(|entry| {
            let options = options(&entry.path);
            let result = match entry.fate {
                Fate::Skipped(skip) => Err(Outcome::Skipped(skip)),
                Fate::BrokenLink => Err(Outcome::BrokenLink),
                Fate::Unexaminable(what) => Err(Outcome::Unreadable(what)),
                Fate::Check => check(&entry.path, entry.named, &options),
            };
            done(result.as_ref().map_or(0, |report| report.source_size));
            let unreadable = result.as_ref().err().and_then(Outcome::unreadable).map(|what| {
                let repo_path = options.root.as_deref().and_then(|root| inspect::below(&entry.path, root));
                unreadable(&clean(&entry.path), repo_path, home, what, options.profile)
            });
            (clean(&entry.path), result, unreadable)
        })
        .collect();
    let mut checked: Vec<_> = checked.into_iter().map(|checked| (minimise(&checked.0, home), checked)).collect();
    checked.sort_by(|a, b| (&a.0, &a.1.0).cmp(&(&b.0, &b.1.0)));
    let mut scan = Scan {
        root: joined(roots, |path| minimise(&path, home)),
        named_root: joined(roots, |path| path),
        shard: limits.shard,
        rows: Vec::new(),
        reports: Vec::new(),
        unreadable: Vec::new(),
    };
    for (minimised_path, (path, result, unreadable)) in checked {
        scan.unreadable.extend(unreadable);
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

fn joined(roots: &[Root], shown: impl Fn(String) -> String) -> String {
    let shown: Vec<String> = roots.iter().map(|root| shown(clean(&root.path))).collect();
    shown.join(", ")
}

fn check(path: &Path, named: bool, options: &inspect::Options) -> Result<Report, Outcome> {
    // The reference program's scan checks what its check leaves alone.
    match inspect::check_path(path, &inspect::Options { version_gate: false, ..options.clone() }) {
        Ok(report) if !named && report.is_empty_file() => Err(Outcome::Skipped(Skip::Empty)),
        Ok(report) if !named && report.is_not_a_session() => Err(Outcome::Skipped(Skip::NotASession)),
        Ok(report) => Ok(report),
        Err(CheckError::NotAdmitted { report, .. }) => Ok(*report),
        Err(CheckError::Io { source, .. }) => Err(Outcome::Unreadable(source.to_string())),
        Err(error) => Err(Outcome::Unreadable(error.to_string())),
    }
}
