//! The canonical object of one event: what exports write and what duplicates are compared by.

use sha2::{Digest, Sha256};

use crate::adapter::{Draft, Record};
use crate::finding::fingerprint::hex;
use crate::model::{Value, canonical_json};

/// Builds the object. `seq` stands in where the format states none.
pub(crate) fn event_object(record: &Record<'_>, draft: &Draft<'_>, seq: u64) -> Value {
    if let Some(object) = draft.object {
        return object();
    }
    let payload = (draft.payload)();
    let hash = |value: &Value| format!("sha256:{}", hex(&Sha256::digest(canonical_json::to_string(value))));
    let text = |text: &str| Value::from(text);
    let mut members: Vec<(String, Value)> = vec![
        ("id".into(), text(&draft.id)),
        ("parent_id".into(), draft.parent.as_deref().map_or(Value::Null, text)),
        ("seq".into(), Value::from(draft.seq.unwrap_or(seq))),
        ("ts".into(), text(&draft.ts)),
        ("actor".into(), text(draft.actor.as_str())),
        ("kind".into(), text(draft.kind.as_str())),
        ("content_hash".into(), Value::String(hash(&payload))),
        ("payload".into(), payload),
        ("source_line".into(), Value::from(draft.line.max(1))),
        ("source_record_hash".into(), Value::String(hash(&record.json.to_value()))),
    ];
    let optional = [
        ("correlation_id", draft.correlation.as_deref()),
        ("branch_id", draft.branch.as_deref()),
        ("agent_id", draft.agent.as_deref()),
        ("interaction_id", draft.interaction.as_deref()),
        ("execution_state", draft.execution_state),
        ("side_effects", draft.side_effects),
        ("original_id", draft.original_id.as_deref()),
    ];
    members.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), text(value?)))));
    Value::Object(members)
}
