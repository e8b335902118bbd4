//! Whether a file holds plain text or Zstandard frames, and its text either way.

use std::io::{self, Read, Seek, Take};

use super::frames::{self, Outline};
use super::inflate::FrameText;
use super::text::{Filled, Text, TextError};

/// A file's text. As a [`Text`] it is empty when there is none to be trusted.
pub enum Content<R> {
    /// The file has no bytes.
    Empty,
    /// The text itself.
    Plain(Take<R>),
    /// Frames whose structure is sound; bytes behind the last complete one are left out of the text.
    Frames {
        /// Their outline.
        outline: Outline,
        /// Their text.
        text: FrameText<R>,
    },
    /// Frames with a structural defect: nothing can be decoded as a whole.
    Broken(Outline),
}

impl<R: Read + Seek> Content<R> {
    /// Looks at a file of `len` bytes. It is compressed when its name says so, or when it begins like a frame.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of(mut file: R, len: u64, is_named_compressed: bool) -> io::Result<Self> {
        if len == 0 {
            return Ok(Self::Empty);
        }
        if !frames::begins(&mut file)? && !is_named_compressed {
            return Ok(Self::Plain(file.take(len)));
        }
        let outline = frames::outline(&mut file, len)?;
        if outline.defect.is_some() {
            return Ok(Self::Broken(outline));
        }
        Ok(Self::Frames { outline, text: FrameText::new(file, outline.end, 0)? })
    }

    /// The outline of a compressed file.
    #[must_use]
    pub fn outline(&self) -> Option<&Outline> {
        match self {
            Self::Frames { outline, .. } | Self::Broken(outline) => Some(outline),
            Self::Empty | Self::Plain(_) => None,
        }
    }
}

impl<R: Read + Seek> Text for Content<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
        match self {
            Self::Plain(text) => text.fill(buffer),
            Self::Frames { text, .. } => text.fill(buffer),
            Self::Empty | Self::Broken(_) => Ok(None),
        }
    }
}
