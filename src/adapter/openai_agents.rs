//! Session items of the OpenAI Agents SDK: an exported array, a wrapper object with `items`, or one item a line.
//!
//! A genuine export has no parents: order is its only structure, and distance between a call and its output means nothing.
//! Item types come and go with the API; one that is not known is sent on resume as it stands and is no defect.

mod item;
mod recognition;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::{
    Adapter, Document, Format, Framing, Metadata, Record, Sink, run_state, spelled, synthetic_id, text_of, trim,
};
use crate::check::compatibility::{SL301, SL302};
use crate::finding::{Finding, Severity, Stage, Subject};
use crate::model::session::Adjacency;
use crate::model::{Conventions, Value, content_free};
use crate::record::Json;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "openai-agents",
    name: "OpenAI Agents",
    version: "1.0.0",
    versions: &["0.24.0"],
    declared: &VERSIONS,
    description: "Session items of the OpenAI Agents SDK, exported as an array, a document or lines",
    default_profile: "openai-strict",
    framing: Framing::LinesOrDocument(&Document {
        items: recognition::LISTS,
        is_document: recognition::is_document,
        not_object: "item_not_dict",
    }),
    score: recognition::score,
    open: |path| Box::new(OpenAiAgents { path: path.to_owned(), ..OpenAiAgents::default() }),
};

const VERSIONS: [&str; 8] = ["0.1", "0.1.0", "0.2", "0.2.0", "1", "1.0", "1.0.0", "openai-agents-v1"];
const VERSION_KEYS: [&str; 4] = ["sdk_version", "export_version", "agent_sdk_version", "version"];

/// How exports without parents are judged, as the SDK replays them.
const EXPORT: Conventions = Conventions {
    tree: false,
    one_tree: false,
    pair_on_path: false,
    stored_in_order: true,
    adjacency: Adjacency::Free,
    open_tail: Severity::Warning,
    compaction_split: Severity::Warning,
    compaction_on_chain: false,
    checkpoints: false,
    identity_by_bytes: false,
    resends_copies: false,
    stamps: &[],
    id_member: "",
    reunites_messages: false,
    sends_reasoning_alone: true,
};

/// Reads one file of items.
#[derive(Debug, Default)]
struct OpenAiAgents {
    path: String,
    /// Events given so far: part of made-up ids.
    emitted: u64,
    /// Types reported once each.
    unknown_types: BTreeSet<String>,
    /// The document states a version that was never seen; those of its items say no more.
    version_told: bool,
    /// The last version that was stated.
    version: Option<String>,
    has_parents: bool,
    has_checkpoints: bool,
    /// Checkpoints of the document, reduced to what is compared.
    checkpoints: Vec<Value>,
    run_state: Option<Value>,
}

impl Adapter for OpenAiAgents {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if recognition::is_run_state(record.json) {
            note_run_state(record, sink);
        } else {
            self.item(record, sink);
        }
    }

    fn opens(&mut self, head: Option<Json<'_>>) -> bool {
        let version = head.and_then(document_version);
        self.version_told = version.is_some_and(|v| !is_supported(v));
        true
    }

    fn document(&mut self, head: Option<&Record<'_>>, sink: &mut dyn Sink) {
        let Some(head) = head else { return };
        let json = head.json;
        if recognition::is_run_state(json) {
            note_run_state(head, sink);
            return;
        }
        if let Some(version) = document_version(json) {
            let id = synthetic_id("openai_agents", &self.path, 0, 0);
            self.check_version(head, version, &id, false, sink);
        }
        self.checkpoints = json
            .get("checkpoints")
            .map(|c| c.elements().filter(|e| e.is_object()).map(reduced).collect())
            .unwrap_or_default();
        self.run_state = json.get("run_state").filter(|s| s.is_object()).map(Json::to_value);
        self.has_checkpoints |= !self.checkpoints.is_empty() || self.run_state.as_ref().is_some_and(Value::is_truthy);
        run_state::give(&self.checkpoints, sink);
        match recognition::list(json).filter(|list| !list.is_null()) {
            None => self.item(head, sink),
            Some(single) if single.is_object() => self.item(&Record { json: single, ..*head }, sink),
            Some(_) => {}
        }
    }

    fn reads_broken_lines(&self) -> bool {
        false
    }

    fn tears_at_line_end(&self) -> bool {
        true
    }

    fn conventions(&self) -> Conventions {
        let conventions = if self.has_parents { Conventions::CANONICAL } else { EXPORT };
        Conventions { checkpoints: self.has_checkpoints, ..conventions }
    }

    fn metadata(&self) -> Metadata {
        let projection = run_state::project(self.run_state.as_ref(), &self.checkpoints);
        let report = run_state::for_report(&projection);
        let mut source = vec![
            ("format".to_owned(), Value::from(FORMAT.id)),
            ("checkpoints".to_owned(), Value::Array(self.checkpoints.clone())),
            ("run_state_projection".to_owned(), projection),
        ];
        source.extend(self.version.as_deref().map(|v| ("version_raw".to_owned(), Value::from(v))));
        source.extend(self.run_state.clone().map(|s| ("run_state".to_owned(), s)));
        Metadata { source: Some(Value::Object(source)), run_state: report, ..Metadata::default() }
    }
}

impl OpenAiAgents {
    /// Notes the version a document or item states, and reports one that is not supported.
    fn check_version(
        &mut self,
        record: &Record<'_>,
        version: Json<'_>,
        id: &str,
        coordinates: bool,
        sink: &mut dyn Sink,
    ) {
        let readable = !version.is_object() && !version.is_array();
        let text = text_of(version);
        let stripped = trim(&text);
        if readable {
            self.version = Some(stripped.to_owned());
        }
        if is_supported(version) {
            return;
        }
        let raw = if readable { content_free::echo(&Value::from(stripped)).0 } else { "<invalid_version_type>".into() };
        let mut finding = finding(&SL301, record, id, coordinates);
        finding.evidence.insert("version_raw".into(), raw.into());
        finding.evidence.insert("supported_set".into(), VERSIONS.to_vec().into());
        finding.subject = Subject { record: String::new(), part: stripped.to_owned() };
        sink.finding(finding);
    }
}

/// Says that a file is no list of items: an interrupted run is healthy, and nothing of it was judged.
fn note_run_state(record: &Record<'_>, sink: &mut dyn Sink) {
    let mut finding = Finding::new(&SL302, Stage::Reading);
    finding.variant = "run-state";
    finding.severity = Severity::Info;
    finding.line = Some(record.line);
    finding.location = record.location;
    finding.evidence.insert("field_path".into(), "$schemaVersion".into());
    finding.subject = Subject { record: String::new(), part: "run-state".into() };
    sink.finding(finding);
}

/// A finding about an item, with the coordinates it has: bytes only on lines of its own.
fn finding(rule: &'static crate::rule::Rule, record: &Record<'_>, id: &str, coordinates: bool) -> Finding {
    let mut finding = Finding::new(rule, Stage::Reading);
    finding.line = Some(record.line);
    finding.location = record.location;
    finding.record_id = content_free::record_id(id);
    if coordinates {
        finding.evidence.insert("record_ordinal".into(), record.ordinal.into());
        if !record.in_document {
            finding.evidence.insert("byte_offset".into(), record.offset.into());
            finding.evidence.insert("byte_end".into(), record.end.into());
        }
    }
    finding.subject = Subject { record: id.to_owned(), part: String::new() };
    finding
}

/// A checkpoint of a document, reduced to what is compared and exported.
fn reduced(checkpoint: Json<'_>) -> Value {
    let some = |names: [&str; 2]| names.iter().find_map(|n| checkpoint.get_some(n)).map(Json::to_value);
    let text = |names| Value::String(some(names).map_or(String::new(), |v| spelled(&v, false)));
    Value::Object(vec![
        ("id".into(), text(["id", "checkpoint_id"])),
        ("seq".into(), some(["seq", "checkpoint_seq"]).unwrap_or(Value::Null)),
        ("hash".into(), text(["hash", "payload_hash"])),
        ("ts".into(), text(["ts", "created_at"])),
    ])
}

/// The version a document states.
fn document_version(document: Json<'_>) -> Option<Json<'_>> {
    VERSION_KEYS.iter().find_map(|k| document.get_some(k))
}

fn is_supported(version: Json<'_>) -> bool {
    let lower = trim(&text_of(version)).to_lowercase();
    let plain = match lower.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => &*lower,
    };
    VERSIONS.contains(&plain) || FORMAT.versions.contains(&plain)
}
