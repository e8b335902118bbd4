//! Session logs of deepseek-harness: `session[.vN].jsonl`, one event a line, numbered without a hole.
//!
//! Lines are decoded by [`crate::dsh`], as in the audit, so that both say the same of one log. Pieces of answers are
//! counted and not kept: what they say stands in the message behind them.

pub(super) mod audit_name;
mod calls;
mod message;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use super::detect::Sample;
use super::{Adapter, Draft, Fault, Format, Framing, Metadata, Record, Sink, Storage, notice};
use crate::check::compatibility::{SL301, SL302};
use crate::check::framing::{SL001, SL002};
use crate::check::{SL512, SL513};
use crate::dsh::place;
use crate::dsh::record::{Event, Header, Record as Line};
use crate::dsh::sequence::{Numbers, Sequence, Step};
use crate::dsh::stream::Repetition;
use crate::dsh::turn::OpenTurn;
use crate::dsh::vocabulary::{self, Meaning};
use crate::finding::{Finding, Location, Severity, Stage, Subject};
use crate::model::session::{Adjacency, Fact, FactKind};
use crate::model::{Actor, Conventions, Kind, Value, calendar, content_free};
use crate::record::Json;
use crate::rule::Rule;
use calls::Requested;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "dsh-jsonl",
    name: "deepseek-harness",
    version: "1.0.0",
    versions: &["0", "1"],
    declared: &[],
    description: "Session logs of deepseek-harness",
    default_profile: "neutral",
    framing: Framing::LinesOrFrames(|path| place::is_compressed_log(path.as_bytes())),
    score,
    open: |path| Box::new(Dsh::new(path)),
};

const CONVENTIONS: Conventions = Conventions {
    tree: false,
    one_tree: false,
    pair_on_path: false,
    stored_in_order: true,
    adjacency: Adjacency::Free,
    open_tail: Severity::Warning,
    compaction_split: Severity::Warning,
    compaction_on_chain: false,
    checkpoints: false,
    identity_by_bytes: true,
    resends_copies: false,
    stamps: &[],
    id_member: "",
    reunites_messages: false,
    sends_reasoning_alone: false,
};

fn score(sample: &Sample) -> f64 {
    let header = |r: Json<'_>| {
        r.str("type").as_deref() == Some("session")
            && r.str("id").is_some()
            && r.get("version").is_some()
            && r.str("timestamp").is_none()
    };
    let event = |r: Json<'_>| {
        r.str("type").is_some_and(|t| vocabulary::meaning(1, t.as_bytes()).is_some())
            && r.get("seq").is_some()
            && r.get("time").is_some()
    };
    // A log that is broken from the first byte on still has its name.
    let named = || {
        let name = sample.name.as_bytes();
        place::is_compressed_log(name) || sample.is_compressed && place::is_log(name)
    };
    let is_log = if sample.records.is_empty() { named() } else { sample.any(|r| header(r) || event(r)) };
    if is_log && !sample.is_document { 1.0 } else { 0.0 }
}

struct Dsh {
    /// Generation that the file's name states; other names mean the first.
    generation: u64,
    /// A record was read: what comes next is no header.
    has_begun: bool,
    has_header: bool,
    /// Line of the first record, broken or not.
    first_line: Option<u64>,
    sequence: Sequence,
    /// Numbers whose first events are pieces of answers, which are not kept.
    pieces: Numbers,
    turn: OpenTurn,
    turn_began: Location,
    stream: Repetition,
    /// Length of the longest run of equal pieces, the number of its last piece, and its place.
    longest: (u64, i64, Location),
    /// Number of the record before.
    last: u64,
    /// Id of the event before, for exports.
    previous: Option<String>,
    /// Calls that the model asked for and that have not begun, by call id.
    requested: HashMap<String, Requested>,
    /// The line before was no record.
    broken: bool,
    metadata: Metadata,
}

impl Dsh {
    fn new(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        Self {
            generation: place::generation(name.as_bytes()).unwrap_or(0),
            has_begun: false,
            has_header: false,
            first_line: None,
            sequence: Sequence::default(),
            pieces: Numbers::default(),
            turn: OpenTurn::default(),
            turn_began: Location::default(),
            stream: Repetition::default(),
            longest: (0, 0, Location::default()),
            last: 0,
            previous: None,
            requested: HashMap::new(),
            broken: false,
            metadata: Metadata::default(),
        }
    }

    /// The first line. False when it is none: then it is a record like any other, or nothing.
    fn header(&mut self, record: &Record<'_>, sink: &mut dyn Sink) -> bool {
        let Some(header) = Header::read(record.json.raw()) else {
            // A broken first line has its own finding.
            if record.line == 1 {
                sink.finding(notice::missing_header(record));
            }
            return record.line == 1 && Line::read(record.json.raw()).is_none();
        };
        self.has_header = true;
        // Of a frame without line end its shape says as much.
        if !record.is_compressed() {
            unended(record, sink);
        }
        if u64::try_from(header.version) != Ok(self.generation) {
            sink.finding(about(&SL301, record, "", "version"));
        }
        self.generation = self.generation.max(u64::try_from(header.version).unwrap_or(0));
        self.metadata.session_id = Some(header.id.lossy().into_owned());
        self.metadata.created_at = header.created_at.and_then(calendar::from_millis);
        true
    }

    /// Follows the numbers. `lost` lines before this one were no records: they have their own findings.
    fn count(&mut self, record: &Record<'_>, seq: i64, kept: bool, lost: bool, sink: &mut dyn Sink) {
        let expected = self.sequence.due();
        let step = if kept { self.sequence.step(seq) } else { self.piece(seq) };
        let kind = match step {
            Step::Gap if !lost => FactKind::SequenceGap { expected, found: seq },
            Step::Reordered => FactKind::SequenceOutOfOrder { found: seq, repeated: false },
            // Events that are kept are compared by their ids.
            Step::Duplicate if !kept || self.pieces.contains(seq) => {
                FactKind::SequenceOutOfOrder { found: seq, repeated: true }
            }
            Step::Next | Step::Gap | Step::Duplicate => return,
        };
        sink.fact(Fact { kind, location: record.location, subject: format!("seq:{seq}") });
    }

    /// Takes the number of a piece of an answer.
    fn piece(&mut self, seq: i64) -> Step {
        let step = self.sequence.step(seq);
        if matches!(step, Step::Next | Step::Gap) {
            self.pieces.add(seq, seq + 1);
        }
        step
    }

    /// Looks whether the pieces just given make a stream that repeats itself.
    fn note_repetition(&mut self, location: Location) {
        if let Some((times, last)) = self.stream.long_run().filter(|run| run.0 > self.longest.0) {
            self.longest = (times, last, location);
        }
    }

    fn line(&mut self, record: &Record<'_>, lost: bool, sink: &mut dyn Sink) {
        let line = Line::read(record.json.raw());
        if line.is_some() {
            unended(record, sink);
        }
        match line {
            None => {
                // What is incomplete the harness cuts off; a frame never is.
                let is_torn = record.is_cut && !record.is_compressed();
                let rule = if is_torn { &SL002 } else { &SL001 };
                let mut broken = about(rule, record, "not-a-record", "");
                broken.evidence.remove("field_path");
                sink.finding(broken);
                self.broken = true;
            }
            Some(Line::Packed(row)) => {
                // What is wrong with the first number of a row is wrong with all of them.
                self.count(record, row.first_seq, false, lost, sink);
                (row.first_seq..).zip(1..row.count).for_each(|(seq, _)| {
                    self.piece(seq + 1);
                });
                self.stream.row(&row.runs, row.first_seq);
                self.note_repetition(record.location);
            }
            Some(Line::Event(event)) => {
                let meaning = vocabulary::meaning(self.generation, event.kind.as_bytes());
                self.count(record, event.seq, meaning != Some(Meaning::Chunk), lost, sink);
                if meaning == Some(Meaning::Chunk) {
                    self.stream.piece(&event.data.delta(), event.seq);
                    self.note_repetition(record.location);
                } else {
                    self.stream.interrupt();
                    self.event(record, &event, meaning, sink);
                }
            }
        }
    }

    fn event(&mut self, record: &Record<'_>, event: &Event<'_>, meaning: Option<Meaning>, sink: &mut dyn Sink) {
        match meaning {
            Some(Meaning::TurnStart) => {
                self.turn.start(event.data.turn);
                self.turn_began = record.location;
            }
            Some(Meaning::TurnEnd) => self.turn.end(event.data.turn),
            _ => {}
        }
        if matches!(meaning, Some(Meaning::Answer | Meaning::StepEnd | Meaning::TurnEnd)) {
            self.never_started(sink);
        }
        match meaning {
            Some(Meaning::Prompt) => self.message(record, event, Actor::User, sink),
            Some(Meaning::Instruction) => self.message(record, event, Actor::System, sink),
            Some(Meaning::Answer) => self.answer(record, event, sink),
            Some(Meaning::Call) => self.call(record, event, sink),
            Some(Meaning::Result) => self.result(record, event, sink),
            Some(Meaning::Summary) => self.plain(record, event, Kind::CompactionBoundary, sink),
            Some(Meaning::Subagent) => self.plain(record, event, Kind::SubagentBoundary, sink),
            Some(Meaning::Approval) => self.plain(record, event, Kind::Approval, sink),
            Some(_) => self.plain(record, event, Kind::Opaque, sink),
            None if event.ignorable => self.plain(record, event, Kind::Opaque, sink),
            None => {
                let word = event.kind.lossy();
                let mut finding = about_event(&SL302, record, event, "", "type");
                let shown = content_free::echo(&Value::from(&*word)).0;
                finding.evidence.insert("type_value".into(), shown.into());
                finding.subject.part = word.into_owned();
                sink.finding(finding);
                self.plain(record, event, Kind::Unknown, sink);
            }
        }
    }

    /// An event that is no message, call or result.
    fn plain(&mut self, record: &Record<'_>, event: &Event<'_>, kind: Kind, sink: &mut dyn Sink) {
        let data = record.json.get("data");
        let payload = || match kind {
            Kind::CompactionBoundary => Value::Object(vec![("summary".into(), message::text_of(data))]),
            _ => Value::Object(vec![("type".into(), Value::from(&*event.kind.lossy()))]),
        };
        let id = id_of(event);
        self.emit(record, draft(record, event, &id, kind, Actor::System, &payload), sink);
    }

    fn emit(&mut self, record: &Record<'_>, mut draft: Draft<'_>, sink: &mut dyn Sink) {
        let previous = self.previous.replace(draft.id.clone().into_owned());
        draft.parent = previous.map(Cow::Owned);
        sink.event(record, draft);
    }
}

/// A finding about a record, or about what stands, or does not stand, at `field_path`.
fn about(rule: &'static Rule, record: &Record<'_>, variant: &'static str, field_path: &'static str) -> Finding {
    let finding = notice::field(record, variant, rule.severity, field_path);
    Finding { rule, repairability: rule.repairability, ..finding }
}

/// The same about an event, which has a name.
fn about_event(
    rule: &'static Rule,
    record: &Record<'_>,
    event: &Event<'_>,
    variant: &'static str,
    field_path: &'static str,
) -> Finding {
    Finding { record_id: Some(id_of(event)), ..about(rule, record, variant, field_path) }
}

/// A record that is whole may lack its line end. In a plain log the harness drops it then, in a frame it refuses it.
fn unended(record: &Record<'_>, sink: &mut dyn Sink) {
    if record.is_cut {
        let (variant, severity) = match record.is_compressed() {
            true => ("unended-line", Severity::Error),
            false => ("unended-last-line", Severity::Warning),
        };
        let mut finding = Finding { severity, ..about(&SL001, record, variant, "") };
        finding.evidence.remove("field_path");
        sink.finding(finding);
    }
}

/// A finding about the file as a whole.
fn about_file(rule: &'static Rule, variant: &'static str) -> Finding {
    let mut finding = Finding::new(rule, Stage::Reading);
    finding.variant = variant;
    finding.subject = Subject { record: String::new(), part: "header".into() };
    finding
}

fn id_of(event: &Event<'_>) -> String {
    format!("seq:{}", event.seq)
}

fn draft<'a>(
    record: &Record<'_>,
    event: &Event<'_>,
    id: &'a str,
    kind: Kind,
    actor: Actor,
    payload: &'a dyn Fn() -> Value,
) -> Draft<'a> {
    let ts = calendar::from_millis(event.time).map_or_else(|| super::timestamp(None), Cow::Owned);
    let mut draft = Draft::new(record, Cow::Borrowed(id), kind, actor, ts, payload);
    draft.seq = u64::try_from(event.seq).ok();
    draft
}

impl Adapter for Dsh {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        self.first_line.get_or_insert(record.line);
        let last = std::mem::replace(&mut self.last, record.ordinal);
        let lost = record.ordinal > last + 1 || std::mem::take(&mut self.broken);
        if !std::mem::replace(&mut self.has_begun, true) {
            if !self.header(record, sink) {
                self.line(record, lost, sink);
            }
            return;
        }
        self.line(record, lost, sink);
    }

    fn text(&self, finding: &mut Finding) {
        // The harness takes the last of two values, and keeps half a surrogate as it is.
        finding.severity = Severity::Info;
    }

    fn refuses_byte_order_mark(&self) -> bool {
        true
    }

    fn refuses_blank_lines(&self) -> bool {
        // Before the first record the header is what is missing.
        self.first_line.is_some()
    }

    fn broken(&mut self, fault: &Fault, finding: &mut Finding) -> bool {
        self.first_line = self.first_line.or(finding.line);
        match finding.variant {
            _ if fault.reason == "depth_exceeded" => {
                (finding.variant, finding.severity) = ("unchecked-depth", Severity::Info);
            }
            "malformed-line" | "non-object-line" => finding.variant = "unparsable-line",
            _ => {}
        }
        true
    }

    fn replaced(&self, finding: &mut Finding) {
        // As the harness does.
        (finding.variant, finding.severity) = ("replaced-bytes", Severity::Info);
    }

    fn stored(&mut self, storage: &Storage, sink: &mut dyn Sink) {
        if storage.size == 0 {
            sink.finding(about_file(&SL513, ""));
        } else if self.first_line != Some(1) {
            // Blank, or there is no text at all.
            sink.finding(about_file(&SL001, "missing-header"));
        } else if self.has_header && storage.line_in_first_frame == Some(false) {
            let mut shape = about_file(&SL512, "");
            shape.location.item = Some(1);
            sink.finding(shape);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.never_started(sink);
        let mut fact = |kind, location, subject: &str| sink.fact(Fact { kind, location, subject: subject.into() });
        if self.turn.is_open() {
            fact(FactKind::OpenTurn, self.turn_began, "turn");
        }
        let (times, last, location) = self.longest;
        if times > 0 {
            fact(FactKind::Repetition { times, last }, location, "stream");
        }
    }

    fn conventions(&self) -> Conventions {
        CONVENTIONS
    }

    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }
}
