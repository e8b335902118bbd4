//! The only code that creates, replaces or removes files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Puts `bytes` at `path`, replacing what is there: written beside it, synced, then renamed, so that a reader never
/// sees half a file.
///
/// # Errors
/// The folder is missing or not writable, or the disk is full; the old file is then untouched.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = beside(path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes the folder that a new file at `path` will stand in.
///
/// # Errors
/// It cannot be made.
pub fn folder_of(path: &Path) -> io::Result<()> {
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
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sesslint-");
    // What is written is for others to read, as far as the umask lets them; a temporary file by itself is not.
    #[cfg(unix)]
    let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
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
    }
}
