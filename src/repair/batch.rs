//! Repairs every broken session below a folder, each on its own, and sums up what became of them.
//!
//! Healthy files are left where they are. One file that is refused stops no other.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::execute::{Destination, execute};
use super::prepare::{Options, prepare};
use super::refusal::{Refusal, RepairError};
use super::{RefusalCode, manifest};
use crate::scan::Root;
use crate::scan::walk::{self, Fate, Limits};
use crate::write;

/// Where the repairs of a folder go.
#[derive(Clone, Debug)]
pub struct Folders {
    /// Repaired files, below the same relative paths.
    pub output: PathBuf,
    /// Receipts; beside the repaired files when absent.
    pub manifest: Option<PathBuf>,
}

/// What became of one file.
#[derive(Debug)]
pub enum Outcome {
    /// Repaired, or with `--dry-run` shown to be repairable.
    Repaired {
        /// The receipt.
        receipt: Json,
    },
    /// Nothing to repair.
    Healthy,
    /// No session that can be repaired; why.
    Skipped(String),
    /// Refused.
    Refused(Refusal),
    /// It could not be read or written; what the system said.
    Failed(String),
}

impl Outcome {
    /// The word in documents.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Repaired { .. } => "repaired",
            Self::Healthy => "healthy",
            Self::Skipped(_) => "skipped",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
        }
    }
}

/// One file of a batch.
#[derive(Debug)]
pub struct Row {
    /// Its path from the root, `/` between parts.
    pub path: String,
    /// See there.
    pub outcome: Outcome,
}

/// The result of a batch.
#[derive(Debug)]
pub struct Batch {
    /// Every file, sorted by path.
    pub rows: Vec<Row>,
    policy: &'static str,
    profile: &'static str,
}

/// Words of the outcomes, in the order of totals.
const WORDS: [&str; 5] = ["repaired", "healthy", "refused", "skipped", "failed"];

impl Batch {
    /// Number of files with an outcome.
    #[must_use]
    pub fn count(&self, word: &str) -> usize {
        self.rows.iter().filter(|row| row.outcome.as_str() == word).count()
    }

    /// The document `sesslint.repair-summary/v1`.
    #[must_use]
    pub fn document(&self) -> Json {
        let mut totals: serde_json::Map<String, Json> =
            WORDS.iter().map(|word| ((*word).to_owned(), self.count(word).into())).collect();
        totals.insert("total".into(), self.rows.len().into());
        json!({
            "schema_version": "sesslint.repair-summary/v1",
            "policy": self.policy,
            "profile": self.profile,
            "totals": totals,
            "files": self.rows.iter().map(Row::document).collect::<Vec<_>>(),
        })
    }
}

impl Row {
    fn document(&self) -> Json {
        let mut document = json!({"path": self.path, "outcome": self.outcome.as_str()});
        match &self.outcome {
            Outcome::Repaired { receipt } => {
                for name in [
                    "adapter_id",
                    "assurance",
                    "assurance_ceiling",
                    "declared_loss",
                    "input_fingerprint",
                    "output_fingerprint",
                    "plan_fingerprint",
                ] {
                    document[name] = receipt[name].clone();
                }
            }
            Outcome::Refused(refusal) => document["refusal"] = refusal.document(),
            Outcome::Skipped(why) | Outcome::Failed(why) => document["reason"] = why.clone().into(),
            Outcome::Healthy => {}
        }
        document
    }
}

/// Repairs every broken session below `root`. Without folders nothing is written.
#[must_use]
pub fn repair(root: &Path, limits: &Limits, options: &Options, to: Option<&Folders>) -> Batch {
    let own = |path: &Path| {
        let folders = to.into_iter().flat_map(|t| [Some(&t.output), t.manifest.as_ref()]).flatten();
        folders.into_iter().any(|folder| path.starts_with(folder))
    };
    let entries: Vec<_> =
        walk::walk(&[Root::folder(root)], limits).into_iter().filter(|entry| !own(&entry.path)).collect();
    let mut rows: Vec<Row> = entries
        .into_par_iter()
        .filter_map(|entry| {
            let relative = entry.path.strip_prefix(root).unwrap_or(&entry.path).to_owned();
            let outcome = match entry.fate {
                Fate::Check => one(&entry.path, &relative, options, to),
                Fate::Skipped(skip) => Outcome::Skipped(skip.as_str().to_owned()),
                Fate::BrokenLink => Outcome::Failed("a link that leads nowhere".to_owned()),
                Fate::Unexaminable(what) => Outcome::Failed(what),
            };
            let parts: Vec<_> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
            Some(Row { path: parts.join("/"), outcome })
        })
        .collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    Batch { rows, policy: options.policy.as_str(), profile: options.profile.id }
}

fn one(path: &Path, relative: &Path, options: &Options, to: Option<&Folders>) -> Outcome {
    let prepared = match prepare(path, options) {
        Ok(prepared) => prepared,
        Err(RepairError::Refused(refusal)) if refusal.code == RefusalCode::VendorFormatRefused => {
            return Outcome::Skipped(refusal.message);
        }
        Err(RepairError::Refused(refusal)) => return Outcome::Refused(refusal),
        Err(RepairError::Unusable { what, .. }) => return Outcome::Skipped(what),
        Err(RepairError::Io { source, .. }) => return Outcome::Failed(source.to_string()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    if prepared.plan().steps.is_empty() {
        return Outcome::Healthy;
    }
    let Some(to) = to else {
        return Outcome::Repaired { receipt: prepared.manifest().clone() };
    };
    let output = to.output.join(relative);
    let mut destination = Destination::beside(&output);
    if let Some(folder) = &to.manifest {
        destination.manifest = Destination::beside(&folder.join(relative)).manifest;
    }
    for file in [&destination.output, &destination.manifest] {
        if let Err(error) = write::create_folders(write::folder_of(file)) {
            return Outcome::Failed(format!("{}: {error}", file.display()));
        }
    }
    match execute(&prepared, &destination) {
        Ok(receipt) => Outcome::Repaired { receipt: manifest::parse(&receipt) },
        Err(RepairError::Refused(refusal)) => Outcome::Refused(refusal),
        Err(error) => Outcome::Failed(error.to_string()),
    }
}
