//! A sessions root: which files are audited, in which order, and the totals.
//!
//! A root is `<root>/<project>/<session>/<log>`; whatever lies elsewhere is none of the audit's business.

use std::fs;
use std::io;
use std::path::Path;

use rayon::prelude::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::Serialize;
use walkdir::WalkDir;

use super::artifact::{Artifact, LogFile, Options};
use super::finding::Effect;
use super::place;
use crate::finding::Severity;

/// The log files of a root in bytewise order of their paths, and notes on directories that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The logs.
    pub logs: Vec<LogFile>,
    /// One sentence for each directory that was left out.
    pub notes: Vec<String>,
}

/// Lists the logs of a root. Links to directories are not followed, the root itself may be one.
///
/// # Errors
/// When the root cannot be listed.
pub fn list(root: &Path) -> io::Result<Listing> {
    fs::read_dir(root)?;
    let mut listing = Listing::default();
    for entry in WalkDir::new(root).min_depth(3).max_depth(3) {
        match entry {
            Ok(entry) if place::is_log(entry.file_name().as_encoded_bytes()) => {
                if let Ok(relative) = entry.path().strip_prefix(root) {
                    listing.logs.push(LogFile { root: root.to_owned(), relative: relative.to_owned() });
                }
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(root);
                let path = path.strip_prefix(root).unwrap_or(path).display().to_string();
                let reason = error.into_io_error().map_or_else(|| "it is a loop".to_owned(), |e| e.to_string());
                listing.notes.push(format!("skipped {path}: {reason}"));
            }
        }
    }
    let key = |log: &LogFile| {
        let parts: Vec<&[u8]> = log.relative.iter().map(|part| part.as_encoded_bytes()).collect();
        parts.join(&b'/')
    };
    listing.logs.sort_by_cached_key(key);
    listing.notes.sort();
    Ok(listing)
}

/// The audit of a whole root.
#[derive(Clone, Debug, Serialize)]
pub struct StoreAudit {
    /// Identifies the shape of the document.
    pub schema_version: &'static str,
    /// One for each log, in bytewise order of their paths.
    pub artifacts: Vec<Artifact>,
    /// Totals.
    pub summary: Summary,
    /// Directories that could not be read.
    pub notes: Vec<String>,
}

/// Totals over the artifacts of a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Logs audited.
    pub scanned: u64,
    /// Logs without any finding.
    pub clean: u64,
    /// Logs that ask for a person.
    pub needs_manual: u64,
    /// Findings of severity error.
    pub error_findings: u64,
    /// Findings of severity warn.
    pub warn_findings: u64,
    /// Logs that keep the harness from starting.
    pub blocking_start: u64,
}

impl StoreAudit {
    /// Audits every log of a root.
    ///
    /// # Errors
    /// When the root cannot be listed.
    pub fn of(root: &Path, options: &Options) -> io::Result<Self> {
        let listing = list(root)?;
        let artifacts: Vec<Artifact> = listing.logs.par_iter().filter_map(|log| log.audit(options)).collect();
        let summary = Summary::of(&artifacts);
        Ok(Self { schema_version: "sesslint.dsh-audit/v1", artifacts, summary, notes: listing.notes })
    }
}

impl Summary {
    fn of(artifacts: &[Artifact]) -> Self {
        let logs = |is: &dyn Fn(&Artifact) -> bool| artifacts.iter().filter(|artifact| is(artifact)).count() as u64;
        let findings = |severity| {
            let all = artifacts.iter().flat_map(|artifact| &artifact.findings);
            all.filter(|finding| finding.code.severity() == severity).count() as u64
        };
        Self {
            scanned: artifacts.len() as u64,
            clean: logs(&|artifact| artifact.findings.is_empty()),
            needs_manual: logs(&|artifact| artifact.needs_manual),
            error_findings: findings(Severity::Error),
            warn_findings: findings(Severity::Warning),
            blocking_start: logs(&|artifact| artifact.effect() == Effect::BlocksStart),
        }
    }
}
