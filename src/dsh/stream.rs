//! Runs of equal pieces in a streamed answer: the mark of a model that repeats itself without end.
//!
//! An empty piece neither continues nor breaks a run. Packed rows are summed up by themselves and then joined to what
//! stands before them, so that each piece is looked at once.

use super::js_text::JsText;
use super::raw::Raw;

/// The shortest run that is worth a finding.
pub const LONG_RUN: u64 = 20;

/// The longest run of equal pieces so far.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    last: JsText<'static>,
    run: u64,
    longest: u64,
    longest_end: i64,
}

impl Repetition {
    /// Takes a chunk event's text and sequence number.
    pub fn piece(&mut self, delta: &JsText<'_>, seq: i64) {
        if delta.is_empty() {
            return;
        }
        if self.run > 0 && self.last == *delta {
            self.run += 1;
        } else {
            self.last = delta.clone().into_owned();
            self.run = 1;
        }
        self.longer(self.run, seq);
    }

    /// Takes a packed row and its first sequence number.
    pub fn row(&mut self, row: &Runs<'_>, first_seq: i64) {
        let Some((first, last)) = row.ends else { return };
        let before = if self.run > 0 && first.text().is_some_and(|text| text == self.last) { self.run } else { 0 };
        let seq = |index: u64| first_seq.saturating_add_unsigned(index);
        self.longer(before + row.leading.len, seq(row.leading.end));
        self.longer(row.longest.len, seq(row.longest.end));
        let is_one_run = row.run == row.pieces;
        self.run = if is_one_run { before + row.run } else { row.run };
        self.last = last.text().unwrap_or_default().into_owned();
    }

    /// Takes any other event.
    pub fn interrupt(&mut self) {
        self.run = 0;
    }

    fn longer(&mut self, run: u64, end: i64) {
        if run > self.longest {
            (self.longest, self.longest_end) = (run, end);
        }
    }

    /// Length of the first longest run and the sequence number of its last piece, when it is a long one.
    #[must_use]
    pub fn long_run(&self) -> Option<(u64, i64)> {
        (self.longest >= LONG_RUN).then_some((self.longest, self.longest_end))
    }
}

/// A run within a row: its length and the index of its last piece.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    len: u64,
    end: u64,
}

/// The runs of equal pieces in one packed row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Runs<'a> {
    /// Index of the next piece.
    next: u64,
    /// Number of pieces that are not empty.
    pieces: u64,
    /// The first and the last of them.
    ends: Option<(Raw<'a>, Raw<'a>)>,
    last_is_plain: bool,
    /// The run that the first piece begins, the first longest one, and the length of the one the last piece is in.
    leading: Run,
    longest: Run,
    run: u64,
}

impl<'a> Runs<'a> {
    /// Takes the next piece of the row.
    pub(super) fn push(&mut self, piece: Raw<'a>) {
        let end = self.next;
        self.next += 1;
        if piece.is_empty_text() {
            return;
        }
        let is_plain = piece.is_plain_text();
        // Texts that are written differently may be equal only where there are escapes or damaged bytes.
        let equals =
            |last: Raw<'a>| last == piece || (!(is_plain && self.last_is_plain) && last.text() == piece.text());
        let continues = self.ends.is_some_and(|(_, last)| equals(last));
        self.run = if continues { self.run + 1 } else { 1 };
        self.pieces += 1;
        self.ends = Some((self.ends.map_or(piece, |ends| ends.0), piece));
        self.last_is_plain = is_plain;
        let run = Run { len: self.run, end };
        if self.run == self.pieces {
            self.leading = run;
        }
        if self.run > self.longest.len {
            self.longest = run;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::super::json::Cursor;
    use super::{JsText, Raw, Repetition, Runs};

    fn raw(text: &str) -> Raw<'_> {
        Cursor::new(text.as_bytes()).value().expect("JSON")
    }

    #[test]
    fn twenty_equal_pieces_are_a_long_run_whatever_empty_ones_lie_between() {
        let text = |written| raw(written).text().expect("a text");
        let mut stream = Repetition::default();
        for seq in 0..19 {
            stream.piece(&text("\"x\""), seq);
            stream.piece(&JsText::default(), 100 + seq);
        }
        assert_eq!(stream.long_run(), None);
        stream.interrupt();
        (0..20).for_each(|seq| stream.piece(&text("\"x\""), 200 + seq));
        (0..20).for_each(|seq| stream.piece(&text("\"y\""), 300 + seq));
        assert_eq!(stream.long_run(), Some((20, 219)));
        (20..22).for_each(|seq| stream.piece(&text("\"\\u0079\""), 300 + seq));
        assert_eq!(stream.long_run(), Some((22, 321)));
    }

    proptest! {
        #[test]
        fn rows_count_like_their_pieces(
            pieces in proptest::collection::vec((0usize..6, any::<bool>()), 0..90), cut in proptest::collection::vec(any::<bool>(), 90),
        ) {
            // Mostly one text, written in two ways, so that long runs are common.
            let texts = ["\"x\"", "\"x\"", "\"\\u0078\"", "\"\"", "\"x\"", "\"y\""];
            let (mut single, mut rows) = (Repetition::default(), Repetition::default());
            let (mut row, mut first) = (Runs::default(), 0);
            for (seq, (which, rare)) in pieces.iter().enumerate() {
                let piece = raw(texts[if *rare { *which } else { 0 }]);
                single.piece(&piece.text().expect("a text"), seq as i64);
                row.push(piece);
                if cut[seq] && *rare {
                    rows.row(&std::mem::take(&mut row), first);
                    first = seq as i64 + 1;
                }
            }
            rows.row(&row, first);
            prop_assert_eq!((single.longest, single.longest_end), (rows.longest, rows.longest_end));
            prop_assert_eq!(single.run, rows.run);
        }
    }
}
