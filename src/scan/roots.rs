//! What a command line, a configuration or an action names as places to look at: paths, or patterns of paths.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use walkdir::WalkDir;

/// A place to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// A file or a folder.
    pub path: PathBuf,
    /// A file here was named as such, so it is meant to be a session; one found by a pattern may be anything.
    pub named: bool,
}

impl Root {
    /// A folder, or a file that may be anything.
    #[must_use]
    pub fn folder(path: &Path) -> Self {
        Self { path: path.to_owned(), named: false }
    }

    /// What was named itself.
    #[must_use]
    pub fn named(path: &Path) -> Self {
        Self { path: path.to_owned(), named: true }
    }
}

/// What a given path names: itself when it exists, else all that match it as a pattern (`*` within a folder, `**`
/// deeper), sorted, but nothing in folders with a `foreign` name. None when it is no pattern either.
///
/// # Errors
/// The pattern is malformed; a sentence.
pub fn expand(given: &Path, foreign: &[&str]) -> Result<Option<Vec<Root>>, String> {
    if std::fs::symlink_metadata(given).is_ok() {
        return Ok(Some(vec![Root::named(given)]));
    }
    let Some(text) = given.to_str().filter(|text| text.contains(['*', '?', '[', '{'])) else { return Ok(None) };
    let text = text.strip_prefix("./").unwrap_or(text);
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    let glob = glob.map_err(|error| format!("{text:?} is no pattern: {}", error.kind()))?.compile_matcher();
    let fixed: PathBuf = Path::new(text)
        .components()
        .take_while(|c| !c.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']))
        .collect();
    let start = if fixed.as_os_str().is_empty() { Path::new(".") } else { &*fixed };
    let mut roots = Vec::new();
    let mut walk = WalkDir::new(start).min_depth(1).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        // What cannot be listed holds nothing that the pattern could be said to name.
        let Ok(entry) = entry else { continue };
        let path = entry.path().strip_prefix("./").unwrap_or(entry.path());
        if entry.file_type().is_dir() && foreign.iter().any(|name| entry.file_name() == *name) {
            walk.skip_current_dir();
            continue;
        }
        if glob.is_match(path) {
            roots.push(Root::folder(path));
            if entry.file_type().is_dir() {
                walk.skip_current_dir();
            }
        }
    }
    Ok(Some(roots))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_paths_name_themselves_and_patterns_what_matches() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "b.json", "[x].jsonl", "sub/c.jsonl", "sub/deep/d.jsonl", "foreign/e.jsonl"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = |given: &str| {
            let roots = expand(&folder.path().join(given), &["foreign"]).unwrap();
            let shown = |root: Root| (root.path.strip_prefix(folder.path()).unwrap().display().to_string(), root.named);
            roots.map(|roots| roots.into_iter().map(shown).collect::<Vec<_>>())
        };
        let unnamed = |names: &[&str]| Some(names.iter().map(|name| ((*name).to_owned(), false)).collect());
        assert_eq!(found("a.jsonl"), Some(vec![("a.jsonl".into(), true)]));
        assert_eq!(found("[x].jsonl"), Some(vec![("[x].jsonl".into(), true)]));
        assert_eq!(found("*.jsonl"), unnamed(&["[x].jsonl", "a.jsonl"]));
        assert_eq!(found("**/*.jsonl"), unnamed(&["[x].jsonl", "a.jsonl", "sub/c.jsonl", "sub/deep/d.jsonl"]));
        assert_eq!(found("s*"), unnamed(&["sub"]));
        assert_eq!(found("*.none"), unnamed(&[]));
        assert_eq!(found("none"), None);
        assert!(expand(Path::new("none["), &[]).is_err());
    }
}
