//! Which codes a run reports: chosen and left out by code or by the beginning of one (`SL1` is every `SL1xx`).

use super::RULES;

/// A code, or the beginning of one, that at least one rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePrefix(String);

impl std::str::FromStr for CodePrefix {
    type Err = String;

    /// Reads `SL004`, `SL1` or `SL`; the error is a sentence.
    fn from_str(text: &str) -> Result<Self, String> {
        let upper = text.to_ascii_uppercase();
        if !upper.is_empty() && RULES.iter().any(|rule| rule.code.starts_with(&upper)) {
            Ok(Self(upper))
        } else {
            Err(format!("no code is or begins with {text:?}; expected one such as SL004, or SL1 for all of SL1xx"))
        }
    }
}

/// The codes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these are reported; empty means all.
    pub select: Vec<CodePrefix>,
    /// These are not, even when selected.
    pub ignore: Vec<CodePrefix>,
}

impl Selection {
    /// Whether findings of this code are reported.
    #[must_use]
    pub fn reports(&self, code: &str) -> bool {
        let named = |list: &[CodePrefix]| list.iter().any(|prefix| code.starts_with(&prefix.0));
        (self.select.is_empty() || named(&self.select)) && !named(&self.ignore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignoring_wins_and_prefixes_cover_their_codes() {
        let list = |codes: &[&str]| codes.iter().map(|code| code.parse().unwrap()).collect();
        for (select, ignore, code, reported) in [
            (&[][..], &[][..], "SL101", true),
            (&["SL1"], &[], "SL101", true),
            (&["sl1"], &[], "SL004", false),
            (&["SL1"], &["SL101"], "SL101", false),
            (&[], &["SL1"], "SL102", false),
            (&[], &["SL1"], "SL002", true),
        ] {
            assert_eq!(Selection { select: list(select), ignore: list(ignore) }.reports(code), reported, "{code}");
        }
        assert!("SL999".parse::<CodePrefix>().is_err());
        assert!("".parse::<CodePrefix>().is_err());
    }
}
