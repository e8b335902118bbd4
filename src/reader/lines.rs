//! Line-framed sources: one JSON object a line. One broken line is one finding; whole records on it are read all the same.

use std::borrow::Cow;

use super::framing::{Coordinates, broken_line};
use super::spread::{Outcome, Spread};
use super::{TAPE_DEPTH, take};
use crate::adapter::{Adapter, Fault, Record, Sink};
use crate::check::framing::{SL001, SL002};
use crate::finding::{Finding, Repairability};
use crate::record::complaint::complaint;
use crate::record::recover::{Damage, recover};
use crate::record::{Json, JsonFault, NodeKind, Scanner};
use crate::source::text::{FramePlace, Text, TextError};
use crate::source::{BOM, Line, LineReader, MAX_DEPTH, MAX_LINE_BYTES};

/// Further lines of one record that are named at most.
const MOST_FURTHER: usize = 256;

/// What was read.
pub(super) struct LinesRead {
    /// Number of non-blank lines.
    pub(super) records: u64,
    /// The first frame holds the first line and nothing else; false for a plain text.
    pub(super) line_in_first_frame: bool,
}

/// Reads every line. `strict`: nothing is saved from broken lines, and the last line counts as torn even if a line end
/// follows it.
pub(super) fn read(
    text: impl Text,
    strict: bool,
    adapter: &mut dyn Adapter,
    sink: &mut dyn Sink,
) -> Result<LinesRead, TextError> {
    let mut reader = LineReader::new(text, MAX_LINE_BYTES);
    let mut pass =
        Pass { scanner: Scanner::default(), strict, ordinal: 0, torn: None, blank: None, frame: None, adapter, sink };
    let mut first_len = None;
    let mut spread: Option<Spread> = None;
    while let Some(line) = reader.next_line()? {
        if line.number == 1 && line.terminated && line.frame.is_some_and(|frame| frame.index == 0) {
            first_len = Some(line.end);
        }
        if let Some(mut held) = spread.take() {
            match held.take(&line) {
                Outcome::Open => {
                    spread = Some(held);
                    continue;
                }
                Outcome::Closed => {
                    pass.spread(&held);
                    continue;
                }
                Outcome::Apart => held.lines().for_each(|line| pass.line(&line)),
            }
        }
        spread = Some(&line).filter(|_| !strict).and_then(Spread::open);
        if spread.is_none() {
            pass.line(&line);
        }
    }
    if let Some(held) = spread {
        held.lines().for_each(|line| pass.line(&line));
    }
    if let Some((torn, is_cut)) = pass.torn.take() {
        pass.sink.finding(if is_cut { into_torn(torn) } else { broken_at_the_end(torn) });
    }
    // In a file blank lines at the end are nothing; a frame was written for them.
    if pass.blank.is_some_and(|blank| blank.frame.is_some()) {
        pass.blank_lines("empty-last-lines");
    }
    Ok(LinesRead { records: pass.ordinal, line_in_first_frame: first_len == Some(reader.first_frame_len()) })
}

/// The last line was cut: the crash product of an append, which code SL002 stands for.
fn into_torn(mut finding: Finding) -> Finding {
    finding.rule = &SL002;
    finding.severity = SL002.severity;
    finding.repairability = SL002.repairability;
    if SL002.texts.iter().all(|text| text.variant != finding.variant) {
        finding.variant = "";
        finding.detail.insert("variant".into(), "torn-tail".into());
    }
    finding
}

/// The last line is broken and has its end: a line like any other, and what the reference program calls a torn end.
fn broken_at_the_end(mut finding: Finding) -> Finding {
    let mut torn = into_torn(finding.clone());
    torn.detail.remove("variant");
    finding.consequences.push(torn);
    finding
}

struct Pass<'a> {
    scanner: Scanner,
    strict: bool,
    ordinal: u64,
    /// A broken line that is torn unless something follows, and whether no line end follows it.
    torn: Option<(Finding, bool)>,
    /// The first of the blank lines since the record before.
    blank: Option<Coordinates>,
    /// The frame of the line before.
    frame: Option<FramePlace>,
    adapter: &'a mut dyn Adapter,
    sink: &'a mut dyn Sink,
}

impl Pass<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let bom = if line.number == 1 && line.bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let at = Coordinates {
            line: line.number,
            ordinal: self.ordinal + 1,
            offset: line.offset,
            end: line.end,
            frame: line.frame,
            is_cut: !line.terminated,
        };
        if bom == 0 && !line.truncated && line.is_blank() {
            self.blank.get_or_insert(at);
            return;
        }
        if let Some((finding, _)) = self.torn.take() {
            self.sink.finding(finding);
        }
        if let Some(frame) = line.frame.filter(|frame| self.frame != Some(*frame)) {
            self.frame = Some(frame);
            self.sink.frame(frame);
        }
        self.blank_lines("empty-line");
        self.ordinal += 1;
        if bom > 0 && self.adapter.refuses_byte_order_mark() {
            self.sink.finding(broken_line(at, "byte-order-mark", BOM, 0));
        }
        if line.truncated {
            let finding = broken_line(at, "too-long", &line.bytes[..line.bytes.len().min(1 << 20)], 0);
            self.broken(finding, Fault::new("size_limit_exceeded", at.ordinal), at);
            return;
        }
        if self.whole(line.bytes, bom, at) {
            return;
        }
        // Blanks that JSON does not know may surround a record; nothing else can be wrong with it then.
        let text = &line.bytes[bom..];
        if let Ok(valid) = std::str::from_utf8(text) {
            let inner = crate::adapter::trim(valid);
            if inner.len() < text.len() {
                let shift = bom + (valid.len() - valid.trim_start_matches(|c| !inner.starts_with(c)).len());
                if !inner.is_empty() && self.whole(&line.bytes[..shift + inner.len()], shift, at) {
                    return;
                }
            }
        }
        self.salvage(line, bom, at);
    }

    /// Reads a record that stands on several lines, and reports it once, each line with it.
    fn spread(&mut self, spread: &Spread) {
        let text = spread.text();
        let is_record = simdutf8::basic::from_utf8(text).is_ok();
        let scan = self.scanner.scan(text, TAPE_DEPTH).ok().filter(|scan| is_record && scan.depth <= MAX_DEPTH);
        let mut lines = spread.lines();
        let (Some(scan), Some(first)) = (scan, lines.next()) else {
            return spread.lines().for_each(|line| self.line(&line));
        };
        if let Some((finding, _)) = self.torn.take() {
            self.sink.finding(finding);
        }
        self.blank_lines("empty-line");
        self.ordinal += 1;
        let place = |line: &Line<'_>, ordinal: u64, end: u64| Coordinates {
            line: line.number,
            ordinal,
            offset: line.offset,
            end,
            frame: None,
            is_cut: false,
        };
        let at = place(&first, self.ordinal, first.offset + text.len() as u64);
        let mut finding = broken_line(at, "spread-record", &text[..text.len().min(1 << 20)], 1);
        finding.repairability = Repairability::Deterministic;
        let further = lines.filter(|line| !line.is_blank()).take(MOST_FURTHER);
        let further =
            further.map(|line| broken_line(place(&line, at.ordinal, line.end), "spread-record", line.bytes, 0));
        finding.consequences.extend(further);
        self.sink.finding(finding);
        let json = Json::new(text, self.scanner.tape());
        let record = Record {
            json,
            line: at.line,
            ordinal: at.ordinal,
            offset: at.offset,
            end: at.end,
            in_document: false,
            is_cut: false,
            is_recovered: true,
            location: at.part(json.start() as u64, scan.end as u64),
        };
        take(&record, &scan, self.adapter, self.sink);
    }

    /// Reports blank lines behind the last record, if there are any.
    fn blank_lines(&mut self, variant: &'static str) {
        if let Some(blank) = self.blank.take().filter(|_| self.adapter.refuses_blank_lines()) {
            self.sink.finding(broken_line(blank, variant, b"", 0));
        }
    }

    /// Reads the line as one record if it is one.
    fn whole(&mut self, bytes: &[u8], skip: usize, at: Coordinates) -> bool {
        let text = &bytes[skip..];
        if simdutf8::basic::from_utf8(text).is_err() {
            return false;
        }
        let Ok(scan) = self.scanner.scan(text, TAPE_DEPTH) else { return false };
        let json = Json::new(text, self.scanner.tape());
        if !json.is_object() {
            return false;
        }
        if scan.depth > MAX_DEPTH {
            let mut finding = broken_line(at, "too-deep", &text[..text.len().min(1 << 20)], 0);
            if self.adapter.broken(&Fault::new("depth_exceeded", at.ordinal), &mut finding) {
                self.sink.finding(finding);
            }
            return true;
        }
        let location = at.part((skip + json.start()) as u64, (skip + scan.end) as u64);
        let record = Record {
            json: Json::new(text, self.scanner.tape()),
            line: at.line,
            ordinal: at.ordinal,
            offset: at.offset,
            end: at.end,
            in_document: false,
            is_cut: at.is_cut,
            is_recovered: false,
            location,
        };
        take(&record, &scan, self.adapter, self.sink);
        true
    }

    /// Reports a broken line and reads the whole records it still holds.
    fn salvage(&mut self, line: &Line<'_>, bom: usize, at: Coordinates) {
        let bytes = &line.bytes[bom..];
        let mut salvage = recover(bytes, &mut self.scanner);
        // What is whole at the end of a record that was cut is a part of it, no record.
        let is_beginning = |fault: JsonFault| fault == JsonFault::UnexpectedEnd;
        if at.is_cut && self.scanner.scan(bytes, 1).is_err_and(|error| is_beginning(error.fault)) {
            salvage.records.clear();
            if salvage.damage == Damage::Spliced {
                salvage.damage = Damage::Malformed;
            }
        }
        let fault = self.fault(salvage.damage, bytes, at);
        let reads = !self.strict && self.adapter.reads_broken_lines();
        let mut ranges = if reads { salvage.records } else { Vec::new() };
        let mut text = Cow::Borrowed(bytes);
        let mut is_replaced = false;
        if salvage.damage == Damage::Utf8 && reads {
            // The loaders replace the bad bytes and go on; so do we, that its ids are known.
            let lossy = String::from_utf8_lossy(bytes).into_owned().into_bytes();
            if self.scanner.scan(&lossy, 1).is_ok() && self.scanner.tape()[0].kind == NodeKind::Object {
                ranges.clear();
                ranges.push(0..lossy.len());
                text = Cow::Owned(lossy);
                is_replaced = true;
            }
        }
        let mut finding = broken_line(at, salvage.damage.as_str(), &bytes[..bytes.len().min(1 << 20)], ranges.len());
        if ranges.is_empty() {
            self.broken(finding, fault, at);
        } else {
            if is_replaced {
                self.adapter.replaced(&mut finding);
            }
            self.sink.finding(finding);
        }
        for range in ranges {
            let part = &text[range.clone()];
            let Ok(scan) = self.scanner.scan(part, TAPE_DEPTH) else { continue };
            if scan.depth > MAX_DEPTH {
                continue;
            }
            let json = Json::new(part, self.scanner.tape());
            // Offsets inside a text whose bad bytes were replaced mean nothing.
            let location =
                if is_replaced { at.location() } else { at.part((bom + range.start) as u64, (bom + range.end) as u64) };
            let record = Record {
                json,
                line: at.line,
                ordinal: at.ordinal,
                offset: at.offset,
                end: at.end,
                in_document: false,
                is_cut: at.is_cut,
                is_recovered: true,
                location,
            };
            take(&record, &scan, self.adapter, self.sink);
        }
    }

    fn fault(&self, damage: Damage, text: &[u8], at: Coordinates) -> Fault {
        let (reason, is_complaint) = match damage {
            Damage::Nul => ("forbidden_nul_byte", false),
            Damage::Utf8 => ("invalid_utf8", true),
            Damage::Malformed | Damage::Spliced | Damage::Concatenated => ("malformed_json", true),
            Damage::NotAnObject => ("not_object", false),
        };
        let detail = if self.strict && is_complaint { complaint(text, !at.is_cut) } else { None };
        Fault { reason, detail, ordinal: at.ordinal, begins_record: begins_record(text) }
    }

    fn broken(&mut self, mut finding: Finding, fault: Fault, at: Coordinates) {
        debug_assert!(std::ptr::eq(finding.rule, &raw const SL001));
        if !self.adapter.broken(&fault, &mut finding) {
            return;
        }
        let may_be_torn = if self.strict {
            // The first line is the header, and neither a NUL nor a length is what a cut leaves behind.
            fault.ordinal > 1 && matches!(fault.reason, "malformed_json" | "invalid_utf8" | "not_object")
        } else {
            // Frames are written whole: what stands in one was meant to be complete.
            (at.is_cut || self.adapter.tears_at_line_end()) && at.frame.is_none()
        };
        if may_be_torn {
            self.torn = Some((finding, at.is_cut || self.strict));
        } else {
            self.sink.finding(finding);
        }
    }
}

fn begins_record(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
}
