//! Response items: what the model said, what it called, what came back.
//!
//! Calls and outputs pair within a family. A call that lacks what its loader needs is stated, and still read, so that
//! what follows from it is not reported again.

use std::borrow::Cow;

use super::CodexRollout;
use crate::adapter::{Draft, Record, Sink, notice, side_effects, timestamp};
use crate::finding::Severity;
use crate::model::{Actor, Kind, Reasoning, Value};
use crate::record::{Json, NodeKind, Scanner};

/// Calls and outputs that pair with each other and with nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// `function_call`, `local_shell_call`, `function_call_output`.
    Function,
    /// `custom_tool_call`, `custom_tool_call_output`.
    Custom,
}

/// What an item is to the history.
#[derive(Clone, Copy)]
enum Class {
    Message,
    Call(Family),
    Output(Family),
    /// Sent, but never answered by another record.
    Alone,
}

fn class(word: &str) -> Option<Class> {
    Some(match word {
        "message" => Class::Message,
        "function_call" | "local_shell_call" => Class::Call(Family::Function),
        "custom_tool_call" => Class::Call(Family::Custom),
        "function_call_output" => Class::Output(Family::Function),
        "custom_tool_call_output" => Class::Output(Family::Custom),
        "agent_message"
        | "compaction"
        | "compaction_summary"
        | "compaction_trigger"
        | "ghost_snapshot"
        | "image_generation_call"
        | "reasoning"
        | "tool_search_call"
        | "tool_search_output"
        | "web_search_call" => Class::Alone,
        _ => return None,
    })
}

/// Whether a record without envelope is an item of the oldest rollouts.
pub(super) fn is_item(record: Json<'_>) -> bool {
    match record.str("type") {
        Some(word) => class(&word).is_some(),
        None => {
            record.get("role").is_some() && record.get("content").is_some() || record.get("function_call").is_some()
        }
    }
}

impl CodexRollout {
    /// A record of the history.
    pub(super) fn item(&mut self, record: &Record<'_>, item: Json<'_>, sink: &mut dyn Sink) {
        let word = item.str("type").unwrap_or(Cow::Borrowed("message"));
        let Some(class) = class(&word) else {
            self.unknown.note(record, "payload.type", item.get("type"), sink);
            return;
        };
        let own = item.str("id").filter(|id| !id.is_empty());
        let made_up = own.is_none().then(|| self.made_up_id(record));
        let id = own.clone().unwrap_or_else(|| Cow::Owned(made_up.unwrap_or_default()));
        self.check(record, item, class, sink);
        self.give(record, item, class, &id, own.is_some(), sink);
    }

    /// An item that stands for the history before a compaction. Copies of what stands above answer to the originals.
    pub(super) fn replacing_item(&mut self, record: &Record<'_>, item: Json<'_>, id: &str, sink: &mut dyn Sink) {
        let Some(class @ (Class::Call(_) | Class::Output(_))) = item.str("type").as_deref().and_then(class) else {
            return;
        };
        let is_copy = item.str("call_id").is_some_and(|call| self.callers.contains_key(&*call));
        if !is_copy {
            self.give(record, item, class, id, false, sink);
        }
    }

    /// States what makes every loader drop the record, or part of it, without a word.
    fn check(&self, record: &Record<'_>, item: Json<'_>, class: Class, sink: &mut dyn Sink) {
        let has_call_id = item.str("call_id").is_some_and(|id| !id.is_empty());
        let caller = item.str("call_id").and_then(|id| self.callers.get(&*id).copied());
        let is_text = |name: &str| item.get(name).is_none_or(|value| value.kind() == NodeKind::String);
        let unusable = match class {
            Class::Message if item.get_some("content").is_none() && !self.flat => "payload.content",
            Class::Call(_) | Class::Output(_) if !has_call_id => "payload.call_id",
            Class::Call(_) if !is_text("arguments") => "payload.arguments",
            Class::Output(_) if item.get_some("output").is_none() => "payload.output",
            Class::Output(family) if caller.is_some_and(|caller| caller != family) => "payload.type",
            _ => return,
        };
        sink.finding(notice::field(record, "dropped-record", Severity::Error, unusable));
    }

    fn give(&mut self, record: &Record<'_>, item: Json<'_>, class: Class, id: &str, own_id: bool, sink: &mut dyn Sink) {
        let call_id = item.str("call_id").filter(|id| !id.is_empty());
        let role = item.str("role");
        let (kind, actor) = match class {
            Class::Message => (Kind::Message, role.as_deref().and_then(Actor::parse).unwrap_or(Actor::System)),
            Class::Call(_) => (Kind::ToolCall, Actor::Assistant),
            Class::Output(_) => (Kind::ToolResult, Actor::Tool),
            Class::Alone => (Kind::Opaque, Actor::Assistant),
        };
        // Without an id nothing can pair; the finding above says so.
        let kind = if kind.is_tool() && call_id.is_none() { Kind::Opaque } else { kind };
        let ts = timestamp(record.json.get("timestamp").or_else(|| record.json.get("created_at")));
        let payload = || payload(item, kind, actor, call_id.as_deref());
        let mut draft = Draft::new(record, Cow::Borrowed(id), kind, actor, ts, &payload);
        draft.flags.synthetic_id = !own_id;
        draft.flags.prompt = kind == Kind::Message && actor == Actor::User;
        draft.original_id = own_id.then_some(Cow::Borrowed(id));
        if item.str("type").as_deref() == Some("reasoning") {
            draft.flags.reasoning = Reasoning::Alone;
        }
        match class {
            Class::Call(family) => {
                if let Some(call) = &call_id {
                    self.turns.call(call, self.emitted);
                    self.callers.entry(call.clone().into_owned()).or_insert(family);
                } else {
                    self.nameless += 1;
                }
                draft.side_effects = Some(side_effects(&item.str("name").unwrap_or_default()));
            }
            Class::Output(_) => {
                draft.side_effects = Some("none");
                draft.execution_state = outcome(item);
                let answers = call_id.as_ref().is_some_and(|call| self.callers.contains_key(&**call));
                // Late for a turn that was taken back: nobody misses it.
                let withdrawn = call_id.as_ref().is_some_and(|call| self.withdrawn.contains(&**call));
                if !answers && withdrawn {
                    draft.flags.needs_no_call = true;
                } else if !answers && self.nameless > 0 {
                    self.nameless -= 1;
                    draft.flags.needs_no_call = true;
                }
            }
            Class::Message => self.turns.message(item, self.emitted),
            Class::Alone => {}
        }
        draft.correlation = call_id.as_deref().filter(|_| kind.is_tool()).map(Cow::Borrowed);
        self.emit(record, draft, sink);
    }
}

/// Whether the tool said how it went; plain text says nothing.
fn outcome(item: Json<'_>) -> Option<&'static str> {
    let success = item.get("output")?.get("success")?;
    Some(if success.is_true() { "success" } else { "failure" })
}

fn payload(item: Json<'_>, kind: Kind, actor: Actor, call_id: Option<&str>) -> Value {
    let call_id = || Value::from(call_id.unwrap_or_default());
    match kind {
        Kind::ToolCall => {
            let name = item.str("name").unwrap_or(Cow::Borrowed("local_shell"));
            let input = ["arguments", "input", "action"].iter().find_map(|name| item.get_some(name));
            Value::Object(vec![
                ("name".into(), Value::from(&*name)),
                ("tool_name".into(), Value::from(&*name)),
                ("tool_use_id".into(), call_id()),
                ("input".into(), input.map_or(Value::Object(vec![]), input_object)),
            ])
        }
        Kind::ToolResult => Value::Object(vec![
            ("tool_use_id".into(), call_id()),
            ("content".into(), item.get_some("output").map_or(Value::from(""), Json::to_value)),
            ("is_error".into(), Value::Bool(outcome(item) == Some("failure"))),
        ]),
        Kind::Message => Value::Object(vec![
            ("role".into(), Value::from(actor.as_str())),
            ("content".into(), item.get_some("content").map_or(Value::from(""), Json::to_value)),
        ]),
        _ => item.to_value(),
    }
}

/// Arguments are stored as JSON in a string: the object in it, or the text itself under `value`.
fn input_object(input: Json<'_>) -> Value {
    let value = match input.as_str() {
        Some(text) => {
            let mut scanner = Scanner::default();
            match scanner.scan(text.as_bytes(), 1) {
                Ok(_) => Json::new(text.as_bytes(), scanner.tape()).to_value(),
                Err(_) => Value::String(text.into_owned()),
            }
        }
        None => input.to_value(),
    };
    match value {
        object @ Value::Object(_) => object,
        other => Value::Object(vec![("value".into(), other)]),
    }
}
