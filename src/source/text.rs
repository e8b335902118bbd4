//! Lines of a text that arrives in pieces, each with its place.
//!
//! Lines end at LF only. Memory is one buffer and the longest line; a line beyond all reason is cut short.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::MAX_LINE_BYTES;

/// A frame of a compressed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// Number from 0.
    pub index: u64,
    /// Offset of its first byte in the file.
    pub start: u64,
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

/// The bytes of a file as they are.
pub struct PlainText<R>(pub R);

impl<R: Read> Text for PlainText<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                count => {
                    let len = count?;
                    return Ok((len > 0).then_some(Filled { len, frame: None, ends_frame: false }));
                }
            }
        }
    }
}

/// A line without its LF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Number from 1.
    pub number: u64,
    /// Offset of its first byte in the text, which for a plain file is the offset in the file.
    pub offset: u64,
    /// The frame that holds its first byte, when the file is compressed.
    pub frame: Option<FramePlace>,
    /// Its bytes, the first [`MAX_LINE_BYTES`] at most.
    pub bytes: &'a [u8],
    /// Number of its bytes.
    pub len: u64,
    /// An LF ended it; otherwise the text did.
    pub terminated: bool,
}

/// The lines of a text.
pub struct TextLines<T> {
    text: T,
    buffer: Vec<u8>,
    /// The unread part of the buffer.
    start: usize,
    end: usize,
    /// Up to here the unread part is known to hold no LF.
    searched: usize,
    /// Offset of `start` in the text.
    offset: u64,
    number: u64,
    /// Frames with bytes in the unread part: offset in the text of their first byte there.
    frames: VecDeque<(u64, FramePlace)>,
    first_frame_len: u64,
}

impl<T: Text> TextLines<T> {
    const BUFFER: usize = 256 * 1024;

    /// The lines of a text from its beginning.
    #[must_use]
    pub fn new(text: T) -> Self {
        Self {
            text,
            buffer: vec![0; Self::BUFFER],
            start: 0,
            end: 0,
            searched: 0,
            offset: 0,
            number: 0,
            frames: VecDeque::new(),
            first_frame_len: 0,
        }
    }

    /// Length of the first frame's text as far as it was read; 0 for a plain file.
    #[must_use]
    pub fn first_frame_len(&self) -> u64 {
        self.first_frame_len
    }

    /// The next line; none at the end. An empty text has no line, and none follows a final LF.
    ///
    /// # Errors
    /// When the file cannot be read or decoded. There are no more lines then.
    pub fn read_line(&mut self) -> Result<Option<TextLine<'_>>, TextError> {
        // Bytes of the line that were dropped because it is too long.
        let mut dropped = 0;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]) {
                return Ok(Some(self.take(self.searched + found, true, dropped)));
            }
            self.searched = self.end;
            // The next line begins behind all this, so only its own first frame and the last one can matter.
            if self.frames.len() > 2 {
                self.frames.drain(1..self.frames.len() - 1);
            }
            if self.end - self.start > MAX_LINE_BYTES {
                dropped += (self.end - self.start - MAX_LINE_BYTES) as u64;
                self.end = self.start + MAX_LINE_BYTES;
                self.searched = self.end;
            }
            if !self.fill(dropped)? {
                let is_empty = self.start == self.end;
                return Ok(if is_empty { None } else { Some(self.take(self.end, false, dropped)) });
            }
        }
    }

    /// Takes the line that ends before `end`.
    fn take(&mut self, end: usize, terminated: bool, dropped: u64) -> TextLine<'_> {
        let start = self.start;
        while self.frames.get(1).is_some_and(|next| next.0 <= self.offset) {
            self.frames.pop_front();
        }
        self.number += 1;
        let len = (end - start) as u64 + dropped;
        let line = TextLine {
            number: self.number,
            offset: self.offset,
            frame: self.frames.front().map(|frame| frame.1),
            bytes: &self.buffer[start..end.min(start + MAX_LINE_BYTES)],
            len,
            terminated,
        };
        self.start = end + usize::from(terminated);
        self.searched = self.start;
        self.offset += len + u64::from(terminated);
        line
    }

    /// Reads one more piece behind the unread part; false at the end.
    fn fill(&mut self, dropped: u64) -> Result<bool, TextError> {
        if self.start == self.end {
            (self.start, self.end, self.searched) = (0, 0, 0);
        }
        if self.buffer.len() - self.end < Self::BUFFER / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
            if self.buffer.len() - self.end < Self::BUFFER / 2 {
                let most = MAX_LINE_BYTES + Self::BUFFER;
                self.buffer.resize(most.min(self.buffer.len() * 2), 0);
            }
        }
        let Some(filled) = self.text.fill(&mut self.buffer[self.end..])? else { return Ok(false) };
        if let Some(frame) = filled.frame {
            if frame.index == 0 {
                self.first_frame_len += filled.len as u64;
            }
            if filled.len > 0 && self.frames.back().is_none_or(|last| last.1 != frame) {
                self.frames.push_back((self.offset + (self.end - self.start) as u64 + dropped, frame));
            }
        }
        self.end += filled.len;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{Filled, FramePlace, MAX_LINE_BYTES, PlainText, Text, TextError, TextLines};

    /// Frames as given, handed out in pieces of three bytes.
    struct Pieces(Vec<Vec<u8>>, usize);

    impl Text for Pieces {
        fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
            let Some(rest) = self.0.get_mut(self.1) else { return Ok(None) };
            let len = rest.len().min(3);
            buffer[..len].copy_from_slice(&rest[..len]);
            rest.drain(..len);
            let place = FramePlace { index: self.1 as u64, start: 100 * self.1 as u64 };
            let ends_frame = rest.is_empty();
            self.1 += usize::from(ends_frame);
            Ok(Some(Filled { len, frame: Some(place), ends_frame }))
        }
    }

    type Row = (u64, u64, Option<u64>, Vec<u8>, bool);

    fn rows(text: impl Text) -> Vec<Row> {
        let mut lines = TextLines::new(text);
        let mut rows = Vec::new();
        while let Some(line) = lines.read_line().expect("nothing fails here") {
            assert_eq!(line.len, line.bytes.len() as u64);
            rows.push((line.number, line.offset, line.frame.map(|f| f.index), line.bytes.to_vec(), line.terminated));
        }
        rows
    }

    #[test]
    fn a_line_belongs_to_the_frame_of_its_first_byte() {
        let frames = ["ab\ncd", "", "ef\n", "g"].map(|frame| frame.as_bytes().to_vec()).to_vec();
        assert_eq!(
            rows(Pieces(frames, 0)),
            [
                (1, 0, Some(0), b"ab".to_vec(), true),
                (2, 3, Some(0), b"cdef".to_vec(), true),
                (3, 8, Some(3), b"g".to_vec(), false),
            ]
        );
        let mut lines = TextLines::new(Pieces(vec![b"abcd\nef".to_vec(), b"g".to_vec()], 0));
        while lines.read_line().expect("nothing fails here").is_some() {}
        assert_eq!(lines.first_frame_len(), 7);
    }

    #[test]
    fn a_line_beyond_all_reason_is_cut_but_measured() {
        struct Endless(u64);
        impl Text for Endless {
            fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
                let len = buffer.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
                buffer[..len].fill(b'x');
                self.0 -= len as u64;
                if self.0 == 0 && len > 0 {
                    buffer[len - 1] = b'\n';
                }
                Ok((len > 0).then_some(Filled { len, frame: None, ends_frame: false }))
            }
        }
        let longest = MAX_LINE_BYTES;
        let mut lines = TextLines::new(Endless(longest as u64 + 5_000_000));
        let line = lines.read_line().expect("nothing fails here").expect("a line");
        assert_eq!((line.bytes.len(), line.len, line.terminated), (longest, longest as u64 + 4_999_999, true));
        assert!(lines.read_line().expect("nothing fails here").is_none());
    }

    proptest! {
        #[test]
        fn lines_are_what_splitting_gives(text in proptest::collection::vec(proptest::sample::select(b"ab\n".as_slice()), 0..80)) {
            let mut expected: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            if expected.last().is_some_and(Vec::is_empty) { expected.pop(); }
            let found: Vec<_> = rows(PlainText(text.as_slice())).into_iter().map(|row| row.3).collect();
            prop_assert_eq!(&found, &expected);
            let found: Vec<_> = rows(Pieces(text.chunks(7).map(<[u8]>::to_vec).collect(), 0)).into_iter().map(|row| row.3).collect();
            prop_assert_eq!(&found, &expected);
        }
    }
}
