//! Strings that rules compare, stored once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// An interned string; 0 means "none", so rows stay small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sym(u32);

impl Sym {
    /// No string.
    pub const NONE: Self = Self(0);

    /// Whether there is a string.
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Position in the interner, for tables indexed by symbol; 0 is [`Sym::NONE`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All strings of a session end to end in one buffer; equal strings share a symbol.
#[derive(Debug)]
pub struct Interner {
    bytes: String,
    /// End of string `i` (symbol `i + 1`) in `bytes`.
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Default for Interner {
    fn default() -> Self {
        Self { bytes: String::new(), ends: Vec::new(), table: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }
}

impl Interner {
    /// The symbol of `text`, added when new.
    pub fn intern(&mut self, text: &str) -> Sym {
        let hash = self.hasher.hash_one(text);
        let (bytes, ends) = (&self.bytes, &self.ends);
        if let Some(&index) = self.table.find(hash, |&i| slice(bytes, ends, i) == text) {
            return Sym(index + 1);
        }
        // A session of four billion distinct ids does not fit in memory anyway.
        let index = u32::try_from(self.ends.len()).expect("fewer than 2^32 strings");
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.table.insert_unique(hash, index, |&i| hasher.hash_one(slice(bytes, ends, i)));
        Sym(index + 1)
    }

    /// The symbol of `text` if it was interned.
    #[must_use]
    pub fn get(&self, text: &str) -> Sym {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |&i| slice(&self.bytes, &self.ends, i) == text).map_or(Sym::NONE, |&i| Sym(i + 1))
    }

    /// The string of a symbol; empty for [`Sym::NONE`].
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        if sym.is_none() { "" } else { slice(&self.bytes, &self.ends, sym.0 - 1) }
    }

    /// Number of strings; symbols run from 1 to this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was interned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice<'a>(bytes: &'a str, ends: &[usize], index: u32) -> &'a str {
    let i = index as usize;
    let start = if i == 0 { 0 } else { ends[i - 1] };
    &bytes[start..ends[i]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_symbol() {
        let mut i = Interner::default();
        let (a, b, e) = (i.intern("a"), i.intern("b"), i.intern(""));
        assert_eq!(i.intern("a"), a);
        assert_ne!(a, b);
        assert!(e.is_some());
        assert_eq!((i.text(a), i.text(b), i.text(e), i.text(Sym::NONE)), ("a", "b", "", ""));
        assert_eq!((i.get("b"), i.get("c")), (b, Sym::NONE));
    }
}
