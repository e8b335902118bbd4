//! The receipt `sesslint.repair-manifest/v1`: what went in, what came out, what was done and given up.
//!
//! Receipts of canonical output hold exactly the reference program's members, so that either program verifies the
//! other's. Receipts of native output add the edit script, by source bytes, and digests.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::packed::FrameEdit;
use super::plan::Plan;
use super::planner::idempotency_key;
use super::recipe;
use super::{Policy, script::Edit, script::Piece};
use crate::digest;
use crate::finding::Severity;
use crate::finding::fingerprint::hex;
use crate::model::canonical_json;
use crate::model::content_free::is_content_free;
use crate::report::{Assurance, Report};

/// Schema of receipts.
pub const SCHEMA: &str = "sesslint.repair-manifest/v1";

/// Everything a receipt is made of.
pub(crate) struct Facts<'a> {
    pub plan: &'a Plan,
    pub source_len: u64,
    pub output_sha256: &'a str,
    pub output_len: u64,
    pub output_events: u64,
    /// Lines of source and output; only for native output.
    pub lines: Option<(u64, u64)>,
    /// The check of the output.
    pub revalidation: &'a Report,
    /// Format and adapter version of the output.
    pub adapter: (&'a str, &'a str),
    /// The edit script; only for native output.
    pub edits: Option<&'a [LineEdit]>,
    /// Frames written anew; only for native output that is packed.
    pub frames: Option<&'a [FrameEdit]>,
}

/// One edit as receipts and previews list it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// First physical line of the source that it touches, from 1.
    pub line: u64,
    /// It takes out that line whole.
    pub whole: bool,
    /// What of the source it replaces, and by what.
    pub edit: Edit,
    /// Numbers of the steps that ask for it.
    pub steps: Vec<u32>,
}

impl LineEdit {
    /// `drop` when it takes out a whole line, `insert` when it only adds, `patch` otherwise.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match (self.whole, self.edit.source.is_empty()) {
            (true, _) => "drop",
            (_, true) => "insert",
            _ => "patch",
        }
    }

    pub(crate) fn document(&self) -> Json {
        let with: Vec<Json> = self.edit.with.iter().map(piece).collect();
        json!({
            "line": self.line,
            "op": self.kind(),
            "bytes": [self.edit.source.start, self.edit.source.end],
            "with": with,
            "steps": self.steps,
        })
    }
}

/// What is put in: ids, line ends and replacement characters as they are, anything else by its hash.
fn piece(piece: &Piece) -> Json {
    match piece {
        Piece::Source { range, .. } => json!({ "source": [range.start, range.end] }),
        Piece::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if text == "\n" || is_content_free(text) => json!({ "text": text }),
            _ => json!({ "sha256": hex(&Sha256::digest(bytes)), "length": bytes.len() }),
        },
    }
}

/// How far a repair can be trusted to have kept everything.
pub(crate) fn assurance(plan: &Plan) -> &'static str {
    if plan.steps.iter().any(super::plan::Step::is_lossy) {
        "salvaged"
    } else if plan.steps.is_empty() {
        "clean"
    } else {
        "repaired-lossless"
    }
}

/// What a salvaged session may at most claim.
pub(crate) fn ceiling(policy: Policy, found: Assurance) -> Assurance {
    if policy == Policy::Salvage { found.min(Assurance::A2) } else { found }
}

/// Losses as receipts list them: step by step, classes sorted.
pub(crate) fn declared_loss(plan: &Plan) -> Vec<String> {
    plan.steps.iter().flat_map(|s| &s.loss).map(|(class, count)| format!("{class}:{count}")).collect()
}

/// The actions, in the order of receipts.
pub(crate) fn actions(plan: &Plan) -> Json {
    let mut rows: Vec<(&str, &str, String)> =
        plan.steps.iter().map(|s| (s.recipe.as_str(), s.finding.as_str(), format!("step {}", s.seq))).collect();
    rows.sort();
    rows.into_iter()
        .map(|(kind, record_id, detail)| json!({"kind": kind, "record_id": record_id, "detail": detail}))
        .collect()
}

/// The receipt.
pub(crate) fn manifest(facts: &Facts<'_>) -> Json {
    let plan = facts.plan;
    let actions = actions(plan);
    let report = revalidation_text(facts.revalidation);
    let all = |severity: fn(Severity) -> bool| {
        let findings = facts.revalidation.findings.iter();
        findings.flat_map(super::bench::one_by_one).filter(|f| severity(f.severity)).count()
    };
    let profile = facts.revalidation.profile;
    let mut record_counts = json!({"output": facts.output_events, "source": plan.events});
    if let Some((source, output)) = facts.lines {
        record_counts["source_lines"] = source.into();
        record_counts["output_lines"] = output.into();
        record_counts["dropped_lines"] = source.saturating_sub(output).into();
    }
    let mut document = json!({
        "schema_version": SCHEMA,
        "input_fingerprint": plan.source_hash,
        "output_fingerprint": facts.output_sha256,
        "policy": plan.policy.as_str(),
        "actions": actions,
        "declared_loss": declared_loss(plan),
        "revalidate_report": report,
        "idempotency_key": idempotency_key(&actions, &plan.source_hash, plan.policy),
        "revalidation": {
            "assurance": facts.revalidation.assurance.as_str(),
            "error_count": all(|s| s >= Severity::Error),
            "warning_count": all(|s| s == Severity::Warning),
            "profile_id": profile.id,
            "profile_version": profile.version,
            "report_fingerprint": hex(&Sha256::digest(&report)),
        },
        "assurance_ceiling": ceiling(plan.policy, facts.revalidation.assurance).as_str(),
        "plan_fingerprint": plan.fingerprint(),
        "assurance": assurance(plan),
        "profile_version": profile.version,
        "adapter_id": facts.adapter.0,
        "adapter_version": facts.adapter.1,
        "byte_counts": {"output": facts.output_len, "source": facts.source_len},
        "record_counts": record_counts,
    });
    let versions: BTreeMap<&str, &str> = plan.steps.iter().map(|s| (s.recipe.as_str(), recipe::VERSION)).collect();
    if !versions.is_empty() {
        document["recipe_versions"] = json!(versions);
    }
    if let Some(edits) = facts.edits {
        document["edits"] = edits.iter().map(LineEdit::document).collect();
    }
    if let Some(frames) = facts.frames {
        document["frames"] = frames.iter().map(FrameEdit::document).collect();
    }
    document
}

/// Digests of a source and an output, by content: null where a place of the log cannot be read.
pub(crate) fn digests(source: &Path, output: &Path) -> io::Result<Json> {
    let of = |path: &Path| {
        let source = digest::Source::open(path)?;
        let layout = digest::detect(&source, digest::Framing::Unknown)?;
        Ok::<_, io::Error>(digest::summarise(&source, layout)?.digest.map(|d| d.to_string()))
    };
    Ok(json!({ "source": of(source)?, "output": of(output)? }))
}

/// A receipt's bytes.
pub(crate) fn bytes(manifest: &Json) -> Vec<u8> {
    let mut text = String::new();
    canonical_json::write_document(manifest, &mut text);
    text.push('\n');
    text.into_bytes()
}

/// A receipt read back.
pub(crate) fn parse(bytes: &[u8]) -> Json {
    serde_json::from_slice(bytes).unwrap_or(Json::Null)
}

/// The check of the output as text: counts, coverage and findings without content. Receipts embed it and hash it.
fn revalidation_text(report: &Report) -> String {
    let finding = |f: &crate::finding::Finding| {
        let mut object = Map::new();
        object.insert("code".into(), f.code().into());
        object.insert("severity".into(), f.severity.as_str().into());
        object.insert("variant".into(), f.variant.into());
        object.insert("fingerprint".into(), f.fingerprint.clone().into());
        object.insert("line".into(), f.location.item.or(f.location.line).or(f.line).into());
        Json::Object(object)
    };
    let document = json!({
        "schema_version": "sesslint.revalidation/v1",
        "source_fingerprint": report.source_fingerprint,
        "assurance": report.assurance.as_str(),
        "adapter": {"id": report.format, "version": report.format_version},
        "profile": {"id": report.profile.id, "version": report.profile.version},
        "performed": report.coverage.performed,
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    let mut text = String::new();
    canonical_json::write_document(&document, &mut text);
    text
}
