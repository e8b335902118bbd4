//! One pass over the lines behind a header: everything the audit can tell from events, whatever the container.
//!
//! Keeps numbers, not records: memory grows with distinct call ids and sequence holes only, and lists are capped.

use std::collections::BTreeMap;

use serde_json::json;

use super::calls::Calls;
use super::finding::{Code, Effect, Finding};
use super::record::{Event, Record};
use super::sequence::{Sequence, Step};
use super::stream::Repetition;
use super::turn::OpenTurn;
use super::vocabulary::{self, Meaning};
use crate::model::{Value, content_free};
use crate::source::Line;

/// Most numbers listed in one finding's evidence.
const MOST_LISTED: usize = 1000;
/// Most findings of a code that has one for each event.
const MOST_FINDINGS: usize = 10_000;
/// Most distinct event types listed in one finding's evidence.
const MOST_TYPES: usize = 50;

/// Events of one kind: how many, and where.
#[derive(Clone, Debug, Default)]
struct Places {
    count: u64,
    first_line: u64,
    lines: Vec<u64>,
    seqs: Vec<i64>,
}

impl Places {
    fn add(&mut self, line: u64, seq: Option<i64>) {
        if self.count == 0 {
            self.first_line = line;
        }
        self.count += 1;
        if self.lines.len() < MOST_LISTED {
            self.lines.push(line);
            self.seqs.extend(seq);
        }
    }

    fn finding(&self, code: Code, message: String, effect: Effect, advice: &str) -> Finding {
        let finding = Finding::new(code, message, effect, advice).with("count", self.count);
        let finding = finding.with("lines", self.lines.clone());
        if self.seqs.is_empty() { finding } else { finding.with("seqs", self.seqs.clone()) }
    }
}

/// What was learnt of the lines so far.
#[derive(Clone, Debug, Default)]
pub struct LogScan {
    generation: u64,
    compressed: bool,
    /// Number of events, members of packed rows counted one by one.
    pub event_count: u64,
    /// Number and length of an incomplete last line.
    pub torn_line: Option<(u64, u64)>,
    /// Findings that were left out because there are too many of their code.
    pub omitted: u64,
    last_turn_end: u64,
    /// First and last of the empty lines since the last other line. At the end of a log they are nothing.
    empty: Option<(u64, u64)>,
    broken: Places,
    sequence: Sequence,
    gaps: Places,
    duplicates: Places,
    reordered: Places,
    unknown: Places,
    unknown_types: BTreeMap<String, u64>,
    blank: Places,
    no_id: Vec<(Code, i64, u64)>,
    calls: Calls,
    turn: OpenTurn,
    stream: Repetition,
}

impl LogScan {
    /// A scan for the vocabulary of a format generation. In a `compressed` log even an incomplete last line is
    /// committed, because whole frames were written.
    #[must_use]
    pub fn new(generation: u64, compressed: bool) -> Self {
        Self { generation, compressed, ..Self::default() }
    }

    /// Takes the next line behind the header.
    pub fn line(&mut self, line: &Line<'_>) {
        if line.is_empty() {
            let first = self.empty.map_or(line.number, |empty| empty.0);
            self.empty = Some((first, line.number));
            return;
        }
        if let Some((first, last)) = self.empty.take() {
            (first..=last).for_each(|number| self.broken.add(number, None));
        }
        match (!line.truncated).then(|| Record::read(line.bytes)).flatten() {
            Some(Record::Event(event)) => self.event(&event, line.number),
            Some(Record::Packed(row)) => {
                (row.first_seq..).zip(0..row.count).for_each(|(seq, _)| self.count(seq, line.number));
                self.stream.row(&row.runs, row.first_seq);
            }
            None if line.terminated || self.compressed => self.broken.add(line.number, None),
            None => self.torn_line = Some((line.number, line.len())),
        }
    }

    fn count(&mut self, seq: i64, line: u64) {
        self.event_count += 1;
        match self.sequence.step(seq) {
            Step::Next => {}
            Step::Gap => self.gaps.add(line, Some(seq)),
            Step::Duplicate => self.duplicates.add(line, Some(seq)),
            Step::Reordered => self.reordered.add(line, Some(seq)),
        }
    }

    fn event(&mut self, event: &Event<'_>, line: u64) {
        let (kind, seq, data) = (event.kind.as_bytes(), event.seq, &event.data);
        self.count(seq, line);
        let meaning = vocabulary::meaning(self.generation, kind);
        if meaning == Some(Meaning::Chunk) {
            return self.stream.piece(&data.delta(), seq);
        }
        self.stream.interrupt();
        match meaning {
            Some(Meaning::TurnStart) => self.turn.start(data.turn),
            Some(Meaning::TurnEnd) => {
                self.turn.end(data.turn);
                self.last_turn_end = line;
            }
            Some(Meaning::Answer) if data.message.has_blank_text => self.blank.add(line, Some(seq)),
            Some(Meaning::Call) => match data.started_call() {
                Some(id) => self.calls.started(&id, seq, line),
                None => self.no_id(Code::ToolCallNoId, seq, line),
            },
            Some(Meaning::Result) => match data.answered_call() {
                Some(id) => self.calls.answered(&id),
                None => self.no_id(Code::ToolResultNoId, seq, line),
            },
            None if !event.ignorable => {
                self.unknown.add(line, Some(seq));
                let name = shown_type(&event.kind.lossy());
                if self.unknown_types.len() < MOST_TYPES || self.unknown_types.contains_key(&name) {
                    *self.unknown_types.entry(name).or_default() += 1;
                }
            }
            _ => {}
        }
    }

    fn no_id(&mut self, code: Code, seq: i64, line: u64) {
        if self.no_id.len() < MOST_FINDINGS {
            self.no_id.push((code, seq, line));
        } else {
            self.omitted += 1;
        }
    }

    /// What the harness does with a break in the records at a line: it refuses a log whose committed turns are
    /// damaged, and cuts off a damaged tail, which only a plain file can have.
    fn break_at(&self, line: u64) -> Effect {
        if self.compressed || self.last_turn_end >= line { Effect::RefusesSession } else { Effect::DropsTail }
    }

    /// What the harness does with a record that it does not accept, when it stands at a line.
    fn refusal_at(&self, line: u64) -> Effect {
        let breaks = [&self.broken, &self.gaps, &self.duplicates, &self.reordered];
        let first_break = breaks.iter().filter(|places| places.count > 0).map(|places| places.first_line).min();
        match first_break {
            Some(first) if first < line => self.break_at(first),
            _ => Effect::RefusesSession,
        }
    }

    /// The findings on lines and events, in the order of reports.
    #[must_use]
    pub fn finish(self) -> Scanned {
        let mut findings = Vec::new();
        self.push_line_findings(&mut findings);
        self.push_sequence_findings(&mut findings);
        self.push_content_findings(&mut findings);
        self.push_id_findings(&mut findings);
        let open = self.calls.open();
        let omitted = self.omitted + open.len().saturating_sub(MOST_FINDINGS) as u64;
        for call in open.iter().take(MOST_FINDINGS) {
            let advice = "Check what the tool did before the session continues; on its next load the harness answers \
                          a call of the open step with \"outcome unknown\".";
            let message = "a tool call has no result, so its outcome is unknown";
            let finding = Finding::new(Code::OrphanToolCall, message, Effect::Opens, advice);
            findings.push(finding.at(call.seq).with("line", call.line));
        }
        if self.turn.is_open() {
            let advice = "Nothing to do: the harness closes the turn as interrupted on its next load.";
            findings.push(Finding::new(Code::OpenTurn, "the last turn was never closed", Effect::Opens, advice));
        }
        if let Some((run, seq)) = self.stream.long_run() {
            let message = format!("the model streamed the same piece {run} times in a row");
            let advice = "Nothing is broken; fork the session before the loop if its answers have suffered.";
            let finding = Finding::new(Code::RepetitiveStream, message, Effect::Opens, advice);
            findings.push(finding.at(seq).with("run", run));
        }
        Scanned { findings, event_count: self.event_count, torn_line: self.torn_line.map_or(0, |torn| torn.1), omitted }
    }

    fn push_line_findings(&self, findings: &mut Vec<Finding>) {
        if let Some((number, len)) = self.torn_line {
            let message = format!("the last line is incomplete ({len} bytes without a line end)");
            let advice = "Nothing to do: the harness cuts it off on its next load.";
            let finding = Finding::new(Code::TornFinalLine, message, Effect::Opens, advice);
            findings.push(finding.at(number).with("bytes", len));
        }
        if self.broken.count > 0 {
            let broken = &self.broken;
            let message = format!(
                "{} no session record, first line {}",
                counted(broken.count, "line is", "lines are"),
                broken.first_line
            );
            let effect = self.break_at(broken.first_line);
            let advice = "Restore the lines from a backup; leaving them out leaves a gap.";
            findings.push(broken.finding(Code::UnparsableLine, message, effect, advice));
        }
    }

    fn push_sequence_findings(&self, findings: &mut Vec<Finding>) {
        let kinds =
            [(Code::SeqGap, &self.gaps), (Code::SeqDuplicate, &self.duplicates), (Code::SeqReordered, &self.reordered)];
        for (code, places) in kinds {
            let Some(seq) = places.seqs.first() else { continue };
            let place = format!("first at seq {seq} on line {}", places.first_line);
            let (message, advice) = match code {
                Code::SeqGap => (
                    format!("events are missing in {}, {place}", counted(places.count, "place", "places")),
                    "Restore the missing events from a backup; renumbering would only hide the loss.",
                ),
                Code::SeqDuplicate => (
                    format!("{} a sequence number again, {place}", counted(places.count, "event uses", "events use")),
                    "Where the lines of one number are identical, keep the first; otherwise decide which one happened.",
                ),
                _ => (
                    format!(
                        "{} behind a higher number, {place}",
                        counted(places.count, "event stands", "events stand")
                    ),
                    "Put the lines back in the order of their sequence numbers.",
                ),
            };
            let effect = self.break_at(places.first_line);
            findings.push(places.finding(code, message, effect, advice));
        }
    }

    fn push_content_findings(&self, findings: &mut Vec<Finding>) {
        if let Some(seq) = self.unknown.seqs.first() {
            let message = format!(
                "{} of a type the harness does not know, and not marked ignorable: {}",
                counted(self.unknown.count, "event is", "events are"),
                self.unknown_types.keys().cloned().collect::<Vec<_>>().join(", "),
            );
            let advice = "Open the session with the release or fork that wrote it; if nothing depends on these events, \
                          set \"ignorable\": true on each of them.";
            let effect = self.refusal_at(self.unknown.first_line);
            let finding = self.unknown.finding(Code::UnknownRequiredType, message, effect, advice);
            findings.push(finding.at(*seq).with("types", json!(self.unknown_types)));
        }
        if let Some(seq) = self.blank.seqs.first() {
            let message = format!(
                "{} a text block without visible text",
                counted(self.blank.count, "assistant message holds", "assistant messages hold")
            );
            let advice = "Remove the blank blocks before the session continues with a provider that refuses them.";
            findings.push(self.blank.finding(Code::EmptyTextBlock, message, Effect::Opens, advice).at(*seq));
        }
    }

    fn push_id_findings(&self, findings: &mut Vec<Finding>) {
        for &(code, seq, line) in &self.no_id {
            let (message, effect, advice) = if code == Code::ToolCallNoId {
                let advice = "Take the id from the assistant message that asked for the call.";
                ("a tool call has no id, so no result can be matched to it", Effect::Opens, advice)
            } else {
                let advice = "Take the id from the call that it follows.";
                ("a tool result does not say which call it answers", self.refusal_at(line), advice)
            };
            findings.push(Finding::new(code, message, effect, advice).at(seq).with("line", line));
        }
    }
}

/// The outcome of a [`LogScan`].
#[derive(Clone, Debug)]
pub struct Scanned {
    /// In the order of reports.
    pub findings: Vec<Finding>,
    /// Number of events, members of packed rows counted one by one.
    pub event_count: u64,
    /// Length of an incomplete last line in bytes.
    pub torn_line: u64,
    /// Findings left out because there are too many of their code.
    pub omitted: u64,
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// An event type as a report may name it: one whose parts are not all plain words is only measured.
fn shown_type(kind: &str) -> String {
    let whole = Value::from(kind);
    let is_word = |part: &str| !content_free::echo(&Value::from(part)).1;
    if kind.len() <= 64 && kind.split('/').all(is_word) { kind.to_owned() } else { content_free::shape(&whole) }
}

#[cfg(test)]
mod tests {
    use super::{Code, Effect, LogScan, Scanned, shown_type};
    use crate::source::{LineReader, MAX_LINE_BYTES};

    fn scan(text: &str, compressed: bool) -> Scanned {
        let mut scan = LogScan::new(0, compressed);
        let mut lines = LineReader::new(text.as_bytes(), MAX_LINE_BYTES);
        while let Some(line) = lines.next_line().expect("memory can be read") {
            scan.line(&line);
        }
        scan.finish()
    }

    fn event(kind: &str, seq: i64, data: &str) -> String {
        format!("{{\"type\":\"{kind}\",\"seq\":{seq},\"time\":1,\"data\":{data}}}\n")
    }

    fn found(text: &str) -> Vec<(Code, Option<i64>)> {
        scan(text, false).findings.iter().map(|finding| (finding.code, finding.at)).collect()
    }

    #[test]
    fn a_turn_stays_open_until_its_own_end() {
        for (text, open) in [
            (event("turn/start", 0, "{\"turn\":1}") + &event("turn/end", 1, "{\"turn\":1.0}"), false),
            (event("turn/start", 0, "{\"turn\":1}") + &event("turn/end", 1, "{\"turn\":2}"), true),
            (event("turn/start", 0, "{\"turn\":1}") + &event("turn/end", 1, "{}"), true),
            (event("turn/start", 0, "{\"turn\":1}") + &event("turn/start", 1, "{\"turn\":null}"), false),
            (event("turn/start", 0, "{\"turn\":\"a\"}") + &event("turn/end", 1, "{\"turn\":\"\\u0061\"}"), false),
        ] {
            assert_eq!(found(&text).contains(&(Code::OpenTurn, None)), open, "{text}");
        }
    }

    #[test]
    fn empty_lines_count_only_before_another_line() {
        let line = |seq| event("todo/write", seq, "{}");
        for compressed in [false, true] {
            assert!(scan(&(line(0) + "\n\n"), compressed).findings.is_empty(), "compressed: {compressed}");
        }
        assert_eq!(found(&(line(0) + "\n" + &line(1))), [(Code::UnparsableLine, None)]);
        assert_eq!(found(&(line(0) + "\r\n")), [(Code::UnparsableLine, None)]);
        assert_eq!(found(&(line(0) + "\n{")), [(Code::TornFinalLine, Some(3)), (Code::UnparsableLine, None)]);
        let scanned = scan(&(line(0) + "\n\n" + &line(1)), false);
        assert_eq!(scanned.findings[0].evidence["lines"], serde_json::json!([2, 3]));
    }

    #[test]
    fn an_incomplete_last_line_is_damage_in_a_compressed_log_only() {
        let text = event("todo/write", 0, "{}") + "{\"type\":";
        let plain = scan(&text, false);
        assert_eq!((plain.findings[0].code, plain.torn_line), (Code::TornFinalLine, 8));
        let compressed = scan(&text, true);
        assert_eq!((compressed.findings[0].code, compressed.torn_line), (Code::UnparsableLine, 0));
        let whole = event("todo/write", 0, "{}");
        assert_eq!(scan(whole.trim_end(), false).event_count, 1);
    }

    #[test]
    fn a_break_is_refused_when_a_turn_ends_behind_it_and_dropped_otherwise() {
        let gap = event("todo/write", 0, "{}") + &event("todo/write", 5, "{}");
        assert_eq!(scan(&gap, false).findings[0].effect, Effect::DropsTail);
        assert_eq!(scan(&gap, true).findings[0].effect, Effect::RefusesSession);
        let ended = gap + &event("turn/end", 6, "{}");
        assert_eq!(scan(&ended, false).findings[0].effect, Effect::RefusesSession);
        // What stands behind a cut is never read.
        let unknown = |seq| event("a/b", seq, "{}");
        let cut = event("todo/write", 0, "{}") + "{}\n" + &unknown(1);
        assert_eq!(scan(&cut, false).findings[1].effect, Effect::DropsTail);
        assert_eq!(scan(&(unknown(0) + "{}\n"), false).findings[1].effect, Effect::RefusesSession);
    }

    #[test]
    fn findings_for_each_event_are_capped_and_the_rest_is_counted() {
        let text: String = (0..10_005).map(|seq| event("tool/call", seq, "{}")).collect();
        let scanned = scan(&text, false);
        assert_eq!((scanned.findings.len(), scanned.omitted, scanned.event_count), (10_000, 5, 10_005));
    }

    #[test]
    fn only_types_that_look_like_names_are_shown() {
        for name in ["myplugin/metric", "a/b_c.d-e/F2", "custom"] {
            assert_eq!(shown_type(name), name);
        }
        for (name, shown) in [
            ("", "<str:len=0>"),
            ("a b", "<str:len=3>"),
            ("sk-live-0123456789abcdef", "<str:len=24>"),
            ("a//b", "<str:len=4>"),
            ("\u{202E}x", "<str:len=2>"),
        ] {
            assert_eq!(shown_type(name), shown);
        }
    }
}
