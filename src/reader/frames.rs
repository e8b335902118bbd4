//! Sources of Zstandard frames: decoded and read as lines, with findings about the frames themselves.
//!
//! A structural defect or a frame that cannot be decoded makes the whole source unreadable, as no frame boundary behind
//! it can be trusted. The beginning of a frame at the end of the source is left out.

use std::io::{self, Read, Seek, SeekFrom};

use super::framing::in_frame;
use super::lines::{self, LinesRead};
use crate::adapter::{Adapter, Sink, Storage};
use crate::check::framing::{SL001, SL002};
use crate::finding::{Finding, Location, Repairability, Severity, Stage, Subject};
use crate::source::ahead::fill_ahead;
use crate::source::container::Content;
use crate::source::frames::Outline;
use crate::source::hashed::Hashed;
use crate::source::inflate::torn_text;
use crate::source::text::{FramePlace, TextError};

/// From this size on, frames are decoded on a thread of their own.
const LARGE: u64 = 1 << 20;

/// Reads a source that is, or should be, a row of frames. Gives hash, size and number of lines that are not blank.
pub(super) fn read(
    mut input: impl Read + Seek + Send,
    adapter: &mut dyn Adapter,
    sink: &mut dyn Sink,
) -> io::Result<([u8; 32], u64, u64)> {
    let (sha256, size) = Hashed::new(&mut input).finish()?;
    input.rewind()?;
    let content = Content::of(&mut input, size, true)?;
    let outline = content.outline().copied();
    if let Some(defect) = outline.and_then(|outline| outline.defect) {
        let place = Location { byte_start: Some(defect.at), item: Some(defect.frame + 1), ..Location::default() };
        let mut finding = about(&SL001, "broken-frames", place);
        finding.detail.insert("reason".into(), defect.to_string().into());
        sink.unreadable(finding);
        return Ok((sha256, size, 0));
    }
    let read = if outline.is_some_and(|outline| outline.end >= LARGE) {
        fill_ahead(content, |text| lines::read(text, false, adapter, sink))
    } else {
        lines::read(content, false, adapter, sink)
    };
    let LinesRead { records, line_in_first_frame } = match read {
        Ok(read) => read,
        Err(TextError::Io(error)) => return Err(error),
        Err(TextError::Frame { place, reason }) => {
            let mut finding = about(&SL001, "undecodable-frame", in_frame(&place));
            finding.detail.insert("reason".into(), reason.into());
            sink.unreadable(finding);
            return Ok((sha256, size, 0));
        }
    };
    if let Some(outline) = outline.filter(|outline| outline.torn_bytes() > 0) {
        sink.finding(torn(&outline, gives_lines(&mut input, &outline)?));
    }
    adapter.stored(&Storage { size, line_in_first_frame: Some(line_in_first_frame) }, sink);
    adapter.finish(sink);
    Ok((sha256, size, records))
}

/// Whether the incomplete frame at the end still gives a whole line.
fn gives_lines(input: &mut (impl Read + Seek), outline: &Outline) -> io::Result<bool> {
    input.seek(SeekFrom::Start(outline.end))?;
    let mut text = torn_text(input, outline.torn_bytes())?;
    let mut buffer = [0; 4096];
    loop {
        match text.read(&mut buffer) {
            Ok(count) if count > 0 && !buffer[..count].contains(&b'\n') => {}
            // Where the frame breaks off, reading fails.
            read => return Ok(read.is_ok_and(|count| count > 0)),
        }
    }
}

/// The last frame is incomplete. Its whole records are not lost: what wrote it takes them up again.
fn torn(outline: &Outline, gives_lines: bool) -> Finding {
    let place = FramePlace { index: outline.frames, start: outline.end, end: outline.len, text: 0 };
    let mut finding = about(&SL002, "torn-frame", in_frame(&place));
    finding.severity = Severity::Info;
    if outline.frames == 0 {
        finding.repairability = Repairability::Manual;
    } else if gives_lines {
        // Nothing proves what they say: their checksum is gone.
        finding.repairability = Repairability::LossyExplicit;
    }
    finding
}

fn about(rule: &'static crate::rule::Rule, variant: &'static str, place: Location) -> Finding {
    let mut finding = Finding::new(rule, Stage::Reading);
    finding.variant = variant;
    finding.location = place;
    for (name, byte) in [("byte_offset", place.byte_start), ("byte_end", place.byte_end)] {
        if let Some(byte) = byte {
            finding.evidence.insert(name.into(), byte.into());
        }
    }
    finding.subject = Subject { record: String::new(), part: variant.into() };
    finding
}
