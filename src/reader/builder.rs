//! Builds a session from what an adapter gives: ids interned, payloads left in the source.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use super::frame_recall::FrameRecall;
use super::surplus::Surplus;
use super::{Source, TAPE_DEPTH};
use crate::adapter::{Draft, Format, Record, Sink};
use crate::finding::{Finding, Location};
use crate::model::session::{Checkpoint, Fact, FrameRow, Kept, RecordRow, Run};
use crate::model::{Conventions, Event, Recall, Scope, Session, Sym, Value, canonical_json};
use crate::record::{Json, Scanner};
use crate::source::text::FramePlace;

/// Collects events and findings of one source.
#[derive(Debug)]
pub struct Builder {
    session: Session,
    findings: Vec<Finding>,
    surplus: Surplus,
    /// Line, column and item of the last event's record, and how many events it gave so far.
    current: Option<([u64; 3], u32)>,
    /// The frame that records begin in.
    frame: Option<FrameRow>,
    scopes: hashbrown::HashMap<Scope, u32>,
    /// Ranges of events that were taken back.
    withdrawn: Vec<std::ops::Range<usize>>,
}

impl Builder {
    /// For a session of this format.
    #[must_use]
    pub fn new(format: &'static Format) -> Self {
        Self {
            session: Session::new(format.id, format.version, Conventions::CANONICAL),
            findings: Vec::new(),
            surplus: Surplus::default(),
            current: None,
            frame: None,
            scopes: [(Scope::default(), 0)].into_iter().collect(),
            withdrawn: Vec::new(),
        }
    }

    /// The finished session and the findings of reading, in file order.
    #[must_use]
    pub fn finish(mut self, source: &Source) -> (Session, Vec<Finding>) {
        self.session.conventions = source.conventions;
        self.session.run_state_projection = source.metadata.run_state.clone();
        self.withdraw();
        self.findings.extend(self.surplus.summaries());
        (self.session, self.findings)
    }

    /// Marks what was taken back, each event once however often that happened.
    fn withdraw(&mut self) {
        self.withdrawn.sort_unstable_by_key(|range| range.start);
        let mut at = 0;
        for range in std::mem::take(&mut self.withdrawn) {
            let start = at.max(range.start);
            for event in self.session.events.get_mut(start..range.end).unwrap_or_default() {
                event.flags.withdrawn = true;
                event.flags.not_sent = true;
            }
            at = start.max(range.end);
        }
    }

    fn intern(&mut self, text: Option<Cow<'_, str>>) -> Sym {
        text.map_or(Sym::NONE, |text| self.session.strings.intern(&text))
    }
}

impl Sink for Builder {
    fn frame(&mut self, place: FramePlace) {
        let FramePlace { index, start, end, text } = place;
        self.frame = Some(FrameRow { number: index + 1, start, end, text });
    }

    fn unreadable(&mut self, finding: Finding) {
        let Session { format, format_version, conventions, .. } = self.session;
        self.session = Session::new(format, format_version, conventions);
        self.findings = vec![finding];
        self.surplus = Surplus::default();
    }

    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        let (column, item) = (record.location.column.unwrap_or(1), record.location.item.unwrap_or(0));
        let place = [record.offset, column, item];
        let part = match self.current {
            Some((current, part)) if current == place => part + 1,
            _ => {
                let (offset, end) = if record.is_compressed() {
                    (record.offset + column - 1, record.end)
                } else {
                    let Location { byte_start, byte_end, .. } = record.location;
                    (byte_start.unwrap_or(record.offset), byte_end.unwrap_or(record.end))
                };
                let line = record.location.line.unwrap_or(0);
                self.session.records.push(RecordRow { offset, len: end - offset, line, column, item });
                let frame = self.frame.filter(|frame| frame.number == item && record.is_compressed());
                if self.session.frames.last() != frame.as_ref() {
                    self.session.frames.extend(frame);
                }
                0
            }
        };
        self.current = Some((place, part));
        let scope = Scope {
            agent: self.intern(draft.agent),
            branch: self.intern(draft.branch),
            interaction: self.intern(draft.interaction),
        };
        let next = self.session.scopes.len() as u32;
        let scope = *self.scopes.entry(scope).or_insert_with(|| {
            self.session.scopes.push(scope);
            next
        });
        let event = Event {
            id: self.session.strings.intern(&draft.id),
            parent: self.intern(draft.parent),
            kind: draft.kind,
            actor: draft.actor,
            correlation: self.intern(draft.correlation),
            message: self.intern(draft.message),
            scope,
            record: self.session.records.len() as u32 - 1,
            part,
            flags: draft.flags,
            seq: draft.seq.unwrap_or(self.session.events.len() as u64),
            line: draft.line,
        };
        self.session.events.push(event);
    }

    fn finding(&mut self, finding: Finding) {
        self.findings.extend(self.surplus.admit(finding));
    }

    fn checkpoint(&mut self, seq: Option<i64>, hash: Option<String>) {
        let index = self.session.events.len() - 1;
        self.session.checkpoints.push(Checkpoint { index, seq, hash, id: String::new() });
    }

    fn run_state(&mut self, id: String, seq: Option<i64>, hash: Option<String>) {
        let index = self.session.run_state.len();
        self.session.run_state.push(Checkpoint { index, seq, hash, id });
    }

    fn kept_from(&mut self, first_kept: &str) {
        let boundary = self.session.events.len() as u32 - 1;
        let first = self.session.strings.intern(first_kept);
        self.session.kept.push(Kept { boundary, first });
    }

    fn withdrawn_from(&mut self, first: u64) {
        self.withdrawn.push(usize::try_from(first).unwrap_or(usize::MAX)..self.session.events.len());
    }

    fn resumed_from(&mut self, id: &str) {
        let id = self.session.strings.intern(id);
        self.session.resumed.push(id);
    }

    fn fact(&mut self, fact: Fact) {
        self.session.facts.push(fact);
    }

    fn run(&mut self, mut run: Run) {
        let start = self.session.runs.last().map_or(0, |run| run.events.1);
        run.events = (start, self.session.events.len() as u32);
        self.session.runs.push(run);
    }
}

/// Recalls single records from a file that can be read again.
pub struct FileRecall<R> {
    input: RefCell<Input<R>>,
    format: &'static Format,
    path: String,
}

/// The file as it is read again.
enum Input<R> {
    Plain(R),
    Frames(Box<FrameRecall<R>>),
    /// It can no longer be read.
    Gone,
}

impl<R> std::fmt::Debug for FileRecall<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileRecall").field("format", &self.format.id).finish_non_exhaustive()
    }
}

impl<R: Read + Seek> FileRecall<R> {
    /// Over the source that the session was read from.
    pub fn new(input: R, format: &'static Format, path: &str) -> Self {
        Self { input: RefCell::new(Input::Plain(input)), format, path: path.to_owned() }
    }

    /// The bytes of a range of the source; none when it is compressed or does not hold them any more.
    pub fn bytes(&self, range: std::ops::Range<u64>) -> Option<Vec<u8>> {
        match &mut *self.input.borrow_mut() {
            Input::Plain(input) => read_range(input, range),
            Input::Frames(_) | Input::Gone => None,
        }
    }

    fn record(&self, session: &Session, row: &RecordRow) -> Option<Vec<u8>> {
        let mut input = self.input.borrow_mut();
        let frame = session.frame(row);
        if frame.is_some() && matches!(*input, Input::Plain(_)) {
            *input = match std::mem::replace(&mut *input, Input::Gone) {
                Input::Plain(file) => {
                    FrameRecall::new(file).map_or(Input::Gone, |frames| Input::Frames(Box::new(frames)))
                }
                other => other,
            };
        }
        match (&mut *input, frame) {
            (Input::Plain(input), None) => read_range(input, row.offset..row.offset + row.len),
            (Input::Frames(frames), Some(frame)) => {
                let mut line = frames.record(frame, row)?;
                // Another record may follow on the line.
                if let Ok(scan) = Scanner::default().scan_prefix(&line, 1) {
                    line.truncate(scan.end);
                }
                Some(line)
            }
            _ => None,
        }
    }
}

impl<R: Read + Seek> Recall for FileRecall<R> {
    fn event(&self, session: &Session, index: usize) -> Option<Value> {
        let event = session.events.get(index)?;
        let row = session.records.get(event.record as usize)?;
        let bytes = self.record(session, row)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut scanner = Scanner::default();
        scanner.scan(text.as_bytes(), TAPE_DEPTH).ok()?;
        let is_item = row.item > 0 && session.frames.is_empty();
        let record = Record {
            json: Json::new(text.as_bytes(), scanner.tape()),
            line: if is_item { row.item } else { row.line },
            ordinal: 0,
            offset: row.offset,
            end: row.offset + row.len,
            in_document: is_item,
            is_cut: false,
            is_recovered: false,
            location: session.place(row),
        };
        let mut pick = Pick { part: event.part, seen: 0, seq: event.seq, found: None };
        (self.format.open)(&self.path).read(&record, &mut pick);
        let mut object = pick.found?;
        // What depends on the records before this one, the adapter cannot know here.
        let parent = event.parent.is_some().then(|| Value::from(session.text(event.parent)));
        object.set("id", Value::from(session.text(event.id)));
        object.set("parent_id", parent.unwrap_or(Value::Null));
        object.set("seq", Value::from(event.seq));
        Some(object)
    }

    fn said_hash(&self, session: &Session, record: u32) -> Option<[u8; 32]> {
        let stamps = Some(session.conventions.stamps).filter(|stamps| !stamps.is_empty())?;
        let bytes = self.record(session, session.records.get(record as usize)?)?;
        let mut scanner = Scanner::default();
        scanner.scan(&bytes, TAPE_DEPTH).ok()?;
        let mut said = Json::new(&bytes, scanner.tape()).to_value();
        if let Value::Object(members) = &mut said {
            members.retain(|(name, _)| !stamps.contains(&name.as_str()));
        }
        Some(Sha256::digest(canonical_json::to_string(&said)).into())
    }

    fn record_hash(&self, session: &Session, record: u32) -> Option<[u8; 32]> {
        let bytes = self.record(session, session.records.get(record as usize)?)?;
        Some(Sha256::digest(bytes.trim_ascii()).into())
    }
}

fn read_range(input: &mut (impl Read + Seek), range: std::ops::Range<u64>) -> Option<Vec<u8>> {
    input.seek(SeekFrom::Start(range.start)).ok()?;
    let mut bytes = vec![0; usize::try_from(range.end.checked_sub(range.start)?).ok()?];
    input.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// Keeps the canonical object of one event of a record.
struct Pick {
    part: u32,
    seen: u32,
    seq: u64,
    found: Option<Value>,
}

impl Sink for Pick {
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        if self.seen == self.part {
            self.found = Some(super::object::event_object(record, &draft, self.seq));
        }
        self.seen += 1;
    }
    fn finding(&mut self, _finding: Finding) {}
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}
