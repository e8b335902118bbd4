//! What is to be published: the files of the commit, the branch they go to, and the texts.

use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::emit::escape::uri_path;
use crate::finding::fingerprint::hex;
use crate::propose::{Proposal, place, pull_request};

/// How branches of this program begin.
pub(super) const PREFIX: &str = "sesslint/repair/";
/// The trailer that holds a proposal's fingerprint.
pub(super) const PROPOSAL: &str = "Sesslint-Proposal: ";
/// The trailer that holds the tree of the commit: an amended commit has another one.
pub(super) const TREE: &str = "Sesslint-Tree: ";

/// A repository of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    owner: String,
    name: String,
}

impl Repository {
    /// Reads `OWNER/NAME`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |part: &str| {
            !matches!(part, "" | "." | "..")
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        let (owner, name) = text.split_once('/')?;
        (plain(owner) && plain(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    pub(super) fn path(&self, tail: &str) -> String {
        format!("/repos/{}/{}{tail}", self.owner, self.name)
    }
}

/// One file of the commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// From the root of the repository.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Git's name of the file that stands there at the base; none when there is none.
    pub replaces: Option<String>,
}

/// A proposal made ready for the service.
#[derive(Clone, Debug)]
pub struct Publication {
    /// Where it goes.
    pub repository: Repository,
    /// The branch it is to be merged into.
    pub base: String,
    /// The branch that carries it.
    pub branch: String,
    /// The proposal's.
    pub fingerprint: String,
    /// Title of the pull request.
    pub title: String,
    /// Text of the pull request.
    pub body: String,
    /// Labels of the pull request.
    pub labels: Vec<String>,
    /// Open it as a draft.
    pub draft: bool,
    /// The files of the commit, sorted by path.
    pub blobs: Vec<Blob>,
    /// Files that the commit leaves out.
    pub left_out: usize,
    /// Files that are broken but not repaired.
    pub refused: usize,
}

impl Publication {
    /// Reads the files of a proposal from its folder, and what they replace from the base below `root`.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(
        proposal: &Proposal,
        (folder, root): (&Path, &Path),
        (repository, base): (Repository, &str),
    ) -> io::Result<Self> {
        let mut blobs = Vec::new();
        let committed: Vec<_> = proposal.files.iter().filter(|entry| entry.not_committed.is_none()).collect();
        for entry in &committed {
            let manifest = place::manifest(&entry.path);
            let old = match std::fs::read(root.join(&manifest)) {
                Ok(bytes) => Some(place::git_blob(&bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            for (path, replaces) in [(entry.path.clone(), Some(entry.source.git_blob.clone())), (manifest, old)] {
                let bytes = std::fs::read(folder.join(place::file(&path)))?;
                blobs.push(Blob { path, bytes, replaces });
            }
        }
        Ok(Self {
            repository,
            base: base.to_owned(),
            branch: branch_of(base, proposal.files.iter().map(|entry| entry.path.as_str())),
            fingerprint: proposal.fingerprint.clone(),
            title: pull_request::title(proposal),
            body: pull_request::body(proposal),
            labels: Vec::new(),
            draft: false,
            blobs,
            left_out: proposal.files.len() - committed.len(),
            refused: proposal.refused.len(),
        })
    }

    /// The message of the commit with this tree.
    pub(super) fn message(&self, tree: &str) -> String {
        let list: String = self.blobs.iter().filter(|b| place::of_manifest(&b.path).is_none()).fold(
            String::new(),
            |mut list, blob| {
                if list.len() < 4000 {
                    list.push_str(&format!("- {}\n", blob.path));
                } else if !list.ends_with("...\n") {
                    list.push_str("...\n");
                }
                list
            },
        );
        format!("{}\n\n{list}\n{PROPOSAL}{}\n{TREE}{tree}\n", self.title, self.fingerprint)
    }

    pub(super) fn ref_path(&self, branch: &str) -> String {
        self.repository.path(&format!("/git/ref/heads/{}", uri_path(branch)))
    }
}

/// The branch for a base and a set of paths: another run about the same files finds it again.
#[must_use]
pub fn branch_of<'a>(base: &str, paths: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(base);
    for path in paths {
        hasher.update([0]);
        hasher.update(path);
    }
    let plain: String = base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
    format!("{PREFIX}{plain}-{}", &hex(&hasher.finalize())[..12])
}

/// What a trailer of a commit message says.
pub(super) fn trailer<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    message.lines().rev().find_map(|line| line.strip_prefix(name)).map(str::trim_end)
}
