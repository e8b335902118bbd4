//! What `digest` reports, as documents: of one log its digest, of two how they relate. Ids and names, no values.

use std::io::{self, Write};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::entries::Place;
use super::layout::{Framing, Layout, detect};
use super::log::{self, Entries, Fields, Summary};
use super::relation::{Changed, Comparison, Relationship, compare};
use super::scheme::{SCHEME, comparable, scheme_of};
use super::source::Source;
use super::{scalar, text};
use crate::finding::fingerprint::hex;
use crate::model::content_free::is_content_free;
use crate::model::{Interner, Sym};

/// Name and version of both documents.
pub const SCHEMA: &str = "sesslint.digest/v1";

/// Why nothing is said of a log that cannot be read whole.
pub(super) const UNREADABLE: &str = "unreadable-entry";

/// Something to compare.
#[derive(Debug)]
pub enum Operand {
    /// A log at hand.
    Log {
        /// Its name in reports.
        path: String,
        /// Its bytes.
        source: Source,
        /// Where its entries are.
        layout: Layout,
    },
    /// What someone else gave as the digest of a log, be it a digest string or not; none when nothing was given.
    Digest(Option<String>),
}

/// One operand, as reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Absent for a bare digest.
    pub path: Option<String>,
    /// Absent when an entry cannot be read.
    pub digest: Option<String>,
    /// Number of entries; absent for a bare digest.
    pub entries: Option<u64>,
    /// Whether the log ends within an entry; absent for a bare digest.
    pub torn_tail: Option<bool>,
    /// The first place that cannot be read.
    pub unreadable: Option<Place>,
}

/// One line of the list of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryLine {
    /// Place in the log, from 0.
    pub index: usize,
    /// Absent when the entry has none.
    pub id: Option<String>,
    /// Digest of the entry.
    pub digest: String,
}

/// The report on one operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Single {
    schema: &'static str,
    scheme: String,
    /// The operand.
    pub a: Side,
    /// Its entries, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_digests: Option<Vec<EntryLine>>,
}

/// The report on two operands. What needs both logs entry by entry is null where one is not at hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    schema: &'static str,
    scheme: String,
    /// What the first operand is, seen from the second.
    pub relationship: Relationship,
    /// Why the two cannot be compared.
    pub reason: Option<&'static str>,
    /// The side that becomes the other one by appending alone.
    pub fast_forward: Option<&'static str>,
    /// What ids alone would say.
    pub id_relationship: Option<Relationship>,
    /// Set when they would say something wrong.
    pub warning: Option<String>,
    /// The first operand.
    pub a: Side,
    /// The second operand.
    pub b: Side,
    /// Number of equal entries at the beginning.
    pub common_prefix: Option<usize>,
    /// Number of entries of the first log that have no equal in the second.
    pub unmatched_a: Option<usize>,
    /// The same for the second.
    pub unmatched_b: Option<usize>,
    /// Ids the second log lacks.
    pub only_a: Option<Vec<String>>,
    /// Ids the first log lacks.
    pub only_b: Option<Vec<String>>,
    /// Ids both have for entries that differ.
    pub changed: Option<Vec<ChangedEntry>>,
    /// Whether unchanged entries come in another order.
    pub reordered: Option<bool>,
    /// Ids the first log repeats.
    pub duplicate_ids_a: Option<Vec<String>>,
    /// Ids the second log repeats.
    pub duplicate_ids_b: Option<Vec<String>>,
}

/// An id whose entries differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedEntry {
    /// The id.
    pub id: String,
    /// Names of the top-level members that differ or that one side lacks, sorted by UTF-16 code units.
    pub fields: Vec<String>,
}

impl Single {
    /// Reads an operand; `entries` asks for the list of its entries.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn of(operand: &Operand, entries: bool) -> io::Result<Self> {
        let (a, entry_digests) = match operand {
            Operand::Digest(digest) => (Side::bare(digest.as_deref()), None),
            Operand::Log { path, source, layout } if entries => {
                let mut ids = Interner::default();
                let (summary, entries) = log::index(source, *layout, &mut ids)?;
                let lines = entries.digests.iter().zip(&entries.ids).enumerate();
                let lines = lines.map(|(index, (digest, id))| EntryLine {
                    index,
                    id: id.is_some().then(|| shown(ids.text(*id))),
                    digest: digest.to_string(),
                });
                (Side::log(path, &summary), Some(lines.collect()))
            }
            Operand::Log { path, source, layout } => (Side::log(path, &log::summarise(source, *layout)?), None),
        };
        let scheme = a.digest.as_deref().and_then(scheme_of).unwrap_or(SCHEME).to_owned();
        Ok(Self { schema: SCHEMA, scheme, a, entry_digests })
    }

    /// Writes the report for people: the digest on a line of its own, then what it covers.
    ///
    /// # Errors
    /// When `out` does.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        text::single(self, out)
    }
}

impl Pair {
    /// Compares two operands.
    ///
    /// # Errors
    /// When a log cannot be read. Whatever the logs hold, and whatever the digests are, is an answer.
    pub fn of(a: &Operand, b: &Operand) -> io::Result<Self> {
        let (Operand::Log { path: path_a, .. }, Operand::Log { path: path_b, .. }) = (a, b) else {
            return Ok(Self::of_sides(Single::of(a, false)?.a, Single::of(b, false)?.a));
        };
        let mut ids = Interner::default();
        let (summary_a, entries_a) = a.index(&mut ids)?;
        let (summary_b, entries_b) = b.index(&mut ids)?;
        let mut pair = Self::of_sides(Side::log(path_a, &summary_a), Side::log(path_b, &summary_b));
        if pair.reason.is_none() {
            let found = compare(&entries_a, &entries_b);
            let changed = changed_entries(a, b, &found.changed, &ids)?;
            pair.detail(&found, changed, &ids);
        }
        Ok(pair)
    }

    /// What the digests of two sides alone tell.
    fn of_sides(a: Side, b: Side) -> Self {
        let unreadable = [&a, &b].iter().any(|side| side.unreadable.is_some());
        let (relationship, reason) = match comparable(a.digest.as_deref(), b.digest.as_deref()) {
            _ if unreadable => (Relationship::NotComparable, Some(UNREADABLE)),
            Err(reason) => (Relationship::NotComparable, Some(reason.as_str())),
            Ok(()) if a.digest == b.digest => (Relationship::Identical, None),
            Ok(()) => (Relationship::Different, None),
        };
        let scheme = a.digest.as_deref().filter(|_| reason.is_none()).and_then(scheme_of).unwrap_or(SCHEME);
        Self {
            schema: SCHEMA,
            scheme: scheme.to_owned(),
            relationship,
            reason,
            fast_forward: None,
            id_relationship: None,
            warning: None,
            a,
            b,
            common_prefix: None,
            unmatched_a: None,
            unmatched_b: None,
            only_a: None,
            only_b: None,
            changed: None,
            reordered: None,
            duplicate_ids_a: None,
            duplicate_ids_b: None,
        }
    }

    /// Adds what a comparison entry by entry found.
    fn detail(&mut self, found: &Comparison, changed: Vec<ChangedEntry>, ids: &Interner) {
        let shown = |syms: &[Sym]| Some(syms.iter().map(|id| shown(ids.text(*id))).collect());
        self.relationship = found.relationship;
        self.fast_forward = found.relationship.fast_forward();
        self.id_relationship = found.id_relationship;
        self.warning = found.id_relationship.filter(|_| found.ids_mislead()).map(|ids| {
            let look = match ids {
                Relationship::Ahead => "A looks like a continuation of B",
                Relationship::Behind => "B looks like a continuation of A",
                _ => "the copies look identical",
            };
            format!("ids agree, content does not: by the ids alone {look}")
        });
        self.common_prefix = Some(found.common_prefix);
        self.unmatched_a = Some(found.unmatched_a);
        self.unmatched_b = Some(found.unmatched_b);
        self.only_a = shown(&found.only_a);
        self.only_b = shown(&found.only_b);
        self.changed = Some(changed);
        self.reordered = Some(found.reordered);
        self.duplicate_ids_a = shown(&found.duplicate_ids_a);
        self.duplicate_ids_b = shown(&found.duplicate_ids_b);
    }

    /// Writes the report for people: the verdict, the two sides, which one to keep, and what differs.
    ///
    /// # Errors
    /// When `out` does.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        text::pair(self, out)
    }
}

impl Operand {
    /// A log whose layout is found from `framing` and its first value. `path` is its name in reports.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn log(path: String, source: Source, framing: Framing) -> io::Result<Self> {
        let layout = detect(&source, framing)?;
        Ok(Self::Log { path, source, layout })
    }

    fn index(&self, ids: &mut Interner) -> io::Result<(Summary, Entries)> {
        match self {
            Self::Log { source, layout, .. } => log::index(source, *layout, ids),
            Self::Digest(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// The fields of the entries at `places`, which ascend.
    fn fields(&self, places: impl IntoIterator<Item = usize>, names: &mut Interner) -> io::Result<Vec<Fields>> {
        match self {
            Self::Log { source, layout, .. } => log::fields(source, *layout, places, names),
            Self::Digest(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

impl Side {
    fn bare(digest: Option<&str>) -> Self {
        let digest = digest.map(|text| if scheme_of(text).is_some() { text.to_owned() } else { plain(text) });
        Self { path: None, digest, entries: None, torn_tail: None, unreadable: None }
    }

    fn log(path: &str, summary: &Summary) -> Self {
        Self {
            path: Some(plain(path)),
            digest: summary.digest.map(|digest| digest.to_string()),
            entries: Some(summary.entries),
            torn_tail: Some(summary.damage.torn_tail),
            unreadable: summary.damage.unreadable,
        }
    }
}

/// Reads both logs again for the names of the fields that differ.
fn changed_entries(a: &Operand, b: &Operand, changed: &[Changed], ids: &Interner) -> io::Result<Vec<ChangedEntry>> {
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let mut names = Interner::default();
    let fields_a = a.fields(changed.iter().map(|c| c.a), &mut names)?;
    let mut in_b: Vec<(usize, usize)> = changed.iter().enumerate().map(|(i, c)| (c.b, i)).collect();
    in_b.sort_unstable();
    let read_b = b.fields(in_b.iter().map(|(place, _)| *place), &mut names)?;
    let mut fields_b = vec![Fields::new(); changed.len()];
    for (fields, (_, i)) in read_b.into_iter().zip(in_b) {
        fields_b[i] = fields;
    }
    let entries = changed.iter().zip(fields_a.into_iter().zip(fields_b));
    Ok(entries
        .map(|(changed, (a, b))| ChangedEntry {
            id: shown(ids.text(changed.id)),
            fields: differing(a, b, &names).into_iter().map(|name| shown(names.text(name))).collect(),
        })
        .collect())
}

/// Names of the fields that are not in both with the same value.
fn differing(a: Fields, b: Fields, names: &Interner) -> Vec<Sym> {
    let mut fields = a;
    fields.extend(b);
    fields.sort_unstable();
    let mut differing: Vec<Sym> =
        fields.chunk_by(|x, y| x == y).filter(|equal| equal.len() == 1).map(|field| field[0].0).collect();
    differing.dedup();
    differing.sort_by(|x, y| {
        let units = |name: &Sym| scalar::units(names.text(*name).as_bytes()).collect::<Vec<u16>>();
        units(x).cmp(&units(y))
    });
    differing
}

/// An id or a name as it may stand in a report: itself, or a hash in its place when it is long or not content-free.
fn shown(label: &str) -> String {
    let text: Result<String, _> = char::decode_utf16(scalar::units(label.as_bytes())).collect();
    match (label.strip_prefix(log::HASHED), text) {
        (Some(hash), _) => masked(hash),
        (None, Ok(text)) if is_content_free(&text) => text,
        (None, _) => masked(&hex(&Sha256::digest(label))),
    }
}

/// What the command line named, or a hash in its place.
fn plain(text: &str) -> String {
    if is_content_free(text) { text.to_owned() } else { masked(&hex(&Sha256::digest(text))) }
}

fn masked(hash: &str) -> String {
    format!("<masked:{}>", &hash[..8])
}
