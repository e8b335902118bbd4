//! What a check found: severity, evidence without content, physical place, identities.
//!
//! A finding never holds text of the session beyond ids that pass the content-free rules.

pub mod fingerprint;

use serde_json::{Map, Value};

use crate::rule::Rule;

/// How bad a finding is, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A fact worth knowing; the log replays.
    Info,
    /// Something on disk is silently dropped or patched on resume, or only the tail is open.
    Warning,
    /// A record cannot be read, history is cut off, or a request made of it would be refused.
    Error,
    /// The file cannot be judged, or its structure makes a loader hang.
    Fatal,
}

impl Severity {
    /// All severities, worst first: the order of reports.
    pub const WORST_FIRST: [Self; 4] = [Self::Fatal, Self::Error, Self::Warning, Self::Info];

    /// The severity with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::WORST_FIRST.into_iter().find(|severity| severity.as_str() == word)
    }

    /// The word used in every document (`fatal`, `error`, `warning`, `info`).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}

/// Whether and how a finding can be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repairability {
    /// One right answer, nothing lost.
    Deterministic,
    /// Can be mended by giving something up, which must be asked for.
    LossyExplicit,
    /// A person has to decide.
    Manual,
    /// Cannot be mended.
    Unsupported,
}

impl Repairability {
    /// The one with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let all = [Self::Deterministic, Self::LossyExplicit, Self::Manual, Self::Unsupported];
        all.into_iter().find(|repairability| repairability.as_str() == word)
    }

    /// The word used in every document.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::LossyExplicit => "lossy-explicit",
            Self::Manual => "manual",
            Self::Unsupported => "unsupported",
        }
    }
}

/// The physical place of a finding. Lines, columns and items count from 1; bytes from 0, end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Physical line, counted at LF bytes; absent for findings about the whole file.
    pub line: Option<u64>,
    /// Column of the first byte on its line, in bytes.
    pub column: Option<u64>,
    /// Offset of the first byte in the file.
    pub byte_start: Option<u64>,
    /// Offset behind the last byte.
    pub byte_end: Option<u64>,
    /// Number of the item where the file is one JSON document.
    pub item: Option<u64>,
}

/// Who made the finding: decides which adapter and profile fields enter its fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Detection or an adapter: fingerprinted with `unknown` for format and profile.
    Reading,
    /// A check over events: fingerprinted with the resolved format and profile.
    Checking,
}

/// How a finding stands to the baseline of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not in the baseline.
    New,
    /// In the baseline: reported, but no reason to fail a run that asks for new findings only.
    Known,
}

/// What a finding is about, independent of path, line, offset and versions: input of `stable_id`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Subject {
    /// The record's own id, or the SHA-256 of its bytes as hex where it has none.
    pub record: String,
    /// Which part of the record (a call id, a field), empty for the record itself.
    pub part: String,
}

/// One defect, with the consequences that follow from the same cause.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that made it: code, name and texts.
    pub rule: &'static Rule,
    /// Which of the rule's variants; selects its texts. Empty for the plain one.
    pub variant: &'static str,
    /// How bad it is here.
    pub severity: Severity,
    /// Whether it can be mended.
    pub repairability: Repairability,
    /// The reference program's line (1-based): part of the fingerprint. See [`Location::line`] for the place.
    pub line: Option<u64>,
    /// Id of the record concerned, masked and trimmed.
    pub record_id: Option<String>,
    /// Ids of other records concerned.
    pub related: Vec<String>,
    /// The reference program's evidence; a listed subset is hashed into the fingerprint.
    pub evidence: Map<String, Value>,
    /// Evidence added by us (variant, loaders concerned); shown beside `evidence`, never hashed.
    pub detail: Map<String, Value>,
    /// Where it is.
    pub location: Location,
    /// Reading or checking.
    pub stage: Stage,
    /// What it is about.
    pub subject: Subject,
    /// Findings that follow from this one and are not counted on their own.
    pub consequences: Vec<Finding>,
    /// 16 hex digits; set when the report is assembled.
    pub fingerprint: String,
    /// 32 hex digits that survive growth, moves and renames; set when the report is assembled.
    pub stable_id: String,
    /// Code-scanning hash of the line (`hex:count`), when it was asked for; set when the report is assembled.
    pub line_hash: Option<String>,
    /// How it stands to the baseline; none without one.
    pub standing: Option<Standing>,
}

impl Finding {
    /// A finding with the rule's default severity and repairability and nothing else known.
    #[must_use]
    pub fn new(rule: &'static Rule, stage: Stage) -> Self {
        Self {
            rule,
            variant: "",
            severity: rule.severity,
            repairability: rule.repairability,
            line: None,
            record_id: None,
            related: Vec::new(),
            evidence: Map::new(),
            detail: Map::new(),
            location: Location::default(),
            stage,
            subject: Subject::default(),
            consequences: Vec::new(),
            fingerprint: String::new(),
            stable_id: String::new(),
            line_hash: None,
            standing: None,
        }
    }

    /// The rule's code, such as `SL004`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.rule.code
    }

    /// The texts of this finding's variant.
    #[must_use]
    pub fn text(&self) -> &'static crate::rule::Text {
        self.rule.text(self.variant)
    }
}
