//! The audit's findings: closed set of codes, what each means for the harness, and what a person can do.
//!
//! Texts name counts, numbers, directories and event types, never what was said in a session.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use serde_json::{Map, Value};

use crate::check::compatibility::{SL301, SL302};
use crate::check::framing::{SL001, SL002};
use crate::check::{SL003, SL004, SL101, SL102, SL501, SL507, SL508, SL509, SL510, SL511, SL512, SL513};
use crate::finding::Severity;
use crate::rule::Rule;

/// What was found. The order is that of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The file has no bytes.
    EmptyArtifact,
    /// The container's structure is broken, or the file cannot be read.
    UnreadableArtifact,
    /// A frame's content cannot be decoded.
    UndecodableFrame,
    /// The last frame is incomplete.
    TornFinalFrame,
    /// The first frame is not exactly the header line.
    HeaderFrameShape,
    /// The first line is no header.
    HeaderMissing,
    /// The log was written in another format generation.
    FormatVersionDrift,
    /// The last line of a plain file is incomplete.
    TornFinalLine,
    /// Lines in the log are no records.
    UnparsableLine,
    /// Sequence numbers are missing.
    SeqGap,
    /// Sequence numbers repeat.
    SeqDuplicate,
    /// Sequence numbers come late.
    SeqReordered,
    /// Event types that the harness does not know and may not ignore.
    UnknownRequiredType,
    /// An assistant message with a blank text block.
    EmptyTextBlock,
    /// A tool call without an id.
    ToolCallNoId,
    /// A tool result that names no call.
    ToolResultNoId,
    /// A tool call without a result.
    OrphanToolCall,
    /// The last turn was not closed.
    OpenTurn,
    /// The model repeated one piece many times.
    RepetitiveStream,
    /// The session directory is not that of the session's id.
    SessionPathMismatch,
    /// The project directory is not that of the session's working directory.
    ProjectPathMismatch,
}

/// When a finding asks for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// Never.
    None,
    /// Only when the audit is strict.
    Strict,
    /// Always.
    Manual,
}

impl Code {
    /// Every code, in the order of reports.
    pub const ALL: [Self; 21] = [
        Self::EmptyArtifact,
        Self::UnreadableArtifact,
        Self::UndecodableFrame,
        Self::TornFinalFrame,
        Self::HeaderFrameShape,
        Self::HeaderMissing,
        Self::FormatVersionDrift,
        Self::TornFinalLine,
        Self::UnparsableLine,
        Self::SeqGap,
        Self::SeqDuplicate,
        Self::SeqReordered,
        Self::UnknownRequiredType,
        Self::EmptyTextBlock,
        Self::ToolCallNoId,
        Self::ToolResultNoId,
        Self::OrphanToolCall,
        Self::OpenTurn,
        Self::RepetitiveStream,
        Self::SessionPathMismatch,
        Self::ProjectPathMismatch,
    ];

    const fn row(self) -> (&'static str, Severity, Attention) {
        use Attention::{Manual, None, Strict};
        use Severity::{Error, Info, Warning};
        match self {
            Self::EmptyArtifact => ("EMPTY_ARTIFACT", Info, None),
            Self::UnreadableArtifact => ("UNREADABLE_ARTIFACT", Error, Manual),
            Self::UndecodableFrame => ("UNDECODABLE_FRAME", Error, Manual),
            Self::TornFinalFrame => ("TORN_FINAL_FRAME", Info, None),
            Self::HeaderFrameShape => ("HEADER_FRAME_SHAPE", Warning, Strict),
            Self::HeaderMissing => ("HEADER_MISSING", Error, Manual),
            Self::FormatVersionDrift => ("FORMAT_VERSION_DRIFT", Error, Manual),
            Self::TornFinalLine => ("TORN_FINAL_LINE", Info, None),
            Self::UnparsableLine => ("UNPARSABLE_LINE", Error, Manual),
            Self::SeqGap => ("SEQ_GAP", Error, Manual),
            Self::SeqDuplicate => ("SEQ_DUPLICATE", Warning, Strict),
            Self::SeqReordered => ("SEQ_REORDERED", Warning, Strict),
            Self::UnknownRequiredType => ("UNKNOWN_REQUIRED_TYPE", Error, Manual),
            Self::EmptyTextBlock => ("EMPTY_TEXT_BLOCK", Warning, None),
            Self::ToolCallNoId => ("TOOL_CALL_NO_ID", Warning, None),
            Self::ToolResultNoId => ("TOOL_RESULT_NO_ID", Warning, None),
            Self::OrphanToolCall => ("ORPHAN_TOOL_CALL", Info, None),
            Self::OpenTurn => ("OPEN_TURN", Info, None),
            Self::RepetitiveStream => ("REPETITIVE_STREAM", Warning, None),
            Self::SessionPathMismatch => ("SESSION_PATH_MISMATCH", Error, Manual),
            Self::ProjectPathMismatch => ("PROJECT_PATH_MISMATCH", Warning, Strict),
        }
    }

    /// The published name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The code with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// The rule that reports the same where one log is checked by itself.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        match self {
            Self::UnreadableArtifact | Self::UndecodableFrame | Self::HeaderMissing | Self::UnparsableLine => &SL001,
            Self::TornFinalFrame | Self::TornFinalLine => &SL002,
            Self::SeqDuplicate => &SL003,
            Self::SeqGap => &SL004,
            Self::ToolResultNoId => &SL101,
            Self::ToolCallNoId | Self::OrphanToolCall => &SL102,
            Self::FormatVersionDrift => &SL301,
            Self::UnknownRequiredType => &SL302,
            Self::EmptyTextBlock => &SL501,
            Self::SeqReordered => &SL507,
            Self::OpenTurn => &SL508,
            Self::RepetitiveStream => &SL509,
            Self::SessionPathMismatch => &SL510,
            Self::ProjectPathMismatch => &SL511,
            Self::HeaderFrameShape => &SL512,
            Self::EmptyArtifact => &SL513,
        }
    }

    /// How bad it is.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.row().1
    }

    /// When it asks for a person.
    #[must_use]
    pub const fn attention(self) -> Attention {
        self.row().2
    }
}

/// The audit's own word for a severity: `error`, `warn` or `info`.
#[must_use]
pub const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warn",
        other => other.as_str(),
    }
}

/// What the harness does with a log because of a finding, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It never reads a file of this name.
    Ignored,
    /// It opens the session.
    Opens,
    /// It opens the session without everything from the defect on.
    DropsTail,
    /// It leaves the session out of its list.
    HidesSession,
    /// It refuses to open this session.
    RefusesSession,
    /// It does not start.
    BlocksStart,
}

impl Effect {
    /// The word used in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Opens => "opens",
            Self::DropsTail => "drops-tail",
            Self::HidesSession => "hides-session",
            Self::RefusesSession => "refuses-session",
            Self::BlocksStart => "blocks-start",
        }
    }

    /// A few words.
    #[must_use]
    pub const fn verdict(self) -> &'static str {
        match self {
            Self::Ignored => "the harness does not read it",
            Self::Opens => "the harness opens it",
            Self::DropsTail => "the harness opens it without its end",
            Self::HidesSession => "the harness does not list it",
            Self::RefusesSession => "the harness refuses to open it",
            Self::BlocksStart => "the harness does not start",
        }
    }

    /// One sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Ignored => "The harness does not read files of this name.",
            Self::Opens => "The harness starts, lists the session and opens it.",
            Self::DropsTail => {
                "The harness starts and opens the session, but silently drops everything from there to the end."
            }
            Self::HidesSession => "The harness starts but leaves this session out of its list.",
            Self::RefusesSession => "The harness starts and lists the session, but refuses to open it.",
            Self::BlocksStart => "The harness does not start while this file is in its sessions folder.",
        }
    }
}

/// One finding. Serializes as `code`, `severity`, `at`, `message` (all sentences) and `evidence`.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was found.
    pub code: Code,
    /// Where: a byte offset, a frame, a line or a sequence number, as the code has it.
    pub at: Option<i64>,
    /// What is wrong, without a final stop.
    pub message: String,
    /// What the harness does with it.
    pub effect: Effect,
    /// What to do next: a sentence.
    pub advice: String,
    /// Numbers and names behind the message.
    pub evidence: Map<String, Value>,
}

impl Finding {
    /// A finding without evidence.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, effect: Effect, advice: impl Into<String>) -> Self {
        Self { code, at: None, message: message.into(), effect, advice: advice.into(), evidence: Map::new() }
    }

    /// The same finding at a place.
    #[must_use]
    pub fn at(mut self, at: impl TryInto<i64>) -> Self {
        self.at = Some(at.try_into().unwrap_or(i64::MAX));
        self
    }

    /// The same finding with one more piece of evidence.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.evidence.insert(name.to_owned(), value.into());
        self
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut evidence = self.evidence.clone();
        evidence.insert("effect".to_owned(), self.effect.as_str().into());
        evidence.insert("rule".to_owned(), self.code.rule().code.into());
        let mut finding = serializer.serialize_struct("Finding", 5)?;
        finding.serialize_field("code", self.code.as_str())?;
        finding.serialize_field("severity", severity_word(self.code.severity()))?;
        finding.serialize_field("at", &self.at)?;
        let message = format!("{}. {} {}", self.message, self.effect.sentence(), self.advice);
        finding.serialize_field("message", &message)?;
        finding.serialize_field("evidence", &evidence)?;
        finding.end()
    }
}
