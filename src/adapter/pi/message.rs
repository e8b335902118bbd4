//! Messages of a pi session: prompts, answers with their calls, results.
//!
//! A message that ended in an error or was aborted is left out by the loader together with its calls: by design.

use std::borrow::Cow;

use super::{Entry, Pi};
use crate::adapter::{Draft, Record, Sink, notice, side_effects, trim};
use crate::finding::Severity;
use crate::model::{Actor, Kind, Value};
use crate::record::Json;

impl Pi {
    /// An entry of type `message`.
    pub(super) fn message(&mut self, record: &Record<'_>, entry: &Entry<'_>, sink: &mut dyn Sink) {
        let mut unusable = |variant, severity, path| sink.finding(notice::field(record, variant, severity, path));
        let Some(message) = record.json.get("message").filter(|message| message.is_object()) else {
            unusable("stops-loader", Severity::Error, "message");
            self.plain(record, entry, Kind::Opaque, Actor::System, sink);
            return;
        };
        let role = message.str("role").unwrap_or_default();
        if matches!(&*role, "user" | "assistant" | "toolResult") && message.get_some("content").is_none() {
            unusable("stops-loader", Severity::Error, "message.content");
        }
        match &*role {
            "assistant" => self.answer(record, entry, message, sink),
            "toolResult" => self.result(record, entry, message, sink),
            "user" | "bashExecution" | "custom" | "hookMessage" | "system" => {
                let actor = if role == "system" { Actor::System } else { Actor::User };
                let payload = || role_content(actor, message.get_some("content").unwrap_or(message));
                let mut draft = entry.draft(record, Kind::Message, actor, &payload);
                draft.flags.prompt = role == "user";
                self.emit(record, draft, sink);
            }
            _ => {
                unusable("unknown-role", Severity::Warning, "message.role");
                self.plain(record, entry, Kind::Opaque, Actor::System, sink);
            }
        }
    }

    /// An answer: its text first, then each call, the last one under the entry's own id so that children find it.
    fn answer(&mut self, record: &Record<'_>, entry: &Entry<'_>, message: Json<'_>, sink: &mut dyn Sink) {
        let stop = message.str("stopReason").unwrap_or_default();
        let left_out = matches!(&*stop, "aborted" | "error");
        let content = message.get_some("content");
        let of_type = |word: &'static str| {
            content
                .into_iter()
                .flat_map(Json::elements)
                .filter(move |block| block.get("type").and_then(Json::as_str).as_deref() == Some(word))
        };
        let calls: Vec<Json<'_>> = of_type("toolCall").collect();
        let has_text = of_type("text").filter_map(|t| t.str("text")).any(|text| !trim(&text).is_empty());
        let texts = || of_type("text").filter_map(|t| t.str("text")).collect::<Vec<_>>().join("\n");
        let payload = || match calls.is_empty() {
            true => content.map_or(Value::from(""), |content| role_content(Actor::Assistant, content)),
            false => role_value(Actor::Assistant, Value::String(texts())),
        };
        let finish = |draft: &mut Draft<'_>| draft.flags.not_sent = left_out;
        let text_id = format!("{}_text", entry.id);
        if calls.is_empty() || has_text {
            let mut draft = entry.draft(record, Kind::Message, Actor::Assistant, &payload);
            if !calls.is_empty() {
                (draft.id, draft.original_id) = (Cow::Borrowed(&*text_id), None);
            }
            draft.message = Some(Cow::Borrowed(&*entry.id));
            finish(&mut draft);
            self.emit(record, draft, sink);
        }
        self.named.clear();
        self.nameless = 0;
        let mut above = has_text.then_some(text_id);
        for (number, call) in calls.iter().enumerate() {
            let own = call.str("id").filter(|id| !id.is_empty());
            if let Some(own) = &own {
                self.named.insert(own.clone().into_owned());
            } else {
                self.nameless += 1;
            }
            // Once a message: the first of them stops the loader.
            if own.is_none() && !left_out && self.nameless == 1 {
                sink.finding(notice::field(record, "stops-loader", Severity::Error, "message.content.id"));
            }
            let name = call.str("name").unwrap_or_default();
            let payload = || call_payload(*call, &name, own.as_deref());
            let mut draft = entry.draft(record, Kind::ToolCall, Actor::Assistant, &payload);
            let part_id = format!("{}#{number}", entry.id);
            if number + 1 < calls.len() {
                (draft.id, draft.original_id) = (Cow::Borrowed(&*part_id), own.as_deref().map(Cow::Borrowed));
            }
            if let Some(above) = &above {
                draft.parent = Some(Cow::Borrowed(above));
            }
            draft.message = Some(Cow::Borrowed(&*entry.id));
            draft.correlation = own.as_deref().map(Cow::Borrowed);
            draft.side_effects = Some(side_effects(&name));
            // A call without id is reported above.
            draft.flags.needs_no_result = left_out || stop == "deferred" || own.is_none();
            finish(&mut draft);
            self.emit(record, draft, sink);
            above = Some(part_id);
        }
    }

    fn result(&mut self, record: &Record<'_>, entry: &Entry<'_>, message: Json<'_>, sink: &mut dyn Sink) {
        let answered = message.str("toolCallId").filter(|id| !id.is_empty());
        let failed = message.get("isError").is_some_and(Json::is_truthy);
        let payload = || {
            Value::Object(vec![
                ("tool_use_id".into(), Value::from(answered.as_deref().unwrap_or_default())),
                ("content".into(), message.get_some("content").map_or(Value::from(""), Json::to_value)),
                ("is_error".into(), Value::Bool(failed)),
            ])
        };
        let mut draft = entry.draft(record, Kind::ToolResult, Actor::Tool, &payload);
        let is_named = answered.as_ref().is_some_and(|key| self.named.contains(&**key));
        if self.nameless > 0 && !is_named {
            self.nameless -= 1;
            draft.flags.needs_no_call = true;
        }
        draft.correlation = answered.as_deref().map(Cow::Borrowed);
        draft.execution_state = Some(if failed { "failure" } else { "success" });
        draft.side_effects = Some("none");
        self.emit(record, draft, sink);
    }
}

/// The payload of a message.
pub(super) fn role_content(actor: Actor, content: Json<'_>) -> Value {
    role_value(actor, content.to_value())
}

fn role_value(actor: Actor, content: Value) -> Value {
    Value::Object(vec![("role".into(), Value::from(actor.as_str())), ("content".into(), content)])
}

fn call_payload(call: Json<'_>, name: &str, id: Option<&str>) -> Value {
    let input = match call.get_some("arguments").map(Json::to_value) {
        None => Value::Object(vec![]),
        Some(object @ Value::Object(_)) => object,
        Some(other) => Value::Object(vec![("value".into(), other)]),
    };
    Value::Object(vec![
        ("name".into(), Value::from(name)),
        ("tool_name".into(), Value::from(name)),
        ("tool_use_id".into(), Value::from(id.unwrap_or_default())),
        ("input".into(), input),
    ])
}
