//! Where things stand: names of files in a proposal and in a repository, and which names are safe to use.

use std::path::{Component, Path};

use sha1::{Digest, Sha1};

use crate::finding::fingerprint::hex;

/// The index.
pub const INDEX: &str = "proposal.json";
/// The patch.
pub const PATCH: &str = "changes.patch";
/// The text of the pull request.
pub const PULL_REQUEST: &str = "PULL_REQUEST.md";
/// Hashes of all other files.
pub const SUMS: &str = "SHA256SUMS";

/// What the name of a receipt ends in.
const MANIFEST: &str = ".manifest.json";
/// What the name of an attestation ends in.
const ATTESTATION: &str = ".attestation.json";
/// Longest name of a file on the systems there are, in bytes.
const MAX_NAME: usize = 255;

/// The repaired file in the proposal.
#[must_use]
pub fn file(path: &str) -> String {
    format!("files/{path}")
}

/// Its attestation in the proposal.
#[must_use]
pub fn attestation(path: &str) -> String {
    format!("attestations/{path}{ATTESTATION}")
}

/// The receipt of a file, in the repository.
#[must_use]
pub fn manifest(path: &str) -> String {
    format!("{path}{MANIFEST}")
}

/// The file that a receipt is for.
#[must_use]
pub fn of_manifest(path: &str) -> Option<&str> {
    path.strip_suffix(MANIFEST)
}

/// Whether a name leads to a file below a root on every system, and to no receipt and nothing of git's own, and leaves
/// room for what is written beside it.
#[must_use]
pub fn is_safe(path: &str) -> bool {
    let fits = |part: &str| part.len() + ATTESTATION.len() <= MAX_NAME;
    let parts = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git") && fits(part);
    let plain = |c: char| !c.is_control() && c != '\\';
    path.split('/').all(parts)
        && path.chars().all(plain)
        && of_manifest(path).is_none()
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The name of a file from the root of its repository. The error is a word of the contract.
pub(super) fn name_of(path: &Path, root: &Path) -> Result<String, &'static str> {
    let outside = "OUTSIDE_REPOSITORY";
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err("SYMBOLIC_LINK");
    }
    let whole = path.canonicalize().map_err(|_| "UNREADABLE")?;
    let root = root.canonicalize().map_err(|_| outside)?;
    let relative = whole.strip_prefix(root).map_err(|_| outside)?;
    let parts: Option<Vec<&str>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|name| is_safe(name)).ok_or("UNUSABLE_NAME")
}

/// The name that git gives to a file's bytes.
#[must_use]
pub fn git_blob(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hex(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_not_safe() {
        for name in ["a", "a b/ü\".jsonl", "..a/b", "-a"] {
            assert!(is_safe(name), "{name}");
        }
        for name in ["", "/a", "a//b", "../a", "a/..", "a/./b", ".git/x", "a/.GIT", "a\\b", "a\nb", "a.manifest.json"] {
            assert!(!is_safe(name), "{name}");
        }
        assert!(is_safe(&"a".repeat(238)) && !is_safe(&"a".repeat(239)));
    }

    #[test]
    fn blobs_are_named_as_git_names_them() {
        assert_eq!(git_blob(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_blob(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
