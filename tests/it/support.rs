//! Shared material and the program under test.

use std::path::{Path, PathBuf};

/// The folder of shared material, or none with a printed note.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(part);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("note: ../shared/{part} is absent; skipped");
    None
}

/// A JSON file.
pub(crate) fn json(path: &Path) -> serde_json::Value {
    let text = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The entries of a folder, sorted by name.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    entries
}
