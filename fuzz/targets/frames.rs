//! Any bytes as a file of frames: headers alone and decoding agree, and text comes out in proportion.
#![no_main]

use std::io::{Cursor, Write};

use libfuzzer_sys::fuzz_target;
use sesslint::source::frames::outline;
use sesslint::source::inflate::{FrameText, most_text};
use sesslint::source::text::Text;

fn decoded(bytes: &[u8]) -> (Vec<u8>, u64, bool) {
    let len = bytes.len() as u64;
    let mut text = FrameText::new(Cursor::new(bytes), len, 0).expect("memory");
    let (mut all, mut frames, mut buffer) = (Vec::new(), 0, vec![0; 4096]);
    loop {
        match text.fill(&mut buffer) {
            Ok(Some(filled)) => {
                all.extend_from_slice(&buffer[..filled.len]);
                frames += u64::from(filled.ends_frame);
            }
            Ok(None) => return (all, frames, true),
            Err(_) => return (all, frames, false),
        }
    }
}

fuzz_target!(|input: (bool, &[u8])| {
    let (pack, bytes) = input;
    if pack {
        // Text of the input in frames, so that mutations reach behind the checksums.
        let mut packed = Vec::new();
        for piece in bytes.chunks(100) {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
            encoder.include_checksum(true).expect("memory");
            encoder.write_all(piece).expect("memory");
            packed.extend(encoder.finish().expect("memory"));
        }
        let (text, frames, whole) = decoded(&packed);
        assert!(whole && text == bytes && frames == bytes.chunks(100).count() as u64);
        return;
    }
    let len = bytes.len() as u64;
    let outline = outline(Cursor::new(bytes), len).expect("memory");
    assert!(outline.end <= len && (outline.defect.is_some() || outline.end + outline.torn_bytes() == len));
    let (text, frames, whole) = decoded(bytes);
    assert!(text.len() as u64 <= most_text(len) + 4096 && frames <= outline.frames);
    assert!(!whole || outline.defect.is_none() && frames == outline.frames);
});
