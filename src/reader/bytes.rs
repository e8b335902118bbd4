//! A source byte by byte, with the physical place of the next byte.

use std::io::{self, Read};

/// Where a byte stands: offset from 0, line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) line: u64,
    pub(super) column: u64,
}

/// Reads ahead by one chunk, whose size does not depend on the source.
pub(super) struct Bytes<R> {
    input: R,
    chunk: Vec<u8>,
    at: usize,
    filled: usize,
    /// Offset of the chunk in the source.
    base: u64,
    line: u64,
    line_start: u64,
}

const CHUNK: usize = 64 << 10;

impl<R: Read> Bytes<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, chunk: vec![0; CHUNK], at: 0, filled: 0, base: 0, line: 1, line_start: 0 }
    }

    /// The next byte; none at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.filled {
            self.fill()?;
        }
        Ok(self.chunk[..self.filled].get(self.at).copied())
    }

    /// The bytes at hand, at least one unless the source has ended.
    pub(super) fn ahead(&mut self) -> io::Result<&[u8]> {
        if self.at == self.filled {
            self.fill()?;
        }
        Ok(&self.chunk[self.at..self.filled])
    }

    /// Steps over the byte that was peeked.
    #[inline]
    pub(super) fn step(&mut self) {
        if self.chunk[self.at] == b'\n' {
            self.line += 1;
            self.line_start = self.base + self.at as u64 + 1;
        }
        self.at += 1;
    }

    /// Steps over bytes at hand that hold no line end.
    pub(super) fn skip_plain(&mut self, count: usize) {
        self.at += count;
    }

    /// Steps over bytes at hand.
    pub(super) fn skip(&mut self, count: usize) {
        let skipped = &self.chunk[self.at..self.at + count];
        if let Some(last) = memchr::memrchr(b'\n', skipped) {
            self.line += memchr::memchr_iter(b'\n', skipped).count() as u64;
            self.line_start = self.base + (self.at + last) as u64 + 1;
        }
        self.at += count;
    }

    /// Where the next byte stands.
    pub(super) fn place(&self) -> Place {
        let offset = self.base + self.at as u64;
        Place { offset, line: self.line, column: offset - self.line_start + 1 }
    }

    /// Steps over space, tab, LF and CR; gives the byte behind them.
    pub(super) fn skip_blanks(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.step(),
                other => return Ok(other),
            }
        }
    }

    /// Replaces the chunk, which must be used up.
    fn fill(&mut self) -> io::Result<()> {
        self.base += self.filled as u64;
        self.at = 0;
        self.filled = 0;
        loop {
            match self.input.read(&mut self.chunk) {
                Ok(read) => {
                    self.filled = read;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
