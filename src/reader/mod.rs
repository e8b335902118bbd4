//! One pass over a source: bytes to records, records through an adapter, events and findings into a sink.

pub mod builder;
mod bytes;
mod document;
mod frame_recall;
mod frames;
pub(crate) mod framing;
mod lines;
pub(crate) mod list;
pub(crate) mod object;
mod spread;
mod start;
mod surplus;
mod values;

use std::io::{self, Read, Seek};

use crate::adapter::{Adapter, Format, Framing, Metadata, Record, Sink, Storage};
use crate::model::Conventions;
use crate::source::hashed::Hashed;
use crate::source::{self, SQLITE_MAGIC};

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
pub fn read(
    mut input: impl Read + Seek + Send,
    format: &'static Format,
    path: &str,
    sink: &mut dyn Sink,
) -> io::Result<Source> {
    let mut adapter = (format.open)(path);
    let has_frames = match format.framing {
        Framing::LinesOrFrames(must_have) => must_have(path) || source::frames::begins(&mut input)?,
        _ => false,
    };
    let (sha256, size, records) = if has_frames {
        frames::read(input, &mut *adapter, sink)?
    } else {
        read_with(input, format.framing, &mut *adapter, sink)?
    };
    Ok(Source { sha256, size, records, conventions: adapter.conventions(), metadata: adapter.metadata() })
}

/// Gives every record of a plain source to an adapter. Gives hash, size and number of records.
pub(crate) fn read_with(
    input: impl Read,
    framing: Framing,
    adapter: &mut dyn Adapter,
    sink: &mut dyn Sink,
) -> io::Result<([u8; 32], u64, u64)> {
    let (document, strict) = match framing {
        Framing::Lines | Framing::LinesOrFrames(_) => (None, false),
        Framing::LinesOrDocument(document) => (Some(document), false),
        Framing::StrictLinesOrDocument(document) => (Some(document), true),
    };
    let mut input = Hashed::new(input);
    let mut head = Vec::new();
    input.by_ref().take(SQLITE_MAGIC.len() as u64).read_to_end(&mut head)?;
    if head == SQLITE_MAGIC {
        // Whatever format was named: a live store is no log, and nothing in it may be repaired.
        sink.finding(framing::live_database());
        let (sha256, size) = input.finish()?;
        return Ok((sha256, size, 0));
    }
    let start = match document {
        Some(document) => start::find(&mut input, &mut head, document)?,
        None => Start::Lines,
    };
    let text = io::Cursor::new(head).chain(&mut input);
    let records = match (start, document) {
        (Start::Document, Some(document)) => document::read(text, document, adapter, sink)?,
        _ => lines::read(text, strict, adapter, sink)?.records,
    };
    let (sha256, size) = input.finish()?;
    adapter.stored(&Storage { size, line_in_first_frame: None }, sink);
    adapter.finish(sink);
    Ok((sha256, size, records))
}

/// Gives one whole record to the adapter, after what its text alone says.
fn take(record: &Record<'_>, scan: &crate::record::Scan, adapter: &mut dyn Adapter, sink: &mut dyn Sink) {
    framing::text_findings(record, scan, adapter, sink);
    adapter.read(record, sink);
}
