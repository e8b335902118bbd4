//! A text described as pieces of a source: what stays, what was put in, what was moved. The one form every repair takes.
//!
//! The source is never copied: a gigabyte with three edits is seven pieces. Knows bytes and offsets, nothing else.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// Bytes that can be read at any offset, by several readers at once.
pub trait Bytes: Sync {
    /// Fills as much of `buffer` as there is from `offset` on; 0 at the end.
    ///
    /// # Errors
    /// Whatever reading raises.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// Number of bytes.
    fn len(&self) -> u64;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The bytes of a range.
    ///
    /// # Errors
    /// Whatever reading raises, and a range that is not there.
    fn bytes(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(usize::MAX)];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.read_at(range.start + filled as u64, &mut bytes[filled..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(bytes)
    }
}

impl Bytes for &[u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(<[u8]>::len(self));
        let count = buffer.len().min(<[u8]>::len(self) - start);
        buffer[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }
}

/// One stretch of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the source.
    Source {
        /// Where they stand there.
        range: Range<u64>,
        /// They stand elsewhere in the source than their neighbours.
        moved: bool,
    },
    /// Bytes that the source does not hold.
    Text(Vec<u8>),
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Self::Source { range, .. } => range.end - range.start,
            Self::Text(text) => text.len() as u64,
        }
    }

    fn part(&self, part: Range<u64>) -> Self {
        match self {
            Self::Source { range, moved } => {
                Self::Source { range: range.start + part.start..range.start + part.end, moved: *moved }
            }
            Self::Text(text) => Self::Text(text[part.start as usize..part.end as usize].to_vec()),
        }
    }
}

/// What takes the place of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insert {
    /// These bytes; none removes the range.
    Text(Vec<u8>),
    /// What stands at another range, which another splice removes.
    Moved(Range<u64>),
}

/// One change to a text. Offsets are those of the text before any change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// What is replaced; empty for a pure insertion.
    pub at: Range<u64>,
    /// By what.
    pub with: Insert,
}

/// One difference between the source and the final text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What of the source is left out here; empty for a pure insertion.
    pub source: Range<u64>,
    /// What stands in its place.
    pub with: Vec<Piece>,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Script {
    pieces: Vec<Piece>,
    /// Offset of each piece in the text.
    starts: Vec<u64>,
    len: u64,
    source_len: u64,
}

impl Script {
    /// The source as it is.
    #[must_use]
    pub fn whole(source_len: u64) -> Self {
        let pieces =
            if source_len == 0 { Vec::new() } else { vec![Piece::Source { range: 0..source_len, moved: false }] };
        let starts = pieces.iter().map(|_| 0).collect();
        Self { pieces, starts, len: source_len, source_len }
    }

    /// The source with these edits, which must be sorted and must not overlap.
    #[must_use]
    pub fn of(source_len: u64, edits: &[Edit]) -> Self {
        let mut pieces = Vec::with_capacity(2 * edits.len() + 1);
        let mut at = 0;
        let stretch = |range: Range<u64>| (!range.is_empty()).then_some(Piece::Source { range, moved: false });
        for edit in edits {
            pieces.extend(stretch(at..edit.source.start));
            pieces.extend(edit.with.iter().cloned());
            at = edit.source.end;
        }
        pieces.extend(stretch(at..source_len));
        let mut script = Self { pieces, starts: Vec::new(), len: 0, source_len };
        script.place();
        script
    }

    /// Finds where each piece stands.
    fn place(&mut self) {
        self.starts.clear();
        self.len = 0;
        for piece in &self.pieces {
            self.starts.push(self.len);
            self.len += piece.len();
        }
    }

    /// Length of the text in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the text is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Applies changes, which must be sorted and must not overlap.
    pub fn apply(&mut self, splices: &[Splice]) {
        debug_assert!(splices.windows(2).all(|w| w[0].at.end <= w[1].at.start), "splices overlap");
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2 * splices.len());
        let mut at = 0;
        for splice in splices {
            self.copy(at..splice.at.start, false, &mut pieces);
            match &splice.with {
                Insert::Text(text) if text.is_empty() => {}
                Insert::Text(text) => pieces.push(Piece::Text(text.clone())),
                Insert::Moved(range) => self.copy(range.clone(), true, &mut pieces),
            }
            at = splice.at.end;
        }
        self.copy(at..self.len, false, &mut pieces);
        self.pieces = pieces;
        self.place();
    }

    /// Appends the pieces of a range of the text.
    fn copy(&self, range: Range<u64>, moved: bool, out: &mut Vec<Piece>) {
        let mut at = range.start;
        let mut index = self.piece_at(at);
        while at < range.end {
            let start = self.starts[index];
            let end = (start + self.pieces[index].len()).min(range.end);
            let mut part = self.pieces[index].part(at - start..end - start);
            if let Piece::Source { moved: is_moved, .. } = &mut part {
                *is_moved |= moved;
            }
            out.push(part);
            at = end;
            index += 1;
        }
    }

    /// Index of the piece that holds an offset of the text.
    fn piece_at(&self, at: u64) -> usize {
        self.starts.partition_point(|&start| start <= at).saturating_sub(1)
    }

    /// The source offset that an offset of the text stands for: its own, or that of the next byte kept in order.
    #[must_use]
    pub fn source_offset(&self, at: u64) -> u64 {
        let from = self.piece_at(at);
        for (index, piece) in self.pieces.iter().enumerate().skip(from) {
            if let Piece::Source { range, moved: false } = piece {
                let inside = at.saturating_sub(self.starts[index]).min(range.end - range.start);
                return range.start + inside;
            }
        }
        self.source_len
    }

    /// Every difference from the source, in its order.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        let (mut at, mut with) = (0, Vec::new());
        let end = Piece::Source { range: self.source_len..self.source_len, moved: false };
        for piece in self.pieces.iter().chain([&end]) {
            match piece {
                Piece::Source { range, moved: false } => {
                    if range.start > at || !with.is_empty() {
                        edits.push(Edit { source: at..range.start, with: std::mem::take(&mut with) });
                    }
                    at = range.end;
                }
                other => with.push(other.clone()),
            }
        }
        edits
    }

    /// A reader of the text.
    pub fn read<'a>(&'a self, source: &'a dyn Bytes) -> View<'a> {
        View { script: self, source, at: 0 }
    }

    /// Whether the text is the source itself.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.edits().is_empty()
    }
}

/// Reads the text that a script describes, from any offset.
pub struct View<'a> {
    script: &'a Script,
    source: &'a dyn Bytes,
    at: u64,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Read for View<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.script.len || buffer.is_empty() {
            return Ok(0);
        }
        let index = self.script.piece_at(self.at);
        let inside = self.at - self.script.starts[index];
        let piece = &self.script.pieces[index];
        let want = usize::try_from(piece.len() - inside).unwrap_or(usize::MAX).min(buffer.len());
        let count = match piece {
            Piece::Source { range, .. } => {
                let count = self.source.read_at(range.start + inside, &mut buffer[..want])?;
                if count == 0 {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the source became shorter while it was read",
                    ));
                }
                count
            }
            Piece::Text(text) => {
                buffer[..want].copy_from_slice(&text[inside as usize..inside as usize + want]);
                want
            }
        };
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for View<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(delta) => self.at.checked_add_signed(delta),
            SeekFrom::End(delta) => self.script.len.checked_add_signed(delta),
        };
        self.at = target.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "seek before the start"))?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(script: &Script, source: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        script.read(&source).read_to_end(&mut out).unwrap();
        out
    }

    fn splice(at: Range<u64>, with: &str) -> Splice {
        Splice { at, with: Insert::Text(with.into()) }
    }

    #[test]
    fn rounds_of_changes_add_up_to_edits_of_the_source() {
        let source = b"one\ntwo\nthree\nfour\n".as_slice();
        let mut script = Script::whole(source.len() as u64);
        assert!(script.is_unchanged());
        script.apply(&[splice(4..8, ""), splice(9..10, "R")]);
        assert_eq!(text(&script, source), b"one\ntRree\nfour\n");
        assert_eq!(script.source_offset(4), 8);
        script.apply(&[splice(5..6, "rr"), splice(10..15, "")]);
        assert_eq!(text(&script, source), b"one\ntrrree\n");
        assert_eq!(
            script.edits(),
            [
                Edit { source: 4..8, with: vec![] },
                Edit { source: 9..10, with: vec![Piece::Text(b"rr".to_vec())] },
                Edit { source: 14..19, with: vec![] },
            ]
        );
    }

    #[test]
    fn a_moved_line_is_one_removal_and_one_insertion() {
        let source = b"a\nb\nc\n".as_slice();
        let mut script = Script::whole(6);
        script.apply(&[splice(0..2, ""), Splice { at: 4..4, with: Insert::Moved(0..2) }]);
        assert_eq!(text(&script, source), b"b\na\nc\n");
        let moved = Piece::Source { range: 0..2, moved: true };
        assert_eq!(script.edits(), [Edit { source: 0..2, with: vec![] }, Edit { source: 4..4, with: vec![moved] }]);
    }

    proptest! {
        #[test]
        fn scripts_agree_with_strings(
            source in "[a-z]{0,30}",
            rounds in proptest::collection::vec(proptest::collection::vec((0u64..40, 0u64..4, "[A-Z]{0,3}"), 0..4), 0..4),
        ) {
            let mut script = Script::whole(source.len() as u64);
            let mut plain = source.clone().into_bytes();
            for round in rounds {
                let mut splices: Vec<Splice> = Vec::new();
                let mut free = 0;
                for (gap, len, with) in round {
                    let start = free + gap;
                    if start + len > plain.len() as u64 { break; }
                    splices.push(splice(start..start + len, &with));
                    free = start + len;
                }
                script.apply(&splices);
                for s in splices.iter().rev() {
                    let Insert::Text(with) = &s.with else { unreachable!() };
                    plain.splice(s.at.start as usize..s.at.end as usize, with.iter().copied());
                }
                prop_assert_eq!(text(&script, source.as_bytes()), plain.clone());
            }
            let mut again = source.clone().into_bytes();
            for edit in script.edits().iter().rev() {
                let with: Vec<u8> = edit.with.iter().flat_map(|p| match p { Piece::Text(t) => t.clone(), _ => unreachable!() }).collect();
                again.splice(edit.source.start as usize..edit.source.end as usize, with);
            }
            prop_assert_eq!(&again, &plain);
            let same = Script::of(source.len() as u64, &script.edits());
            prop_assert_eq!(text(&same, source.as_bytes()), plain);
        }
    }
}
