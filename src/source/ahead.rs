//! Fills a text's pieces on a second thread, a few blocks ahead of the reader.
//!
//! Decoding and reading take about equal time, so that a large file is done in half of it. Order and content of the
//! pieces stay the same.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::text::{Filled, Text, TextError};

/// Bytes of a block.
const BLOCK: usize = 256 * 1024;
/// A block with less room than this is handed over.
const LITTLE_ROOM: usize = BLOCK / 8;
/// So is one with this many pieces: frames may be empty.
const MOST_PIECES: usize = 4096;
/// Blocks in use.
const BLOCKS: usize = 4;

/// Some pieces of a text, one behind the other.
struct Block {
    bytes: Box<[u8]>,
    pieces: Vec<Filled>,
    failure: Option<TextError>,
}

/// The reader's end.
pub struct Ahead {
    full: Receiver<Block>,
    empty: SyncSender<Block>,
    block: Option<Block>,
    /// Next piece of the block, and the offset of its unread part there.
    piece: usize,
    at: usize,
}

/// Runs `read` on a text that is filled ahead. Filling stops when `read` returns.
pub fn fill_ahead<T: Text + Send, R>(text: T, read: impl FnOnce(Ahead) -> R) -> R {
    let (give_full, full) = sync_channel(BLOCKS);
    let (empty, take_empty) = sync_channel(BLOCKS);
    for _ in 0..BLOCKS {
        let block = Block { bytes: vec![0; BLOCK].into(), pieces: Vec::new(), failure: None };
        // There is room for all of them.
        let _ = empty.send(block);
    }
    thread::scope(|scope| {
        scope.spawn(move || produce(text, &take_empty, &give_full));
        read(Ahead { full, empty, block: None, piece: 0, at: 0 })
    })
}

/// Fills blocks until the text ends or nobody reads it any more.
fn produce(mut text: impl Text, empty: &Receiver<Block>, full: &SyncSender<Block>) {
    let mut is_open = true;
    while let (true, Ok(mut block)) = (is_open, empty.recv()) {
        let mut used = 0;
        block.pieces.clear();
        while is_open && BLOCK - used >= LITTLE_ROOM && block.pieces.len() < MOST_PIECES {
            match text.fill(&mut block.bytes[used..]) {
                Ok(Some(filled)) => {
                    used += filled.len;
                    block.pieces.push(filled);
                }
                Ok(None) => is_open = false,
                Err(failure) => {
                    block.failure = Some(failure);
                    is_open = false;
                }
            }
        }
        is_open &= full.send(block).is_ok();
    }
}

impl Text for Ahead {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
        loop {
            let Some(block) = &mut self.block else {
                match self.full.recv() {
                    Ok(block) => self.block = Some(block),
                    Err(_) => return Ok(None),
                }
                (self.piece, self.at) = (0, 0);
                continue;
            };
            if let Some(piece) = block.pieces.get_mut(self.piece) {
                let len = piece.len.min(buffer.len());
                buffer[..len].copy_from_slice(&block.bytes[self.at..self.at + len]);
                self.at += len;
                piece.len -= len;
                let is_whole = piece.len == 0;
                self.piece += usize::from(is_whole);
                return Ok(Some(Filled { len, frame: piece.frame, ends_frame: piece.ends_frame && is_whole }));
            }
            if let Some(failure) = block.failure.take() {
                return Err(failure);
            }
            // The other side may have finished, in which case nobody needs the block.
            if let Some(block) = self.block.take() {
                let _ = self.empty.send(block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::{FramePlace, Text, TextError};
    use super::{BLOCK, Filled, fill_ahead};

    /// Frames of a few bytes; the last one fails.
    struct Numbered(u64, u64);

    impl Text for Numbered {
        fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
            let place = FramePlace { index: self.0, start: 9 * self.0, end: 9 * self.0 + 9, text: 0 };
            if self.0 == self.1 {
                return Err(TextError::Frame { place, reason: "broken".into() });
            }
            let len = buffer.len().min(self.0 as usize % 7);
            buffer[..len].fill(self.0 as u8);
            self.0 += 1;
            Ok(Some(Filled { len, frame: Some(place), ends_frame: true }))
        }
    }

    #[test]
    fn pieces_and_the_failure_behind_them_come_in_order() {
        let count = 300_000;
        let failed = fill_ahead(Numbered(0, count), |mut text| {
            let mut buffer = [0; 5];
            let mut next = 0;
            loop {
                match text.fill(&mut buffer) {
                    Ok(filled) => {
                        let filled = filled.expect("the failure ends it");
                        assert_eq!(filled.frame.map(|frame| frame.index), Some(next));
                        assert!(buffer[..filled.len].iter().all(|byte| *byte == next as u8));
                        next += u64::from(filled.ends_frame);
                    }
                    Err(TextError::Frame { place, .. }) => break place.index,
                    Err(TextError::Io(error)) => panic!("{error}"),
                }
            }
        });
        assert_eq!(failed, count);
    }

    #[test]
    fn a_text_may_be_left_unread_and_an_end_is_an_end() {
        let long = vec![b'x'; 20 * BLOCK];
        fill_ahead(long.as_slice(), |mut text| text.fill(&mut [0; 3]).expect("memory").expect("text").len);
        let mut total = 0;
        fill_ahead(&long[..3 * BLOCK / 2], |mut text| {
            let mut buffer = vec![0; 100_000];
            while let Some(filled) = text.fill(&mut buffer).expect("memory") {
                total += filled.len;
            }
            assert!(text.fill(&mut buffer).expect("memory").is_none());
        });
        assert_eq!(total, 3 * BLOCK / 2);
    }
}
