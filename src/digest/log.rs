//! A log as it is compared: the digest of the whole, and of each entry its digest and id. No text is kept.

use std::io;
use std::ops::ControlFlow;

use sha2::{Digest as _, Sha256};

use super::canonical::{Canonical, Canonicaliser};
use super::entries::{self, Damage};
use super::layout::Layout;
use super::scheme::{Digest, LogHasher};
use super::source::Source;
use crate::model::{Interner, Sym};

/// Ids and field names are kept up to this many bytes; of longer ones only a hash, so that memory stays bounded.
const LONGEST_LABEL: usize = 256;

/// The sum of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Absent when a place of the log cannot be read.
    pub digest: Option<Digest>,
    /// Number of entries read.
    pub entries: u64,
    /// What could not be read.
    pub damage: Damage,
}

/// The entries of a log: digest and id of each, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// One digest for each entry.
    pub digests: Vec<Digest>,
    /// Its id, or [`Sym::NONE`].
    pub ids: Vec<Sym>,
}

/// Reads a log once, in memory that does not grow with it.
///
/// # Errors
/// When the source cannot be read. Bad content is told in [`Summary::damage`].
pub fn summarise(source: &Source, layout: Layout) -> io::Result<Summary> {
    read(source, layout, &mut |_| {})
}

/// Reads a log once and keeps digest and id of each entry. Logs that are to be compared share `ids`.
///
/// # Errors
/// When the source cannot be read.
pub fn index(source: &Source, layout: Layout, ids: &mut Interner) -> io::Result<(Summary, Entries)> {
    let mut entries = Entries::default();
    let summary = read(source, layout, &mut |entry| {
        entries.digests.push(Digest::of(entry));
        entries.ids.push(id(entry).map_or(Sym::NONE, |id| label(id, ids)));
    })?;
    Ok((summary, entries))
}

fn read(source: &Source, layout: Layout, each: &mut dyn FnMut(&Canonical<'_>)) -> io::Result<Summary> {
    let mut hash = LogHasher::default();
    let mut entries = 0;
    let damage = entries::visit(source, layout, &mut |entry| {
        hash.add(entry);
        entries += 1;
        each(entry);
        ControlFlow::Continue(())
    })?;
    Ok(Summary { digest: damage.unreadable.is_none().then(|| hash.finish()), entries, damage })
}

/// The id of an entry, in canonical spelling without quotes: its string `id`, else its string `uuid`.
fn id<'a>(entry: &Canonical<'a>) -> Option<&'a [u8]> {
    ["id", "uuid"].iter().find_map(|name| entry.member(name)?.strip_prefix(b"\"")?.strip_suffix(b"\""))
}

/// The fields of an entry: names, and digests of their values.
pub(super) type Fields = Vec<(Sym, Digest)>;

/// Reads the log again, as far as needed, for the fields of the entries at `wanted`, which ascend.
pub(super) fn fields(
    source: &Source,
    layout: Layout,
    wanted: impl IntoIterator<Item = usize>,
    names: &mut Interner,
) -> io::Result<Vec<Fields>> {
    let mut wanted = wanted.into_iter().peekable();
    let (mut at, mut found) = (0, Vec::new());
    let mut values = Canonicaliser::default();
    entries::visit(source, layout, &mut |entry| {
        if wanted.next_if_eq(&at).is_some() {
            let digest = |(name, value)| Some((label(name, names), Digest::of(&values.read(value).ok()?)));
            found.push(entry.members().filter_map(digest).collect());
        }
        at += 1;
        if wanted.peek().is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

/// Marks the hash of a long label: canonical text has no controls.
pub(super) const HASHED: char = '\0';

/// A symbol for an id or a field name, given in canonical spelling without quotes.
fn label(canonical: &[u8], labels: &mut Interner) -> Sym {
    match str::from_utf8(canonical) {
        Ok(text) if text.len() <= LONGEST_LABEL => labels.intern(text),
        _ => labels.intern(&format!("{HASHED}{}", crate::finding::fingerprint::hex(&Sha256::digest(canonical)))),
    }
}
