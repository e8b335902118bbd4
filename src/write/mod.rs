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

/// A temporary file in the folder of `path`, so that renaming it stays on one file system.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    tempfile::Builder::new().prefix(".sesslint-").tempfile_in(folder)
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
