//! A log's bytes, read from the beginning as often as needed, and the text in them.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use super::frames::{self, Frames, Rest};

/// A log file, or bytes that cannot be read twice and so were kept.
#[derive(Debug)]
pub struct Source {
    bytes: Bytes,
    frames: Option<Frames>,
}

#[derive(Debug)]
enum Bytes {
    /// What is appended later is not looked at.
    File {
        file: File,
        length: u64,
    },
    Memory(Vec<u8>),
}

impl Source {
    /// Opens a file. A pipe is read to its end and kept in memory.
    ///
    /// # Errors
    /// When it cannot be opened or read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Self::new(Bytes::File { file, length: metadata.len() })
        } else {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Self::new(Bytes::Memory(bytes))
        }
    }

    /// A log in memory.
    ///
    /// # Errors
    /// None that can happen; reading memory shares the signature of reading files.
    pub fn memory(bytes: Vec<u8>) -> io::Result<Self> {
        Self::new(Bytes::Memory(bytes))
    }

    fn new(bytes: Bytes) -> io::Result<Self> {
        let mut source = Self { bytes, frames: None };
        let mut magic = Vec::new();
        source.raw(u64::MAX)?.take(frames::MAGIC.len() as u64).read_to_end(&mut magic)?;
        if magic == frames::MAGIC {
            source.frames = Some(match &source.bytes {
                Bytes::File { file, length } => frames::scan(file, *length)?,
                Bytes::Memory(bytes) => frames::scan(Cursor::new(bytes), bytes.len() as u64)?,
            });
        }
        Ok(source)
    }

    /// The first `limit` bytes, from the beginning.
    fn raw(&self, limit: u64) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &self.bytes {
            Bytes::File { file, length } => {
                let mut file = file;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file.take(limit.min(*length)))
            }
            Bytes::Memory(bytes) => Box::new(bytes.take(limit)),
        })
    }

    /// The text from its beginning, without a byte-order mark. Frames that cannot be decoded give
    /// [`io::ErrorKind::InvalidData`].
    pub(super) fn text(&self) -> io::Result<Box<dyn Read + '_>> {
        let mut text: Box<dyn Read + '_> = match self.frames {
            None => self.raw(u64::MAX)?,
            Some(Frames { whole: 0, .. }) => Box::new(io::empty()),
            Some(frames) => Box::new(frames::Text::new(self.raw(frames.whole)?)?),
        };
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        let mut head = Vec::new();
        text.by_ref().take(MARK.len() as u64).read_to_end(&mut head)?;
        if head == MARK {
            head.clear();
        }
        Ok(Box::new(Cursor::new(head).chain(text)))
    }

    /// What follows the text: nothing, the beginning of a frame that was not finished, or something else.
    pub(super) fn rest(&self) -> Rest {
        self.frames.map_or(Rest::None, |frames| frames.rest)
    }
}
