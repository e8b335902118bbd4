//! One canonical event: what is wrong with its fields, and what stands in for them.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::header::insert_key;
use super::{coordinates, is_critical, quoted, type_name};
use crate::adapter::{Draft, Record, Sink, side_effects, text_of, trim};
use crate::check::compatibility::SL302;
use crate::check::framing::SL001;
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Stage, Subject};
use crate::model::content_free::{echo, is_content_free};
use crate::model::{Actor, EventFlags, Kind, Value};
use crate::record::json::fields;
use crate::record::{Json, NodeKind};

const EPOCH: &str = "1970-01-01T00:00:00Z";
/// Stands in evidence for an id that may not be shown.
const SANITIZED: &str = "<sanitized_control_chars>";

fields! {
    /// The members of an event that the format knows.
    struct Members {
        actor: "actor", agent_id: "agent_id", branch_id: "branch_id", content_hash: "content_hash",
        correlation_id: "correlation_id", execution_state: "execution_state", id: "id", interaction_id: "interaction_id",
        kind: "kind", original_id: "original_id", parent_id: "parent_id", payload: "payload", seq: "seq",
        side_effects: "side_effects", source_adapter: "source_adapter", source_line: "source_line",
        source_location: "source_location", source_record_hash: "source_record_hash", ts: "ts",
    }
}

const CRITICAL: &[&str] = &["call_id", "checkpoint", "prev_id", "tool_call_id", "tool_use_id", "type"];

/// Reads the event at `place` among the events of its file.
pub(super) fn read<'a>(record: &Record<'a>, place: u64, sink: &mut dyn Sink) {
    let json = record.json;
    let mut critical = None;
    let members = Members::read(json, |name, value| {
        let name = name.text();
        if critical.is_none() && (is_critical(&name) || CRITICAL.contains(&&*name)) {
            critical = Some((name, value));
        }
    });
    let id_value = members.id;
    let id = id_value.and_then(Json::as_str).filter(|id| !id.is_empty() && trim(id) == &**id && is_content_free(id));
    let mut check = Check { record, id: id.as_deref(), sink };

    match id_value {
        None => check.missing("id"),
        Some(value) if id.is_none() => check.invalid_id(value),
        Some(_) => {}
    }
    let parent = match members.parent_id {
        None => {
            check.missing("parent_id");
            None
        }
        Some(value) if value.is_null() => None,
        Some(value) => {
            let text = value.as_str().filter(|t| !trim(t).is_empty());
            if text.is_none() {
                check.report("invalid_parent_id", Some("parent_id"), Some(("field", "parent_id".into())));
            }
            text
        }
    };
    let kind = match members.kind {
        None => {
            check.missing("kind");
            Kind::Unknown
        }
        Some(value) => value.as_str().and_then(|k| Kind::parse(&k)).unwrap_or_else(|| {
            check.report("invalid_kind", Some("kind"), Some(("kind", echo(&value.to_value()).0)));
            Kind::Unknown
        }),
    };
    let ts = match members.ts {
        None => {
            check.missing("ts");
            None
        }
        Some(value) => {
            let text = value.as_str();
            if !text.as_deref().is_some_and(is_utc_timestamp) {
                check.report("invalid_timestamp", Some("ts"), Some(("ts", quoted(value))));
            }
            text
        }
    };
    let actor = match members.actor {
        None => Actor::User,
        Some(value) => value.as_str().and_then(|a| Actor::parse(&a)).unwrap_or_else(|| {
            check.report("invalid_actor", None, Some(("actor", quoted(value))));
            Actor::System
        }),
    };
    if let Some((name, value)) = critical {
        check.critical_key(&name, value);
    }
    let payload = members.payload;
    if let Some(value) = payload.filter(|p| !p.is_object()) {
        let name = type_name(&value.to_value());
        check.report("invalid_payload_type", Some("payload"), Some(("type", name.into())));
    }
    let payload = payload.filter(|p| p.is_object());
    let seq_value = members.seq;
    let is_count = |v: &Json<'_>| v.kind() == NodeKind::Integer && (!v.raw().starts_with(b"-") || v.raw() == b"-0");
    let seq = seq_value.filter(is_count);
    if let Some(value) = seq_value.filter(|_| seq.is_none()) {
        check.report("invalid_seq", Some("seq"), Some(("seq", quoted(value))));
    }
    let synthetic_id = id.is_none();
    let id = id.as_deref().map_or_else(|| Cow::Owned(format!("<missing:{place}>")), Cow::Borrowed);
    let text = |value: Option<Json<'a>>| value.filter(|v| !v.is_null()).map(text_of);
    let effects = effects(json, members.side_effects, payload, kind);
    let digits = |s: Json<'_>| if s.raw() == b"-0" { Some(0) } else { std::str::from_utf8(s.raw()).ok()?.parse().ok() };
    let seq_number = seq.map_or(Some(place), digits).unwrap_or(u64::MAX);
    let object = || {
        let mut object = json.to_value();
        if let Value::Object(rows) = &mut object {
            let parent = parent.as_deref().map_or(Value::Null, Value::from);
            let ts = ts.as_deref().unwrap_or(EPOCH);
            let mut set = |name: &str, value: Option<Value>| {
                rows.retain(|m| m.0 != name);
                rows.extend(value.filter(|v| name == "parent_id" || *v != Value::Null).map(|v| (name.to_owned(), v)));
            };
            set("id", Some(Value::from(&*id)));
            set("parent_id", Some(parent));
            set("seq", Some(seq.map_or(Value::from(place), Json::to_value)));
            set("ts", Some(Value::from(ts)));
            set("kind", Some(Value::from(kind.as_str())));
            set("actor", Some(Value::from(actor.as_str())));
            set("payload", Some(payload.map_or(Value::Object(vec![]), Json::to_value)));
            set("side_effects", effects.map(Value::from));
            for (name, value) in [("content_hash", members.content_hash), ("correlation_id", members.correlation_id)] {
                set(name, text(value).map(|t| Value::from(&*t)));
            }
            set("source_line", members.source_line.map(Json::to_value).filter(|v| matches!(v, Value::Int(_))));
            for (name, value) in [
                ("agent_id", members.agent_id),
                ("branch_id", members.branch_id),
                ("execution_state", members.execution_state),
                ("interaction_id", members.interaction_id),
                ("original_id", members.original_id),
                ("source_adapter", members.source_adapter),
                ("source_location", members.source_location),
                ("source_record_hash", members.source_record_hash),
            ] {
                set(name, value.map(Json::to_value));
            }
        }
        object
    };
    let complete = [members.actor, members.payload, members.seq].iter().all(Option::is_some);
    let texts = [members.content_hash, members.correlation_id].into_iter().flatten().all(|v| v.as_str().is_some());
    let lines = members.source_line.is_none_or(|l| l.kind() == NodeKind::Integer);
    let derived = effects.filter(|_| members.side_effects.is_none()).map(|effects| ("side_effects", effects));
    let stated = members.side_effects.and_then(Json::as_str);
    let same_effects = derived.is_some() || stated.as_deref() == effects;
    let nulls = json.rows().any(|(name, value)| value.is_null() && name.text() != "parent_id");
    if complete && texts && lines && same_effects && !nulls {
        check.sink.as_stored(derived);
    }
    let owned_payload = || payload.map_or(Value::Object(vec![]), Json::to_value);
    check.sink.event(
        record,
        Draft {
            parent: parent.as_deref().map(Cow::Borrowed),
            kind,
            actor,
            correlation: text(members.correlation_id),
            message: None,
            agent: text(members.agent_id),
            branch: text(members.branch_id),
            interaction: text(members.interaction_id),
            ts: ts.clone().unwrap_or(Cow::Borrowed(EPOCH)),
            seq: Some(seq_number),
            line: members.source_line.and_then(Json::as_i64).and_then(|l| u64::try_from(l).ok()).unwrap_or(0),
            flags: EventFlags {
                synthetic_id,
                prompt: actor == Actor::User && kind == Kind::Message,
                blank_text: kind == Kind::Message && payload.is_some_and(is_blank),
                ..EventFlags::default()
            },
            execution_state: None,
            side_effects: effects,
            original_id: None,
            payload: &owned_payload,
            object: Some(&object),
            id: Cow::Borrowed(&id),
        },
    );
    if kind == Kind::Checkpoint {
        let (seq, hash) = checkpoint(payload, seq_number);
        check.sink.checkpoint(seq, hash);
    }
}

/// Whether a message holds a text in which nothing stands but blanks.
fn is_blank(payload: Json<'_>) -> bool {
    let blank = |value: Json<'_>| value.as_str().is_some_and(|text| trim(&text).is_empty());
    let blocks = payload.get("content").filter(|content| content.is_array());
    let mut texts = blocks.into_iter().flat_map(Json::elements).filter_map(|block| block.get("text"));
    ["content", "text"].into_iter().filter_map(|name| payload.get(name)).any(blank) || texts.any(blank)
}

/// Sequence number and state hash of a checkpoint event.
fn checkpoint(payload: Option<Json<'_>>, own: u64) -> (Option<i64>, Option<String>) {
    let stated = payload.and_then(|p| p.get("seq").or_else(|| p.get("checkpoint_seq"))).filter(|s| !s.is_null());
    let seq = stated.map_or_else(|| i64::try_from(own).ok(), Json::as_i64);
    let hash = payload.and_then(|p| p.get_some("state_hash").or_else(|| p.get_some("hash"))).map(text_of);
    (seq, hash.map(|h| trim(&h).to_owned()).filter(|h| !h.is_empty()))
}

/// What the event says about side effects, or what its kind and tool say.
fn effects(json: Json<'_>, own: Option<Json<'_>>, payload: Option<Json<'_>>, kind: Kind) -> Option<&'static str> {
    let stated = |value: Option<Json<'_>>| {
        let word = value?.as_str()?;
        ["none", "possible", "unknown"].into_iter().find(|w| **w == *word)
    };
    let name = || {
        let truthy =
            |object: Json<'_>, name: &str| object.get(name).filter(|v| v.is_truthy()).map(text_of).map(Cow::into_owned);
        let inside = payload.and_then(|p| truthy(p, "name").or_else(|| truthy(p, "tool_name")));
        inside.or_else(|| truthy(json, "name")).unwrap_or_default()
    };
    stated(own).or_else(|| stated(payload?.get("side_effects"))).or_else(|| match kind {
        Kind::ToolResult => Some("none"),
        Kind::ToolCall => Some(side_effects(&name())),
        _ => None,
    })
}

struct Check<'a, 'r> {
    record: &'a Record<'r>,
    /// The id if it may be used.
    id: Option<&'a str>,
    sink: &'a mut dyn Sink,
}

impl Check<'_, '_> {
    /// Reports a field. `member` is what the evidence shows of it; a field that is named is the related id, too.
    fn report(&mut self, reason: &str, field: Option<&str>, member: Option<(&str, String)>) {
        let mut finding = self.finding(&SL001);
        finding.variant = "event-field";
        finding.evidence.insert("reason".into(), reason.into());
        if let Some((name, value)) = member {
            finding.evidence.insert(name.into(), value.into());
        }
        if let Some(field) = field {
            finding.related.push(field.to_owned());
            if !finding.evidence.contains_key("record_id") {
                finding.evidence.insert("record_id".into(), self.id.into());
            }
        }
        finding.subject.part = reason.to_owned();
        self.sink.finding(finding);
    }

    fn missing(&mut self, field: &str) {
        self.report(&format!("missing_{field}_key"), Some(field), Some(("field", field.to_owned())));
    }

    fn invalid_id(&mut self, value: Json<'_>) {
        let shown = match value.as_str() {
            _ if value.is_null() => None,
            Some(text) if is_content_free(&text) => Some(text.into_owned()),
            Some(_) => Some(SANITIZED.to_owned()),
            None => Some(quoted(value)),
        };
        let mut finding = self.finding(&SL001);
        finding.variant = "event-field";
        finding.evidence.insert("reason".into(), "invalid_id".into());
        finding.evidence.insert("field".into(), "id".into());
        finding.evidence.insert("record_id".into(), shown.into());
        finding.related.push("id".to_owned());
        finding.subject.part = "invalid_id".into();
        self.sink.finding(finding);
    }

    /// Reports a key that is not known and might change what the event means.
    fn critical_key(&mut self, name: &str, value: Json<'_>) {
        let mut finding = self.finding(&SL302);
        finding.variant = "critical-field";
        insert_key(&mut finding.evidence, name, &value.to_value());
        finding.evidence.insert("record_id".into(), self.id.into());
        finding.subject.part = name.to_owned();
        self.sink.finding(finding);
    }

    fn finding(&self, rule: &'static crate::rule::Rule) -> Finding {
        let mut finding = Finding::new(rule, Stage::Reading);
        finding.line = Some(self.record.line);
        finding.record_id = self.id.map(str::to_owned);
        finding.location = self.record.location;
        finding.evidence = coordinates(self.record);
        let record = self.id.map_or_else(|| hex(&Sha256::digest(self.record.json.raw())), str::to_owned);
        finding.subject = Subject { record, part: String::new() };
        finding
    }
}

/// RFC 3339 with a real day and no offset from UTC.
pub(crate) fn is_utc_timestamp(text: &str) -> bool {
    let b = text.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    if b.len() < shape.len() || !shape.iter().zip(b).all(|(s, b)| if *s == b'd' { b.is_ascii_digit() } else { s == b })
    {
        return false;
    }
    let number = |at: usize, len: usize| b[at..at + len].iter().fold(0u32, |n, d| n * 10 + u32::from(d - b'0'));
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2));
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    let date = year > 0 && (1..=days).contains(&day);
    let time = number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
    let mut rest = &b[shape.len()..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &fraction[digits..];
    }
    let zone = matches!(rest, b"Z" | b"+00" | b"-00" | b"+0000" | b"-0000" | b"+00:00" | b"-00:00");
    date && time && zone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_are_real_days_in_utc() {
        for (text, good) in [
            ("2025-01-01T00:00:00Z", true),
            ("2024-02-29T23:59:59.123456789+00:00", true),
            ("2025-01-01T00:00:00-0000", true),
            ("2025-01-01T00:00:00+00", true),
            ("2025-02-29T00:00:00Z", false),
            ("1900-02-29T00:00:00Z", false),
            ("0000-01-01T00:00:00Z", false),
            ("2025-13-01T00:00:00Z", false),
            ("2025-01-01T24:00:00Z", false),
            ("2025-01-01T00:00:60Z", false),
            ("2025-01-01T00:00:00", false),
            ("2025-01-01T00:00:00.Z", false),
            ("2025-01-01T00:00:00+01:00", false),
            ("2025-01-01t00:00:00z", false),
            ("", false),
        ] {
            assert_eq!(is_utc_timestamp(text), good, "{text}");
        }
    }
}
