//! Whether a file is a canonical session to the letter: every field there, every type right, nothing else beside them.
//!
//! `check` reads on over what is wrong and says what it means for a replay; this stops at the first thing and says where.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapter::canonical::{SCHEMA, is_utc_timestamp};
use crate::adapter::{Adapter, Document, Draft, Framing, Record, Sink, trim};
use crate::check::framing::{SL001, SL002};
use crate::finding::Finding;
use crate::model::content_free::mask;
use crate::model::{Actor, Conventions, Kind};
use crate::reader;
use crate::record::{Json, NodeKind};

/// A valid session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valid {
    /// The id its header states.
    pub id: String,
    /// Number of events.
    pub events: u64,
}

/// What is wrong with a session: the first thing found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Invalid {
    /// `SCHEMA`, `VERSION` or `UNKNOWN_FIELD`.
    pub code: &'static str,
    /// One sentence with the place; holds no text of the session but names of fields and ids.
    pub text: String,
}

/// Why there is no verdict, or a bad one.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// There is no such file.
    #[error("{}: no such file; expected a canonical session", .0.display())]
    NotFound(PathBuf),
    /// Reading failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was read and is not valid.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// Validates the file at `path`: a stream of a header and events, or a document with `events`.
///
/// ```
/// let valid = sesslint::validate::session("fixtures/examples/canonical-healthy.jsonl".as_ref())?;
/// assert_eq!((valid.id.as_str(), valid.events), ("example", 4));
/// # Ok::<(), sesslint::validate::ValidateError>(())
/// ```
///
/// # Errors
/// [`Invalid`] with the first thing that is wrong, or whatever reading raises.
pub fn session(path: &Path) -> Result<Valid, ValidateError> {
    if !path.is_file() {
        return Err(ValidateError::NotFound(path.to_owned()));
    }
    let wrap = |source| ValidateError::Io { path: path.to_owned(), source };
    Ok(read(File::open(path).map_err(wrap)?).map_err(wrap)??)
}

fn read(input: impl io::Read) -> io::Result<Result<Valid, Invalid>> {
    let mut strict = Strict::default();
    let mut faults = Faults { first: None, header_only: false };
    reader::read_with(input, Framing::StrictLinesOrDocument(&DOCUMENT), &mut strict, &mut faults)?;
    let first = [strict.invalid, faults.first].into_iter().flatten().min_by_key(|wrong| wrong.0);
    Ok(match (first, strict.id) {
        (Some((_, invalid)), _) => Err(invalid),
        (None, Some(id)) => Ok(Valid { id, events: strict.events }),
        (None, None) => Err(empty()),
    })
}

/// What is wrong with the header of a canonical stream, be it whole or not; that of a document is nobody's first record.
///
/// # Errors
/// Whatever reading raises.
pub(crate) fn header(input: impl io::Read) -> io::Result<Option<Invalid>> {
    let mut strict = Strict { header_only: true, ..Strict::default() };
    let mut faults = Faults { first: None, header_only: true };
    reader::read_with(input, Framing::StrictLinesOrDocument(&DOCUMENT), &mut strict, &mut faults)?;
    let is_empty = !strict.seen && faults.first.is_none();
    let first = [strict.invalid, faults.first].into_iter().flatten().min_by_key(|wrong| wrong.0);
    Ok(first.map(|wrong| wrong.1).or_else(|| is_empty.then(empty)))
}

const DOCUMENT: Document =
    Document { items: &["events"], is_document: |head| head.get("events").is_some(), not_object: "event_not_dict" };

fn empty() -> Invalid {
    schema("the file is empty; expected a session header")
}

/// Something wrong and its offset in the file.
type Wrong = (u64, Invalid);

/// Keeps the first thing that could not be read at all.
struct Faults {
    first: Option<Wrong>,
    /// Nothing behind the first line, and no single event of a document.
    header_only: bool,
}

impl Sink for Faults {
    fn event(&mut self, _record: &Record<'_>, _draft: Draft<'_>) {}
    fn finding(&mut self, finding: Finding) {
        let ordinal = finding.evidence.get("record_ordinal").and_then(serde_json::Value::as_u64);
        let at_header = ordinal.unwrap_or(1) == 1 && finding.location.item.is_none();
        if self.first.is_some()
            || !(finding.code() == SL001.code || finding.code() == SL002.code)
            || self.header_only && !at_header
        {
            return;
        }
        let place = place(finding.location.line.unwrap_or(1), finding.location.item);
        let reason = finding.evidence.get("reason").and_then(serde_json::Value::as_str).unwrap_or_default();
        let what = match (reason, finding.variant) {
            ("refused_live_db", _) => "the file is a database, not a session",
            ("forbidden_nul_byte", _) | (_, "nul-bytes") => "a NUL byte stands there",
            ("invalid_utf8", _) | (_, "invalid-utf8") => "the text is not UTF-8",
            ("depth_exceeded", _) | (_, "too-deep") => "more than 100 levels of nesting",
            ("event_not_dict" | "invalid_document_type", _) | (_, "non-object-line" | "non-object-item") => {
                "expected a JSON object"
            }
            ("size_limit_exceeded", _) | (_, "too-long") => "the record is too long to be read",
            _ => "not JSON",
        };
        let invalid = Invalid { code: "SCHEMA", text: format!("{place}: {what}") };
        self.first = Some((finding.location.byte_start.unwrap_or(0), invalid));
    }
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}

fn place(line: u64, item: Option<u64>) -> String {
    item.map_or_else(|| format!("line {line}"), |item| format!("event {item}, line {line}"))
}

/// Judges records one by one; nothing behind the first thing that is wrong.
#[derive(Default)]
struct Strict {
    /// Events and the heads of documents are let pass.
    header_only: bool,
    /// Anything at all stood in the file.
    seen: bool,
    invalid: Option<Wrong>,
    id: Option<String>,
    events: u64,
    ids: HashSet<String>,
}

impl Adapter for Strict {
    fn read(&mut self, record: &Record<'_>, _sink: &mut dyn Sink) {
        self.seen = true;
        if self.invalid.is_some() {
            return;
        }
        let judged = if record.ordinal == 1 && !record.in_document {
            self.header(record.json, false)
        } else if self.header_only {
            return;
        } else {
            self.event(record.json)
        };
        self.keep(judged, record);
    }

    fn document(&mut self, head: Option<&Record<'_>>, _sink: &mut dyn Sink) {
        self.seen = true;
        let judged = match head {
            Some(_) if self.header_only => return,
            None => Err(schema("expected an object with a header and `events`, found a list")),
            Some(head) => self.document_head(head.json),
        };
        match head {
            Some(head) => self.keep(judged, head),
            None => self.invalid = judged.err().map(|invalid| (0, invalid)),
        }
    }

    fn opens(&mut self, head: Option<Json<'_>>) -> bool {
        head.is_some()
    }

    fn conventions(&self) -> Conventions {
        Conventions::CANONICAL
    }
}

fn schema(text: impl Into<String>) -> Invalid {
    Invalid { code: "SCHEMA", text: text.into() }
}

fn unknown(what: &str, name: &str) -> Invalid {
    Invalid {
        code: "UNKNOWN_FIELD",
        text: format!(
            "{what} has a field that the schema does not know: `{}`; extensions begin with `experimental_`",
            mask(name)
        ),
    }
}

type Judged = Result<(), Invalid>;

impl Strict {
    /// Keeps what is wrong, with its place, unless something before it is wrong already.
    fn keep(&mut self, judged: Judged, record: &Record<'_>) {
        let offset = record.location.byte_start.unwrap_or(0);
        if let Err(mut invalid) = judged
            && self.invalid.as_ref().is_none_or(|wrong| offset < wrong.0)
        {
            invalid.text = format!(
                "{}: {}",
                place(record.location.line.unwrap_or(record.line), record.location.item),
                invalid.text
            );
            self.invalid = Some((offset, invalid));
        }
    }

    fn document_head(&mut self, document: Json<'_>) -> Judged {
        let Some(header) = document.get("header") else { return self.header(document, true) };
        if let Some((name, _)) = document
            .members()
            .find(|(name, _)| !matches!(&**name, "header" | "events") && !name.starts_with("experimental_"))
        {
            return Err(unknown("the document", &name));
        }
        if !header.is_object() {
            return Err(wrong("header", "an object", header));
        }
        events_list(document)?;
        self.header(header, false)
    }

    fn header(&mut self, header: Json<'_>, with_events: bool) -> Judged {
        const KNOWN: &[&str] =
            &["created_at", "metadata", "schema_version", "session_id", "source", "title", "version"];
        let Some(version) = header.get("schema_version") else { return Err(missing("the header", "schema_version")) };
        match version.as_str() {
            None => return Err(wrong("schema_version", "a string", version)),
            Some(text) if text != SCHEMA => {
                return Err(Invalid {
                    code: "VERSION",
                    text: format!("`schema_version` names another schema; expected `{SCHEMA}`"),
                });
            }
            Some(_) => {}
        }
        if let Some((name, _)) = header.members().find(|(name, _)| {
            !(KNOWN.contains(&&**name) || name.starts_with("experimental_") || with_events && name == "events")
        }) {
            return Err(unknown("the header", &name));
        }
        let id = text_field(header, "the header", "session_id")?;
        timestamp_field(header, "the header", "created_at")?;
        optional(header, "title", "a string", |v| v.kind() == NodeKind::String)?;
        optional(header, "source", "an object or a string", |v| v.is_object() || v.kind() == NodeKind::String)?;
        optional(header, "version", "an integer", |v| v.kind() == NodeKind::Integer)?;
        if let Some(metadata) = header.get("metadata").filter(|m| !m.is_object()) {
            return Err(wrong("metadata", "an object", metadata));
        }
        if with_events {
            events_list(header)?;
        }
        self.id = Some(id.into_owned());
        Ok(())
    }

    fn event(&mut self, event: Json<'_>) -> Judged {
        const REQUIRED: &[&str] = &["id", "parent_id", "seq", "ts", "actor", "kind", "payload"];
        const TEXTS: &[&str] = &[
            "agent_id",
            "branch_id",
            "content_hash",
            "correlation_id",
            "interaction_id",
            "original_id",
            "source_adapter",
            "source_location",
            "source_record_hash",
        ];
        const WORDS: &[(&str, &[&str])] = &[
            ("execution_state", &["aborted", "failure", "pending", "success", "unknown"]),
            ("side_effects", &["none", "possible", "unknown"]),
        ];
        if let Some(name) = REQUIRED.iter().find(|name| event.get(name).is_none()) {
            return Err(missing("the event", name));
        }
        if let Some((name, _)) = event.members().find(|(name, _)| {
            let name = &**name;
            !REQUIRED.contains(&name)
                && !TEXTS.contains(&name)
                && !WORDS.iter().any(|w| w.0 == name)
                && name != "source_line"
                && !name.starts_with("experimental_")
        }) {
            return Err(unknown("the event", &name));
        }
        let id = text_field(event, "the event", "id")?;
        let parent = required(event, "the event", "parent_id")?;
        if !parent.is_null() && parent.as_str().is_none_or(|p| trim(&p).is_empty()) {
            return Err(wrong("parent_id", "null or a string that is not blank", parent));
        }
        let seq = required(event, "the event", "seq")?;
        if seq.kind() != NodeKind::Integer || seq.raw().starts_with(b"-") && seq.raw() != b"-0" {
            return Err(wrong("seq", "an integer from 0", seq));
        }
        timestamp_field(event, "the event", "ts")?;
        word_field(event, "actor", |word| Actor::parse(word).is_some())?;
        word_field(event, "kind", |word| Kind::parse(word).is_some())?;
        let payload = required(event, "the event", "payload")?;
        if !payload.is_object() {
            return Err(wrong("payload", "an object", payload));
        }
        for name in TEXTS {
            optional(event, name, "a string", |v| v.kind() == NodeKind::String)?;
        }
        for (name, words) in WORDS {
            let expected = format!("one of {}", words.join(", "));
            optional(event, name, &expected, |v| v.as_str().is_some_and(|w| words.contains(&&*w)))?;
        }
        optional(event, "source_line", "an integer from 1", |v| {
            v.kind() == NodeKind::Integer && v.is_truthy() && !v.raw().starts_with(b"-")
        })?;
        if parent.as_str().is_some_and(|parent| parent == id) {
            return Err(schema(format!("event `{}` is its own parent", mask(&id))));
        }
        if !self.ids.insert(id.clone().into_owned()) {
            return Err(schema(format!("two events have the id `{}`", mask(&id))));
        }
        self.events += 1;
        Ok(())
    }
}

fn events_list(document: Json<'_>) -> Judged {
    match document.get("events") {
        Some(events) if events.is_array() => Ok(()),
        Some(events) => Err(wrong("events", "a list", events)),
        None => Err(missing("the document", "events")),
    }
}

fn missing(what: &str, name: &str) -> Invalid {
    schema(format!("{what} lacks `{name}`"))
}

fn wrong(name: &str, expected: &str, found: Json<'_>) -> Invalid {
    let found = match found.kind() {
        NodeKind::Null => "null",
        NodeKind::True | NodeKind::False => "a boolean",
        NodeKind::Integer | NodeKind::Float => "another number",
        NodeKind::String | NodeKind::Key => "another string",
        NodeKind::Array => "a list",
        NodeKind::Object => "an object",
    };
    schema(format!("`{name}` must be {expected}, found {found}"))
}

fn required<'a>(object: Json<'a>, what: &str, name: &str) -> Result<Json<'a>, Invalid> {
    object.get(name).ok_or_else(|| missing(what, name))
}

/// A text that is there and not blank.
fn text_field<'a>(object: Json<'a>, what: &str, name: &str) -> Result<Cow<'a, str>, Invalid> {
    let value = required(object, what, name)?;
    let text = value.as_str().filter(|t| !trim(t).is_empty());
    text.ok_or_else(|| wrong(name, "a string that is not blank", value))
}

fn timestamp_field(object: Json<'_>, what: &str, name: &str) -> Judged {
    let value = required(object, what, name)?;
    if value.as_str().is_some_and(|text| is_utc_timestamp(&text)) {
        return Ok(());
    }
    Err(wrong(name, "an RFC 3339 time in UTC", value))
}

fn word_field(event: Json<'_>, name: &str, known: impl Fn(&str) -> bool) -> Judged {
    let value = required(event, "the event", name)?;
    if value.as_str().is_some_and(|word| known(&word)) {
        return Ok(());
    }
    Err(wrong(name, "one of the words of the schema", value))
}

/// A field that may be absent or null.
fn optional(object: Json<'_>, name: &str, expected: &str, fits: impl Fn(Json<'_>) -> bool) -> Judged {
    match object.get_some(name) {
        Some(value) if !fits(value) => Err(wrong(name, expected, value)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        r#"{"schema_version":"sesslint.session/v1","session_id":"s","created_at":"2025-01-01T00:00:00Z"}"#;
    const EVENT: &str = r#"{"id":"a","parent_id":null,"seq":0,"ts":"2025-01-01T00:00:00Z","actor":"user","kind":"message","payload":{}}"#;

    fn verdict(text: &str) -> Result<u64, (&'static str, String)> {
        read(text.as_bytes()).expect("readable").map(|v| v.events).map_err(|i| (i.code, i.text))
    }

    #[test]
    fn all_three_framings_are_valid() {
        let inner = &HEADER[..HEADER.len() - 1];
        for text in [
            format!("{HEADER}\n{EVENT}\n"),
            format!("\u{feff}{HEADER}\r\n\r\n{EVENT}"),
            format!("{inner},\"events\":[{EVENT}]}}"),
            format!("{{\"events\":[\n{EVENT}\n],{}", &HEADER[1..]),
            format!("{{\"header\":{HEADER},\"experimental_x\":1,\"events\":[{EVENT}]}}"),
        ] {
            assert_eq!(verdict(&text), Ok(1), "{text}");
        }
        assert_eq!(verdict(HEADER), Ok(0));
    }

    #[test]
    fn the_first_thing_wrong_is_named_with_its_place() {
        let event = |from: &str, to: &str| format!("{HEADER}\n{}\n", EVENT.replace(from, to));
        let header = |from: &str, to: &str| format!("{}\n{EVENT}\n", HEADER.replace(from, to));
        for (text, code, found) in [
            (String::new(), "SCHEMA", "the file is empty"),
            ("[]".into(), "SCHEMA", "found a list"),
            ("3".into(), "SCHEMA", "line 1: expected a JSON object"),
            (EVENT.into(), "SCHEMA", "line 1: the header lacks `schema_version`"),
            (header("session/v1", "session/v2"), "VERSION", "another schema"),
            (header("\"sesslint.session/v1\"", "1"), "SCHEMA", "`schema_version` must be a string"),
            (header("\"s\"", "\" \""), "SCHEMA", "`session_id` must be a string that is not blank"),
            (header("\"s\"", "\"s\",\"metadata\":null"), "SCHEMA", "`metadata` must be an object, found null"),
            (header("\"s\"", "\"s\",\"version\":true"), "SCHEMA", "`version` must be an integer"),
            (header("\"s\"", "\"s\",\"colour\":1"), "UNKNOWN_FIELD", "the header has a field"),
            (header("2025-01", "2025-13"), "SCHEMA", "`created_at` must be an RFC 3339 time"),
            (event("\"id\":\"a\",", ""), "SCHEMA", "line 2: the event lacks `id`"),
            (event("null", "\"\""), "SCHEMA", "`parent_id` must be null or"),
            (event("null", "\"a\""), "SCHEMA", "event `a` is its own parent"),
            (event("\"seq\":0", "\"seq\":-1"), "SCHEMA", "`seq` must be an integer from 0"),
            (event("\"seq\":0", "\"seq\":true"), "SCHEMA", "found a boolean"),
            (event("\"user\"", "[]"), "SCHEMA", "`actor` must be one of"),
            (event("\"message\"", "\"words\""), "SCHEMA", "`kind` must be one of"),
            (event("{}", "[]"), "SCHEMA", "`payload` must be an object, found a list"),
            (event("{}", "{},\"source_line\":0"), "SCHEMA", "`source_line` must be an integer from 1"),
            (event("{}", "{},\"agent_id\":3"), "SCHEMA", "`agent_id` must be a string"),
            (event("{}", "{},\"execution_state\":\"done\""), "SCHEMA", "one of aborted, failure"),
            (event("{}", "{},\"extra\":1"), "UNKNOWN_FIELD", "`extra`"),
            (format!("{HEADER}\n{EVENT}\n{EVENT}\n"), "SCHEMA", "line 3: two events have the id `a`"),
            (format!("{HEADER}\n{EVENT}\n{{\"id\""), "SCHEMA", "line 3: not JSON"),
            (format!("{{\n{EVENT}\n"), "SCHEMA", "line 1: not JSON"),
            (format!("{HEADER}\n7\n"), "SCHEMA", "line 2: expected a JSON object"),
            (
                format!("{{\"header\":{HEADER},\"events\":[{EVENT},7]}}"),
                "SCHEMA",
                "event 2, line 1: expected a JSON object",
            ),
            (
                format!("{{\"header\":{HEADER},\"events\":[{EVENT}],\"zz\":1}}"),
                "UNKNOWN_FIELD",
                "the document has a field",
            ),
            (format!("{{\"header\":{HEADER},\"events\":{{}}}}"), "SCHEMA", "`events` must be a list"),
        ] {
            let (found_code, found_text) = verdict(&text).expect_err(&text);
            assert_eq!(found_code, code, "{text}: {found_text}");
            assert!(found_text.contains(found), "{text}: {found_text}");
        }
    }

    #[test]
    fn optional_fields_may_be_null_and_extensions_are_allowed() {
        let event = EVENT
            .replace("{}", "{},\"agent_id\":null,\"side_effects\":\"none\",\"source_line\":1,\"experimental_x\":[]");
        assert_eq!(verdict(&format!("{HEADER}\n{event}\n")), Ok(1));
    }
}
