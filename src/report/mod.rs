//! Reports: findings ordered, counted, and said how far they can be trusted. Immutable once assembled.

pub mod assemble;
pub mod baseline;
pub mod gate;
pub mod read;
pub mod unreadable;
pub mod verdict;

use crate::finding::{Finding, Severity};
use crate::model::outline::Outline;
use crate::rule::profile::Profile;

/// How far the absence of findings can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assurance {
    /// Nothing can be concluded.
    A0,
    /// Parseable; relations may be broken.
    A1,
    /// Structurally valid, with warnings.
    A2,
    /// Valid under the profile.
    A3,
    /// An independent reading agrees.
    A4,
}

impl Assurance {
    /// `A0` to `A4`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A0 => "A0",
            Self::A1 => "A1",
            Self::A2 => "A2",
            Self::A3 => "A3",
            Self::A4 => "A4",
        }
    }

    /// One fixed sentence on what the level does not promise.
    #[must_use]
    pub const fn limitation(self) -> &'static str {
        match self {
            Self::A0 => "Nothing can be concluded about this file.",
            Self::A1 => "The file was read; its relations are broken.",
            Self::A2 => "The structure is valid; warnings tell what a resume may drop.",
            Self::A3 => "Valid under this profile; a provider may know further rules.",
            Self::A4 => "Valid under this profile, and a second reading of its re-serialised form agrees.",
        }
    }
}

/// Why a check did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The profile does not ask for it.
    ProfileGated,
    /// No adapter could read the file.
    AdapterNotApplicable,
    /// The version is not supported.
    VersionGated,
    /// There are no events.
    EmptyInput,
    /// More findings than the cap.
    CapExceeded,
    /// Single-document input.
    SingleDocFallback,
}

impl SkipReason {
    /// The word of the closed vocabulary, and its fixed phrase.
    #[must_use]
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::ProfileGated => ("profile-gated", "the profile does not ask for it"),
            Self::AdapterNotApplicable => ("adapter-not-applicable", "format detection failed"),
            Self::VersionGated => ("version-gated", "the format version is not supported"),
            Self::EmptyInput => ("empty-input", "the session has no events"),
            Self::CapExceeded => ("cap-exceeded", "more findings than are listed"),
            Self::SingleDocFallback => ("single-doc-fallback", "the file is one document"),
        }
    }
}

/// What was checked and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Codes and families, sorted.
    pub performed: Vec<&'static str>,
    /// Sorted by check, reason.
    pub skipped: Vec<(&'static str, SkipReason)>,
    /// Codes beyond the reference program's that were checked too.
    pub additional: Vec<&'static str>,
}

/// How the format was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// A format was named on the command line.
    pub manual: bool,
    /// Score of the winner, when it was sniffed.
    pub confidence: Option<f64>,
    /// `explicit-override`, `clear-winner`, `low-confidence`, `tie`, `empty` or `refused-live-db`.
    pub reason: &'static str,
    /// Scores by format id, sorted by id; empty when nothing was scored.
    pub scores: Vec<(&'static str, f64)>,
}

/// Findings by severity. Consequences are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of fatal findings.
    pub fatal: usize,
    /// Number of errors.
    pub error: usize,
    /// Number of warnings.
    pub warning: usize,
    /// Number of informations.
    pub info: usize,
}

impl Counts {
    /// Counts findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            match finding.severity {
                Severity::Fatal => counts.fatal += 1,
                Severity::Error => counts.error += 1,
                Severity::Warning => counts.warning += 1,
                Severity::Info => counts.info += 1,
            }
        }
        counts
    }

    /// Fatal and error together: what fails a run by default.
    #[must_use]
    pub const fn failing(&self) -> usize {
        self.fatal + self.error
    }

    /// All findings.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.fatal + self.error + self.warning + self.info
    }
}

/// The result of checking one file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The path as given, cleaned; `/` between its parts. Never absolute when given relative.
    pub path: String,
    /// The path as shown in documents that follow the reference program (`.._1234abcd/name`, `~/x`).
    pub minimised_path: String,
    /// The file's path from the repository's root (`/` between parts, no `.` or `..`, links resolved); none when it
    /// lies outside. Surfaces that show findings beside the file need it.
    pub repo_path: Option<String>,
    /// File name without its last extension.
    pub session_id: String,
    /// SHA-256 of the file's bytes, hex.
    pub source_fingerprint: String,
    /// Size in bytes.
    pub source_size: u64,
    /// Resolved format id, or `unknown`.
    pub format: &'static str,
    /// The format's name for people (`canonical`, or the name of the agent), or `unknown`.
    pub format_name: &'static str,
    /// Version of the adapter, or `unknown`.
    pub format_version: &'static str,
    /// How the format was found.
    pub detection: Detection,
    /// The profile used.
    pub profile: &'static Profile,
    /// Records read.
    pub records: usize,
    /// Canonical events made of them.
    pub events: usize,
    /// Number of events of each kind that occurs, by the kind's word.
    pub kinds: std::collections::BTreeMap<&'static str, usize>,
    /// In report order.
    pub findings: Vec<Finding>,
    /// Of `findings`.
    pub counts: Counts,
    /// See there.
    pub assurance: Assurance,
    /// See there.
    pub coverage: Coverage,
    /// The session drawn small, when that was asked for and there are findings.
    pub outline: Option<Outline>,
}

impl Report {
    /// The file holds nothing but blanks.
    #[must_use]
    pub fn is_empty_file(&self) -> bool {
        self.undetected_as("empty-input")
    }

    /// Nothing in the file looks like a session of any format.
    #[must_use]
    pub fn is_not_a_session(&self) -> bool {
        self.undetected_as("not-a-session")
    }

    /// The format, or its version, is known but not read.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        self.undetected_as("unsupported-format")
            || self.findings.iter().any(|f| f.code() == "SL301" && f.severity >= Severity::Error)
    }

    fn undetected_as(&self, variant: &str) -> bool {
        self.format == "unknown" && self.findings.iter().any(|f| f.variant == variant)
    }
}
