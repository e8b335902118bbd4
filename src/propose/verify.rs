//! Checks a proposal against its base. Nothing in it is believed: every file is repaired anew from the base and compared,
//! every receipt verified, the patch applied, and every text written anew.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::apply::apply;
use super::attempt::{Attempt, attempt, read_if_there};
use super::document::{Entry, Proposal, SCHEMA};
use super::folder::{sums_of, sums_text};
use super::{Candidate, Options, place, pull_request};
use crate::finding::fingerprint::hex;
use crate::inspect::format_named;
use crate::repair::Policy;
use crate::repair::verify::{Request, verify as verify_repair};
use crate::rule::profile;

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file concerned, from the proposal's folder or the repository's root.
    pub path: String,
    /// What is wrong with it.
    pub what: String,
}

/// The outcome.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// How many repaired files were checked.
    pub files: usize,
    /// Everything that does not hold; empty when all does.
    pub problems: Vec<Problem>,
}

impl Checked {
    pub(super) fn wrong(&mut self, path: &str, what: impl Into<String>) {
        self.problems.push(Problem { path: path.to_owned(), what: what.into() });
    }
}

/// Checks the proposal in a folder against the files of its base below `root`.
///
/// # Errors
/// The folder or the base cannot be read.
pub fn verify(folder: &Path, root: &Path) -> io::Result<Checked> {
    let mut checked = Checked::default();
    let there = listing(folder, &mut checked)?;
    let Some(index) = there.get(place::INDEX) else {
        checked.wrong(place::INDEX, "is missing");
        return Ok(checked);
    };
    let proposal: Proposal = match serde_json::from_slice(&std::fs::read(index)?) {
        Ok(proposal) => proposal,
        Err(error) => {
            checked.wrong(place::INDEX, format!("is no proposal: line {}", error.line()));
            return Ok(checked);
        }
    };
    let Some(options) = options(&proposal, root, &mut checked) else { return Ok(checked) };
    let mut sums = sums_of(&proposal);
    for name in [place::INDEX, place::PATCH, place::PULL_REQUEST] {
        if let Some(path) = there.get(name) {
            sums.insert(name.to_owned(), hex(&Sha256::digest(std::fs::read(path)?)));
        }
    }
    for name in sums.keys().map(String::as_str).chain([place::PATCH, place::PULL_REQUEST, place::SUMS]) {
        if !there.contains_key(name) {
            checked.wrong(name, "is missing");
        }
    }
    for (name, path) in &there {
        match (sums.get(name), name.as_str()) {
            (Some(sum), _) if *sum != hex(&Sha256::digest(std::fs::read(path)?)) => {
                checked.wrong(name, "is not what the index says: its SHA-256 differs");
            }
            (None, name) if name != place::SUMS => checked.wrong(name, "is not part of the proposal"),
            _ => {}
        }
    }
    if !checked.problems.is_empty() {
        return Ok(checked);
    }
    let mut compare = |name: &str, expected: &[u8]| {
        if std::fs::read(folder.join(name))? != expected {
            checked.wrong(name, "is not what follows from the proposal");
        }
        Ok::<_, io::Error>(())
    };
    compare(place::INDEX, &proposal.bytes())?;
    compare(place::PULL_REQUEST, pull_request::body(&proposal).as_bytes())?;
    compare(place::SUMS, &sums_text(&sums))?;
    for entry in &proposal.files {
        mended_anew(entry, folder, &options, &mut checked)?;
        checked.files += 1;
    }
    for row in &proposal.refused {
        if proposal.files.iter().any(|entry| entry.path == row.path) {
            checked.wrong(&row.path, "is both repaired and refused");
        }
    }
    patch(&proposal, folder, root, &mut checked)?;
    Ok(checked)
}

/// Every file of the folder, by its name from there.
fn listing(folder: &Path, checked: &mut Checked) -> io::Result<BTreeMap<String, PathBuf>> {
    let mut there = BTreeMap::new();
    for entry in WalkDir::new(folder).follow_root_links(true) {
        let entry = entry.map_err(io::Error::from)?;
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name: Vec<_> = name.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let name = name.join("/");
        match entry.file_type() {
            kind if kind.is_file() => {
                there.insert(name, entry.into_path());
            }
            kind if kind.is_dir() => {}
            _ => checked.wrong(&name, "is no regular file"),
        }
    }
    Ok(there)
}

/// What the proposal was made with; none when it is no proposal that this program can check.
fn options(proposal: &Proposal, root: &Path, checked: &mut Checked) -> Option<Options> {
    let policy = [Policy::Conservative, Policy::Salvage].into_iter().find(|p| p.as_str() == proposal.policy);
    let mut bad = |what: &str| checked.wrong(place::INDEX, what);
    if proposal.schema_version != SCHEMA {
        bad("has another schema than sesslint.proposal/v1");
        return None;
    }
    if proposal.fingerprint != proposal.computed_fingerprint() {
        bad("does not have the fingerprint that it states");
    }
    let sorted = proposal.files.windows(2).all(|two| two[0].path < two[1].path);
    if proposal.files.is_empty() || !sorted || !proposal.files.iter().all(|entry| place::is_safe(&entry.path)) {
        bad("names files that it may not name, in another order than it should, or none");
        return None;
    }
    let hash = |text: &String| matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if !proposal.base_commit.as_ref().is_none_or(hash) {
        bad("states a base that is no commit");
    }
    let Some(policy) = policy else {
        bad("states an unknown policy");
        return None;
    };
    Some(Options {
        root: root.to_owned(),
        base_commit: proposal.base_commit.clone(),
        policy,
        acknowledge_side_effects: proposal.acknowledged_side_effects,
        max_committed_bytes: u64::MAX,
    })
}

/// Repairs the file once more and compares everything that is said of it.
fn mended_anew(entry: &Entry, folder: &Path, options: &Options, checked: &mut Checked) -> io::Result<()> {
    let (Ok(format), Some(profile)) = (format_named(&entry.format), profile::find(&entry.profile)) else {
        checked.wrong(&entry.path, "has a format or profile that this program does not know");
        return Ok(());
    };
    let candidate = Candidate { path: options.root.join(&entry.path), named: true, format, profile };
    let other: Mutex<Vec<String>> = Mutex::default();
    let put = |name: &str, bytes: &[u8], _: Option<&std::fs::Metadata>| {
        let path = folder.join(name);
        if std::fs::read(&path)? != bytes
            && let Ok(mut other) = other.lock()
        {
            other.push(name.to_owned());
        }
        Ok(path)
    };
    let fresh = attempt(&candidate, options, &put)?;
    for name in other.into_inner().unwrap_or_default() {
        checked.wrong(&name, "is not what follows from the base");
    }
    match fresh {
        Attempt::Mended { entry: mut fresh, .. } => {
            fresh.not_committed.clone_from(&entry.not_committed);
            if fresh.source.sha256 != entry.source.sha256 {
                checked.wrong(&entry.path, "stands in another state at the base than the proposal is for");
            } else if *fresh != *entry {
                checked.wrong(&entry.path, "is not described as it is");
            }
        }
        Attempt::Refused(row) => checked.wrong(&entry.path, format!("cannot be repaired as proposed: {}", row.code)),
        Attempt::Nothing => checked.wrong(&entry.path, "needs no repair at the base"),
    }
    let request = Request {
        source: candidate.path,
        output: folder.join(place::file(&entry.path)),
        manifest: folder.join(place::file(&place::manifest(&entry.path))),
        plan: None,
        acknowledge_side_effects: options.acknowledge_side_effects,
    };
    match verify_repair(&request) {
        Ok(verdict) => {
            for check in verdict.checks.iter().filter(|check| !check.ok()) {
                checked.wrong(&place::manifest(&entry.path), format!("{}: {}", check.name, check.detail()));
            }
        }
        Err(error) => checked.wrong(&entry.path, error.to_string()),
    }
    Ok(())
}

/// The patch gives the repaired files and receipts, and touches nothing else.
fn patch(proposal: &Proposal, folder: &Path, root: &Path, checked: &mut Checked) -> io::Result<()> {
    let patch = std::fs::read(folder.join(place::PATCH))?;
    let safe = |name: &str| place::is_safe(place::of_manifest(name).unwrap_or(name));
    let base = &mut |name: &str| if safe(name) { read_if_there(&root.join(name)) } else { Ok(None) };
    let after = match apply(&patch, base) {
        Ok(after) => after,
        Err(what) => {
            checked.wrong(place::PATCH, what);
            return Ok(());
        }
    };
    let mut expected: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for entry in &proposal.files {
        for name in [entry.path.clone(), place::manifest(&entry.path)] {
            let bytes = std::fs::read(folder.join(place::file(&name)))?;
            if read_if_there(&root.join(&name))?.as_ref() != Some(&bytes) {
                expected.insert(name, bytes);
            }
        }
    }
    for name in after.keys().chain(expected.keys().filter(|name| !after.contains_key(*name))) {
        if after.get(name) != expected.get(name) {
            let what = if expected.contains_key(name) { "does not give the proposed" } else { "touches" };
            checked.wrong(place::PATCH, format!("{what} {name}"));
        }
    }
    Ok(())
}
