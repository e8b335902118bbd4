//! Sequence numbers: in a whole log event number n has `seq` n, also in the part a fork inherited.

use std::cmp::Ordering;

/// How an event's number relates to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The number that was due.
    Next,
    /// Numbers before it are missing.
    Gap,
    /// The number was used before.
    Duplicate,
    /// The number was skipped earlier, or is negative.
    Reordered,
}

/// Numbers that came in ascending order. Keeps two for each run of them.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Vec<(i64, i64)>);

impl Numbers {
    /// Adds the numbers from `start` to before `end`, all greater than those before.
    pub fn add(&mut self, start: i64, end: i64) {
        match self.0.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => self.0.push((start, end)),
        }
    }

    /// Whether a number was added.
    #[must_use]
    pub fn contains(&self, number: i64) -> bool {
        let next = self.0.partition_point(|run| run.0 <= number);
        next.checked_sub(1).is_some_and(|last| number < self.0[last].1)
    }
}

/// Follows the numbers of a log. Memory grows with its holes only.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    next: i64,
    /// Numbers that were skipped.
    holes: Numbers,
}

impl Sequence {
    /// Takes the next event's number.
    pub fn step(&mut self, seq: i64) -> Step {
        match seq.cmp(&self.next) {
            Ordering::Less if seq < 0 || self.holes.contains(seq) => Step::Reordered,
            Ordering::Less => Step::Duplicate,
            Ordering::Equal => {
                self.next += 1;
                Step::Next
            }
            Ordering::Greater => {
                self.holes.add(self.next, seq);
                self.next = seq + 1;
                Step::Gap
            }
        }
    }

    /// The number that the next event should have.
    #[must_use]
    pub fn due(&self) -> i64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{Numbers, Sequence, Step};

    fn steps(seqs: &[i64]) -> Vec<Step> {
        let mut sequence = Sequence::default();
        seqs.iter().map(|seq| sequence.step(*seq)).collect()
    }

    #[test]
    fn a_hole_filled_later_is_a_gap_and_a_reordering() {
        use Step::{Duplicate, Gap, Next, Reordered};
        assert_eq!(steps(&[0, 1, 4, 2, 5]), [Next, Next, Gap, Reordered, Next]);
        assert_eq!(steps(&[0, 0, 1, 0]), [Next, Duplicate, Next, Duplicate]);
        assert_eq!(steps(&[-1, 3, 2, 2]), [Reordered, Gap, Reordered, Reordered]);
    }

    proptest! {
        #[test]
        fn runs_hold_what_was_added(mut added in proptest::collection::vec(-9i64..60, 0..40)) {
            added.sort_unstable();
            added.dedup();
            let mut numbers = Numbers::default();
            added.iter().for_each(|&number| numbers.add(number, number + 1));
            let held: Vec<i64> = (-12..64).filter(|&number| numbers.contains(number)).collect();
            prop_assert_eq!(held, added);
        }

        #[test]
        fn equals_the_definition_with_a_set(seqs in proptest::collection::vec(-3i64..30, 0..60)) {
            let (mut next, mut seen) = (0, HashSet::new());
            let expected: Vec<Step> = seqs.iter().map(|&seq| {
                if seen.contains(&seq) { return Step::Duplicate; }
                if seq < next { return Step::Reordered; }
                let step = if seq > next { Step::Gap } else { Step::Next };
                seen.insert(seq);
                next = seq + 1;
                step
            }).collect();
            prop_assert_eq!(steps(&seqs), expected);
        }
    }
}
