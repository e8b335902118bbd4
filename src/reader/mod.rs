//! One pass over a source: bytes to records, records through an adapter, events and findings into a sink.

pub mod builder;
mod bytes;
mod document;
pub(crate) mod framing;
mod lines;
pub(crate) mod object;
mod start;
mod values;

use std::io::{self, Read};

use crate::adapter::{Adapter, Format, Framing, Metadata, Record, Sink};
use crate::model::Conventions;
use crate::source::{MAX_LINE_BYTES, SQLITE_MAGIC};

pub use builder::Builder;
use start::Start;

/// Levels of the tape: record, `message`, `content`, block, the block's members, and one below.
pub(crate) const TAPE_DEPTH: u32 = 6;

/// Facts about a source once it was read to its end.
#[derive(Debug)]
pub struct Source {
    /// SHA-256 of all bytes.
    pub sha256: [u8; 32],
    /// Number of bytes.
    pub size: u64,
    /// Non-blank lines, or items of a document.
    pub records: u64,
    /// How the session is to be judged.
    pub conventions: Conventions,
    /// What the adapter knows about the whole file.
    pub metadata: Metadata,
}

/// Reads a source of a known format to its end. `path` is the cleaned path: made-up ids are derived from it.
///
/// # Errors
/// Whatever reading raises. Broken content is a finding, never an error.
pub fn read(input: impl Read, format: &'static Format, path: &str, sink: &mut dyn Sink) -> io::Result<Source> {
    let mut adapter = (format.open)(path);
    let (sha256, size, records) = read_with(input, format.framing, &mut *adapter, sink)?;
    Ok(Source { sha256, size, records, conventions: adapter.conventions(), metadata: adapter.metadata() })
}

/// Gives every record of a source to an adapter. Gives hash, size and number of records.
pub(crate) fn read_with(
    mut input: impl Read,
    framing: Framing,
    adapter: &mut dyn Adapter,
    sink: &mut dyn Sink,
) -> io::Result<([u8; 32], u64, u64)> {
    let (document, strict) = match framing {
        Framing::Lines => (None, false),
        Framing::LinesOrDocument(document) => (Some(document), false),
        Framing::StrictLinesOrDocument(document) => (Some(document), true),
    };
    let mut magic = Vec::new();
    input.by_ref().take(SQLITE_MAGIC.len() as u64).read_to_end(&mut magic)?;
    let is_database = magic == SQLITE_MAGIC;
    let mut input = io::Cursor::new(magic).chain(input);
    if is_database {
        // Whatever format was named: a live store is no log, and nothing in it may be repaired.
        sink.finding(framing::live_database());
        let (sha256, size) = bytes::Bytes::new(input).finish()?;
        return Ok((sha256, size, 0));
    }
    let mut head = Vec::new();
    let start = match document {
        Some(document) => start::find(&mut input, &mut head, document)?,
        None => Start::Lines,
    };
    let input = io::Cursor::new(head).chain(input);
    let read = match (start, document) {
        (Start::Document, Some(document)) => document::read(input, document, adapter, sink)?,
        _ => lines::read(input, strict, MAX_LINE_BYTES, adapter, sink)?,
    };
    adapter.finish(sink);
    Ok(read)
}

/// Gives one whole record to the adapter, after what its text alone says.
fn take(record: &Record<'_>, scan: &crate::record::Scan, adapter: &mut dyn Adapter, sink: &mut dyn Sink) {
    framing::text_findings(record, scan, adapter, sink);
    adapter.read(record, sink);
}
