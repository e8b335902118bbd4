//! Physical lines of a stream, in one pass: each with its number and offset, the whole hashed on the way.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// One physical line, without its LF. Lines end at byte 0x0A only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its bytes; at most the limit of the reader.
    pub bytes: &'a [u8],
    /// Number from 1.
    pub number: u64,
    /// Offset of its first byte in the stream.
    pub offset: u64,
    /// Offset behind its last byte, LF included.
    pub end: u64,
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
}

const CHUNK: usize = 256 << 10;

/// Reads lines into one buffer that grows to the longest line and no further.
pub struct LineReader<R> {
    input: R,
    /// None when nobody asks for the hash.
    hasher: Option<Sha256>,
    buffer: Vec<u8>,
    /// Unread bytes are `buffer[start..filled]`; no LF stands before `searched`.
    start: usize,
    searched: usize,
    filled: usize,
    offset: u64,
    number: u64,
    max_line: usize,
    ended: bool,
}

impl<R> std::fmt::Debug for LineReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineReader").field("line", &self.number).field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl<R: Read> LineReader<R> {
    /// A reader that keeps at most `max_line` bytes of a line and hashes everything.
    pub fn new(input: R, max_line: usize) -> Self {
        Self { hasher: Some(Sha256::new()), ..Self::unhashed(input, max_line) }
    }

    /// A reader whose hash nobody will ask for: for a look at the beginning.
    pub fn unhashed(input: R, max_line: usize) -> Self {
        Self {
            input,
            hasher: None,
            buffer: vec![0; CHUNK],
            start: 0,
            searched: 0,
            filled: 0,
            offset: 0,
            number: 0,
            max_line,
            ended: false,
        }
    }

    /// The next line, none at the end.
    ///
    /// # Errors
    /// Whatever reading the stream raises; an interrupted read is tried again.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
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

    /// SHA-256 of everything read; the whole stream once [`Self::next_line`] has returned none. And its length in bytes.
    #[must_use]
    pub fn finish(self) -> ([u8; 32], u64) {
        (self.hasher.unwrap_or_default().finalize().into(), self.offset)
    }

    fn take(&mut self, end: usize, next: usize, skipped: u64, terminated: bool) -> Line<'_> {
        let start = self.start;
        let offset = self.offset;
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
            terminated,
            truncated: skipped > 0 || kept < end,
        }
    }

    /// Reads more behind `filled`, making room first.
    fn fill(&mut self) -> io::Result<()> {
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
        let read = read_some(&mut self.input, &mut self.buffer[self.filled..])?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&self.buffer[self.filled..self.filled + read]);
        }
        self.filled += read;
        self.ended = read == 0;
        Ok(())
    }

    /// Reads on over the rest of a line that is too long, up to its LF. False at the end of the stream.
    fn fill_over(&mut self, skipped: &mut u64) -> io::Result<bool> {
        let keep = self.filled;
        loop {
            if self.buffer.len() - keep < CHUNK {
                self.buffer.resize(keep + CHUNK, 0);
            }
            let read = read_some(&mut self.input, &mut self.buffer[keep..])?;
            if read == 0 {
                self.ended = true;
                return Ok(false);
            }
            if let Some(hasher) = &mut self.hasher {
                hasher.update(&self.buffer[keep..keep + read]);
            }
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[keep..keep + read]) {
                *skipped += found as u64;
                self.buffer.copy_within(keep + found..keep + read, keep);
                self.filled = keep + read - found;
                return Ok(true);
            }
            *skipped += read as u64;
        }
    }
}

fn read_some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives one byte at a time, so that every refill boundary is met.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    proptest! {
        #[test]
        fn lines_cover_the_input_and_the_hash_is_that_of_the_bytes(
            input in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..400),
            step in 1usize..50,
            max_line in 1usize..60,
        ) {
            let mut reader = LineReader::new(Dribble(&input, step), max_line);
            let mut expected = 0;
            let mut number = 0;
            while let Some(line) = reader.next_line().unwrap() {
                number += 1;
                prop_assert_eq!(line.number, number);
                prop_assert_eq!(line.offset, expected);
                let whole = &input[line.offset as usize..line.end as usize];
                let body = whole.strip_suffix(b"\n").unwrap_or(whole);
                prop_assert_eq!(line.terminated, whole.ends_with(b"\n"));
                prop_assert!(!body.contains(&b'\n'));
                prop_assert_eq!(line.truncated, body.len() > max_line);
                prop_assert_eq!(line.bytes, &body[..body.len().min(max_line)]);
                expected = line.end;
            }
            prop_assert_eq!(expected, input.len() as u64);
            let (hash, length) = reader.finish();
            prop_assert_eq!(length, input.len() as u64);
            prop_assert_eq!(&hash[..], &Sha256::digest(&input)[..]);
        }
    }
}
