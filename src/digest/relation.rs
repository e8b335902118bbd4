//! How two logs relate: which one continues the other, and what differs where they part.

use super::log::Entries;
use super::scheme::Digest;
use crate::model::Sym;

/// What the first log is, seen from the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relationship {
    /// They hold the same.
    Identical,
    /// The first continues the second.
    Ahead,
    /// The second continues the first.
    Behind,
    /// Each holds something the other does not, or in another order.
    Diverged,
    /// They are not the same; of digests alone no more can be said.
    Different,
    /// Nothing can be said.
    NotComparable,
}

impl Relationship {
    /// The word documents use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Ahead => "ahead",
            Self::Behind => "behind",
            Self::Diverged => "diverged",
            Self::Different => "different",
            Self::NotComparable => "not-comparable",
        }
    }

    /// The side, `a` or `b`, that becomes the other one by appending alone.
    #[must_use]
    pub const fn fast_forward(self) -> Option<&'static str> {
        match self {
            Self::Ahead => Some("b"),
            Self::Behind => Some("a"),
            _ => None,
        }
    }
}

/// The relationship of two logs, given the digests of their entries.
///
/// ```
/// use sesslint::digest::{Relationship, entry_digest, relationship};
///
/// let log = |text: &str| text.split(' ').map(|e| entry_digest(e).unwrap()).collect::<Vec<_>>();
/// let (short, long) = (log("1 2"), log("1 2 3"));
/// assert_eq!(relationship(&short, &short), Relationship::Identical);
/// assert_eq!(relationship(&long, &log("2 1 3")), Relationship::Diverged);
/// // The law: seen from the other side, ahead is behind.
/// assert_eq!(relationship(&long, &short), Relationship::Ahead);
/// assert_eq!(relationship(&short, &long), Relationship::Behind);
/// // Fast-forward exists exactly when appending is enough.
/// assert_eq!(relationship(&long, &short).fast_forward(), Some("b"));
/// ```
#[must_use]
pub fn relationship(a: &[Digest], b: &[Digest]) -> Relationship {
    match (a.strip_prefix(b), b.strip_prefix(a)) {
        (Some([]), _) => Relationship::Identical,
        (Some(_), _) => Relationship::Ahead,
        (_, Some(_)) => Relationship::Behind,
        _ => Relationship::Diverged,
    }
}

/// What a comparison of two logs entry by entry finds. Ids are symbols of the interner they were read with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How the logs relate.
    pub relationship: Relationship,
    /// How they would seem to relate to someone who looks at the set of ids alone; absent when an entry has none.
    pub id_relationship: Option<Relationship>,
    /// Number of equal entries at the beginning; the place of the first difference.
    pub common_prefix: usize,
    /// Number of entries of the first log that have no equal in the second, wherever; each counts once.
    pub unmatched_a: usize,
    /// The same for the second log.
    pub unmatched_b: usize,
    /// Ids the second log lacks, in the order of the first.
    pub only_a: Vec<Sym>,
    /// Ids the first log lacks, in the order of the second.
    pub only_b: Vec<Sym>,
    /// Ids of both whose entries differ, with the places of their entries; in the order of the first log.
    pub changed: Vec<Changed>,
    /// Whether the unchanged entries that both have do not come in the same order.
    pub reordered: bool,
    /// Ids the first log has more than once.
    pub duplicate_ids_a: Vec<Sym>,
    /// Ids the second log has more than once.
    pub duplicate_ids_b: Vec<Sym>,
}

/// An id that stands for different entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The id.
    pub id: Sym,
    /// Place of its entry in the first log, from 0.
    pub a: usize,
    /// Place of its entry in the second log, from 0.
    pub b: usize,
}

impl Comparison {
    /// Whether ids alone would make the logs equal or one the continuation of the other, wrongly.
    #[must_use]
    pub fn ids_mislead(&self) -> bool {
        self.id_relationship.is_some_and(|ids| ids != Relationship::Diverged && ids != self.relationship)
    }
}

/// Compares two logs whose ids are symbols of one interner. Linear but for one sort of the entry digests.
#[must_use]
pub fn compare(a: &Entries, b: &Entries) -> Comparison {
    let (first_a, duplicate_ids_a) = first_places(&a.ids);
    let (first_b, duplicate_ids_b) = first_places(&b.ids);
    let place = |places: &[Option<usize>], id: Sym| places.get(id.index()).copied().flatten();
    let in_order = |ids: &[Sym], places: &[Option<usize>]| -> Vec<(usize, Sym)> {
        let first = |&(at, id): &(usize, Sym)| place(places, id) == Some(at);
        ids.iter().copied().enumerate().filter(first).collect()
    };
    let (ids_a, ids_b) = (in_order(&a.ids, &first_a), in_order(&b.ids, &first_b));
    let lacking = |ids: &[(usize, Sym)], other: &[Option<usize>]| -> Vec<Sym> {
        ids.iter().map(|(_, id)| *id).filter(|id| place(other, *id).is_none()).collect()
    };
    let only_a = lacking(&ids_a, &first_b);
    let only_b = lacking(&ids_b, &first_a);

    let shared = |id: Sym| Some((place(&first_a, id)?, place(&first_b, id)?));
    let unchanged =
        |(_, id): &(usize, Sym)| shared(*id).filter(|(at_a, at_b)| a.digests[*at_a] == b.digests[*at_b]).map(|_| *id);
    let changed = ids_a
        .iter()
        .filter_map(|(_, id)| shared(*id).map(|(a, b)| Changed { id: *id, a, b }))
        .filter(|c| a.digests[c.a] != b.digests[c.b])
        .collect();

    let all_have_ids = a.ids.iter().chain(&b.ids).all(|id| id.is_some());
    let (unmatched_a, unmatched_b) = unmatched(&a.digests, &b.digests);
    Comparison {
        relationship: relationship(&a.digests, &b.digests),
        id_relationship: all_have_ids.then_some(match (only_a.is_empty(), only_b.is_empty()) {
            (true, true) => Relationship::Identical,
            (false, true) => Relationship::Ahead,
            (true, false) => Relationship::Behind,
            (false, false) => Relationship::Diverged,
        }),
        common_prefix: a.digests.iter().zip(&b.digests).take_while(|(a, b)| a == b).count(),
        unmatched_a,
        unmatched_b,
        reordered: !ids_a.iter().filter_map(unchanged).eq(ids_b.iter().filter_map(unchanged)),
        only_a,
        only_b,
        changed,
        duplicate_ids_a,
        duplicate_ids_b,
    }
}

/// The first place of each id, by symbol, and the ids that come again, in the order in which they first do.
fn first_places(ids: &[Sym]) -> (Vec<Option<usize>>, Vec<Sym>) {
    let symbols = ids.iter().map(|id| id.index() + 1).max().unwrap_or(0);
    let (mut places, mut repeated) = (vec![None; symbols], vec![false; symbols]);
    let mut duplicates = Vec::new();
    for (at, id) in ids.iter().enumerate().filter(|(_, id)| id.is_some()) {
        match &mut places[id.index()] {
            Some(_) if !std::mem::replace(&mut repeated[id.index()], true) => duplicates.push(*id),
            Some(_) => {}
            place => *place = Some(at),
        }
    }
    (places, duplicates)
}

/// How many entries of each log have no equal in the other.
fn unmatched(a: &[Digest], b: &[Digest]) -> (usize, usize) {
    let sorted = |digests: &[Digest]| {
        let mut digests = digests.to_vec();
        digests.sort_unstable();
        digests
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut i, mut j, mut equal) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        equal += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    (a.len() - equal, b.len() - equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::entry_digest;
    use crate::model::Interner;
    use proptest::prelude::*;

    /// Entries spelled `id` + `payload`, such as `a1`; `-1` has no id.
    fn entries(text: &str, ids: &mut Interner) -> Entries {
        let mut entries = Entries::default();
        for word in text.split_whitespace() {
            let (id, _) = word.split_at(1);
            entries.digests.push(entry_digest(format!("\"{word}\"")).expect("a string"));
            entries.ids.push(if id == "-" { Sym::NONE } else { ids.intern(id) });
        }
        entries
    }

    fn compared(a: &str, b: &str) -> (Comparison, Interner) {
        let mut ids = Interner::default();
        let (a, b) = (entries(a, &mut ids), entries(b, &mut ids));
        (compare(&a, &b), ids)
    }

    #[test]
    fn comparisons() {
        use Relationship::{Ahead, Behind, Diverged, Identical};
        // Logs, relationship, what ids say, common prefix, unmatched of each, reordered.
        for (a, b, expected) in [
            ("", "", (Identical, Some(Identical), 0, 0, 0, false)),
            ("a1 b1", "a1 b1", (Identical, Some(Identical), 2, 0, 0, false)),
            ("a1 b1", "a1", (Ahead, Some(Ahead), 1, 1, 0, false)),
            ("", "a1", (Behind, Some(Behind), 0, 0, 1, false)),
            ("a1 b1", "a1 b2", (Diverged, Some(Identical), 1, 1, 1, false)),
            ("a1 b1 c1", "a1 b2", (Diverged, Some(Ahead), 1, 2, 1, false)),
            ("a1 b1", "b1 a1", (Diverged, Some(Identical), 0, 0, 0, true)),
            ("a1 b1 c1", "a1 c1", (Diverged, Some(Ahead), 1, 1, 0, false)),
            ("a1", "b1", (Diverged, Some(Diverged), 0, 1, 1, false)),
            ("a1 a2", "a1", (Ahead, Some(Identical), 1, 1, 0, false)),
            ("a1 a1 a1", "a1 a1", (Ahead, Some(Identical), 2, 1, 0, false)),
            ("a1 -1", "a1", (Ahead, None, 1, 1, 0, false)),
            ("-1", "", (Ahead, None, 0, 1, 0, false)),
        ] {
            let (c, _) = compared(a, b);
            let found = (c.relationship, c.id_relationship, c.common_prefix, c.unmatched_a, c.unmatched_b, c.reordered);
            assert_eq!(found, expected, "{a:?} and {b:?}");
        }
    }

    #[test]
    fn ids_are_told_apart_by_what_happened_to_them() {
        let (c, ids) = compared("a1 b1 c1 d1 b2 b3 -1", "x1 d1 c2 x1 a1 y1");
        let texts = |syms: &[Sym]| syms.iter().map(|id| ids.text(*id)).collect::<String>();
        assert_eq!((texts(&c.only_a), texts(&c.only_b)), ("b".into(), "xy".into()));
        assert_eq!((texts(&c.duplicate_ids_a), texts(&c.duplicate_ids_b)), ("b".into(), "x".into()));
        assert_eq!(c.changed.iter().map(|c| (ids.text(c.id), c.a, c.b)).collect::<Vec<_>>(), [("c", 2, 2)]);
        assert!(c.reordered);
    }

    #[test]
    fn ids_mislead_when_they_promise_more_than_the_content_holds() {
        for (a, b, mislead) in [
            ("a1", "a1", false),
            ("a1 b1", "a1", false),
            ("a1", "b1", false),
            ("a1 b1", "b1 a1", true),
            ("a1", "a2", true),
            ("a1 b1 c1", "a1 b2", true),
            ("a1 -1", "a2 -1", false),
        ] {
            assert_eq!(compared(a, b).0.ids_mislead(), mislead, "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn seen_from_the_other_side(a in "([ab-][12] ){0,5}", b in "([ab-][12] ){0,5}") {
            let mirrored = |relationship| match relationship {
                Relationship::Ahead => Relationship::Behind,
                Relationship::Behind => Relationship::Ahead,
                same => same,
            };
            let (ab, ids_ab) = compared(&a, &b);
            let (ba, ids_ba) = compared(&b, &a);
            prop_assert_eq!(ab.relationship, mirrored(ba.relationship));
            prop_assert_eq!(ab.id_relationship, ba.id_relationship.map(mirrored));
            prop_assert_eq!((ab.unmatched_a, ab.unmatched_b), (ba.unmatched_b, ba.unmatched_a));
            prop_assert_eq!((ab.common_prefix, ab.reordered), (ba.common_prefix, ba.reordered));
            let texts = |ids: &Interner, syms: &[Sym]| syms.iter().map(|id| ids.text(*id).to_owned()).collect::<Vec<_>>();
            prop_assert_eq!(texts(&ids_ab, &ab.only_a), texts(&ids_ba, &ba.only_b));
            prop_assert_eq!(ab.changed.len(), ba.changed.len());
            prop_assert_eq!(ab.relationship == Relationship::Identical, a == b);
            // A continuation loses nothing of what it continues.
            prop_assert!(ab.relationship != Relationship::Ahead || ab.unmatched_b == 0);
        }
    }
}
