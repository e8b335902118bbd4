//! Makes the folder: every file repaired on its own, everything proved, then the folder published whole.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::attempt::{Attempt, attempt, refused};
use super::document::{Entry, Proposal, Refused, SCHEMA, Tool};
use super::{Candidate, Options, place, pull_request, verify};
use crate::finding::fingerprint::hex;
use crate::repair::verify::{Request, verify as verify_repair};
use crate::write::{self, StagedFolder};

/// What came of it.
#[derive(Debug)]
pub struct Made {
    /// What is proposed. Without files nothing was written.
    pub proposal: Proposal,
    /// Whether the folder was written.
    pub written: bool,
}

/// Writes a proposal for every candidate that can be repaired. Writes nothing when there is none.
///
/// # Errors
/// Something stands at the folder, or whatever reading and writing raises; no folder is left then.
pub fn make(candidates: &[Candidate], folder: &Path, options: &Options) -> io::Result<Made> {
    let staged = write::stage_folder(folder)?;
    let put = |name: &str, bytes: &[u8], like: Option<&std::fs::Metadata>| staged.put(Path::new(name), like, bytes);
    // One file may be reached by several paths.
    let whole = |candidate: &&Candidate| candidate.path.canonicalize().unwrap_or_else(|_| candidate.path.clone());
    let distinct: BTreeMap<_, _> = candidates.iter().rev().map(|candidate| (whole(&candidate), candidate)).collect();
    let mut attempts: Vec<Attempt> = distinct
        .into_par_iter()
        .map(|(_, candidate)| candidate)
        .map(|candidate| proved(attempt(candidate, options, &put)?, &staged, options))
        .collect::<io::Result<_>>()?;
    attempts.sort_by(|a, b| path_of(a).cmp(path_of(b)));
    let (mut files, mut refused, mut patch) = (Vec::new(), Vec::new(), Vec::new());
    for attempt in attempts {
        match attempt {
            Attempt::Mended { entry, patch: part } => {
                files.push(*entry);
                patch.extend(part);
            }
            Attempt::Refused(row) => refused.push(row),
            Attempt::Nothing => {}
        }
    }
    let proposal = proposal(files, refused, options);
    if proposal.files.is_empty() {
        return Ok(Made { proposal, written: false });
    }
    let texts = [
        (place::INDEX, proposal.bytes()),
        (place::PATCH, patch),
        (place::PULL_REQUEST, pull_request::body(&proposal).into_bytes()),
    ];
    let mut sums = sums_of(&proposal);
    for (name, bytes) in &texts {
        staged.put(Path::new(name), None, bytes)?;
        sums.insert((*name).to_owned(), hex(&Sha256::digest(bytes)));
    }
    staged.put(Path::new(place::SUMS), None, &sums_text(&sums))?;
    let checked = verify(staged.path(), &options.root)?;
    if let Some(problem) = checked.problems.first() {
        return Err(io::Error::other(format!("{}: {}; the sources may have changed", problem.path, problem.what)));
    }
    staged.publish()?;
    Ok(Made { proposal, written: true })
}

fn path_of(attempt: &Attempt) -> &str {
    match attempt {
        Attempt::Mended { entry, .. } => &entry.path,
        Attempt::Refused(row) => &row.path,
        Attempt::Nothing => "",
    }
}

/// A repair that does not verify is none.
fn proved(attempt: Attempt, staged: &StagedFolder, options: &Options) -> io::Result<Attempt> {
    let Attempt::Mended { entry, .. } = &attempt else { return Ok(attempt) };
    let output = place::file(&entry.path);
    let manifest = place::file(&place::manifest(&entry.path));
    let request = Request {
        source: options.root.join(&entry.path),
        output: staged.path().join(&output),
        manifest: staged.path().join(&manifest),
        plan: None,
        acknowledge_side_effects: options.acknowledge_side_effects,
    };
    if verify_repair(&request).is_ok_and(|verdict| verdict.ok()) {
        return Ok(attempt);
    }
    for name in [output, manifest, place::attestation(&entry.path)] {
        staged.take_back(Path::new(&name))?;
    }
    let reason = "its repair does not stand up to `sesslint verify`";
    Ok(Attempt::Refused(refused(&entry.path, "UNVERIFIED", reason)))
}

fn proposal(files: Vec<Entry>, refused: Vec<Refused>, options: &Options) -> Proposal {
    let mut proposal = Proposal {
        schema_version: SCHEMA.to_owned(),
        tool: Tool { name: "sesslint".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        fingerprint: String::new(),
        base_commit: options.base_commit.clone(),
        policy: options.policy.as_str().to_owned(),
        acknowledged_side_effects: options.acknowledge_side_effects,
        files,
        refused,
    };
    proposal.fingerprint = proposal.computed_fingerprint();
    proposal
}

/// Hashes of the files that the index states.
pub(super) fn sums_of(proposal: &Proposal) -> BTreeMap<String, String> {
    let mut sums = BTreeMap::new();
    for entry in &proposal.files {
        sums.insert(place::file(&entry.path), entry.output.sha256.clone());
        sums.insert(place::file(&place::manifest(&entry.path)), entry.manifest_sha256.clone());
        sums.insert(place::attestation(&entry.path), entry.attestation_sha256.clone());
    }
    sums
}

/// `SHA256SUMS` as `sha256sum --check` reads it.
pub(super) fn sums_text(sums: &BTreeMap<String, String>) -> Vec<u8> {
    sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect::<String>().into_bytes()
}
