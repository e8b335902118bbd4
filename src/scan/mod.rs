//! Scanning trees: every file checked, in parallel, with one order of results whatever the number of threads.

pub mod walk;

use std::path::PathBuf;

use rayon::prelude::*;

pub use walk::{Fate, Limits, Skip};

use crate::inspect::{self, CheckError};
use crate::report::Report;

/// What became of one file of a scan.
#[derive(Debug)]
pub enum Outcome {
    /// It was checked.
    Checked(Box<Report>),
    /// It was left out, by rule or because it is no session.
    Skipped(Skip),
    /// It could not be read; what the system said.
    Unreadable(String),
    /// A followed link that leads nowhere.
    BrokenLink,
}

/// One file of a scan.
#[derive(Debug)]
pub struct Row {
    /// Its path, cleaned: the root joined with the relative path.
    pub path: String,
    /// See there.
    pub outcome: Outcome,
}

/// Walks the roots and checks every file. `done` is told after each file how many bytes it had; it may be called from any thread.
#[must_use]
pub fn scan(roots: &[PathBuf], limits: &Limits, options: &inspect::Options, done: &(dyn Fn(u64) + Sync)) -> Vec<Row> {
    let entries = walk::walk(roots, limits);
    entries
        .into_par_iter()
        .map(|entry| {
            let path = crate::source::path::clean(&entry.path);
            let outcome = match entry.fate {
                Fate::Skipped(skip) => Outcome::Skipped(skip),
                Fate::BrokenLink => Outcome::BrokenLink,
                Fate::Unexaminable(what) => Outcome::Unreadable(what),
                Fate::Check => check(&entry.path, options),
            };
            if let Outcome::Checked(report) = &outcome {
                done(report.source_size);
            }
            Row { path, outcome }
        })
        .collect()
}

fn check(path: &std::path::Path, options: &inspect::Options) -> Outcome {
    match inspect::check_path(path, options) {
        Ok(report) if report.is_empty_file() => Outcome::Skipped(Skip::Empty),
        Ok(report) if report.is_not_a_session() => Outcome::Skipped(Skip::NotASession),
        Ok(report) => Outcome::Checked(Box::new(report)),
        Err(CheckError::Io { source, .. }) => Outcome::Unreadable(source.to_string()),
        Err(error) => Outcome::Unreadable(error.to_string()),
    }
}
