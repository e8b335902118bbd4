//! Messages: prompts, what plugins add, answers with the calls they ask for.

use super::{Dsh, about_event, draft, id_of};
use crate::adapter::{Record, Sink};
use crate::check::SL501;
use crate::dsh::record::Event;
use crate::finding::{Finding, Severity};
use crate::model::{Actor, Kind, Value};
use crate::record::Json;

impl Dsh {
    /// A message that the model did not write.
    pub(super) fn message(&mut self, record: &Record<'_>, event: &Event<'_>, actor: Actor, sink: &mut dyn Sink) {
        let data = record.json.get("data");
        let payload = || content(data, actor);
        let id = id_of(event);
        let mut draft = draft(record, event, &id, Kind::Message, actor, &payload);
        let source = data.and_then(|data| data.get("source")?.str("kind"));
        draft.flags.prompt = actor == Actor::User && source.as_deref() == Some("user");
        // What plugins say to the model is no turn of the user's.
        draft.flags.not_sent |= !draft.flags.prompt && actor == Actor::User;
        self.emit(record, draft, sink);
    }

    /// A message of the model; the calls in it are kept until they begin.
    pub(super) fn answer(&mut self, record: &Record<'_>, event: &Event<'_>, sink: &mut dyn Sink) {
        if event.data.message.has_blank_text {
            let blank = about_event(&SL501, record, event, "blank", "data.message.content");
            sink.finding(Finding { severity: Severity::Warning, ..blank });
        }
        let message = record.json.get("data").and_then(|data| data.get("message"));
        let payload = || content(message, Actor::Assistant);
        let id = id_of(event);
        self.emit(record, draft(record, event, &id, Kind::Message, Actor::Assistant, &payload), sink);
        let blocks = message.and_then(|message| message.get("content")).into_iter().flat_map(Json::elements);
        for (number, block) in blocks.enumerate() {
            if block.get("type").and_then(Json::as_str).as_deref() == Some("tool-call") {
                self.request(record, event, block, number);
            }
        }
    }
}

fn content(message: Option<Json<'_>>, actor: Actor) -> Value {
    let content = message.and_then(|message| message.get_some("content"));
    Value::Object(vec![
        ("role".into(), Value::from(actor.as_str())),
        ("content".into(), content.map_or(Value::from(""), Json::to_value)),
    ])
}

/// The text of a summary: its blocks joined.
pub(super) fn text_of(data: Option<Json<'_>>) -> Value {
    let summary = data.and_then(|data| data.get("summary"));
    match summary.and_then(Json::as_str) {
        Some(text) => Value::from(&*text),
        None => {
            let blocks = summary.into_iter().flat_map(Json::elements);
            Value::String(blocks.filter_map(|block| block.str("text")).collect::<Vec<_>>().join("\n"))
        }
    }
}
