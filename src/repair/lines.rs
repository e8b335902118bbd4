//! Edits of a source numbered by its physical lines.

use std::io::{self, Read};

use super::manifest::LineEdit;
use super::mend::Mended;
use super::script::{Bytes, Script};

/// The edits of a repair, each with the line it begins on and the number of lines it takes out whole.
pub(crate) fn number(source: &dyn Bytes, mended: &Mended) -> io::Result<Vec<LineEdit>> {
    let whole = Script::whole(source.len());
    let mut input = whole.read(source);
    let mut counter = Counter::default();
    let mut numbered = Vec::new();
    for edit in mended.script.edits() {
        counter.advance(&mut input, edit.source.start)?;
        let (line, at_start) = (counter.line, counter.at_start);
        counter.advance(&mut input, edit.source.end)?;
        let ends_line = counter.at_start || edit.source.end == source.len();
        let lines = if at_start && ends_line { counter.line - line + u64::from(!counter.at_start) } else { 0 };
        let steps = mended.steps_of(&edit).into_iter().collect();
        numbered.push(LineEdit { line, lines, edit, steps });
    }
    Ok(numbered)
}

/// Number of non-blank lines.
pub(crate) fn count(input: &mut impl Read) -> io::Result<u64> {
    let mut reader = crate::source::LineReader::new(input, crate::source::MAX_LINE_BYTES);
    let mut lines = 0;
    while let Some(line) = reader.next_line()? {
        lines += u64::from(line.truncated || !line.is_blank());
    }
    Ok(lines)
}

/// Counts line ends up to rising offsets.
struct Counter {
    at: u64,
    /// Line that the next byte stands on.
    line: u64,
    /// The next byte is the first of its line.
    at_start: bool,
}

impl Default for Counter {
    fn default() -> Self {
        Self { at: 0, line: 1, at_start: true }
    }
}

impl Counter {
    fn advance(&mut self, input: &mut impl Read, to: u64) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        while self.at < to {
            let want = usize::try_from(to - self.at).unwrap_or(usize::MAX).min(buffer.len());
            input.read_exact(&mut buffer[..want])?;
            self.line += memchr::memchr_iter(b'\n', &buffer[..want]).count() as u64;
            self.at_start = buffer[want - 1] == b'\n';
            self.at += want as u64;
        }
        Ok(())
    }
}
