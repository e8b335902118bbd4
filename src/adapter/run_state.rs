//! State of an interrupted run that a session file carries along: its checkpoints, and what may be told about it.

use std::collections::BTreeSet;

use super::{Sink, spelled, trim};
use crate::model::content_free::{REDACTED, echo, shape};
use crate::model::{Value, canonical_json};

/// Entries of the state that a projection names.
const MAX_KEYS: usize = 32;
/// Checkpoints that a projection names.
const MAX_CHECKPOINTS: usize = 8;

/// The first member that is there and not null.
fn first_some<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().filter_map(|n| value.get(n)).find(|v| **v != Value::Null)
}

/// Gives the checkpoints of a run state, in the order of their list.
pub(crate) fn give(checkpoints: &[Value], sink: &mut dyn Sink) {
    for (index, entry) in checkpoints.iter().enumerate() {
        let id = ["id", "checkpoint_id"].iter().filter_map(|n| entry.get(n)).find(|v| v.is_truthy());
        let id = id.map_or_else(|| format!("chk-runstate-{index}"), |id| spelled(id, false));
        let seq = entry.get("seq").or_else(|| entry.get("checkpoint_seq")).and_then(number);
        let hash = first_some(entry, &["hash", "state_hash", "payload_hash"]).map(|h| spelled(h, false));
        let hash = hash.map(|h| trim(&h).to_owned());
        let absent = |h: &String| matches!(h.as_str(), "" | "<NoneType>" | "<null>" | "None" | "null");
        sink.run_state(id, seq, hash.filter(|h| !absent(h)));
    }
}

/// An integer, or a text of decimal digits.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| digits(value)?.parse().ok())
}

fn digits(value: &Value) -> Option<&str> {
    value.as_str().map(trim).filter(|t| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()))
}

/// What may be told about a run state: names and shapes of its entries, no contents.
pub(crate) fn project(state: Option<&Value>, checkpoints: &[Value]) -> Value {
    let mut entries: Vec<&(String, Value)> = state.and_then(Value::members).unwrap_or_default().iter().collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let mut keys = Vec::new();
    let mut shapes = Vec::new();
    let mut used = BTreeSet::new();
    for (name, value) in entries.iter().take(MAX_KEYS) {
        let plain = echo(&Value::from(name.as_str())).0;
        let mut key = plain.clone();
        let mut number = 0;
        while !used.insert(key.clone()) {
            number += 1;
            key = format!("{plain}#{number}");
        }
        keys.push(Value::from(key.as_str()));
        shapes.push((key, Value::String(shape(value))));
    }
    let told = checkpoints.iter().take(MAX_CHECKPOINTS).map(project_checkpoint).collect();
    let truncated = entries.len() > MAX_KEYS || checkpoints.len() > MAX_CHECKPOINTS;
    let mut projection = vec![
        ("keys".to_owned(), Value::Array(keys)),
        ("shapes".to_owned(), Value::Object(shapes)),
        ("checkpoints".to_owned(), Value::Array(told)),
        ("truncated".to_owned(), Value::Bool(truncated)),
    ];
    if truncated {
        let counts = [
            ("total_keys", entries.len()),
            ("total_checkpoints", checkpoints.len()),
            ("truncated_keys", entries.len().saturating_sub(MAX_KEYS)),
            ("truncated_checkpoints", checkpoints.len().saturating_sub(MAX_CHECKPOINTS)),
        ];
        projection.extend(counts.map(|(name, count)| (name.to_owned(), Value::from(count as u64))));
    }
    Value::Object(projection)
}

fn project_checkpoint(entry: &Value) -> Value {
    let truthy = |names: &[&str]| names.iter().filter_map(|n| entry.get(n)).find(|v| v.is_truthy());
    let id = if entry.members().is_none() {
        "<invalid>".into()
    } else {
        truthy(&["id"]).map_or(String::new(), |id| {
            let (text, masked) = echo(&Value::String(spelled(id, false)));
            if masked { REDACTED.into() } else { text }
        })
    };
    let seq = match entry.get("seq") {
        Some(Value::Int(digits)) => Value::Int(digits.clone()),
        Some(value) => match digits(value).map(|d| d.trim_start_matches('0')) {
            Some("") => Value::Int("0".into()),
            Some(digits) => Value::Int(digits.into()),
            None => Value::Null,
        },
        None => Value::Null,
    };
    let hash = truthy(&["hash", "payload_hash", "state_hash"]).map_or("<NoneType>".into(), shape);
    Value::Object(vec![
        ("id".into(), Value::String(id)),
        ("seq".into(), seq),
        ("hash".into(), Value::String(hash)),
        ("ts".into(), Value::Bool(truthy(&["ts", "created_at"]).is_some())),
    ])
}

/// A projection as reports hold it; none when there is nothing to tell.
pub(crate) fn for_report(projection: &Value) -> Option<serde_json::Value> {
    let tells = ["keys", "checkpoints"].iter().any(|n| projection.get(n).is_some_and(Value::is_truthy));
    tells.then(|| serde_json::from_str(&canonical_json::to_string(projection)).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_are_bounded_and_tell_no_content() {
        let entry = |name: &str| (name.to_owned(), Value::from("words of someone"));
        let mut state: Vec<_> = (10..50).map(|i| entry(&format!("k{i}"))).collect();
        state.insert(0, entry("a b"));
        state.insert(0, entry("c d"));
        let checkpoint = Value::Object(vec![
            ("id".into(), Value::from("a b")),
            ("seq".into(), Value::from(" 007 ")),
            ("hash".into(), Value::from("")),
            ("state_hash".into(), Value::from("abc")),
            ("created_at".into(), Value::from("x")),
        ]);
        let projection = project(Some(&Value::Object(state)), &[checkpoint, Value::Null]);
        let text = canonical_json::to_string(&projection);
        assert!(text.contains(r#""keys":["<str:len=3>","<str:len=3>#1","k10""#), "{text}");
        assert!(text.contains(r#"[{"hash":"<str:len=3>","id":"<redacted>","seq":7,"ts":true},{"hash":"<NoneType>","id":"<invalid>","seq":null,"ts":false}]"#), "{text}");
        assert!(text.contains(r#""total_keys":42"#) && text.contains(r#""truncated_keys":10"#), "{text}");
        assert!(!text.contains("words"));
        assert_eq!(for_report(&project(None, &[])), None);
    }
}
