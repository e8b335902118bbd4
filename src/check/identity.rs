//! Unique ids: SL003.
//!
//! Repeated ids are grouped once; payloads are read again only for members of a group.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, LISTED, evidence};
use crate::finding::{Finding, Repairability, Severity};
use crate::model::content_free::{REDACTED, mask};
use crate::model::{Value, canonical_json};
use crate::rule::{Family, Rule, Text};

/// Members that say where an event came from, not what it is.
const PROVENANCE: [&str; 3] = ["source_line", "source_location", "source_record_hash"];

/// Two records with one id.
pub static SL003: Rule = Rule {
    code: "SL003",
    name: "Duplicate event ID",
    slug: "duplicate-event-id",
    family: Family::Identity,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "Two or more records share one id.",
            consequence: "A loader keeps one of them, usually the last, and drops the others without a word.",
            next: "Compare the records and keep the one that belongs to the history.",
        },
        Text {
            variant: "identical-duplicate",
            what: "The same record is stored more than once.",
            consequence: "A loader uses one copy; a program that replays every line sends it twice.",
            next: "Run repair: the copies are equal, so dropping the extra ones loses nothing.",
        },
        Text {
            variant: "restamped-copy",
            what: "A record is stored again and says the same: only its session, its time or its spelling differ.",
            consequence: "A loader uses one copy; a program that replays every line sends it twice.",
            next: "Two logs of one session were probably joined. Drop the copies with the salvage policy.",
        },
        Text {
            variant: "conflicting-duplicate",
            what: "Records with different contents share one id.",
            consequence: "A loader keeps one of them, usually the last, and the content of the others is lost.",
            next: "Compare the records and keep the one that belongs to the history.",
        },
    ],
    doc: "Every record needs an id of its own, because later records name their parent by it.\n\n\
Two records with one id come from a write that was tried twice, from two programs that wrote to one file, or from \
joining files by hand. Replay then depends on which copy a loader happens to keep: current ones keep the last.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"parent_id\":null,\"kind\":\"message\",\"payload\":{\"text\":\"a\"}}\n\
{\"id\":\"m1\",\"parent_id\":null,\"kind\":\"message\",\"payload\":{\"text\":\"b\"}}\n\
```\n\n\
**Repair.** Equal copies (`identical-duplicate`, a warning) are dropped down to one. So are those that a program made \
for another session (`restamped-copy`, a warning), under the salvage policy: their stamps are lost. Copies that differ \
(`conflicting-duplicate`) are never chosen between: decide which one is right and delete the other. Items that may go \
without an id all stay under the salvage policy, the later ones without it (recipe `repeated-id-removal`).\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::with_cap(&SL003, 1000, "total_duplicate_ids");
    for members in groups(context) {
        let finding = judge(context, &members);
        let primary = finding.record_id.clone().unwrap_or_else(|| REDACTED.to_owned());
        kept.push(context, &primary, Found::one(finding, members[0]));
    }
    kept.finish(context)
}

/// Positions that share an id, in file order.
fn groups(context: &Context<'_>) -> Vec<Vec<u32>> {
    let session = context.session;
    let mut seen = vec![0u32; session.strings.len() + 1];
    for event in session.events.iter().filter(|event| !event.flags.withdrawn) {
        seen[event.id.index()] += 1;
    }
    let blank = |at: u32| context.id(at).trim().is_empty();
    let mut repeated: Vec<u32> = context
        .events()
        .filter(|(at, e)| seen[e.id.index()] > 1 && !e.flags.withdrawn && !blank(*at))
        .map(|(at, _)| at)
        .collect();
    repeated.sort_by_key(|&at| context.event(at).id);
    let same_id = |a: &u32, b: &u32| context.event(*a).id == context.event(*b).id;
    let groups = repeated.chunk_by(same_id).map(<[u32]>::to_vec).collect();
    if session.conventions.identity_by_bytes { by_record(context, groups) } else { groups }
}

/// Where whole records repeat, each counts once, under the id of its last part; an event that goes by its call's id is
/// left to SL103.
fn by_record(context: &Context<'_>, mut groups: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let record = |at: &u32| context.event(*at).record;
    for members in &mut groups {
        members.dedup_by_key(|at| record(at));
    }
    groups.retain(|members| {
        let first = context.event(members[0]);
        members.len() > 1 && (context.is_superseded(first) || first.id != first.correlation)
    });
    groups.sort_by_key(|members| (record(&members[0]), std::cmp::Reverse(context.event(members[0]).part)));
    groups.dedup_by(|b, a| context.is_superseded(context.event(a[0])) && record(&a[0]) == record(&b[0]));
    groups
}

fn judge(context: &Context<'_>, members: &[u32]) -> Finding {
    let same = |hash: &dyn Fn(u32) -> Option<[u8; 32]>| {
        let first = hash(context.event(members[0]).record);
        first.is_some() && members[1..].iter().all(|&at| hash(context.event(at).record) == first)
    };
    let is_stored_again = context.session.conventions.identity_by_bytes
        && same(&|record| context.recall.record_hash(context.session, record));
    let is_restamped = !is_stored_again && same(&|record| context.recall.said_hash(context.session, record));
    let differing = if is_stored_again || is_restamped { None } else { differences(context, members) };
    let mut finding = context.finding(&SL003, members[0], members[1]);
    finding.record_id = finding.record_id.filter(|id| id != REDACTED);
    finding.evidence = evidence(json!({
        "id": mask(context.id(members[0])),
        "count": members.len(),
        "first_index": members[0],
        "record_indexes": &members[..members.len().min(LISTED)],
    }));
    if members.len() > LISTED {
        finding.evidence.insert("truncated".into(), true.into());
    }
    if let Some(names) = differing {
        finding.variant = "conflicting-duplicate";
        finding.evidence.insert("differing_fields".into(), names.into());
    } else {
        finding.variant = if is_restamped { "restamped-copy" } else { "identical-duplicate" };
        if !context.session.conventions.resends_copies {
            finding.severity = Severity::Warning;
        }
        finding.repairability = if is_restamped { Repairability::LossyExplicit } else { Repairability::Deterministic };
    }
    finding.evidence.insert("variant".into(), finding.variant.into());
    context.attach_further(&mut finding, members);
    finding
}

/// None when all members are the same event, else the names of the members in which they differ.
fn differences(context: &Context<'_>, members: &[u32]) -> Option<Vec<String>> {
    // What cannot be read again is never called identical.
    let read = |at: u32| context.recall.event(context.session, at as usize).map(identity);
    let Some(first) = read(members[0]) else { return Some(Vec::new()) };
    let bytes = canonical_json::to_string(&first);
    let mut differing: Option<BTreeSet<String>> = None;
    for &at in &members[1..] {
        let Some(other) = read(at) else { return Some(Vec::new()) };
        if canonical_json::to_string(&other) != bytes {
            differing.get_or_insert_default().extend(differing_names(&first, &other));
        }
    }
    differing.map(|names| names.into_iter().collect())
}

/// The event without its provenance.
fn identity(mut event: Value) -> Value {
    if let Value::Object(members) = &mut event {
        members.retain(|(name, _)| !PROVENANCE.contains(&name.as_str()));
    }
    event
}

fn by_name(value: &Value) -> BTreeMap<&str, &Value> {
    value.members().unwrap_or_default().iter().map(|(name, member)| (name.as_str(), member)).collect()
}

/// Names of members that one event lacks or that compare unequal. The list may be empty although the bytes differ.
fn differing_names(a: &Value, b: &Value) -> Vec<String> {
    let (a, b) = (by_name(a), by_name(b));
    let same = |name: &&str| matches!((a.get(name), b.get(name)), (Some(x), Some(y)) if compares_equal(x, y));
    let names: BTreeSet<&str> = a.keys().chain(b.keys()).copied().collect();
    names.into_iter().filter(|name| !same(name)).map(str::to_owned).collect()
}

/// Equality by value: 1, 1.0 and true are one number. Nesting is bounded by the reader.
fn compares_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| compares_equal(x, y)),
        (Value::Object(x), Value::Object(y)) => x.len() == y.len() && differing_names(a, b).is_empty(),
        _ => a == b || matches!((whole(a), whole(b)), (Some(x), Some(y)) if x == y),
    }
}

/// The digits of a whole number, whatever its spelling.
fn whole(value: &Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(u8::from(*flag).to_string()),
        Value::Int(digits) => Some(digits.clone()),
        // Adding zero drops the sign of -0.0.
        Value::Float(number) if number.fract() == 0.0 => Some(format!("{:.0}", number + 0.0)),
        _ => None,
    }
}
