//! Why a repair was not made: the code, what stands in the way, and what would clear it. Never text of the session.

use std::io;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::RefusalCode;
use crate::finding::{Finding, Severity};

/// One finding that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocking {
    /// Its code.
    pub code: &'static str,
    /// Its fingerprint, as plans name it.
    pub fingerprint: String,
    /// How bad it is.
    pub severity: Severity,
    /// Physical line of the source; item of a document.
    pub line: Option<u64>,
    /// Where the finding stands, as long as its line is not that of the source.
    pub(crate) offset: Option<u64>,
    pub(crate) in_document: bool,
    /// What is wrong: one sentence.
    pub what: &'static str,
    /// Why it is not mended: a word of the contract.
    pub reason: String,
}

impl Blocking {
    pub(crate) fn new(finding: &Finding, fingerprint: &str, reason: &str) -> Self {
        Self {
            code: finding.code(),
            fingerprint: fingerprint.to_owned(),
            severity: finding.severity,
            line: finding.location.item.or(finding.location.line).or(finding.line),
            offset: finding.location.byte_start,
            in_document: finding.location.item.is_some(),
            what: finding.text().what,
            reason: reason.to_owned(),
        }
    }

    /// What would let the repair go on: one sentence.
    #[must_use]
    pub fn unblock(&self) -> &'static str {
        unblock(&self.reason)
    }

    fn document(&self) -> Json {
        json!({
            "code": self.code,
            "finding_fp": self.fingerprint,
            "severity": self.severity.as_str(),
            "line": self.line,
            "what": self.what,
            "reason": self.reason,
            "unblock": self.unblock(),
        })
    }
}

/// What would clear a reason: one sentence.
#[must_use]
pub fn unblock(reason: &str) -> &'static str {
    match reason {
        "SL203-refusal" => {
            "Find out what the tools did, or continue from a checkpoint made after it; no repair may guess."
        }
        "needs-salvage-policy" => "Run again with --policy salvage: it gives something up and names it.",
        "needs-acknowledgement" => {
            "Find out what the tool did, then run again with --policy salvage --acknowledge-side-effects."
        }
        "side-effect-scope-unproven" => {
            "Find out what the tool beside it did, then run again with --policy salvage --acknowledge-side-effects."
        }
        "repairability-manual" | "no-recipe" => "A person has to decide: edit a copy by hand, or go on without it.",
        "repairability-unsupported" => "Nothing can mend it; start from an older copy.",
        "cap-overflow" => "Run the repair again on the repaired file: one plan holds only so many steps.",
        "component-too-large" => "Cut the part off by hand: it is too large to be dropped unseen.",
        "target-missing" => "Check the file again: it changed while it was read.",
        other if other.starts_with("precondition-failed:") => {
            "What would have to hold for a safe repair does not; see docs/repair.md."
        }
        _ => "See docs/repair.md.",
    }
}

/// A repair that was not made.
#[derive(Clone, Debug, thiserror::Error)]
#[error("[{}]: {message}", code.as_str())]
pub struct Refusal {
    /// A word of the contract.
    pub code: RefusalCode,
    /// One sentence.
    pub message: String,
    /// Every finding in the way.
    pub blocking: Vec<Blocking>,
}

impl Refusal {
    pub(crate) fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), blocking: Vec::new() }
    }

    /// The document `sesslint.refusal/v1`.
    #[must_use]
    pub fn document(&self) -> Json {
        json!({
            "schema_version": "sesslint.refusal/v1",
            "verdict": "refused",
            "code": self.code.as_str(),
            "message": self.message,
            "blocking": self.blocking.iter().map(Blocking::document).collect::<Vec<_>>(),
        })
    }
}

/// Why there is no repair.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// There is no such file.
    #[error("{}: no such file", .0.display())]
    NotFound(PathBuf),
    /// Reading failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The source is no session that can be repaired.
    #[error("{}: {what}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        what: String,
    },
    /// It was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}
