//! One canonical event, as the checks see it.

use super::Sym;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The person, or a program that speaks for one.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// The agent program itself.
    System,
}

impl Actor {
    /// The word in canonical files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }

    /// The actor with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::User, Self::Assistant, Self::Tool, Self::System].into_iter().find(|a| a.as_str() == word)
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Text of a user, the model or the system.
    Message,
    /// The model asks for a tool.
    ToolCall,
    /// What the tool gave back.
    ToolResult,
    /// A person allowed or refused something.
    Approval,
    /// State was made durable.
    Checkpoint,
    /// Older history was replaced by a summary.
    CompactionBoundary,
    /// Another agent took over.
    Handoff,
    /// A sub-agent began or ended.
    SubagentBoundary,
    /// The agent reported a failure.
    Error,
    /// Part of the chain, without meaning for replay.
    Opaque,
    /// Not understood.
    Unknown,
}

impl Kind {
    /// Every kind, in the order of the format's vocabulary.
    pub const ALL: [Self; 11] = [
        Self::Message,
        Self::ToolCall,
        Self::ToolResult,
        Self::Approval,
        Self::Checkpoint,
        Self::CompactionBoundary,
        Self::Handoff,
        Self::SubagentBoundary,
        Self::Error,
        Self::Opaque,
        Self::Unknown,
    ];

    /// The word in canonical files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Approval => "approval",
            Self::Checkpoint => "checkpoint",
            Self::CompactionBoundary => "compaction_boundary",
            Self::Handoff => "handoff",
            Self::SubagentBoundary => "subagent_boundary",
            Self::Error => "error",
            Self::Opaque => "opaque",
            Self::Unknown => "unknown",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == word)
    }

    /// A call or a result.
    #[must_use]
    pub const fn is_tool(self) -> bool {
        matches!(self, Self::ToolCall | Self::ToolResult)
    }
}

/// Where the model's reasoning stands in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reasoning {
    /// There is none.
    #[default]
    None,
    /// There is nothing else.
    Alone,
    /// Before everything else.
    First,
    /// Behind something else.
    Late,
}

/// Facts about an event that some rules need, as adapters know them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventFlags {
    /// The id was made up by the adapter.
    pub synthetic_id: bool,
    /// Never part of what is sent to a provider (progress, metadata in the chain).
    pub not_sent: bool,
    /// The turn that the event belongs to was taken back later in the log: nothing of it is sent, nor missed.
    pub withdrawn: bool,
    /// A call that its loader leaves out by design: it needs no result, and a result of it answers nothing.
    pub needs_no_result: bool,
    /// A result whose call is known, but lies before the beginning of this log or has lost its id.
    pub needs_no_call: bool,
    /// The event holds a text block that is empty.
    pub empty_text: bool,
    /// A text of the event holds nothing but blanks.
    pub blank_text: bool,
    /// A person's prompt: starts a new turn.
    pub prompt: bool,
    /// A resume never goes on from here, although it may pass through.
    pub no_head: bool,
    /// Where the model's reasoning stands in the event's record.
    pub reasoning: Reasoning,
}

/// One row of a session. Ids are symbols of the session's interner; payloads stay in the source.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Never none.
    pub id: Sym,
    /// Id of the event before it on its chain.
    pub parent: Sym,
    /// What happened.
    pub kind: Kind,
    /// Who did it.
    pub actor: Actor,
    /// Joins calls and results. The empty string is a value.
    pub correlation: Sym,
    /// Groups the parts of one message that are stored as several records.
    pub message: Sym,
    /// Index into [`super::Session::scopes`]; 0 is "no scope".
    pub scope: u32,
    /// Index into [`super::Session::records`].
    pub record: u32,
    /// Position among the events of its record, from 0.
    pub part: u32,
    /// See there.
    pub flags: EventFlags,
    /// Place in the session as its file states it; vendor formats count events from 0.
    pub seq: u64,
    /// The line that the reference program hashes into fingerprints; 0 when it has none.
    pub line: u64,
}
