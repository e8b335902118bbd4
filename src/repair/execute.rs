//! Writes a prepared repair: steps 2 and 6 to 8 of 8. Nothing is replaced, and the source is only read.
//!
//! Everything is staged and synced before anything is published: output first, receipt after it. Whatever a killed run
//! leaves is told from what a person put there, and the next run says how to clean it up.

use std::io;
use std::path::{Path, PathBuf};

use super::RefusalCode;
use sha2::{Digest, Sha256};

use super::attestation;
use super::prepare::Prepared;
use super::refusal::{Refusal, RepairError};
use crate::finding::fingerprint::hex;
use crate::source::SQLITE_MAGIC;
use crate::write::{self, Staged};

/// Where a repair is written.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The repaired session.
    pub output: PathBuf,
    /// Its receipt.
    pub manifest: PathBuf,
    /// Its attestation, when one is wanted.
    pub attestation: Option<PathBuf>,
}

impl Destination {
    /// The output, with the receipt beside it.
    #[must_use]
    pub fn beside(output: &Path) -> Self {
        let mut manifest = output.as_os_str().to_owned();
        manifest.push(".manifest.json");
        Self { output: output.to_owned(), manifest: manifest.into(), attestation: None }
    }
}

/// Checks that a repair may be written there. Called before anything expensive.
///
/// # Errors
/// A live store, the source itself, something that exists, or a folder that does not.
pub fn check_destination(source: &Path, to: &Destination) -> Result<(), Refusal> {
    let output = &to.output;
    let refuse = |code, text: String| Err(Refusal::new(code, text));
    let shown = output.display();
    if is_live_store(output) {
        return refuse(RefusalCode::RepairRefused, format!("{shown}: a live database; nothing is ever written to one"));
    }
    if is_same(source, output) {
        return refuse(RefusalCode::RepairRefused, format!("{shown}: the source itself; name another file"));
    }
    let there = |path: &Path| path.symlink_metadata().is_ok();
    let leftover = write::leftovers(output).into_iter().chain(write::leftovers(&to.manifest)).collect::<Vec<_>>();
    if there(output) {
        let mut text = format!("{shown}: exists; nothing is overwritten");
        if !there(&to.manifest) && (!leftover.is_empty() || output.is_file()) {
            text.push_str(" (it has no receipt: if an interrupted repair left it, remove it and run again)");
        }
        text.push_str(&cleanup(&leftover));
        return refuse(RefusalCode::RepairRefused, text);
    }
    if there(&to.manifest) {
        let text = format!("{}: a receipt stands there; receipts are never overwritten", to.manifest.display());
        return refuse(RefusalCode::ManifestCollision, text + &cleanup(&leftover));
    }
    if let Some(attestation) = to.attestation.as_deref().filter(|a| there(a)) {
        let text = format!("{}: exists; attestations are never overwritten", attestation.display());
        return refuse(RefusalCode::ManifestCollision, text);
    }
    for path in [Some(output), Some(&to.manifest), to.attestation.as_ref()].into_iter().flatten() {
        let folder = write::folder_of(path);
        if !folder.is_dir() {
            return refuse(RefusalCode::OutputInvalid, format!("{}: no such folder", folder.display()));
        }
    }
    Ok(())
}

/// Staged files of earlier runs and how to remove them; empty when there are none.
#[must_use]
pub fn cleanup(leftover: &[PathBuf]) -> String {
    if leftover.is_empty() {
        return String::new();
    }
    let names: Vec<String> = leftover.iter().map(|path| path.display().to_string()).collect();
    format!("; an interrupted run left: {} (safe to remove)", names.join(" "))
}

/// Staged files that earlier runs left for this destination.
#[must_use]
pub fn leftovers(to: &Destination) -> Vec<PathBuf> {
    let mut all = write::leftovers(&to.output);
    all.extend(write::leftovers(&to.manifest));
    all.extend(to.attestation.iter().flat_map(|path| write::leftovers(path)));
    all
}

/// Writes output, receipt and attestation. Gives the receipt's bytes.
///
/// # Errors
/// A refusal of [`check_destination`], a source that changed meanwhile, or whatever writing raises; no file is left
/// then, unless the message says so.
pub fn execute(prepared: &Prepared, to: &Destination) -> Result<Vec<u8>, RepairError> {
    let source = prepared.source();
    check_destination(source.path(), to)?;
    let like = Some(source.metadata());
    let invalid = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| Refusal::new(RefusalCode::OutputInvalid, format!("{}: {error}", path.display()))
    };
    let output = write::stage(&to.output, like, |out| prepared.write_output(out)).map_err(invalid(&to.output))?;
    let receipt = prepared.receipt(output.path()).map_err(invalid(&to.output))?;
    let manifest = write::stage(&to.manifest, like, |out| out.write_all(&receipt)).map_err(invalid(&to.manifest))?;
    let attestation = match &to.attestation {
        Some(path) => {
            let name = to.output.file_name().unwrap_or_default().to_string_lossy();
            let receipt_sha256 = hex(&Sha256::digest(&receipt));
            let bytes = attestation::bytes(&attestation::statement(prepared, &name, &receipt_sha256));
            Some((write::stage(path, like, |out| out.write_all(&bytes)).map_err(invalid(path))?, path.as_path()))
        }
        None => None,
    };
    let after = source.hash_again().map_err(invalid(source.path()))?;
    if after != prepared.plan().source_hash {
        let text = format!(
            "{}: changed while it was repaired (before {}, after {after}); stop the agent and run again",
            source.path().display(),
            prepared.plan().source_hash
        );
        return Err(Refusal::new(RefusalCode::OutputInvalid, text).into());
    }
    let mut order = vec![(output, to.output.as_path()), (manifest, to.manifest.as_path())];
    order.extend(attestation);
    publish(order)?;
    Ok(receipt)
}

/// Publishes in order; takes back what was published when one fails.
fn publish(order: Vec<(Staged, &Path)>) -> Result<(), Refusal> {
    let mut published: Vec<&Path> = Vec::new();
    for (staged, path) in order {
        if let Err(error) = staged.publish() {
            let code = match error.kind() {
                io::ErrorKind::AlreadyExists if !published.is_empty() => RefusalCode::ManifestCollision,
                io::ErrorKind::AlreadyExists => RefusalCode::RepairRefused,
                _ => RefusalCode::OutputInvalid,
            };
            let mut text = format!("{}: {error}", path.display());
            for path in published.into_iter().rev() {
                if write::withdraw(path).is_err() {
                    text.push_str(&format!("; {} was written and could not be taken back: remove it", path.display()));
                }
            }
            return Err(Refusal::new(code, text));
        }
        published.push(path);
    }
    Ok(())
}

/// A path that names a database, or a file that begins like one.
fn is_live_store(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let named = matches!(extension.as_deref(), Some("db" | "sqlite" | "sqlite3"));
    let begins = || {
        let mut head = [0; SQLITE_MAGIC.len()];
        let read = std::fs::File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut head));
        read.is_ok() && head == *SQLITE_MAGIC
    };
    named || path.is_file() && begins()
}

/// Whether two paths lead to one file, whatever links are between.
fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().or_else(|_| without_parents(path).canonicalize()).ok();
    real(a).is_some_and(|a| real(b) == Some(a))
}

/// A path whose `..` parts are taken as written, for folders that do not exist.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
