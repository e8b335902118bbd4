//! Joins what the parts of a sharded run found into the scan that one run would have made.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::{Outcome, Row, Scan, Skip};
use crate::report::unreadable::unreadable;
use crate::report::{Report, read};
use crate::rule::profile::NEUTRAL;

/// One file of a part: its row, and its report when it was checked.
type File = (Row, Option<Report>);

/// What one JSON document says.
#[derive(Debug, Default)]
pub struct Part {
    root: String,
    shard: Option<(u64, u64)>,
    files: Vec<File>,
}

/// Why parts cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// A document is not one that this program writes.
    #[error("not a JSON report of sesslint: {0}")]
    Document(String),
    /// Two parts disagree about a file.
    #[error("{0} is in two reports with different content")]
    Conflict(String),
    /// A part is not there, so nothing can be said of its files.
    #[error("part {part} of {parts} is missing")]
    Missing {
        /// Its number, from 1.
        part: u64,
        /// The number of parts.
        parts: u64,
    },
    /// Parts of different divisions.
    #[error("the reports are parts of different divisions: of {0} and of {1}")]
    Divisions(u64, u64),
}

impl Part {
    /// Reads a report, a list of reports, or a scan report.
    ///
    /// # Errors
    /// See [`MergeError::Document`].
    pub fn parse(text: &str) -> Result<Self, MergeError> {
        let document: Json = serde_json::from_str(text).map_err(|error| MergeError::Document(error.to_string()))?;
        Self::of(&document).map_err(MergeError::Document)
    }

    fn of(document: &Json) -> Result<Self, String> {
        let list = |name: &str| document.get(name).and_then(Json::as_array).ok_or(format!("it has no list {name}"));
        match document.get("schema_version").and_then(Json::as_str) {
            Some("sesslint.report/v1") => Ok(Self { files: vec![checked(document)?], ..Self::default() }),
            Some("sesslint.report-list/v1") => {
                let files = list("reports")?.iter().map(checked).collect::<Result<_, _>>()?;
                Ok(Self { files, ..Self::default() })
            }
            Some("sesslint.scan-report/v1") => Ok(Self {
                root: document.get("root_path").and_then(Json::as_str).unwrap_or_default().to_owned(),
                shard: shard(document)?,
                files: list("files")?.iter().map(file).collect::<Result<_, _>>()?,
            }),
            _ => Err("its schema_version is unknown".into()),
        }
    }
}

/// Joins parts. A file that several parts hold alike counts once.
///
/// # Errors
/// A part is missing, or two parts contradict each other.
pub fn merge(parts: Vec<Part>) -> Result<Scan, MergeError> {
    all_there(&parts)?;
    let roots: BTreeSet<&str> = parts.iter().map(|part| &*part.root).filter(|root| !root.is_empty()).collect();
    let root = roots.into_iter().collect::<Vec<_>>().join(", ");
    let mut files: BTreeMap<(String, String), File> = BTreeMap::new();
    for (row, report) in parts.into_iter().flat_map(|part| part.files) {
        let place = (row.minimised_path.clone(), row.path.clone());
        if let Some((_, other)) = files.get(&place) {
            let bytes = |report: &Option<Report>| report.as_ref().map(|r| r.source_fingerprint.clone());
            if bytes(other) != bytes(&report) {
                return Err(MergeError::Conflict(row.path));
            }
        } else {
            files.insert(place, (row, report));
        }
    }
    let mut scan = Scan {
        named_root: root.clone(),
        root,
        shard: None,
        rows: Vec::new(),
        reports: Vec::new(),
        unreadable: Vec::new(),
    };
    for (mut row, report) in files.into_values() {
        if let Some(report) = report {
            if matches!(row.outcome, Outcome::Checked(_)) {
                row.outcome = Outcome::Checked(scan.reports.len());
                scan.reports.push(report);
            } else {
                scan.unreadable.push(report);
            }
        }
        scan.rows.push(row);
    }
    Ok(scan)
}

/// Parts that say which they are must be complete.
fn all_there(parts: &[Part]) -> Result<(), MergeError> {
    let shards: BTreeSet<(u64, u64)> = parts.iter().filter_map(|part| part.shard).collect();
    let Some(&(_, parts)) = shards.first() else { return Ok(()) };
    if let Some((_, others)) = shards.iter().find(|(_, n)| *n != parts) {
        return Err(MergeError::Divisions(parts, *others));
    }
    match (1..=parts)
        .zip(shards.iter().map(Some).chain(std::iter::repeat(None)))
        .find(|(n, s)| s.is_none_or(|s| s.0 != *n))
    {
        Some((part, _)) => Err(MergeError::Missing { part, parts }),
        None => Ok(()),
    }
}

fn shard(document: &Json) -> Result<Option<(u64, u64)>, String> {
    let Some(text) = document.get("shard").and_then(Json::as_str) else { return Ok(None) };
    super::parse_shard(text).map(Some)
}

fn checked(document: &Json) -> Result<File, String> {
    let report = read::report(document)?;
    let (path, minimised_path) = (report.path.clone(), report.minimised_path.clone());
    Ok((Row { path, minimised_path, outcome: Outcome::Checked(0) }, Some(report)))
}

fn file(object: &Json) -> Result<File, String> {
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    let outcome = match (text("skipped_reason"), text("verdict")) {
        (Some("broken-symlink"), _) => Outcome::BrokenLink,
        (Some(word), _) => Outcome::Skipped(Skip::named(word).ok_or_else(|| format!("{word:?} is no reason"))?),
        (None, Some("unreadable")) => Outcome::Unreadable(text("error").unwrap_or_default().to_owned()),
        _ => return checked(object),
    };
    let path = text("source_path").ok_or("a file has no source_path")?.to_owned();
    let minimised_path = text("path").ok_or("a file has no path")?.to_owned();
    let repo_path = text("repo_path").map(str::to_owned);
    let report = outcome.unreadable().map(|what| unreadable(&path, repo_path, None, what, &NEUTRAL));
    Ok((Row { path, minimised_path, outcome }, report))
}
