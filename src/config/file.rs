//! The configuration file: found upward from the working directory, read strictly, wrong keys named with line and hint.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::hint::nearest;
use super::setting::{Kind, SETTINGS, Setting, Value};
use super::{Config, Override};
use crate::scan::pattern::{Patterns, pattern};

/// The names looked for, first one first.
pub const NAMES: [&str; 2] = ["sesslint.toml", ".sesslint.toml"];
/// Larger files are no configuration.
const MAX_BYTES: u64 = 1 << 20;
/// The table with settings for some paths.
const OVERRIDE: &str = "override";

/// Why a configuration file cannot be used: one line with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{place}: {what}")]
pub struct FileError {
    path: String,
    /// `:line:column`, or nothing.
    place: String,
    what: String,
    /// What was probably meant.
    pub hint: Option<String>,
}

/// The nearest configuration file in `start` or a folder above it.
#[must_use]
pub fn find(start: &Path) -> Option<PathBuf> {
    start.ancestors().flat_map(|folder| NAMES.map(|name| folder.join(name))).find(|path| path.is_file())
}

/// Reads a configuration file. Paths in it stay as written: they count from its folder.
///
/// # Errors
/// It cannot be read, is no TOML, or says something unknown.
pub fn read(path: &Path) -> Result<Config, FileError> {
    let shown = path.display().to_string();
    let whole = |what: String| FileError { path: shown.clone(), place: String::new(), what, hint: None };
    let size = std::fs::metadata(path).map_err(|error| whole(format!("cannot be read: {error}")))?.len();
    if size > MAX_BYTES {
        return Err(whole(format!("is larger than {MAX_BYTES} bytes: no configuration")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| whole(format!("cannot be read: {error}")))?;
    parse(&text, &shown)
}

/// Reads the text of a configuration file; `path` is for messages.
///
/// # Errors
/// See [`read`].
pub fn parse(text: &str, path: &str) -> Result<Config, FileError> {
    let reader = Reader { text, path };
    let table = DeTable::parse(text).map_err(|error| reader.error(error.span(), error.message(), None))?;
    let mut config = Config::default();
    for (key, value) in table.get_ref() {
        if key.get_ref() == OVERRIDE {
            config.overrides = reader.overrides(value)?;
        } else {
            let known = || SETTINGS.iter().map(|s| s.name).chain([OVERRIDE]);
            let setting = SETTINGS.iter().find(|setting| key.get_ref() == setting.name);
            let setting = setting.ok_or_else(|| reader.unknown(key.span(), key.get_ref(), known()))?;
            reader.set(&mut config, setting, value)?;
        }
    }
    Ok(config)
}

struct Reader<'a> {
    text: &'a str,
    path: &'a str,
}

impl Reader<'_> {
    fn error(&self, span: Option<Range<usize>>, what: &str, hint: Option<String>) -> FileError {
        let place = span.and_then(|span| self.text.get(..span.start)).map(|before| {
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!(":{}:{column}", before.matches('\n').count() + 1)
        });
        let what = what.trim_end().replace('\n', "; ");
        FileError { path: self.path.to_owned(), place: place.unwrap_or_default(), what, hint }
    }

    fn unknown<'a>(&self, span: Range<usize>, key: &str, known: impl Iterator<Item = &'a str> + Clone) -> FileError {
        let hint = match nearest(key, known.clone()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("known keys are {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.error(Some(span), &format!("unknown key `{key}`"), Some(hint))
    }

    fn set(&self, config: &mut Config, setting: &Setting, value: &Spanned<DeValue<'_>>) -> Result<(), FileError> {
        let read = self.value(setting.kind, value).map_err(|what| format!("`{}`: {what}", setting.name));
        let set =
            read.and_then(|value| (setting.set)(config, value).map_err(|what| format!("`{}`: {what}", setting.name)));
        set.map_err(|what| self.error(Some(value.span()), &what, None))
    }

    fn value(&self, kind: Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
        let value = value.get_ref();
        let read = match kind {
            Kind::Text => value.as_str().map(|text| Value::Text(text.to_owned())),
            Kind::Flag => value.as_bool().map(Value::Flag),
            Kind::Number => {
                value.as_integer().and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok()).map(Value::Number)
            }
            Kind::List => value.as_array().and_then(|items| {
                let texts: Option<Vec<String>> =
                    items.iter().map(|i| i.get_ref().as_str().map(str::to_owned)).collect();
                texts.map(Value::List)
            }),
        };
        let expected = match kind {
            Kind::Text => "a string",
            Kind::Flag => "true or false",
            Kind::Number => "a whole number of 0 or more",
            Kind::List => "a list of strings",
        };
        read.ok_or_else(|| format!("expected {expected}, got {}", describe(value)))
    }

    fn overrides(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Override>, FileError> {
        let wrong = || self.error(Some(value.span()), "`override` is a list of tables: write [[override]]", None);
        value.get_ref().as_array().ok_or_else(wrong)?.iter().map(|table| self.over(table)).collect()
    }

    fn over(&self, value: &Spanned<DeValue<'_>>) -> Result<Override, FileError> {
        let wrong = |what: &str| self.error(Some(value.span()), what, None);
        let table = value.get_ref().as_table().ok_or_else(|| wrong("`override` is a list of tables"))?;
        let mut paths = None;
        let mut config = Config::default();
        for (key, value) in table {
            if key.get_ref() == "paths" {
                let Value::List(items) = self
                    .value(Kind::List, value)
                    .map_err(|what| self.error(Some(value.span()), &format!("`paths`: {what}"), None))?
                else {
                    continue;
                };
                let globs: Result<Vec<_>, _> = items.iter().map(|item| pattern(item)).collect();
                let set = globs.and_then(|globs| Patterns::new(&globs));
                paths = Some(set.map_err(|what| self.error(Some(value.span()), &format!("`paths`: {what}"), None))?);
            } else {
                let known = || SETTINGS.iter().filter(|s| s.by_path).map(|s| s.name).chain(["paths"]);
                let setting = SETTINGS.iter().find(|s| s.by_path && key.get_ref() == s.name);
                let setting = setting.ok_or_else(|| self.unknown(key.span(), key.get_ref(), known()))?;
                self.set(&mut config, setting, value)?;
            }
        }
        let paths = paths.ok_or_else(|| wrong("an override needs `paths`: the patterns it holds for"))?;
        Ok(Override { paths, config })
    }
}

fn describe(value: &DeValue<'_>) -> String {
    match value.type_str() {
        "array" => "another list".into(),
        "boolean" => "true or false".into(),
        other => format!("{} {other}", if other.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;
    use crate::report::gate::Threshold;

    #[test]
    fn everything_that_can_be_said_is_read() {
        let config = parse(
            "paths = [\"logs\"]\nexclude = ['old/**']\nformat = 'auto'\nprofile = 'openai-strict'\nselect = ['SL1']\n\
             ignore = ['SL102']\nfail-on = 'warning'\nonly-new = true\nmax-findings = 1_000\nbaseline = 'b.jsonl'\n\
             since = 'main'\nallow-empty = false\noutput = ['sarif=out.sarif', 'json']\nannotations = false\n\
             summary = true\ncategory = 'nightly'\n[[override]]\npaths = ['*.json']\nformat = 'claude-code-jsonl'\n\
             profile = 'claude-strict'\nignore = ['SL5']\n",
            "sesslint.toml",
        );
        let config = config.unwrap();
        assert_eq!(config.fail_on, Some(Threshold(Some(Severity::Warning))));
        assert_eq!((config.max_findings, config.only_new, config.summary), (Some(1000), Some(true), Some(true)));
        assert!(matches!(config.format, Some(None)));
        assert_eq!(config.output.as_deref().map(<[_]>::len), Some(2));
        let [one] = &config.overrides[..] else { panic!("one override") };
        assert!(one.paths.cover(Path::new("a/b.json")) && !one.paths.cover(Path::new("a/b.jsonl")));
        assert_eq!(one.config.format.flatten().map(|f| f.id), Some("claude-code-jsonl"));
    }

    #[test]
    fn mistakes_are_named_with_line_and_hint() {
        for (text, message, hint) in [
            ("a = ", "c.toml:1:5: ", ""),
            ("\n\nfail_on = 'error'", "c.toml:3:1: unknown key `fail_on`", "did you mean `fail-on`?"),
            ("colour = true", "c.toml:1:1: unknown key `colour`", "known keys are paths, exclude"),
            ("fail-on = 'bad'", "c.toml:1:11: `fail-on`: expected one of never, info", ""),
            ("paths = 'logs'", "c.toml:1:9: `paths`: expected a list of strings, got a string", ""),
            ("paths = [1]", "c.toml:1:9: `paths`: expected a list of strings, got another list", ""),
            (
                "max-findings = -1",
                "c.toml:1:16: `max-findings`: expected a whole number of 0 or more, got an integer",
                "",
            ),
            ("only-new = 'yes'", "c.toml:1:12: `only-new`: expected true or false, got a string", ""),
            ("select = ['SL9']", "c.toml:1:10: `select`: no code is or begins with \"SL9\"", ""),
            ("override = 1", "c.toml:1:12: `override` is a list of tables", ""),
            ("[[override]]\nformat = 'auto'", "c.toml:1:1: an override needs `paths`", ""),
            ("[[override]]\npaths = ['[']", "c.toml:2:9: `paths`: \"[\" is no pattern", ""),
            (
                "[[override]]\npaths = []\nfail-on = 'info'",
                "c.toml:3:1: unknown key `fail-on`",
                "known keys are format",
            ),
            ("a = 1\na = 2", "c.toml:2:1: ", ""),
        ] {
            let error = parse(text, "c.toml").unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
            assert!(error.hint.clone().unwrap_or_default().starts_with(hint), "{error:?}");
        }
        let deep = "a = ".to_owned() + &"[".repeat(100_000);
        assert!(parse(&deep, "c.toml").is_err());
    }

    #[test]
    fn the_nearest_file_counts() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(find(&deep), None);
        std::fs::write(root.path().join(".sesslint.toml"), "").unwrap();
        assert_eq!(find(&deep), Some(root.path().join(".sesslint.toml")));
        std::fs::write(root.path().join("sesslint.toml"), "").unwrap();
        assert_eq!(find(&deep), Some(root.path().join("sesslint.toml")));
        assert!(read(&root.path().join("none")).is_err());
    }
}
