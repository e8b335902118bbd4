//! What `claude -p --output-format stream-json` prints: lines, the same records as one array, or the end record alone.
//!
//! Told apart from the log on disk by its snake-case `session_id`; there are no parents. Calls are answered anywhere
//! later in the stream; messages printed piece by piece are followed by the whole one.

mod message;
mod partial;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use super::codex_exec::PRINTED;
use super::detect::Sample;
use super::printed::{ForeignLines, Runs};
use super::{Adapter, Document, Draft, Fault, Format, Framing, Metadata, Record, Sink, synthetic_id};
use crate::finding::{Finding, Repairability};
use crate::model::session::{Fact, FactKind};
use crate::model::{Actor, Conventions, Kind};
use crate::record::Json;
use partial::Partials;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "claude-stream",
    name: "Claude Code stream",
    version: "1.0.0",
    versions: &["2.0.55 - 2.0.76", "2.1.1 - 2.1.233"],
    declared: &[],
    description: "Records that `claude -p --output-format stream-json` prints, as lines or as one array",
    default_profile: "neutral",
    framing: Framing::LinesOrDocument(&ARRAY),
    score,
    open: |path| Box::new(ClaudeStream { path: path.to_owned(), ..ClaudeStream::default() }),
};

/// The records as one array, as the vendor's action writes them. An object is the end record, a line like any other.
static ARRAY: Document = Document { items: &[], is_document: |_| false, not_object: "not_object" };

fn score(sample: &Sample) -> f64 {
    // Another program prints the same first and last record, but its own tool records and no ids.
    if sample.any(|r| is_disk(r) || is_lookalike(r)) {
        return 0.0;
    }
    if sample.any(is_decisive) {
        return 1.0;
    }
    if sample.any(|r| word(r, "type") == "system" && word(r, "subtype") == "init" && r.get("tools").is_some()) {
        return 0.8;
    }
    0.0
}

fn word<'a>(record: Json<'a>, name: &str) -> Cow<'a, str> {
    record.str(name).unwrap_or_default()
}

fn is_disk(record: Json<'_>) -> bool {
    record.get("sessionId").is_some() || record.get("parentUuid").is_some()
}

fn is_lookalike(record: Json<'_>) -> bool {
    word(record, "type") == "tool_call" && record.get("call_id").is_some() || record.get("timestamp_ms").is_some()
}

/// Whether a record is one that only this program prints.
pub(super) fn is_decisive(record: Json<'_>) -> bool {
    let has = |name: &str| record.get(name).is_some();
    has("session_id")
        && match &*word(record, "type") {
            "system" => has("subtype") && (has("uuid") || has("claude_code_version")),
            "assistant" | "user" => has("message") && (has("uuid") || has("parent_tool_use_id")),
            "stream_event" => has("event"),
            "result" => has("num_turns") || has("total_cost_usd"),
            _ => false,
        }
}

#[derive(Default)]
struct ClaudeStream {
    path: String,
    runs: Runs,
    foreign: ForeignLines,
    /// Session of the current run.
    session: String,
    /// Events given so far: part of made-up ids.
    emitted: u64,
    /// Ids of the calls printed so far.
    calls: HashSet<String>,
    partials: Partials,
    metadata: Metadata,
}

impl ClaudeStream {
    fn begin_run_if_needed(&mut self, record: &Record<'_>, is_init: bool, sink: &mut dyn Sink) {
        let session = word(record.json, "session_id");
        let other = !session.is_empty() && !self.session.is_empty() && session != self.session;
        if other || is_init && self.runs.has_begun() {
            self.close_run(sink);
        }
        if !session.is_empty() && session != self.session {
            self.session = session.into_owned();
        }
    }

    fn close_run(&mut self, sink: &mut dyn Sink) {
        self.partials.close(self.runs.has_ended(), sink);
        self.runs.close(sink);
    }

    /// A record of a sub-agent names the call that started it.
    fn check_caller(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        let Some(caller) = record.json.str("parent_tool_use_id") else { return };
        if self.runs.has_begun() && !self.calls.contains(&*caller) {
            let subject = caller.into_owned();
            sink.fact(Fact { kind: FactKind::UnknownCaller, location: record.location, subject });
        }
    }

    /// A record that is one event without part in the conversation.
    fn plain(&mut self, record: &Record<'_>, kind: Kind, sink: &mut dyn Sink) {
        let id = self.id(record);
        let payload = || record.json.to_value();
        let mut draft = self.draft(record, &id, kind, Actor::System, &payload);
        draft.flags.not_sent = true;
        self.emit(record, draft, sink);
    }

    /// The record's own id, or one made up.
    fn id<'a>(&self, record: &Record<'a>) -> Cow<'a, str> {
        let own = record.json.str("uuid").filter(|id| !id.is_empty());
        own.unwrap_or_else(|| Cow::Owned(synthetic_id("claude_stream", &self.path, self.emitted, record.len())))
    }

    fn draft<'d>(
        &self,
        record: &'d Record<'_>,
        id: &'d str,
        kind: Kind,
        actor: Actor,
        payload: &'d dyn Fn() -> crate::model::Value,
    ) -> Draft<'d> {
        let json = record.json;
        let ts = super::timestamp(json.get("timestamp"));
        let mut draft = Draft::new(record, Cow::Borrowed(id), kind, actor, ts, payload);
        draft.flags.synthetic_id = json.get("uuid").is_none();
        draft.original_id = json.str("uuid").map(|_| Cow::Borrowed(id));
        draft.agent = json.str("parent_tool_use_id");
        draft.message = json.get("message").and_then(|message| message.str("id"));
        draft
    }

    fn emit(&mut self, record: &Record<'_>, draft: Draft<'_>, sink: &mut dyn Sink) {
        self.emitted += 1;
        sink.event(record, draft);
    }
}

impl Adapter for ClaudeStream {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        let kind = word(json, "type");
        let is_init = kind == "system" && word(json, "subtype") == "init";
        self.begin_run_if_needed(record, is_init, sink);
        self.runs.add(record, known_word(&kind));
        match &*kind {
            "assistant" | "user" => {
                self.runs.needs_header(record);
                self.check_caller(record, sink);
                self.message(record, kind == "user", sink);
            }
            "stream_event" => {
                self.runs.needs_header(record);
                self.partials.event(record);
                self.plain(record, Kind::Opaque, sink);
            }
            "result" => {
                if !self.runs.end() {
                    let subject = word(json, "uuid").into_owned();
                    sink.fact(Fact { kind: FactKind::ExtraEnd, location: record.location, subject });
                }
                self.plain(record, Kind::Opaque, sink);
            }
            _ => {
                if is_init {
                    self.runs.begin();
                    if self.metadata.session_id.is_none() {
                        self.metadata.session_id = json.str("session_id").map(Cow::into_owned);
                    }
                }
                self.plain(record, Kind::Opaque, sink);
            }
        }
    }

    fn text(&self, finding: &mut Finding) {
        finding.repairability = Repairability::Manual;
    }

    fn broken(&mut self, fault: &Fault, finding: &mut Finding) -> bool {
        !self.foreign.take(fault, finding)
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.foreign.report(sink);
        self.close_run(sink);
    }

    fn conventions(&self) -> Conventions {
        PRINTED
    }

    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }
}

/// The word as reports may show it.
fn known_word(word: &str) -> &'static str {
    const KNOWN: &[&str] = &["assistant", "rate_limit_event", "result", "stream_event", "system", "user"];
    KNOWN.iter().find(|known| **known == word).unwrap_or(&"other")
}
