//! Writes a text as one Zstandard frame of raw blocks: the bytes stand there as they are, with a checksum behind them.
//!
//! Nothing is compressed, so that the same text gives the same frame whatever version of a compressor is at hand.

use xxhash_rust::xxh64::xxh64;

use super::frames::MAGIC;

/// Content checksum, no content size, window in a byte of its own.
const DESCRIPTOR: u8 = 0x04;
/// A window of 128 KiB, the largest block.
const WINDOW: u8 = 7 << 3;
/// Most bytes of a block.
const BLOCK: usize = 128 * 1024;

/// The frame. An empty text gives a frame too.
#[must_use]
pub fn seal(text: &[u8]) -> Vec<u8> {
    let blocks = text.len().div_ceil(BLOCK).max(1);
    let mut frame = Vec::with_capacity(MAGIC.len() + 2 + text.len() + 3 * blocks + 4);
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&[DESCRIPTOR, WINDOW]);
    for number in 0..blocks {
        let block = &text[number * BLOCK..text.len().min((number + 1) * BLOCK)];
        // Size in the upper 21 bits, type 0 (raw), and whether it is the last.
        let header = (block.len() as u32) << 3 | u32::from(number + 1 == blocks);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame.extend_from_slice(&(xxh64(text, 0) as u32).to_le_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::source::frames::outline;

    #[test]
    fn a_sealed_text_is_one_sound_frame_that_decodes_to_it() {
        for len in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let text: Vec<u8> = (0..len).map(|n| (n % 251) as u8).collect();
            let frame = seal(&text);
            let found = outline(Cursor::new(&frame), frame.len() as u64).expect("memory can be read");
            assert_eq!((found.frames, found.torn_bytes(), found.defect), (1, 0, None), "{len}");
            assert_eq!(zstd::decode_all(frame.as_slice()).expect("the checksum fits"), text, "{len}");
        }
    }

    #[test]
    fn the_checksum_guards_the_text() {
        let mut frame = seal(b"one\ntwo\n");
        frame[12] ^= 1;
        assert!(zstd::decode_all(frame.as_slice()).is_err());
    }
}
