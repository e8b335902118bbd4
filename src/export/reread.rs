//! The second reading behind assurance A4: a canonical session, written out, must read back as the same events.

use std::io::{self, Read};

use crate::adapter::{Draft, Record, Sink, canonical};
use crate::finding::{Finding, Location};
use crate::model::canonical_json;
use crate::reader::{self, TAPE_DEPTH, object::event_object};
use crate::record::{Json, Scanner};

/// Whether every event of a canonical session reads back from its written form as the same event, without a finding.
/// `name` is the path as the user gave it.
///
/// # Errors
/// Whatever reading raises.
pub fn rereads(input: impl Read, name: &str) -> io::Result<bool> {
    let mut check = Check { scanner: Scanner::default(), events: 0, agrees: true };
    reader::read(input, &canonical::FORMAT, name, &mut check)?;
    Ok(check.agrees && check.events > 0)
}

/// Writes each event and reads it again: one line says all about its event, so that nothing has to be kept.
struct Check {
    scanner: Scanner,
    events: u64,
    agrees: bool,
}

impl Sink for Check {
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        if !self.agrees {
            return;
        }
        let written = canonical_json::to_string(&event_object(record, &draft, self.events));
        let mut again = Again { seq: self.events, read: None, findings: 0 };
        if self.scanner.scan(written.as_bytes(), TAPE_DEPTH).is_ok() {
            let json = Json::new(written.as_bytes(), self.scanner.tape());
            let line = self.events + 2;
            let end = written.len() as u64 + 1;
            let location = Location { line: Some(line), ..Location::default() };
            let record = Record { json, line, ordinal: line, offset: 0, end, in_document: false, location };
            canonical::read_event(&record, self.events, &mut again);
        }
        self.agrees = again.findings == 0 && again.read.is_some_and(|read| read == written);
        self.events += 1;
    }
    fn finding(&mut self, _finding: Finding) {}
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}

/// The event as it reads the second time.
struct Again {
    seq: u64,
    read: Option<String>,
    findings: usize,
}

impl Sink for Again {
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>) {
        self.read = Some(canonical_json::to_string(&event_object(record, &draft, self.seq)));
    }
    fn finding(&mut self, _finding: Finding) {
        self.findings += 1;
    }
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_sessions_read_back_and_others_do_not() {
        let header = r#"{"schema_version":"sesslint.session/v1","session_id":"s"}"#;
        let event = r#"{"id":"a","parent_id":null,"ts":"2025-01-01T00:00:00Z","kind":"tool_call","payload":{"n":[1e16,-0,1.10],"u":"\u00e9\/"},"zz":{"b":1,"a":2}}"#;
        for (text, agrees) in [
            (format!("{header}\n{event}\n{event}\n"), true),
            (format!("{{{},\"events\":[{event}]}}", &header[1..header.len() - 1]), true),
            (format!("{header}\n"), false),
            (format!("{header}\n{}\n", event.replace("\"ts\":\"2025", "\"ts\":\"x2025")), false),
            (format!("{header}\n{}\n", event.replace("\"zz\"", "\"call_id\"")), false),
        ] {
            assert_eq!(rereads(text.as_bytes(), "s.jsonl").expect("readable"), agrees, "{text}");
        }
    }
}
