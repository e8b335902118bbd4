//! Where the Zstandard frames of a container end, found from their headers alone, and their text.
//!
//! A log is a row of frames, one for each durable batch. The last one may be torn: nothing of it is read.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The first bytes of a frame.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// What the scan of a container found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frames {
    /// Bytes of the whole frames at the beginning.
    pub(super) whole: u64,
    /// What follows them.
    pub(super) rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing.
    None,
    /// The beginning of a frame.
    Torn,
    /// Something that is no frame.
    Broken,
}

/// Scans a container of `length` bytes from its beginning.
pub(super) fn scan<R: Read + Seek>(input: R, length: u64) -> io::Result<Frames> {
    let mut input = BufReader::new(input);
    input.seek(SeekFrom::Start(0))?;
    let mut whole = 0;
    let rest = loop {
        if whole == length {
            break Rest::None;
        }
        match frame(&mut input) {
            Ok(Some(bytes)) if whole + bytes <= length => whole += bytes,
            Ok(Some(_)) => break Rest::Torn,
            Ok(None) => break Rest::Broken,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => break Rest::Torn,
            Err(e) => return Err(e),
        }
    };
    Ok(Frames { whole, rest })
}

/// The length of the frame that begins here, in bytes; it may reach beyond the end. `None` when it is no frame.
fn frame<R: Read + Seek>(input: &mut BufReader<R>) -> io::Result<Option<u64>> {
    let mut head = [0; 5];
    input.read_exact(&mut head[..4])?;
    if head[..4] != MAGIC {
        return Ok(None);
    }
    input.read_exact(&mut head[4..])?;
    let descriptor = head[4];
    if descriptor & 0x18 != 0 {
        return Ok(None);
    }
    let single_segment = descriptor & 0x20 != 0;
    let window = u64::from(!single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = [u64::from(single_segment), 2, 4, 8][usize::from(descriptor >> 6)];
    let header = window + dictionary + content_size;
    let mut length = 5 + header;
    skip(input, header)?;
    loop {
        let mut block = [0; 4];
        input.read_exact(&mut block[..3])?;
        let block = u32::from_le_bytes(block);
        let payload = match block >> 1 & 3 {
            1 => 1,
            3 => return Ok(None),
            _ => u64::from(block >> 3),
        };
        skip(input, payload)?;
        length += 3 + payload;
        if block & 1 != 0 {
            break;
        }
    }
    let checksum = u64::from(descriptor & 4);
    skip(input, checksum)?;
    Ok(Some(length + checksum))
}

/// May go beyond the end; the next read finds that.
fn skip<R: Read + Seek>(input: &mut BufReader<R>, bytes: u64) -> io::Result<()> {
    // At most a block of 2^21 bytes.
    input.seek_relative(bytes as i64)
}

/// The text of whole frames. A frame that cannot be decoded gives [`io::ErrorKind::InvalidData`].
pub(super) struct Text<'a>(zstd::Decoder<'static, BufReader<Box<dyn Read + 'a>>>);

impl<'a> Text<'a> {
    pub(super) fn new(frames: Box<dyn Read + 'a>) -> io::Result<Self> {
        Ok(Self(zstd::Decoder::new(frames)?))
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Errors of the file have a number, those of the decoder have none.
        self.0.read(buffer).map_err(|e| match e.raw_os_error() {
            Some(_) => e,
            None if e.kind() == io::ErrorKind::Interrupted => e,
            None => io::Error::new(io::ErrorKind::InvalidData, e),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn scanned(bytes: &[u8]) -> Frames {
        scan(Cursor::new(bytes), bytes.len() as u64).expect("memory can be read")
    }

    fn frame_of(text: &[u8], checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
        encoder.include_checksum(checksum).expect("a flag");
        io::Write::write_all(&mut encoder, text).expect("memory can be written");
        encoder.finish().expect("memory can be written")
    }

    #[test]
    fn whole_frames_end_where_the_torn_one_begins() {
        let varied: Vec<u8> =
            (0..300_000_u32).flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 9).to_le_bytes()).collect();
        for (first, second) in [(&b"one"[..], &b"two"[..]), (b"", b"x"), (&varied, &[0; 500_000])] {
            for checksum in [false, true] {
                let (first, second) = (frame_of(first, checksum), frame_of(second, checksum));
                let both = [&first[..], &second].concat();
                assert_eq!(scanned(&both), Frames { whole: both.len() as u64, rest: Rest::None });
                let step = (second.len() / 50).max(1);
                for cut in (1..second.len()).step_by(step) {
                    let torn = &both[..both.len() - cut];
                    assert_eq!(scanned(torn), Frames { whole: first.len() as u64, rest: Rest::Torn });
                }
            }
        }
    }

    #[test]
    fn what_is_no_frame_is_told_from_a_torn_one() {
        let frame = frame_of(b"text", true);
        for (rest, expected) in [
            (&b"(\xB5/"[..], Rest::Torn),
            (b"{\"a\":1}", Rest::Broken),
            // A skippable frame, a reserved bit of the descriptor, the unused one, a reserved type of block.
            (b"\x50\x2A\x4D\x18\x00\x00\x00\x00", Rest::Broken),
            (b"\x28\xB5\x2F\xFD\x08", Rest::Broken),
            (b"\x28\xB5\x2F\xFD\x10", Rest::Broken),
            (b"\x28\xB5\x2F\xFD\x00\x58\x07\x00\x00", Rest::Broken),
        ] {
            let bytes = [&frame[..], rest].concat();
            assert_eq!(scanned(&bytes), Frames { whole: frame.len() as u64, rest: expected }, "{rest:x?}");
        }
        assert_eq!(scanned(b""), Frames { whole: 0, rest: Rest::None });
    }

    #[test]
    fn text_that_cannot_be_decoded_is_invalid_data() {
        let mut frame = frame_of(b"some text with a checksum", true);
        let last = frame.len() - 1;
        frame[last] ^= 1;
        let mut text = String::new();
        let error = Text::new(Box::new(&frame[..])).and_then(|mut t| t.read_to_string(&mut text));
        assert_eq!(error.expect_err("a wrong checksum").kind(), io::ErrorKind::InvalidData);
    }
}
