//! Sources that are one JSON document: an array of items, or an object with a list of items in it.
//!
//! Items are cut out, scanned and handed on one by one, so that memory follows the longest item and not the file; all
//! other members are collected into one small object. A broken item costs itself, a cut document what lies behind the cut.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use super::bytes::{Bytes, Place};
use super::values::{Extent, cut};
use super::{TAPE_DEPTH, take};
use crate::adapter::{Adapter, Document, Record, Sink};
use crate::check::framing::SL001;
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Location, Stage, Subject};
use crate::record::{Json, Scan, Scanner};
use crate::source::{BOM, MAX_DEPTH, MAX_LINE_BYTES};

/// What makes a document or a part of it unreadable: variant and reason.
type Defect = (&'static str, &'static str);

const NUL: Defect = ("nul-bytes", "forbidden_nul_byte");
const UTF8: Defect = ("invalid-utf8", "invalid_utf8");
const SYNTAX: Defect = ("document", "malformed_json");
const ITEM_SYNTAX: Defect = ("malformed-item", "malformed_json");
const DEPTH: Defect = ("too-deep", "depth_exceeded");
const LENGTH: Defect = ("too-long", "size_limit_exceeded");
const SCALAR: Defect = ("document", "invalid_document_type");

/// Reads a document. Gives the number of items.
pub(super) fn read(
    input: impl Read,
    document: &'static Document,
    adapter: &mut dyn Adapter,
    sink: &mut dyn Sink,
) -> io::Result<u64> {
    let mut pass = Pass {
        bytes: Bytes::new(input),
        document,
        scanner: Scanner::default(),
        value: Vec::new(),
        items: 0,
        faulty: false,
        adapter,
        sink,
    };
    pass.document()?;
    Ok(pass.items)
}

struct Pass<'a, R> {
    bytes: Bytes<R>,
    document: &'static Document,
    scanner: Scanner,
    /// The value in hand.
    value: Vec<u8>,
    items: u64,
    /// A defect was reported.
    faulty: bool,
    adapter: &'a mut dyn Adapter,
    sink: &'a mut dyn Sink,
}

/// Whether reading goes on behind a value or a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Reads,
    Ended,
}

impl<R: Read> Pass<'_, R> {
    fn document(&mut self) -> io::Result<()> {
        if self.bytes.ahead()?.starts_with(BOM) {
            self.bytes.skip_plain(BOM.len());
        }
        loop {
            match self.bytes.skip_blanks()? {
                Some(0x0B | 0x0C) => self.bytes.step(),
                Some(b'[') => {
                    self.array()?;
                    break;
                }
                Some(b'{') => {
                    self.object()?;
                    break;
                }
                Some(_) => {
                    let place = self.bytes.place();
                    self.defect(SCALAR, place, None);
                    return Ok(());
                }
                None => return Ok(()),
            }
        }
        if let Some(byte) = self.bytes.skip_blanks()? {
            let place = self.bytes.place();
            self.defect(if byte == 0 { NUL } else { SYNTAX }, place, None);
        }
        Ok(())
    }

    fn array(&mut self) -> io::Result<()> {
        if self.adapter.opens(None) {
            self.items(1)?;
        } else {
            cut(&mut self.bytes, 0, &mut self.value)?;
        }
        self.adapter.document(None, self.sink);
        Ok(())
    }

    /// Reads a list whose `[` comes next. `depth`: level of the list in the document.
    fn items(&mut self, depth: u32) -> io::Result<Next> {
        self.bytes.step();
        let mut wants_comma = false;
        loop {
            match self.bytes.skip_blanks()? {
                None => {
                    let place = self.bytes.place();
                    self.defect(SYNTAX, place, None);
                    return Ok(Next::Ended);
                }
                Some(b']') => {
                    if self.items > 0 && !wants_comma {
                        self.stray();
                    }
                    self.bytes.step();
                    return Ok(Next::Reads);
                }
                Some(b',') => {
                    if !wants_comma {
                        self.stray();
                    }
                    wants_comma = false;
                    self.bytes.step();
                }
                Some(b'}') => {
                    self.stray();
                    if depth > 1 {
                        // The list was never closed; the object around it is.
                        return Ok(Next::Reads);
                    }
                    self.bytes.step();
                }
                Some(_) => {
                    if wants_comma {
                        self.stray();
                    }
                    if self.item(depth)? == Next::Ended {
                        return Ok(Next::Ended);
                    }
                    wants_comma = true;
                }
            }
        }
    }

    /// Reports a comma or bracket that is missing or one too many, once a document.
    fn stray(&mut self) {
        if !self.faulty {
            let place = self.bytes.place();
            self.defect(SYNTAX, place, None);
        }
    }

    fn item(&mut self, depth: u32) -> io::Result<Next> {
        self.items += 1;
        let place = self.bytes.place();
        let number = Some(self.items);
        let scan = match self.whole()? {
            Some(scan) => Ok(scan),
            None => match cut(&mut self.bytes, MAX_LINE_BYTES, &mut self.value)? {
                Extent::Cut => {
                    let end = self.bytes.place();
                    self.defect(SYNTAX, end, number);
                    return Ok(Next::Ended);
                }
                Extent::TooLong => {
                    self.defect(LENGTH, place, number);
                    return Ok(Next::Reads);
                }
                Extent::Ended => Err(()),
            },
        };
        if scan.is_err() && memchr::memchr(0, &self.value).is_some() {
            self.defect(NUL, place, number);
            return Ok(Next::Reads);
        }
        if simdutf8::basic::from_utf8(&self.value).is_err() {
            self.defect(UTF8, place, number);
            return Ok(Next::Reads);
        }
        let Ok(scan) = scan.or_else(|()| self.scanner.scan(&self.value, TAPE_DEPTH)) else {
            self.defect(ITEM_SYNTAX, place, number);
            return Ok(Next::Reads);
        };
        if scan.depth + depth > MAX_DEPTH {
            self.defect(DEPTH, place, number);
            return Ok(Next::Reads);
        }
        let json = Json::new(&self.value, self.scanner.tape());
        if !json.is_object() {
            let mut finding = self.finding(("non-object-item", self.document.not_object), place, number);
            finding.line = number;
            self.sink.finding(finding);
            return Ok(Next::Reads);
        }
        let record = self.record(json, place, self.items);
        take(&record, &scan, self.adapter, self.sink);
        Ok(Next::Reads)
    }

    /// Takes an object that is sound and wholly at hand, which nearly all are: it need not be cut out before it is scanned.
    fn whole(&mut self) -> io::Result<Option<Scan>> {
        let ahead = self.bytes.ahead()?;
        if !ahead.starts_with(b"{") {
            return Ok(None);
        }
        let Ok(scan) = self.scanner.scan_prefix(ahead, TAPE_DEPTH) else { return Ok(None) };
        self.value.clear();
        self.value.extend_from_slice(&ahead[..scan.end]);
        self.bytes.skip(scan.end);
        Ok(Some(scan))
    }

    fn record<'j>(&self, json: Json<'j>, place: Place, number: u64) -> Record<'j> {
        let end = place.offset + json.end() as u64;
        Record {
            json,
            line: number,
            ordinal: number,
            offset: place.offset,
            end,
            in_document: true,
            is_cut: false,
            is_recovered: false,
            location: Location {
                line: Some(place.line),
                column: Some(place.column),
                byte_start: Some(place.offset),
                byte_end: Some(end),
                item: Some(number),
            },
        }
    }

    fn object(&mut self) -> io::Result<()> {
        let place = self.bytes.place();
        let mut head = vec![b'{'];
        self.members(&mut head)?;
        head.push(b'}');
        let Ok(scan) = self.scanner.scan(&head, TAPE_DEPTH) else { return Ok(()) };
        if scan.depth > MAX_DEPTH {
            self.defect(DEPTH, place, None);
            return Ok(());
        }
        let json = Json::new(&head, self.scanner.tape());
        let mut record = self.record(json, place, 1);
        record.end = self.bytes.place().offset;
        record.location.byte_end = Some(record.end);
        record.location.item = None;
        super::framing::text_findings(&record, &scan, self.adapter, self.sink);
        self.adapter.document(Some(&record), self.sink);
        Ok(())
    }

    /// Reads the members of the object whose `{` comes next: items are handed on, the others appended to `head`.
    fn members(&mut self, head: &mut Vec<u8>) -> io::Result<()> {
        self.bytes.step();
        let mut wants_comma = false;
        let mut first = true;
        loop {
            match self.bytes.skip_blanks()? {
                None => {
                    let place = self.bytes.place();
                    self.defect(SYNTAX, place, None);
                    return Ok(());
                }
                Some(b'}') => {
                    if !wants_comma && !first {
                        self.stray();
                    }
                    self.bytes.step();
                    return Ok(());
                }
                Some(b'"') => {
                    if wants_comma {
                        self.stray();
                    }
                    if self.member(head)? == Next::Ended {
                        return Ok(());
                    }
                    wants_comma = true;
                }
                Some(byte) => {
                    if byte != b',' || !wants_comma {
                        self.stray();
                    }
                    wants_comma = false;
                    self.bytes.step();
                }
            }
            first = false;
        }
    }

    fn member(&mut self, head: &mut Vec<u8>) -> io::Result<Next> {
        let start = self.bytes.place();
        let mut name = Vec::new();
        let extent = cut(&mut self.bytes, MAX_LINE_BYTES, &mut name)?;
        let colon = self.bytes.skip_blanks()?;
        if extent != Extent::Ended || colon.is_none() {
            let place = self.bytes.place();
            self.defect(SYNTAX, place, None);
            return Ok(if colon.is_none() { Next::Ended } else { Next::Reads });
        }
        if colon != Some(b':') {
            self.stray();
            return Ok(Next::Reads);
        }
        self.bytes.step();
        let first = self.bytes.skip_blanks()?;
        let before = head.len();
        if before > 1 {
            head.push(b',');
        }
        head.extend_from_slice(&name);
        head.push(b':');
        if first == Some(b'[') && self.document.is_list(&name) {
            let opens = self.opens(&head[..before]);
            head.extend_from_slice(b"[]");
            if opens {
                return self.items(2);
            }
            let extent = cut(&mut self.bytes, 0, &mut self.value)?;
            return Ok(if extent == Extent::Cut { Next::Ended } else { Next::Reads });
        }
        let extent = cut(&mut self.bytes, MAX_LINE_BYTES - head.len().min(MAX_LINE_BYTES), &mut self.value)?;
        let valid = self.member_defect(&name, extent);
        match valid {
            None => head.extend_from_slice(&self.value),
            Some(defect) => {
                head.truncate(before);
                let place = if extent == Extent::Cut { self.bytes.place() } else { start };
                self.defect(defect, place, None);
            }
        }
        Ok(if extent == Extent::Cut { Next::Ended } else { Next::Reads })
    }

    /// What is wrong with the value in hand and its name, when they cannot be kept.
    fn member_defect(&mut self, name: &[u8], extent: Extent) -> Option<Defect> {
        match extent {
            Extent::Cut => return Some(SYNTAX),
            Extent::TooLong => return Some(LENGTH),
            Extent::Ended => {}
        }
        if memchr::memchr(0, &self.value).is_some() {
            Some(NUL)
        } else if simdutf8::basic::from_utf8(&self.value).is_err() || simdutf8::basic::from_utf8(name).is_err() {
            Some(UTF8)
        } else if self.scanner.scan(name, 1).is_err() || self.scanner.scan(&self.value, 1).is_err() {
            Some(SYNTAX)
        } else {
            None
        }
    }

    /// Tells the adapter what stands before the items.
    fn opens(&mut self, before: &[u8]) -> bool {
        let mut text = before.to_vec();
        text.push(b'}');
        let scanned = self.scanner.scan(&text, TAPE_DEPTH).is_ok();
        !scanned || self.adapter.opens(Some(Json::new(&text, self.scanner.tape())))
    }

    fn defect(&mut self, defect: Defect, place: Place, item: Option<u64>) {
        let mut finding = self.finding(defect, place, item);
        if self.faulty {
            finding.line = item.or(Some(1));
        }
        self.faulty = true;
        self.sink.finding(finding);
    }

    /// A finding about the document. The first one is that of the reference program, which reads nothing after it: line 1.
    fn finding(&self, (variant, reason): Defect, place: Place, item: Option<u64>) -> Finding {
        let mut finding = Finding::new(&SL001, Stage::Reading);
        finding.variant = variant;
        finding.line = Some(1);
        finding.evidence.insert("reason".into(), reason.into());
        finding.detail.insert("variant".into(), variant.into());
        finding.location = Location {
            line: Some(place.line),
            column: Some(place.column),
            byte_start: Some(place.offset),
            byte_end: Some(self.bytes.place().offset),
            item,
        };
        finding.subject = Subject { record: hex(&Sha256::digest(&self.value)), part: String::new() };
        finding
    }
}

#[cfg(test)]
mod tests;
