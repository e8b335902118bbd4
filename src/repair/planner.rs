//! Decides, finding by finding, which recipe answers it or why none may. One state of the text, one list of steps.

use std::collections::BTreeMap;
use std::io;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::Policy;
use super::bench::{Bench, Ground, evidence_text};
use super::change::Change;
use super::gate;
use super::plan::{Blocked, Step};
use super::recipe::{Audience, Case, Loss, Proposal, RECIPES, Recipe, TAIL_RECIPES, Unmet};
use super::refusal::Blocking;
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Repairability, Severity, Stage};
use crate::model::canonical_json;

/// What one look at the text gives.
#[derive(Default)]
pub(crate) struct Round {
    pub steps: Vec<Step>,
    /// By step: what it changes.
    pub changes: Vec<Vec<Change>>,
    pub blocked: Vec<Blocked>,
    /// The same for people, worst first.
    pub blocking: Vec<Blocking>,
}

struct Chosen {
    step: Step,
    changes: Vec<Change>,
    loss: Option<Loss>,
    stage: u8,
}

/// Plans one round. `first` numbers its first step; at most `cap` are planned.
pub(crate) fn plan(case: &Case<'_>, first: u32, cap: usize) -> io::Result<Round> {
    let bench = case.bench;
    let all = candidates(case);
    if all.iter().any(|(f, _)| f.code() == "SL203") {
        let refused = all.iter().map(|(f, fp)| Blocking::new(f, fp, "SL203-refusal")).collect();
        return Ok(number(bench, Vec::new(), refused, first));
    }
    let mut chosen: Vec<Chosen> = Vec::new();
    let mut refused: Vec<Blocking> = Vec::new();
    let mut answered: Vec<&Finding> = Vec::new();
    let owner_of =
        |finding: &Finding| bench.findings.iter().find(|f| f.consequences.iter().any(|c| std::ptr::eq(c, finding)));
    // Causes first: what follows from a mended one may be gone by then.
    let (causes, effects): (Vec<_>, Vec<_>) = all.iter().partition(|(f, _)| owner_of(f).is_none());
    for (finding, fp) in causes.into_iter().chain(effects) {
        // Native logs: what follows from another finding is looked at again when that one is gone.
        let follows =
            owner_of(finding).is_some_and(|owner| !case.canonical || answered.iter().any(|a| std::ptr::eq(*a, owner)));
        if follows {
            continue;
        }
        match decide(case, finding)? {
            Ok((recipe, proposal)) => {
                let step = Step {
                    seq: 0,
                    recipe: recipe.name.to_owned(),
                    finding: fp.clone(),
                    code: finding.code(),
                    target: target_index(bench, finding).map(u64::from),
                    params: params(finding),
                    loss: BTreeMap::new(),
                };
                if !(case.canonical && recipe.shared) {
                    answered.push(finding);
                }
                chosen.push(Chosen {
                    step,
                    changes: proposal.changes,
                    loss: proposal.loss,
                    stage: stage(finding.code()),
                });
            }
            Err(reason) => refused.push(Blocking::new(finding, fp, &reason)),
        }
    }
    chosen.sort_by(|a, b| {
        let key = |c: &Chosen| (c.step.target.unwrap_or(0), c.step.recipe.clone(), c.step.finding.clone());
        key(a).cmp(&key(b))
    });
    if !case.canonical || lines_hold_several(case) {
        // What is mended early changes what is found later, never the other way round.
        let first = chosen.iter().map(|c| c.stage).min();
        chosen.retain(|c| Some(c.stage) == first);
    }
    let over = chosen.split_off(chosen.len().min(cap));
    for left in over {
        if let Some((finding, fp)) = all.iter().find(|(_, fp)| *fp == left.step.finding) {
            refused.push(Blocking::new(finding, fp, "cap-overflow"));
        }
    }
    Ok(number(bench, chosen, refused, first))
}

/// Whether a line holds several records, which must be put apart before one of them is changed.
fn lines_hold_several(case: &Case<'_>) -> bool {
    case.bench.session.records.windows(2).any(|w| w[0].item == 0 && w[0].line == w[1].line)
}

/// When a code is mended: what the text is, then who is who, then what hangs on what, then what belongs together.
fn stage(code: &str) -> u8 {
    match code {
        "SL001" | "SL002" | "SL502" | "SL514" => 0,
        "SL003" | "SL302" => 1,
        "SL004" | "SL005" | "SL006" => 2,
        _ => 3,
    }
}

/// Numbers the steps and counts what each gives up that no earlier one does.
fn number(bench: &Bench<'_>, chosen: Vec<Chosen>, mut blocking: Vec<Blocking>, first: u32) -> Round {
    let row =
        |b: &Blocking| Blocked { code: b.code.to_owned(), finding: b.fingerprint.clone(), reason: b.reason.clone() };
    let mut blocked: Vec<Blocked> = blocking.iter().map(row).collect();
    blocked.sort();
    blocking.sort_by(|a, b| (b.severity, a.line, a.code).cmp(&(a.severity, b.line, b.code)));
    let mut round = Round { blocked, blocking, ..Round::default() };
    let mut gone = std::collections::BTreeSet::new();
    for (seq, Chosen { mut step, changes, loss, .. }) in (first..).zip(chosen) {
        let mut events = 0;
        for change in &changes {
            if let Change::Drop { record } = change
                && gone.insert(*record)
            {
                events += bench.events_of(*record).len() as u64;
            }
        }
        let (class, count) = match loss {
            None => ("", 0),
            Some(Loss::Events(class)) => (class, events),
            Some(Loss::Count(class, count)) => (class, count),
        };
        if count > 0 {
            step.loss.insert(class.to_owned(), count);
        }
        step.seq = seq;
        round.steps.push(step);
        round.changes.push(changes);
    }
    round
}

/// The findings to answer with their fingerprints, in the order of those. Mere information is left alone, but for a torn
/// end: whoever appends behind it makes it damage.
fn candidates<'b>(case: &'b Case<'_>) -> Vec<(&'b Finding, String)> {
    let mut all: Vec<(&Finding, String)> = case
        .bench
        .all_findings()
        .into_iter()
        .filter(|f| case.canonical || f.severity > Severity::Info || f.code() == "SL002")
        .map(|f| (f, fingerprint(&case.bench.ground, f)))
        .collect();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all.dedup_by(|a, b| a.1 == b.1);
    all
}

/// The fingerprint that plans use: by file name, and for unreadable lines of their place alone.
pub(crate) fn fingerprint(ground: &Ground<'_>, finding: &Finding) -> String {
    let mut plain;
    let mut finding = finding;
    if finding.stage == Stage::Reading && matches!(finding.code(), "SL001" | "SL002") {
        plain = finding.clone();
        plain.evidence.retain(|name, _| matches!(name.as_str(), "byte_offset" | "byte_end" | "record_ordinal"));
        finding = &plain;
    } else if !finding.fingerprint.is_empty() {
        return finding.fingerprint.clone();
    }
    let origin = crate::finding::fingerprint::Origin {
        format: ground.format.id,
        format_version: ground.format.version,
        profile: ground.profile.id,
        profile_version: ground.profile.version,
        path: ground.name,
    };
    crate::finding::fingerprint::fingerprint(finding, &origin)
}

/// The recipe for a finding, or the reason why there is none.
fn decide(case: &Case<'_>, finding: &Finding) -> io::Result<Result<(&'static Recipe, Proposal), String>> {
    let blocked = |reason: &str| Ok(Err(reason.to_owned()));
    if let Some(at) = target_index(case.bench, finding)
        && at as usize >= case.bench.session.events.len()
    {
        return blocked("target-missing");
    }
    let salvage = case.policy == Policy::Salvage;
    let fits = |recipe: &&&Recipe| {
        let audience = if case.canonical { Audience::Canonical } else { Audience::Native };
        recipe.codes.contains(&finding.code()) && (recipe.audience == Audience::Every || recipe.audience == audience)
    };
    let known =
        if case.bench.ground.tail.is_some() && finding.variant == "torn-frame" { TAIL_RECIPES } else { RECIPES };
    let recipes: Vec<&'static Recipe> = known.iter().filter(fits).copied().collect();
    let shared_only = recipes.iter().all(|r| r.shared);
    if case.canonical && shared_only && finding.repairability == Repairability::Unsupported {
        return blocked("repairability-unsupported");
    }
    if recipes.is_empty() {
        return blocked("no-recipe");
    }
    if !salvage && recipes.iter().all(|r| r.salvage) {
        return blocked("needs-salvage-policy");
    }
    if case.canonical && shared_only {
        if finding.repairability == Repairability::LossyExplicit && !salvage {
            return blocked("needs-salvage-policy");
        }
        if finding.repairability == Repairability::Manual && !(salvage && recipes.iter().any(|r| r.salvage)) {
            return blocked("repairability-manual");
        }
    }
    let mut unmet = "";
    for recipe in recipes {
        match (recipe.propose)(case, finding) {
            // Canonical salvage is acknowledged for the whole session or not at all; see `gates`.
            Ok(proposal) if salvage && (case.acknowledged || case.canonical) => return Ok(Ok((recipe, proposal))),
            Ok(proposal) => {
                let clear = proposal.region.as_ref().is_some_and(|region| gate::proven(case.bench, region));
                return match (clear, salvage) {
                    (true, _) => Ok(Ok((recipe, proposal))),
                    (false, true) => blocked("needs-acknowledgement"),
                    (false, false) => blocked("side-effect-scope-unproven"),
                };
            }
            Err(Unmet::Condition(name)) => unmet = name,
            Err(Unmet::Io(error)) => return Err(error),
        }
    }
    blocked(&match unmet {
        "salvage_policy" => "needs-salvage-policy".to_owned(),
        "acknowledge_side_effects" => "needs-acknowledgement".to_owned(),
        "component-too-large" => unmet.to_owned(),
        other => format!("precondition-failed:{other}"),
    })
}

/// The event a finding is about, as plans number it.
pub(crate) fn target_index(bench: &Bench<'_>, finding: &Finding) -> Option<u32> {
    const SINGLE: [&str; 8] = [
        "at_index",
        "first_unsafe_index",
        "index",
        "first_index",
        "cut_index",
        "boundary_index",
        "entry_index",
        "use_index",
    ];
    let single = |name: &&str| finding.evidence.get(*name).and_then(Json::as_u64);
    let listed = |name: &&str| finding.evidence.get(*name)?.as_array()?.iter().find_map(Json::as_u64);
    if let Some(at) =
        SINGLE.iter().find_map(single).or_else(|| ["record_indexes", "result_indexes"].iter().find_map(listed))
    {
        return u32::try_from(at).ok();
    }
    let id = evidence_text(finding, "root_id")
        .or_else(|| evidence_text(finding, "event_id"))
        .or(finding.record_id.as_deref())?;
    bench.with_id(bench.sym(id)).first().copied()
}

fn params(finding: &Finding) -> Map<String, Json> {
    const NAMED: [&str; 7] = [
        "correlation_id",
        "parent_fingerprint_prefix",
        "parent_id",
        "cut_index",
        "boundary_index",
        "recovered_records",
        "unverified_payload",
    ];
    NAMED
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), finding.evidence.get(name).filter(|v| !v.is_null())?.clone())))
        .collect()
}

/// The key under which one repair is done once: of its actions, input and policy.
pub(crate) fn idempotency_key(actions: &Json, input: &str, policy: Policy) -> String {
    let mut text = String::new();
    let preimage = json!({"actions": actions, "input_fingerprint": input, "policy": policy.as_str()});
    canonical_json::write_document(&preimage, &mut text);
    hex(&Sha256::digest(text))
}
