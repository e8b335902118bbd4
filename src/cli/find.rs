//! Which files a run over a repository looks at: those named, those of the configuration, or all that may be logs.

use std::path::PathBuf;

use sesslint::scan::roots::expand;
use sesslint::scan::{Limits, Root};

use super::Failure;
use super::args::TreeArgs;
use super::scan::not_found;
use super::settings::Settings;

/// Endings of files that may be session logs: a whole repository is looked at, and most of it is something else.
const ENDINGS: [&str; 5] = ["jsonl", "ndjson", "json", "zst", "zstd"];
/// Folders of a repository that hold other people's files.
const FOREIGN: [&str; 2] = [".git", "node_modules"];

/// The places to look at: those named, else the configuration's, else here. A pattern may match nothing.
pub fn roots(settings: &Settings, given: &[PathBuf], tree: &TreeArgs) -> Result<Vec<Root>, Failure> {
    let mut paths = given.to_vec();
    if paths.is_empty() {
        paths = settings.paths();
    }
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let mut found = Vec::new();
    for path in &paths {
        match expand(path, &FOREIGN).map_err(Failure::usage)? {
            Some(roots) => found.extend(roots),
            None => return Err(not_found(path)),
        }
    }
    if tree.skip_undetected {
        found.iter_mut().for_each(|root| root.named = false);
    }
    Ok(found)
}

/// A whole tree without caps, but only files that may be logs, and none that belong to someone else.
pub fn limits(settings: &Settings, tree: &TreeArgs) -> Result<Limits, Failure> {
    let mut limits = settings.limits(tree)?;
    limits.max_files = tree.max_files.unwrap_or(u64::MAX);
    limits.max_bytes = tree.max_bytes.unwrap_or(u64::MAX);
    limits.foreign = FOREIGN.map(str::to_owned).to_vec();
    if limits.extensions.is_empty() {
        limits.extensions = ENDINGS.map(str::to_owned).to_vec();
    }
    Ok(limits)
}
