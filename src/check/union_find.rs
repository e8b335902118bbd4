//! Which numbers hang together, in near-linear time.

/// Disjoint sets over `0..len`.
pub(crate) struct UnionFind {
    up: Vec<u32>,
}

impl UnionFind {
    pub(crate) fn new(len: usize) -> Self {
        Self { up: (0..len as u32).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.up.is_empty()
    }

    /// The number that stands for the set of `i`.
    pub(crate) fn find(&self, i: usize) -> usize {
        let mut i = i as u32;
        while self.up[i as usize] != i {
            i = self.up[i as usize];
        }
        i as usize
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.shorten(a), self.shorten(b));
        let (low, high) = (a.min(b), a.max(b));
        self.up[high as usize] = low;
    }

    /// Makes every later [`Self::find`] one step.
    pub(crate) fn settle(&mut self) {
        for i in 0..self.up.len() {
            self.up[i] = self.shorten(i);
        }
    }

    /// Finds, halving the way for the next one.
    fn shorten(&mut self, i: usize) -> u32 {
        let mut i = i as u32;
        while self.up[i as usize] != i {
            let next = self.up[self.up[i as usize] as usize];
            self.up[i as usize] = next;
            i = next;
        }
        i
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_share_one_that_stands_for_them() {
        let mut sets = UnionFind::new(7);
        for (a, b) in [(1, 2), (5, 6), (2, 5), (3, 3)] {
            sets.join(a, b);
        }
        sets.settle();
        assert_eq!((0..7).map(|i| sets.find(i)).collect::<Vec<_>>(), [0, 1, 1, 3, 4, 1, 1]);
    }
}
