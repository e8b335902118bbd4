//! `proposal.json`: what is proposed, what was refused, and hashes of everything. Without a word of any session.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::emit::ascii;
use crate::finding::fingerprint::hex;
use crate::model::canonical_json;

/// Schema of the document.
pub const SCHEMA: &str = "sesslint.proposal/v1";

/// The document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// [`SCHEMA`].
    pub schema_version: String,
    /// The program that made it.
    pub tool: Tool,
    /// SHA-256 over the document without this member and `base_commit`, hex: two runs that propose the same have the
    /// same one, whatever else happened in the repository.
    pub fingerprint: String,
    /// The commit that was checked out, hex; null when there was none.
    pub base_commit: Option<String>,
    /// What may be given up.
    pub policy: String,
    /// Side effects that may be unknown were looked into.
    pub acknowledged_side_effects: bool,
    /// Repaired files, sorted by path.
    pub files: Vec<Entry>,
    /// Files that are broken but not repaired, sorted by path.
    pub refused: Vec<Refused>,
}

/// Who made a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `sesslint`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One repaired file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// From the root of the repository, `/` between parts.
    pub path: String,
    /// Its format.
    pub format: String,
    /// The profile it was judged under.
    pub profile: String,
    /// The file as it is.
    pub source: Side,
    /// The file as it would be.
    pub output: Side,
    /// SHA-256 of the receipt, hex.
    pub manifest_sha256: String,
    /// SHA-256 of the attestation, hex.
    pub attestation_sha256: String,
    /// What changes.
    pub edits: Edits,
    /// What is given up, `class:count`.
    pub declared_loss: Vec<String>,
    /// How far the file can be trusted.
    pub assurance: Assurance,
    /// Why the commit of a pull request leaves it out; null when it is in.
    pub not_committed: Option<String>,
}

/// One state of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// SHA-256 of its bytes, hex.
    pub sha256: String,
    /// Its name as a git blob (SHA-1), hex.
    pub git_blob: String,
    /// Its length.
    pub bytes: u64,
    /// Digest of the log's content; null where a part of it cannot be read.
    pub log_digest: Option<String>,
}

/// What changes in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edits {
    /// Lines of the source that the patch takes out, changed ones included.
    pub lines_removed: u64,
    /// Lines that it puts in, changed ones included.
    pub lines_added: u64,
    /// The steps of the plan.
    pub steps: Vec<Step>,
}

/// One step of a repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What is done.
    pub recipe: String,
    /// The finding it answers.
    pub finding: String,
}

/// Trust before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assurance {
    /// `A0` to `A4`, of the source.
    pub before: String,
    /// `A0` to `A4`, of the output; what was salvaged claims at most `A2`.
    pub after: String,
    /// `repaired-lossless` or `salvaged`.
    pub repair: String,
}

/// One file that is not repaired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// From the root of the repository, `/` between parts; the name alone when it lies elsewhere.
    pub path: String,
    /// A word of the contract.
    pub code: String,
    /// One sentence.
    pub reason: String,
    /// What stands in the way, at most [`MAX_BLOCKING`] findings.
    pub blocking: Vec<Blocking>,
    /// How many findings that are in all.
    pub blocking_total: u64,
}

/// A finding that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocking {
    /// Its code.
    pub code: String,
    /// Physical line, from 1; item in a document.
    pub line: Option<u64>,
    /// Why it is not mended: a word of the contract.
    pub reason: String,
}

/// How many findings are listed for a file that is not repaired.
pub const MAX_BLOCKING: usize = 20;

impl Proposal {
    /// The fingerprint that its content has.
    #[must_use]
    pub fn computed_fingerprint(&self) -> String {
        let mut document = serde_json::to_value(self).unwrap_or_default();
        if let Some(members) = document.as_object_mut() {
            members.remove("fingerprint");
            members.remove("base_commit");
        }
        let mut text = String::new();
        canonical_json::write_document(&document, &mut text);
        hex(&Sha256::digest(text))
    }

    /// The bytes of the document.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes everything.
        let _ = ascii::write_document(self, &mut bytes);
        bytes
    }
}

impl Entry {
    /// What is given up, `class: count`, each class once.
    #[must_use]
    pub fn summed_loss(&self) -> Vec<String> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (class, count) in self.declared_loss.iter().filter_map(|loss| loss.rsplit_once(':')) {
            *sums.entry(class).or_default() += count.parse::<u64>().unwrap_or_default();
        }
        sums.into_iter().map(|(class, count)| format!("{class}: {count}")).collect()
    }
}
