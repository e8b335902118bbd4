//! What `codex exec --json` prints: events with dotted types, items with a beginning and an end.

use crate::record::Json;

/// Whether a record is an event of a printed run.
pub(super) fn is_exec(record: Json<'_>) -> bool {
    let Some(word) = record.str("type") else { return false };
    match &*word {
        "thread.started" => record.str("thread_id").is_some(),
        "item.started" | "item.updated" | "item.completed" => record.get("item").is_some_and(Json::is_object),
        "turn.started" | "turn.completed" | "turn.failed" => record.get("payload").is_none(),
        _ => false,
    }
}
