//! What every check is given, and what it hands back before causes are sorted out.
//!
//! Owns how a finding is tied to an event: record id, line, place, subject. Decides nothing.

use serde_json::{Map, Value as Json, json};

use super::forest::Forest;
use crate::finding::fingerprint::{Origin, fingerprint, hex};
use crate::finding::{Finding, Stage, Subject};
use crate::model::content_free::{REDACTED, mask, record_id};
use crate::model::session::{Fact, Run};
use crate::model::{Event, Recall, Session, Sym};
use crate::rule::Rule;
use crate::rule::profile::Profile;

/// "No event" in tables of positions.
pub(crate) const NONE: u32 = u32::MAX;

/// Entries that lists in evidence hold at most.
pub(crate) const LISTED: usize = 32;

/// One run of all checks over one session.
pub(crate) struct Context<'a> {
    /// What is checked.
    pub session: &'a Session,
    /// Reads payloads again.
    pub recall: &'a dyn Recall,
    /// How strictly.
    pub profile: &'a Profile,
    /// What enters fingerprints beside a finding.
    pub origin: Origin<'a>,
    /// The parent links.
    pub forest: Forest,
    /// By record: a later record repeats it whole. Empty where loaders do not let the last copy win.
    superseded: Vec<bool>,
}

/// A finding with the events it is about, so that causes can be found by position.
pub(crate) struct Found {
    /// The finding.
    pub finding: Finding,
    /// Position of the event concerned, or [`NONE`].
    pub at: u32,
    /// Position of the other one: the result of a pair, the event behind an open call. Or [`NONE`].
    pub with: u32,
}

impl<'a> Context<'a> {
    pub(crate) fn new(session: &'a Session, recall: &'a dyn Recall, profile: &'a Profile, path: &'a str) -> Self {
        let origin = Origin {
            format: session.format,
            format_version: session.format_version,
            profile: profile.id,
            profile_version: profile.version,
            path,
        };
        let forest = Forest::new(session);
        let superseded = superseded(session, &forest);
        Self { session, recall, profile, origin, forest, superseded }
    }

    /// Whether a later record repeats the event's record whole, so that loaders use that one.
    pub(crate) fn is_superseded(&self, event: &Event) -> bool {
        self.superseded.get(event.record as usize) == Some(&true)
    }

    /// The event at a position.
    pub(crate) fn event(&self, at: u32) -> &'a Event {
        &self.session.events[at as usize]
    }

    /// All events with their positions.
    pub(crate) fn events(&self) -> impl Iterator<Item = (u32, &'a Event)> + use<'a> {
        (0..).zip(&self.session.events)
    }

    /// The run of a printed stream that an event belongs to.
    pub(crate) fn run_of(&self, at: u32) -> Option<&'a Run> {
        let runs = &self.session.runs;
        runs.get(runs.partition_point(|run| run.events.1 <= at))
    }

    /// The id of the event at a position.
    pub(crate) fn id(&self, at: u32) -> &'a str {
        self.session.text(self.event(at).id)
    }

    /// An id as evidence shows it: masked, null when there is none.
    pub(crate) fn masked(&self, sym: Sym) -> Json {
        if sym.is_none() { Json::Null } else { mask(self.session.text(sym)).into() }
    }

    /// The masked ids of events.
    pub(crate) fn masked_ids(&self, events: &[u32]) -> Vec<String> {
        events.iter().map(|&at| mask(self.id(at)).to_owned()).collect()
    }

    /// A finding about the event at `at`, which stands at `place`.
    pub(crate) fn finding(&self, rule: &'static Rule, at: u32, place: u32) -> Finding {
        let event = self.event(at);
        let mut finding = Finding::new(rule, Stage::Checking);
        finding.record_id = record_id(self.session.text(event.id));
        finding.line = (event.line > 0).then_some(event.line);
        finding.location = self.session.location(self.event(place));
        finding.subject = Subject { record: self.subject(event), part: String::new() };
        finding
    }

    /// A finding about something an adapter saw that is no event.
    pub(crate) fn about_fact(&self, rule: &'static Rule, fact: &Fact) -> Finding {
        let mut finding = Finding::new(rule, Stage::Checking);
        finding.line = fact.location.line;
        finding.location = fact.location;
        finding.subject = Subject { record: fact.subject.clone(), part: String::new() };
        finding
    }

    /// Attaches the third and later of `members` to the finding about the first two, each at its own place.
    pub(crate) fn attach_further(&self, finding: &mut Finding, members: &[u32]) {
        // Where the reference program judges the format rightly, its one finding says how many there are.
        if self.session.conventions.one_tree {
            return;
        }
        let further = members.iter().enumerate().take(LISTED).skip(2).map(|(n, &at)| {
            let mut copy = self.finding(finding.rule, at, at);
            copy.variant = finding.variant;
            copy.severity = finding.severity;
            copy.repairability = finding.repairability;
            copy.record_id = copy.record_id.filter(|id| id != REDACTED);
            copy.evidence = evidence(json!({ "id": mask(self.id(at)), "index": at }));
            copy.subject.part = format!("{}#{}", finding.subject.part, n + 1);
            copy.fingerprint = fingerprint(&copy, &self.origin);
            copy
        });
        finding.consequences = further.collect();
    }

    /// What names a record for good: its id, or the hash of its bytes when the id was made up.
    fn subject(&self, event: &Event) -> String {
        let hash = if event.flags.synthetic_id { self.recall.record_hash(self.session, event.record) } else { None };
        hash.map_or_else(|| self.session.text(event.id).to_owned(), |hash| hex(&hash))
    }

    /// The key of a call or result as `related` names it: none when absent or masked.
    pub(crate) fn related_key(&self, sym: Sym) -> Vec<String> {
        let text = self.session.text(sym);
        if text.is_empty() || mask(text) != text { Vec::new() } else { vec![text.to_owned()] }
    }
}

impl Found {
    /// A finding about one event.
    pub(crate) fn one(finding: Finding, at: u32) -> Self {
        Self { finding, at, with: NONE }
    }
}

fn superseded(session: &Session, forest: &Forest) -> Vec<bool> {
    if !session.conventions.identity_by_bytes || session.conventions.resends_copies {
        return Vec::new();
    }
    let mut whole = vec![true; session.records.len()];
    for event in &session.events {
        let last = session.events[forest.node(event.id) as usize].record;
        whole[event.record as usize] &= last != event.record;
    }
    whole
}

/// Evidence from a `json!` object.
pub(crate) fn evidence(object: Json) -> Map<String, Json> {
    match object {
        Json::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// Related ids: trimmed, distinct, sorted.
pub(crate) fn related(ids: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.into_iter().filter(|id| !id.is_empty()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The row that stands for the findings of one code beyond its cap.
pub(crate) fn overflow(rule: &'static Rule, cap: usize, total: usize, total_name: &str) -> Finding {
    let mut finding = Finding::new(rule, Stage::Checking);
    finding.variant = "overflow-summary";
    finding.severity = crate::finding::Severity::Warning;
    finding.repairability = crate::finding::Repairability::Manual;
    finding.evidence = evidence(json!({
        "cap": cap, "overflow": true, "truncated_count": total - cap, "variant": "overflow-summary",
    }));
    finding.evidence.insert(total_name.to_owned(), total.into());
    finding.subject.part = "overflow-summary".into();
    finding
}
