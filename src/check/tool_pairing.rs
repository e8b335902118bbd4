//! How many calls and results there are of each key: SL101 to SL104. Finds the clean pairs whose place is judged next.

use serde_json::{Value as Json, json};

use super::capped::Capped;
use super::context::{Context, Found, LISTED, NONE, evidence, related};
use super::open_call::{Ending, OpenCalls};
use super::path_pairing;
use super::tool_pairing_rules::{SL101, SL102, SL103, SL104};
use crate::finding::{Finding, Repairability, Severity};
use crate::model::content_free::mask;
use crate::model::{Event, Kind, Sym, canonical_json};
use crate::rule::Rule;

/// A call and its only result, by position.
pub(crate) type Pair = (u32, u32);

/// Calls and results of one key, in file order.
#[derive(Default)]
struct Group {
    key: Sym,
    calls: Vec<u32>,
    /// Calls that loaders leave out.
    left_out: Vec<u32>,
    results: Vec<u32>,
}

struct Pairing<'a, 'b> {
    context: &'b Context<'a>,
    orphans: Capped,
    open: Vec<u32>,
    answered_elsewhere: Vec<u32>,
    reused: Capped,
    repeated: Capped,
    pairs: Vec<Pair>,
}

pub(crate) fn check(context: &Context<'_>) -> (Vec<Found>, Vec<Pair>) {
    let mut pairing = Pairing {
        context,
        orphans: Capped::new(&SL101),
        open: Vec::new(),
        answered_elsewhere: Vec::new(),
        reused: Capped::new(&SL103),
        repeated: Capped::new(&SL104),
        pairs: Vec::new(),
    };
    for group in groups(context) {
        if context.session.conventions.pair_on_path {
            pairing.judge_on_paths(&group);
        } else {
            pairing.judge(&group);
        }
    }
    pairing.judge_keyless();
    let mut found = pairing.orphans.finish(context);
    found.extend(open_calls(context, &pairing.open, &pairing.answered_elsewhere));
    found.extend(pairing.reused.finish(context));
    found.extend(pairing.repeated.finish(context));
    (found, pairing.pairs)
}

/// Calls and results that count: none that was taken back, and of a record written twice, only the last copy where
/// formats know such copies.
pub(crate) fn tool_events<'a>(context: &Context<'a>) -> impl Iterator<Item = (u32, &'a Event)> {
    let counts = move |event: &Event| event.kind.is_tool() && !event.flags.withdrawn && !context.is_superseded(event);
    context.events().filter(move |(_, event)| counts(event))
}

fn groups(context: &Context<'_>) -> Vec<Group> {
    let mut keyed: Vec<(Sym, u32)> =
        tool_events(context).filter(|(_, e)| e.correlation.is_some()).map(|(at, e)| (e.correlation, at)).collect();
    keyed.sort_unstable();
    let group = |same: &[(Sym, u32)]| {
        let mut group = Group { key: same[0].0, ..Group::default() };
        for &(_, at) in same {
            group.add(context, at);
        }
        group
    };
    keyed.chunk_by(|a, b| a.0 == b.0).map(group).collect()
}

impl Group {
    fn add(&mut self, context: &Context<'_>, at: u32) {
        let event = context.event(at);
        if event.kind == Kind::ToolResult {
            self.results.push(at);
        } else if event.flags.needs_no_result {
            self.left_out.push(at);
        } else {
            self.calls.push(at);
        }
    }
}

impl Pairing<'_, '_> {
    fn judge(&mut self, group: &Group) {
        let (calls, results) = (&group.calls[..], &group.results[..]);
        if calls.is_empty() {
            results.iter().for_each(|&at| self.orphan(at, !group.left_out.is_empty()));
        }
        if results.is_empty() {
            self.open.extend(calls);
        }
        // Of several results the first one answers; a copy elsewhere must not hide where that stands.
        if let (&[call], &[result, ref others @ ..]) = (calls, results)
            && (others.is_empty() || !self.context.session.conventions.one_tree)
        {
            self.pairs.push((call, result));
        }
        if calls.len() > 1 && self.on_one_path(calls) {
            self.reuse(group.key, calls);
        }
        if results.len() > 1 && self.on_one_path(results) {
            self.repeat(group.key, results, calls.len() == 1);
        }
    }

    /// SL103 about calls of one key.
    fn reuse(&mut self, key: Sym, calls: &[u32]) {
        let finding = self.repetition(&SL103, key, calls, ["call_ids", "call_indexes"]);
        push(self.context, &mut self.reused, finding, calls[0]);
    }

    /// SL104 about results of one key; equal ones can be dropped when one call is what they answer.
    fn repeat(&mut self, key: Sym, results: &[u32], of_one_call: bool) {
        let mut finding = self.repetition(&SL104, key, results, ["result_ids", "result_indexes"]);
        if of_one_call && self.equal_payloads(results) {
            finding.variant = "identical-results";
            finding.repairability = Repairability::Deterministic;
        }
        push(self.context, &mut self.repeated, finding, results[0]);
    }

    /// The same along the paths of a tree.
    fn judge_on_paths(&mut self, group: &Group) {
        let paths = path_pairing::pair(self.context, &group.calls, &group.results);
        paths.orphans.iter().for_each(|&at| self.orphan(at, !group.left_out.is_empty()));
        // Of a call that stands twice on one path one copy is answered; that it is there twice is the defect.
        self.open.extend(paths.open.iter().filter(|at| paths.reused.binary_search(at).is_err()));
        self.answered_elsewhere.extend(paths.answered_elsewhere);
        self.pairs.extend(paths.pairs);
        if !paths.reused.is_empty() {
            self.reuse(group.key, &paths.reused);
        }
        for results in &paths.repeated {
            self.repeat(group.key, results, true);
        }
    }

    /// Calls and results without a key: each stands alone in one tree; elsewhere they answer one another in order.
    fn judge_keyless(&mut self) {
        let mut waiting = std::collections::VecDeque::new();
        for (at, event) in tool_events(self.context).filter(|(_, e)| e.correlation.is_none()) {
            if event.kind == Kind::ToolCall {
                if !event.flags.needs_no_result {
                    waiting.push_back(at);
                }
            } else if self.context.session.conventions.one_tree || waiting.pop_front().is_none() {
                self.orphan(at, false);
            }
        }
        self.open.extend(waiting);
    }

    fn orphan(&mut self, at: u32, left_out: bool) {
        let event = self.context.event(at);
        if event.flags.needs_no_call {
            return;
        }
        let mut finding = self.context.finding(&SL101, at, at);
        if left_out {
            finding.variant = "call-left-out";
        }
        finding.related = self.context.related_key(event.correlation);
        finding.subject.part = self.context.session.text(event.correlation).to_owned();
        finding.evidence = evidence(json!({
            "correlation_id": self.context.masked(event.correlation),
            "index": at,
            "result_id": self.context.masked(event.id),
        }));
        push(self.context, &mut self.orphans, finding, at);
    }

    fn repetition(&self, rule: &'static Rule, key: Sym, members: &[u32], names: [&str; 2]) -> Finding {
        let context = self.context;
        let listed = &members[..members.len().min(LISTED)];
        let ids = context.masked_ids(listed);
        let mut finding = context.finding(rule, members[0], members[1]);
        finding.related = related(context.masked_ids(members));
        finding.subject.part = context.session.text(key).to_owned();
        finding.evidence = evidence(json!({
            "correlation_id": context.masked(key),
            "count": members.len(),
            "event_ids": ids,
            "truncated": members.len() > LISTED,
        }));
        finding.evidence.insert(names[0].to_owned(), ids.into());
        finding.evidence.insert(names[1].to_owned(), listed.into());
        context.attach_further(&mut finding, members);
        finding
    }

    fn equal_payloads(&self, results: &[u32]) -> bool {
        let payload = |at: u32| {
            let event = self.context.recall.event(self.context.session, at as usize)?;
            event.get("payload").map(canonical_json::to_string)
        };
        let first = payload(results[0]);
        first.is_some() && results[1..].iter().all(|&at| payload(at) == first)
    }

    /// Where each branch is replayed alone, what happened on two of them did not happen twice.
    fn on_one_path(&self, members: &[u32]) -> bool {
        let context = self.context;
        if !context.session.conventions.pair_on_path {
            return true;
        }
        let node = |at: u32| context.forest.node(context.event(at).id);
        let mut nodes: Vec<u32> = members.iter().map(|&at| node(at)).collect();
        nodes.sort_unstable_by_key(|&at| context.forest.rank(at));
        let mut records: Vec<u32> = members.iter().map(|&at| context.event(at).record).collect();
        records.sort_unstable();
        nodes.windows(2).any(|w| w[0] == w[1] || context.forest.is_ancestor(w[0], w[1]))
            || records.windows(2).any(|w| w[0] == w[1])
    }
}

fn open_calls(context: &Context<'_>, open: &[u32], answered_elsewhere: &[u32]) -> Vec<Found> {
    let mut kept = Capped::new(&SL102);
    if open.is_empty() && answered_elsewhere.is_empty() {
        return Vec::new();
    }
    let ends = OpenCalls::new(context);
    let elsewhere = answered_elsewhere.iter().map(|&at| (at, Some(Ending::AnsweredElsewhere)));
    for (at, known) in open.iter().map(|&at| (at, None)).chain(elsewhere) {
        let event = context.event(at);
        let mut finding = context.finding(&SL102, at, at);
        finding.related = context.related_key(event.correlation);
        finding.subject.part = context.session.text(event.correlation).to_owned();
        finding.evidence = evidence(json!({
            "correlation_id": context.masked(event.correlation),
            "event_id": context.masked(event.id),
            "index": at,
        }));
        let mut behind = NONE;
        match known.unwrap_or_else(|| ends.ending(context, at)) {
            Ending::Tail => {
                finding.variant = "open-tail";
                finding.severity = context.session.conventions.open_tail;
            }
            Ending::LeftBranch => {
                finding.variant = "left-branch";
            }
            Ending::Stopped => {
                finding.variant = "stopped";
                finding.severity = Severity::Info;
            }
            Ending::AnsweredElsewhere => {
                finding.variant = "answered-elsewhere";
                finding.severity = Severity::Info;
            }
            Ending::Middle { cut_off_by } => behind = cut_off_by,
        }
        let primary = primary(&finding);
        kept.push(context, &primary, Found { finding, at, with: behind });
    }
    kept.finish(context)
}

fn push(context: &Context<'_>, kept: &mut Capped, finding: Finding, at: u32) {
    let primary = primary(&finding);
    kept.push(context, &primary, Found::one(finding, at));
}

/// Record id, else the key.
fn primary(finding: &Finding) -> String {
    let key = || finding.evidence.get("correlation_id").and_then(Json::as_str).map(mask).unwrap_or_default().to_owned();
    finding.record_id.clone().unwrap_or_else(key)
}
