//! Side effects: which events leave it open what a tool did, and whether a step stays clear of them.
//!
//! Fails closed: what cannot be read again counts as unknown.

use std::collections::BTreeSet;
use std::fmt;

use sha2::{Digest, Sha256};

use super::bench::Bench;
use crate::adapter::side_effects;
use crate::finding::fingerprint::hex;
use crate::model::{Kind, Value, canonical_json};

/// What a tool may have done to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    None,
    Possible,
    Unknown,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Possible => "possible",
            Self::Unknown => "unknown",
        })
    }
}

/// The effect of a call or result: stated by the event or its payload, else told from the tool's name. A name alone
/// never says `possible`.
pub(crate) fn effect(bench: &Bench<'_>, at: u32) -> Effect {
    let Some(object) = bench.object(at) else { return Effect::Unknown };
    let payload = object.get("payload");
    let stated = object.get("side_effects").or_else(|| payload?.get("side_effects")).and_then(Value::as_str);
    match stated {
        Some("none") => return Effect::None,
        Some("possible") => return Effect::Possible,
        Some(_) => return Effect::Unknown,
        None => {}
    }
    if bench.event(at).kind == Kind::ToolResult {
        return Effect::None;
    }
    let name = payload
        .and_then(|p| p.get("name").or_else(|| p.get("tool_name")))
        .or_else(|| object.get("name"))
        .and_then(Value::as_str);
    if name.is_some_and(|name| side_effects(name) == "none") { Effect::None } else { Effect::Unknown }
}

/// What an event says: its stated content hash, else the hash of its payload.
pub(crate) fn content(bench: &Bench<'_>, at: u32) -> Option<String> {
    let object = bench.object(at)?;
    if let Some(stated) = object.get("content_hash").and_then(Value::as_str).filter(|h| !h.is_empty()) {
        return Some(stated.to_owned());
    }
    payload_hash(&object)
}

/// The hash of an event's payload, whatever the event claims about it.
pub(crate) fn payload_hash(object: &Value) -> Option<String> {
    let text = canonical_json::to_string(object.get("payload")?);
    Some(format!("sha256:{}", hex(&Sha256::digest(text))))
}

/// Every event that carries the id of one of these.
fn closed(bench: &Bench<'_>, region: &BTreeSet<u32>) -> BTreeSet<u32> {
    region.iter().flat_map(|&at| bench.with_id(bench.event(at).id).iter().copied()).collect()
}

/// Whether a step that touches these events provably changes nothing about side effects.
pub(crate) fn proven(bench: &Bench<'_>, region: &BTreeSet<u32>) -> bool {
    closed(bench, region)
        .into_iter()
        .filter(|&at| bench.event(at).kind.is_tool())
        .all(|at| !is_ambiguous(bench, at) && effect(bench, at) == Effect::None)
}

/// Whether it is open which call a result answers, or what a call did.
fn is_ambiguous(bench: &Bench<'_>, at: u32) -> bool {
    let key = bench.event(at).correlation;
    if key.is_none() {
        return true;
    }
    let group = bench.with_key(key);
    let of_kind = |kind: Kind| group.iter().copied().filter(move |&g| bench.event(g).kind == kind);
    let calls: Vec<u32> = of_kind(Kind::ToolCall).collect();
    let results: Vec<u32> = of_kind(Kind::ToolResult).collect();
    let (&[call], false) = (calls.as_slice(), results.is_empty()) else { return true };
    let unknown_execution = |result: u32| {
        let object = bench.object(result);
        let state = object.as_ref().and_then(|o| o.get("payload")?.get("execution")?.as_str());
        state == Some("unknown")
    };
    if let &[result] = results.as_slice() {
        return result < call || unknown_execution(result) || effect(bench, call) == Effect::Unknown;
    }
    let first = content(bench, results[0]);
    let differ = first.is_none() || results[1..].iter().any(|&r| content(bench, r) != first);
    differ || effect(bench, call) == Effect::Unknown || (at != call && unknown_execution(at))
}

/// Calls and results that may have had effects, with what they may have had.
pub(crate) fn effects(bench: &Bench<'_>, region: impl IntoIterator<Item = u32>) -> Vec<(u32, Effect)> {
    region
        .into_iter()
        .filter(|&at| bench.event(at).kind.is_tool())
        .map(|at| (at, effect(bench, at)))
        .filter(|(_, effect)| *effect != Effect::None)
        .collect()
}
