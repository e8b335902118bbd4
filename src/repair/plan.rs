//! The plan document `sesslint.plan/v1`: which steps, what is blocked and why, what it costs, and a fingerprint over it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::recipe;
use super::{Policy, RefusalCode};
use crate::finding::fingerprint::hex;
use crate::model::canonical_json;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number from 0.
    pub seq: u32,
    /// Name of the recipe.
    pub recipe: String,
    /// Fingerprint of the finding it answers.
    pub finding: String,
    /// Code of that finding; not part of the document.
    pub code: &'static str,
    /// Position of the event concerned, in the text the step applies to.
    pub target: Option<u64>,
    /// What the finding's evidence names, for people.
    pub params: Map<String, Json>,
    /// What it gives up, by class.
    pub loss: BTreeMap<String, u64>,
}

/// One finding that stays, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blocked {
    /// Fingerprint of the finding.
    pub finding: String,
    /// Its code.
    pub code: String,
    /// A word of the contract.
    pub reason: String,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// SHA-256 of the source, hex.
    pub source_hash: String,
    /// Profile it was made under.
    pub profile: String,
    /// What may be given up.
    pub policy: Policy,
    /// In the order of their numbers.
    pub steps: Vec<Step>,
    /// Sorted.
    pub blocked: Vec<Blocked>,
    /// Events of the source.
    pub events: u64,
}

/// Schema of the document.
const VERSION: &str = "sesslint.plan/v1";
/// Members of the document, its fingerprint aside.
const MEMBERS: [&str; 7] = ["blocked", "loss_accounting", "policy", "profile", "source_hash", "steps", "version"];
/// Classes that the preview lists even when nothing is lost.
const LISTED: [&str; 3] = ["discarded-suffix", "none", "truncated-projection"];

impl Plan {
    /// The document with its fingerprint.
    #[must_use]
    pub fn document(&self) -> Json {
        let mut document = self.body();
        document["fingerprint"] = fingerprint(&document).into();
        document
    }

    /// SHA-256 over the document without this member, hex.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.body())
    }

    /// What is given up in all, by class.
    #[must_use]
    pub fn losses(&self) -> BTreeMap<&str, u64> {
        let mut losses = BTreeMap::new();
        for (class, count) in self.steps.iter().flat_map(|s| &s.loss) {
            *losses.entry(class.as_str()).or_insert(0) += count;
        }
        losses
    }

    fn body(&self) -> Json {
        let steps: Vec<Json> = self.steps.iter().map(Step::document).collect();
        let blocked: Vec<Json> =
            self.blocked.iter().map(|b| json!({"code": b.code, "finding_fp": b.finding, "reason": b.reason})).collect();
        let mut preview: BTreeMap<&str, u64> = LISTED.into_iter().map(|class| (class, 0)).collect();
        let losses = self.losses();
        preview.extend(losses.iter().map(|(class, count)| (*class, *count)));
        let mut accounting = json!({ "preview": preview });
        let mut document = json!({
            "version": VERSION,
            "source_hash": self.source_hash,
            "profile": self.profile,
            "steps": steps,
            "blocked": blocked,
        });
        if self.policy == Policy::Salvage {
            let lost: u64 = losses.values().sum();
            accounting["total_lost"] = lost.into();
            accounting["total_kept"] = self.events.saturating_sub(lost).into();
            document["policy"] = self.policy.as_str().into();
        }
        document["loss_accounting"] = accounting;
        document
    }
}

impl Step {
    /// Whether it gives something up.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        !self.loss.is_empty()
    }

    fn document(&self) -> Json {
        let mut document = json!({
            "seq": self.seq,
            "recipe": self.recipe,
            "target_finding_fp": self.finding,
            "target_index": self.target,
            "params": self.params,
        });
        if self.is_lossy() {
            document["lossy"] = true.into();
            document["loss"] = json!(self.loss);
        }
        document
    }
}

fn fingerprint(document: &Json) -> String {
    let mut text = String::new();
    let mut plain = document.clone();
    if let Json::Object(members) = &mut plain {
        members.remove("fingerprint");
    }
    canonical_json::write_document(&plain, &mut text);
    hex(&Sha256::digest(text))
}

/// A plan as a file states it. Nothing in it is believed: it is held against a plan made anew.
#[derive(Clone, Debug)]
pub struct Claimed {
    document: Json,
}

impl Claimed {
    /// Reads a plan file: an object, or one that holds an object under `expected_plan`.
    ///
    /// # Errors
    /// The text is no such object.
    pub fn parse(text: &[u8]) -> Result<Self, &'static str> {
        let text = text.strip_prefix(crate::source::BOM).unwrap_or(text);
        let mut document: Json = serde_json::from_slice(text).map_err(|_| "not JSON")?;
        if let Some(inner) = document.get_mut("expected_plan").filter(|v| v.is_object()) {
            document = inner.take();
        }
        if document.is_object() { Ok(Self { document }) } else { Err("not a JSON object") }
    }

    /// The steps it asks for, as recipe and finding.
    pub(crate) fn steps(&self) -> Vec<(String, String)> {
        let steps = self.document.get("steps").and_then(Json::as_array);
        let text = |step: &Json, name: &str| step.get(name).and_then(Json::as_str).unwrap_or("").to_owned();
        steps.into_iter().flatten().map(|s| (text(s, "recipe"), text(s, "target_finding_fp"))).collect()
    }

    /// The profile it was made under.
    pub(crate) fn profile(&self) -> &str {
        self.document.get("profile").and_then(Json::as_str).unwrap_or("neutral")
    }

    /// The policy it was made for.
    pub(crate) fn policy(&self) -> &str {
        self.document.get("policy").and_then(Json::as_str).unwrap_or("conservative")
    }

    /// The fingerprint it states, or that its content has as it stands, and the one that its known members have, when
    /// they differ.
    pub(crate) fn tampered(&self) -> Option<(String, String)> {
        let whole = fingerprint(&self.document);
        let declared = self.document.get("fingerprint").and_then(Json::as_str).unwrap_or(&whole);
        let mut known = self.document.clone();
        if let Json::Object(members) = &mut known {
            members.retain(|name, _| MEMBERS.contains(&name.as_str()));
        }
        let computed = fingerprint(&known);
        (declared != computed).then(|| (declared.to_owned(), computed))
    }

    /// Why the plan cannot be used for this source and policy, before anything is planned anew.
    pub(crate) fn objection(&self, source_hash: &str, policy: Policy, cap: usize) -> Option<(RefusalCode, String)> {
        let steps = self.document.get("steps").and_then(Json::as_array).map_or(0, Vec::len);
        if steps > cap {
            return Some((
                RefusalCode::OutputInvalid,
                format!("the plan has {steps} steps, at most {cap} are allowed"),
            ));
        }
        if let Some((declared, computed)) = self.tampered() {
            let text = format!("the plan states fingerprint {declared}, but its content has {computed}");
            return Some((RefusalCode::PlanTampered, text));
        }
        let stated = self.policy();
        if stated != policy.as_str() {
            let text = format!("the plan was made for policy {stated}, but {} was asked for", policy.as_str());
            return Some((RefusalCode::PolicyMismatch, text));
        }
        let lossy = self.document.get("steps").and_then(Json::as_array).into_iter().flatten().any(|step| {
            let salvage = step.get("recipe").and_then(Json::as_str).and_then(recipe::find).is_some_and(|r| r.salvage);
            salvage
                || step.get("lossy").is_some_and(|l| *l == json!(true))
                || step.get("loss").is_some_and(|l| *l != json!({}))
        });
        if lossy && policy == Policy::Conservative {
            let text = "the plan gives something up, which needs the policy salvage".to_owned();
            return Some((RefusalCode::PolicyMismatch, text));
        }
        let hash = self.document.get("source_hash").and_then(Json::as_str).unwrap_or("");
        if hash != source_hash {
            let text = format!("the plan is for a source with hash {hash}, this one has {source_hash}");
            return Some((RefusalCode::PlanSourceMismatch, text));
        }
        None
    }

    /// What in the file is no part of the plan that follows from the source.
    pub(crate) fn difference(&self, fresh: &Plan) -> Option<String> {
        if self.profile() != fresh.profile {
            return Some("the plan was made under another profile".to_owned());
        }
        let plain = |step: &Json| {
            let mut step = step.clone();
            if let Json::Object(members) = &mut step {
                members.remove("seq");
            }
            step
        };
        let mut ours: Vec<Json> = fresh.steps.iter().map(|step| plain(&step.document())).collect();
        for step in self.document.get("steps").and_then(Json::as_array).into_iter().flatten() {
            let Some(place) = ours.iter().position(|own| *own == plain(step)) else {
                let name = step.get("recipe").and_then(Json::as_str).unwrap_or("?");
                let name: String = name.chars().filter(char::is_ascii_graphic).take(64).collect();
                return Some(format!("step {name} is not part of the plan that follows from the source"));
            };
            ours.remove(place);
        }
        None
    }
}
