//! Compactions that state what they keep: SL108 where the first kept record is a result, or is not there.
//!
//! Only the last compaction on the way to the head is replayed; what an earlier one kept is no longer sent.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, NONE, evidence};
use super::pair_placement_rules::SL108;
use super::tool_pairing::Pair;
use crate::finding::{Finding, Repairability, Severity};
use crate::model::session::Kept;
use crate::model::{Kind, Sym};

pub(crate) fn check(context: &Context<'_>, pairs: &[Pair]) -> Vec<Found> {
    let kept = &context.session.kept;
    if kept.is_empty() {
        return Vec::new();
    }
    let mut by_result: Vec<(u32, u32)> = pairs.iter().map(|&(call, result)| (result, call)).collect();
    by_result.sort_unstable();
    let last = last_boundary(context);
    let mut capped = Capped::new(&SL108);
    for kept in kept {
        if let Some(mut found) = judge(context, *kept, &by_result) {
            if last != NONE && context.forest.is_ancestor(kept.boundary, last) {
                found.finding.severity = Severity::Info;
            }
            capped.push_by_record(context, found);
        }
    }
    capped.finish(context)
}

/// The compaction that a resume goes by: the last one on the way to the head.
fn last_boundary(context: &Context<'_>) -> u32 {
    let mut at = context.session.events.last().map_or(NONE, |last| context.forest.node(last.id));
    // A cycle has no way to its beginning; as many steps as there are events end any other.
    for _ in 0..context.session.events.len() {
        if at == NONE || context.event(at).kind == Kind::CompactionBoundary {
            return at;
        }
        at = context.forest.parent(at);
    }
    NONE
}

fn judge(context: &Context<'_>, kept: Kept, by_result: &[(u32, u32)]) -> Option<Found> {
    let forest = &context.forest;
    let boundary = kept.boundary;
    let first = forest.node(kept.first);
    if kept.first == context.event(boundary).id {
        return None;
    }
    if first == NONE || !forest.is_ancestor(first, boundary) {
        let mut finding = finding(context, boundary, boundary, "nothing-kept", kept.first);
        finding.repairability = Repairability::Deterministic;
        return Some(Found::one(finding, boundary));
    }
    let place = by_result.binary_search_by_key(&first, |pair| pair.0).ok()?;
    let (result, call) = by_result[place];
    let mut finding = finding(context, call, result, "kept-result", context.event(call).correlation);
    finding.evidence.insert("use_index".into(), call.into());
    finding.evidence.insert("result_index".into(), result.into());
    finding.evidence.insert("boundary_index".into(), boundary.into());
    Some(Found { finding, at: call, with: result })
}

fn finding(context: &Context<'_>, at: u32, place: u32, variant: &'static str, part: Sym) -> Finding {
    let mut finding = context.finding(&SL108, at, place);
    finding.variant = variant;
    finding.severity = context.profile.raise(context.session.conventions.compaction_split);
    finding.repairability = Repairability::Manual;
    finding.related = context.related_key(part);
    finding.subject.part = context.session.text(part).to_owned();
    finding.evidence = evidence(json!({ "first_kept": context.masked(part), "index": at }));
    finding
}
