//! Checks a branch that carries a proposal against its base, from two checkouts alone: every difference between them is
//! a repaired file or its receipt, and every receipt holds.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::place;
use super::verify::Checked;
use crate::repair::verify::{Request, verify as verify_repair};

/// Checks the files below `head` against those below `base`; `.git` is left out on both sides.
///
/// # Errors
/// One of them cannot be read.
pub fn verify_trees(head: &Path, base: &Path, acknowledge_side_effects: bool) -> io::Result<Checked> {
    let (after, before) = (files(head)?, files(base)?);
    let mut checked = Checked::default();
    let mut changed: BTreeMap<&str, bool> = BTreeMap::new();
    for (name, path) in &before {
        match after.get(name) {
            None => checked.wrong(name, "is gone; a repair removes no file"),
            Some(new) if !same(path, new)? => {
                changed.insert(name, true);
            }
            Some(_) => {}
        }
    }
    for name in after.keys().filter(|name| !before.contains_key(*name)) {
        changed.insert(name, false);
    }
    for (name, existed) in &changed {
        if let Some(log) = place::of_manifest(name) {
            if changed.get(log) != Some(&true) {
                checked.wrong(name, "is the receipt of no repaired file");
            }
            continue;
        }
        let manifest = place::manifest(name);
        if !existed || !changed.contains_key(manifest.as_str()) {
            checked.wrong(name, "changed without a receipt of its repair");
            continue;
        }
        checked.files += 1;
        if !is_plain(&before[*name], &after[*name], &after[&manifest])? {
            checked.wrong(name, "became another kind of file, or its receipt is none");
            continue;
        }
        let request = Request {
            source: before[*name].clone(),
            output: after[*name].clone(),
            manifest: after[&manifest].clone(),
            plan: None,
            acknowledge_side_effects,
        };
        match verify_repair(&request) {
            Ok(verdict) => {
                for check in verdict.checks.iter().filter(|check| !check.ok()) {
                    checked.wrong(name, format!("{}: {}", check.name, check.detail()));
                }
            }
            Err(error) => checked.wrong(name, error.to_string()),
        }
    }
    if changed.is_empty() {
        checked.wrong("", "nothing differs from the base");
    }
    Ok(checked)
}

/// Every file and link, by its name from the root.
fn files(root: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    let walk = WalkDir::new(root).min_depth(1).into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() != 1 || entry.file_name() != ".git") {
        let entry = entry.map_err(io::Error::from)?;
        if entry.file_type().is_dir() {
            continue;
        }
        let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let parts: Option<Vec<_>> = name.components().map(|part| part.as_os_str().to_str()).collect();
        let Some(parts) = parts else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a file name is not UTF-8"));
        };
        files.insert(parts.join("/"), entry.into_path());
    }
    Ok(files)
}

/// Whether two files, or links, are the same in all that git keeps.
fn same(a: &Path, b: &Path) -> io::Result<bool> {
    let (left, right) = (a.symlink_metadata()?, b.symlink_metadata()?);
    if left.is_symlink() && right.is_symlink() {
        return Ok(std::fs::read_link(a)? == std::fs::read_link(b)?);
    }
    if !left.is_file() || !right.is_file() || left.len() != right.len() || is_program(&left) != is_program(&right) {
        return Ok(false);
    }
    Ok(hash(a)? == hash(b)?)
}

/// Whether a file stayed a regular one of the same mode, and its receipt is a regular file.
fn is_plain(before: &Path, after: &Path, manifest: &Path) -> io::Result<bool> {
    let of = |path: &Path| path.symlink_metadata();
    let (before, after, manifest) = (of(before)?, of(after)?, of(manifest)?);
    let regular = before.is_file() && after.is_file() && manifest.is_file();
    Ok(regular && is_program(&before) == is_program(&after) && !is_program(&manifest))
}

fn hash(path: &Path) -> io::Result<Vec<u8>> {
    let mut hasher = Sha256::new();
    io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_vec())
}

#[cfg(unix)]
fn is_program(metadata: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_program(_metadata: &Metadata) -> bool {
    false
}
