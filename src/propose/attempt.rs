//! One file: is it in need of repair, can it be repaired, and what is to be said of that.

use std::fs::Metadata;
use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::diff::diff;
use super::document::{Assurance, Blocking, Edits, Entry, MAX_BLOCKING, Refused, Side, Step};
use super::{Candidate, Options, place};
use crate::emit::escape::visible;
use crate::finding::fingerprint::hex;
use crate::inspect::{self, CheckError};
use crate::repair::{self, Prepared, Refusal, RepairError, attestation};

/// Longest sentence of a refusal, in characters: some list every event concerned.
const MAX_REASON: usize = 300;

/// What came of a file.
pub(super) enum Attempt {
    /// A repair.
    Mended {
        entry: Box<Entry>,
        /// Its part of the patch, the receipt's included.
        patch: Vec<u8>,
    },
    /// It is broken and stays so.
    Refused(Refused),
    /// There is nothing to do.
    Nothing,
}

/// Puts a file, named from the proposal's folder, into its place and says where that is.
pub(super) type Put<'a> = dyn Fn(&str, &[u8], Option<&Metadata>) -> io::Result<PathBuf> + Sync + 'a;

/// Tries to repair a file.
///
/// # Errors
/// Whatever `put` raises; what is wrong with the source is a refusal.
pub(super) fn attempt(candidate: &Candidate, options: &Options, put: &Put<'_>) -> io::Result<Attempt> {
    let name = place::name_of(&candidate.path, &options.root);
    let shown = match &name {
        Ok(name) => name.clone(),
        Err(_) => visible(&candidate.path.file_name().unwrap_or_default().to_string_lossy()).into_owned(),
    };
    let refused = |code: &str, reason: &str| Ok(Attempt::Refused(refused(&shown, code, reason)));
    let inspection =
        inspect::Options { format: candidate.format, profile: candidate.profile, ..inspect::Options::default() };
    let before = match inspect::check_path(&candidate.path, &inspection) {
        Ok(report) => report,
        Err(CheckError::NotAdmitted { .. }) => {
            return refused("NOT_ADMITTED", "the profile is not made for its format");
        }
        Err(_) => return refused("UNREADABLE", "it cannot be read"),
    };
    let foreign = !candidate.named && (before.is_empty_file() || before.is_not_a_session());
    if foreign || before.counts.failing() + before.counts.warning == 0 {
        return Ok(Attempt::Nothing);
    }
    let name = match name {
        Ok(name) => name,
        Err("SYMBOLIC_LINK") => return refused("SYMBOLIC_LINK", "it is a link; name the file it leads to"),
        Err("OUTSIDE_REPOSITORY") => return refused("OUTSIDE_REPOSITORY", "it lies outside the repository"),
        Err(code) => return refused(code, "its name cannot stand in a proposal"),
    };
    let how = repair::Options {
        format: candidate.format,
        profile: candidate.profile,
        policy: options.policy,
        acknowledge_side_effects: options.acknowledge_side_effects,
        ..repair::Options::default()
    };
    let prepared = match repair::prepare(&candidate.path, &how) {
        Ok(prepared) => prepared,
        Err(RepairError::Refused(refusal)) => return Ok(Attempt::Refused(of_refusal(&shown, &refusal))),
        Err(RepairError::Io { .. } | RepairError::NotFound { .. }) => {
            return refused("UNREADABLE", "it cannot be read");
        }
        Err(RepairError::Unusable { .. }) => return refused("UNUSABLE", "it is no session that can be repaired"),
    };
    if prepared.plan().steps.is_empty() {
        return Ok(Attempt::Nothing);
    }
    let source = match std::fs::read(&candidate.path) {
        Ok(source) if hex(&Sha256::digest(&source)) == prepared.plan().source_hash => source,
        _ => return refused("SOURCE_CHANGED", "it changed while it was repaired; stop the agent and run again"),
    };
    mended(&name, &source, &prepared, before.assurance.as_str(), options, put)
}

fn mended(
    name: &str,
    source: &[u8],
    prepared: &Prepared,
    before: &str,
    options: &Options,
    put: &Put<'_>,
) -> io::Result<Attempt> {
    let mut output = Vec::new();
    prepared.write_output(&mut output)?;
    if output == source {
        return Ok(Attempt::Nothing);
    }
    let like = Some(prepared.source().metadata());
    let stands = put(&place::file(name), &output, like)?;
    let receipt = prepared.receipt(&stands)?;
    put(&place::file(&place::manifest(name)), &receipt, None)?;
    let receipt_sha256 = hex(&Sha256::digest(&receipt));
    let statement = attestation::statement(prepared, prepared.source().name(), &receipt_sha256);
    let attestation = attestation::bytes(&statement);
    put(&place::attestation(name), &attestation, None)?;

    let digests = repair::manifest::digests(prepared.source().path(), &stands)?;
    let side = |bytes: &[u8], digest: &str| Side {
        sha256: hex(&Sha256::digest(bytes)),
        git_blob: place::git_blob(bytes),
        bytes: bytes.len() as u64,
        log_digest: digests[digest].as_str().map(str::to_owned),
    };
    let manifest = prepared.manifest();
    let text = |name: &str| manifest[name].as_str().unwrap_or_default().to_owned();
    let change = diff(name, Some(source), &output);
    let mut patch = change.patch;
    let old_receipt = read_if_there(&options.root.join(place::manifest(name)))?;
    if old_receipt.as_deref() != Some(&receipt) {
        patch.extend(diff(&place::manifest(name), old_receipt.as_deref(), &receipt).patch);
    }
    let step = |step: &repair::plan::Step| Step { recipe: step.recipe.clone(), finding: step.finding.clone() };
    let too_large = output.len() as u64 > options.max_committed_bytes;
    let entry = Entry {
        path: name.to_owned(),
        format: prepared.format().id.to_owned(),
        profile: prepared.plan().profile.clone(),
        source: side(source, "source"),
        output: side(&output, "output"),
        manifest_sha256: receipt_sha256,
        attestation_sha256: hex(&Sha256::digest(&attestation)),
        edits: Edits {
            lines_removed: change.removed,
            lines_added: change.added,
            steps: prepared.plan().steps.iter().map(step).collect(),
        },
        declared_loss: repair::manifest::declared_loss(prepared.plan()),
        assurance: Assurance { before: before.to_owned(), after: text("assurance_ceiling"), repair: text("assurance") },
        not_committed: too_large.then(|| format!("larger than {} bytes", options.max_committed_bytes)),
    };
    Ok(Attempt::Mended { entry: Box::new(entry), patch })
}

/// A file's bytes; none when there is no such file.
pub(super) fn read_if_there(path: &std::path::Path) -> io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn refused(path: &str, code: &str, reason: &str) -> Refused {
    let (path, code, reason) = (path.to_owned(), code.to_owned(), reason.to_owned());
    Refused { path, code, reason, blocking: Vec::new(), blocking_total: 0 }
}

fn of_refusal(path: &str, refusal: &Refusal) -> Refused {
    let mut reason: String = refusal.message.chars().take(MAX_REASON).collect();
    if reason.len() < refusal.message.len() {
        reason.push('…');
    }
    let row =
        |b: &repair::refusal::Blocking| Blocking { code: b.code.to_owned(), line: b.line, reason: b.reason.clone() };
    Refused {
        blocking: refusal.blocking.iter().take(MAX_BLOCKING).map(row).collect(),
        blocking_total: refusal.blocking.len() as u64,
        ..refused(path, refusal.code.as_str(), &reason)
    }
}
