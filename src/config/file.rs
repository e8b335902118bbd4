//! The configuration file: found upward from the working directory, read strictly, wrong keys named with line and hint.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::hint::nearest;
use crate::scan::pattern::{Patterns, pattern};
use super::setting::{Kind, SETTINGS, Setting, Value};
use super::{Config, Override};

/// The names looked for, first one first.
pub const NAMES: [&str; 2] = ["sesslint.toml", ".sesslint.toml"];
/// Larger files are no configuration.
const MAX_BYTES: u64 = 1 << 20;
/// The table with settings for some paths.
const OVERRIDE: &str = "override";

/// Why a configuration file cannot be used: one sentence with its place, and a second line with a hint where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{place}: {what}{}", .hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default())]
pub struct FileError {
    path: String,
    /// `:line:column`, or nothing.
    place: String,
    what: String,
    hint: Option<String>,
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
        let set = read.and_then(|value| (setting.set)(config, value).map_err(|what| format!("`{}`: {what}", setting.name)));
        set.map_err(|what| self.error(Some(value.span()), &what, None))
    }

    fn value(&self, kind: Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
        let value = value.get_ref();
        let read = match kind {
            Kind::Text => value.as_str().map(|text| Value::Text(text.to_owned())),
            Kind::Flag => value.as_bool().map(Value::Flag),
            Kind::Number => value
                .as_integer()
                .and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok())
                .map(Value::Number),
            Kind::List => value.as_array().and_then(|items| {
                let texts: Option<Vec<String>> = items.iter().map(|i| i.get_ref().as_str().map(str::to_owned)).collect();
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
