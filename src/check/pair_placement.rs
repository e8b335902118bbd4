//! Where the call and the result of a clean pair stand: SL105 to SL108.
//!
//! By position, or along parent links where a format says that those are the history. Every question about a pair is
//! answered from tables built once: sorted positions by kind, ancestor spans, nearest turns and boundaries above.

use serde_json::{Value as Json, json};

use super::capped::Capped;
use super::chain::Chain;
use super::context::{Context, Found, NONE, evidence};
use super::pair_placement_rules::{SL105, SL106, SL107, SL108};
use super::tool_pairing::Pair;
use super::union_find::UnionFind;
use crate::finding::{Finding, Repairability, Severity};
use crate::model::content_free::{mask, trim};
use crate::model::session::Adjacency;
use crate::model::{Kind, Sym};
use crate::rule::Rule;

struct Placement<'a, 'b> {
    context: &'b Context<'a>,
    /// By kind: the positions of its events, ascending.
    positions: [Vec<u32>; Kind::ALL.len()],
    chain: Chain,
    /// By symbol of an id: what hangs together, over all occurrences.
    connected: UnionFind,
    /// In one tree, by position: the event that its batch of calls and results hangs on, and whether a call of the batch
    /// stands above it.
    batch: Vec<(u32, bool)>,
}

/// Judges the place of one pair.
type Judge = fn(&Placement<'_, '_>, Pair) -> Option<Finding>;

pub(crate) fn check(context: &Context<'_>, pairs: &[Pair]) -> Vec<Found> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let placement = Placement::new(context);
    let mut found = Vec::new();
    let checks: [(&'static Rule, Judge); 4] = [
        (&SL105, |all, pair| all.reversed(pair)),
        (&SL106, |all, pair| all.cross_branch(pair)),
        (&SL107, |all, pair| all.apart(pair)),
        (&SL108, |all, pair| all.split(pair)),
    ];
    for (rule, check) in checks {
        let mut kept = Capped::new(rule);
        for &(call, result) in pairs {
            if let Some(finding) = check(&placement, (call, result)) {
                let primary = mask(context.session.text(context.event(call).correlation));
                kept.push(context, primary, Found { finding, at: call, with: result });
            }
        }
        found.extend(kept.finish(context));
    }
    found
}

impl<'a, 'b> Placement<'a, 'b> {
    fn new(context: &'b Context<'a>) -> Self {
        let mut positions: [Vec<u32>; Kind::ALL.len()] = Default::default();
        for (at, event) in context.events().filter(|(_, event)| !event.flags.withdrawn) {
            positions[event.kind as usize].push(at);
        }
        let conventions = &context.session.conventions;
        let by_component = conventions.tree && conventions.one_tree;
        let connected = if by_component { connect(context) } else { UnionFind::new(0) };
        let batch = if by_component { batches(context) } else { Vec::new() };
        Self { context, positions, chain: Chain::new(context), connected, batch }
    }

    /// Positions of a kind strictly between two positions.
    fn between(&self, kind: Kind, lo: u32, hi: u32) -> &[u32] {
        let all = &self.positions[kind as usize];
        let start = all.partition_point(|&at| at <= lo);
        let end = all.partition_point(|&at| at < hi);
        all.get(start..end).unwrap_or_default()
    }

    /// The position that stands for an event in the forest.
    fn node(&self, at: u32) -> u32 {
        self.context.forest.node(self.context.event(at).id)
    }

    fn finding(&self, rule: &'static Rule, (call, result): Pair, line_of: u32) -> Finding {
        let key = self.context.event(call).correlation;
        let mut finding = self.context.finding(rule, call, result);
        let line = self.context.event(line_of).line;
        finding.line = (line > 0).then_some(line);
        finding.related = self.context.related_key(key);
        finding.subject.part = self.context.session.text(key).to_owned();
        finding.evidence = evidence(json!({
            "correlation_id": self.context.masked(key),
            "use_index": call,
            "result_index": result,
        }));
        finding
    }

    fn reversed(&self, pair: Pair) -> Option<Finding> {
        let (call, result) = pair;
        let reversed = if self.context.session.conventions.stored_in_order {
            result < call
        } else {
            self.context.forest.is_ancestor(self.node(result), self.node(call))
        };
        reversed.then(|| self.finding(&SL105, pair, result))
    }

    fn cross_branch(&self, pair: Pair) -> Option<Finding> {
        let (call, result) = pair;
        let context = self.context;
        let (use_event, result_event) = (context.event(call), context.event(result));
        let (a, b) = (context.session.scope(use_event), context.session.scope(result_event));
        let values = [
            ("agent_id", a.agent, b.agent),
            ("branch_id", a.branch, b.branch),
            ("interaction_id", a.interaction, b.interaction),
        ];
        let text = |sym: Sym| trim(context.session.text(sym));
        let scoped = values.iter().any(|v| !text(v.1).is_empty() || !text(v.2).is_empty());
        let differing = || values.iter().filter(|v| text(v.1) != text(v.2));
        let crossed = if scoped {
            differing().next().is_some()
        } else {
            self.in_different_parts(use_event.id, result_event.id) || self.on_different_paths(call, result)
        };
        if !crossed {
            return None;
        }
        let mut finding = self.finding(&SL106, pair, result);
        finding.related = vec![mask(context.id(result)).to_owned()];
        finding.evidence.insert("use_id".into(), context.masked(use_event.id));
        finding.evidence.insert("result_id".into(), context.masked(result_event.id));
        if scoped {
            finding.variant = "other-scope";
            finding.evidence.insert("scope_mismatch".into(), true.into());
            for (name, a, b) in differing() {
                for (side, value) in [("call", text(*a)), ("result", text(*b))] {
                    if !value.is_empty() {
                        finding.evidence.insert(format!("{side}_{name}"), mask(value).into());
                    }
                }
            }
        }
        Some(finding)
    }

    fn in_different_parts(&self, a: Sym, b: Sym) -> bool {
        !self.connected.is_empty() && self.connected.find(a.index()) != self.connected.find(b.index())
    }

    /// Neither stands above the other, and no compaction that starts anew says why.
    fn on_different_paths(&self, call: u32, result: u32) -> bool {
        if self.boundary_above(call, result).is_some() {
            return false;
        }
        let (call, result) = (self.node(call), self.node(result));
        let forest = &self.context.forest;
        let in_cycle = forest.components.get(forest.component(call) as usize).is_some_and(|c| c.cyclic);
        // The results of parallel calls may all hang on the last of them.
        let batch = |at: u32| self.batch.get(at as usize).copied().unwrap_or((NONE, false));
        let in_one_batch = batch(result).1 && batch(result).0 == batch(call).0;
        (self.context.session.conventions.pair_on_path || !self.batch.is_empty() && !in_one_batch)
            && !in_cycle
            // Two records with one id have no places of their own.
            && call != result
            && !forest.is_ancestor(call, result)
            && !forest.is_ancestor(result, call)
    }

    fn apart(&self, pair: Pair) -> Option<Finding> {
        let (call, result) = pair;
        let (lo, hi) = (call.min(result), call.max(result));
        let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|&kind| !self.between(kind, lo, hi).is_empty()).collect();
        let apart = match self.context.session.conventions.adjacency {
            Adjacency::Free => false,
            Adjacency::Position => kinds.iter().any(|kind| !kind.is_tool()),
            Adjacency::Chain => self.chain.turn_between(self.context, self.node(call), self.node(result)),
        };
        if !apart {
            return None;
        }
        let mut finding = self.finding(&SL107, pair, call);
        finding.severity = match self.context.session.conventions.adjacency {
            Adjacency::Chain => Severity::Error,
            Adjacency::Position | Adjacency::Free => self.context.profile.raise(SL107.severity),
        };
        let mut words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        words.sort_unstable();
        finding.evidence.insert("intervening_count".into(), Json::from((hi - lo).saturating_sub(1)));
        finding.evidence.insert("intervening_kinds".into(), words.into());
        Some(finding)
    }

    fn split(&self, pair: Pair) -> Option<Finding> {
        let (call, result) = pair;
        let conventions = &self.context.session.conventions;
        // Boundaries that keep what stands before them do not split there.
        if !self.context.session.kept.is_empty() {
            return None;
        }
        let (boundary, only) = if conventions.compaction_on_chain {
            self.boundary_above(call, result)?
        } else {
            let inside = self.between(Kind::CompactionBoundary, call.min(result), call.max(result));
            (*inside.first()?, inside.len() == 1)
        };
        let mut finding = self.finding(&SL108, pair, call);
        finding.severity = self.context.profile.raise(conventions.compaction_split);
        finding.evidence.insert("boundary_index".into(), boundary.into());
        if !only {
            finding.variant = "several-boundaries";
            finding.repairability = Repairability::LossyExplicit;
        }
        Some(finding)
    }

    /// The nearest boundary above the result that stands behind the call and does not hang below it, and whether it
    /// is the only one.
    fn boundary_above(&self, call: u32, result: u32) -> Option<(u32, bool)> {
        let splits = |boundary: u32| {
            boundary != NONE && boundary > call && !self.context.forest.is_ancestor(boundary, self.node(call))
        };
        let boundary = self.chain.boundary(self.node(result));
        splits(boundary).then(|| (boundary, !splits(self.chain.boundary(boundary))))
    }
}

/// By position: what the calls and results around an event hang on, and whether one of these calls stands above it.
fn batches(context: &Context<'_>) -> Vec<(u32, bool)> {
    let mut batch = vec![(NONE, false); context.session.events.len()];
    for &at in &context.forest.order {
        let parent = context.forest.parent(at);
        batch[at as usize] = match parent {
            NONE => (NONE, false),
            _ => match context.event(parent).kind {
                Kind::ToolCall => (batch[parent as usize].0, true),
                Kind::ToolResult => batch[parent as usize],
                _ => (parent, false),
            },
        };
    }
    batch
}

/// Joins every occurrence of an id with its parent's id, blank ids left out.
fn connect(context: &Context<'_>) -> UnionFind {
    let session = context.session;
    let mut parts = UnionFind::new(session.strings.len() + 1);
    let known = |sym: Sym| context.forest.node(sym) != NONE && !trim(session.text(sym)).is_empty();
    for event in session.events.iter().filter(|event| known(event.id) && known(event.parent)) {
        parts.join(event.id.index(), event.parent.index());
    }
    parts.settle();
    parts
}
