//! Findings about the text of records: SL001, SL002, SL303, SL502. Where a line or record stands.

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use crate::adapter::{Adapter, Record, Sink, trim};
use crate::check::framing::SL001;
use crate::check::json_text::{SL303, SL502};
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Location, Repairability, Severity, Stage, Subject};
use crate::model::content_free;
use crate::record::Scan;
use crate::record::recover::Damage;
use crate::source::text::FramePlace;

/// Where a line stands; the reference program's coordinates. Offsets are those of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinates {
    pub(super) line: u64,
    pub(super) ordinal: u64,
    pub(super) offset: u64,
    pub(super) end: u64,
    /// The frame that holds its first byte.
    pub(super) frame: Option<FramePlace>,
    /// No line end follows it.
    pub(super) is_cut: bool,
}

impl Coordinates {
    /// The place of the whole line.
    pub(super) fn location(self) -> Location {
        self.part(0, self.end - self.offset)
    }

    /// The place of a part of the line, given from its first byte on. Of a compressed source only frames have places.
    pub(super) fn part(self, start: u64, end: u64) -> Location {
        let plain = Location {
            line: Some(self.line),
            column: Some(start + 1),
            byte_start: Some(self.offset + start),
            byte_end: Some(self.offset + end),
            item: None,
        };
        self.frame.map_or(plain, |frame| Location { line: plain.line, column: plain.column, ..in_frame(&frame) })
    }

    fn evidence(self) -> Map<String, Json> {
        let mut evidence = Map::new();
        evidence.insert("byte_offset".into(), self.offset.into());
        evidence.insert("byte_end".into(), self.end.into());
        evidence.insert("record_ordinal".into(), self.ordinal.into());
        evidence
    }
}

/// The place of a frame: its number from 1 stands as the item.
pub(super) fn in_frame(frame: &FramePlace) -> Location {
    Location {
        byte_start: Some(frame.start),
        byte_end: Some(frame.end),
        item: Some(frame.index + 1),
        ..Location::default()
    }
}

/// A line that is no record. `raw` is its text as far as it was kept.
pub(super) fn broken_line(at: Coordinates, variant: &'static str, raw: &[u8], recovered: usize) -> Finding {
    let mut finding = Finding::new(&SL001, Stage::Reading);
    finding.variant = variant;
    finding.line = Some(at.line);
    // Of a value that is no object, nothing is the record's own id.
    let own = variant != Damage::NotAnObject.as_str();
    finding.record_id = raw_record_id(raw).filter(|id| own && content_free::is_content_free(id));
    finding.evidence = at.evidence();
    finding.detail.insert("variant".into(), variant.into());
    if recovered > 0 {
        finding.detail.insert("recovered_records".into(), recovered.into());
    }
    finding.location = at.location();
    // A checkout may have converted the line ends.
    let text = raw.strip_suffix(b"\r").unwrap_or(raw);
    finding.subject = Subject { record: hex(&Sha256::digest(text)), part: String::new() };
    finding
}

/// The source is the live store of an agent, not an export.
pub(super) fn live_database() -> Finding {
    let mut finding = Finding::new(&SL001, Stage::Reading);
    finding.variant = "live-database";
    finding.severity = Severity::Fatal;
    finding.repairability = Repairability::Unsupported;
    finding.line = Some(1);
    finding.location = Location { line: Some(1), column: Some(1), byte_start: Some(0), ..Location::default() };
    finding.evidence.insert("reason".into(), "refused_live_db".into());
    finding.subject = Subject { record: String::new(), part: finding.variant.into() };
    finding
}

/// What the text of a whole record says by itself.
pub(super) fn text_findings(record: &Record<'_>, scan: &Scan, adapter: &dyn Adapter, sink: &mut dyn Sink) {
    let places = [(scan.duplicate_name, &SL303), (scan.lone_surrogate, &SL502)];
    for (offset, rule) in places.into_iter().filter_map(|(offset, rule)| Some((offset?, rule))) {
        let mut finding = Finding::new(rule, Stage::Reading);
        finding.line = Some(record.line);
        finding.location = record.location;
        if let Some(start) = record.location.byte_start {
            if !record.is_compressed() {
                finding.location.byte_start = Some(start + offset as u64);
            }
            finding.location.column = record.location.column.map(|c| c + offset as u64);
        }
        finding.evidence.insert("byte_offset".into(), record.offset.into());
        finding.evidence.insert("byte_end".into(), record.end.into());
        finding.evidence.insert("record_ordinal".into(), record.ordinal.into());
        finding.subject = Subject { record: hex(&Sha256::digest(record.json.raw())), part: String::new() };
        adapter.text(&mut finding);
        sink.finding(finding);
    }
}

/// The first `"id": "…"` of a raw text: a torn record's best name. 1 to 200 characters, trimmed.
pub(crate) fn raw_record_id(raw: &[u8]) -> Option<String> {
    for at in memchr::memmem::find_iter(raw, b"\"id\"") {
        let rest = &raw[at + 4..raw.len().min(at + 4 + 1024)];
        // Most are no names of members: what cannot be one is not decoded.
        let head = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let Some(value) = head.trim_start().strip_prefix(':') else { continue };
        let Some(value) = value.trim_start().strip_prefix('"') else { continue };
        let rest = String::from_utf8_lossy(&rest[head.len() - value.len()..]);
        let Some(end) = rest.find('"') else { continue };
        if (1..=200).contains(&rest[..end].chars().count()) {
            let id = trim(&rest[..end]);
            return (!id.is_empty()).then(|| id.to_owned());
        }
    }
    None
}
