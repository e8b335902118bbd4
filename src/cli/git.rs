//! Older states of files, from the git program. It is asked with plain arguments only, never through a shell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sesslint::write::{self, Scratch};

/// A commit of the repository around the working directory.
#[derive(Debug)]
pub struct Revision {
    commit: String,
    /// Root of the working tree, links resolved.
    top: PathBuf,
    /// Paths from the root of files that were renamed since: new name, old name.
    renamed: BTreeMap<String, String>,
}

impl Revision {
    /// The commit that a name stands for.
    ///
    /// # Errors
    /// A phrase on what is missing.
    pub fn named(name: &str) -> Result<Self, String> {
        let top = ask(&["rev-parse", "--show-toplevel"]).ok_or(
            "git finds no repository here that it may read (missing, or owned by another user: safe.directory)",
        )?;
        let spec = format!("{name}^{{commit}}");
        let commit = ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &spec])
            .ok_or("there is no such commit here (a checkout fetches one commit only unless told otherwise)")?;
        let commit = commit.trim_end().to_owned();
        let diff = ["diff", "-z", "--name-status", "--find-renames", "--diff-filter=R", "--no-ext-diff", &commit, "--"];
        let renamed = renames(&ask(&diff).unwrap_or_default());
        Ok(Self { commit, top: PathBuf::from(top.trim_end_matches(['\n', '\r'])), renamed })
    }

    /// The file as it was then; none when it was not there.
    pub fn file(&self, path: &Path) -> Option<Scratch> {
        let path = path.canonicalize().ok()?;
        let relative = path.strip_prefix(self.top.canonicalize().ok()?).ok()?;
        let parts: Option<Vec<&str>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
        let new = parts?.join("/");
        let old = self.renamed.get(&new).unwrap_or(&new);
        let file = write::scratch().ok()?;
        let status = Command::new("git")
            .args(["cat-file", "blob", &format!("{}:{old}", self.commit)])
            .stdin(Stdio::null())
            .stdout(Stdio::from(file.reopen().ok()?))
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success()).then_some(file)
    }
}

/// The commit that is checked out in a working tree; none when there is none, or no git.
pub fn head(root: &Path) -> Option<String> {
    let root = root.join(".git").exists().then(|| root.to_str()).flatten()?;
    let commit = ask(&["-C", root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
    Some(commit.trim_end().to_owned())
}

/// What git prints, when it succeeds.
fn ask(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads `R100 NUL old NUL new NUL ...`.
fn renames(text: &str) -> BTreeMap<String, String> {
    let fields: Vec<&str> = text.split_terminator('\0').collect();
    fields.chunks_exact(3).map(|three| (three[2].to_owned(), three[1].to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_are_read_in_threes() {
        let map = renames("R100\0old a\0new a\0R090\0x\0y\0");
        assert_eq!(map.get("new a").map(String::as_str), Some("old a"));
        assert_eq!(map.get("y").map(String::as_str), Some("x"));
        assert!(renames("").is_empty());
    }
}
