//! A session: its records, its events, and how its format is to be judged.

use serde_json::Value as Json;

use super::{Event, Interner, Sym, Value};
use crate::finding::{Location, Severity};

/// Agent, branch and interaction an event belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Which agent.
    pub agent: Sym,
    /// Which branch.
    pub branch: Sym,
    /// Which interaction.
    pub interaction: Sym,
}

/// Where a record stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordRow {
    /// Offset of its first byte in the text, which for a plain file is the offset in the file.
    pub offset: u64,
    /// Length in bytes, in a compressed file with what follows it on its line.
    pub len: u64,
    /// Physical line from 1.
    pub line: u64,
    /// Column of its first byte, in bytes from 1: above 1 only for the second record on a line.
    pub column: u64,
    /// Number from 1 among the items of a JSON document or the frames of a compressed file; 0 in plain lines.
    pub item: u64,
}

/// A frame of a compressed file in which records begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRow {
    /// Number from 1.
    pub number: u64,
    /// Offset of its first byte in the file.
    pub start: u64,
    /// Offset behind its last byte in the file.
    pub end: u64,
    /// Offset of its text in the whole text.
    pub text: u64,
}

/// A checkpoint event's state, kept beside the events because few sessions have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Position of the event; for run-state entries their index in the list.
    pub index: usize,
    /// Stated sequence number, when it is an integer.
    pub seq: Option<i64>,
    /// Stated hash, trimmed, none when blank.
    pub hash: Option<String>,
    /// Id of a run-state entry; empty for events, whose id is in the row.
    pub id: String,
}

/// A compaction boundary that keeps a stretch of what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Position of the boundary.
    pub boundary: u32,
    /// Id of the first event that is kept; it may be unknown.
    pub first: Sym,
}

/// Something an adapter saw that is no event. The rule of its kind says how bad it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub kind: FactKind,
    /// Where it stands.
    pub location: Location,
    /// What names the record for good: an id, a number it states. May be empty.
    pub subject: String,
}

/// What an adapter may see beside events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind {
    /// A record's number is more than one above that of the record before it, and no broken line explains it.
    OrdinalGap {
        /// The number that should have come.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// A record's number was used before.
    OrdinalRepeated {
        /// The number that should have come.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// A record was stored before, number and all.
    OrdinalCopied {
        /// Its number.
        found: u64,
    },
    /// A record has no number although the log numbers its records.
    OrdinalMissing {
        /// Loaders refuse the log for it.
        refused: bool,
        /// Counts uninterrupted stretches of such records.
        stretch: u32,
    },
    /// A record's number is no number.
    OrdinalUnusable {
        /// Loaders drop the record for it.
        dropped: bool,
    },
    /// A second header, behind which loaders forget everything above.
    SecondHeader,
    /// Numbers of a log whose events are numbered without a hole are missing.
    SequenceGap {
        /// The number that should have come.
        expected: i64,
        /// The number that came.
        found: i64,
    },
    /// A number that was used before, or that comes late.
    SequenceOutOfOrder {
        /// The number.
        found: i64,
        /// It was used before.
        repeated: bool,
    },
    /// The last turn of the log was begun and not ended.
    OpenTurn,
    /// The model printed one piece over and over again.
    Repetition {
        /// How often in a row.
        times: u64,
        /// Number of the event with the last of them.
        last: i64,
    },
    /// An end marker in a run that had ended already.
    ExtraEnd,
    /// A message that was printed piece by piece and never came to its end.
    PartialUnfinished {
        /// The run that it belongs to has an end marker.
        run_ended: bool,
    },
    /// A message that was printed piece by piece and never as a whole.
    PartialWithoutFinal {
        /// The run that it belongs to has an end marker.
        run_ended: bool,
    },
    /// A command that is said to be completed although nobody knows how it went.
    AbandonedCommand,
    /// A record of a sub-agent whose call was not printed before.
    UnknownCaller,
}

/// One run of a printed stream: from its header to its end marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Positions of its first event and behind its last one; set by the builder.
    pub events: (u32, u32),
    /// It begins with a header.
    pub begun: bool,
    /// It has an end marker.
    pub ended: bool,
    /// Its first record.
    pub first: Location,
    /// Its last record.
    pub last: Location,
    /// Kind of the last record, in the format's own word; never text of the session.
    pub last_type: &'static str,
}

/// What may stand between a call and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjacency {
    /// Nothing but tool events may stand between a call and its result, by position.
    Position,
    /// No other turn may stand between them on the chain of the result.
    Chain,
    /// Distance means nothing.
    Free,
}

/// How a format is to be judged: facts an adapter states, so that no check needs to know a vendor.
#[derive(Clone, Copy, Debug)]
pub struct Conventions {
    /// Parent links form the history; without them order is the only structure.
    pub tree: bool,
    /// A second root or head is a defect by itself. Otherwise branches are ordinary.
    pub one_tree: bool,
    /// Each branch is replayed alone, so that a call may be answered once on each of two branches.
    pub pair_on_path: bool,
    /// Events are stored in the order in which they are replayed.
    pub stored_in_order: bool,
    /// What may stand between a call and its result under the neutral profile.
    pub adjacency: Adjacency,
    /// Severity of a call left open only because the log ends there.
    pub open_tail: Severity,
    /// Severity of a call and its result on two sides of a compaction boundary (neutral profile).
    pub compaction_split: Severity,
    /// A compaction boundary acts on the chain it stands on, not on everything behind it in the file.
    pub compaction_on_chain: bool,
    /// Checkpoints and side-effect state are recorded at all.
    pub checkpoints: bool,
    /// Two records with one id count as identical when their bytes are, whatever their position.
    pub identity_by_bytes: bool,
    /// A record that is stored twice is sent twice, and the request is refused for it.
    pub resends_copies: bool,
    /// Members that say for which session and when a record was stored: a copy that a program makes of it may differ in
    /// them and says the same.
    pub stamps: &'static [&'static str],
    /// Reasoning is sent as it is stored, and refused by the API unless the item that it led to follows.
    pub reasoning_leads: bool,
    /// The member that holds a record's own id; empty where records have none.
    pub id_member: &'static str,
    /// Loaders put the parts of a message, and the results of its calls, back together from whatever branch.
    pub reunites_messages: bool,
}

impl Conventions {
    /// Canonical files, and every format that promises as much: one tree, in order, checkpoints.
    pub const CANONICAL: Self = Self {
        tree: true,
        one_tree: true,
        pair_on_path: false,
        stored_in_order: true,
        adjacency: Adjacency::Position,
        open_tail: Severity::Error,
        compaction_split: Severity::Warning,
        compaction_on_chain: false,
        checkpoints: true,
        identity_by_bytes: false,
        resends_copies: false,
        stamps: &[],
        reasoning_leads: false,
        id_member: "id",
        reunites_messages: false,
    };
}

/// Everything read from one source.
#[derive(Debug)]
pub struct Session {
    /// Format id, such as `canonical`.
    pub format: &'static str,
    /// Version of the adapter, part of fingerprints.
    pub format_version: &'static str,
    /// See there.
    pub conventions: Conventions,
    /// All interned strings.
    pub strings: Interner,
    /// Distinct scopes; entry 0 is the empty one.
    pub scopes: Vec<Scope>,
    /// Every record that was read, in file order.
    pub records: Vec<RecordRow>,
    /// Frames that records begin in, in file order; empty for a plain file.
    pub frames: Vec<FrameRow>,
    /// Every event, in file order.
    pub events: Vec<Event>,
    /// Checkpoint events.
    pub checkpoints: Vec<Checkpoint>,
    /// Checkpoints of an embedded run state, as the format orders them.
    pub run_state: Vec<Checkpoint>,
    /// Whether the source names any run-state checkpoint.
    pub run_state_projection: Option<Json>,
    /// Boundaries that state what they keep; either all of a format do or none.
    pub kept: Vec<Kept>,
    /// Ids of records below which a resume goes on, if they are there; the last one counts.
    pub resumed: Vec<Sym>,
    /// In file order.
    pub facts: Vec<Fact>,
    /// Runs of a printed stream, in file order; none for logs that are resumed.
    pub runs: Vec<Run>,
}

impl Session {
    /// An empty session of a format.
    #[must_use]
    pub fn new(format: &'static str, format_version: &'static str, conventions: Conventions) -> Self {
        Self {
            format,
            format_version,
            conventions,
            strings: Interner::default(),
            scopes: vec![Scope::default()],
            records: Vec::new(),
            frames: Vec::new(),
            events: Vec::new(),
            checkpoints: Vec::new(),
            run_state: Vec::new(),
            run_state_projection: None,
            kept: Vec::new(),
            resumed: Vec::new(),
            facts: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.strings.text(sym)
    }

    /// The scope of an event.
    #[must_use]
    pub fn scope(&self, event: &Event) -> Scope {
        self.scopes[event.scope as usize]
    }

    /// Where an event stands.
    #[must_use]
    pub fn location(&self, event: &Event) -> Location {
        self.place(&self.records[event.record as usize])
    }

    /// The place of a record as findings name it. Of a compressed file only frames have places.
    #[must_use]
    pub fn place(&self, row: &RecordRow) -> Location {
        let (start, end) = match self.frame(row) {
            Some(frame) => (frame.start, frame.end),
            None => (row.offset, row.offset + row.len),
        };
        Location {
            line: Some(row.line),
            column: Some(row.column),
            byte_start: Some(start),
            byte_end: Some(end),
            item: (row.item > 0).then_some(row.item),
        }
    }

    /// The frame that a record begins in, when the file is compressed.
    #[must_use]
    pub fn frame(&self, row: &RecordRow) -> Option<&FrameRow> {
        self.frames.binary_search_by_key(&row.item, |frame| frame.number).ok().map(|index| &self.frames[index])
    }
}

/// Reads the payload of single events again, for the few rules that compare contents.
pub trait Recall {
    /// The whole canonical event object, or none when the source cannot be read again.
    fn event(&self, session: &Session, index: usize) -> Option<Value>;

    /// SHA-256 of what a record says, whatever its stamps and its spelling; none where the format knows no stamps.
    fn said_hash(&self, session: &Session, record: u32) -> Option<[u8; 32]>;

    /// SHA-256 of the source bytes of a record without surrounding blanks.
    fn record_hash(&self, session: &Session, record: u32) -> Option<[u8; 32]>;
}
