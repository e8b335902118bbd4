//! A mended session as a canonical stream: the header, then one event a line, in the reference program's spelling.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

use super::bench::{Bench, Ground};
use super::mend::Mended;
use super::script::Script;
use super::source::Source;
use crate::adapter::canonical::{FORMAT, SCHEMA};
use crate::adapter::{Framing, layout};
use crate::model::{Value, canonical_json};
use crate::record::{Json, Scanner};
use crate::rule::profile::NEUTRAL;
use crate::source::path::stem;
use crate::source::{BOM, LineReader, MAX_LINE_BYTES};

/// Stands for a creation time that no header states; the reference program writes the same.
const CREATED: &str = "2026-09-05T12:00:00Z";
/// Members that tell where an event came from.
const PROVENANCE: [&str; 4] = ["seq", "source_line", "source_location", "source_record_hash"];

/// The stream of a mended source.
pub(crate) fn emit(ground: Ground<'_>, mended: &Mended) -> io::Result<Vec<u8>> {
    let bench = Bench::new(ground, &mended.script)?;
    let mut out = Vec::new();
    line(&header(&bench)?, &mut out)?;
    if ground.is_canonical() {
        for at in 0..bench.session.events.len() as u32 {
            line(&own_event(&bench, at), &mut out)?;
        }
        return Ok(out);
    }
    let whole = Script::whole(ground.source.len());
    let source = Bench::new(ground, &whole)?;
    let places = places(&source);
    for at in 0..bench.session.events.len() as u32 {
        line(&foreign_event(&bench, at, &source, &places), &mut out)?;
    }
    Ok(out)
}

/// A canonical file in the spelling of receipts; none when it is no canonical session.
pub(crate) fn respelled(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let source = Source::open(path)?;
    let Some(layout) = layout::of(FORMAT.id) else { return Ok(None) };
    let ground =
        Ground { source: &source, format: &FORMAT, layout, profile: &NEUTRAL, name: source.name(), tail: None };
    let script = Script::whole(super::script::Bytes::len(&source));
    let bench = Bench::new(ground, &script)?;
    if bench.session.events.is_empty() {
        return Ok(None);
    }
    let mut out = Vec::new();
    line(&header(&bench)?, &mut out)?;
    for at in 0..bench.session.events.len() as u32 {
        line(&own_event(&bench, at), &mut out)?;
    }
    Ok(Some(out))
}

/// Whether every event reads back as it is written: nothing had to be added to make sense of it.
pub(crate) fn reads_back(bench: &Bench<'_>) -> bool {
    let text = |value: Value| canonical_json::to_string(&value);
    (0..bench.session.events.len() as u32)
        .all(|at| bench.canonical_object(at).is_some_and(|object| text(object) == text(own_event(bench, at))))
}

fn line(value: &Value, out: &mut Vec<u8>) -> io::Result<()> {
    let mut text = String::new();
    canonical_json::write(value, &mut text);
    text.push('\n');
    out.write_all(text.as_bytes())
}

/// The header as it stands, or the one a document or another format gives.
fn header(bench: &Bench<'_>) -> io::Result<Value> {
    let text = |name: &str, value: &str| (name.to_owned(), Value::from(value));
    let in_document = bench.session.records.first().is_some_and(|row| row.item > 0);
    if bench.ground.is_canonical()
        && !in_document
        && let Some(Value::Object(mut members)) = first_record(bench)?
    {
        let empty = |name: &str, value: &Value| name == "metadata" && *value == Value::Object(Vec::new());
        members.retain(|(name, value)| *value != Value::Null && !empty(name, value));
        return Ok(Value::Object(members));
    }
    let metadata = &bench.metadata;
    let stated = |value: &Option<String>| value.clone().filter(|_| bench.ground.is_canonical());
    let session = stated(&metadata.session_id).unwrap_or_else(|| stem(bench.ground.name));
    let created = stated(&metadata.created_at).unwrap_or_else(|| CREATED.to_owned());
    Ok(Value::Object(vec![text("created_at", &created), text("schema_version", SCHEMA), text("session_id", &session)]))
}

/// The first line that is not blank.
fn first_record(bench: &Bench<'_>) -> io::Result<Option<Value>> {
    let mut lines = LineReader::new(bench.view(), MAX_LINE_BYTES);
    while let Some(line) = lines.next_line()? {
        let bytes = if line.number == 1 { line.bytes.strip_prefix(BOM).unwrap_or(line.bytes) } else { line.bytes };
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let mut scanner = Scanner::default();
        let whole = !line.truncated && scanner.scan(bytes, 1).is_ok();
        return Ok(whole.then(|| Json::new(bytes, scanner.tape()).to_value()));
    }
    Ok(None)
}

/// An event of a canonical session. Side effects that only follow from a tool's name are not written down.
fn own_event(bench: &Bench<'_>, at: u32) -> Value {
    let mut object = bench.canonical_object(at).unwrap_or(Value::Null);
    let raw = bench.object(at).unwrap_or(Value::Null);
    let stated = raw.get("side_effects").filter(|v| **v != Value::Null);
    let inside = raw.get("payload").and_then(|p| p.get("side_effects")).and_then(Value::as_str);
    let inside = inside.filter(|word| matches!(*word, "none" | "possible" | "unknown"));
    if let Value::Object(members) = &mut object {
        members.retain(|m| m.0 != "side_effects");
        members.extend(stated.cloned().or_else(|| inside.map(Value::from)).map(|v| ("side_effects".to_owned(), v)));
    }
    object
}

/// Events of the source by the offset of their record.
type Places = BTreeMap<u64, Vec<u32>>;

fn places(source: &Bench<'_>) -> Places {
    let mut places = BTreeMap::new();
    for (at, event) in (0u32..).zip(&source.session.events) {
        let row = source.row(event.record);
        places.entry(row.offset).or_insert_with(Vec::new).push(at);
    }
    places
}

/// An event of another format, with the coordinates it has in the source.
fn foreign_event(bench: &Bench<'_>, at: u32, source: &Bench<'_>, places: &Places) -> Value {
    let event = bench.event(at);
    let mut object = bench.canonical_object(at).unwrap_or(Value::Null);
    let offset = bench.script.source_offset(bench.row(event.record).offset);
    let same = |other: &&u32| {
        let other = source.event(**other);
        source.text(other.id) == bench.text(event.id) && source.text(other.correlation) == bench.text(event.correlation)
    };
    let group = places.get(&offset);
    let origin = group.and_then(|group| group.iter().find(same).or_else(|| group.first()));
    let format = bench.ground.format;
    let provenance = origin.and_then(|&at| source.canonical_object(at));
    if let Value::Object(members) = &mut object {
        let mut set = |name: &str, value: Value| {
            members.retain(|m| m.0 != name);
            members.push((name.to_owned(), value));
        };
        for name in PROVENANCE {
            if let Some(value) = provenance.as_ref().and_then(|p| p.get(name)) {
                set(name, value.clone());
            }
        }
        set("source_adapter", Value::from(format.id));
        if matches!(format.framing, Framing::Lines)
            && let Some(line) = provenance.as_ref().and_then(|p| p.get("source_line")?.as_i64())
        {
            set("source_location", Value::String(format!("{}:{line}", bench.ground.name)));
        }
    }
    object
}
