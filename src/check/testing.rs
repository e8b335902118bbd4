//! Sessions for tests: a builder, and the plain canonical stream as the recorded cases hold it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use serde_json::Value as Json;

use crate::finding::Finding;
use crate::model::session::{Checkpoint, RecordRow};
use crate::model::{Actor, Conventions, Event, EventFlags, Kind, Recall, Scope, Session, Sym, Value};
use crate::rule::profile::{NEUTRAL, Profile};

/// A session under construction; every event is a record of its own, 100 bytes long, on its own line.
pub(crate) struct Build {
    pub session: Session,
    objects: Vec<Json>,
}

/// Recalls what the builder was given; the record hash is made of the object's text.
struct Objects(Vec<Json>);

impl Recall for Objects {
    fn event(&self, _: &Session, index: usize) -> Option<Value> {
        self.0.get(index).map(value)
    }

    fn said_hash(&self, _: &Session, _: u32) -> Option<[u8; 32]> {
        None
    }

    fn record_hash(&self, session: &Session, record: u32) -> Option<[u8; 32]> {
        use sha2::Digest as _;
        let index = session.events.iter().position(|e| e.record == record)?;
        Some(sha2::Sha256::digest(self.0[index].to_string()).into())
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) if n.is_f64() => Value::Float(n.as_f64().unwrap()),
        Json::Number(n) => Value::Int(n.to_string()),
        Json::String(s) => Value::from(s.as_str()),
        Json::Array(a) => Value::Array(a.iter().map(value).collect()),
        Json::Object(o) => Value::Object(o.iter().map(|(k, v)| (k.clone(), value(v))).collect()),
    }
}

/// Trees in which branches are ordinary, stored in any order, without checkpoints.
pub(crate) const FOREST: Conventions = Conventions {
    one_tree: false,
    pair_on_path: true,
    stored_in_order: false,
    adjacency: crate::model::session::Adjacency::Chain,
    open_tail: crate::finding::Severity::Warning,
    compaction_on_chain: true,
    checkpoints: false,
    identity_by_bytes: true,
    resends_copies: false,
    stamps: &[],
    reasoning_leads: false,
    ..Conventions::CANONICAL
};

/// One sequence of turns without parents.
pub(crate) const FLAT: Conventions =
    Conventions { tree: false, pair_on_path: false, compaction_on_chain: false, ..FOREST };

impl Build {
    pub(crate) fn new(conventions: Conventions) -> Self {
        Self { session: Session::new("canonical", "1.0.0", conventions), objects: Vec::new() }
    }

    fn sym(&mut self, text: &str) -> Sym {
        if text.is_empty() { Sym::NONE } else { self.session.strings.intern(text) }
    }

    /// Adds an event; `words` are `kind id parent correlation message`, a dash for none.
    pub(crate) fn add(&mut self, words: &str) -> &mut Event {
        let mut words = words.split(' ').map(|w| if w == "-" { "" } else { w });
        let kind = match words.next().unwrap() {
            "user" | "assistant" => Kind::Message,
            "call" => Kind::ToolCall,
            "result" => Kind::ToolResult,
            "boundary" => Kind::CompactionBoundary,
            other => Kind::parse(other).unwrap(),
        };
        let mut next = || words.next().unwrap_or("").to_owned();
        let (id, parent, correlation, message) = (next(), next(), next(), next());
        let number = self.session.events.len() as u64;
        self.objects.push(serde_json::json!({ "id": id, "parent_id": parent, "correlation_id": correlation }));
        let event = Event {
            id: self.sym(&id),
            parent: self.sym(&parent),
            kind,
            actor: match kind {
                Kind::ToolCall => Actor::Assistant,
                Kind::ToolResult => Actor::Tool,
                _ => Actor::User,
            },
            correlation: self.sym(&correlation),
            message: self.sym(&message),
            scope: 0,
            record: number as u32,
            part: 0,
            flags: EventFlags::default(),
            seq: number,
            line: 0,
        };
        let row = RecordRow { offset: number * 100, len: 100, line: number + 1, column: 1, item: 0 };
        self.session.records.push(row);
        self.session.events.push(event);
        self.session.events.last_mut().unwrap()
    }

    /// Adds events from lines of words; `user` is a prompt, `assistant` comes from the model.
    pub(crate) fn add_all(mut self, lines: &[&str]) -> Self {
        for line in lines {
            let event = self.add(line);
            event.flags.prompt = line.starts_with("user");
            if line.starts_with("assistant") {
                event.actor = Actor::Assistant;
            }
        }
        self
    }

    pub(crate) fn run(self) -> Vec<Finding> {
        self.run_with(&NEUTRAL, "session.jsonl")
    }

    pub(crate) fn run_with(self, profile: &Profile, path: &str) -> Vec<Finding> {
        self.judged(profile, path).1
    }

    /// The session and what the checks find in it.
    pub(crate) fn judged(self, profile: &Profile, path: &str) -> (Session, Vec<Finding>) {
        let found = super::run(&self.session, &Objects(self.objects), profile, path);
        (self.session, found)
    }

    /// Findings in one line each: `code variant severity line [consequences]`.
    pub(crate) fn outline(self) -> Vec<String> {
        self.run().iter().map(outline).collect()
    }

    /// A well-formed canonical stream: header line, then one event a line.
    pub(crate) fn canonical(text: &str) -> Self {
        let mut build = Self::new(Conventions::CANONICAL);
        let mut lines = text.lines().filter(|l| !l.trim().is_empty());
        let header: Json = serde_json::from_str(lines.next().unwrap()).unwrap();
        for line in lines {
            build.add_canonical(serde_json::from_str(line).unwrap());
        }
        build.read_run_state(&header["source"]["checkpoints"]);
        build
    }

    fn add_canonical(&mut self, mut object: Json) {
        let text = |object: &Json, name: &str| object[name].as_str().map(str::to_owned);
        let event = self.add("message");
        event.kind = Kind::parse(object["kind"].as_str().unwrap()).unwrap();
        event.actor = Actor::parse(object["actor"].as_str().unwrap_or("user")).unwrap();
        event.seq = object["seq"].as_u64().unwrap_or(event.seq);
        event.line = object["source_line"].as_u64().unwrap_or(0);
        let (seq, index) = (event.seq, self.session.events.len() - 1);
        let mut sym = |name: &str| text(&object, name).map_or(Sym::NONE, |t| self.session.strings.intern(&t));
        let (id, parent, correlation) = (sym("id"), sym("parent_id"), sym("correlation_id"));
        let scope = Scope { agent: sym("agent_id"), branch: sym("branch_id"), interaction: sym("interaction_id") };
        let known = self.session.scopes.iter().position(|s| *s == scope);
        let place = known.unwrap_or_else(|| {
            self.session.scopes.push(scope);
            self.session.scopes.len() - 1
        });
        let event = &mut self.session.events[index];
        (event.id, event.parent, event.correlation, event.scope) = (id, parent, correlation, place as u32);
        let kind = event.kind;
        object.as_object_mut().unwrap().entry("seq").or_insert(seq.into());
        if kind.is_tool() {
            let effects = if kind == Kind::ToolCall { "possible" } else { "none" };
            object.as_object_mut().unwrap().entry("side_effects").or_insert(effects.into());
        }
        if kind == Kind::Checkpoint {
            let payload = &object["payload"];
            let stated = payload.get("seq").or(payload.get("checkpoint_seq")).cloned().unwrap_or_default();
            let seq = if stated.is_null() { i64::try_from(seq).ok() } else { stated.as_i64() };
            let hash = payload["state_hash"].as_str().or(payload["hash"].as_str()).map(str::to_owned);
            self.session.checkpoints.push(Checkpoint { index, seq, hash, id: String::new() });
        }
        *self.objects.last_mut().unwrap() = object;
    }

    fn read_run_state(&mut self, list: &Json) {
        for (index, entry) in list.as_array().into_iter().flatten().enumerate() {
            let any = |a: &str, b: &str| entry.get(a).or(entry.get(b)).cloned().unwrap_or_default();
            let seq = any("seq", "checkpoint_seq");
            self.session.run_state.push(Checkpoint {
                index,
                seq: seq.as_i64().or(seq.as_str().and_then(|s| s.parse().ok())),
                hash: any("hash", "state_hash").as_str().map(str::to_owned),
                id: any("id", "checkpoint_id").as_str().unwrap().to_owned(),
            });
        }
    }
}

/// One finding in one line: `code severity line [variant] [[consequence]]`; items stand for lines where there are any.
pub(crate) fn outline(finding: &Finding) -> String {
    let line = finding.location.item.or(finding.location.line).unwrap_or(0);
    let mut text = format!("{} {} {line}", finding.code(), finding.severity.as_str());
    if !finding.variant.is_empty() {
        text = format!("{text} {}", finding.variant);
    }
    for consequence in &finding.consequences {
        text = format!("{text} [{}]", outline(consequence));
    }
    text
}

/// A finding and everything attached to it.
pub(crate) fn flatten(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().flat_map(|f| std::iter::once(f).chain(flatten(&f.consequences))).collect()
}
