//! Sources that are one JSON document: an array of items, or an object.

use std::io::{self, Read};

use crate::adapter::{Adapter, Format, Sink};

/// Reads the first bytes into `head`; whether they begin a document rather than lines.
pub(super) fn begins(_input: &mut impl Read, _head: &mut Vec<u8>) -> io::Result<bool> {
    Ok(false)
}

/// Reads a document.
pub(super) fn read(
    _head: Vec<u8>,
    _input: impl Read,
    _format: &'static Format,
    _adapter: &mut dyn Adapter,
    _sink: &mut dyn Sink,
) -> io::Result<([u8; 32], u64, u64)> {
    Ok(([0; 32], 0, 0))
}
