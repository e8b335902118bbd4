//! Records of a compressed file, read again one by one: each from the beginning of its frame, or from where decoding
//! stands when that is nearer.
//!
//! Decoding stands at two places, so that going through two stretches side by side costs no more than going through
//! each. It ends for good once it has cost too much: the records of a hostile file may all lie at the far end of one
//! huge frame.

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use crate::model::session::{FrameRow, RecordRow};
use crate::source::inflate::FrameText;
use crate::source::text::Text;

/// How much is decoded at most for all records together, in bytes of text.
const MOST_DECODED: u64 = 1 << 30;
/// What beginning at another frame counts for.
const RESTART: u64 = 16 << 10;
const CHUNK: usize = 64 << 10;

/// Reads the text of a compressed file from any frame on.
pub(super) struct FrameRecall<R> {
    /// The one that was used last comes first.
    places: [Place<R>; 2],
    /// How much may still be decoded.
    left: u64,
}

impl<R: Read + Seek> FrameRecall<R> {
    pub(super) fn new(file: R) -> io::Result<Self> {
        let file = Rc::new(RefCell::new(file));
        let place = || Place::new(Shared(Rc::clone(&file)));
        Ok(Self { places: [place()?, place()?], left: MOST_DECODED })
    }

    /// The text of a record that begins in this frame, with what follows it on its line.
    pub(super) fn record(&mut self, frame: &FrameRow, row: &RecordRow) -> Option<Vec<u8>> {
        let on_the_way = |place: &Place<R>| place.at.filter(|at| *at <= row.offset && place.frame >= frame.start);
        if on_the_way(&self.places[1]) > on_the_way(&self.places[0]) || on_the_way(&self.places[0]).is_none() {
            self.places.swap(0, 1);
        }
        let place = &mut self.places[0];
        if on_the_way(place).is_none() {
            spend(&mut self.left, RESTART)?;
            place.restart(frame);
        }
        place.take(row, &mut self.left)
    }
}

/// One place where decoding stands.
struct Place<R> {
    text: FrameText<Shared<R>>,
    chunk: Box<[u8]>,
    /// The unread part of the chunk.
    start: usize,
    end: usize,
    /// Offset in the whole text of the first unread byte; none before the first record and after a failure.
    at: Option<u64>,
    /// Where the frame that is being decoded begins in the file.
    frame: u64,
}

impl<R: Read + Seek> Place<R> {
    fn new(file: Shared<R>) -> io::Result<Self> {
        let text = FrameText::new(file, u64::MAX, 0)?;
        Ok(Self { text, chunk: vec![0; CHUNK].into(), start: 0, end: 0, at: None, frame: 0 })
    }

    fn restart(&mut self, frame: &FrameRow) {
        self.text.restart(frame.start);
        (self.start, self.end, self.at) = (0, 0, Some(frame.text));
    }

    /// Decodes up to the end of a record and gives its text.
    fn take(&mut self, row: &RecordRow, left: &mut u64) -> Option<Vec<u8>> {
        // Set again once all went well.
        let mut at = self.at.take()?;
        let mut record = Vec::new();
        while at < row.offset + row.len {
            if self.start == self.end {
                let filled = self.text.fill(&mut self.chunk).ok()??;
                spend(left, filled.len as u64)?;
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

/// Takes from what is left; none, now and ever after, when it is not enough.
fn spend(left: &mut u64, amount: u64) -> Option<()> {
    let rest = left.checked_sub(amount);
    *left = rest.unwrap_or(0);
    rest.map(|_| ())
}

/// One file for both places: each seeks before it reads.
struct Shared<R>(Rc<RefCell<R>>);

impl<R: Read> Read for Shared<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(buffer)
    }
}

impl<R: Seek> Seek for Shared<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.borrow_mut().seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Frames of ten lines of ten bytes each, and the rows of all lines.
    fn container(frames: u64) -> (Vec<u8>, Vec<(FrameRow, RecordRow)>) {
        let (mut bytes, mut rows) = (Vec::new(), Vec::new());
        for number in 0..frames {
            let lines: String = (0_u64..10).map(|line| format!("line {:04}\n", number * 10 + line)).collect();
            let start = bytes.len() as u64;
            bytes.extend(zstd::bulk::compress(lines.as_bytes(), 1).expect("memory"));
            let frame = FrameRow { number: number + 1, start, end: bytes.len() as u64, text: number * 100 };
            let row = |line: u64| RecordRow {
                offset: number * 100 + line * 10,
                len: 10,
                line: 1,
                column: 1,
                item: number + 1,
            };
            rows.extend((0..10).map(|line| (frame, row(line))));
        }
        (bytes, rows)
    }

    fn recall(frames: &mut FrameRecall<Cursor<Vec<u8>>>, rows: &[(FrameRow, RecordRow)], line: usize) {
        let (frame, row) = &rows[line];
        let text = frames.record(frame, row).expect("there");
        assert_eq!(String::from_utf8(text).expect("text"), format!("line {line:04}\n"));
    }

    #[test]
    fn records_come_back_in_any_order() {
        let (bytes, rows) = container(30);
        let mut frames = FrameRecall::new(Cursor::new(bytes)).expect("memory");
        for step in [1, 7, 11, 151, 299] {
            (0..300).for_each(|n| recall(&mut frames, &rows, n * step % 300));
            (0..300).rev().for_each(|n| recall(&mut frames, &rows, n * step % 300));
        }
    }

    #[test]
    fn two_stretches_side_by_side_are_decoded_once() {
        let (bytes, rows) = container(30);
        let mut frames = FrameRecall::new(Cursor::new(bytes)).expect("memory");
        for line in 0..150 {
            recall(&mut frames, &rows, line);
            recall(&mut frames, &rows, 150 + line);
        }
        // Only entering a frame anew is counted; half a frame may be read twice.
        let spent = MOST_DECODED - frames.left;
        assert!(spent <= 30 * (RESTART + 100), "{spent}");
    }

    #[test]
    fn what_costs_too_much_is_not_read() {
        let (bytes, rows) = container(30);
        let mut frames = FrameRecall::new(Cursor::new(bytes)).expect("memory");
        frames.left = RESTART + 1000;
        recall(&mut frames, &rows, 5);
        let (frame, row) = &rows[205];
        assert!(frames.record(frame, row).is_none() && frames.left == 0);
        let (frame, row) = &rows[6];
        assert!(frames.record(frame, row).is_some(), "what is decoded already is free");
    }
}
