//! Edits of a source numbered by its physical lines.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::ops::Range;

use super::bench::{Bench, Ground};
use super::manifest::LineEdit;
use super::mend::Mended;
use super::refusal::Blocking;
use super::script::{Bytes, Edit, Script};

/// The edits of a repair, each with the line it begins on and the number of lines it takes out whole.
pub(crate) fn number(source: &dyn Bytes, mended: &Mended) -> io::Result<Vec<LineEdit>> {
    let whole = Script::whole(source.len());
    let mut input = whole.read(source);
    let mut counter = Counter::default();
    let mut numbered = Vec::new();
    for edit in mended.script.edits() {
        counter.advance(&mut input, edit.source.start)?;
        let (line, at_start) = (counter.line, counter.at_start);
        if edit.with.is_empty() && at_start {
            // Lines that go together are listed one by one.
            counter.whole_lines(&mut input, &edit, source.len(), mended, &mut numbered)?;
            continue;
        }
        counter.advance(&mut input, edit.source.end)?;
        let steps = mended.steps_of(&edit).into_iter().collect();
        numbered.push(LineEdit { line, whole: false, edit, steps });
    }
    Ok(numbered)
}

/// Gives findings of a mended text the lines of its source.
pub(crate) fn restore(ground: Ground<'_>, script: &Script, blocking: &mut [Blocking]) -> io::Result<()> {
    if script.is_unchanged() || blocking.is_empty() {
        return Ok(());
    }
    let whole = Script::whole(ground.source.len());
    let mut placed: Vec<(u64, &mut Blocking)> =
        blocking.iter_mut().filter_map(|b| Some((script.source_offset(b.offset?), b))).collect();
    placed.sort_by_key(|(at, _)| *at);
    if placed.iter().any(|(_, blocking)| blocking.in_document) {
        let bench = Bench::new(ground, &whole)?;
        for (at, blocking) in placed {
            let row = bench.session.records.iter().find(|row| row.item > 0 && row.offset >= at);
            blocking.line = row.map(|row| row.item);
        }
        return Ok(());
    }
    let mut input = whole.read(ground.source);
    let mut counter = Counter::default();
    for (at, blocking) in placed {
        counter.advance(&mut input, at)?;
        blocking.line = Some(counter.line);
    }
    Ok(())
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
    /// Goes through a removal that begins at the start of a line, a line at a time.
    fn whole_lines(
        &mut self,
        input: &mut impl Read,
        edit: &Edit,
        end: u64,
        mended: &Mended,
        numbered: &mut Vec<LineEdit>,
    ) -> io::Result<()> {
        let mut bytes = vec![0; 64 << 10];
        let (mut line, mut start) = (self.line, self.at);
        let all = mended.steps_of(edit);
        while self.at < edit.source.end {
            let want = usize::try_from(edit.source.end - self.at).unwrap_or(usize::MAX).min(bytes.len());
            input.read_exact(&mut bytes[..want])?;
            for found in memchr::memchr_iter(b'\n', &bytes[..want]) {
                let next = self.at + found as u64 + 1;
                push(numbered, mended, &all, line, start..next, true);
                (line, start) = (line + 1, next);
            }
            self.at += want as u64;
        }
        self.at_start = start == edit.source.end;
        if !self.at_start {
            push(numbered, mended, &all, line, start..edit.source.end, edit.source.end == end);
        }
        self.line = line;
        Ok(())
    }

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

/// Adds a line that goes, on behalf of its own steps; a line within one removal has none and goes for those of the whole.
fn push(
    numbered: &mut Vec<LineEdit>,
    mended: &Mended,
    all: &BTreeSet<u32>,
    line: u64,
    source: Range<u64>,
    whole: bool,
) {
    let edit = Edit { source, with: Vec::new() };
    let own = mended.steps_of(&edit);
    let steps = if own.is_empty() { all } else { &own }.iter().copied().collect();
    numbered.push(LineEdit { line, whole, edit, steps });
}
