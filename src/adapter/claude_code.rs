//! Claude Code session logs: `~/.claude/projects/<project>/<session>.jsonl` and sub-agent logs.
//!
//! The version stated in a record is the application's; it says nothing about a schema and is never a reason to refuse.
//! New record types appear every few weeks: one without a `uuid` is metadata, one with a `uuid` is a node of the chain.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::{
    Adapter, Draft, Format, Framing, Record, Sink, detect::Sample, first_truthy, first_truthy_of, side_effects,
    synthetic_id, text_of, timestamp, trim, trimmed,
};
use crate::check::compatibility::{SL301, SL302};
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Severity, Stage, Subject};
use crate::model::session::Adjacency;
use crate::model::{Actor, Conventions, EventFlags, Kind, Reasoning, Value, content_free};
use crate::record::Json;
use crate::record::json::fields;
use crate::rule::Rule;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "claude-code-jsonl",
    name: "Claude Code",
    version: "1.0.0",
    versions: &["1.0.24 - 1.0.111", "2.0.31 - 2.0.76", "2.1.6 - 2.1.332"],
    declared: &VERSIONS,
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
    stamps: STAMPS,
    id_member: "uuid",
    reunites_messages: true,
    sends_reasoning_alone: false,
};

/// Members that a program writes anew when it copies a record into another session: a resume of old, a fork.
const STAMPS: &[&str] = &["promptId", "requestSessionId", "sessionId", "slug", "timestamp"];

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
/// Versions of the reference program's own making.
const VERSIONS: [&str; 6] = ["0.1", "0.1.0", "1", "1.0", "1.0.0", "claude-code-v1"];
/// Record types that a resume may go on from.
const HEADS: &[&str] = &["assistant", "assistant_message", "attachment", "system", "user", "user_message"];
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
            || r.get("leafUuid").is_some() && r.get("summary").is_some()
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

fields! {
    /// The members of a record that decide what it is; all others are payload.
    struct Members {
        kind: "type", subtype: "subtype", role: "role", message: "message", content: "content", version: "version",
        uuid: "uuid", id: "id", record_id: "record_id", message_id: "message_id",
        parent_uuid: "parentUuid", parent_uuid_: "parent_uuid", parent_id: "parentId", parent_id_: "parent_id",
        agent_id: "agentId", agent_id_: "agent_id", agent: "agent",
        branch_id: "branchId", branch_id_: "branch_id", sidechain: "isSidechain", sidechain_: "is_sidechain",
        interaction_id: "interactionId", interaction_id_: "interaction_id",
        timestamp: "timestamp", ts: "ts", created_at: "created_at",
        meta: "isMeta", summary: "isCompactSummary", transcript_only: "isVisibleInTranscriptOnly", leaf: "leafUuid",
        session_id: "sessionId",
    }
}

fields! {
    /// The members of an API message.
    struct Message {
        id: "id", role: "role", content: "content",
    }
}

fields! {
    /// The members of a content block that are read.
    struct Block {
        kind: "type", text: "text",
    }
}

/// Content blocks by type; others are payload.
#[derive(Default)]
struct Blocks<'a> {
    calls: Vec<Json<'a>>,
    results: Vec<Json<'a>>,
    texts: Vec<Json<'a>>,
    /// A text block holds nothing.
    empty_text: bool,
    /// A text block holds blanks alone.
    blank_text: bool,
    reasoning: Reasoning,
}

impl<'a> Blocks<'a> {
    fn read(content: Option<Json<'a>>) -> Self {
        let mut blocks = Self::default();
        let elements = content.filter(|c| c.is_array());
        let mut others = 0;
        for element in elements.into_iter().flat_map(Json::elements).filter(|e| e.is_object()) {
            let block = Block::read(element, |_, _| {});
            let word = block.kind.and_then(Json::as_str);
            if matches!(word.as_deref(), Some("thinking" | "redacted_thinking")) {
                blocks.reasoning = match blocks.reasoning {
                    Reasoning::None if others == 0 => Reasoning::Alone,
                    Reasoning::None => Reasoning::Late,
                    known => known,
                };
            } else {
                others += 1;
                if blocks.reasoning == Reasoning::Alone {
                    blocks.reasoning = Reasoning::First;
                }
            }
            match word.as_deref() {
                Some("tool_use") => blocks.calls.push(element),
                Some("tool_result") => blocks.results.push(element),
                Some("text") => {
                    blocks.texts.push(element);
                    let text = block.text.and_then(Json::as_str);
                    blocks.empty_text |= text.as_ref().is_some_and(|text| text.is_empty());
                    blocks.blank_text |= text.is_some_and(|text| is_blank(&text));
                }
                _ => {}
            }
        }
        blocks
    }
}

impl Adapter for ClaudeCode {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let mut critical: Option<(Cow<'_, str>, Json<'_>)> = None;
        let members = Members::read(record.json, |name, value| {
            let name = name.text();
            let flagged = name.starts_with("critical_") || name.starts_with("unknown_critical");
            if flagged && critical.as_ref().is_none_or(|(first, _)| name < *first) {
                critical = Some((name, value));
            }
        });
        let own_id = first_truthy_of(&[members.uuid, members.id, members.record_id, members.message_id])
            .map(text_of)
            .map(trimmed)
            .filter(|id| !id.is_empty());
        let id = own_id
            .clone()
            .unwrap_or_else(|| Cow::Owned(synthetic_id("claude_code", &self.path, self.emitted, record.len())));
        self.note_odd_version(record, members.version, &id, sink);
        if let Some((name, value)) = critical {
            note_critical_key(record, &name, value, own_id.as_deref(), sink);
        }
        let message = some(members.message).filter(|m| m.is_object());
        let parts = message.map(|m| Message::read(m, |_, _| {})).unwrap_or_default();
        let kind_word = some(members.kind).and_then(Json::as_str);
        let role = some(members.role).or(parts.role).and_then(Json::as_str).and_then(|role| Actor::parse(&role));
        let role = role.filter(|actor| *actor != Actor::Tool);
        let known = match (some(members.kind), kind_word.as_deref()) {
            (None, _) => role.map(|actor| (actor, Kind::Message)),
            (_, Some("message")) => Some((role.unwrap_or(Actor::Assistant), Kind::Message)),
            (_, word) => word.and_then(conversation),
        };
        if known.is_none() {
            if kind_word.as_deref() == Some("last-prompt")
                && let Some(leaf) = some(members.leaf).and_then(Json::as_str)
            {
                sink.resumed_from(&leaf);
            }
            let is_own = some(members.uuid).or(some(members.session_id)).is_some();
            self.note_unknown_type(record, members.kind, kind_word.as_deref(), (&id, is_own), sink);
            if some(members.uuid).is_none() {
                return;
            }
        }
        let is = |value: Option<Json<'_>>, word: &str| value.and_then(Json::as_str).as_deref() == Some(word);
        let boundary = kind_word.as_deref() == Some("system") && is(members.subtype, "compact_boundary");
        let (actor, kind) = match known {
            _ if boundary => (Actor::System, Kind::CompactionBoundary),
            Some(known) => known,
            None if kind_word.as_deref().is_some_and(|w| NODES.contains(&w)) => (Actor::System, Kind::Opaque),
            None => (Actor::System, Kind::Unknown),
        };
        let side = [members.sidechain, members.sidechain_].iter().flatten().any(|v| v.is_truthy());
        let mut head = Head {
            original_id: own_id,
            id,
            parent: text_among(&[members.parent_uuid, members.parent_uuid_, members.parent_id, members.parent_id_]),
            actor,
            kind,
            message: parts.id.and_then(Json::as_str).filter(|id| !id.is_empty()),
            agent: text_among(&[members.agent_id, members.agent_id_, members.agent]),
            branch: text_among(&[members.branch_id, members.branch_id_])
                .or_else(|| side.then_some(Cow::Borrowed("sidechain"))),
            interaction: text_among(&[members.interaction_id, members.interaction_id_]),
            ts: timestamp(first_truthy_of(&[members.timestamp, members.ts, members.created_at])),
            flags: EventFlags {
                not_sent: !matches!(actor, Actor::User | Actor::Assistant | Actor::Tool),
                ..EventFlags::default()
            },
            line: record.line,
        };
        head.flags.synthetic_id = head.original_id.is_none();
        let may_lead = kind_word.as_deref().map_or(known.is_some(), |word| HEADS.contains(&word));
        head.flags.no_head = side || head.flags.synthetic_id || !may_lead;
        let content = some(members.content).or(parts.content);
        let blocks = if known.is_some() && !boundary { Blocks::read(content) } else { Blocks::default() };
        let text = content.and_then(Json::as_str);
        let empty_prompt = actor == Actor::User && text.as_ref().is_some_and(|text| text.is_empty());
        head.flags.empty_text = blocks.empty_text || empty_prompt;
        head.flags.blank_text = blocks.blank_text || text.is_some_and(|text| is_blank(&text));
        head.flags.reasoning = blocks.reasoning;
        if !blocks.calls.is_empty() {
            self.calls(record, head, &blocks.calls, &blocks.texts, sink);
        } else if !blocks.results.is_empty() {
            self.results(record, &head, &blocks.results, sink);
        } else {
            let meta = [members.meta, members.summary, members.transcript_only].iter().flatten().any(|v| v.is_true());
            head.flags.prompt = actor == Actor::User && kind == Kind::Message && !meta;
            self.plain(record, &head, content, &blocks.texts, sink);
        }
    }

    fn tears_at_line_end(&self) -> bool {
        true
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
            head.flags.blank_text = false;
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
            head.flags.blank_text = false;
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
                (draft.flags.empty_text, draft.flags.blank_text) = (false, false);
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
        let name = || json.get_some("name").or_else(|| json.get_some("tool_name")).map(text_of).unwrap_or_default();
        let call_id = || first_text(json, &["toolUseId", "tool_use_id", "call_id", "correlation_id"]);
        let payload = || plain_payload(json, head, content, texts, &name());
        let mut draft = head.draft(Cow::Borrowed(&*head.id), head.kind, head.actor, &payload);
        match head.kind {
            Kind::ToolCall => {
                draft.correlation = Some(call_id().unwrap_or(Cow::Borrowed(&*head.id)));
                draft.side_effects = Some(side_effects(&name()));
            }
            Kind::ToolResult => {
                let failed = first_truthy(json, &["is_error", "error"]).is_some_and(Json::is_truthy);
                draft.correlation = call_id();
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

    /// An unknown type is worth knowing once: the loader of that version may understand it. What has no type and no role is
    /// worth knowing too when the agent wrote it (`is_own`), else it is nobody's record and the file no log of the agent.
    fn note_unknown_type(
        &mut self,
        record: &Record<'_>,
        value: Option<Json<'_>>,
        word: Option<&str>,
        (id, is_own): (&str, bool),
        sink: &mut dyn Sink,
    ) {
        if word.is_some_and(|word| {
            METADATA.contains(&word) || NODES.contains(&word) || !self.unknown_types.insert(word.to_owned())
        }) || word.is_none() && record.is_recovered
        {
            return;
        }
        let mut finding = match word {
            Some(word) => about(&SL302, record, Some("type"), "unknown-type", word),
            None => about(&SL302, record, Some("type"), "", ""),
        };
        if word.is_some() || is_own {
            finding.severity = Severity::Info;
        }
        if word.is_none() {
            // An id that was made up holds the name of the file, and a finding outlives that.
            finding.subject.record = hex(&Sha256::digest(record.json.raw()));
            finding.record_id = content_free::record_id(id);
            finding.evidence.insert("record_id".into(), finding.record_id.clone().into());
        }
        let (echo, masked) = match value {
            Some(value) => content_free::echo(&value.to_value()),
            None => ("<NoneType>".into(), true),
        };
        finding.evidence.insert("type_value".into(), echo.into());
        if masked {
            finding.evidence.insert("type_truncated".into(), true.into());
        }
        sink.finding(finding);
    }

    /// The version is the application's, whatever its digits; the first that is a word alone is worth knowing. A value of
    /// another type is none that any application states.
    fn note_odd_version(&mut self, record: &Record<'_>, version: Option<Json<'_>>, id: &str, sink: &mut dyn Sink) {
        let Some(version) = version.filter(|v| !self.odd_version && v.is_truthy()) else { return };
        let is_container = version.is_object() || version.is_array();
        let text = trimmed(text_of(version));
        if !is_container && text.chars().any(|c| c.is_ascii_digit()) {
            return;
        }
        self.odd_version = true;
        let raw =
            if is_container { "<invalid_version_type>".into() } else { content_free::echo(&Value::from(&*text)).0 };
        let mut finding = about(&SL301, record, None, "", "");
        if version.as_str().is_some() {
            (finding.variant, finding.severity) = ("unseen-version", Severity::Info);
        }
        finding.record_id = content_free::record_id(id);
        finding.evidence.insert("version_raw".into(), raw.into());
        finding.evidence.insert("supported_set".into(), VERSIONS.to_vec().into());
        sink.finding(finding);
    }
}

/// A key that calls itself critical says that a reader must not ignore it.
fn note_critical_key(record: &Record<'_>, name: &str, value: Json<'_>, id: Option<&str>, sink: &mut dyn Sink) {
    let path = content_free::echo(&Value::from(name)).0;
    let mut finding = about(&SL302, record, Some(&path), "critical-field", name);
    finding.evidence.insert("type_value".into(), content_free::shape(&value.to_value()).into());
    finding.record_id = id.and_then(content_free::record_id);
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

/// Whether a text holds blanks and nothing else.
fn is_blank(text: &str) -> bool {
    !text.is_empty() && trim(text).is_empty()
}

/// A member unless it is `null`.
fn some(value: Option<Json<'_>>) -> Option<Json<'_>> {
    value.filter(|v| !v.is_null())
}

/// The trimmed text of the first truthy of some members, none when blank.
fn text_among<'a>(values: &[Option<Json<'a>>]) -> Option<Cow<'a, str>> {
    let value = values.iter().flatten().find(|v| v.is_truthy())?;
    Some(trimmed(text_of(*value))).filter(|text| !text.is_empty())
}

/// [`text_among`] for members that few records have.
fn first_text<'a>(json: Json<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    let value = first_truthy(json, names).filter(|v| v.is_truthy())?;
    Some(trimmed(text_of(value))).filter(|text| !text.is_empty())
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
