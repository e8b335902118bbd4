//! Digest strings: their scheme, their grammar, and whether two of them can be compared at all.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::canonical::Canonical;

/// The scheme computed here. Its published values never change: a change that would move one gets a new name.
pub const SCHEME: &str = "sesslint-log-v1";

/// Schemes whose digests mean that equal strings are equal logs. `sema-log-v3` is compared, never computed: the
/// layout of its preimage is not published.
pub const KNOWN_SCHEMES: [&str; 2] = [SCHEME, "sema-log-v3"];

const HASH: &str = ":sha256:";

/// A SHA-256 under [`SCHEME`]. Printed as `sesslint-log-v1:sha256:` and 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of one entry.
    #[must_use]
    pub fn of(entry: &Canonical<'_>) -> Self {
        let mut hash = domain("entry");
        add(&mut hash, entry);
        Self(hash.finalize().into())
    }

    /// The bare hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SCHEME)?;
        f.write_str(HASH)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The digest of a log in the making: one pass over its entries, in order.
#[derive(Clone, Debug)]
pub struct LogHasher(Sha256);

impl Default for LogHasher {
    fn default() -> Self {
        Self(domain("log"))
    }
}

impl LogHasher {
    /// Adds the next entry.
    pub fn add(&mut self, entry: &Canonical<'_>) {
        add(&mut self.0, entry);
    }

    /// The digest of the log.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

fn domain(name: &str) -> Sha256 {
    Sha256::new().chain_update(SCHEME).chain_update([0]).chain_update(name).chain_update([0])
}

/// The length goes before the bytes, so that no other cut into entries gives the same preimage.
fn add(hash: &mut Sha256, entry: &Canonical<'_>) {
    hash.update(format!("{}:", entry.bytes().len()));
    hash.update(entry.bytes());
    hash.update(b",");
}

/// Why two digest strings cannot be compared. Never an error: the answer to it is a full comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// A side has no digest.
    Absent,
    /// A side is no digest string.
    Malformed,
    /// A side's scheme is not one of [`KNOWN_SCHEMES`].
    UnknownScheme,
    /// Both schemes are known and differ.
    SchemeMismatch,
}

impl Incomparable {
    /// The reason as documents spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Malformed => "malformed",
            Self::UnknownScheme => "unknown-scheme",
            Self::SchemeMismatch => "scheme-mismatch",
        }
    }
}

/// The scheme of a digest string; `None` when `text` as a whole is not one.
#[must_use]
pub fn scheme_of(text: &str) -> Option<&str> {
    let (scheme, hex) = text.split_once(HASH)?;
    let (name, version) = scheme.rsplit_once("-v")?;
    let lower_alnum = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let ok = name.split('-').all(|part| !part.is_empty() && part.bytes().all(lower_alnum))
        && version.bytes().all(|b| b.is_ascii_digit())
        && !version.is_empty()
        && !version.starts_with('0')
        && hex.len() == 64
        && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    ok.then_some(scheme)
}

/// Whether `text` was meant as a digest string, a sound one or not: it says so, or names one of the schemes known here.
#[must_use]
pub fn is_meant_as_digest(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let name = text.split_once(':').map_or(text.as_str(), |(name, _)| name);
    let family = |scheme: &str| scheme.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    text.contains(HASH) || KNOWN_SCHEMES.iter().any(|scheme| family(scheme) == family(name))
}

/// Whether two digest strings can be compared. Whatever it is given, it answers.
///
/// If they can, equal strings mean equal logs, and unequal strings mean only that the logs must be compared
/// properly: a digest that differs is no error and no refusal.
///
/// ```
/// use sesslint::digest::{Incomparable, comparable, log_digest};
///
/// let ours = log_digest(["{}"]).unwrap().to_string();
/// let theirs = ours.replace("sesslint-log-v1", "sema-log-v3");
/// assert_eq!(comparable(Some(&ours), Some(&ours)), Ok(()));
/// assert_eq!(comparable(Some(&theirs), Some(&theirs)), Ok(()));
/// assert_eq!(comparable(Some(&ours), Some(&theirs)), Err(Incomparable::SchemeMismatch));
/// assert_eq!(comparable(Some(&ours), None), Err(Incomparable::Absent));
/// assert_eq!(comparable(Some("sema-log-v3"), Some("sema-log-v3")), Err(Incomparable::Malformed));
/// // The law: the order of the two makes no difference.
/// assert_eq!(comparable(Some(&ours), Some(&theirs)), comparable(Some(&theirs), Some(&ours)));
/// ```
///
/// # Errors
/// The first reason that fits, in the order of [`Incomparable`].
pub fn comparable(a: Option<&str>, b: Option<&str>) -> Result<(), Incomparable> {
    let (Some(a), Some(b)) = (a, b) else { return Err(Incomparable::Absent) };
    let (Some(a), Some(b)) = (scheme_of(a), scheme_of(b)) else { return Err(Incomparable::Malformed) };
    if ![a, b].iter().all(|scheme| KNOWN_SCHEMES.contains(scheme)) {
        return Err(Incomparable::UnknownScheme);
    }
    if a == b { Ok(()) } else { Err(Incomparable::SchemeMismatch) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_takes_whole_strings_only() {
        let hex = "0123456789abcdef".repeat(4);
        for scheme in ["a-v1", "sema-log-v3", "sesslint-log-v1", "x1-2y-v10", "a-v1-v2"] {
            assert_eq!(scheme_of(&format!("{scheme}:sha256:{hex}")), Some(scheme));
        }
        for scheme in
            ["", "v1", "-v1", "a-v", "a-v0", "a-v01", "a-v1x", "a--b-v1", "-a-v1", "A-v1", "a_b-v1", "a-v1 ", "a:b-v1"]
        {
            assert_eq!(scheme_of(&format!("{scheme}:sha256:{hex}")), None, "{scheme}");
        }
        for text in [
            "a-v1".to_owned(),
            format!("a-v1:sha256:{hex}0"),
            format!("a-v1:sha256:{}", &hex[1..]),
            format!("a-v1:sha256:{}", hex.to_uppercase()),
            format!("a-v1:sha512:{hex}"),
            format!("a-v1:sha256:{hex}\n"),
            format!("a-v1:sha256::sha256:{hex}"),
        ] {
            assert_eq!(scheme_of(&text), None, "{text}");
        }
    }

    #[test]
    fn damaged_digest_strings_are_told_from_file_names() {
        let hex = "0123456789abcdef".repeat(4);
        for text in [
            format!("sema-log-v3:sha256:{hex}"),
            format!("x:sha256:{hex}"),
            format!(" SEMA-LOG-V3:SHA256:{}\n", hex.to_uppercase()),
            format!("sesslint-log-v1:sha512:{hex}"),
            "sesslint-log-v12".to_owned(),
            "sema-log-v:".to_owned(),
        ] {
            assert!(is_meant_as_digest(&text), "{text}");
        }
        for text in
            ["", "-", "a.jsonl", "sema-log-v3.jsonl", "sema-log", "logs/sema-log-v3", "sha256", "c:\\logs\\a.jsonl"]
        {
            assert!(!is_meant_as_digest(text), "{text}");
        }
    }

    #[test]
    fn the_first_reason_that_fits_is_given() {
        let digest = |scheme: &str| format!("{scheme}:sha256:{}", "0".repeat(64));
        let (ours, theirs, old) = (digest(SCHEME), digest("sema-log-v3"), digest("sema-log-v1"));
        for (a, b, reason) in [
            (None, Some("x"), Incomparable::Absent),
            (Some("x"), Some(old.as_str()), Incomparable::Malformed),
            (Some(old.as_str()), Some(old.as_str()), Incomparable::UnknownScheme),
            (Some(old.as_str()), Some(ours.as_str()), Incomparable::UnknownScheme),
            (Some(ours.as_str()), Some(theirs.as_str()), Incomparable::SchemeMismatch),
        ] {
            assert_eq!(comparable(a, b), Err(reason));
            assert_eq!(comparable(b, a), Err(reason));
        }
    }

    #[test]
    fn a_digest_of_our_own_can_be_compared() {
        let digest = LogHasher::default().finish().to_string();
        assert_eq!(comparable(Some(&digest), Some(&digest)), Ok(()));
    }
}
