//! Claude Code session logs: `~/.claude/projects/<project>/<session>.jsonl` and sub-agent logs.
//!
//! The version stated in a record is the application's; it says nothing about a schema and is never a reason to refuse.
//! New record types appear every few weeks: one without a `uuid` is metadata, one with a `uuid` is a node of the chain.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{
    Adapter, Draft, Format, Framing, Record, Sink, detect::Sample, first_truthy, side_effects, synthetic_id, text_of,
    timestamp, trim, trimmed,
};
use crate::check::compatibility::{SL301, SL302};
use crate::finding::{Finding, Severity, Stage, Subject};
use crate::model::session::Adjacency;
use crate::model::{Actor, Conventions, EventFlags, Kind, Value, content_free};
use crate::record::Json;
use crate::rule::Rule;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "claude-code-jsonl",
    name: "Claude Code",
    version: "1.0.0",
    versions: &["1.0.24 - 1.0.111", "2.0.31 - 2.0.76", "2.1.6 - 2.1.332"],
    description: "Session and sub-agent logs of Claude Code, any application version",
    default_profile: "claude-strict",
    framing: Framing::Lines,
    score,
    open: |path| {
        Box::new(ClaudeCode { path: path.to_owned(), emitted: 0, unknown_types: BTreeSet::new(), odd_version: false })
    },
};

const CONVENTIONS: Conventions = Conventions {
    tree: true,
    one_tree: false,
    pair_on_path: false,
    stored_in_order: false,
    adjacency: Adjacency::Chain,
    open_tail: Severity::Warning,
    compaction_split: Severity::Error,
    compaction_on_chain: true,
    checkpoints: false,
    identity_by_bytes: true,
    resends_copies: false,
};

/// Record types without part in the conversation that current versions write.
const METADATA: &[&str] = &[
    "agent-name",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "bridge-session",
    "cost-state",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "frame-link",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "queue-operation",
    "relocated",
    "result",
    "started",
    "tag",
    "task-summary",
    "tools-used",
    "worktree-state",
];
/// Record types that are nodes of the chain and nothing else.
const NODES: &[&str] = &["attachment", "progress", "saved_hook_context"];

/// One record that only the on-disk log has decides: printed streams write `session_id` and know no parents, trees of
/// other programs begin with a header. Records in the older spelling are only likely.
fn score(sample: &Sample) -> f64 {
    let first_is = |word: &str| sample.records.first().and_then(|r| r.json().str("type")).as_deref() == Some(word);
    if sample.is_document || first_is("session") {
        return 0.0;
    }
    let decisive = |r: Json<'_>| {
        let chain = r.get("parentUuid").is_some() || r.get("leafUuid").is_some();
        let said = r.get("content").is_some() || r.get("message").is_some_and(Json::is_object);
        r.get("sessionId").is_some() && (chain || r.get("isSidechain").is_some() || known_type(r) || said)
            || chain && r.get("uuid").is_some()
            || r.get("messageId").is_some() && r.get("snapshot").is_some()
    };
    if sample.any(decisive) {
        return 1.0;
    }
    let printed =
        |r: Json<'_>| r.get("parent_tool_use_id").is_some() || r.get("uuid").is_some() && r.get("session_id").is_some();
    if sample.any(printed) {
        return 0.2;
    }
    let linked =
        |r: Json<'_>| ["parentId", "parent_uuid", "toolUseId", "uuid"].iter().any(|name| r.get(name).is_some());
    let likely = |r: Json<'_>| known_type(r) && (linked(r) || r.get("message").is_some_and(Json::is_object));
    if sample.any(likely) { 0.8 } else { 0.0 }
}

fn known_type(record: Json<'_>) -> bool {
    record.str("type").is_some_and(|t| conversation(&t).is_some() || METADATA.contains(&&*t) || NODES.contains(&&*t))
}

/// Actor and kind of the record types that make up the conversation.
fn conversation(kind: &str) -> Option<(Actor, Kind)> {
    Some(match kind {
        "user" | "user_message" => (Actor::User, Kind::Message),
        "assistant" | "assistant_message" => (Actor::Assistant, Kind::Message),
        "tool_use" => (Actor::Assistant, Kind::ToolCall),
        "tool_result" => (Actor::Tool, Kind::ToolResult),
        "system" | "summary" => (Actor::System, Kind::Message),
        "compaction" | "compaction_boundary" => (Actor::System, Kind::CompactionBoundary),
        "message" => (Actor::Assistant, Kind::Message),
        _ => return None,
    })
}

struct ClaudeCode {
    path: String,
    /// Events given so far: part of made-up ids.
    emitted: u64,
    /// Types reported once each.
    unknown_types: BTreeSet<String>,
    /// A version that is none was reported.
    odd_version: bool,
}

/// What all events of a record share.
struct Head<'a> {
    id: Cow<'a, str>,
    original_id: Option<Cow<'a, str>>,
    parent: Option<Cow<'a, str>>,
    actor: Actor,
    kind: Kind,
    message: Option<Cow<'a, str>>,
    agent: Option<Cow<'a, str>>,
    branch: Option<Cow<'a, str>>,
    interaction: Option<Cow<'a, str>>,
    ts: Cow<'a, str>,
    flags: EventFlags,
    line: u64,
}

impl<'a> Head<'a> {
    fn draft<'d>(&'d self, id: Cow<'d, str>, kind: Kind, actor: Actor, payload: &'d dyn Fn() -> Value) -> Draft<'d> {
        let own = id == self.id;
        Draft {
            id,
            parent: self.parent.as_deref().map(Cow::Borrowed),
            kind,
            actor,
            correlation: None,
            message: self.message.as_deref().map(Cow::Borrowed),
            agent: self.agent.as_deref().map(Cow::Borrowed),
            branch: self.branch.as_deref().map(Cow::Borrowed),
            interaction: self.interaction.as_deref().map(Cow::Borrowed),
            ts: Cow::Borrowed(&self.ts),
            seq: None,
            line: self.line,
            flags: self.flags,
            execution_state: None,
            side_effects: None,
            original_id: if own { self.original_id.as_deref().map(Cow::Borrowed) } else { None },
            payload,
            object: None,
        }
    }
}

impl Adapter for ClaudeCode {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        self.note_odd_version(record, sink);
        note_critical_key(record, sink);
        let type_value = json.get_some("type");
        let kind_word = type_value.and_then(Json::as_str);
        let role = json.get_some("role").or_else(|| json.get_some("message")?.get("role")).and_then(Json::as_str);
        let known = match (&type_value, &kind_word, role.as_deref()) {
            (None, _, Some("user")) => Some((Actor::User, Kind::Message)),
            (None, _, Some("assistant")) => Some((Actor::Assistant, Kind::Message)),
            (None, _, Some("system")) => Some((Actor::System, Kind::Message)),
            (_, Some(word), _) if word == "message" => Some((
                role.as_deref().and_then(Actor::parse).filter(|a| *a != Actor::Tool).unwrap_or(Actor::Assistant),
                Kind::Message,
            )),
            (_, Some(word), _) => conversation(word),
            _ => None,
        };
        let is_node = json.get_some("uuid").is_some();
        if known.is_none() {
            self.note_unknown_type(record, kind_word.as_deref(), sink);
            if !is_node {
                return;
            }
        }
        let boundary =
            kind_word.as_deref() == Some("system") && json.str("subtype").as_deref() == Some("compact_boundary");
        let (actor, kind) = match known {
            _ if boundary => (Actor::System, Kind::CompactionBoundary),
            Some(known) => known,
            None if kind_word.as_deref().is_some_and(|w| NODES.contains(&w)) => (Actor::System, Kind::Opaque),
            None => (Actor::System, Kind::Unknown),
        };
        let own_id = first_truthy(json, &["uuid", "id", "record_id", "message_id"])
            .map(text_of)
            .map(trimmed)
            .filter(|id| !id.is_empty());
        let message = json.get_some("message").filter(|m| m.is_object());
        let mut head = Head {
            original_id: own_id.clone(),
            id: own_id
                .unwrap_or_else(|| Cow::Owned(synthetic_id("claude_code", &self.path, self.emitted, record.len()))),
            parent: first_text(json, &["parentUuid", "parent_uuid", "parentId", "parent_id"]),
            actor,
            kind,
            message: message.and_then(|m| m.str("id")).filter(|id| !id.is_empty()),
            agent: first_text(json, &["agentId", "agent_id", "agent"]),
            branch: first_text(json, &["branchId", "branch_id"]).or_else(|| {
                let side = ["isSidechain", "is_sidechain"].iter().any(|n| json.get(n).is_some_and(Json::is_truthy));
                side.then_some(Cow::Borrowed("sidechain"))
            }),
            interaction: first_text(json, &["interactionId", "interaction_id"]),
            ts: timestamp(first_truthy(json, &["timestamp", "ts", "created_at"])),
            flags: EventFlags {
                not_sent: !matches!(actor, Actor::User | Actor::Assistant | Actor::Tool),
                ..EventFlags::default()
            },
            line: record.line,
        };
        head.flags.synthetic_id = head.original_id.is_none();
        let content = json.get_some("content").or_else(|| message?.get("content"));
        let conversation = known.is_some() && !boundary;
        if conversation {
            head.flags.empty_text = has_empty_text(content, actor);
        }
        let blocks: Vec<Json<'_>> =
            content.filter(|c| c.is_array() && conversation).map(|c| c.elements().collect()).unwrap_or_default();
        let of_type = |word: &'static str| {
            blocks
                .iter()
                .copied()
                .filter(move |b| b.is_object() && b.get("type").and_then(Json::as_str).as_deref() == Some(word))
        };
        let calls: Vec<Json<'_>> = of_type("tool_use").collect();
        let results: Vec<Json<'_>> = of_type("tool_result").collect();
        let texts: Vec<Json<'_>> = of_type("text").collect();
        if !calls.is_empty() {
            self.calls(record, head, &calls, &texts, sink);
        } else if !results.is_empty() {
            self.results(record, &head, &results, sink);
        } else {
            let meta = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];
            head.flags.prompt = actor == Actor::User
                && kind == Kind::Message
                && !meta.iter().any(|n| json.get(n).is_some_and(Json::is_true));
            self.plain(record, &head, content, &texts, sink);
        }
    }

    fn conventions(&self) -> Conventions {
        CONVENTIONS
    }
}

impl ClaudeCode {
    /// A record with calls: its text first, then each call, the last one under the record's own id so that children find it.
    fn calls(
        &mut self,
        record: &Record<'_>,
        mut head: Head<'_>,
        calls: &[Json<'_>],
        texts: &[Json<'_>],
        sink: &mut dyn Sink,
    ) {
        let joined = || {
            let parts: Vec<_> =
                texts.iter().filter_map(|t| t.get("text")).filter(|t| t.is_truthy()).map(text_of).collect();
            trim(&parts.join("\n")).to_owned()
        };
        let has_text = texts.iter().filter_map(|t| t.str("text")).any(|t| !trim(&t).is_empty());
        let id = head.id.clone().into_owned();
        let empty_text = std::mem::take(&mut head.flags.empty_text);
        if has_text || empty_text {
            let text_id = format!("{id}_text");
            let actor = head.actor;
            let payload = || role_content(actor, Value::String(joined()));
            let mut draft = head.draft(Cow::Owned(text_id.clone()), Kind::Message, actor, &payload);
            draft.flags.empty_text = empty_text;
            self.emit(record, draft, sink);
            head.parent = Some(Cow::Owned(text_id));
        }
        for (index, call) in calls.iter().enumerate() {
            let last = index + 1 == calls.len();
            let block_id =
                call.get("id").filter(|v| v.is_truthy()).map(text_of).map(trimmed).filter(|id| !id.is_empty());
            let event_id: Cow<'_, str> = match &block_id {
                _ if last => Cow::Owned(id.clone()),
                Some(own) => own.clone(),
                None => Cow::Owned(format!("{id}_call_{index}")),
            };
            let name = call.get("name").filter(|v| v.is_truthy()).map(text_of).unwrap_or_default();
            let payload = || {
                Value::Object(vec![
                    ("name".into(), Value::from(&*name)),
                    ("tool_name".into(), Value::from(&*name)),
                    ("tool_use_id".into(), Value::from(block_id.as_deref().unwrap_or(&id))),
                    ("input".into(), as_object(call.get("input"))),
                ])
            };
            let mut draft = head.draft(event_id.clone(), Kind::ToolCall, Actor::Assistant, &payload);
            draft.correlation = block_id.as_deref().map(Cow::Borrowed);
            draft.side_effects = Some(side_effects(&name));
            if !last {
                draft.original_id = block_id.as_deref().map(Cow::Borrowed);
            }
            self.emit(record, draft, sink);
            head.parent = Some(Cow::Owned(event_id.into_owned()));
        }
    }

    /// A record with results: one event each, the last one under the record's own id.
    fn results(&mut self, record: &Record<'_>, head: &Head<'_>, results: &[Json<'_>], sink: &mut dyn Sink) {
        for (index, result) in results.iter().enumerate() {
            let last = index + 1 == results.len();
            let block_id = result.get("id").filter(|v| v.is_truthy()).map(text_of);
            let event_id: Cow<'_, str> = match &block_id {
                _ if last => Cow::Borrowed(&*head.id),
                Some(own) => own.clone(),
                None => Cow::Owned(format!("{}_res_{index}", head.id)),
            };
            let answered = first_truthy(*result, &["tool_use_id", "toolUseId"])
                .filter(|v| v.is_truthy())
                .map(text_of)
                .map(trimmed)
                .filter(|id| !id.is_empty());
            let failed = first_truthy(*result, &["is_error", "error"]).is_some_and(Json::is_truthy);
            let payload = || {
                Value::Object(vec![
                    ("tool_use_id".into(), Value::from(answered.as_deref().unwrap_or(""))),
                    (
                        "content".into(),
                        result.get("content").filter(|c| c.is_truthy()).map_or(Value::from(""), Json::to_value),
                    ),
                    ("is_error".into(), Value::Bool(failed)),
                ])
            };
            let mut draft = head.draft(event_id, Kind::ToolResult, Actor::Tool, &payload);
            draft.correlation = answered.as_deref().map(Cow::Borrowed);
            draft.execution_state = Some(if failed { "failure" } else { "success" });
            draft.side_effects = Some("none");
            if !last {
                draft.original_id = block_id.as_deref().map(Cow::Borrowed);
                draft.flags.empty_text = false;
            }
            self.emit(record, draft, sink);
        }
    }

    /// A record that is one event.
    fn plain(
        &mut self,
        record: &Record<'_>,
        head: &Head<'_>,
        content: Option<Json<'_>>,
        texts: &[Json<'_>],
        sink: &mut dyn Sink,
    ) {
        let json = record.json;
        let call_id = first_text(json, &["toolUseId", "tool_use_id", "call_id", "correlation_id"]);
        let name = json.get_some("name").or_else(|| json.get_some("tool_name")).map(text_of).unwrap_or_default();
        let failed = first_truthy(json, &["is_error", "error"]).is_some_and(Json::is_truthy);
        let payload = || plain_payload(json, head, content, texts, &name);
        let mut draft = head.draft(Cow::Borrowed(&*head.id), head.kind, head.actor, &payload);
        match head.kind {
            Kind::ToolCall => {
                draft.correlation = Some(call_id.unwrap_or(Cow::Borrowed(&*head.id)));
                draft.side_effects = Some(side_effects(&name));
            }
            Kind::ToolResult => {
                draft.correlation = call_id;
                draft.side_effects = Some("none");
                draft.execution_state = Some(if failed { "failure" } else { "success" });
            }
            _ => {}
        }
        self.emit(record, draft, sink);
    }

    fn emit(&mut self, record: &Record<'_>, draft: Draft<'_>, sink: &mut dyn Sink) {
        self.emitted += 1;
        sink.event(record, draft);
    }

    /// An unknown type is worth knowing once: the loader of that version may understand it.
    fn note_unknown_type(&mut self, record: &Record<'_>, word: Option<&str>, sink: &mut dyn Sink) {
        let word = word.unwrap_or("");
        if METADATA.contains(&word) || NODES.contains(&word) || !self.unknown_types.insert(word.to_owned()) {
            return;
        }
        let mut finding = about(&SL302, record, Some("type"), "unknown-type", word);
        finding.severity = Severity::Info;
        let (echo, masked) = match record.json.get("type") {
            Some(value) => content_free::echo(&value.to_value()),
            None => ("<NoneType>".into(), true),
        };
        finding.evidence.insert("type_value".into(), echo.into());
        if masked {
            finding.evidence.insert("type_truncated".into(), true.into());
        }
        sink.finding(finding);
    }

    /// The version is the application's, whatever its digits; one that is no version at all is worth knowing once.
    fn note_odd_version(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let Some(version) = record.json.get("version").filter(|v| !self.odd_version && v.is_truthy()) else { return };
        let text = version.as_str().unwrap_or_default();
        if text.chars().any(|c| c.is_ascii_digit()) || version.as_i64().is_some() {
            return;
        }
        self.odd_version = true;
        let mut finding = about(&SL301, record, None, "application", "");
        finding.severity = Severity::Info;
        finding.evidence.insert("version_raw".into(), content_free::echo(&version.to_value()).0.into());
        sink.finding(finding);
    }
}

/// A key that calls itself critical says that a reader must not ignore it.
fn note_critical_key(record: &Record<'_>, sink: &mut dyn Sink) {
    let Some((key, value)) = record
        .json
        .members()
        .filter(|(key, _)| key.starts_with("critical_") || key.starts_with("unknown_critical"))
        .min_by(|a, b| a.0.cmp(&b.0))
    else {
        return;
    };
    let path = content_free::echo(&Value::from(&*key)).0;
    let mut finding = about(&SL302, record, Some(&path), "critical-field", &key);
    finding.evidence.insert("type_value".into(), content_free::shape(&value.to_value()).into());
    let id = first_truthy(record.json, &["uuid", "id", "record_id", "message_id"]).map(text_of);
    finding.record_id = id.and_then(|id| content_free::record_id(&id));
    finding.evidence.insert("record_id".into(), finding.record_id.clone().into());
    sink.finding(finding);
}

/// A finding about a record as a whole, with the reference program's coordinates.
fn about(rule: &'static Rule, record: &Record<'_>, field: Option<&str>, variant: &'static str, part: &str) -> Finding {
    let mut finding = Finding::new(rule, Stage::Reading);
    finding.variant = variant;
    finding.line = Some(record.line);
    finding.location = record.location;
    finding.evidence.insert("byte_offset".into(), record.offset.into());
    finding.evidence.insert("byte_end".into(), record.end.into());
    finding.evidence.insert("record_ordinal".into(), record.ordinal.into());
    if let Some(field) = field {
        finding.evidence.insert("field_path".into(), field.into());
    }
    finding.subject = Subject { record: String::new(), part: part.to_owned() };
    finding
}

/// The trimmed text of the first truthy member, none when blank.
fn first_text<'a>(json: Json<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    let value = first_truthy(json, names).filter(|v| v.is_truthy())?;
    Some(trimmed(text_of(value))).filter(|text| !text.is_empty())
}

/// Whether a message holds a text that a provider refuses as empty: an empty block, or a prompt of "".
fn has_empty_text(content: Option<Json<'_>>, actor: Actor) -> bool {
    let Some(content) = content else { return false };
    if let Some(text) = content.as_str() {
        return text.is_empty() && actor == Actor::User;
    }
    content.elements().any(|block| {
        block.is_object()
            && block.get("type").and_then(Json::as_str).as_deref() == Some("text")
            && block.get("text").and_then(Json::as_str).is_some_and(|text| text.is_empty())
    })
}

fn role_content(actor: Actor, content: Value) -> Value {
    Value::Object(vec![("role".into(), Value::from(actor.as_str())), ("content".into(), content)])
}

/// A call's input: an object as it is, nothing for what is empty, anything else wrapped.
fn as_object(value: Option<Json<'_>>) -> Value {
    match value.filter(|v| v.is_truthy()).map(Json::to_value) {
        None => Value::Object(vec![]),
        Some(object @ Value::Object(_)) => object,
        Some(other) => Value::Object(vec![("value".into(), other)]),
    }
}

/// The payload of a record that is one event, by its kind.
fn plain_payload(json: Json<'_>, head: &Head<'_>, content: Option<Json<'_>>, texts: &[Json<'_>], name: &str) -> Value {
    if !texts.is_empty() {
        let joined: String = texts.iter().filter_map(|t| t.get("text")).map(text_of).collect();
        return role_content(head.actor, Value::String(joined));
    }
    let call_id = || json.get_some("toolUseId").or_else(|| json.get_some("tool_use_id")).map(text_of);
    let first = |names: &[&str]| names.iter().find_map(|n| json.get_some(n)).map(Json::to_value);
    match head.kind {
        Kind::ToolCall => Value::Object(vec![
            ("name".into(), Value::from(name)),
            ("tool_name".into(), Value::from(name)),
            ("tool_use_id".into(), Value::from(&*call_id().unwrap_or(Cow::Borrowed(&*head.id)))),
            (
                "input".into(),
                match first(&["input", "args", "arguments"]) {
                    None => Value::Object(vec![]),
                    Some(object @ Value::Object(_)) => object,
                    Some(other) => Value::Object(vec![("value".into(), other)]),
                },
            ),
        ]),
        Kind::ToolResult => Value::Object(vec![
            ("tool_use_id".into(), Value::from(&*call_id().unwrap_or_default())),
            ("content".into(), first(&["content", "output", "result"]).unwrap_or(Value::from(""))),
            ("is_error".into(), Value::Bool(first(&["is_error", "error"]).is_some_and(|v| v.is_truthy()))),
        ]),
        Kind::CompactionBoundary => {
            let summary =
                json.get_some("summary").or_else(|| json.get_some("content")).map(text_of).unwrap_or_default();
            Value::Object(vec![("summary".into(), Value::from(&*summary))])
        }
        Kind::Unknown | Kind::Opaque => {
            let word = json.get_some("type").map_or(Cow::Borrowed("<missing>"), text_of);
            Value::Object(vec![("type".into(), Value::from(&*word))])
        }
        _ => {
            let content = json.get_some("message").or(content).or_else(|| json.get_some("text"));
            role_content(head.actor, content.map_or(Value::from(""), Json::to_value))
        }
    }
}
