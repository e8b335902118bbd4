//! Adapters: the only place with vendor words. Each turns records of one format into canonical events.
//!
//! An adapter states facts (events, conventions, what it cannot read); it never decides how bad something is
//! beyond what the format's own loaders do with it.

pub mod canonical;
pub mod claude_code;
pub mod claude_stream;
pub mod codex_exec;
pub mod codex_rollout;
pub mod detect;
pub mod dsh;
pub mod layout;
mod notice;
pub mod openai_agents;
pub mod pi;
mod printed;
pub mod run_state;
#[cfg(test)]
mod testing;
pub mod unsupported;

use std::borrow::Cow;

use crate::finding::{Finding, Location};
use crate::model::session::{Fact, Run};
use crate::model::{Actor, Conventions, EventFlags, Kind, Value};
use crate::record::Json;
use crate::source::text::FramePlace;

/// One record as an adapter sees it.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The parsed object.
    pub json: Json<'a>,
    /// Physical line from 1; in a JSON document the number of the item.
    pub line: u64,
    /// Number among the non-blank lines or items, from 1.
    pub ordinal: u64,
    /// Offset of its line's first byte in the text, which for a plain file is the offset in the file.
    pub offset: u64,
    /// Offset behind its line, line end included.
    pub end: u64,
    /// It stands in a JSON document and has no line of its own.
    pub in_document: bool,
    /// No line end follows it, so that it may not be all that was to be written.
    pub is_cut: bool,
    /// It was found whole on a broken line, about which there is a finding already.
    pub is_recovered: bool,
    /// Where it is.
    pub location: Location,
}

impl Record<'_> {
    /// Length in bytes with its line end: part of made-up ids.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end - self.offset
    }

    /// It comes from a compressed source: its place is that of a frame.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.location.item.is_some() && !self.in_document
    }

    /// A record is never empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A canonical event on its way into a session or an export. Texts are borrowed from the record where they can be.
pub struct Draft<'a> {
    /// Never empty.
    pub id: Cow<'a, str>,
    /// Id of the event before it.
    pub parent: Option<Cow<'a, str>>,
    /// What happened.
    pub kind: Kind,
    /// Who did it.
    pub actor: Actor,
    /// Joins calls and results.
    pub correlation: Option<Cow<'a, str>>,
    /// Groups the parts of one message.
    pub message: Option<Cow<'a, str>>,
    /// Agent it belongs to.
    pub agent: Option<Cow<'a, str>>,
    /// Branch it belongs to.
    pub branch: Option<Cow<'a, str>>,
    /// Interaction it belongs to.
    pub interaction: Option<Cow<'a, str>>,
    /// Time stamp for exports.
    pub ts: Cow<'a, str>,
    /// Stated sequence number; counted from 0 when absent.
    pub seq: Option<u64>,
    /// Line for fingerprints, 0 for none.
    pub line: u64,
    /// Facts for rules.
    pub flags: EventFlags,
    /// `success` or `failure`, for results.
    pub execution_state: Option<&'static str>,
    /// `none`, `possible` or `unknown`, for calls and results.
    pub side_effects: Option<&'static str>,
    /// The vendor's own id; none when the id was made up.
    pub original_id: Option<Cow<'a, str>>,
    /// The payload for exports and comparisons; only called when someone wants it.
    pub payload: &'a dyn Fn() -> Value,
    /// The whole canonical object, for formats that have one already.
    pub object: Option<&'a dyn Fn() -> Value>,
}

impl<'a> Draft<'a> {
    /// An event of `record` of which nothing more is known.
    #[must_use]
    pub fn new(
        record: &Record<'_>,
        id: Cow<'a, str>,
        kind: Kind,
        actor: Actor,
        ts: Cow<'a, str>,
        payload: &'a dyn Fn() -> Value,
    ) -> Self {
        Self {
            id,
            parent: None,
            kind,
            actor,
            correlation: None,
            message: None,
            agent: None,
            branch: None,
            interaction: None,
            ts,
            seq: None,
            line: record.line,
            flags: EventFlags {
                not_sent: !matches!(actor, Actor::User | Actor::Assistant | Actor::Tool),
                ..EventFlags::default()
            },
            execution_state: None,
            side_effects: None,
            original_id: None,
            payload,
            object: None,
        }
    }
}

/// Takes what an adapter makes of records.
pub trait Sink {
    /// The records from here on begin in this frame of a compressed source.
    fn frame(&mut self, _place: FramePlace) {}
    /// Nothing that was said of the source can be trusted, because of this.
    fn unreadable(&mut self, finding: Finding) {
        self.finding(finding);
    }
    /// The canonical object of the next event is its record as it stands, but for one member that was derived.
    fn as_stored(&mut self, _derived: Option<(&'static str, &'static str)>) {}
    /// One event of `record`.
    fn event(&mut self, record: &Record<'_>, draft: Draft<'_>);
    /// Something the adapter cannot read or does not know.
    fn finding(&mut self, finding: Finding);
    /// A checkpoint state that belongs to the event just given.
    fn checkpoint(&mut self, seq: Option<i64>, hash: Option<String>);
    /// A checkpoint of an embedded run state.
    fn run_state(&mut self, id: String, seq: Option<i64>, hash: Option<String>);
    /// The compaction boundary just given keeps what stands before it from this event on.
    fn kept_from(&mut self, _first_kept: &str) {}
    /// Every event given so far from this number on, counted from 0, is taken back.
    fn withdrawn_from(&mut self, _first: u64) {}
    /// A resume goes on below the record with this id, if there is one.
    fn resumed_from(&mut self, _id: &str) {}
    /// Something that is no event but that a rule judges.
    fn fact(&mut self, _fact: Fact) {}
    /// A run of a printed stream is over; every event since the last one belongs to it.
    fn run(&mut self, _run: Run) {}
}

/// Reads the records of one file. Made anew for each file.
pub trait Adapter {
    /// Reads one record.
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink);
    /// A record's text says something by itself: a name twice, half a surrogate. Says how bad that is to the loaders.
    fn text(&self, _finding: &mut Finding) {}
    /// Whether whole records on a broken line are read.
    fn reads_broken_lines(&self) -> bool {
        true
    }
    /// Whether a broken last line is a torn end too when a line end follows it.
    fn tears_at_line_end(&self) -> bool {
        false
    }
    /// Whether the loaders refuse a file that begins with a byte order mark.
    fn refuses_byte_order_mark(&self) -> bool {
        false
    }
    /// Whether the loaders refuse a blank line before the record that comes next.
    fn refuses_blank_lines(&self) -> bool {
        false
    }
    /// A JSON document begins: the members before its items, none when it is an array. False: nothing in it is to be read.
    fn opens(&mut self, _head: Option<Json<'_>>) -> bool {
        true
    }
    /// A JSON document has ended: an object without its items (their list stands there empty), none when it is an array.
    fn document(&mut self, _head: Option<&Record<'_>>, _sink: &mut dyn Sink) {}
    /// A line is no record. Completes the finding about it; false when it is not to be reported.
    fn broken(&mut self, _fault: &Fault, _finding: &mut Finding) -> bool {
        true
    }
    /// Bytes of a line are no UTF-8; once they are replaced the line is a record. Says how bad that is to the loaders.
    fn replaced(&self, _finding: &mut Finding) {}
    /// The file has ended, and this is how it was stored.
    fn stored(&mut self, _storage: &Storage, _sink: &mut dyn Sink) {}
    /// The file has ended.
    fn finish(&mut self, _sink: &mut dyn Sink) {}
    /// How the session is to be judged; asked once, at the end.
    fn conventions(&self) -> Conventions;
    /// Format-specific facts for exports and reports.
    fn metadata(&self) -> Metadata {
        Metadata::default()
    }
}

/// How a file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Number of bytes of the file.
    pub size: u64,
    /// Whether the first frame holds the first line and nothing else; none for a plain file.
    pub line_in_first_frame: Option<bool>,
}

/// What an adapter knows about the whole file.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Source block of a canonical header; null when there is none.
    pub source: Option<Value>,
    /// Session id stated inside the file.
    pub session_id: Option<String>,
    /// Creation time stated inside the file.
    pub created_at: Option<String>,
    /// Title stated inside the file.
    pub title: Option<String>,
    /// Metadata object stated inside the file.
    pub metadata: Option<Value>,
    /// Run-state projection for reports.
    pub run_state: Option<serde_json::Value>,
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reference program's word for it; `not_object` where it has several.
    pub reason: &'static str,
    /// What is wrong with its JSON or UTF-8, in the words of the reference program's parser; strict framing only.
    pub detail: Option<String>,
    /// Number among the non-blank lines, from 1.
    pub ordinal: u64,
    /// It begins like a record; otherwise something else was printed.
    pub begins_record: bool,
}

impl Fault {
    /// A record that is read as far as a limit.
    #[must_use]
    pub fn new(reason: &'static str, ordinal: u64) -> Self {
        Self { reason, detail: None, ordinal, begins_record: true }
    }
}

/// How the bytes of a format are cut into records.
#[derive(Clone, Copy, Debug)]
pub enum Framing {
    /// One JSON object a line. Whole records on a broken line are read; only a last line without line end is torn.
    Lines,
    /// Lines like these, plain or in Zstandard frames. Says whether a file of this name must hold frames.
    LinesOrFrames(fn(&str) -> bool),
    /// Lines like these, or one JSON document: told by the first bytes.
    LinesOrDocument(&'static Document),
    /// One JSON object a line or one document; nothing on a broken line is read, and the last line is torn however it ends.
    StrictLinesOrDocument(&'static Document),
}

/// What a JSON document of a format looks like, beside an array of items.
#[derive(Debug)]
pub struct Document {
    /// Members of an object that list its items; none when only arrays have items.
    pub items: &'static [&'static str],
    /// Whether an object on the first line is a document by its own members, not the first record of a stream.
    pub is_document: fn(Json<'_>) -> bool,
    /// The reason stated for an item that is no object.
    pub not_object: &'static str,
}

impl Document {
    /// Whether a member of an object lists its items. `name`: as it is spelled, in quotes.
    pub(crate) fn is_list(&self, name: &[u8]) -> bool {
        let inner = name.strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\""));
        inner.is_some_and(|inner| self.items.iter().any(|list| list.as_bytes() == inner))
    }
}

/// One supported format.
pub struct Format {
    /// The id used on the command line and in fingerprints.
    pub id: &'static str,
    /// The name people use.
    pub name: &'static str,
    /// Version of the adapter; part of fingerprints.
    pub version: &'static str,
    /// Versions of the format that were seen in real files.
    pub versions: &'static [&'static str],
    /// Versions that records may state in the reference program's reading of the format; empty where it has none.
    pub declared: &'static [&'static str],
    /// One sentence.
    pub description: &'static str,
    /// Shown by `formats`; checking starts from `neutral` all the same.
    pub default_profile: &'static str,
    /// How records are framed.
    pub framing: Framing,
    /// How sure the format is about a sample, 0 to 1.
    pub score: fn(&detect::Sample) -> f64,
    /// A fresh adapter. The text is the path that made-up ids are derived from.
    pub open: fn(&str) -> Box<dyn Adapter>,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Every supported format, by id.
pub static FORMATS: &[&Format] = &[
    &canonical::FORMAT,
    &claude_code::FORMAT,
    &claude_stream::FORMAT,
    &codex_exec::FORMAT,
    &codex_rollout::FORMAT,
    &dsh::FORMAT,
    &openai_agents::FORMAT,
    &pi::FORMAT,
];

/// The format with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|f| f.id == id)
}

/// How a digest tells the entries of a format's logs from its header.
#[must_use]
pub fn digest_framing(format: &Format) -> crate::digest::Framing {
    use crate::digest::Framing as Entries;
    match (format.id, format.framing) {
        (_, Framing::LinesOrFrames(_)) => Entries::Packed,
        ("pi-jsonl", _) => Entries::Headed,
        (_, Framing::Lines) => Entries::Lines,
        _ => Entries::Unknown,
    }
}

/// Adds the names that the format's own tools have for findings.
pub fn add_own_names(format: &Format, findings: &mut [Finding]) {
    if format.id == dsh::FORMAT.id {
        findings.iter_mut().for_each(dsh::audit_name::add);
    }
}

/// Side effects a tool may have, by its name: reading ones have none, known mutating ones may have some.
#[must_use]
pub fn side_effects(tool: &str) -> &'static str {
    const READING: &[&str] = &[
        "cat",
        "check",
        "fetch",
        "find",
        "find_by_name",
        "get",
        "get_file",
        "glob",
        "globtool",
        "grep",
        "greptool",
        "head",
        "inspect",
        "list_dir",
        "ls",
        "query",
        "read",
        "read_file",
        "readnotebook",
        "scan",
        "scan_dir",
        "search",
        "search_web",
        "tail",
        "view",
        "view_file",
    ];
    const MUTATING: &[&str] = &[
        "apply_patch",
        "bash",
        "create",
        "delete",
        "edit",
        "exec",
        "execute",
        "git_commit",
        "git_push",
        "kill",
        "killprocess",
        "mkdir",
        "notebookeditcell",
        "patch",
        "remove",
        "replace_file_content",
        "rm",
        "run",
        "run_command",
        "sh",
        "write",
        "write_file",
        "write_to_file",
    ];
    let name = tool.to_lowercase();
    if READING.binary_search(&name.as_str()).is_ok() {
        "none"
    } else if MUTATING.binary_search(&name.as_str()).is_ok() {
        "possible"
    } else {
        "unknown"
    }
}

/// An id made up for event number `ordinal` of a file: `sesslint:synthetic:FORMAT:ORDINAL:HASH`.
#[must_use]
pub fn synthetic_id(format: &str, path: &str, ordinal: u64, len: u64) -> String {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(format!("{path}:{ordinal}:{len}"));
    format!("sesslint:synthetic:{format}:{ordinal}:{}", crate::finding::fingerprint::hex(&hash[..4]))
}

/// The first member that is not null, false, zero or empty; else the last one that exists.
#[must_use]
pub fn first_truthy<'a>(object: Json<'a>, names: &[&str]) -> Option<Json<'a>> {
    let mut last = None;
    for name in names {
        if let Some(value) = object.get(name) {
            if value.is_truthy() {
                return Some(value);
            }
            last = Some(value);
        }
    }
    last
}

/// [`first_truthy`] over members that were read already.
#[must_use]
pub fn first_truthy_of<'a>(values: &[Option<Json<'a>>]) -> Option<Json<'a>> {
    let truthy = values.iter().flatten().find(|v| v.is_truthy());
    truthy.or(values.iter().flatten().last()).copied()
}

/// A value as the reference program turns it into text: strings as they are, others in its own spelling.
#[must_use]
pub fn text_of(value: Json<'_>) -> Cow<'_, str> {
    match value.as_str() {
        Some(text) => text,
        None => Cow::Owned(spelled(&value.to_value(), false)),
    }
}

/// The reference program's spelling of a value: `True`, `None`, `1.5`, `[1, 'a']`, `{'k': 2}`.
#[must_use]
pub fn spelled(value: &Value, quoted: bool) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(digits) => digits.clone(),
        Value::Float(f) => crate::model::canonical_json::float(*f),
        Value::String(text) if quoted => quote(text),
        Value::String(text) => text.clone(),
        Value::Array(elements) => {
            let inner: Vec<String> = elements.iter().map(|e| spelled(e, true)).collect();
            format!("[{}]", inner.join(", "))
        }
        Value::Object(members) => {
            let inner: Vec<String> =
                members.iter().map(|(k, v)| format!("{}: {}", quote(k), spelled(v, true))).collect();
            format!("{{{}}}", inner.join(", "))
        }
    }
}

/// A string in quotes as the reference program writes it inside lists and objects.
fn quote(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(mark);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == mark => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() && (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push(mark);
    out
}

/// Trims the blanks the reference program trims (Unicode white space and U+001C to U+001F).
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// [`trim`] on a text that may be borrowed.
#[must_use]
pub fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    }
}

/// A time stamp as the reference program keeps it: `YYYY-MM-DDThh:mm:ss`, optional fraction, optional zone; else the epoch.
#[must_use]
pub fn timestamp<'a>(value: Option<Json<'a>>) -> Cow<'a, str> {
    if let Some(text) = value.and_then(Json::as_str).map(trimmed)
        && is_timestamp(&text)
    {
        return text;
    }
    Cow::Borrowed("1970-01-01T00:00:00Z")
}

fn is_timestamp(text: &str) -> bool {
    let b = text.as_bytes();
    let shape = b"dddd-dd-ddTdd:dd:dd";
    if b.len() < shape.len() || !shape.iter().zip(b).all(|(s, b)| if *s == b'd' { b.is_ascii_digit() } else { s == b })
    {
        return false;
    }
    let mut rest = &b[shape.len()..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &fraction[digits..];
    }
    match rest {
        b"" | b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_ids_follow_the_check_values() {
        assert_eq!(synthetic_id("claude_code", "session.jsonl", 0, 81), "sesslint:synthetic:claude_code:0:4af6d926");
        assert_eq!(synthetic_id("claude_code", "session.jsonl", 6, 170), "sesslint:synthetic:claude_code:6:9ba62370");
        assert_eq!(synthetic_id("openai_agents", "export.json", 0, 0), "sesslint:synthetic:openai_agents:0:a60cc213");
    }

    #[test]
    fn side_effects_go_by_name() {
        for (tool, effects) in [("Bash", "possible"), ("Read", "none"), ("WebFetch", "unknown"), ("ls", "none")] {
            assert_eq!(side_effects(tool), effects);
        }
    }

    #[test]
    fn values_are_spelled_like_the_reference() {
        let value = Value::Object(vec![(
            "a".into(),
            Value::Array(vec![Value::Null, Value::Bool(true), Value::Float(1.0), Value::from("it's\n")]),
        )]);
        assert_eq!(spelled(&value, false), "{'a': [None, True, 1.0, \"it's\\n\"]}");
    }

    #[test]
    fn time_stamps_need_the_shape_but_no_calendar() {
        for (text, good) in [
            ("2025-01-01T00:00:00Z", true),
            ("2025-99-01T00:00:00", true),
            ("2025-01-01T00:00:00.123+01:00", true),
            ("2025-01-01 00:00:00Z", false),
            ("2025-01-01T00:00:00.Z", false),
            ("2025-01-01T00:00:00+0100", false),
        ] {
            assert_eq!(is_timestamp(text), good, "{text}");
        }
    }
}
