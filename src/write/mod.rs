//! The only code that creates, replaces or removes files.
//!
//! New files are staged beside their place (written, synced), then published without ever replacing anything. What a
//! killed run leaves behind has a name that the next run recognises.

mod spool;

use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile, TempDir};

use crate::finding::fingerprint::hex;

pub use spool::Spool;

/// Puts `bytes` at `path`, replacing what is there: written beside it, synced, then renamed, so that a reader never
/// sees half a file. A link stays one, and the file it leads to is replaced; a device or a pipe is written to.
///
/// # Errors
/// The folder is missing or not writable, `path` is a folder, or the disk is full; the old file is then untouched.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        Ok(there) if !there.is_file() => return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(_) => path.canonicalize()?,
        Err(_) => path.to_owned(),
    };
    let mut file = beside(&target)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// The folder a file stands in.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes a folder and those above it.
///
/// # Errors
/// Whatever making them raises.
pub fn create_folders(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// A file that is complete and synced but not yet in its place. Dropped unpublished, it is removed.
#[derive(Debug)]
pub struct Staged {
    temp: NamedTempFile,
    target: PathBuf,
}

/// Writes a file beside `target` and syncs it. It gets mode and, where that is allowed, owner and group of `like`.
///
/// # Errors
/// Whatever creating, writing or syncing raises; nothing is left then.
pub fn stage(
    target: &Path,
    like: Option<&Metadata>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Staged> {
    let prefix = leftover_prefix(target);
    let temp = again(|| Builder::new().prefix(&prefix).suffix(".tmp").tempfile_in(folder_of(target)))?;
    let mut out = BufWriter::with_capacity(256 << 10, temp.as_file());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    if let Some(like) = like {
        take_after(temp.as_file(), like)?;
    }
    again(|| temp.as_file().sync_all())?;
    Ok(Staged { temp, target: target.to_owned() })
}

impl Staged {
    /// Where it stands until it is published.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temp.path()
    }

    /// Moves the file to its place unless something is there, and syncs the folder.
    ///
    /// # Errors
    /// `AlreadyExists`, or whatever moving raises: nothing is published then. If only the folder cannot be synced, the
    /// file is taken back before the error is given.
    pub fn publish(self) -> io::Result<()> {
        let Self { temp, target } = self;
        let mut temp = temp.into_temp_path();
        loop {
            match temp.persist_noclobber(&target) {
                Ok(()) => break,
                Err(failed) if failed.error.kind() == io::ErrorKind::Interrupted => temp = failed.path,
                Err(failed) => return Err(failed.error),
            }
        }
        let synced = sync_folder(folder_of(&target));
        if synced.is_err() {
            withdraw(&target)?;
        }
        synced
    }
}

/// A folder that is not yet in its place. Dropped unpublished, it is removed.
#[derive(Debug)]
pub struct StagedFolder {
    temp: TempDir,
    target: PathBuf,
}

/// Makes an empty folder beside `target`, to be filled and published.
///
/// # Errors
/// `AlreadyExists` when something stands at the target that is no empty folder, or whatever making it raises.
pub fn stage_folder(target: &Path) -> io::Result<StagedFolder> {
    match std::fs::read_dir(target).map(|mut entries| entries.next().is_none()) {
        Ok(true) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        _ => return Err(io::Error::new(io::ErrorKind::AlreadyExists, "exists, and is no empty folder")),
    }
    let prefix = leftover_prefix(target);
    let mut builder = Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    Ok(StagedFolder { temp: again(|| builder.tempdir_in(folder_of(target)))?, target: target.to_owned() })
}

impl StagedFolder {
    /// Where it stands until it is published.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.temp.path()
    }

    /// Puts a new file into it, and makes the folders between. It gets mode and, where that is allowed, owner and
    /// group of `like`. Gives its path until publication.
    ///
    /// # Errors
    /// Something stands there already, or whatever writing raises.
    pub fn put(&self, relative: &Path, like: Option<&Metadata>, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path().join(relative);
        again(|| std::fs::create_dir_all(folder_of(&path)))?;
        let mut file = again(|| File::create_new(&path))?;
        file.write_all(bytes)?;
        if let Some(like) = like {
            take_after(&file, like)?;
        }
        again(|| file.sync_all())?;
        Ok(path)
    }

    /// Removes a file that was put into it, and the folders that are empty then.
    ///
    /// # Errors
    /// Whatever removing the file raises.
    pub fn take_back(&self, relative: &Path) -> io::Result<()> {
        again(|| std::fs::remove_file(self.path().join(relative)))?;
        let folders = relative.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
        for folder in folders {
            if std::fs::remove_dir(self.path().join(folder)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Moves the folder to its place.
    ///
    /// # Errors
    /// Something came to stand there meanwhile, or whatever moving raises.
    pub fn publish(self) -> io::Result<()> {
        match std::fs::remove_dir(&self.target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        again(|| std::fs::rename(self.path(), &self.target))?;
        let _ = self.temp.keep();
        Ok(())
    }
}

/// Removes a file that this run published.
///
/// # Errors
/// Whatever removing raises.
pub fn withdraw(path: &Path) -> io::Result<()> {
    again(|| std::fs::remove_file(path))
}

/// Staged files for `target` that earlier runs left behind, sorted.
#[must_use]
pub fn leftovers(target: &Path) -> Vec<PathBuf> {
    let prefix = leftover_prefix(target);
    let Ok(entries) = std::fs::read_dir(folder_of(target)) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| folder_of(target).join(entry.file_name()))
        .collect();
    found.sort();
    found
}

/// How staged files for a target begin.
fn leftover_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!(".sesslint-{}-", hex(&Sha256::digest(name)[..6]))
}

/// Tries again for as long as a signal interrupts.
fn again<T>(mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match action() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Makes sure that the names in a folder outlive a crash. Elsewhere a folder cannot be opened as a file, and the system
/// keeps them by itself.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    again(|| File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn take_after(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
        // Only the superuser may give files away; anyone else keeps what they make.
        match again(|| fchown(file, Some(like.uid()), Some(like.gid()))) {
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
            _ => {}
        }
    }
    again(|| file.set_permissions(std::fs::Permissions::from_mode(like.mode() & 0o777)))
}

#[cfg(not(unix))]
fn take_after(_file: &File, _like: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the folder that a new file at `path` will stand in.
///
/// # Errors
/// It cannot be made.
pub fn make_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// Adds `bytes` behind what `path` holds, making the file when there is none. For files that a runner reads.
///
/// # Errors
/// The file cannot be written; it may then hold a part of `bytes`.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
}

/// A temporary file in the folder of `path`, so that renaming it stays on one file system.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".sesslint-");
    // What is written is for others to read, as far as the umask lets them; a temporary file by itself is not.
    #[cfg(unix)]
    let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(path))
}

/// A file outside every project that vanishes when it is dropped.
pub type Scratch = NamedTempFile;

/// A new scratch file.
///
/// # Errors
/// The folder for temporary files is missing or full.
pub fn scratch() -> io::Result<Scratch> {
    Builder::new().prefix("sesslint-").tempfile()
}

/// Makes a new file with what `fill` writes, unless it says no; then nothing is left behind. Never overwrites.
///
/// # Errors
/// The target exists, its folder is missing or not writable, or the disk is full.
pub fn create_new(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<bool>) -> io::Result<bool> {
    let mut file = beside(path)?;
    if !fill(file.as_file_mut())? {
        return Ok(false);
    }
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staged(path: &Path, text: &[u8]) -> Staged {
        stage(path, None, |out| out.write_all(text)).unwrap()
    }

    #[test]
    fn appends_behind_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        append(&path, b"a=1\n").unwrap();
        append(&path, b"b=2\n").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"a=1\nb=2\n");
    }

    #[test]
    fn replaces_whole_files_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace(&folder.path().join("none/x"), b"").is_err());
        assert_eq!(replace(folder.path(), b"").unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, device] = ["file", "link", "device"].map(|name| folder.path().join(name));
        std::fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        for path in [&link, &device] {
            replace(path, b"new").unwrap();
            assert!(path.symlink_metadata().unwrap().is_symlink());
        }
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(!std::fs::metadata(&device).unwrap().is_file());
    }

    #[test]
    fn publishing_never_replaces_and_leaves_nothing_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let (first, second) = (staged(&path, b"one"), staged(&path, b"two"));
        assert_eq!(leftovers(&path).len(), 2);
        assert!(leftovers(&folder.path().join("other")).is_empty());
        first.publish().unwrap();
        assert_eq!(second.publish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        drop(stage_folder(&target).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::create_dir(&target).unwrap();
        let staged = stage_folder(&target).unwrap();
        staged.put(Path::new("a/b"), None, b"x").unwrap();
        assert!(staged.put(Path::new("a/b"), None, b"y").is_err());
        assert!(!target.join("a").exists());
        staged.publish().unwrap();
        assert_eq!(std::fs::read(target.join("a/b")).unwrap(), b"x");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(stage_folder(&target).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_takes_the_mode_of_its_model() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (model, path) = (folder.path().join("model"), folder.path().join("out"));
        std::fs::write(&model, b"").unwrap();
        std::fs::set_permissions(&model, std::fs::Permissions::from_mode(0o640)).unwrap();
        let like = std::fs::metadata(&model).unwrap();
        stage(&path, Some(&like), |out| out.write_all(b"x")).unwrap().publish().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
