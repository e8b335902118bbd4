//! Session logs of deepseek-harness: `session[.vN].jsonl`, one event a line, numbered without a hole.
//!
//! Lines are decoded by [`crate::dsh`], as in the audit, so that both say the same of one log. Pieces of answers are
//! counted and not kept: what they say stands in the message behind them.

mod calls;
mod message;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use super::detect::Sample;
use super::{Adapter, Draft, Format, Framing, Metadata, Record, Sink, notice};
use crate::check::compatibility::{SL301, SL302};
use crate::check::framing::SL001;
use crate::dsh::record::{Event, Header, Record as Line};
use crate::dsh::sequence::{Sequence, Step};
use crate::dsh::stream::Repetition;
use crate::dsh::turn::OpenTurn;
use crate::dsh::{packed, place, vocabulary};
use crate::finding::{Finding, Location, Severity};
use crate::model::session::{Adjacency, Fact, FactKind};
use crate::model::{Actor, Conventions, Kind, Value, calendar, content_free};
use crate::record::Json;
use calls::Requested;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "dsh-jsonl",
    name: "deepseek-harness",
    version: "1.0.0",
    versions: &["0", "1"],
    description: "Session logs of deepseek-harness",
    default_profile: "neutral",
    framing: Framing::Lines,
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
    id_member: "",
    reunites_messages: false,
};

fn score(sample: &Sample) -> f64 {
    let header = |r: Json<'_>| {
        r.str("type").as_deref() == Some("session")
            && r.str("id").is_some()
            && r.get("version").is_some()
            && r.str("timestamp").is_none()
    };
    let event = |r: Json<'_>| {
        r.str("type").is_some_and(|t| vocabulary::knows(1, t.as_bytes()) && t.contains('/'))
            && r.get("seq").is_some()
            && r.get("time").is_some()
    };
    if !sample.is_document && sample.any(|r| header(r) || event(r)) { 1.0 } else { 0.0 }
}

struct Dsh {
    /// Generation that the file's name states; other names mean the first.
    generation: u64,
    has_header: bool,
    sequence: Sequence,
    turn: OpenTurn,
    turn_began: Location,
    stream: Repetition,
    longest: (u64, Location),
    /// Line, number and end of the record before.
    last: (u64, u64),
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
            has_header: false,
            sequence: Sequence::default(),
            turn: OpenTurn::default(),
            turn_began: Location::default(),
            stream: Repetition::default(),
            longest: (0, Location::default()),
            last: (0, 0),
            previous: None,
            requested: HashMap::new(),
            broken: false,
            metadata: Metadata::default(),
        }
    }

    /// The first line. False when it is none: then it is a record like any other.
    fn header(&mut self, record: &Record<'_>, sink: &mut dyn Sink) -> bool {
        let Some(header) = Header::read(record.json.raw()) else {
            // A broken first line has its own finding.
            if record.ordinal == 1 {
                sink.finding(notice::missing_header(record));
            }
            return false;
        };
        if u64::try_from(header.version) != Ok(self.generation) {
            let drift = notice::field(record, "", SL301.severity, "version");
            sink.finding(Finding { rule: &SL301, repairability: SL301.repairability, ..drift });
        }
        self.generation = self.generation.max(u64::try_from(header.version).unwrap_or(0));
        self.metadata.session_id = Some(header.id.lossy().into_owned());
        self.metadata.created_at = header.created_at.and_then(calendar::from_millis);
        true
    }

    /// Follows the numbers. `lost` lines before this one were no records: they have their own findings.
    fn count(&mut self, record: &Record<'_>, seq: i64, kept: bool, lost: bool, sink: &mut dyn Sink) {
        let expected = self.sequence.due();
        let kind = match self.sequence.step(seq) {
            Step::Gap if !lost => FactKind::SequenceGap { expected, found: seq },
            Step::Reordered => FactKind::SequenceOutOfOrder { found: seq, repeated: false },
            // Events that are kept are compared by their ids.
            Step::Duplicate if !kept => FactKind::SequenceOutOfOrder { found: seq, repeated: true },
            Step::Next | Step::Gap | Step::Duplicate => return,
        };
        sink.fact(Fact { kind, location: record.location, subject: format!("seq:{seq}") });
    }

    fn piece(&mut self, delta: &[u8], seq: i64, location: Location) {
        self.stream.piece(delta, seq);
        if let Some((times, _)) = self.stream.long_run().filter(|run| run.0 > self.longest.0) {
            self.longest = (times, location);
        }
    }

    fn line(&mut self, record: &Record<'_>, lost: bool, sink: &mut dyn Sink) {
        match Line::read(record.json.raw()) {
            None => {
                let broken = notice::field(record, "not-a-record", SL001.severity, "");
                let mut broken = Finding { rule: &SL001, repairability: SL001.repairability, ..broken };
                broken.evidence.remove("field_path");
                sink.finding(broken);
                self.broken = true;
            }
            Some(Line::Packed(row)) => {
                for (seq, delta) in (row.first_seq..).zip(row.deltas()) {
                    // What is wrong with the first number of a row is wrong with all of them.
                    if seq == row.first_seq {
                        self.count(record, seq, false, lost, sink);
                    } else {
                        self.sequence.step(seq);
                    }
                    self.piece(delta.as_bytes(), seq, record.location);
                }
            }
            Some(Line::Event(event)) if event.kind.as_bytes() == packed::CHUNK.as_bytes() => {
                self.count(record, event.seq, false, lost, sink);
                self.piece(event.data.delta().as_bytes(), event.seq, record.location);
            }
            Some(Line::Event(event)) => {
                self.count(record, event.seq, true, lost, sink);
                self.stream.interrupt();
                self.event(record, &event, sink);
            }
        }
    }

    fn event(&mut self, record: &Record<'_>, event: &Event<'_>, sink: &mut dyn Sink) {
        let word = event.kind.lossy();
        match &*word {
            "turn/start" => {
                self.turn.start(event.data.turn);
                self.turn_began = record.location;
            }
            "turn/end" => self.turn.end(event.data.turn),
            _ => {}
        }
        if matches!(&*word, "assistant/message" | "step/end" | "turn/end") {
            self.never_started(sink);
        }
        match &*word {
            "user/message" => self.message(record, event, Actor::User, sink),
            "developer/message" | "system/message" => self.message(record, event, Actor::System, sink),
            "assistant/message" => self.answer(record, event, sink),
            "tool/call" => self.call(record, event, sink),
            "tool/result" => self.result(record, event, sink),
            "compaction/summary" => self.plain(record, event, Kind::CompactionBoundary, sink),
            "subagent/descriptor" => self.plain(record, event, Kind::SubagentBoundary, sink),
            _ if word.starts_with("approval/") => self.plain(record, event, Kind::Approval, sink),
            _ if word.starts_with("team/") || word.starts_with("tool-workflow/") => {
                self.plain(record, event, Kind::SubagentBoundary, sink);
            }
            _ if event.ignorable || vocabulary::knows(self.generation, event.kind.as_bytes()) => {
                self.plain(record, event, Kind::Opaque, sink);
            }
            _ => {
                let mut finding = notice::field(record, "", SL302.severity, "type");
                let shown = content_free::echo(&Value::from(&*word)).0;
                finding.evidence.insert("type_value".into(), shown.into());
                finding.subject.part = word.clone().into_owned();
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
        let (last_line, last_ordinal) = std::mem::replace(&mut self.last, (record.line, record.ordinal));
        let lost = record.ordinal > last_ordinal + 1 || std::mem::take(&mut self.broken);
        if !std::mem::replace(&mut self.has_header, true) {
            if !self.header(record, sink) {
                self.line(record, lost, sink);
            }
            return;
        }
        // Two records on one line share its number.
        let blank = record.line.saturating_sub(last_line + 1);
        if blank > 0 && !lost {
            let mut finding = notice::field(record, "empty-line", SL001.severity, "");
            (finding.rule, finding.repairability) = (&SL001, SL001.repairability);
            finding.line = Some(last_line + 1);
            finding.location = Location { line: Some(last_line + 1), column: Some(1), ..Location::default() };
            finding.evidence.remove("field_path");
            sink.finding(finding);
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

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.never_started(sink);
        let mut fact = |kind, location, subject: &str| sink.fact(Fact { kind, location, subject: subject.into() });
        if self.turn.is_open() {
            fact(FactKind::OpenTurn, self.turn_began, "turn");
        }
        let (times, location) = self.longest;
        if times > 0 {
            fact(FactKind::Repetition { times }, location, "stream");
        }
    }

    fn conventions(&self) -> Conventions {
        CONVENTIONS
    }

    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }
}
