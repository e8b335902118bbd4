//! The text of a file of Zstandard frames, decoded frame by frame in small pieces.
//!
//! Memory is one frame's window and two buffers. Checksums and declared sizes are verified; dictionaries are not
//! known. A file that expands beyond all proportion is refused before it costs time.

use std::io::{self, Read};

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::text::{Filled, FramePlace, Text, TextError};

/// A file may expand to this many bytes whatever its size.
const FREE_TEXT: u64 = 64 * 1024 * 1024;
/// Beyond [`FREE_TEXT`], text may be at most this many times larger than the frames read so far.
const MAX_RATIO: u64 = 1024;

/// Decodes complete frames. What is read must end behind a complete frame, as [`super::frames::outline`] tells.
pub struct FrameText<R> {
    file: R,
    decoder: Decoder<'static>,
    input: Box<[u8]>,
    input_at: usize,
    input_end: usize,
    /// The frame being decoded.
    frame: FramePlace,
    /// Bytes of it that were handed to the decoder.
    fed: u64,
    consumed: u64,
    produced: u64,
    failed: bool,
}

impl<R: Read> FrameText<R> {
    const INPUT: usize = 128 * 1024;

    /// A decoder at the beginning of a file.
    ///
    /// # Errors
    /// When there is no memory for a decoder.
    pub fn new(file: R) -> io::Result<Self> {
        Ok(Self {
            file,
            decoder: Decoder::new()?,
            input: vec![0; Self::INPUT].into(),
            input_at: 0,
            input_end: 0,
            frame: FramePlace { index: 0, start: 0 },
            fed: 0,
            consumed: 0,
            produced: 0,
            failed: false,
        })
    }

    fn fail(&mut self, reason: impl Into<String>) -> TextError {
        self.failed = true;
        TextError::Frame { place: self.frame, reason: reason.into() }
    }

    /// Whether there is input left, after reading some if need be.
    fn has_input(&mut self) -> io::Result<bool> {
        if self.input_at == self.input_end {
            self.input_at = 0;
            self.input_end = loop {
                match self.file.read(&mut self.input) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    count => break count?,
                }
            };
        }
        Ok(self.input_at < self.input_end)
    }
}

impl<R: Read> Text for FrameText<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
        while !self.failed {
            if !self.has_input()? && self.fed == 0 {
                return Ok(None);
            }
            // A frame's magic goes in alone: that keeps the decoder from its one-step mode, which is less strict
            // about block sizes.
            let magic_left = 4_u64.saturating_sub(self.fed) as usize;
            let input = &self.input[self.input_at..self.input_end];
            let input = if magic_left > 0 { &input[..magic_left.min(input.len())] } else { input };
            let (mut source, mut target) = (InBuffer::around(input), OutBuffer::around(&mut *buffer));
            let outcome = self.decoder.run(&mut source, &mut target);
            let (read, len) = (source.pos(), target.pos());
            let left = match outcome {
                Ok(left) => left,
                Err(error) => return Err(self.fail(error.to_string())),
            };
            self.input_at += read;
            self.fed += read as u64;
            self.consumed += read as u64;
            self.produced += len as u64;
            if self.produced > FREE_TEXT && self.produced / MAX_RATIO > self.consumed {
                return Err(self.fail(format!("expands to more than {MAX_RATIO} times its size")));
            }
            if read == 0 && len == 0 && left > 0 {
                return Err(self.fail("the frame is incomplete"));
            }
            let place = self.frame;
            let ends_frame = left == 0;
            if ends_frame {
                self.frame = FramePlace { index: place.index + 1, start: self.consumed };
                self.fed = 0;
            }
            if len > 0 || ends_frame {
                return Ok(Some(Filled { len, frame: Some(place), ends_frame }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::super::text::{Text, TextError};
    use super::FrameText;

    fn frame(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("memory");
        encoder.include_checksum(true).expect("a known parameter");
        std::io::Write::write_all(&mut encoder, text).expect("memory");
        encoder.finish().expect("memory")
    }

    /// The text before the first failure, the number of whole frames, and the failure.
    fn decode(bytes: &[u8], piece: usize) -> (Vec<u8>, u64, Option<(u64, u64, String)>) {
        let mut frames = FrameText::new(bytes).expect("memory");
        let (mut text, mut whole, mut buffer) = (Vec::new(), 0, vec![0; piece]);
        loop {
            match frames.fill(&mut buffer) {
                Ok(Some(filled)) => {
                    assert_eq!(filled.frame.map(|place| place.index), Some(whole));
                    text.extend_from_slice(&buffer[..filled.len]);
                    whole += u64::from(filled.ends_frame);
                }
                Ok(None) => return (text, whole, None),
                Err(TextError::Frame { place, reason }) => {
                    return (text, whole, Some((place.index, place.start, reason)));
                }
                Err(TextError::Io(error)) => panic!("memory can be read: {error}"),
            }
        }
    }

    #[test]
    fn frames_follow_each_other_empty_ones_included() {
        let bytes = [frame(b"one\n"), frame(b""), frame(b"two\n")].concat();
        assert_eq!(decode(&bytes, 1024), (b"one\ntwo\n".to_vec(), 3, None));
    }

    #[test]
    fn a_wrong_checksum_fails_at_its_frame() {
        let first = frame(b"one\n");
        let mut bytes = [first.clone(), frame(b"two\n")].concat();
        *bytes.last_mut().expect("not empty") ^= 1;
        let (_, whole, failure) = decode(&bytes, 1024);
        assert_eq!((whole, failure.map(|f| (f.0, f.1))), (1, Some((1, first.len() as u64))));
    }

    #[test]
    fn a_raw_block_larger_than_its_window_fails_even_when_the_output_has_room() {
        // Window of 1 KiB, no content size, raw block of 2000 bytes.
        let bytes = [b"\x28\xB5\x2F\xFD\x00\x00".as_slice(), &[0x81, 0x3E, 0x00], &[b'x'; 2000]].concat();
        assert_eq!(decode(&bytes, 4096).1, 0);
        assert!(decode(&bytes, 4096).2.is_some());
    }

    #[test]
    fn windows_above_128_mib_are_refused() {
        let with_window = |exponent: u8| [b"\x28\xB5\x2F\xFD\x00".as_slice(), &[exponent << 3, 9, 0, 0, b'x']].concat();
        assert_eq!(decode(&with_window(17), 10), (b"x".to_vec(), 1, None));
        assert!(decode(&with_window(18), 10).2.is_some());
    }

    #[test]
    fn a_bomb_is_refused() {
        let bytes = frame(&vec![b'\n'; 80 << 20]);
        assert!(bytes.len() < 80 << 10);
        let (text, whole, failure) = decode(&bytes, 1 << 20);
        assert_eq!((whole, failure.expect("refused").2.as_str()), (0, "expands to more than 1024 times its size"));
        assert!(text.len() <= 64 << 20);
    }

    proptest! {
        #[test]
        fn any_texts_come_back_in_pieces_of_any_size(
            texts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..5), piece in 1usize..400,
        ) {
            let bytes: Vec<u8> = texts.iter().flat_map(|text| frame(text)).collect();
            prop_assert_eq!(decode(&bytes, piece), (texts.concat(), texts.len() as u64, None));
        }

        #[test]
        fn any_damage_ends(bit in any::<usize>(), piece in 1usize..400, tail in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut bytes = [frame(b"one\n"), frame(&b"two ".repeat(50)), tail].concat();
            let at = bit / 8 % bytes.len();
            bytes[at] ^= 1 << (bit % 8);
            let (text, _, _) = decode(&bytes, piece);
            prop_assert_eq!(text.len() < 1 << 20, true);
        }
    }
}
