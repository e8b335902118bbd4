//! The log digest: do two copies hold the same session?
//!
//! Entry ids are no content addresses: two stores can hold one id with different text. A digest over canonical
//! entries says whether two logs hold the same entries, in the same order, with the same payloads. This module owns
//! the scheme `sesslint-log-v1` and the comparison of logs; it judges nothing, and a digest that differs or cannot
//! be compared is never an error here. Reports name ids and fields, never values.

mod canonical;
mod document;
mod entries;
mod layout;
mod log;
mod relation;
mod report;
mod scalar;
mod scheme;
mod source;
mod text;

pub use canonical::{Canonical, Canonicaliser, NotJson};
pub use document::List;
pub use entries::{Damage, Place};
pub use layout::{Framing, Layout, detect};
pub use log::{Entries, Summary, index, summarise};
pub use relation::{Changed, Comparison, Relationship, compare, relationship};
pub use report::{ChangedEntry, EntryLine, Operand, Pair, SCHEMA, Side, Single};
pub use scheme::{Digest, Incomparable, KNOWN_SCHEMES, LogHasher, SCHEME, comparable, is_meant_as_digest, scheme_of};
pub use source::Source;

/// The digest of one entry, given as JSON text.
///
/// ```
/// use sesslint::digest::entry_digest;
///
/// let digest = entry_digest(r#"{"id":"a","n":1}"#).unwrap();
/// assert_eq!(digest.to_string().len(), "sesslint-log-v1:sha256:".len() + 64);
/// // Spelling does not matter: order of members, blanks, escapes, numbers, a name given twice.
/// assert_eq!(digest, entry_digest(r#" { "n": 2, "n": 1.0, "\u0069d": "a" } "#).unwrap());
/// // Every value does, null too; ids alone say nothing.
/// assert_ne!(digest, entry_digest(r#"{"id":"a","n":2}"#).unwrap());
/// assert_ne!(digest, entry_digest(r#"{"id":"a","n":1,"label":null}"#).unwrap());
/// assert!(entry_digest("{'id': 'a'}").is_err());
/// ```
///
/// # Errors
/// When ECMAScript's `JSON.parse` would refuse the text.
pub fn entry_digest(text: impl AsRef<[u8]>) -> Result<Digest, NotJson> {
    Ok(Digest::of(&Canonicaliser::default().read(text.as_ref())?))
}

/// The digest of a log, given as the JSON texts of its entries in order.
///
/// ```
/// use sesslint::digest::{entry_digest, log_digest};
///
/// // The order of entries matters, and where one ends and the next begins.
/// assert_ne!(log_digest(["1", "2"]), log_digest(["2", "1"]));
/// assert_ne!(log_digest(["1", "23"]), log_digest(["12", "3"]));
/// // A log of one entry never has the digest of that entry.
/// assert_ne!(log_digest(["1"]).unwrap(), entry_digest("1").unwrap());
/// // No log and an empty log are the same.
/// assert_eq!(log_digest(None::<&str>), log_digest([""; 0]));
/// ```
///
/// # Errors
/// When ECMAScript's `JSON.parse` would refuse one of the texts.
pub fn log_digest<T: AsRef<[u8]>>(entries: impl IntoIterator<Item = T>) -> Result<Digest, NotJson> {
    let mut canonicaliser = Canonicaliser::default();
    let mut log = LogHasher::default();
    for text in entries {
        log.add(&canonicaliser.read(text.as_ref())?);
    }
    Ok(log.finish())
}
