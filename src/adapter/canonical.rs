//! SessLint's own format, `sesslint.session/v1`: a header line and one event a line, or one document with `events`.
//!
//! Canonical files promise structure, so that what they lack is reported field by field; each event is kept with stand-ins.

mod event;
mod header;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Map;

use super::{Adapter, Document, Fault, Format, Framing, Metadata, Record, Sink, detect::Sample};
use crate::check::framing::SL001;
use crate::finding::{Finding, Location, Severity, Stage, Subject};
use crate::model::{Conventions, Value, content_free};
use crate::record::Json;

pub(crate) use event::is_utc_timestamp;

/// The one schema there is.
pub(crate) const SCHEMA: &str = "sesslint.session/v1";

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "canonical",
    name: "canonical",
    version: "1.0.0",
    versions: &["1", "1.0", "1.0.0"],
    declared: &["1", "1.0", "1.0.0"],
    description: "Canonical sessions, `sesslint.session/v1`, as lines or as one document",
    default_profile: "neutral",
    framing: Framing::StrictLinesOrDocument(&Document {
        items: &["events"],
        is_document,
        not_object: "event_not_dict",
    }),
    score,
    open: |_| Box::new(Canonical::default()),
};

/// An object is a document when it has events, or says it is a session without being a header.
fn is_document(head: Json<'_>) -> bool {
    let has = |name| head.get(name).is_some();
    has("events") || (has("schema") || has("version")) && !has("schema_version") && !has("session_id")
}

fn score(sample: &Sample) -> f64 {
    if sample.any(|r| named_schema(r).is_some_and(|s| s == SCHEMA)) || states_schema(&sample.head) {
        return 1.0;
    }
    let other_version = sample.any(|r| named_schema(r).is_some_and(|s| s.starts_with("sesslint.session")));
    if other_version { 0.6 } else { 0.0 }
}

/// Whether a text names the schema as the value of a member, however broken it is. Inside a JSON text the quotes of
/// such a member would be escaped.
fn states_schema(text: &[u8]) -> bool {
    let value = format!("\"{SCHEMA}\"");
    memchr::memmem::find_iter(text, value.as_bytes()).any(|at| {
        let before = text[..at].trim_ascii_end().strip_suffix(b":").unwrap_or_default().trim_ascii_end();
        before.ends_with(b"\"schema_version\"") || before.ends_with(b"\"schema\"")
    })
}

/// The schema that a header names, or the header inside a document.
fn named_schema(record: Json<'_>) -> Option<Cow<'_, str>> {
    let head = record.get("header").unwrap_or(record);
    head.str("schema_version").or_else(|| head.str("schema"))
}

/// Reads one canonical file.
#[derive(Debug, Default)]
struct Canonical {
    /// Place of the next event among the event lines.
    place: u64,
    /// Nothing can be read any more: the header is missing or of another schema.
    stopped: bool,
    /// Anything at all stood in the file.
    seen: bool,
    /// A NUL was reported.
    nul: bool,
    metadata: Metadata,
}

impl Adapter for Canonical {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        self.seen = true;
        if self.stopped {
            return;
        }
        if record.ordinal == 1 && !record.in_document {
            self.header_line(record, sink);
            return;
        }
        event::read(record, self.place, sink);
        self.place += 1;
    }

    /// Nothing resumes a canonical file: whoever reads it takes the last of two values and keeps half a surrogate.
    fn text(&self, finding: &mut Finding) {
        finding.severity = Severity::Info;
    }

    fn opens(&mut self, head: Option<Json<'_>>) -> bool {
        let Some(head) = head else { return false };
        header::schema(head).is_none_or(|schema| header::is_supported_schema(schema))
    }

    fn document(&mut self, head: Option<&Record<'_>>, sink: &mut dyn Sink) {
        self.seen = true;
        match head {
            Some(head) => self.document_head(head, sink),
            None => sink.finding(document_finding("invalid_document_type")),
        }
    }

    fn broken(&mut self, fault: &Fault, finding: &mut Finding) -> bool {
        self.seen = true;
        if self.stopped {
            return false;
        }
        finding.record_id = None;
        let is_header = fault.ordinal == 1;
        let reason = match fault.reason {
            "not_object" if is_header => "invalid_document_type",
            "not_object" => "event_not_dict",
            other => other,
        };
        if fault.reason == "forbidden_nul_byte" && !self.nul {
            // The reference program gives up a file for one NUL, with this finding.
            finding.line = Some(1);
            finding.evidence = Map::new();
            self.nul = true;
        }
        finding.evidence.insert("reason".into(), reason.into());
        if let Some(detail) = &fault.detail {
            finding.evidence.insert("detail".into(), detail.as_str().into());
        }
        if is_header {
            self.stopped = true;
        } else {
            self.place += 1;
        }
        true
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if !self.seen {
            let mut finding = document_finding("empty_input");
            finding.variant = "empty-input";
            sink.finding(finding);
        }
    }

    fn conventions(&self) -> Conventions {
        Conventions::CANONICAL
    }

    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }
}

/// A finding about the whole file: line 1, no coordinates.
fn document_finding(reason: &'static str) -> Finding {
    let mut finding = Finding::new(&SL001, Stage::Reading);
    finding.variant = "document";
    finding.line = Some(1);
    finding.evidence.insert("reason".into(), reason.into());
    finding.location = Location { line: Some(1), column: Some(1), ..Location::default() };
    finding.subject = Subject { record: "document".into(), part: reason.into() };
    finding
}

/// Evidence that says where a record stands: byte coordinates, which records of a document do not have.
fn coordinates(record: &Record<'_>) -> Map<String, serde_json::Value> {
    let mut evidence = Map::new();
    if !record.in_document {
        evidence.insert("byte_offset".into(), record.offset.into());
        evidence.insert("byte_end".into(), record.end.into());
        evidence.insert("record_ordinal".into(), record.ordinal.into());
    }
    evidence
}

/// A value as evidence quotes it: its text when that is short and may be shown, else its shape.
fn quoted(value: Json<'_>) -> String {
    const MAX_CHARS: usize = 64;
    let owned = value.to_value();
    let text = super::spelled(&owned, false);
    if text.chars().nth(MAX_CHARS).is_none() && content_free::is_content_free(&text) {
        text
    } else {
        content_free::shape(&owned)
    }
}

/// The type of a value in the reference program's words.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Keys that may change what a record means, so that a reader that does not know them must not go on as if they were not there.
fn is_critical(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "checkpoints",
        "critical_checkpoint",
        "critical_graph",
        "critical_ordering",
        "linkage_override",
        "replay_barrier",
    ];
    NAMES.contains(&name) || name.starts_with("critical_") || name.starts_with("unknown_critical")
}
