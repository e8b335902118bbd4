//! What an OpenAI Agents file looks like: told by the members of its first records, never by what payloads hold.

use super::super::detect::Sample;
use crate::record::Json;

/// Types that only items of this API have.
const DECISIVE: &[&str] = &[
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "shell_call",
    "shell_call_output",
    "web_search_call",
];
/// Members that list items: of an export, and of a request that was kept.
pub(super) const LISTS: &[&str] = &["items", "input"];
/// Members of a wrapper object.
const WRAPPER: &[&str] = &["run_state", "checkpoints", "sdk_version", "export_version", "agent_sdk_version"];

/// Whether an object is a wrapper around items rather than the first item of a stream.
pub(super) fn is_document(head: Json<'_>) -> bool {
    let is_item = head.get("type").is_some() || head.get("role").is_some();
    !is_item && (list(head).is_some() || WRAPPER.iter().any(|k| head.get(k).is_some())) || is_run_state(head)
}

/// The list of a wrapper object. Single items are wrapped under one name only; under the other, members of items stand.
pub(super) fn list(object: Json<'_>) -> Option<Json<'_>> {
    let [items, input] = [object.get("items"), object.get("input")];
    items.filter(|items| !items.is_null()).or(input.filter(|input| input.is_array())).or(items)
}

/// The state of an interrupted run: an object of its own kind, which holds items but is no list of them.
pub(super) fn is_run_state(object: Json<'_>) -> bool {
    let has = |name| object.get(name).is_some();
    has("$schemaVersion") && (has("original_input") || has("generated_items") || has("current_step"))
}

/// Records of other programs that have types or roles of the same name.
fn is_foreign(record: Json<'_>) -> bool {
    ["sessionId", "session_id"].iter().any(|k| record.get(k).is_some()) || is_foreign_but_for_session(record)
}

fn is_foreign_but_for_session(record: Json<'_>) -> bool {
    ["uuid", "parentUuid", "parentId", "payload", "schema_version"].iter().any(|k| record.get(k).is_some())
        || record.get("message").is_some_and(Json::is_object)
        // Chat messages hold their calls.
        || record.get("tool_calls").is_some_and(Json::is_array)
        || record.str("type").is_some_and(|t| t.contains(['.', '/']))
}

/// How sure one record is an item: 2 by its type or its call id, 1 by its role.
fn item_weight(record: Json<'_>) -> u8 {
    if is_foreign(record) {
        return 0;
    }
    let kind = record.str("type");
    let has = |name| record.get(name).is_some();
    match kind.as_deref() {
        Some(word) if DECISIVE.contains(&word) => 2,
        Some("reasoning") if has("summary") || has("encrypted_content") => 2,
        Some("tool_call" | "tool_result" | "handoff" | "checkpoint")
            if has("call_id") || has("tool_call_id") || has("id") =>
        {
            2
        }
        Some("message" | "user" | "assistant" | "system") if has("role") || has("content") || has("id") => 1,
        None if has("role") && has("content") => 1,
        _ => 0,
    }
}

/// Words of an export, and what each says for it where no record is left to look at.
const WORDS: &[(&[&str], u8)] = &[
    (&["items"], 2),
    (&["run_state"], 3),
    (&["checkpoints"], 3),
    (&["call_id"], 2),
    (&["tool_call", "tool_result"], 2),
    (&["function_call", "function_call_output"], 2),
    (&["handoff"], 2),
    (&["agent_sdk_version", "export_version"], 2),
];

/// How sure the words of a file are that is too broken for records.
fn wording_score(sample: &Sample) -> f64 {
    const LOOKED_AT: usize = 4096;
    let named = [".json", ".jsonl"].iter().any(|ending| sample.name.to_ascii_lowercase().ends_with(ending));
    let head = &sample.head[..sample.head.len().min(LOOKED_AT)];
    let stands = |word: &&str| memchr::memmem::find(head, format!("\"{word}\"").as_bytes()).is_some();
    let points: u8 = WORDS.iter().filter(|(words, _)| words.iter().any(stands)).map(|(_, points)| points).sum();
    match points {
        3.. if named => 1.0,
        1.. if named => 0.8,
        _ => 0.0,
    }
}

pub(super) fn score(sample: &Sample) -> f64 {
    if sample.records.is_empty() {
        return wording_score(sample);
    }
    if sample.is_document && !sample.is_array {
        return sample.records.first().map_or(0.0, |r| wrapper_score(r.json()));
    }
    if sample.records.len() == 1 && is_document(sample.records[0].json()) {
        return wrapper_score(sample.records[0].json());
    }
    let weights = |wanted: u8| sample.count(|r| item_weight(r) == wanted);
    let (strong, weak) = (weights(2), weights(1));
    if sample.any(is_foreign) || strong + weak == 0 {
        0.0
    } else if strong > 0 {
        1.0
    } else if sample.is_array && weak == sample.records.len() {
        // A conversation without any call yet.
        if sample.any(|r| r.get("type").is_some()) { 0.8 } else { 0.6 }
    } else {
        let typed = sample.any(|r| r.str("type").is_some_and(|t| t == "message") && r.get("role").is_some());
        if typed { 0.8 } else { 0.5 }
    }
}

fn wrapper_score(document: Json<'_>) -> f64 {
    if is_run_state(document) {
        return 1.0;
    }
    if document.get("events").is_some() {
        return 0.0;
    }
    let items = list(document);
    let known = items
        .is_some_and(|items| items.elements().chain(items.is_object().then_some(items)).any(|i| item_weight(i) > 0));
    // A wrapper may name its session; nothing else of what others write.
    if if known { is_foreign_but_for_session(document) } else { is_foreign(document) } {
        return 0.0;
    }
    let members = WRAPPER.iter().filter(|k| document.get(k).is_some()).count();
    let single = item_weight(document) == 2;
    match (known, items.is_some(), members) {
        (true, _, _) => 1.0,
        (false, true, 1..) | (false, false, 2..) => 1.0,
        (false, false, 1) => 0.8,
        // Nothing but a list that holds no object of another kind.
        (false, true, 0) if document.get("items").is_some() && document.members().count() == 1 => {
            let other = items.is_some_and(|items| items.elements().any(Json::is_object));
            if other { 0.2 } else { 0.6 }
        }
        _ if single => 0.8,
        _ => 0.0,
    }
}
