//! A text that arrives in pieces, whatever the file looks like that holds it.

use std::io::{self, Read};

/// A frame of a compressed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// Number from 0.
    pub index: u64,
    /// Offset of its first byte in the file.
    pub start: u64,
    /// Offset behind its last byte in the file.
    pub end: u64,
    /// Offset of its text in the whole text.
    pub text: u64,
}

/// Why a text ends early.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A frame cannot be decoded.
    #[error("frame {} at byte {}: {reason}", place.index, place.start)]
    Frame {
        /// Which frame.
        place: FramePlace,
        /// A fixed phrase.
        reason: String,
    },
}

/// A frame that cannot be decoded is [`io::ErrorKind::InvalidData`].
impl From<TextError> for io::Error {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Io(error) => error,
            TextError::Frame { .. } => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// One piece of a text.
#[derive(Clone, Copy, Debug)]
pub struct Filled {
    /// Number of bytes.
    pub len: usize,
    /// The frame all of them come from, when the file is compressed.
    pub frame: Option<FramePlace>,
    /// The frame ends behind them.
    pub ends_frame: bool,
}

/// A text that arrives in pieces.
pub trait Text {
    /// Writes the next piece into `buffer`, which must not be empty; none at the end.
    ///
    /// # Errors
    /// When the file cannot be read or decoded. The text has ended then.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError>;
}

/// Bytes as they are.
impl<R: Read> Text for R {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
        loop {
            match self.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                count => {
                    let len = count?;
                    return Ok((len > 0).then_some(Filled { len, frame: None, ends_frame: false }));
                }
            }
        }
    }
}

/// A text as bytes to read.
#[derive(Debug)]
pub struct TextBytes<T>(pub T);

impl<T: Text> Read for TextBytes<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.fill(buffer)? {
                // An empty frame is not the end.
                Some(Filled { len: 0, .. }) => {}
                filled => return Ok(filled.map_or(0, |filled| filled.len)),
            }
        }
    }
}
