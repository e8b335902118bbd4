//! The A4 test: written as a canonical stream and read back, a session gives the same events.
//!
//! One event at a time: each is serialised, parsed by a second reader and compared, so that memory does not grow.

use std::io::{self, Read};

use crate::adapter::{Adapter, Draft, Format, Record, Sink, canonical};
use crate::finding::{Finding, Location, Severity};
use crate::model::{Value, canonical_json};
use crate::reader::object::event_object;
use crate::reader::{self, TAPE_DEPTH};
use crate::record::{Json, Scanner};

/// What tells where an event came from is no part of what it is.
const PROVENANCE: [&str; 3] = ["source_line", "source_location", "source_record_hash"];

/// Whether every event of a canonical source survives being written and read again.
///
/// # Errors
/// Whatever reading raises.
pub fn reconstructs(input: impl Read, format: &'static Format, path: &str) -> io::Result<bool> {
    let mut check =
        Reconstruction { second: (canonical::FORMAT.open)(path), scanner: Scanner::default(), events: 0, same: true };
    let header = r#"{"created_at":"1970-01-01T00:00:00Z","schema_version":"sesslint.session/v1","session_id":"reconstruction","version":1}"#;
    let mut nothing = Capture::default();
    check.read_back(header, &mut nothing);
    reader::read(input, format, path, &mut check)?;
    Ok(check.same && check.events > 0)
}

struct Reconstruction {
    second: Box<dyn Adapter>,
    scanner: Scanner,
    events: u64,
    same: bool,
}

impl Reconstruction {
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
            location: Location::default(),
        };
        self.second.read(&record, capture);
    }
}

impl Sink for Reconstruction {
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        let seq = self.events;
        self.events += 1;
        if !self.same {
            return;
        }
        let first = event_object(record, &draft, seq);
        let mut capture = Capture { seq, ..Capture::default() };
        self.read_back(&canonical_json::to_string(&first), &mut capture);
        let second = capture.events.pop();
        self.same =
            !capture.trouble && capture.events.is_empty() && second.is_some_and(|s| identity(s) == identity(first));
    }
    fn finding(&mut self, _finding: Finding) {}
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}

/// The canonical text of an event without its provenance.
fn identity(event: Value) -> String {
    let Value::Object(mut members) = event else { return String::new() };
    members.retain(|(name, _)| !PROVENANCE.contains(&name.as_str()));
    canonical_json::to_string(&Value::Object(members))
}

/// What the second reader makes of one record.
#[derive(Default)]
struct Capture {
    seq: u64,
    events: Vec<Value>,
    trouble: bool,
}

impl Sink for Capture {
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        self.events.push(event_object(record, &draft, self.seq));
    }
    fn finding(&mut self, finding: Finding) {
        self.trouble |= finding.severity >= Severity::Warning;
    }
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}
