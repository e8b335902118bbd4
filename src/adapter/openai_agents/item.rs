//! One item of a session as a canonical event.

use std::borrow::Cow;

use super::{OpenAiAgents, finding};
use crate::adapter::{
    Draft, Record, Sink, first_truthy_of, side_effects, synthetic_id, text_of, timestamp, trim, trimmed,
};
use crate::check::compatibility::SL302;
use crate::finding::{Severity, Subject};
use crate::model::{Actor, EventFlags, Kind, Reasoning, Value, canonical_json, content_free};
use crate::record::json::fields;
use crate::record::{Json, Scanner};

fields! {
    /// The members of an item that its place among the others depends on; what its payload is made of is found on demand.
    struct Members {
        id: "id", kind: "type", role: "role", call_id: "call_id", name: "name", timestamp: "timestamp", parent: "parent_id",
        previous: "prev_id", is_error: "is_error", error: "error", item_id: "item_id", tool_call_id: "tool_call_id",
        tool_name: "tool_name", ts: "ts", created_at: "created_at", sdk_version: "sdk_version",
        export_version: "export_version", agent_sdk_version: "agent_sdk_version", version: "version", seq: "seq",
        hash: "hash",
    }
}

/// The first member that is there and not `null`.
fn some<'a>(members: &[Option<Json<'a>>]) -> Option<Json<'a>> {
    members.iter().copied().flatten().find(|member| !member.is_null())
}

/// The id that the SDK writes where a provider gave none.
const PLACEHOLDER_ID: &str = "__fake_id__";

/// Actor and kind of the item types there are.
fn known(word: &str) -> Option<(Actor, Kind)> {
    Some(match word {
        "message" | "assistant" => (Actor::Assistant, Kind::Message),
        "user" => (Actor::User, Kind::Message),
        "system" => (Actor::System, Kind::Message),
        "tool_call" | "function_call" | "custom_tool_call" | "computer_call" | "local_shell_call" | "shell_call"
        | "apply_patch_call" => (Actor::Assistant, Kind::ToolCall),
        "tool_result"
        | "function_call_output"
        | "custom_tool_call_output"
        | "computer_call_output"
        | "local_shell_call_output"
        | "shell_call_output"
        | "apply_patch_call_output" => (Actor::Tool, Kind::ToolResult),
        "handoff" => (Actor::Assistant, Kind::Handoff),
        "checkpoint" => (Actor::System, Kind::Checkpoint),
        "compaction" | "compaction_boundary" => (Actor::System, Kind::CompactionBoundary),
        "mcp_approval_request" => (Actor::Assistant, Kind::Approval),
        "mcp_approval_response" => (Actor::User, Kind::Approval),
        // Run by the provider: call and result in one item. Or no calls at all.
        "reasoning"
        | "web_search_call"
        | "file_search_call"
        | "image_generation_call"
        | "code_interpreter_call"
        | "mcp_call"
        | "mcp_list_tools"
        | "tool_search_call"
        | "tool_search_output"
        | "program"
        | "program_output"
        | "additional_tools"
        | "configuration_update"
        | "compaction_trigger"
        | "item_reference" => (Actor::Assistant, Kind::Opaque),
        _ => return None,
    })
}

/// Actor and kind by type and role; none for a type that is not known.
fn classify(word: Option<&str>, has_type: bool, role: Option<&str>) -> Option<(Actor, Kind)> {
    let by_role = match role {
        Some("user") => Some((Actor::User, Kind::Message)),
        Some("assistant") => Some((Actor::Assistant, Kind::Message)),
        Some("system" | "developer") => Some((Actor::System, Kind::Message)),
        Some("tool") => Some((Actor::Tool, Kind::ToolResult)),
        _ => None,
    };
    if !has_type {
        return by_role.or(role.map(|_| (Actor::System, Kind::Unknown)));
    }
    match known(word?)? {
        (actor, Kind::Message) => Some(by_role.unwrap_or((actor, Kind::Message))),
        other => Some(other),
    }
}

impl OpenAiAgents {
    pub(super) fn item(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        let mut critical: Option<(Cow<'_, str>, Json<'_>)> = None;
        let members = Members::read(json, |name, value| {
            let name = name.text();
            let claims = name.starts_with("critical_") || name.starts_with("unknown_critical");
            if claims && critical.as_ref().is_none_or(|(first, _)| name <= *first) {
                critical = Some((name, value));
            }
        });
        let own_id = some(&[members.id, members.item_id])
            .map(text_of)
            .map(trimmed)
            .filter(|id| !id.is_empty() && id != PLACEHOLDER_ID);
        let id = own_id.clone().unwrap_or_else(|| {
            // Items of a document have no line; what they are made of stands in for its length.
            let len = if record.in_document {
                canonical_json::to_string(&json.to_value()).len() as u64
            } else {
                record.len()
            };
            Cow::Owned(synthetic_id("openai_agents", &self.path, self.emitted, len))
        });
        let versions = [members.sdk_version, members.export_version, members.agent_sdk_version, members.version];
        if let Some(version) = first_truthy_of(&versions).filter(|v| !v.is_null() && !self.version_told) {
            self.check_version(record, version, &id, true, sink);
        }
        let parent = some(&[members.parent, members.previous]).map(text_of).map(trimmed).filter(|p| !p.is_empty());
        self.has_parents |= parent.is_some();
        let type_value = some(&[members.kind]);
        let word = type_value.and_then(Json::as_str);
        let role = members.role.and_then(Json::as_str);
        let class = classify(word.as_deref(), type_value.is_some(), role.as_deref());
        if class.is_none() {
            self.note_unknown_type(record, type_value, &id, sink);
        }
        if let Some((name, value)) = critical {
            note_critical_key(record, &name, value, &id, sink);
        }
        let (actor, kind) = class.unwrap_or((Actor::System, Kind::Unknown));
        let call_id = some(&[members.call_id, members.tool_call_id]).map(text_of).or_else(|| {
            // The output of a local shell carries its call's id as its own.
            (word.as_deref() == Some("local_shell_call_output")).then(|| own_id.clone()).flatten()
        });
        let failed = [members.is_error, members.error].into_iter().flatten().any(Json::is_truthy);
        let item = Item { json, id: &id, kind, actor, word: word.as_deref(), call_id: call_id.as_deref() };
        let payload = || item.payload();
        let effects = match kind {
            Kind::ToolCall => {
                let tool = first_truthy_of(&[members.name, members.tool_name]).map(text_of).unwrap_or_default();
                Some(side_effects(&tool))
            }
            Kind::ToolResult => Some("none"),
            _ => None,
        };
        sink.event(
            record,
            Draft {
                id: Cow::Borrowed(&*id),
                parent,
                kind,
                actor,
                correlation: match kind {
                    Kind::ToolCall => Some(Cow::Borrowed(call_id.as_deref().unwrap_or(&id))),
                    Kind::ToolResult => call_id.as_deref().map(Cow::Borrowed),
                    _ => None,
                },
                message: None,
                agent: None,
                branch: None,
                interaction: None,
                ts: timestamp(some(&[members.timestamp, members.ts, members.created_at])),
                seq: None,
                line: record.line,
                flags: EventFlags {
                    synthetic_id: own_id.is_none(),
                    prompt: actor == Actor::User && kind == Kind::Message,
                    reasoning: if word.as_deref() == Some("reasoning") { Reasoning::Alone } else { Reasoning::None },
                    ..EventFlags::default()
                },
                execution_state: (kind == Kind::ToolResult).then_some(if failed { "failure" } else { "success" }),
                side_effects: effects,
                original_id: own_id.as_deref().map(Cow::Borrowed),
                payload: &payload,
                object: None,
            },
        );
        if kind == Kind::Checkpoint {
            self.has_checkpoints = true;
            let stated = some(&[members.seq]);
            let seq = stated.map_or_else(|| i64::try_from(self.emitted).ok(), Json::as_i64);
            let hash = some(&[members.hash]).map(text_of).map(|h| trim(&h).to_owned()).filter(|h| !h.is_empty());
            sink.checkpoint(seq, hash);
        }
        self.emitted += 1;
    }

    /// A type that is not known is worth knowing once: a newer SDK may understand it, and sends it on in any case. What
    /// has no type and no role is nobody's item.
    fn note_unknown_type(&mut self, record: &Record<'_>, type_value: Option<Json<'_>>, id: &str, sink: &mut dyn Sink) {
        let value = type_value.map_or(Value::Null, Json::to_value);
        let (text, masked) = content_free::echo(&value);
        let is_word = type_value.is_some_and(|value| value.as_str().is_some());
        let is_told = is_word && !self.unknown_types.insert(canonical_json::to_string(&value));
        if is_told || !is_word && record.is_recovered {
            return;
        }
        let mut finding = finding(&SL302, record, id, true);
        if is_word {
            finding.variant = "unknown-type";
            finding.severity = Severity::Info;
        }
        finding.evidence.insert("field_path".into(), "type".into());
        finding.evidence.insert("type_value".into(), text.as_str().into());
        finding.evidence.insert("record_id".into(), content_free::mask(id).into());
        if masked {
            finding.evidence.insert("type_truncated".into(), true.into());
        }
        finding.subject = Subject { record: String::new(), part: text };
        sink.finding(finding);
    }
}

/// Reports the first key, by name, that claims to be critical.
fn note_critical_key(record: &Record<'_>, name: &str, value: Json<'_>, id: &str, sink: &mut dyn Sink) {
    let mut finding = finding(&SL302, record, id, true);
    finding.variant = "critical-field";
    finding.evidence.insert("field_path".into(), content_free::echo(&Value::from(name)).0.into());
    finding.evidence.insert("type_value".into(), content_free::shape(&value.to_value()).into());
    finding.evidence.insert("record_id".into(), content_free::mask(id).into());
    finding.subject.part = name.to_owned();
    sink.finding(finding);
}

/// What a payload is made of.
struct Item<'a> {
    json: Json<'a>,
    id: &'a str,
    kind: Kind,
    actor: Actor,
    word: Option<&'a str>,
    call_id: Option<&'a str>,
}

impl Item<'_> {
    fn payload(&self) -> Value {
        let some = |names: &[&str]| names.iter().find_map(|n| self.json.get_some(n));
        let value = |names: &[&str]| some(names).map(Json::to_value);
        let text = |names: &[&str]| some(names).map(text_of);
        let string = |text: &str| Value::from(text);
        let members = match self.kind {
            Kind::ToolCall => {
                let name = text(&["name", "tool_name", "function"]).unwrap_or_else(|| Cow::Borrowed(self.family()));
                let call_id = self.call_id.unwrap_or(self.id);
                vec![
                    ("name", string(&name)),
                    ("tool_name", string(&name)),
                    ("call_id", string(call_id)),
                    ("tool_use_id", string(call_id)),
                    ("input", self.input()),
                ]
            }
            Kind::ToolResult => {
                let call_id = self.call_id.unwrap_or("");
                vec![
                    ("call_id", string(call_id)),
                    ("tool_use_id", string(call_id)),
                    ("content", value(&["content", "output", "result"]).unwrap_or(string(""))),
                    ("is_error", Value::Bool(some(&["is_error", "error"]).is_some_and(Json::is_truthy))),
                ]
            }
            Kind::Handoff => {
                let mut members =
                    vec![("target", text(&["target", "handoff_to", "agent"]).map_or(Value::Null, |t| string(&t)))];
                members.extend(
                    self.json.get("reason").map(|r| ("reason", Value::String(content_free::echo(&r.to_value()).0))),
                );
                members
            }
            Kind::Checkpoint => {
                let mut members =
                    vec![("checkpoint_id", string(&text(&["checkpoint_id", "id"]).unwrap_or(Cow::Borrowed(self.id))))];
                members.extend(self.json.get("seq").map(|v| ("seq", v.to_value())));
                members.extend(self.json.get("hash").map(|v| ("hash", string(&text_of(v)))));
                members.extend(self.json.get("state").map(|v| ("state", v.to_value())));
                members
            }
            Kind::CompactionBoundary => vec![("summary", string(&text(&["summary", "content"]).unwrap_or_default()))],
            Kind::Unknown => {
                vec![("type", string(&self.json.get_some("type").map_or(Cow::Borrowed("<missing>"), text_of)))]
            }
            Kind::Opaque | Kind::Approval => return self.json.to_value(),
            _ => vec![
                ("role", string(self.actor.as_str())),
                ("content", value(&["content", "message", "text"]).unwrap_or(string(""))),
            ],
        };
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The tool of a call whose type names it.
    fn family(&self) -> &str {
        match self.word {
            Some(word @ ("computer_call" | "local_shell_call" | "shell_call" | "apply_patch_call")) => {
                word.strip_suffix("_call").unwrap_or(word)
            }
            _ => "",
        }
    }

    /// Arguments as an object: a text is read as JSON where it is JSON, anything but an object is wrapped.
    fn input(&self) -> Value {
        let names = ["args", "arguments", "input", "action", "operation"];
        // The last two belong to types whose call has a form of its own.
        let names = if self.family().is_empty() { &names[..3] } else { &names[..] };
        let Some(stated) = names.iter().find_map(|n| self.json.get_some(n)) else { return Value::Object(vec![]) };
        let mut value = stated.to_value();
        if let Some(text) = value.as_str().filter(|_| self.word != Some("custom_tool_call")) {
            let mut scanner = Scanner::default();
            if scanner.scan(text.as_bytes(), 1).is_ok() {
                value = Json::new(text.as_bytes(), scanner.tape()).to_value();
            }
        }
        match value {
            object @ Value::Object(_) => object,
            other => Value::Object(vec![("value".into(), other)]),
        }
    }
}
