//! Pairs of which a resume sends only one half: variants of SL101 and SL102.
//!
//! A pair that is whole in the log may be torn in the request: its other half stands on a branch that was left.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, evidence};
use super::request::Request;
use super::tool_pairing::Pair;
use super::tool_pairing_rules::{SL101, SL102};

pub(crate) fn check(context: &Context<'_>, request: &Request, pairs: &[Pair]) -> Vec<Found> {
    let reunites = context.session.conventions.reunites_messages;
    let (mut orphans, mut open) = (Capped::new(&SL101), Capped::new(&SL102));
    for &(call, result) in pairs {
        let (at, other, rule, kept, variant) = match (request.sends(call), request.sends(result)) {
            (false, true) => (result, call, &SL101, &mut orphans, "call-not-sent"),
            // Where messages are put back together, their results come along.
            (true, false) if !reunites => (call, result, &SL102, &mut open, "result-not-sent"),
            _ => continue,
        };
        // What a lost parent, a compaction or a wrong order parted has a finding of its own.
        let forest = &context.forest;
        let node = |at: u32| forest.node(context.event(at).id);
        if forest.component(node(call)) != forest.component(node(result))
            || forest.is_ancestor(node(other), node(at))
            || forest.is_ancestor(node(result), node(call))
        {
            continue;
        }
        let key = context.event(at).correlation;
        let mut finding = context.finding(rule, at, at);
        finding.variant = variant;
        finding.related = context.related_key(key);
        finding.subject.part = context.session.text(key).to_owned();
        finding.evidence = evidence(json!({ "correlation_id": context.masked(key), "index": at }));
        kept.push_by_record(context, Found::one(finding, at));
    }
    let mut found = orphans.finish(context);
    found.extend(open.finish(context));
    found
}
