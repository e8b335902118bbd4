//! Patterns for paths, one rule everywhere: `*` stays within a folder, `**` goes deeper, a pattern without `/` matches
//! names at any depth, and what matches a folder covers all below it.

use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// A pattern as settings and flags name it.
///
/// # Errors
/// A sentence on what is wrong with it.
pub fn pattern(text: &str) -> Result<Glob, String> {
    let trimmed = text.trim_start_matches("./").trim_end_matches('/');
    let anywhere = if trimmed.contains('/') { trimmed.to_owned() } else { format!("**/{trimmed}") };
    let built = GlobBuilder::new(anywhere.trim_start_matches('/')).literal_separator(true).build();
    built.map_err(|error| format!("{text:?} is no pattern: {}", error.kind()))
}

/// A set of patterns.
#[derive(Clone, Debug)]
pub struct Patterns(GlobSet);

impl Patterns {
    /// Any number of patterns.
    ///
    /// # Errors
    /// They are too large together.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a Glob>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            set.add(glob.clone());
        }
        set.build().map(Self).map_err(|error| error.to_string())
    }

    /// Matches nothing.
    #[must_use]
    pub const fn none() -> Self {
        Self(GlobSet::empty())
    }

    /// Whether there is no pattern at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a relative path, or a folder it lies in, matches.
    #[must_use]
    pub fn cover(&self, relative: &Path) -> bool {
        relative.ancestors().any(|part| !part.as_os_str().is_empty() && self.0.is_match(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_for_all_patterns() {
        for (text, path, covered) in [
            ("vendor", "vendor", true),
            ("vendor/", "a/vendor/x.jsonl", true),
            ("/vendor", "a/vendor/x.jsonl", false),
            ("./a/vendor", "b/a/vendor", false),
            ("*.tmp", "deep/down/x.tmp", true),
            ("logs/*.jsonl", "logs/a.jsonl", true),
            ("logs/*.jsonl", "logs/sub/a.jsonl", false),
            ("logs/**", "logs/sub/a.jsonl", true),
            ("logs/**/*.jsonl", "logs/a.jsonl", true),
            ("[x", "x", false),
        ] {
            let Ok(glob) = pattern(text) else {
                assert_eq!(text, "[x");
                continue;
            };
            assert_eq!(Patterns::new([&glob]).unwrap().cover(Path::new(path)), covered, "{text} {path}");
        }
        assert!(!Patterns::none().cover(Path::new("a")));
    }
}
