//! Records of a compressed file, read again one by one: each from the beginning of its frame.
//!
//! Decoding goes on from where it stands when that is nearer, and ends for good once it has cost too much: the records
//! of a hostile file may all lie at the far end of one huge frame.

use std::io::{self, Read, Seek};

use crate::model::session::{FrameRow, RecordRow};
use crate::source::inflate::FrameText;
use crate::source::text::Text;

/// How much text is decoded at most for all records together.
const MOST_DECODED: u64 = 1 << 30;
const CHUNK: usize = 64 << 10;

/// Reads the text of a compressed file from any frame on.
pub(super) struct FrameRecall<R> {
    text: FrameText<R>,
    chunk: Box<[u8]>,
    /// The unread part of the chunk.
    start: usize,
    end: usize,
    /// Offset in the whole text of the first unread byte; none before the first record and after a failure.
    at: Option<u64>,
    /// Where the frame that is being decoded begins in the file.
    frame: u64,
    /// How much may still be decoded.
    left: u64,
}

impl<R: Read + Seek> FrameRecall<R> {
    pub(super) fn new(file: R) -> io::Result<Self> {
        let text = FrameText::new(file, u64::MAX, 0)?;
        let chunk = vec![0; CHUNK].into();
        Ok(Self { text, chunk, start: 0, end: 0, at: None, frame: 0, left: MOST_DECODED })
    }

    /// The text of a record that begins in this frame, with what follows it on its line.
    pub(super) fn record(&mut self, frame: &FrameRow, row: &RecordRow) -> Option<Vec<u8>> {
        let at = self.at.filter(|at| *at <= row.offset && self.frame >= frame.start);
        let mut at = at.unwrap_or_else(|| {
            self.text.restart(frame.start);
            (self.start, self.end) = (0, 0);
            frame.text
        });
        // Set again once all went well.
        self.at = None;
        let mut record = Vec::new();
        while at < row.offset + row.len {
            if self.start == self.end {
                let filled = self.text.fill(&mut self.chunk).ok()??;
                self.left = self.left.checked_sub(filled.len as u64)?;
                self.frame = filled.frame?.start;
                (self.start, self.end) = (0, filled.len);
            }
            let is_inside = at >= row.offset;
            let goal = if is_inside { row.offset + row.len } else { row.offset };
            let count = usize::try_from(goal - at).unwrap_or(usize::MAX).min(self.end - self.start);
            if is_inside {
                record.extend_from_slice(&self.chunk[self.start..self.start + count]);
            }
            self.start += count;
            at += count as u64;
        }
        self.at = Some(at);
        Some(record)
    }
}
