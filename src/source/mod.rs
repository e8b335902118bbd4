//! Bytes: opening a file, decoding and hashing it, cutting it into physical lines with exact offsets. Knows no JSON and
//! no vendor.

pub mod ahead;
pub mod container;
pub mod frames;
pub mod hashed;
pub mod inflate;
pub mod line_hash;
pub mod lines;
pub mod path;
pub mod seal;
pub mod text;

use std::fs::File;
use std::io;

pub use lines::{Line, LineReader};

/// Longest line that is kept in memory; the rest of a longer one is skipped and reported.
pub const MAX_LINE_BYTES: usize = 256 << 20;
/// Deepest JSON nesting that is accepted; the outermost container is level 1.
pub const MAX_DEPTH: u32 = 100;
/// A file that begins so is a live database, not an export.
pub const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// A byte order mark, ignored at the very start of a file.
pub const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

/// Reads a file from an offset on, wherever it stands; 0 at its end.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

/// Reads a file from an offset on, wherever it stands; 0 at its end.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
