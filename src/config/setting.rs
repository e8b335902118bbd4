//! The one list of settings: name, kind, and how a value enters a layer. Files and environment both go through it.

use std::str::FromStr;

use super::Config;

use crate::inspect;
use crate::rule::profile;
use crate::scan::pattern::pattern;

/// What kind of value a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One string.
    Text,
    /// A list of strings; one item a line in the environment.
    List,
    /// True or false.
    Flag,
    /// A whole number.
    Number,
}

/// A value of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// See [`Kind::Text`].
    Text(String),
    /// See [`Kind::List`].
    List(Vec<String>),
    /// See [`Kind::Flag`].
    Flag(bool),
    /// See [`Kind::Number`].
    Number(u64),
}

impl Value {
    /// Reads a value as the environment holds it.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    pub fn from_text(kind: Kind, text: &str) -> Result<Self, String> {
        let text = text.trim();
        match kind {
            Kind::Text => Ok(Self::Text(text.to_owned())),
            Kind::List => {
                Ok(Self::List(text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect()))
            }
            Kind::Flag => text.parse().map(Self::Flag).map_err(|_| format!("expected true or false, got {text:?}")),
            Kind::Number => text
                .parse()
                .map(Self::Number)
                .map_err(|_| format!("expected a whole number of 0 or more, got {text:?}")),
        }
    }
}

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its key in a file and its flag on the command line.
    pub name: &'static str,
    /// See there.
    pub kind: Kind,
    /// An `[[override]]` may set it.
    pub by_path: bool,
    /// Puts a value of `kind` into a layer, or says in a sentence what is wrong with it.
    pub set: fn(&mut Config, Value) -> Result<(), String>,
}

impl Setting {
    /// Its environment variable, such as `SESSLINT_FAIL_ON`.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("SESSLINT_{}", self.name.to_uppercase().replace('-', "_"))
    }
}

fn text(value: Value) -> Result<String, String> {
    if let Value::Text(text) = value { Ok(text) } else { Err("expected a string".into()) }
}

fn flag(value: Value) -> Result<bool, String> {
    if let Value::Flag(flag) = value { Ok(flag) } else { Err("expected true or false".into()) }
}

fn number(value: Value) -> Result<u64, String> {
    if let Value::Number(number) = value { Ok(number) } else { Err("expected a whole number".into()) }
}

fn list(value: Value) -> Result<Vec<String>, String> {
    if let Value::List(items) = value { Ok(items) } else { Err("expected a list of strings".into()) }
}

fn each<T>(value: Value, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    list(value)?.iter().map(|item| read(item)).collect()
}

const fn plain(name: &'static str, kind: Kind, set: fn(&mut Config, Value) -> Result<(), String>) -> Setting {
    Setting { name, kind, by_path: false, set }
}

const fn by_path(name: &'static str, kind: Kind, set: fn(&mut Config, Value) -> Result<(), String>) -> Setting {
    Setting { name, kind, by_path: true, set }
}

/// All settings, in the order of the documentation.
pub static SETTINGS: &[Setting] = &[
    plain("paths", Kind::List, |c, v| list(v).map(|v| c.paths = Some(v))),
    plain("exclude", Kind::List, |c, v| each(v, pattern).map(|v| c.exclude = Some(v))),
    by_path("format", Kind::Text, |c, v| inspect::format_named(&text(v)?).map(|v| c.format = Some(v))),
    by_path("profile", Kind::Text, |c, v| profile::named(&text(v)?).map(|v| c.profile = Some(v))),
    by_path("select", Kind::List, |c, v| each(v, FromStr::from_str).map(|v| c.select = Some(v))),
    by_path("ignore", Kind::List, |c, v| each(v, FromStr::from_str).map(|v| c.ignore = Some(v))),
    plain("fail-on", Kind::Text, |c, v| text(v)?.parse().map(|v| c.fail_on = Some(v))),
    plain("only-new", Kind::Flag, |c, v| flag(v).map(|v| c.only_new = Some(v))),
    plain("max-findings", Kind::Number, |c, v| number(v).map(|v| c.max_findings = Some(v))),
    plain("baseline", Kind::Text, |c, v| text(v).map(|v| c.baseline = Some(v))),
    plain("since", Kind::Text, |c, v| text(v).map(|v| c.since = Some(v))),
    plain("allow-empty", Kind::Flag, |c, v| flag(v).map(|v| c.allow_empty = Some(v))),
    plain("output", Kind::List, |c, v| each(v, FromStr::from_str).map(|v| c.output = Some(v))),
    plain("annotations", Kind::Flag, |c, v| flag(v).map(|v| c.annotations = Some(v))),
    plain("summary", Kind::Flag, |c, v| flag(v).map(|v| c.summary = Some(v))),
    plain("category", Kind::Text, |c, v| text(v).map(|v| c.category = Some(v))),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value as Json;

    use super::*;

    /// The kind that a schema of a property describes.
    fn kind(schema: &Json, root: &Json) -> Kind {
        if let Some(path) = schema["$ref"].as_str() {
            return kind(root.pointer(path.trim_start_matches('#')).unwrap(), root);
        }
        match schema["type"].as_str() {
            Some("array") => Kind::List,
            Some("boolean") => Kind::Flag,
            Some("integer") => Kind::Number,
            Some("string") => Kind::Text,
            None if schema["enum"].is_array() => Kind::Text,
            other => panic!("{other:?}"),
        }
    }

    fn kinds(properties: &Json, root: &Json) -> BTreeMap<String, Kind> {
        let members = properties.as_object().unwrap().iter();
        members.filter(|(name, _)| *name != "override").map(|(n, s)| (n.clone(), kind(s, root))).collect()
    }

    #[test]
    fn the_schema_describes_every_setting() {
        let schema: Json = serde_json::from_str(include_str!("../../schemas/config.v1.schema.json")).unwrap();
        let ours = |by_path: bool| {
            let settings = SETTINGS.iter().filter(|s| s.by_path || !by_path);
            settings.map(|s| (s.name.to_owned(), s.kind)).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(kinds(&schema["properties"], &schema), ours(false));
        let mut by_path = kinds(&schema["properties"]["override"]["items"]["properties"], &schema);
        assert_eq!(by_path.remove("paths"), Some(Kind::List));
        assert_eq!(by_path, ours(true));
    }
}
