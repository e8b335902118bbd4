//! Verifies a repair from nothing but its files: everything a receipt says is computed anew and compared.
//!
//! Seven checks, always all of them, in a fixed order. Nothing is signed: whoever can rewrite source, output and receipt
//! together can make a set that is consistent.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::Policy;
use super::mend::{Terms, mend};
use super::opened::Opened;
use super::plan::Claimed;
use super::prepare::{self, Emit, Options, Prepared};
use super::receipt::{self, Receipt};
use super::refusal::RepairError;
use crate::finding::fingerprint::hex;
use crate::rule::profile::{self, NEUTRAL, Profile};

/// What is verified.
#[derive(Clone, Debug)]
pub struct Request {
    /// The source.
    pub source: PathBuf,
    /// The repaired session.
    pub output: PathBuf,
    /// Its receipt.
    pub manifest: PathBuf,
    /// The plan it was made by, when it is at hand.
    pub plan: Option<PathBuf>,
    /// The repair was made with side effects acknowledged.
    pub acknowledge_side_effects: bool,
}

/// One of the seven checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What does not hold; empty when all does.
    pub problems: Vec<String>,
    /// What to say when all holds.
    pub passed: &'static str,
}

impl Check {
    /// Whether it passed.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.problems.is_empty()
    }

    /// What was found, in one line.
    #[must_use]
    pub fn detail(&self) -> String {
        if self.ok() { self.passed.to_owned() } else { self.problems.join("; ") }
    }
}

/// The outcome.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// How far the repair kept everything, as computed anew.
    pub assurance: &'static str,
    /// All seven.
    pub checks: Vec<Check>,
}

impl Verdict {
    /// Whether all checks passed.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.checks.iter().all(Check::ok)
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> Json {
        let checks: Vec<Json> =
            self.checks.iter().map(|c| json!({"name": c.name, "ok": c.ok(), "detail": c.detail()})).collect();
        json!({"assurance": self.assurance, "checks": checks, "ok": self.ok()})
    }
}

/// Names of the checks, in order.
const NAMES: [&str; 7] = [
    "source_hash",
    "plan_fingerprint",
    "output_hash",
    "transformation_audit",
    "loss_audit",
    "assurance_audit",
    "idempotence",
];
const SOURCE: usize = 0;
const PLAN: usize = 1;
const OUTPUT: usize = 2;
const TRANSFORMATION: usize = 3;
const LOSS: usize = 4;
const ASSURANCE: usize = 5;
const IDEMPOTENCE: usize = 6;

/// Which check answers for a member of a receipt.
fn check_of(member: &str) -> usize {
    match member {
        "input_fingerprint" => SOURCE,
        "plan_fingerprint" | "idempotency_key" => PLAN,
        "output_fingerprint" => OUTPUT,
        "declared_loss" => LOSS,
        "assurance" | "assurance_ceiling" | "profile_version" | "revalidation" | "revalidate_report" => ASSURANCE,
        _ => TRANSFORMATION,
    }
}

/// Verifies a repair.
///
/// # Errors
/// A file is missing, is a folder, or cannot be read.
pub fn verify(request: &Request) -> Result<Verdict, RepairError> {
    for path in [Some(&request.source), Some(&request.output), Some(&request.manifest), request.plan.as_ref()] {
        let Some(path) = path else { continue };
        if !path.is_file() {
            let what = "not a regular file".to_owned();
            let there = path.exists();
            return Err(if there {
                RepairError::Unusable { path: path.clone(), what }
            } else {
                RepairError::NotFound(path.clone())
            });
        }
    }
    let read = |path: &Path| std::fs::read(path).map_err(|source| RepairError::Io { path: path.to_owned(), source });
    let mut audit = Audit { request, problems: Default::default() };
    let receipt = Receipt::parse(&read(&request.manifest)?);
    let claimed = request.plan.as_deref().map(|path| read(path).map(|text| Claimed::parse(&text))).transpose()?;
    let source_hash = hash(&request.source)?;
    let output_hash = hash(&request.output)?;
    let assurance = audit.run(receipt, claimed, &source_hash, &output_hash)?;
    let checks = NAMES
        .into_iter()
        .zip(audit.problems)
        .map(|(name, problems)| {
            let passed = if name == NAMES[IDEMPOTENCE] { "0-steps (converged)" } else { "matched" };
            Check { name, problems, passed }
        })
        .collect();
    Ok(Verdict { assurance, checks })
}

struct Audit<'a> {
    request: &'a Request,
    problems: [Vec<String>; 7],
}

impl Audit<'_> {
    fn fail(&mut self, checks: &[usize], what: &str) {
        for &check in checks {
            self.problems[check].push(what.to_owned());
        }
    }

    fn run(
        &mut self,
        receipt: Result<Receipt, &'static str>,
        claimed: Option<Result<Claimed, &'static str>>,
        source_hash: &str,
        output_hash: &str,
    ) -> Result<&'static str, RepairError> {
        let receipt = match receipt {
            Ok(receipt) => receipt,
            Err(what) => {
                self.fail(&[SOURCE, PLAN, OUTPUT, TRANSFORMATION, LOSS, ASSURANCE, IDEMPOTENCE], what);
                return Ok("clean");
            }
        };
        self.compare_text(SOURCE, receipt.text("input_fingerprint"), source_hash);
        self.compare_text(OUTPUT, receipt.text("output_fingerprint"), output_hash);
        let given = claimed.is_some();
        let claimed = match claimed {
            Some(Ok(claimed)) => Some(claimed),
            Some(Err(_)) => {
                self.fail(&[PLAN], "invalid-plan-json");
                self.fail(&[TRANSFORMATION, LOSS, ASSURANCE], "invalid-plan");
                None
            }
            None => None,
        };
        let usable_plan = claimed.is_some();
        let (bound, binding) = self.bind(&receipt, claimed.as_ref());
        if let Some(what) = binding {
            self.fail(&[ASSURANCE, IDEMPOTENCE], &what);
            if !usable_plan {
                self.fail(&[PLAN, TRANSFORMATION, LOSS], &what);
                return Ok("clean");
            }
        }
        if given && !usable_plan {
            self.idempotence(receipt.policy(), bound, 0)?;
            return Ok("clean");
        }
        let canonical = receipt.text("adapter_id") == "canonical";
        let emit = if canonical { Emit::Canonical } else { Emit::Own };
        let fresh = self.fresh(&receipt, claimed.as_ref(), bound, emit)?;
        self.idempotence(receipt.policy(), bound, fresh.as_ref().map_or(0, |(_, left_out)| *left_out))?;
        let Some((fresh, _)) = fresh else {
            self.fail(&[PLAN], "plan-missing: no plan follows from the source under this policy");
            self.fail(&[TRANSFORMATION, LOSS, ASSURANCE], "plan-missing");
            return Ok("clean");
        };
        if let Some(claimed) = &claimed {
            self.claimed(claimed, &fresh, &receipt);
        }
        let mut expected = fresh.manifest().clone();
        if !canonical && !receipt.has("edits") {
            // The reference program lists no edits and checks native output as canonical events.
            if let Some(members) = expected.as_object_mut() {
                members.remove("edits");
            }
            if let Some((events, _)) = self.fresh(&receipt, claimed.as_ref(), bound, Emit::Canonical)? {
                for name in ["revalidation", "revalidate_report", "assurance_ceiling"] {
                    expected[name] = events.manifest()[name].clone();
                }
            }
        } else if !canonical {
            expected["digests"] = super::manifest::digests(&self.request.source, &self.request.output)
                .map_err(|source| self.io(&self.request.output, source))?;
        }
        self.members(&receipt, &expected, source_hash, output_hash);
        self.output(&fresh, output_hash)?;
        Ok(super::manifest::assurance(fresh.plan()))
    }

    fn compare_text(&mut self, check: usize, expected: &str, got: &str) {
        if expected != got {
            self.fail(&[check], &format!("mismatch: expected {expected}, got {got}"));
        }
    }

    /// The profile the receipt names, or that of the plan, and what is wrong with it.
    fn bind(&self, receipt: &Receipt, claimed: Option<&Claimed>) -> (&'static Profile, Option<String>) {
        let named = receipt.revalidation("profile_id");
        let version = receipt.revalidation("profile_version");
        let of_plan = claimed.map(|c| profile::find(c.profile()).unwrap_or(&NEUTRAL));
        let Some(found) = profile::find(named) else {
            return (of_plan.unwrap_or(&NEUTRAL), Some(format!("profile-binding-unknown:len={}", named.len())));
        };
        let bound = of_plan.unwrap_or(found);
        let problem = if version != found.version {
            Some(format!("profile-version-unavailable:len={}", version.len()))
        } else if receipt.root_profile_version().is_some_and(|v| v != version) {
            Some("profile-version-conflict".to_owned())
        } else if claimed.is_some_and(|c| c.profile() != found.id) {
            Some("plan-profile-conflict".to_owned())
        } else {
            None
        };
        (bound, problem)
    }

    /// The repair made anew: all that can be done, or the steps that the receipt names when those give its plan; and how
    /// many steps those leave out.
    fn fresh(
        &self,
        receipt: &Receipt,
        claimed: Option<&Claimed>,
        bound: &'static Profile,
        emit: Emit,
    ) -> Result<Option<(Prepared, usize)>, RepairError> {
        let options = Options {
            format: None,
            profile: bound,
            policy: receipt.policy(),
            acknowledge_side_effects: self.request.acknowledge_side_effects,
            emit,
            plan: None,
        };
        let make =
            |allowed: Option<&[(String, String)]>| match prepare::prepare_only(&self.request.source, &options, allowed)
            {
                Ok(prepared) => Ok(Some(prepared)),
                Err(RepairError::Refused(_) | RepairError::Unusable { .. }) => Ok(None),
                Err(error) => Err(error),
            };
        let whole = make(None)?;
        let fits = |p: &Prepared| p.plan().fingerprint() == receipt.text("plan_fingerprint");
        if whole.as_ref().is_some_and(fits) {
            return Ok(whole.map(|whole| (whole, 0)));
        }
        let steps = claimed.map_or_else(|| receipt.steps(), Claimed::steps);
        let part = make(Some(&steps))?;
        let planned = |p: &Option<Prepared>| p.as_ref().map_or(0, |p| p.plan().steps.len());
        let left_out = planned(&whole).saturating_sub(planned(&part));
        Ok(match part {
            Some(part) if fits(&part) => Some((part, left_out)),
            _ => whole.map(|whole| (whole, 0)),
        })
    }

    /// A given plan must be the one that follows from the source.
    fn claimed(&mut self, claimed: &Claimed, fresh: &Prepared, receipt: &Receipt) {
        if let Some((declared, computed)) = claimed.tampered() {
            self.fail(&[PLAN], &format!("plan-tampered: declared {declared}, recomputed {computed}"));
        } else if claimed.policy() != receipt.policy().as_str() {
            self.fail(&[PLAN], "plan-policy-conflict: the receipt states another policy");
        } else if let Some(what) = claimed.difference(fresh.plan()) {
            self.fail(&[PLAN], &format!("plan-not-derivable: {what}"));
        }
    }

    /// Every member of the receipt against the one computed anew.
    fn members(&mut self, receipt: &Receipt, expected: &Json, source_hash: &str, output_hash: &str) {
        for (name, problem) in receipt.differences(expected) {
            let check = check_of(&name);
            let covered = match name.as_str() {
                // Judged by the files themselves.
                "input_fingerprint" => receipt.text(&name) == source_hash || !self.problems[SOURCE].is_empty(),
                "output_fingerprint" => !self.problems[OUTPUT].is_empty() || receipt.text(&name) == output_hash,
                // These follow from what was found to differ already.
                "idempotency_key" => !self.problems[SOURCE].is_empty() || !self.problems[PLAN].is_empty(),
                "actions" | "byte_counts" | "record_counts" | "edits" | "frames" | "digests" => {
                    !self.problems[SOURCE].is_empty()
                }
                _ => false,
            };
            if !covered {
                self.fail(&[check], &problem);
            }
        }
        if !receipt.is_canonical() {
            self.fail(&[TRANSFORMATION], "manifest-form: the receipt is not spelled as receipts are");
        }
    }

    /// The output against the one computed anew, whatever the receipt says.
    fn output(&mut self, fresh: &Prepared, output_hash: &str) -> Result<(), RepairError> {
        if output_hash == fresh.manifest()["output_fingerprint"] {
            return Ok(());
        }
        if !fresh.says_the_same(&self.request.output).map_err(|source| self.io(&self.request.output, source))? {
            self.fail(&[TRANSFORMATION], "output-mismatch: the output is not what follows from source and plan");
        }
        Ok(())
    }

    fn io(&self, path: &Path, source: io::Error) -> RepairError {
        RepairError::Io { path: path.to_owned(), source }
    }

    /// Nothing may be left to do in the output, but what a part of a plan left out.
    fn idempotence(&mut self, policy: Policy, bound: &'static Profile, left_out: usize) -> Result<(), RepairError> {
        let path = &self.request.output;
        let steps = remaining_steps(path, policy, bound, self.request.acknowledge_side_effects)
            .map_err(|source| self.io(path, source))?;
        match steps {
            Some(count) if count <= left_out => {}
            Some(count) => self.fail(&[IDEMPOTENCE], &format!("non-idempotent: {count} steps remaining")),
            None => self.fail(&[IDEMPOTENCE], "replan-failed: the output is no session"),
        }
        Ok(())
    }
}

/// How many steps a repair of this file would still have; none when it is no session.
fn remaining_steps(
    path: &Path,
    policy: Policy,
    profile: &'static Profile,
    acknowledged: bool,
) -> io::Result<Option<usize>> {
    let options = Options { profile, policy, ..Options::default() };
    let opened = match Opened::open(path, &options) {
        Ok(opened) => opened,
        Err(RepairError::Io { source, .. }) => return Err(source),
        Err(_) => return Ok(None),
    };
    let ground = opened.ground();
    let terms = Terms { policy, acknowledged, canonical: ground.is_canonical() };
    Ok(Some(mend(ground, terms)?.plan.steps.len()))
}

fn hash(path: &Path) -> Result<String, RepairError> {
    let mut hasher = Sha256::new();
    File::open(path)
        .and_then(|mut file| io::copy(&mut file, &mut hasher))
        .map_err(|source| RepairError::Io { path: path.to_owned(), source })?;
    Ok(hex(&hasher.finalize()))
}

/// Schema of receipts, for messages.
pub const MANIFEST_SCHEMA: &str = receipt::SCHEMA;
