//! Which files of a tree are looked at, in a fixed order: names sorted, the files of a folder before its sub-folders.
//!
//! Nothing here opens a file. Links, pipes, devices, repeats and caps become rows that say why they were left out.

use std::collections::HashSet;
use std::fs::{FileType, Metadata};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::pattern::Patterns;
use super::roots::Root;
use crate::source::path::from_folder;

/// What may be looked at.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Rows of any kind after which further files are left out.
    pub max_files: u64,
    /// Bytes after which further files are left out; smaller later ones may still fit.
    pub max_bytes: u64,
    /// Follow symbolic links.
    pub follow_links: bool,
    /// Paths that are left out without a row.
    pub exclude: Patterns,
    /// The folder, absolute, that `exclude` counts from; paths elsewhere count from their root.
    pub base: PathBuf,
    /// `exclude` holds for roots too.
    pub force_exclude: bool,
    /// Names of folders that are not entered; a root is entered whatever its name.
    pub foreign: Vec<String>,
    /// Endings (lower case, without the first dot) of files that are looked at; empty looks at every file.
    pub extensions: Vec<String>,
    /// Which part of the tree: `(I, N)` takes the files whose relative path falls into part I of N, from 1.
    pub shard: Option<(u64, u64)>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_files: 10_000,
            max_bytes: 1 << 30,
            follow_links: false,
            exclude: Patterns::none(),
            base: PathBuf::new(),
            force_exclude: false,
            foreign: Vec::new(),
            extensions: Vec::new(),
            shard: None,
        }
    }
}

impl Limits {
    /// Whether a file that was named is left out all the same.
    #[must_use]
    pub fn force_excludes(&self, path: &Path) -> bool {
        self.force_exclude && self.excludes(path, path)
    }

    fn excludes(&self, root: &Path, path: &Path) -> bool {
        !self.exclude.is_empty()
            && match from_folder(path, &self.base) {
                Some(relative) => self.exclude.cover(&relative),
                None => self.exclude.cover(path.strip_prefix(root).unwrap_or(path)),
            }
    }
}

/// Why an entry is not looked at: a closed vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// A folder that was visited already.
    Loop,
    /// A link to a folder, not followed.
    LinkToFolder,
    /// A link, not followed.
    Link,
    /// Another name of a file that was seen already.
    HardLink,
    /// Too many files.
    MaxFiles,
    /// Too many bytes.
    MaxBytes,
    /// It holds no session of any format we know.
    NotASession,
    /// It is empty.
    Empty,
}

impl Skip {
    const ALL: [Self; 11] = [
        Self::Fifo,
        Self::Socket,
        Self::Device,
        Self::Loop,
        Self::LinkToFolder,
        Self::Link,
        Self::HardLink,
        Self::MaxFiles,
        Self::MaxBytes,
        Self::NotASession,
        Self::Empty,
    ];

    /// The reason with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|skip| skip.as_str() == word)
    }

    /// The word in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fifo => "fifo-special-file-skipped",
            Self::Socket => "socket-special-file-skipped",
            Self::Device => "device-special-file-skipped",
            Self::Loop => "symlink-loop-detected",
            Self::LinkToFolder => "symlink-directory-skipped",
            Self::Link => "symlink-skipped",
            Self::HardLink => "duplicate-hardlink",
            Self::MaxFiles => "max-files-cap-exceeded",
            Self::MaxBytes => "max-bytes-cap-exceeded",
            Self::NotASession => "not-a-session",
            Self::Empty => "empty-file",
        }
    }
}

/// What the walk says of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// To be checked.
    Check,
    /// Left out.
    Skipped(Skip),
    /// A followed link that leads nowhere.
    BrokenLink,
    /// It could not be examined; what the system said.
    Unexaminable(String),
}

/// One row of the walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The root joined with the relative path.
    pub path: PathBuf,
    /// See there.
    pub fate: Fate,
    /// Someone named this very file: it was meant to be a session.
    pub named: bool,
}

/// Walks the roots in the order given. A root that is a file, or a link, is looked at as it is.
#[must_use]
pub fn walk(roots: &[Root], limits: &Limits) -> Vec<Entry> {
    let (folders, files) = (HashSet::new(), HashSet::new());
    let mut walk = Walk { limits, rows: Vec::new(), bytes: 0, folders, files, named: false };
    for root in roots {
        walk.named = false;
        if !limits.force_excludes(&root.path) {
            walk.root(root);
        }
    }
    walk.rows
}

struct Walk<'a> {
    limits: &'a Limits,
    rows: Vec<Entry>,
    bytes: u64,
    folders: HashSet<Identity>,
    files: HashSet<Identity>,
    /// The entry at hand is a root that is a file, named as such.
    named: bool,
}

/// Device and inode: one file whatever its name. None where the system has no such thing.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> Option<Identity> {
    None
}

#[cfg(unix)]
fn special(kind: FileType) -> Option<Skip> {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        Some(Skip::Fifo)
    } else if kind.is_socket() {
        Some(Skip::Socket)
    } else if kind.is_block_device() || kind.is_char_device() {
        Some(Skip::Device)
    } else {
        None
    }
}

#[cfg(not(unix))]
fn special(_kind: FileType) -> Option<Skip> {
    None
}

impl Walk<'_> {
    fn root(&mut self, root: &Root) {
        let named = root.named;
        let root = &*root.path;
        let is_folder = std::fs::symlink_metadata(root).is_ok_and(|m| m.is_dir());
        if !is_folder {
            self.named = named;
            match std::fs::metadata(root) {
                _ if self.in_other_shard(root) => {}
                Ok(metadata) => match special(metadata.file_type()) {
                    Some(skip) => self.push(root, Fate::Skipped(skip)),
                    None => self.file(root, &metadata),
                },
                Err(error) => self.push(root, Fate::Unexaminable(error.to_string())),
            }
            return;
        }
        if let Some(id) = std::fs::metadata(root).ok().as_ref().and_then(identity) {
            self.folders.insert(id);
        }
        let mut stack = vec![root.to_owned()];
        while let Some(folder) = stack.pop() {
            // One level at a time: files first, then the sub-folders from the stack.
            for entry in WalkDir::new(&folder).min_depth(1).max_depth(1).sort_by_file_name() {
                match entry {
                    Ok(entry) => self.entry(root, entry.path(), &mut stack),
                    Err(error) => {
                        let path = error.path().unwrap_or(&folder).to_owned();
                        let what = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                        self.push(&path, Fate::Unexaminable(what));
                    }
                }
            }
        }
    }

    fn entry(&mut self, root: &Path, path: &Path, stack: &mut Vec<PathBuf>) {
        if self.limits.excludes(root, path) {
            return;
        }
        let own = match std::fs::symlink_metadata(path) {
            Ok(own) => own,
            Err(error) => return self.push(path, Fate::Unexaminable(error.to_string())),
        };
        if let Some(skip) = special(own.file_type()) {
            return self.push(path, Fate::Skipped(skip));
        }
        if own.is_symlink() {
            let target = std::fs::metadata(path);
            match target {
                _ if !self.limits.follow_links => {
                    let to_folder = target.is_ok_and(|t| t.is_dir());
                    self.push(path, Fate::Skipped(if to_folder { Skip::LinkToFolder } else { Skip::Link }));
                }
                Err(_) => self.push(path, Fate::BrokenLink),
                Ok(target) if target.is_dir() => self.folder(path, &target, stack),
                Ok(target) => match special(target.file_type()) {
                    Some(skip) => self.push(path, Fate::Skipped(skip)),
                    None => self.wanted(root, path, &target),
                },
            }
        } else if own.is_dir() {
            self.folder(path, &own, stack);
        } else {
            self.wanted(root, path, &own);
        }
    }

    fn folder(&mut self, path: &Path, metadata: &Metadata, stack: &mut Vec<PathBuf>) {
        if self.limits.foreign.iter().any(|name| path.file_name().is_some_and(|own| own == name.as_str())) {
            return;
        }
        if identity(metadata).is_some_and(|id| !self.folders.insert(id)) {
            self.push(path, Fate::Skipped(Skip::Loop));
        } else {
            stack.push(path.to_owned());
        }
    }

    /// Files of other endings and other shards are no rows: another job, or nobody, asked for them.
    fn wanted(&mut self, root: &Path, path: &Path, metadata: &Metadata) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let extensions = &self.limits.extensions;
        if !extensions.is_empty() && !extensions.iter().any(|ending| has_ending(&name, ending)) {
            return;
        }
        if self.in_other_shard(path.strip_prefix(root).unwrap_or(path)) {
            return;
        }
        self.file(path, metadata);
    }

    fn in_other_shard(&self, relative: &Path) -> bool {
        self.limits.shard.is_some_and(|(part, parts)| shard_of(relative, parts) != part)
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        if identity(metadata).is_some_and(|id| !self.files.insert(id)) {
            return self.push(path, Fate::Skipped(Skip::HardLink));
        }
        if self.rows.len() as u64 >= self.limits.max_files {
            return self.push(path, Fate::Skipped(Skip::MaxFiles));
        }
        if self.bytes.saturating_add(metadata.len()) > self.limits.max_bytes {
            return self.push(path, Fate::Skipped(Skip::MaxBytes));
        }
        self.bytes += metadata.len();
        self.push(path, Fate::Check);
    }

    fn push(&mut self, path: &Path, fate: Fate) {
        self.rows.push(Entry { path: path.to_owned(), fate, named: self.named });
    }
}

/// Whether a name has an ending, of one part (`jsonl`) or more (`jsonl.zstd`), behind something else.
fn has_ending(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).and_then(|rest| rest.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
}

/// The part, from 1 to `parts`, that a relative path belongs to: by its text alone, so that every job agrees.
fn shard_of(relative: &Path, parts: u64) -> u64 {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(crate::source::path::clean(relative));
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(first) % parts + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        root
    }

    fn rows(root: &Path, limits: &Limits) -> Vec<(String, Fate)> {
        let rows = walk(&[Root::folder(root)], limits);
        rows.into_iter().map(|e| (e.path.strip_prefix(root).unwrap().display().to_string(), e.fate)).collect()
    }

    #[test]
    fn files_come_before_folders_and_folders_in_falling_order() {
        let root = tree(&["b", "a/x", "c/y", "a/d/z"]);
        let paths: Vec<_> = rows(root.path(), &Limits::default()).into_iter().map(|r| r.0).collect();
        assert_eq!(paths, ["b", "c/y", "a/x", "a/d/z"]);
    }

    #[test]
    fn caps_become_rows_and_small_files_still_fit() {
        let root = tree(&["aaaaaaaa", "b", "c"]);
        let limits = Limits { max_bytes: 2, ..Limits::default() };
        let fates: Vec<_> = rows(root.path(), &limits).into_iter().map(|r| r.1).collect();
        assert_eq!(fates, [Fate::Skipped(Skip::MaxBytes), Fate::Check, Fate::Check]);
        let limits = Limits { max_files: 1, ..Limits::default() };
        let fates: Vec<_> = rows(root.path(), &limits).into_iter().map(|r| r.1).collect();
        assert_eq!(fates, [Fate::Check, Fate::Skipped(Skip::MaxFiles), Fate::Skipped(Skip::MaxFiles)]);
    }

    #[test]
    fn endings_may_have_several_parts() {
        let root = tree(&["a.jsonl", "b.JSONL.zstd", "c.zstd", ".jsonl", "jsonl"]);
        let taken = |endings: &[&str]| {
            let extensions = endings.iter().map(ToString::to_string).collect();
            let limits = Limits { extensions, ..Limits::default() };
            rows(root.path(), &limits).into_iter().map(|row| row.0).collect::<Vec<_>>()
        };
        assert_eq!(taken(&["jsonl"]), ["a.jsonl"]);
        assert_eq!(taken(&["jsonl.zstd"]), ["b.JSONL.zstd"]);
        assert_eq!(taken(&["zstd", "jsonl"]), ["a.jsonl", "b.JSONL.zstd", "c.zstd"]);
    }

    #[test]
    fn shards_cover_the_tree_once() {
        let names: Vec<String> = (0..40).map(|i| format!("d{}/f{i}", i % 3)).collect();
        let root = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut all = Vec::new();
        for part in 1..=3 {
            let limits = Limits { shard: Some((part, 3)), ..Limits::default() };
            let rows = rows(root.path(), &limits);
            assert!(!rows.is_empty());
            all.extend(rows.into_iter().map(|r| r.0));
            // Files that are named themselves are divided too.
            let named: Vec<Root> = names.iter().map(|name| Root::named(&root.path().join(name))).collect();
            assert!((1..40).contains(&walk(&named, &limits).len()));
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 40);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_left_out_or_followed_once() {
        use std::os::unix::fs::symlink;
        let root = tree(&["a/x"]);
        symlink(root.path().join("a"), root.path().join("to-folder")).unwrap();
        symlink(root.path().join("a/x"), root.path().join("to-file")).unwrap();
        symlink(root.path().join("nowhere"), root.path().join("broken")).unwrap();
        std::fs::hard_link(root.path().join("a/x"), root.path().join("a/y")).unwrap();
        let fate =
            |limits: &Limits, name: &str| rows(root.path(), limits).into_iter().find(|r| r.0 == name).map(|r| r.1);
        let still = Limits::default();
        assert_eq!(fate(&still, "to-folder"), Some(Fate::Skipped(Skip::LinkToFolder)));
        assert_eq!(fate(&still, "to-file"), Some(Fate::Skipped(Skip::Link)));
        assert_eq!(fate(&still, "broken"), Some(Fate::Skipped(Skip::Link)));
        assert_eq!(fate(&still, "a/y"), Some(Fate::Skipped(Skip::HardLink)));
        let follow = Limits { follow_links: true, ..Limits::default() };
        assert_eq!(fate(&follow, "broken"), Some(Fate::BrokenLink));
        assert_eq!(fate(&follow, "to-file"), Some(Fate::Check));
        assert_eq!(fate(&follow, "a/x"), Some(Fate::Skipped(Skip::HardLink)));
    }
}
