//! One pass over a source: bytes to records, records through an adapter, events and findings into a sink.

pub mod builder;
mod document;
mod framing;
mod lines;
pub(crate) mod object;

use std::io::{self, Read};

use crate::adapter::{Adapter, Format, Framing, Metadata, Record, Sink};
use crate::model::Conventions;
use crate::source::MAX_LINE_BYTES;

pub use builder::Builder;

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
pub fn read(mut input: impl Read, format: &'static Format, path: &str, sink: &mut dyn Sink) -> io::Result<Source> {
    let mut adapter = (format.open)(path);
    let (sha256, size, records) = match format.framing {
        Framing::Lines => lines::read(input, format, MAX_LINE_BYTES, &mut *adapter, sink)?,
        Framing::LinesOrDocument => {
            let mut head = Vec::new();
            if document::begins(&mut input, &mut head)? {
                document::read(head, input, format, &mut *adapter, sink)?
            } else {
                lines::read(io::Cursor::new(head).chain(input), format, MAX_LINE_BYTES, &mut *adapter, sink)?
            }
        }
    };
    adapter.finish(sink);
    Ok(Source { sha256, size, records, conventions: adapter.conventions(), metadata: adapter.metadata() })
}

/// Gives one whole record to the adapter, after what its text alone says.
fn take(record: &Record<'_>, scan: &crate::record::Scan, adapter: &mut dyn Adapter, sink: &mut dyn Sink) {
    framing::text_findings(record, scan, adapter, sink);
    adapter.read(record, sink);
}
