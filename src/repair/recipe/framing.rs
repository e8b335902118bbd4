//! SL001: lines that are no record. Whole records on them are put on lines of their own; what is no record goes.
//!
//! NULs say nothing. A rest that is the beginning of a whole record beside it says nothing new. Any other rest is a loss.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::record::Scanner;
use crate::record::recover::recover;
use crate::repair::script::{Insert, Splice};
use crate::source::BOM;

const fn recipe(
    name: &'static str,
    salvage: bool,
    propose: fn(&Case<'_>, &Finding) -> Result<Proposal, Unmet>,
) -> Recipe {
    Recipe { name, codes: &["SL001"], salvage, audience: Audience::Every, shared: false, propose }
}

pub(super) static NUL_RUN_STRIP: Recipe = recipe("nul-run-strip", false, |case, finding| {
    let line = BrokenLine::read(case, finding)?;
    let nothing_but_nuls = line.rests.is_empty() && line.has_nul;
    Case::require(nothing_but_nuls, "nothing_but_nuls_between_records")?;
    Ok(line.proposal(None))
});

pub(super) static RECORD_JOIN: Recipe = recipe("record-join", false, |case, finding| {
    Case::require(finding.variant == "spread-record", "one_record_on_the_lines")?;
    let (Some(start), Some(end)) = (finding.location.byte_start, finding.location.byte_end) else {
        return Err(Unmet::Condition("line_is_known"));
    };
    let bytes = case.bench.bytes(start..end)?;
    let text = &bytes[..bytes.trim_ascii_end().len()];
    // In JSON a line end stands between two parts, where blanks mean nothing.
    let mut changes = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\n', &text[at..]) {
        let line_end = at + found;
        let from = text[..line_end].trim_ascii_end().len();
        at = text.len() - text[line_end..].trim_ascii_start().len();
        let gap = start + from as u64..start + at as u64;
        changes.push(Change::Replace(Splice { at: gap, with: Insert::Text(Vec::new()) }));
    }
    Ok(Proposal { changes, region: Some(BTreeSet::new()), loss: None })
});

pub(super) static BYTE_ORDER_MARK_STRIP: Recipe = recipe("byte-order-mark-strip", false, |_, finding| {
    Case::require(finding.variant == "byte-order-mark", "begins_with_a_mark")?;
    let mark = Splice { at: 0..BOM.len() as u64, with: Insert::Text(Vec::new()) };
    Ok(Proposal { changes: vec![Change::Replace(mark)], region: Some(BTreeSet::new()), loss: None })
});

pub(super) static RECORD_SPLIT: Recipe = recipe("record-split", false, |case, finding| {
    let line = BrokenLine::read(case, finding)?;
    Case::require(!line.records.is_empty() && line.rests_are_repeated(), "rest_is_part_of_a_record")?;
    Ok(line.proposal(None))
});

pub(super) static TORN_FRAGMENT_DISCARD: Recipe = recipe("torn-fragment-discard", true, |case, finding| {
    case.require_salvage()?;
    let line = BrokenLine::read(case, finding)?;
    Case::require(!line.records.is_empty() && !line.rests.is_empty(), "record_on_the_line")?;
    let loss = Loss::Count("torn-fragment", line.rests.len() as u64);
    Ok(line.proposal(Some(loss)))
});

pub(super) static INVALID_UTF8_REPLACE: Recipe = recipe("invalid-utf8-replace", true, |case, finding| {
    case.require_salvage()?;
    let line = BrokenLine::read(case, finding)?;
    let lossy = String::from_utf8_lossy(&line.bytes);
    let whole = Scanner::default().scan(lossy.as_bytes(), 1).is_ok();
    Case::require(
        line.records.is_empty() && whole && finding.variant == "invalid-utf8",
        "record_but_for_its_encoding",
    )?;
    let mut changes = Vec::new();
    let mut at = line.offset;
    for chunk in line.bytes.utf8_chunks() {
        at += chunk.valid().len() as u64;
        let bad = at..at + chunk.invalid().len() as u64;
        at = bad.end;
        if !chunk.invalid().is_empty() {
            changes.push(Change::Replace(Splice { at: bad, with: Insert::Text("\u{FFFD}".as_bytes().to_vec()) }));
        }
    }
    let loss = Some(Loss::Count("invalid-bytes", changes.len() as u64));
    Ok(Proposal { changes, region: Some(BTreeSet::new()), loss })
});

pub(super) static MALFORMED_LINE_DROP: Recipe = recipe("malformed-line-drop", true, |case, finding| {
    case.require_salvage()?;
    Case::require(!matches!(finding.variant, "too-long" | "too-deep"), "line_within_limits")?;
    let line = BrokenLine::read(case, finding)?;
    Case::require(line.records.is_empty(), "no_record_on_the_line")?;
    Ok(line.proposal(Some(Loss::Count("malformed-line", 1))))
});

/// A line that is no record, cut into what it holds.
struct BrokenLine {
    /// Offset of its first byte behind a byte order mark.
    offset: u64,
    /// Its bytes without line end.
    bytes: Vec<u8>,
    /// Bytes of the line end.
    ending: u64,
    /// Whole records.
    records: Vec<Range<usize>>,
    /// What is neither record nor NULs nor blanks.
    rests: Vec<Range<usize>>,
    has_nul: bool,
}

impl BrokenLine {
    fn read(case: &Case<'_>, finding: &Finding) -> Result<Self, Unmet> {
        let (Some(start), Some(end)) = (finding.location.byte_start, finding.location.byte_end) else {
            return Err(Unmet::Condition("line_is_known"));
        };
        let mut bytes = case.bench.bytes(start..end)?;
        let mut offset = start;
        if start == 0 && bytes.starts_with(BOM) {
            bytes.drain(..BOM.len());
            offset += BOM.len() as u64;
        }
        let ending = if bytes.ends_with(b"\r\n") { 2 } else { u64::from(bytes.ends_with(b"\n")) };
        bytes.truncate(bytes.len() - ending as usize);
        let records = recover(&bytes, &mut Scanner::default()).records;
        // A record that lacks a field is no broken line.
        Case::require(records.first() != Some(&(0..bytes.len())), "line_is_broken")?;
        let mut rests = Vec::new();
        let mut at = 0;
        for gap_end in records.iter().map(|r| r.start).chain([bytes.len()]) {
            rests.extend(solid(&bytes, at..gap_end));
            at = records.iter().find(|r| r.start == gap_end).map_or(gap_end, |r| r.end);
        }
        let has_nul = memchr::memchr(0, &bytes).is_some();
        Ok(Self { offset, bytes, ending, records, rests, has_nul })
    }

    /// Whether every rest is the beginning of a record of the line.
    fn rests_are_repeated(&self) -> bool {
        self.rests.iter().all(|rest| {
            let rest = &self.bytes[rest.clone()];
            self.records.iter().any(|record| self.bytes[record.clone()].starts_with(rest))
        })
    }

    /// Keeps the records, each on its own line, and nothing else; a line without records goes whole.
    fn proposal(&self, loss: Option<Loss>) -> Proposal {
        let mut changes = Vec::new();
        let mut replace = |range: Range<usize>, with: &[u8], ending: u64| {
            let at = self.offset + range.start as u64..self.offset + range.end as u64 + ending;
            changes.push(Change::Replace(Splice { at, with: Insert::Text(with.to_vec()) }));
        };
        let mut at = 0;
        for (i, record) in self.records.iter().enumerate() {
            if i > 0 {
                replace(at..record.start, b"\n", 0);
            } else if record.start > 0 {
                replace(0..record.start, b"", 0);
            }
            at = record.end;
        }
        if self.records.is_empty() {
            replace(0..self.bytes.len(), b"", self.ending);
        } else if at < self.bytes.len() {
            replace(at..self.bytes.len(), b"", 0);
        }
        Proposal { changes, region: Some(BTreeSet::new()), loss }
    }
}

/// A range without the NULs and blanks around it, if anything is left.
fn solid(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let idle = |b: &u8| matches!(b, 0 | b' ' | b'\t' | b'\r' | b'\n');
    let text = &bytes[range.clone()];
    let start = range.start + text.iter().position(|b| !idle(b))?;
    let end = range.start + text.iter().rposition(|b| !idle(b))? + 1;
    Some(start..end)
}

/// What a torn record still says.
pub(super) struct TornRest {
    /// Where it begins.
    pub(super) offset: u64,
    /// The parent it names.
    pub(super) parent: Option<String>,
    bytes: Vec<u8>,
}

impl TornRest {
    /// Whether a text stands in it as a whole JSON string.
    pub(super) fn names(&self, text: &str) -> bool {
        memchr::memmem::find(&self.bytes, &crate::repair::bench::token(text)).is_some()
    }
}

/// A rest longer than this is not looked into.
const REST_LIMIT: u64 = 1 << 20;

/// Every torn record of the file, in order.
pub(super) fn torn_rests(case: &Case<'_>) -> Result<Vec<TornRest>, Unmet> {
    let mut found = Vec::new();
    for finding in case.bench.findings.iter().filter(|f| matches!(f.code(), "SL001" | "SL002")) {
        let (Some(start), Some(end)) = (finding.location.byte_start, finding.location.byte_end) else { continue };
        if end - start > REST_LIMIT {
            continue;
        }
        let line = BrokenLine::read(case, finding)?;
        for rest in &line.rests {
            let bytes = line.bytes[rest.clone()].to_vec();
            let parent = case.bench.ground.layout.parent.iter().find_map(|name| named(&bytes, name));
            found.push(TornRest { offset: line.offset + rest.start as u64, parent, bytes });
        }
    }
    Ok(found)
}

/// The first string that follows a member name, if the text holds it whole.
fn named(text: &[u8], name: &str) -> Option<String> {
    let key = format!("\"{name}\":\"");
    let start = memchr::memmem::find(text, key.as_bytes())? + key.len();
    let length = memchr::memchr2(b'"', b'\\', &text[start..]).filter(|&n| text[start + n] == b'"')?;
    std::str::from_utf8(&text[start..start + length]).ok().map(str::to_owned)
}
