//! What `codex exec --json` prints: events with dotted types, items with a beginning and an end.
//!
//! Item ids count from 0 in every run, so they are told apart by the run. Only items that are always begun before they
//! are completed must have both halves; a plan that is left open means nothing.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use super::detect::Sample;
use super::notice::UnknownTypes;
use super::printed::{ForeignLines, Runs};
use super::{Adapter, Draft, Fault, Format, Framing, Record, Sink, side_effects, synthetic_id};
use crate::finding::{Finding, Repairability, Severity};
use crate::model::session::{Adjacency, Fact, FactKind};
use crate::model::{Actor, Conventions, Kind, Value};
use crate::record::{Json, NodeKind};

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "codex-exec",
    name: "Codex exec stream",
    version: "1.0.0",
    versions: &["items"],
    declared: &[],
    description: "Events that `codex exec --json` prints",
    default_profile: "neutral",
    framing: Framing::Lines,
    score,
    open: |path| Box::new(CodexExec { path: path.to_owned(), ..CodexExec::default() }),
};

/// How printed streams are judged: nothing replays them, so only what happened in the run counts.
pub(super) const PRINTED: Conventions = Conventions {
    tree: false,
    one_tree: false,
    pair_on_path: false,
    stored_in_order: true,
    adjacency: Adjacency::Free,
    open_tail: Severity::Info,
    compaction_split: Severity::Info,
    compaction_on_chain: false,
    checkpoints: false,
    identity_by_bytes: true,
    resends_copies: false,
    stamps: &[],
    id_member: "",
    reunites_messages: false,
    sends_reasoning_alone: false,
};

fn score(sample: &Sample) -> f64 {
    if sample.is_document {
        return 0.0;
    }
    // A wrapper may mix rollout and printed records: the first that is either decides.
    let first = sample.records.iter().map(|r| r.json()).find(|r| is_exec(*r) || super::codex_rollout::is_rollout(*r));
    if first.is_some_and(is_exec) { 1.0 } else { 0.0 }
}

/// Whether a record is an event of a printed run.
pub(super) fn is_exec(record: Json<'_>) -> bool {
    let Some(word) = record.str("type") else { return false };
    match &*word {
        "thread.started" => record.str("thread_id").is_some(),
        "item.started" | "item.updated" | "item.completed" => {
            record.get("item").is_some_and(|item| item.str("id").is_some() && item.str("type").is_some())
        }
        "turn.started" | "turn.completed" | "turn.failed" => record.get("payload").is_none(),
        _ => false,
    }
}

/// What is known about an item of a run.
#[derive(Clone, Copy, Default)]
struct Halves {
    started: bool,
    completed: bool,
}

#[derive(Default)]
struct CodexExec {
    path: String,
    runs: Runs,
    foreign: ForeignLines,
    /// Events given so far: part of made-up ids.
    emitted: u64,
    /// Items of the current run that call a tool, by id.
    items: HashMap<String, Halves>,
    unknown: UnknownTypes,
    /// The first thread of the file.
    thread: Option<String>,
}

impl CodexExec {
    fn item(&mut self, record: &Record<'_>, phase: &str, sink: &mut dyn Sink) {
        let Some(item) = record.json.get("item") else { return };
        let word = item.str("type").unwrap_or_default();
        let id = item.str("id").unwrap_or_default();
        // Ids of later runs are told apart from those of the first.
        let key = if self.runs.number > 1 { format!("{}/{id}", self.runs.number) } else { id.into_owned() };
        let halves = self.items.get(&key).copied().unwrap_or_default();
        let kind = match (tool(&word), phase) {
            (Some(_), "item.started") => Kind::ToolCall,
            (Some(tool), "item.completed") if halves.started || tool == Tool::AlwaysBegun => Kind::ToolResult,
            _ if word == "agent_message" => Kind::Message,
            _ if word == "error" => Kind::Error,
            _ => Kind::Opaque,
        };
        let (actor, suffix, repeated) = match kind {
            Kind::ToolCall => (Actor::Assistant, "", halves.started),
            Kind::ToolResult => (Actor::Tool, ":completed", halves.completed),
            Kind::Message => (Actor::Assistant, "", false),
            _ => (Actor::System, "", true),
        };
        let own = (!repeated && !key.is_empty()).then(|| format!("{key}{suffix}"));
        let id = own.clone().unwrap_or_else(|| self.made_up_id(record));
        let payload = || payload(item, kind, &key);
        let mut draft = Draft::new(record, Cow::Borrowed(&*id), kind, actor, super::timestamp(None), &payload);
        draft.flags.synthetic_id = own.is_none();
        draft.original_id = own.as_deref().map(Cow::Borrowed);
        if kind.is_tool() {
            draft.correlation = (!key.is_empty()).then_some(Cow::Borrowed(&*key));
            draft.side_effects = Some(if kind == Kind::ToolCall { side_effects(&word) } else { "none" });
            draft.flags.needs_no_call = kind == Kind::ToolResult && !halves.started && !self.runs.has_begun();
            draft.execution_state = outcome(item).filter(|_| kind == Kind::ToolResult);
        }
        self.emit(record, draft, sink);
        if phase == "item.completed" && word == "command_execution" && is_abandoned(item) {
            sink.fact(Fact { kind: FactKind::AbandonedCommand, location: record.location, subject: key.clone() });
        }
        if kind.is_tool() {
            let halves = self.items.entry(key).or_default();
            halves.started |= kind == Kind::ToolCall;
            halves.completed |= kind == Kind::ToolResult;
        }
    }

    /// A record that is no item.
    fn plain(&mut self, record: &Record<'_>, kind: Kind, sink: &mut dyn Sink) {
        let id = self.made_up_id(record);
        let payload = || record.json.to_value();
        let mut draft = Draft::new(record, Cow::Borrowed(&*id), kind, Actor::System, super::timestamp(None), &payload);
        draft.flags.synthetic_id = true;
        self.emit(record, draft, sink);
    }

    fn made_up_id(&self, record: &Record<'_>) -> String {
        synthetic_id("codex_exec", &self.path, self.emitted, record.len())
    }

    fn emit(&mut self, record: &Record<'_>, draft: Draft<'_>, sink: &mut dyn Sink) {
        self.emitted += 1;
        sink.event(record, draft);
    }
}

impl Adapter for CodexExec {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        let word = json.str("type").unwrap_or_default();
        if word == "thread.started" {
            self.runs.close(sink);
            self.items.clear();
        }
        self.runs.add(record, known_word(&word));
        match &*word {
            "thread.started" => {
                self.runs.begin();
                if self.thread.is_none() {
                    self.thread = json.str("thread_id").map(Cow::into_owned);
                }
            }
            "turn.started" => self.runs.reopen(),
            "turn.completed" | "turn.failed" => {
                self.runs.end();
            }
            _ => {}
        }
        if word.contains('.') {
            self.runs.needs_header(record);
        }
        match &*word {
            "item.started" | "item.updated" | "item.completed" => self.item(record, &word, sink),
            "error" => self.plain(record, Kind::Error, sink),
            "thread.started" | "turn.started" | "turn.completed" | "turn.failed" => {
                self.plain(record, Kind::Opaque, sink);
            }
            _ => {
                self.unknown.note(record, "type", json.get("type"), sink);
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
        self.runs.close(sink);
    }

    fn conventions(&self) -> Conventions {
        PRINTED
    }

    fn metadata(&self) -> super::Metadata {
        super::Metadata { session_id: self.thread.clone(), ..super::Metadata::default() }
    }
}

/// How an item that calls a tool is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    AlwaysBegun,
    /// Older versions print its completion alone.
    SometimesBegun,
}

fn tool(word: &str) -> Option<Tool> {
    match word {
        "command_execution" | "mcp_tool_call" | "collab_tool_call" => Some(Tool::AlwaysBegun),
        "file_change" | "web_search" => Some(Tool::SometimesBegun),
        _ => None,
    }
}

/// Printed as completed because the turn ended, not because the command did.
fn is_abandoned(item: Json<'_>) -> bool {
    item.str("status").as_deref() == Some("completed")
        && item.get("exit_code").is_none_or(|code| code.kind() != NodeKind::Integer)
}

fn outcome(item: Json<'_>) -> Option<&'static str> {
    match item.str("status")?.as_ref() {
        "completed" => Some("success"),
        "failed" => Some("failure"),
        _ => None,
    }
}

fn payload(item: Json<'_>, kind: Kind, key: &str) -> Value {
    let member = |name: &str| item.get_some(name).map_or(Value::from(""), Json::to_value);
    let word = item.str("type").unwrap_or_default();
    match kind {
        Kind::ToolCall => {
            let Value::Object(members) = item.to_value() else { return Value::Null };
            let input = members.into_iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "type" | "status"));
            Value::Object(vec![
                ("name".into(), Value::from(&*word)),
                ("tool_name".into(), Value::from(&*word)),
                ("tool_use_id".into(), Value::from(key)),
                ("input".into(), Value::Object(input.collect())),
            ])
        }
        Kind::ToolResult => Value::Object(vec![
            ("tool_use_id".into(), Value::from(key)),
            ("content".into(), member(if word == "command_execution" { "aggregated_output" } else { "result" })),
            ("is_error".into(), Value::Bool(outcome(item) == Some("failure"))),
        ]),
        Kind::Message => Value::Object(vec![
            ("role".into(), Value::from(Actor::Assistant.as_str())),
            ("content".into(), member("text")),
        ]),
        _ => item.to_value(),
    }
}

/// The word as reports may show it.
fn known_word(word: &str) -> &'static str {
    const KNOWN: &[&str] = &[
        "error",
        "item.completed",
        "item.started",
        "item.updated",
        "thread.started",
        "turn.completed",
        "turn.failed",
        "turn.started",
    ];
    KNOWN.iter().find(|known| **known == word).unwrap_or(&"other")
}
