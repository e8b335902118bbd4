//! A log's bytes, read from the beginning as often as needed, and the text in them.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;

use crate::source::BOM;
use crate::source::frames::{self, Outline};
use crate::source::inflate::FrameText;
use crate::source::text::TextBytes;

/// A log file, or bytes that cannot be read twice and so were kept.
#[derive(Debug)]
pub struct Source {
    bytes: Bytes,
    /// What is appended later is not looked at.
    len: u64,
    frames: Option<Outline>,
}

#[derive(Debug)]
enum Bytes {
    File(File),
    Memory(Vec<u8>),
}

impl Bytes {
    /// From the beginning.
    fn reader(&self) -> io::Result<Box<dyn Seekable + '_>> {
        Ok(match self {
            Self::File(file) => {
                let mut file = file;
                file.rewind()?;
                Box::new(file)
            }
            Self::Memory(bytes) => Box::new(Cursor::new(bytes)),
        })
    }
}

trait Seekable: Read + Seek {}
impl<T: Read + Seek> Seekable for T {}

impl Source {
    /// Opens a file. A pipe is read to its end and kept in memory.
    ///
    /// # Errors
    /// When it cannot be opened or read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Self::new(Bytes::File(file), metadata.len())
        } else {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Self::memory(bytes)
        }
    }

    /// A log in memory.
    ///
    /// # Errors
    /// None that can happen; reading memory shares the signature of reading files.
    pub fn memory(bytes: Vec<u8>) -> io::Result<Self> {
        let len = bytes.len() as u64;
        Self::new(Bytes::Memory(bytes), len)
    }

    fn new(bytes: Bytes, len: u64) -> io::Result<Self> {
        let has_frames = frames::begins(bytes.reader()?)?;
        let frames = if has_frames { Some(frames::outline(bytes.reader()?, len)?) } else { None };
        Ok(Self { bytes, len, frames })
    }

    /// The text from its beginning, without a byte-order mark. Frames that cannot be decoded give
    /// [`io::ErrorKind::InvalidData`].
    pub(super) fn text(&self) -> io::Result<Box<dyn Read + '_>> {
        let mut text: Box<dyn Read + '_> = match self.frames {
            None => Box::new(self.bytes.reader()?.take(self.len)),
            Some(_) => Box::new(TextBytes(FrameText::new(self.bytes.reader()?, self.len, 0)?)),
        };
        let mut head = Vec::new();
        text.by_ref().take(BOM.len() as u64).read_to_end(&mut head)?;
        if head == BOM {
            head.clear();
        }
        Ok(Box::new(Cursor::new(head).chain(text)))
    }

    /// Whether the beginning of a frame that was not finished follows the text.
    pub(super) fn is_torn(&self) -> bool {
        self.frames.is_some_and(|frames| frames.torn_bytes() > 0)
    }
}
