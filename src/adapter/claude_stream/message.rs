//! Messages of a printed stream: one record a block as a rule, calls and results by their ids.

use std::borrow::Cow;

use super::ClaudeStream;
use crate::adapter::{Record, Sink, side_effects};
use crate::model::{Actor, Kind, Value};
use crate::record::Json;

impl ClaudeStream {
    /// A record of the conversation: one event a call or result, or one for everything else.
    pub(super) fn message(&mut self, record: &Record<'_>, from_user: bool, sink: &mut dyn Sink) {
        let message = record.json.get("message");
        let content = message.and_then(|message| message.get("content"));
        let word = if from_user { "tool_result" } else { "tool_use" };
        let blocks: Vec<Json<'_>> = content
            .into_iter()
            .flat_map(Json::elements)
            .filter(|block| block.get("type").and_then(Json::as_str).as_deref() == Some(word))
            .collect();
        if let Some(id) = message.and_then(|message| message.str("id")) {
            self.partials.whole(&id);
        }
        let id = self.id(record);
        if blocks.is_empty() {
            let actor = if from_user { Actor::User } else { Actor::Assistant };
            let payload = || {
                let content = content.map_or(Value::from(""), Json::to_value);
                Value::Object(vec![("role".into(), Value::from(actor.as_str())), ("content".into(), content)])
            };
            let mut draft = self.draft(record, &id, Kind::Message, actor, &payload);
            draft.flags.prompt = from_user;
            self.emit(record, draft, sink);
            return;
        }
        for (number, block) in blocks.iter().enumerate() {
            let part_id = if number == 0 { id.clone() } else { Cow::Owned(format!("{id}#{number}")) };
            if from_user {
                self.result(record, *block, &part_id, sink);
            } else {
                self.call(record, *block, &part_id, sink);
            }
        }
    }

    fn call(&mut self, record: &Record<'_>, block: Json<'_>, id: &str, sink: &mut dyn Sink) {
        let key = block.str("id").filter(|key| !key.is_empty());
        let name = block.str("name").unwrap_or_default();
        let payload = || {
            Value::Object(vec![
                ("name".into(), Value::from(&*name)),
                ("tool_name".into(), Value::from(&*name)),
                ("tool_use_id".into(), Value::from(key.as_deref().unwrap_or_default())),
                ("input".into(), block.get_some("input").map_or(Value::Object(vec![]), Json::to_value)),
            ])
        };
        let mut draft = self.draft(record, id, Kind::ToolCall, Actor::Assistant, &payload);
        draft.correlation = key.as_deref().map(Cow::Borrowed);
        draft.side_effects = Some(side_effects(&name));
        self.emit(record, draft, sink);
        if let Some(key) = key {
            self.calls.insert(key.into_owned());
        }
    }

    fn result(&mut self, record: &Record<'_>, block: Json<'_>, id: &str, sink: &mut dyn Sink) {
        let key = block.str("tool_use_id").filter(|key| !key.is_empty());
        let failed = block.get("is_error").is_some_and(Json::is_true);
        let payload = || {
            Value::Object(vec![
                ("tool_use_id".into(), Value::from(key.as_deref().unwrap_or_default())),
                ("content".into(), block.get_some("content").map_or(Value::from(""), Json::to_value)),
                ("is_error".into(), Value::Bool(failed)),
            ])
        };
        let mut draft = self.draft(record, id, Kind::ToolResult, Actor::Tool, &payload);
        draft.correlation = key.as_deref().map(Cow::Borrowed);
        draft.execution_state = Some(if failed { "failure" } else { "success" });
        draft.side_effects = Some("none");
        draft.flags.needs_no_call =
            !self.runs.has_begun() && key.as_ref().is_none_or(|key| !self.calls.contains(&**key));
        self.emit(record, draft, sink);
    }
}
