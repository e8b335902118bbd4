//! Calls and results. A call stands twice in a log: in the answer that asks for it, and where it begins. It is given
//! once, where it begins; one that never begins is given under the answer, as soon as its step is over.

use std::borrow::Cow;

use super::{Dsh, about_event, draft, id_of};
use crate::adapter::{Draft, Record, Sink, side_effects};
use crate::check::{SL101, SL102};
use crate::dsh::record::Event;
use crate::finding::{Finding, Location};
use crate::model::{Actor, Kind, Value};
use crate::record::{Json, Scanner};
use crate::rule::Rule;

/// A call that the model asked for.
pub(super) struct Requested {
    name: String,
    /// Place among the blocks of its answer.
    number: usize,
    /// Id of the event it becomes if it never begins.
    event_id: String,
    seq: Option<u64>,
    line: u64,
    ordinal: u64,
    offset: u64,
    end: u64,
    location: Location,
}

impl Dsh {
    /// A block that asks for a call.
    pub(super) fn request(&mut self, record: &Record<'_>, event: &Event<'_>, block: Json<'_>, number: usize) {
        let Some(call_id) = block.str("id").or_else(|| block.str("toolCallId")).filter(|id| !id.is_empty()) else {
            return;
        };
        self.requested.entry(call_id.into_owned()).or_insert_with(|| Requested {
            number,
            name: block.str("name").unwrap_or_default().into_owned(),
            event_id: format!("{}#{number}", id_of(event)),
            seq: u64::try_from(event.seq).ok(),
            line: record.line,
            ordinal: record.ordinal,
            offset: record.offset,
            end: record.end,
            location: record.location,
        });
    }

    /// A call begins.
    pub(super) fn call(&mut self, record: &Record<'_>, event: &Event<'_>, sink: &mut dyn Sink) {
        let Some(call_id) = event.data.started_call() else {
            sink.finding(without_id(&SL102, record, event, "data.callId"));
            self.plain(record, event, Kind::Opaque, sink);
            return;
        };
        let call_id = call_id.lossy();
        self.requested.remove(&*call_id);
        let data = record.json.get("data");
        let name = data.and_then(|data| data.str("name")).unwrap_or_default();
        let payload = || call_payload(&name, &call_id, data.and_then(|data| data.get_some("arguments")));
        let id = id_of(event);
        let mut draft = draft(record, event, &id, Kind::ToolCall, Actor::Assistant, &payload);
        draft.correlation = Some(Cow::Borrowed(&*call_id));
        draft.side_effects = Some(side_effects(&name));
        self.emit(record, draft, sink);
    }

    /// A call has ended.
    pub(super) fn result(&mut self, record: &Record<'_>, event: &Event<'_>, sink: &mut dyn Sink) {
        let data = record.json.get("data");
        let message = data.and_then(|data| data.get("message"));
        // Older logs name the call in the message itself.
        let older = || message.and_then(|message| message.str("toolCallId")).filter(|id| !id.is_empty());
        let answered = event.data.answered_call();
        let Some(call_id) = answered.as_ref().map(|id| id.lossy()).or_else(older) else {
            sink.finding(without_id(&SL101, record, event, "data.message.content"));
            self.plain(record, event, Kind::Opaque, sink);
            return;
        };
        if let Some(requested) = self.requested.remove(&*call_id) {
            self.give(&call_id, &requested, sink);
        }
        let content = message.and_then(|message| message.get_some("content"));
        let first = content.and_then(|content| content.elements().next());
        let failed = first.and_then(|block| block.get("isError")).is_some_and(Json::is_true);
        let payload = || {
            Value::Object(vec![
                ("tool_use_id".into(), Value::from(&*call_id)),
                ("content".into(), content.map_or(Value::from(""), Json::to_value)),
                ("is_error".into(), Value::Bool(failed)),
            ])
        };
        let id = id_of(event);
        let mut draft = draft(record, event, &id, Kind::ToolResult, Actor::Tool, &payload);
        draft.correlation = Some(Cow::Borrowed(&*call_id));
        draft.execution_state = Some(if failed { "failure" } else { "success" });
        draft.side_effects = Some("none");
        self.emit(record, draft, sink);
    }

    /// The step is over: calls that have not begun never will.
    pub(super) fn never_started(&mut self, sink: &mut dyn Sink) {
        let mut requested: Vec<_> = self.requested.drain().collect();
        requested.sort_by_key(|(_, requested)| (requested.offset, requested.number));
        for (call_id, requested) in requested {
            self.give(&call_id, &requested, sink);
        }
    }

    /// Gives a call that did not begin, at the place where it was asked for.
    fn give(&mut self, call_id: &str, requested: &Requested, sink: &mut dyn Sink) {
        let mut scanner = Scanner::default();
        // The record is gone; what is needed of it was kept.
        if scanner.scan(b"{}", 1).is_err() {
            return;
        }
        let record = Record {
            json: Json::new(b"{}", scanner.tape()),
            line: requested.line,
            ordinal: requested.ordinal,
            offset: requested.offset,
            end: requested.end,
            in_document: false,
            is_cut: false,
            is_recovered: false,
            location: requested.location,
        };
        let payload = || call_payload(&requested.name, call_id, None);
        let id = Cow::Borrowed(requested.event_id.as_str());
        let ts = crate::adapter::timestamp(None);
        let mut draft = Draft::new(&record, id, Kind::ToolCall, Actor::Assistant, ts, &payload);
        draft.seq = requested.seq;
        draft.correlation = Some(Cow::Borrowed(call_id));
        draft.side_effects = Some("none");
        self.emit(&record, draft, sink);
    }
}

fn without_id(rule: &'static Rule, record: &Record<'_>, event: &Event<'_>, path: &'static str) -> Finding {
    let mut finding = about_event(rule, record, event, "no-id", path);
    finding.evidence.insert("reason".into(), "no-id".into());
    finding
}

fn call_payload(name: &str, call_id: &str, arguments: Option<Json<'_>>) -> Value {
    let input = match arguments.map(Json::to_value) {
        None => Value::Object(vec![]),
        Some(object @ Value::Object(_)) => object,
        Some(other) => Value::Object(vec![("value".into(), other)]),
    };
    Value::Object(vec![
        ("name".into(), Value::from(name)),
        ("tool_name".into(), Value::from(name)),
        ("tool_use_id".into(), Value::from(call_id)),
        ("input".into(), input),
    ])
}
