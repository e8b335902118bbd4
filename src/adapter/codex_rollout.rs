//! Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.
//!
//! Only response items and compactions make the history that is sent; events repeat their call ids and mean nothing
//! here. Order is the only structure. What its loaders drop without a word, refuse or add is stated, not guessed.

mod items;
mod ordinals;
#[cfg(test)]
mod tests;
mod turns;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::detect::Sample;
use super::notice::{self, UnknownTypes};
use super::{Adapter, Draft, Format, Framing, Metadata, Record, Sink, synthetic_id, timestamp};
use crate::finding::{Finding, Severity};
use crate::model::session::{Adjacency, Fact, FactKind};
use crate::model::{Actor, Conventions, Kind, Value};
use crate::record::Json;
use ordinals::Ordinals;
use turns::Turns;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "codex-rollout",
    name: "Codex rollout",
    version: "1.0.0",
    versions: &["0.99 - 0.171"],
    declared: &[],
    description: "Session rollouts of Codex, legacy and paginated, any program version",
    default_profile: "openai-strict",
    framing: Framing::Lines,
    score,
    open: |path| Box::new(CodexRollout::new(path)),
};

const CONVENTIONS: Conventions = Conventions {
    tree: false,
    one_tree: false,
    pair_on_path: false,
    stored_in_order: true,
    adjacency: Adjacency::Free,
    open_tail: Severity::Warning,
    compaction_split: Severity::Error,
    compaction_on_chain: false,
    checkpoints: false,
    identity_by_bytes: true,
    resends_copies: true,
    stamps: &[],
    id_member: "",
    reunites_messages: false,
    sends_reasoning_alone: false,
};

/// Record types without part in the history that is sent.
const METADATA: &[&str] =
    &["event_msg", "inter_agent_communication_metadata", "token_usage_record", "turn_context", "world_state"];

fn score(sample: &Sample) -> f64 {
    if sample.is_document {
        return 0.0;
    }
    // A wrapper may mix rollout and printed records: the first that is either decides.
    match sample.records.iter().map(|r| r.json()).find(|r| is_rollout(*r) || super::codex_exec::is_exec(*r)) {
        Some(first) if is_rollout(first) => 1.0,
        Some(_) => 0.0,
        None if sample.records.first().is_some_and(|r| is_flat_header(r.json())) => 0.9,
        None => 0.0,
    }
}

/// Whether a record has the envelope of rollouts and a type of theirs.
pub(super) fn is_rollout(record: Json<'_>) -> bool {
    let known = |t: &str| matches!(t, "session_meta" | "response_item" | "compacted") || METADATA.contains(&t);
    record.get("payload").is_some_and(Json::is_object) && record.str("type").is_some_and(|t| known(&t))
}

/// The first line of the oldest rollouts: what `session_meta` holds today, without an envelope.
fn is_flat_header(record: Json<'_>) -> bool {
    let text = |name| record.get(name).and_then(Json::as_str).is_some();
    record.get("type").is_none() && text("id") && text("timestamp") && record.get("instructions").is_some()
}

struct CodexRollout {
    path: String,
    /// Events given so far: part of made-up ids.
    emitted: u64,
    /// The first record, unless it is the header.
    headless: Option<Finding>,
    has_header: bool,
    seen_any: bool,
    /// Records without envelope, as the oldest versions wrote them.
    flat: bool,
    /// The newest loader reads these logs by other rules.
    paginated: bool,
    ordinals: Ordinals,
    /// The family that called, by call id.
    callers: HashMap<String, items::Family>,
    /// Call ids of turns that were taken back.
    withdrawn: HashSet<String>,
    turns: Turns,
    /// Calls without id whose outputs have not come yet.
    nameless: u32,
    unknown: UnknownTypes,
    metadata: Metadata,
}

impl CodexRollout {
    fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            emitted: 0,
            headless: None,
            has_header: false,
            seen_any: false,
            flat: false,
            paginated: false,
            ordinals: Ordinals::default(),
            callers: HashMap::new(),
            withdrawn: HashSet::new(),
            turns: Turns::default(),
            nameless: 0,
            unknown: UnknownTypes::default(),
            metadata: Metadata::default(),
        }
    }

    fn header(&mut self, record: &Record<'_>, payload: Json<'_>, sink: &mut dyn Sink) {
        if self.has_header {
            if self.paginated {
                let subject = payload.str("id").unwrap_or_default().into_owned();
                sink.fact(Fact { kind: FactKind::SecondHeader, location: record.location, subject });
            }
            return;
        }
        self.has_header = true;
        self.paginated = payload.str("history_mode").as_deref() == Some("paginated");
        for (name, path) in [("id", "payload.id"), ("cwd", "payload.cwd")] {
            if payload.str(name).is_none() {
                sink.finding(notice::field(record, "refused-header", Severity::Error, path));
            }
        }
        self.metadata.session_id = payload.str("id").map(Cow::into_owned);
        self.metadata.created_at = payload.str("timestamp").map(Cow::into_owned);
    }

    /// The loaders drop a record that lacks part of its envelope.
    fn check_envelope(&self, record: &Record<'_>, sink: &mut dyn Sink) -> bool {
        let missing = ["type", "payload", "timestamp"].into_iter().find(|name| record.json.get_some(name).is_none());
        if let Some(name) = missing {
            sink.finding(notice::field(record, "dropped-record", Severity::Error, name));
        }
        missing.is_none()
    }

    fn compacted(&mut self, record: &Record<'_>, payload: Json<'_>, sink: &mut dyn Sink) {
        let id = self.made_up_id(record);
        let summary = payload.str("message").unwrap_or_default();
        let object = || Value::Object(vec![("summary".into(), Value::from(&*summary))]);
        let ts = timestamp(record.json.get("timestamp"));
        let mut draft = Draft::new(record, Cow::Borrowed(&*id), Kind::CompactionBoundary, Actor::System, ts, &object);
        draft.flags.synthetic_id = true;
        self.emit(record, draft, sink);
        let replacement = payload.get_some("replacement_history");
        self.turns.compacted(replacement, self.emitted);
        for (number, item) in replacement.into_iter().flat_map(Json::elements).enumerate() {
            self.replacing_item(record, item, &format!("{id}#{number}"), sink);
        }
    }

    /// Turns that a person took back are left out by every loader, open calls and all.
    fn event(&mut self, payload: Json<'_>, sink: &mut dyn Sink) {
        if payload.str("type").as_deref() != Some("thread_rolled_back") {
            return;
        }
        let count = payload.get("num_turns").and_then(ordinals::number).unwrap_or(0);
        if let Some((first, calls)) = self.turns.roll_back(count) {
            sink.withdrawn_from(first);
            for call in calls {
                self.callers.remove(&call);
                self.withdrawn.insert(call);
            }
        }
    }

    fn made_up_id(&self, record: &Record<'_>) -> String {
        synthetic_id("codex_rollout", &self.path, self.emitted, record.len())
    }

    fn emit(&mut self, record: &Record<'_>, draft: Draft<'_>, sink: &mut dyn Sink) {
        self.emitted += 1;
        sink.event(record, draft);
    }
}

impl Adapter for CodexRollout {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        let word = json.str("type");
        let is_header = word.as_deref() == Some("session_meta");
        if !self.seen_any {
            self.seen_any = true;
            self.flat = json.get("payload").is_none() && (is_flat_header(json) || items::is_item(json));
            // A broken first line has its own finding.
            if !is_header && !self.flat && record.ordinal == 1 {
                self.headless = Some(notice::missing_header(record));
            }
        }
        if self.flat {
            if items::is_item(json) {
                self.item(record, json, sink);
            }
            return;
        }
        self.ordinals.read(record, is_header, self.paginated, sink);
        if !self.check_envelope(record, sink) {
            return;
        }
        let (Some(word), Some(payload)) = (word, json.get("payload")) else { return };
        match &*word {
            "session_meta" => self.header(record, payload, sink),
            "response_item" => self.item(record, payload, sink),
            "compacted" => self.compacted(record, payload, sink),
            "event_msg" => self.event(payload, sink),
            other if METADATA.contains(&other) => {}
            _ => self.unknown.note(record, "type", json.get("type"), sink),
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if let Some(finding) = self.headless.take() {
            sink.finding(finding);
        }
        self.ordinals.finish(self.paginated, sink);
    }

    fn refuses_byte_order_mark(&self) -> bool {
        true
    }

    fn conventions(&self) -> Conventions {
        CONVENTIONS
    }

    fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }
}
