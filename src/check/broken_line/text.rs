//! The raw text of a broken line: which parts of it gave no record, and which ids they name.

use std::ops::Range;

use crate::finding::Finding;
use crate::model::Session;
use crate::record::Scanner;
use crate::record::recover::recover;

/// The parts of a broken line that gave no record, blanks aside.
pub(super) fn unread(session: &Session, finding: &Finding, bytes: &[u8]) -> Vec<Range<usize>> {
    let start = finding.location.byte_start.unwrap_or(0);
    let first = session.records.partition_point(|row| row.offset < start);
    let rows = session.records[first..].iter().take_while(|row| row.offset < start + bytes.len() as u64);
    let mut read: Vec<Range<usize>> = rows
        .map(|row| {
            let from = (row.offset - start) as usize;
            from..from.saturating_add(usize::try_from(row.len).unwrap_or(usize::MAX)).min(bytes.len())
        })
        .collect();
    // Records without events are not among those of the session.
    if finding.detail.contains_key("recovered_records") {
        read.extend(recover(bytes, &mut Scanner::default()).records);
    }
    read.sort_unstable_by_key(|range| range.start);
    let mut pieces = Vec::new();
    let mut from = 0;
    for range in read.into_iter().chain(std::iter::once(bytes.len()..bytes.len())) {
        let piece = from..range.start.max(from);
        if let Some(blanks) = bytes[piece.clone()].iter().position(|b| !b.is_ascii_whitespace()) {
            pieces.push(piece.start + blanks..piece.end);
        }
        from = range.end.max(from);
    }
    pieces
}

/// What stands between two quotes, with the two such texts before it: of a member's value, its name and a colon.
pub(super) struct Quoted<'a> {
    pub(super) text: &'a [u8],
    between: &'a [u8],
    name: &'a [u8],
}

impl<'a> Quoted<'a> {
    /// Every text between two neighbouring quotes. Which of them are strings, a cut line does not tell.
    pub(super) fn new(bytes: &'a [u8]) -> impl Iterator<Item = Self> {
        let (mut name, mut between, mut from) = (&bytes[..0], &bytes[..0], None);
        memchr::memchr_iter(b'"', bytes).filter_map(move |quote| {
            let start = from.replace(quote + 1)?;
            let quoted = Self { text: &bytes[start..quote], between, name };
            (name, between) = (between, quoted.text);
            Some(quoted)
        })
    }

    /// What stands before and behind the bytes of it that are no text, if there are any.
    pub(super) fn around_damage(&self) -> Option<(&'a str, &'a str)> {
        let before = self.text.utf8_chunks().next()?.valid().split('\0').next()?;
        if before.len() == self.text.len() {
            return None;
        }
        let last = self.text.utf8_chunks().last()?;
        let behind = if last.invalid().is_empty() { last.valid().rsplit('\0').next()? } else { "" };
        Some((before, behind))
    }

    fn is_value(&self) -> bool {
        self.between.trim_ascii() == b":"
    }

    pub(super) fn is_value_of(&self, name: &str) -> bool {
        self.is_value() && self.name == name.as_bytes() && !name.is_empty()
    }

    /// It names what the record hangs on, not the record itself.
    pub(super) fn names_parent(&self) -> bool {
        self.is_value() && self.name.windows(6).any(|word| word.eq_ignore_ascii_case(b"parent"))
    }
}
