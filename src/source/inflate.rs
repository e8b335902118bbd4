//! The text of a file of Zstandard frames, decoded frame by frame in small pieces.
//!
//! Memory is one frame's window and two buffers. Checksums and declared sizes are verified; dictionaries are not
//! known. A file that expands beyond all proportion is refused before it costs time.

use std::io::{self, Read, Seek};

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::frames::{Defect, Headers, Stop};
use super::text::{Filled, FramePlace, Text, TextError};

/// A file may expand to this many bytes whatever its size.
const FREE_TEXT: u64 = 64 * 1024 * 1024;
/// Beyond [`FREE_TEXT`], text may be at most this many times larger than the frames read so far.
const MAX_RATIO: u64 = 1024;

/// How much text may come of this many bytes.
#[must_use]
pub fn most_text(len: u64) -> u64 {
    FREE_TEXT.max(len.saturating_mul(MAX_RATIO))
}

/// What an incomplete frame still gives: its text up to where the frame breaks off, which reads as a failure. `frame` is
/// positioned at its first byte; `len` bytes of it are there.
///
/// # Errors
/// When there is no memory for a decoder.
pub fn torn_text(frame: impl Read, len: u64) -> io::Result<impl Read> {
    // A reader of whole frames would not begin this one: its end is not there.
    Ok(zstd::stream::read::Decoder::new(frame.take(len))?.take(most_text(len)))
}

/// Decodes the complete frames of a file. A frame that is incomplete ends the text, whatever follows it.
pub struct FrameText<R> {
    headers: Headers<R>,
    decoder: Decoder<'static>,
    input: Box<[u8]>,
    input_at: usize,
    input_end: usize,
    /// How much is read next.
    input_len: usize,
    /// The frame being decoded; none between two of them.
    frame: Option<FramePlace>,
    /// Number of the next frame.
    next: u64,
    /// Offset in the file of the first byte that was not handed to the decoder.
    at: u64,
    consumed: u64,
    produced: u64,
    ended: bool,
}

impl<R> std::fmt::Debug for FrameText<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameText").field("at", &self.at).field("produced", &self.produced).finish_non_exhaustive()
    }
}

impl<R: Read + Seek> FrameText<R> {
    const INPUT: usize = 128 * 1024;
    /// What is read first at a new place: who goes from place to place wants little of each.
    const FIRST_INPUT: usize = 16 * 1024;

    /// A decoder for a file of `len` bytes, at the frame that begins at byte `at`.
    ///
    /// # Errors
    /// When there is no memory for a decoder.
    pub fn new(file: R, len: u64, at: u64) -> io::Result<Self> {
        Ok(Self {
            headers: Headers::new(file, len),
            decoder: Decoder::new()?,
            input: vec![0; Self::INPUT].into(),
            input_at: 0,
            input_end: 0,
            input_len: Self::FIRST_INPUT,
            frame: None,
            next: 0,
            at,
            consumed: 0,
            produced: 0,
            ended: false,
        })
    }

    /// Begins again at the frame at byte `at`, which becomes the first.
    pub fn restart(&mut self, at: u64) {
        // A decoder without dictionary can always be taken back to the beginning of a frame.
        self.ended = self.decoder.reinit().is_err();
        (self.input_at, self.input_end, self.input_len) = (0, 0, Self::FIRST_INPUT);
        (self.frame, self.next, self.at) = (None, 0, at);
        (self.consumed, self.produced) = (0, 0);
    }

    /// The frame being decoded, or the next one; none when the text has ended.
    fn frame(&mut self) -> Result<Option<FramePlace>, TextError> {
        if self.frame.is_some() || self.ended {
            return Ok(self.frame);
        }
        let mut place = FramePlace { index: self.next, start: self.at, end: self.at, text: self.produced };
        match self.headers.frame_end(self.at) {
            Ok(end) => place.end = end,
            Err(Stop::Torn) => {
                self.ended = true;
                return Ok(None);
            }
            Err(Stop::Defect(kind, at)) => {
                return Err(self.fail(place, Defect { kind, at, frame: place.index }.to_string()));
            }
            Err(Stop::Io(error)) => return Err(error.into()),
        }
        self.next += 1;
        self.frame = Some(place);
        Ok(self.frame)
    }

    fn fail(&mut self, place: FramePlace, reason: impl Into<String>) -> TextError {
        (self.ended, self.frame) = (true, None);
        TextError::Frame { place, reason: reason.into() }
    }
}

impl<R: Read + Seek> Text for FrameText<R> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<Filled>, TextError> {
        while let Some(place) = self.frame()? {
            if self.input_at == self.input_end {
                self.input_at = 0;
                self.input_end = self.headers.read_at(self.at, &mut self.input[..self.input_len])?;
                self.input_len = Self::INPUT.min(2 * self.input_len);
            }
            // A frame's magic goes in alone: that keeps the decoder from its one-step mode, which is less strict
            // about block sizes.
            let part_end = if self.at < place.start + 4 { place.start + 4 } else { place.end };
            let most = usize::try_from(part_end - self.at).unwrap_or(usize::MAX);
            let input = &self.input[self.input_at..self.input_end];
            let (mut source, mut target) =
                (InBuffer::around(&input[..input.len().min(most)]), OutBuffer::around(&mut *buffer));
            let outcome = self.decoder.run(&mut source, &mut target);
            let (read, len) = (source.pos(), target.pos());
            let left = match outcome {
                Ok(left) => left,
                Err(error) => return Err(self.fail(place, error.to_string())),
            };
            self.input_at += read;
            self.at += read as u64;
            self.consumed += read as u64;
            self.produced += len as u64;
            if self.produced > most_text(self.consumed) {
                return Err(self.fail(place, format!("expands to more than {MAX_RATIO} times its size")));
            }
            if read == 0 && len == 0 && left > 0 {
                return Err(self.fail(place, "the frame is incomplete"));
            }
            let ends_frame = left == 0;
            if ends_frame {
                self.frame = None;
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
    use std::io::Cursor;

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
        let mut frames = FrameText::new(Cursor::new(bytes), bytes.len() as u64, 0).expect("memory");
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
    fn an_incomplete_frame_ends_the_text_and_a_defect_is_told() {
        let (one, two) = (frame(b"one\n"), frame(b"two\n"));
        let bytes = [one.as_slice(), &two, &two[..9]].concat();
        assert_eq!(decode(&bytes, 3), (b"one\ntwo\n".to_vec(), 2, None));
        let (text, whole, failure) = decode(&[one.as_slice(), b"garbage"].concat(), 3);
        let at = one.len() as u64;
        assert_eq!((text.as_slice(), whole), (b"one\n".as_slice(), 1));
        assert_eq!(failure, Some((1, at, format!("invalid frame magic at byte {at}"))));
    }

    #[test]
    fn frames_know_their_places_and_decoding_may_begin_at_any() {
        let (one, two) = (frame(b"one\n"), frame(b"two\n"));
        let bytes = [one.as_slice(), &two, &two].concat();
        let start = one.len() as u64;
        let mut frames = FrameText::new(Cursor::new(&bytes), bytes.len() as u64, start).expect("memory");
        let mut buffer = [0; 100];
        let mut found = Vec::new();
        while let Some(filled) = frames.fill(&mut buffer).expect("sound") {
            let place = filled.frame.expect("a frame");
            found.push((place.start, place.end, place.text, buffer[..filled.len].to_vec()));
        }
        let len = two.len() as u64;
        let text = b"two\n".to_vec();
        assert_eq!(found, [(start, start + len, 0, text.clone()), (start + len, start + 2 * len, 4, text)]);
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
