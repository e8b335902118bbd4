//! Lines of a text, whatever their length, in one buffer that grows with the longest of them.

use std::io::{self, Read};

const BUFFER: usize = 256 * 1024;

/// A line without its line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether a line feed ends it.
    pub(super) terminated: bool,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.bytes.iter().all(|b| matches!(b, b'\t'..=b'\r' | b' '))
    }
}

/// Splits at line feeds and nothing else.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where the buffer was searched for a line feed.
    searched: usize,
    /// Up to where the buffer is filled.
    filled: usize,
    ended: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0, searched: 0, filled: 0, ended: false }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.searched..self.filled]) {
                let line = self.start..self.searched + length;
                self.start = line.end + 1;
                self.searched = self.start;
                return Ok(Some(Line { bytes: &self.buffer[line], terminated: true }));
            }
            self.searched = self.filled;
            if self.ended {
                let line = self.start..self.filled;
                self.start = self.filled;
                return Ok((!line.is_empty()).then(|| Line { bytes: &self.buffer[line], terminated: false }));
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.searched -= self.start;
        self.start = 0;
        if self.filled == self.buffer.len() {
            self.buffer.resize((2 * self.filled).max(BUFFER), 0);
        }
        match self.input.read(&mut self.buffer[self.filled..]) {
            Ok(read) => {
                self.filled += read;
                self.ended = read == 0;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Dripping<'a>(&'a [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn lines(input: impl Read) -> Vec<(Vec<u8>, bool)> {
        let mut lines = Lines::new(input);
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("memory can be read") {
            all.push((line.bytes.to_vec(), line.terminated));
        }
        all
    }

    #[test]
    fn only_line_feeds_end_lines() {
        let text = "a\n\nb\r\nc\u{2028}\u{b}d";
        let expected: Vec<(Vec<u8>, bool)> = [("a", true), ("", true), ("b\r", true), ("c\u{2028}\u{b}d", false)]
            .map(|(line, terminated)| (line.as_bytes().to_vec(), terminated))
            .into();
        assert_eq!(lines(text.as_bytes()), expected);
        assert_eq!(lines(Dripping(text.as_bytes())), expected);
        assert_eq!(lines(&b""[..]), []);
        assert_eq!(lines(&b"\n"[..]), [(Vec::new(), true)]);
    }

    #[test]
    fn lines_may_be_longer_than_the_buffer() {
        let long = vec![b'x'; 3 * BUFFER + 1];
        let text = [&b"a\n"[..], &long, b"\nb\n", &long].concat();
        let found = lines(&text[..]);
        assert_eq!(found.len(), 4);
        assert!(found[1] == (long.clone(), true) && found[2] == (b"b".to_vec(), true) && found[3] == (long, false));
    }

    #[test]
    fn blank_lines_hold_ascii_white_space_only() {
        for (bytes, blank) in [("", true), (" \t\r\u{b}\u{c}", true), ("\u{a0}", false), ("\0", false), (" x", false)] {
            assert_eq!(Line { bytes: bytes.as_bytes(), terminated: true }.is_blank(), blank, "{bytes:?}");
        }
    }
}
