//! Line-framed sources: one JSON object a line. One broken line is one finding; whole records on it are read all the same.

use std::io::{self, Read};

use super::framing::{Coordinates, broken_line};
use super::{TAPE_DEPTH, take};
use crate::adapter::{Adapter, Format, Record, Sink};
use crate::check::framing::{SL001, SL002};
use crate::finding::{Finding, Location};
use crate::record::recover::{Damage, recover};
use crate::record::{Json, NodeKind, Scanner};
use crate::source::{BOM, Line, LineReader, MAX_DEPTH};

/// Reads every line. Gives hash, size and number of non-blank lines.
pub(super) fn read(
    input: impl Read,
    _format: &'static Format,
    max_line: usize,
    adapter: &mut dyn Adapter,
    sink: &mut dyn Sink,
) -> io::Result<([u8; 32], u64, u64)> {
    let mut reader = LineReader::new(input, max_line);
    let mut pass = Pass { scanner: Scanner::default(), ordinal: 0, torn: None, adapter, sink };
    while let Some(line) = reader.next_line()? {
        pass.line(&line);
    }
    if let Some(torn) = pass.torn.take() {
        pass.sink.finding(into_torn(torn));
    }
    let records = pass.ordinal;
    let (sha256, size) = reader.finish();
    Ok((sha256, size, records))
}

/// The last line lost its end: the crash product of an append, which code SL002 stands for.
fn into_torn(mut finding: Finding) -> Finding {
    finding.rule = &SL002;
    finding.severity = SL002.severity;
    finding.repairability = SL002.repairability;
    if finding.variant == Damage::Malformed.as_str() {
        finding.variant = "";
        finding.detail.insert("variant".into(), "torn-tail".into());
    }
    finding
}

struct Pass<'a> {
    scanner: Scanner,
    ordinal: u64,
    /// A broken line without line end: torn, unless something follows.
    torn: Option<Finding>,
    adapter: &'a mut dyn Adapter,
    sink: &'a mut dyn Sink,
}

impl Pass<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let bom = if line.number == 1 && line.bytes.starts_with(BOM) { BOM.len() } else { 0 };
        if bom == 0 && !line.truncated && line.is_blank() {
            return;
        }
        self.ordinal += 1;
        let at = Coordinates { line: line.number, ordinal: self.ordinal, offset: line.offset, end: line.end };
        if bom > 0 && self.adapter.refuses_byte_order_mark() {
            self.sink.finding(broken_line(at, "byte-order-mark", BOM, 0));
        }
        if line.truncated {
            self.broken(broken_line(at, "too-long", &line.bytes[..line.bytes.len().min(1 << 20)], 0), line);
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
            let finding = broken_line(at, "too-deep", &text[..text.len().min(1 << 20)], 0);
            self.sink.finding(finding);
            return true;
        }
        let start = json.start();
        let location = Location {
            line: Some(at.line),
            column: Some((skip + start) as u64 + 1),
            byte_start: Some(at.offset + (skip + start) as u64),
            byte_end: Some(at.offset + (skip + scan.end) as u64),
            item: None,
        };
        let record = Record {
            json: Json::new(text, self.scanner.tape()),
            line: at.line,
            ordinal: at.ordinal,
            offset: at.offset,
            end: at.end,
            in_document: false,
            location,
        };
        take(&record, &scan, self.adapter, self.sink);
        true
    }

    /// Reports a broken line and reads the whole records it still holds.
    fn salvage(&mut self, line: &Line<'_>, bom: usize, at: Coordinates) {
        let bytes = &line.bytes[bom..];
        let salvage = recover(bytes, &mut self.scanner);
        let mut ranges = salvage.records;
        let lossy;
        let mut text = bytes;
        if ranges.is_empty() && salvage.damage == Damage::Utf8 {
            // The loaders replace the bad bytes and go on; so do we, that its ids are known.
            lossy = String::from_utf8_lossy(bytes).into_owned();
            text = lossy.as_bytes();
            if self.scanner.scan(text, 1).is_ok() && self.scanner.tape()[0].kind == NodeKind::Object {
                ranges.push(0..text.len());
            }
        }
        let finding = broken_line(at, salvage.damage.as_str(), &bytes[..bytes.len().min(1 << 20)], ranges.len());
        if ranges.is_empty() {
            self.broken(finding, line);
        } else {
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
            let exact = std::ptr::eq(text, bytes);
            let start = if exact { (bom + range.start) as u64 } else { 0 };
            let location = Location {
                line: Some(at.line),
                column: Some(start + 1),
                byte_start: Some(at.offset + start),
                byte_end: Some(if exact { at.offset + (bom + range.end) as u64 } else { at.end }),
                item: None,
            };
            let record = Record {
                json,
                line: at.line,
                ordinal: at.ordinal,
                offset: at.offset,
                end: at.end,
                in_document: false,
                location,
            };
            take(&record, &scan, self.adapter, self.sink);
        }
    }

    fn broken(&mut self, finding: Finding, line: &Line<'_>) {
        debug_assert!(std::ptr::eq(finding.rule, &raw const SL001));
        if line.terminated {
            self.sink.finding(finding);
        } else {
            self.torn = Some(finding);
        }
    }
}
