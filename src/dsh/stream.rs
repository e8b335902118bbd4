//! Runs of equal pieces in a streamed answer: the mark of a model that repeats itself without end.

/// The shortest run that is worth a finding.
pub const LONG_RUN: u64 = 20;

/// The longest run of equal pieces so far.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    last: Vec<u8>,
    run: u64,
    longest: u64,
    longest_end: i64,
}

impl Repetition {
    /// Takes a chunk event's text and sequence number. An empty text neither continues nor breaks a run.
    pub fn piece(&mut self, delta: &[u8], seq: i64) {
        if delta.is_empty() {
            return;
        }
        if self.run > 0 && self.last == delta {
            self.run += 1;
        } else {
            self.last.clear();
            self.last.extend_from_slice(delta);
            self.run = 1;
        }
        if self.run > self.longest {
            (self.longest, self.longest_end) = (self.run, seq);
        }
    }

    /// Takes any other event.
    pub fn interrupt(&mut self) {
        self.run = 0;
    }

    /// Length of the first longest run and the sequence number of its last piece, when it is a long one.
    #[must_use]
    pub fn long_run(&self) -> Option<(u64, i64)> {
        (self.longest >= LONG_RUN).then_some((self.longest, self.longest_end))
    }
}

#[cfg(test)]
mod tests {
    use super::Repetition;

    #[test]
    fn twenty_equal_pieces_are_a_long_run_whatever_empty_ones_lie_between() {
        let mut stream = Repetition::default();
        for seq in 0..19 {
            stream.piece(b"x", seq);
            stream.piece(b"", 100 + seq);
        }
        assert_eq!(stream.long_run(), None);
        stream.interrupt();
        (0..20).for_each(|seq| stream.piece(b"x", 200 + seq));
        (0..20).for_each(|seq| stream.piece(b"y", 300 + seq));
        assert_eq!(stream.long_run(), Some((20, 219)));
        (20..22).for_each(|seq| stream.piece(b"y", 300 + seq));
        assert_eq!(stream.long_run(), Some((22, 321)));
    }
}
