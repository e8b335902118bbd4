//! The header of a canonical session: a line of its own, or the members of a document beside `events`.

use serde_json::{Map, Value as Evidence};

use super::{Canonical, SCHEMA, coordinates, document_finding, is_critical, quoted, type_name};
use crate::adapter::{Record, Sink, first_truthy, run_state, spelled, trim};
use crate::check::compatibility::{SL301, SL302};
use crate::check::framing::SL001;
use crate::finding::{Finding, Stage, Subject};
use crate::model::{Value, content_free};
use crate::record::Json;

const KNOWN: &[&str] = &[
    "created_at",
    "events",
    "header",
    "metadata",
    "schema",
    "schema_version",
    "session_id",
    "source",
    "title",
    "version",
];
/// Keys of events: in a header line they say that it is none.
const EVENT_KEYS: &[&str] = &[
    "call_id",
    "checkpoint",
    "correlation_id",
    "id",
    "kind",
    "parent_id",
    "prev_id",
    "tool_call_id",
    "tool_use_id",
    "type",
];
const VERSIONS: [&str; 3] = ["1", "1.0", "1.0.0"];

/// The schema a head names.
pub(super) fn schema(head: Json<'_>) -> Option<Json<'_>> {
    first_truthy(head, &["schema_version", "schema"])
}

pub(super) fn is_supported_schema(schema: Json<'_>) -> bool {
    schema.as_str().is_some_and(|s| s == SCHEMA)
}

impl Canonical {
    /// Reads the first line of a stream.
    pub(super) fn header_line(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let head = record.json;
        let mut report = |reason: &str, name: &str, value: String| {
            let mut finding = Finding::new(&SL001, Stage::Reading);
            finding.variant = "header";
            finding.line = Some(record.line);
            finding.location = record.location;
            finding.evidence = coordinates(record);
            finding.evidence.insert("reason".into(), reason.into());
            finding.evidence.insert(name.into(), value.into());
            finding.subject = Subject { record: "header".into(), part: reason.to_owned() };
            sink.finding(finding);
        };
        match schema(head).filter(|s| s.is_truthy()) {
            None => {
                report("missing_schema_version_key", "field", "schema_version".into());
                self.stopped = true;
                return;
            }
            Some(schema) if !is_supported_schema(schema) => {
                report("invalid_schema", "schema", quoted(schema));
                self.stopped = true;
                return;
            }
            Some(_) => {}
        }
        check_version(record, sink);
        check_keys(record, sink, |name| is_critical(name) || EVENT_KEYS.contains(&name));
        self.remember(head, sink);
    }

    /// Reads what a document says beside its events.
    pub(super) fn document_head(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let head = record.json;
        let about = |reason: &'static str, member: Option<(&str, String)>| {
            let mut finding = document_finding(reason);
            finding.variant = "header";
            finding.location = record.location;
            if let Some((name, value)) = member {
                finding.evidence.insert(name.into(), value.into());
            }
            finding
        };
        let has = |name| head.get(name).is_some();
        let missing = [
            (!has("schema") && !has("schema_version"), "missing_schema_key", "schema"),
            (has("schema") && !has("schema_version") && !has("version"), "missing_version_key", "version"),
            (!has("events"), "missing_events_key", "events"),
        ];
        let mut missing = missing.into_iter().filter(|m| m.0);
        let missing_field = |(_, reason, field): (bool, _, &str)| about(reason, Some(("field", field.to_owned())));
        // Members may stand behind the events, which are nothing without them.
        if let Some(first) = missing.next() {
            sink.unreadable(missing_field(first));
            missing.for_each(|other| sink.finding(missing_field(other)));
            return;
        }
        // Where both stand there the first that says something counts; an empty one is as wrong as any other.
        if let Some(schema) = schema(head)
            && !is_supported_schema(schema)
        {
            sink.unreadable(about("invalid_schema", Some(("schema", quoted(schema)))));
            return;
        }
        let source = head.get_some("source").map(Json::to_value);
        if let Some(source) = source.filter(|s| !matches!(s, Value::Object(_) | Value::String(_))) {
            sink.finding(about("invalid_source_type", Some(("type", type_name(&source).to_owned()))));
        }
        if head.get("events").is_some_and(|e| !e.is_array()) {
            sink.finding(about("invalid_events_type", None));
        }
        check_version(record, sink);
        check_keys(record, sink, is_critical);
        self.remember(head, sink);
    }

    fn remember(&mut self, head: Json<'_>, sink: &mut dyn Sink) {
        let text = |name| head.str(name).map(std::borrow::Cow::into_owned);
        let object = |name| head.get(name).filter(|v| v.is_object()).map(Json::to_value);
        let mut source = vec![("format".to_owned(), Value::from("canonical"))];
        match head.get("source").map(Json::to_value) {
            Some(Value::Object(members)) => {
                for (name, value) in members {
                    match source.iter_mut().find(|m| m.0 == name) {
                        Some(member) => member.1 = value,
                        None => source.push((name, value)),
                    }
                }
            }
            Some(Value::String(format)) => source[0].1 = Value::String(format),
            _ => {}
        }
        let source = Value::Object(source);
        let metadata = object("metadata");
        let places = [
            Some(&source),
            source.get("run_state"),
            metadata.as_ref(),
            metadata.as_ref().and_then(|m| m.get("run_state")),
        ];
        let checkpoints = places.into_iter().flatten().find_map(|place| place.get("checkpoints")?.elements());
        run_state::give(checkpoints.unwrap_or_default(), sink);
        if source.get("run_state_projection").is_some() {
            let checkpoints = source.get("checkpoints").and_then(Value::elements).unwrap_or_default();
            let projection = run_state::project(source.get("run_state"), checkpoints);
            self.metadata.run_state = run_state::for_report(&projection);
        }
        self.metadata.source = Some(source);
        self.metadata.session_id = text("session_id");
        self.metadata.created_at = text("created_at");
        self.metadata.title = text("title");
        self.metadata.metadata = metadata;
    }
}

/// Lower case, trimmed, without a leading `v` before a digit.
fn normalised(version: &str) -> String {
    let text = trim(version).to_lowercase();
    match text.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => text,
    }
}

fn check_version(record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(version) = record.json.get_some("version") else { return };
    let value = version.to_value();
    let text = spelled(&value, false);
    if value == Value::Bool(true) || VERSIONS.contains(&normalised(&text).as_str()) {
        return;
    }
    let mut finding = head_finding(&SL301, record);
    finding.evidence.insert("version_raw".into(), content_free::echo(&Value::String(text)).0.into());
    finding.evidence.insert("supported_set".into(), VERSIONS.to_vec().into());
    finding.subject.part = "version".into();
    sink.finding(finding);
}

/// Reports the first key, by name, that is not known and might change what the session means.
fn check_keys(record: &Record<'_>, sink: &mut dyn Sink, is_critical: impl Fn(&str) -> bool) {
    let unknown = record.json.members().filter(|(name, _)| !KNOWN.contains(&&**name) && is_critical(name));
    let Some(name) = unknown.map(|(name, _)| name).min() else { return };
    let Some(value) = record.json.get(&name) else { return };
    let mut finding = head_finding(&SL302, record);
    finding.variant = "critical-field";
    insert_key(&mut finding.evidence, &name, &value.to_value());
    finding.subject.part = name.into_owned();
    sink.finding(finding);
}

fn head_finding(rule: &'static crate::rule::Rule, record: &Record<'_>) -> Finding {
    let mut finding = Finding::new(rule, Stage::Reading);
    finding.line = Some(if record.in_document { 1 } else { record.line });
    finding.location = record.location;
    finding.evidence = coordinates(record);
    finding.subject.record = "header".into();
    finding
}

/// Evidence about a key that is not known: its name and the shape of its value, for `type` the word itself.
pub(super) fn insert_key(evidence: &mut Map<String, Evidence>, name: &str, value: &Value) {
    evidence.insert("field_path".into(), content_free::echo(&Value::from(name)).0.into());
    if name == "type" {
        let (text, masked) = content_free::echo(value);
        evidence.insert("type_value".into(), text.into());
        if masked {
            evidence.insert("type_truncated".into(), true.into());
        }
    } else {
        evidence.insert("type_value".into(), content_free::shape(value).into());
    }
}
