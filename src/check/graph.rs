//! Parent links: SL004 lost parents, SL005 cycles, SL006 parts that hang alone, SL007 several ends.
//!
//! Only the occurrence of an id that counts takes part. Where branches are ordinary, SL006 and SL007 are made only when
//! a lost parent or a cycle can explain them; [`super::cause`] ties them to it.

use serde_json::{Value as Json, json};

use super::capped::Capped;
use super::context::{Context, Found, LISTED, NONE, evidence, related};
use super::forest::Component;
use super::graph_rules::{SL004, SL005, SL006, SL007};
use crate::finding::fingerprint::fingerprint;
use crate::finding::{Finding, Subject};
use crate::model::content_free::mask;

/// Bytes of earlier ids that the fingerprints of one session's SL004 may take in. The reference hashes all earlier
/// ids into each; past this budget only those that are listed, so that n lost parents cost n steps.
const DECOY_BUDGET: usize = 4 << 20;

/// Bytes around the id in one entry of that list.
const DECOY_FRAME: usize = 48;

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    if !context.session.conventions.tree {
        return Vec::new();
    }
    let mut found = missing_parents(context);
    found.extend(cycles(context));
    let broken = |c: &Component| c.orphaned || c.cyclic;
    if context.session.conventions.one_tree || context.forest.components.iter().any(broken) {
        found.extend(disconnected(context));
        found.extend(heads(context));
    }
    found
}

fn missing_parents(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL004);
    let (mut budget, mut earlier, mut counted) = (DECOY_BUDGET, 0, 0);
    for component in context.forest.components.iter().filter(|c| c.orphaned) {
        let child = component.root;
        earlier += (counted..child).map(|at| context.id(at).len() + DECOY_FRAME).sum::<usize>();
        counted = child;
        let mut finding = context.finding(&SL004, child, child);
        let parent = context.event(child).parent;
        finding.subject.part = context.session.text(parent).to_owned();
        finding.related =
            related([context.id(child), context.session.text(parent)].map(|id| mask(id.trim()).to_owned()));
        finding.evidence = evidence(json!({
            "id": mask(context.id(child)),
            "index": child,
            "parent_id": context.masked(parent),
            "match_rule": "full-equality",
            "confinement": { "branch": false, "segment": false },
            "candidate_count": 0,
            "reason": "no_full_match",
        }));
        if earlier <= budget {
            budget -= earlier;
            finding.evidence.insert("rejected_decoys".into(), decoys(context, child));
            finding.fingerprint = fingerprint(&finding, &context.origin);
        }
        finding.evidence.insert("rejected_decoys".into(), decoys(context, child.min(LISTED as u32)));
        let primary = finding.record_id.clone().unwrap_or_else(|| mask(context.id(child)).to_owned());
        kept.push(context, &primary, Found::one(finding, child));
    }
    kept.finish(context)
}

/// The events before a position, none of which is the lost parent.
fn decoys(context: &Context<'_>, end: u32) -> Json {
    let entry = |at: u32| json!({ "id": mask(context.id(at)), "index": at, "reason": "no_full_match" });
    (0..end).map(entry).collect()
}

fn cycles(context: &Context<'_>) -> Vec<Found> {
    let forest = &context.forest;
    let mut kept = Capped::new(&SL005);
    for component in forest.components.iter().filter(|c| c.cyclic) {
        // As many steps as the component has members lead from anywhere onto its cycle.
        let on_cycle = (0..component.size).fold(component.root, |at, _| forest.parent(at));
        let mut cycle = vec![on_cycle];
        let mut at = forest.parent(on_cycle);
        while at != on_cycle {
            cycle.push(at);
            at = forest.parent(at);
        }
        let start = (0..cycle.len()).min_by_key(|&i| context.id(cycle[i])).unwrap_or(0);
        cycle.rotate_left(start);
        let closing = cycle.iter().copied().max().unwrap_or(on_cycle);
        let mut finding = context.finding(&SL005, cycle[0], closing);
        finding.related = related(context.masked_ids(&cycle));
        cycle.push(cycle[0]);
        finding.evidence = evidence(json!({ "cycle_path": context.masked_ids(&cycle), "entry_index": cycle[0] }));
        kept.push_by_record(context, Found::one(finding, cycle[0]));
    }
    kept.finish(context)
}

fn disconnected(context: &Context<'_>) -> Vec<Found> {
    let Some(primary) = context.forest.primary(context.session) else { return Vec::new() };
    let mut kept = Capped::new(&SL006);
    for (number, mut members) in members_by_component(context, primary) {
        members.sort_unstable_by_key(|&at| context.id(at));
        let component = &context.forest.components[number as usize];
        let mut finding = context.finding(&SL006, component.root, component.root);
        finding.related = related(context.masked_ids(&members));
        finding.evidence = evidence(json!({
            "root_id": mask(context.id(component.root)),
            "size": component.size,
            "member_sample": context.masked_ids(&members[..members.len().min(8)]),
        }));
        kept.push_by_record(context, Found::one(finding, component.root));
    }
    kept.finish(context)
}

/// The positions of every component but one.
fn members_by_component(context: &Context<'_>, but: u32) -> Vec<(u32, Vec<u32>)> {
    let mut placed: Vec<(u32, u32)> = context
        .events()
        .map(|(at, _)| (context.forest.component(at), at))
        .filter(|(number, _)| *number != NONE && *number != but)
        .collect();
    placed.sort_unstable();
    placed.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|(_, at)| *at).collect())).collect()
}

fn heads(context: &Context<'_>) -> Vec<Found> {
    let mut heads: Vec<u32> = context.events().map(|(at, _)| at).filter(|&at| context.forest.is_head(at)).collect();
    if heads.len() < 2 {
        return Vec::new();
    }
    heads.sort_unstable_by_key(|&at| context.id(at));
    let mut finding: Finding = context.finding(&SL007, heads[0], heads[0]);
    // There is one such finding, and its heads move whenever the log grows.
    finding.subject = Subject { record: String::new(), part: "heads".into() };
    let ids = context.masked_ids(&heads);
    finding.related = related(ids.iter().cloned());
    let mut sorted = ids;
    sorted.sort_unstable();
    finding.evidence = evidence(json!({ "count": heads.len(), "heads": sorted }));
    let mut kept = Capped::new(&SL007);
    kept.push_by_record(context, Found::one(finding, heads[0]));
    kept.finish(context)
}
