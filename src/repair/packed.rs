//! A source of Zstandard frames, unpacked: repairs edit its text, and a frame is written anew only when its text changes.
//!
//! The end of such a log may be half a frame. What it still gives is read here; whether it is kept is for recipes to
//! say. Bytes of records are copied, never spelled anew.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::Range;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::bench::{Bench, Ground};
use super::mend::Mended;
use super::script::{Bytes, Edit, Piece, Script};
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Location};
use crate::source::inflate::{FrameText, torn_text};
use crate::source::seal::seal;
use crate::source::text::{Text as _, TextError};
use crate::write::Spool;

/// See the module.
pub(crate) struct Packed {
    text: Spool,
    frames: Vec<Frame>,
    tail: Option<Tail>,
    /// Size of the file.
    len: u64,
}

/// A complete frame: its bytes in the file and in the text.
struct Frame {
    file: Range<u64>,
    text: Range<u64>,
}

/// Half a frame at the end of the file.
pub(crate) struct Tail {
    /// The finding about it.
    pub finding: Finding,
    /// Whole records that it still gives, up to the first that would not follow on what stands before it.
    pub records: u64,
    /// Where they stand in the text, when they were put there.
    text: Range<u64>,
}

/// One frame that is written anew or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameEdit {
    /// Number of the frame, from 1.
    pub frame: u64,
    /// Its bytes in the source.
    pub source: Range<u64>,
    /// What stands in its place; nothing when it is left out.
    pub with: Vec<u8>,
    /// Numbers of the steps that ask for it.
    pub steps: Vec<u32>,
}

impl FrameEdit {
    /// `drop` when it is left out, `reseal` otherwise.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        if self.with.is_empty() { "drop" } else { "reseal" }
    }

    pub(crate) fn document(&self) -> Json {
        let with = match self.with.is_empty() {
            true => Vec::new(),
            false => vec![json!({ "sha256": hex(&Sha256::digest(&self.with)), "length": self.with.len() })],
        };
        json!({
            "frame": self.frame,
            "op": self.kind(),
            "bytes": [self.source.start, self.source.end],
            "with": with,
            "steps": self.steps,
        })
    }
}

impl Packed {
    /// Unpacks the file that `container` stands on. Records of a torn end are put behind the text when `take_tail`.
    ///
    /// # Errors
    /// The file cannot be read, or there is no room for its text. A frame that cannot be decoded, or text that ends
    /// inside a line, gives the findings that say so.
    pub(crate) fn open(container: Ground<'_>, take_tail: bool) -> io::Result<Result<Self, Vec<Finding>>> {
        let whole = Script::whole(container.source.len());
        let found = Bench::new(container, &whole)?.findings;
        let mut packed = Self { text: Spool::default(), frames: Vec::new(), tail: None, len: container.source.len() };
        if !packed.unpack(container)? {
            return Ok(Err(found));
        }
        let Some(finding) = found.into_iter().find(|f| f.variant == "torn-frame") else { return Ok(Ok(packed)) };
        packed.read_tail(container, finding, take_tail)?;
        Ok(Ok(packed))
    }

    /// Unpacks all complete frames. False when one cannot be decoded, or when they end inside a line.
    fn unpack(&mut self, container: Ground<'_>) -> io::Result<bool> {
        let whole = Script::whole(self.len);
        let mut frames = FrameText::new(whole.read(container.source), self.len, 0)?;
        let mut buffer = vec![0; 128 << 10];
        let mut is_line_end = true;
        loop {
            let filled = match frames.fill(&mut buffer) {
                Ok(Some(filled)) => filled,
                Ok(None) => break,
                Err(TextError::Frame { .. }) => return Ok(false),
                Err(TextError::Io(error)) => return Err(error),
            };
            self.text.append(&buffer[..filled.len])?;
            is_line_end = buffer[..filled.len].last().map_or(is_line_end, |byte| *byte == b'\n');
            if let Some(place) = filled.frame.filter(|_| filled.ends_frame) {
                self.frames.push(Frame { file: place.start..place.end, text: place.text..self.text.len() });
            }
        }
        Ok(is_line_end && !self.frames.is_empty())
    }

    fn read_tail(&mut self, container: Ground<'_>, mut finding: Finding, take: bool) -> io::Result<()> {
        let committed = self.text.len();
        let start = self.torn_start();
        let whole = Script::whole(self.len);
        let mut frame = whole.read(container.source);
        frame.seek(SeekFrom::Start(start))?;
        let mut lines = BufReader::new(torn_text(frame, self.len - start)?);
        let mut line = Vec::new();
        // Where the frame breaks off, reading fails: so does the line that stands there. What does not follow ends it too,
        // before a small frame that unpacks to millions of such lines costs minutes.
        let mut due = None;
        while lines.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
            due = (container.layout.due_behind)(&line, due);
            if due.is_none() {
                break;
            }
            self.text.append(&line)?;
            line.clear();
        }
        let end = self.first_defect(container, committed)?;
        let records = memchr::memchr_iter(b'\n', &self.text.bytes(committed..end)?).count() as u64;
        self.text.truncate(if take { end } else { committed });
        // It stands in the file, not in the text; only the number of its frame means something in both.
        finding.location = Location { item: finding.location.item, ..Location::default() };
        if records > 0 {
            finding.evidence.insert("recovered_records".into(), records.into());
            finding.evidence.insert("unverified_payload".into(), true.into());
        }
        self.tail = Some(Tail { finding, records, text: committed..self.text.len() });
        Ok(())
    }

    /// Where the first record from `from` on begins that is none or does not follow on the one before it; else the end.
    fn first_defect(&self, container: Ground<'_>, from: u64) -> io::Result<u64> {
        let whole = Script::whole(self.text.len());
        let bench = Bench::new(self.ground(container), &whole)?;
        let breaks = |f: &&Finding| matches!(f.code(), "SL001" | "SL002" | "SL003" | "SL004" | "SL507");
        let starts = bench.all_findings().into_iter().filter(breaks).filter_map(|f| f.location.byte_start);
        Ok(starts.filter(|start| *start >= from).min().unwrap_or_else(|| self.text.len()))
    }

    /// The ground of a repair of the text, in place of that of the file.
    pub(crate) fn ground<'a>(&'a self, container: Ground<'a>) -> Ground<'a> {
        let name = container.name.strip_suffix(".zstd").or_else(|| container.name.strip_suffix(".zst"));
        Ground { source: &self.text, name: name.unwrap_or(container.name), tail: self.tail.as_ref(), ..container }
    }

    /// Where the first frame begins that is not complete; else the end of the file.
    fn torn_start(&self) -> u64 {
        self.frames.last().map_or(0, |frame| frame.file.end)
    }

    /// The frames that change with the text, in order; none when the text of a torn end was edited and the end itself is
    /// to stay.
    pub(crate) fn frame_edits(&self, mended: &Mended) -> io::Result<Option<Vec<FrameEdit>>> {
        let edits = mended.script.edits();
        let mut changed = Vec::new();
        for (number, frame) in (1..).zip(&self.frames) {
            let owned = owned(&edits, &frame.text);
            if !owned.is_empty() {
                let steps: BTreeSet<u32> = owned.iter().flat_map(|edit| mended.steps_of(edit)).collect();
                changed.push(FrameEdit {
                    frame: number,
                    source: frame.file.clone(),
                    with: self.sealed(&frame.text, &owned)?,
                    steps: steps.into_iter().collect(),
                });
            }
        }
        let Some(tail) = &self.tail else { return Ok(Some(changed)) };
        let owned = owned(&edits, &tail.text);
        let Some(step) = mended.closed_tail else { return Ok(owned.is_empty().then_some(changed)) };
        let mut steps: BTreeSet<u32> = owned.iter().flat_map(|edit| mended.steps_of(edit)).collect();
        steps.insert(step);
        changed.push(FrameEdit {
            frame: self.frames.len() as u64 + 1,
            source: self.torn_start()..self.len,
            with: self.sealed(&tail.text, &owned)?,
            steps: steps.into_iter().collect(),
        });
        Ok(Some(changed))
    }

    /// The file with these frames.
    pub(crate) fn script(&self, frames: &[FrameEdit]) -> Script {
        let edit = |frame: &FrameEdit| Edit {
            source: frame.source.clone(),
            with: if frame.with.is_empty() { Vec::new() } else { vec![Piece::Text(frame.with.clone())] },
        };
        Script::of(self.len, &frames.iter().map(edit).collect::<Vec<_>>())
    }

    /// The frame of a stretch of the text after its edits; nothing when no text is left.
    fn sealed(&self, stretch: &Range<u64>, edits: &[&Edit]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut at = stretch.start;
        for edit in edits {
            if edit.source.start > at {
                text.extend(self.text.bytes(at..edit.source.start)?);
            }
            if begins_in(edit, stretch) {
                for piece in &edit.with {
                    match piece {
                        Piece::Text(bytes) => text.extend_from_slice(bytes),
                        Piece::Source { range, .. } => text.extend(self.text.bytes(range.clone())?),
                    }
                }
            }
            at = at.max(edit.source.end);
        }
        if at < stretch.end {
            text.extend(self.text.bytes(at..stretch.end)?);
        }
        Ok(if text.is_empty() { text } else { seal(&text) })
    }
}

impl Bytes for Spool {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Self::read_at(self, offset, buffer)
    }

    fn len(&self) -> u64 {
        Self::len(self)
    }
}

/// Edits that concern a stretch of the text: what they take out lies in it, or what they put in begins there.
fn owned<'e>(edits: &'e [Edit], stretch: &Range<u64>) -> Vec<&'e Edit> {
    let overlaps = |edit: &Edit| edit.source.start < stretch.end && edit.source.end > stretch.start;
    edits.iter().filter(|edit| overlaps(edit) || begins_in(edit, stretch)).collect()
}

/// Whether an edit begins in a stretch. What is put in between two stretches goes with the one before it.
fn begins_in(edit: &Edit, stretch: &Range<u64>) -> bool {
    let at = if edit.source.is_empty() { edit.source.start.saturating_sub(1) } else { edit.source.start };
    stretch.contains(&at)
}
