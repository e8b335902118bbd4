//! One log file of a sessions root, and what the audit says about it.
//!
//! Whatever is wrong with a file is a finding, never an error.

use std::ffi::OsStr;
use std::path::PathBuf;

use serde::Serialize;

use super::audit::Audit;
use super::finding::{Effect, Finding};

/// How to judge.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which format generation the harness in use reads.
    pub format: ExpectedFormat,
    /// Findings that the harness was measured to refuse ask for a person even when they are warnings.
    pub strict: bool,
    /// Keep only logs whose session directory or header id contains this.
    pub id: Option<String>,
}

/// The format generation a log is expected to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedFormat {
    /// The same for every log.
    Generation(u64),
    /// The one that the file's name states.
    FromName,
}

impl Default for ExpectedFormat {
    fn default() -> Self {
        Self::Generation(0)
    }
}

/// How a log is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Container {
    /// Lines of text.
    Plaintext,
    /// Zstandard frames of such text.
    Zstd,
}

/// What the audit says about one log.
#[derive(Clone, Debug, Serialize)]
pub struct Artifact {
    /// Path below the root, parts joined by `/`.
    pub path: String,
    /// The header's id.
    pub session_id: Option<String>,
    /// How it is stored.
    pub container: Container,
    /// The header's format generation.
    pub format_version: Option<i64>,
    /// Number of events inherited from a forked session, as the header states it.
    pub inherited_event_count: u64,
    /// Number of events; 0 when the audit ended early.
    pub event_count: u64,
    /// Size of the file.
    pub byte_length: u64,
    /// Number of complete frames, when they could be read.
    pub frame_count: Option<u64>,
    /// Length of an incomplete last frame or line.
    pub torn_bytes: u64,
    /// Some finding asks for a person.
    pub needs_manual: bool,
    /// In the fixed order of codes.
    pub findings: Vec<Finding>,
    /// Number of findings left out because there are too many of their code.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_findings: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Artifact {
    /// What the harness does with the log.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.findings.iter().map(|finding| finding.effect).max().unwrap_or(Effect::Opens)
    }
}

/// A log file and its place in a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// The root.
    pub root: PathBuf,
    /// Path below the root: project directory, session directory, file name.
    pub relative: PathBuf,
}

impl LogFile {
    pub(super) fn part(&self, index: usize) -> &OsStr {
        self.relative.iter().nth(index).unwrap_or_default()
    }

    pub(super) fn file_name(&self) -> &[u8] {
        self.part(2).as_encoded_bytes()
    }

    /// The path below the root with `/` between its parts.
    #[must_use]
    pub fn joined(&self) -> String {
        self.relative.iter().map(OsStr::to_string_lossy).collect::<Vec<_>>().join("/")
    }

    /// Audits the file; none when the options' id filter leaves it out.
    #[must_use]
    pub fn audit(&self, options: &Options) -> Option<Artifact> {
        Audit::new(self, options).run()
    }
}
