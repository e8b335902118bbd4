//! Physical lines of a text, in one pass: each with its number, its offset, and the frame it comes from.
//!
//! Lines end at LF only. Memory is one buffer that grows to the longest line, of which the rest beyond a limit is skipped.

use super::text::{Filled, FramePlace, Text, TextError};

/// One physical line, without its LF. Lines end at byte 0x0A only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its bytes; at most the limit of the reader.
    pub bytes: &'a [u8],
    /// Number from 1.
    pub number: u64,
    /// Offset of its first byte in the text, which for a plain file is the offset in the file.
    pub offset: u64,
    /// Offset behind its last byte, LF included.
    pub end: u64,
    /// The frame that holds its first byte, when the file is compressed.
    pub frame: Option<FramePlace>,
    /// An LF ends it; only the last line may lack one.
    pub terminated: bool,
    /// It was longer than the limit: `bytes` holds its beginning.
    pub truncated: bool,
}

impl Line<'_> {
    /// Nothing but blanks stands on it (tab, LF, VT, FF, CR, space).
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(|b| matches!(b, b'\t' | 0x0B | 0x0C | b'\r' | b' '))
    }

    /// Number of its bytes without the LF, beyond the limit too.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end - self.offset - u64::from(self.terminated)
    }

    /// Nothing stands on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

const CHUNK: usize = 256 << 10;

/// Reads lines into one buffer that grows to the longest line and no further.
pub struct LineReader<T> {
    text: T,
    buffer: Vec<u8>,
    /// Unread bytes are `buffer[start..filled]`; no LF stands before `searched`.
    start: usize,
    searched: usize,
    filled: usize,
    offset: u64,
    number: u64,
    max_line: usize,
    ended: bool,
    /// The frame of the first unread byte.
    frame: Option<FramePlace>,
    /// The frame read last, if it is another one, and the offset in the text where it begins. What lies between the
    /// two belongs to one line.
    next_frame: Option<(u64, FramePlace)>,
    first_frame_len: u64,
}

impl<T> std::fmt::Debug for LineReader<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineReader").field("line", &self.number).field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl<T: Text> LineReader<T> {
    /// A reader that keeps at most `max_line` bytes of a line.
    pub fn new(text: T, max_line: usize) -> Self {
        Self {
            text,
            buffer: vec![0; CHUNK],
            start: 0,
            searched: 0,
            filled: 0,
            offset: 0,
            number: 0,
            max_line,
            ended: false,
            frame: None,
            next_frame: None,
            first_frame_len: 0,
        }
    }

    /// Length of the first frame's text as far as it was read; 0 for a plain file.
    #[must_use]
    pub fn first_frame_len(&self) -> u64 {
        self.first_frame_len
    }

    /// The next line, none at the end. An empty text has no line, and none follows a final LF.
    ///
    /// # Errors
    /// When the file cannot be read or decoded; an interrupted read is tried again.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, TextError> {
        let mut skipped = 0u64;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..self.filled]) {
                let end = self.searched + found;
                return Ok(Some(self.take(end, end + 1, skipped, true)));
            }
            self.searched = self.filled;
            if self.filled - self.start > self.max_line {
                // Keep the beginning, forget the rest as it comes.
                let keep = self.start + self.max_line;
                skipped += (self.filled - keep) as u64;
                self.filled = keep;
                self.searched = keep;
                if !self.fill_over(&mut skipped)? {
                    return Ok(Some(self.take(keep, keep, skipped, false)));
                }
                continue;
            }
            if self.ended {
                if self.start == self.filled {
                    return Ok(None);
                }
                let end = self.filled;
                return Ok(Some(self.take(end, end, 0, false)));
            }
            self.fill()?;
        }
    }

    fn take(&mut self, end: usize, next: usize, skipped: u64, terminated: bool) -> Line<'_> {
        let start = self.start;
        let offset = self.offset;
        self.enter_frame();
        self.number += 1;
        self.offset += (next - start) as u64 + skipped;
        self.start = next;
        self.searched = next;
        let kept = end.min(start + self.max_line);
        Line {
            bytes: &self.buffer[start..kept],
            number: self.number,
            offset,
            end: self.offset,
            frame: self.frame,
            terminated,
            truncated: skipped > 0 || kept < end,
        }
    }

    /// Reads more behind `filled`, making room first.
    fn fill(&mut self) -> Result<(), TextError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.filled < CHUNK / 2 {
            // A quarter more, not twice as much: the longest line decides peak memory.
            let grown = self.buffer.len() + (self.buffer.len() / 4).max(CHUNK);
            self.buffer.reserve_exact(grown - self.buffer.len());
            self.buffer.resize(grown, 0);
        }
        match self.text.fill(&mut self.buffer[self.filled..])? {
            Some(filled) => {
                self.note(&filled, self.offset + (self.filled - self.start) as u64);
                self.filled += filled.len;
            }
            None => self.ended = true,
        }
        Ok(())
    }

    /// Reads on over the rest of a line that is too long, up to its LF. False at the end of the stream.
    fn fill_over(&mut self, skipped: &mut u64) -> Result<bool, TextError> {
        let keep = self.filled;
        loop {
            if self.buffer.len() - keep < CHUNK {
                self.buffer.resize(keep + CHUNK, 0);
            }
            let Some(filled) = self.text.fill(&mut self.buffer[keep..])? else {
                self.ended = true;
                return Ok(false);
            };
            let read = filled.len;
            self.note(&filled, self.offset + (keep - self.start) as u64 + *skipped);
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[keep..keep + read]) {
                *skipped += found as u64;
                self.buffer.copy_within(keep + found..keep + read, keep);
                self.filled = keep + read - found;
                return Ok(true);
            }
            *skipped += read as u64;
        }
    }

    /// Takes note of the frame that a piece at `at` in the text comes from.
    fn note(&mut self, filled: &Filled, at: u64) {
        let Some(frame) = filled.frame else { return };
        if frame.index == 0 {
            self.first_frame_len += filled.len as u64;
        }
        self.enter_frame();
        let last = self.next_frame.map_or(self.frame, |next| Some(next.1));
        if filled.len > 0 && last != Some(frame) {
            self.next_frame = Some((at, frame));
        }
    }

    fn enter_frame(&mut self) {
        if let Some((_, frame)) = self.next_frame.take_if(|next| next.0 <= self.offset) {
            self.frame = Some(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Frames as given, handed out in pieces of a few bytes, so that every refill boundary is met.
    struct Pieces(Vec<Vec<u8>>, usize, usize);

    impl Text for Pieces {
        fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
            let Some(rest) = self.0.get_mut(self.1) else { return Ok(None) };
            let len = rest.len().min(self.2).min(buffer.len());
            buffer[..len].copy_from_slice(&rest[..len]);
            rest.drain(..len);
            let index = self.1 as u64;
            let ends_frame = rest.is_empty();
            self.1 += usize::from(ends_frame);
            let place = FramePlace { index, start: 100 * index, end: 100 * (index + 1), text: 0 };
            Ok(Some(Filled { len, frame: Some(place), ends_frame }))
        }
    }

    #[test]
    fn a_line_belongs_to_the_frame_of_its_first_byte() {
        let frames = ["ab\ncd", "", "ef\n", "g"].map(|frame| frame.as_bytes().to_vec()).to_vec();
        let mut reader = LineReader::new(Pieces(frames, 0, 3), 100);
        let mut found = Vec::new();
        while let Some(line) = reader.next_line().expect("memory") {
            found.push((line.number, line.offset, line.frame.map(|f| f.index), line.bytes.to_vec(), line.terminated));
        }
        assert_eq!(
            found,
            [
                (1, 0, Some(0), b"ab".to_vec(), true),
                (2, 3, Some(0), b"cdef".to_vec(), true),
                (3, 8, Some(3), b"g".to_vec(), false),
            ]
        );
        assert_eq!(reader.first_frame_len(), 5);
    }

    #[test]
    fn a_line_beyond_all_reason_is_cut_but_measured() {
        struct Endless(u64);
        impl std::io::Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let len = buffer.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
                buffer[..len].fill(b'x');
                self.0 -= len as u64;
                if self.0 == 0 && len > 0 {
                    buffer[len - 1] = b'\n';
                }
                Ok(len)
            }
        }
        let longest = 3 * CHUNK;
        let mut reader = LineReader::new(Endless(longest as u64 + 5_000_000), longest);
        let line = reader.next_line().expect("memory").expect("a line");
        assert_eq!((line.bytes.len(), line.len(), line.terminated), (longest, longest as u64 + 4_999_999, true));
        assert!(line.truncated && reader.next_line().expect("memory").is_none());
    }

    proptest! {
        #[test]
        fn lines_cover_the_text_and_know_their_frames(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..400),
            (step, frame) in (1usize..50, 1usize..60),
            max_line in 1usize..60,
        ) {
            let frames = text.chunks(frame).map(<[u8]>::to_vec).collect();
            let mut reader = LineReader::new(Pieces(frames, 0, step), max_line);
            let mut expected = 0;
            let mut number = 0;
            while let Some(line) = reader.next_line().unwrap() {
                number += 1;
                prop_assert_eq!(line.number, number);
                prop_assert_eq!(line.offset, expected);
                let whole = &text[line.offset as usize..line.end as usize];
                let body = whole.strip_suffix(b"\n").unwrap_or(whole);
                prop_assert_eq!(line.terminated, whole.ends_with(b"\n"));
                prop_assert!(!body.contains(&b'\n'));
                prop_assert_eq!(line.len(), body.len() as u64);
                prop_assert_eq!(line.truncated, body.len() > max_line);
                prop_assert_eq!(line.bytes, &body[..body.len().min(max_line)]);
                prop_assert_eq!(line.frame.map(|f| f.index), Some(line.offset / frame as u64));
                expected = line.end;
            }
            prop_assert_eq!(expected, text.len() as u64);
        }
    }
}
