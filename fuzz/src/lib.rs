//! What the targets share: a folder in memory where it can be, and files in it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder of this process for one target's files.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        tempfile::Builder::new().prefix("sesslint-fuzz-").tempdir_in(base).expect("a folder").keep()
    })
}

/// Writes a file of the folder.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// The format that a byte names, or none.
pub fn format(byte: u8) -> Option<&'static sesslint::adapter::Format> {
    sesslint::adapter::FORMATS.get(usize::from(byte) % (sesslint::adapter::FORMATS.len() + 1)).copied()
}
