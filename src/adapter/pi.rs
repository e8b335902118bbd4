//! pi session trees: `~/.pi/agent/sessions/--<path>--/<time>_<id>.jsonl`, also as OpenClaw writes them.
//!
//! A header, then entries that name their parent; the last line is the head. Version 1 is linear and has no ids: its
//! entries get positional ones. Both kinds are healthy, and so are branches, several roots and any order of lines.

mod message;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use super::detect::Sample;
use super::notice::{self, UnknownTypes};
use super::{Adapter, Draft, Fault, Format, Framing, Metadata, Record, Sink, synthetic_id, timestamp};
use crate::check::compatibility::SL301;
use crate::check::json_text::SL502;
use crate::finding::{Finding, Repairability, Severity};
use crate::model::session::Adjacency;
use crate::model::{Actor, Conventions, Kind, Value};
use crate::record::Json;

/// The format as registered.
pub static FORMAT: Format = Format {
    id: "pi-jsonl",
    name: "pi",
    version: "1.0.0",
    versions: &["1", "2", "3"],
    declared: &[],
    description: "Session trees of pi and OpenClaw",
    default_profile: "neutral",
    framing: Framing::Lines,
    score,
    open: |path| Box::new(Pi::new(path)),
};

const CONVENTIONS: Conventions = Conventions {
    tree: true,
    one_tree: false,
    pair_on_path: true,
    stored_in_order: false,
    adjacency: Adjacency::Chain,
    open_tail: Severity::Warning,
    compaction_split: Severity::Error,
    compaction_on_chain: true,
    checkpoints: false,
    identity_by_bytes: true,
    resends_copies: false,
    stamps: &[],
    id_member: "id",
    reunites_messages: false,
    sends_reasoning_alone: false,
};

/// The newest version that current programs write.
const NEWEST: i64 = 3;

/// Entry types that are kept in the tree and never sent.
const METADATA: &[&str] =
    &["context_edit", "custom", "label", "leaf", "model_change", "session_info", "thinking_level_change", "usage"];

fn score(sample: &Sample) -> f64 {
    // Without its header a log is still known by entries that nobody else writes.
    let entry = |r: Json<'_>| {
        let said = |r: Json<'_>| r.get("message").is_some_and(|m| m.get("role").is_some());
        r.get("parentId").is_some()
            && r.str("type").is_some_and(|t| t == "message" && said(r) || METADATA.contains(&&*t))
            && r.get("data").is_none_or(|_| r.get("customType").is_some())
    };
    if !sample.is_document && sample.any(|r| is_header(r) || entry(r) || is_linear_entry(r)) { 1.0 } else { 0.0 }
}

/// The first line. Another harness begins its logs alike but gives its time as a number.
fn is_header(record: Json<'_>) -> bool {
    record.str("type").as_deref() == Some("session")
        && record.str("id").is_some()
        && record.str("timestamp").is_some()
        && record.get("createdAt").is_none()
}

/// An entry of version 1, which has neither id nor parent.
fn is_linear_entry(record: Json<'_>) -> bool {
    let said = |m: Json<'_>| m.get("role").is_some() && m.get("content").is_some();
    record.str("type").as_deref() == Some("message")
        && record.str("timestamp").is_some()
        && record.get("message").is_some_and(said)
        && record.members().count() == 3
}

struct Pi {
    path: String,
    /// Records read so far: the position of the next one, the header being 0.
    position: u64,
    /// Events given so far: part of made-up ids.
    emitted: u64,
    header: Option<String>,
    /// Entries have neither ids nor parents.
    linear: bool,
    /// Calls of the last answer that have no id, and the ids of the others.
    nameless: usize,
    named: HashSet<String>,
    unknown: UnknownTypes,
    metadata: Metadata,
}

/// What all events of an entry share.
struct Entry<'a> {
    id: Cow<'a, str>,
    own_id: bool,
    parent: Option<Cow<'a, str>>,
    ts: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    /// An event of the entry under the entry's own id.
    fn draft<'d>(&'d self, record: &Record<'_>, kind: Kind, actor: Actor, payload: &'d dyn Fn() -> Value) -> Draft<'d> {
        let mut draft = Draft::new(record, Cow::Borrowed(&*self.id), kind, actor, Cow::Borrowed(&*self.ts), payload);
        draft.parent = self.parent.as_deref().map(Cow::Borrowed);
        draft.flags.synthetic_id = !self.own_id;
        draft.original_id = self.own_id.then_some(Cow::Borrowed(&*self.id));
        draft
    }
}

impl Pi {
    fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            position: 0,
            emitted: 0,
            header: None,
            linear: false,
            nameless: 0,
            named: HashSet::new(),
            unknown: UnknownTypes::default(),
            metadata: Metadata::default(),
        }
    }

    fn header(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        if json.str("id").is_none() {
            sink.finding(notice::field(record, "refused-header", Severity::Error, "id"));
        }
        let version = json.get_some("version").and_then(Json::as_i64);
        self.linear = version.is_none_or(|version| version <= 1);
        if version.is_some_and(|version| version > NEWEST) {
            let mut finding = Finding { rule: &SL301, ..notice::field(record, "newer", Severity::Info, "version") };
            finding.repairability = SL301.repairability;
            sink.finding(finding);
        }
        self.header = json.str("id").map(Cow::into_owned);
        self.metadata.session_id.clone_from(&self.header);
        self.metadata.created_at = json.str("timestamp").map(Cow::into_owned);
    }

    /// Id and parent of an entry; what its loaders need and do not find is reported.
    fn entry<'a>(&self, record: &Record<'a>, position: u64, sink: &mut dyn Sink) -> Entry<'a> {
        let json = record.json;
        let ts = timestamp(json.get("timestamp"));
        let own = json.str("id").filter(|id| !id.is_empty());
        if self.linear && own.is_none() {
            let parent = (position > 1).then(|| Cow::Owned(positional(position - 1)));
            return Entry { id: Cow::Owned(positional(position)), own_id: false, parent, ts };
        }
        if own.is_none() {
            sink.finding(notice::field(record, "dropped-record", Severity::Error, "id"));
        }
        let parent = json.get("parentId");
        if parent.is_none_or(|parent| !parent.is_null() && parent.as_str().is_none()) {
            sink.finding(notice::field(record, "cut-history", Severity::Error, "parentId"));
        }
        // OpenClaw hangs the first entry on the header.
        let parent = parent.and_then(Json::as_str).filter(|parent| self.header.as_deref() != Some(&**parent));
        let own_id = own.is_some();
        let id = own.unwrap_or_else(|| Cow::Owned(synthetic_id("pi", &self.path, self.emitted, record.len())));
        Entry { id, own_id, parent, ts }
    }

    fn compaction(&mut self, record: &Record<'_>, entry: &Entry<'_>, sink: &mut dyn Sink) {
        let json = record.json;
        let payload = || {
            let summary = json.str("summary").unwrap_or_default();
            Value::Object(vec![("summary".into(), Value::from(&*summary))])
        };
        self.emit(record, entry.draft(record, Kind::CompactionBoundary, Actor::System, &payload), sink);
        let first_kept = match json.get_some("firstKeptEntryIndex").and_then(Json::as_i64) {
            Some(index) if self.linear => positional(index.try_into().unwrap_or(0)),
            _ => json.str("firstKeptEntryId").unwrap_or_default().into_owned(),
        };
        sink.kept_from(&first_kept);
    }

    /// An entry that is one event and no message of the conversation.
    fn plain(&mut self, record: &Record<'_>, entry: &Entry<'_>, kind: Kind, actor: Actor, sink: &mut dyn Sink) {
        let json = record.json;
        let payload = || {
            let content = ["content", "summary"].iter().find_map(|name| json.get_some(name));
            match content {
                Some(content) if kind == Kind::Message => message::role_content(actor, content),
                _ => Value::Object(vec![("type".into(), Value::from(&*json.str("type").unwrap_or_default()))]),
            }
        };
        self.emit(record, entry.draft(record, kind, actor, &payload), sink);
    }

    fn emit(&mut self, record: &Record<'_>, draft: Draft<'_>, sink: &mut dyn Sink) {
        self.emitted += 1;
        sink.event(record, draft);
    }
}

/// The id of an entry of version 1, by its position among the records.
fn positional(position: u64) -> String {
    format!("entry:{position}")
}

impl Adapter for Pi {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let position = self.position;
        self.position += 1;
        let json = record.json;
        let word = json.str("type").unwrap_or_default();
        if word == "session" {
            // A second header is ignored by every loader.
            if position == 0 {
                self.header(record, sink);
            }
            return;
        }
        // A broken first line has its own finding.
        if position == 0 && record.ordinal == 1 {
            sink.finding(notice::missing_header(record));
        }
        if position == 0 {
            self.linear = json.get("id").is_none() && json.get("parentId").is_none();
        }
        let entry = self.entry(record, position, sink);
        match &*word {
            "message" => self.message(record, &entry, sink),
            "compaction" => self.compaction(record, &entry, sink),
            "branch_summary" => self.plain(record, &entry, Kind::Message, Actor::System, sink),
            "custom_message" => self.plain(record, &entry, Kind::Message, Actor::User, sink),
            known => {
                if !METADATA.contains(&known) {
                    self.unknown.note(record, "type", json.get("type"), sink);
                }
                self.plain(record, &entry, Kind::Opaque, Actor::System, sink);
            }
        }
    }

    fn text(&self, finding: &mut Finding) {
        if finding.code() == SL502.code {
            (finding.variant, finding.severity) = ("replaced", Severity::Warning);
        }
    }

    fn broken(&mut self, _fault: &Fault, finding: &mut Finding) -> bool {
        if !matches!(finding.variant, "too-long" | "too-deep") {
            finding.repairability = Repairability::LossyExplicit;
        }
        true
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
