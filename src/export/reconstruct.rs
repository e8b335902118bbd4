//! The A4 test: written as a canonical stream and read back, a session gives the same events.
//!
//! It rides on the one pass over the source, one event at a time, so that memory does not grow: each event is
//! serialised, parsed by a second reader and compared. Where the serialised form is the very bytes that were read, the
//! second reading is the first one, and nothing needs to be done twice.

use crate::adapter::{Adapter, Draft, Record, Sink, canonical};
use crate::finding::{Finding, Location, Severity};
use crate::model::{Value, canonical_json};
use crate::reader::TAPE_DEPTH;
use crate::reader::object::event_object;
use crate::record::{Json, Scanner};

/// Sessions with more events are not read a second time: assurance stays at A3.
const MOST_EVENTS: u64 = 50_000;

/// Passes everything on to another sink and tests each event on the way.
pub struct Reconstruction<'a> {
    inner: &'a mut dyn Sink,
    second: Box<dyn Adapter>,
    scanner: Scanner,
    events: u64,
    as_stored: Option<Derived>,
    same: bool,
}

/// A member that the reader added to the record, if any.
type Derived = Option<(&'static str, &'static str)>;

impl std::fmt::Debug for Reconstruction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reconstruction").field("events", &self.events).field("same", &self.same).finish_non_exhaustive()
    }
}

impl<'a> Reconstruction<'a> {
    /// Before `inner`, for a source whose cleaned path is `path`.
    pub fn new(inner: &'a mut dyn Sink, path: &str) -> Self {
        let second = (canonical::FORMAT.open)(path);
        let mut check = Self { inner, second, scanner: Scanner::default(), events: 0, as_stored: None, same: true };
        let header = r#"{"created_at":"1970-01-01T00:00:00Z","schema_version":"sesslint.session/v1","session_id":"reconstruction","version":1}"#;
        check.read_back(header, &mut Capture::default());
        check
    }

    /// Whether every event survived, and there was one.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.same && (1..=MOST_EVENTS).contains(&self.events)
    }

    fn read_back(&mut self, text: &str, capture: &mut Capture) {
        if self.scanner.scan(text.as_bytes(), TAPE_DEPTH).is_err() {
            capture.trouble = true;
            return;
        }
        let record = Record {
            json: Json::new(text.as_bytes(), self.scanner.tape()),
            line: self.events + 1,
            ordinal: self.events + 1,
            offset: 0,
            end: text.len() as u64,
            in_document: false,
            is_cut: false,
            is_recovered: false,
            location: Location::default(),
        };
        self.second.read(&record, capture);
    }

    /// A record that is its event, but for a member that the reader added.
    fn survives_as_stored(&mut self, record: &Record<'_>, derived: Derived, seq: u64) -> bool {
        let mut text = String::with_capacity(record.json.raw().len() + 64);
        if canonical_json::is_canonical(record.json) {
            text.push_str(&record.json.spelling());
        } else {
            canonical_json::write_json(record.json, &mut text);
        }
        if let Some((name, value)) = derived {
            // At the end: the order of members is the one thing a reader does not see.
            text.truncate(text.len() - 1);
            text.push_str(&format!(",\"{name}\":\"{value}\"}}"));
        }
        let mut capture = Capture { seq, ..Capture::default() };
        self.read_back(&text, &mut capture);
        !capture.trouble && capture.unchanged == 1 && capture.events.is_empty()
    }

    fn survives(&mut self, record: &Record<'_>, draft: &Draft<'_>, seq: u64) -> bool {
        let text = canonical_json::to_string(&event_object(record, draft, seq));
        let mut capture = Capture { seq, ..Capture::default() };
        self.read_back(&text, &mut capture);
        // What was written is canonical, so an event that is its record as it stands is that text again.
        let again = match &capture.events[..] {
            [] if capture.unchanged == 1 => return !capture.trouble,
            [again] if capture.unchanged == 0 => canonical_json::to_string(again),
            _ => return false,
        };
        !capture.trouble && again == text
    }
}

impl Sink for Reconstruction<'_> {
    fn as_stored(&mut self, derived: Derived) {
        self.as_stored = Some(derived);
        self.inner.as_stored(derived);
    }
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        let seq = self.events;
        self.events += 1;
        let as_stored = self.as_stored.take();
        if self.same && self.events <= MOST_EVENTS {
            self.same = match as_stored {
                Some(None) if canonical_json::is_canonical(record.json) => true,
                Some(derived) => self.survives_as_stored(record, derived, seq),
                None => self.survives(record, &draft, seq),
            };
        }
        self.inner.event(record, draft);
    }
    fn unreadable(&mut self, finding: Finding) {
        self.same = false;
        self.inner.unreadable(finding);
    }
    fn finding(&mut self, finding: Finding) {
        self.inner.finding(finding);
    }
    fn checkpoint(&mut self, seq: Option<i64>, hash: Option<String>) {
        self.inner.checkpoint(seq, hash);
    }
    fn run_state(&mut self, id: String, seq: Option<i64>, hash: Option<String>) {
        self.inner.run_state(id, seq, hash);
    }
}

/// What the second reader makes of one record.
#[derive(Default)]
struct Capture {
    seq: u64,
    /// The next event is the record as it stands.
    as_stored: bool,
    /// Events that are.
    unchanged: usize,
    /// The others.
    events: Vec<Value>,
    trouble: bool,
}

impl Sink for Capture {
    fn as_stored(&mut self, derived: Derived) {
        self.as_stored = derived.is_none();
    }
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        if std::mem::take(&mut self.as_stored) && self.events.is_empty() {
            self.unchanged += 1;
        } else {
            self.events.push(event_object(record, &draft, self.seq));
        }
    }
    fn finding(&mut self, finding: Finding) {
        self.trouble |= finding.severity >= Severity::Warning;
    }
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}
