//! The structure of a file of concatenated Zstandard frames, told from headers alone.
//!
//! Nothing is decompressed here, so a verdict on a large file costs a few reads. Skippable frames and other magics
//! are defects: an append-only log has no use for them, and its reader refuses them.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

/// The first four bytes of every frame.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Whether a file begins like a frame; leaves it at its beginning.
///
/// # Errors
/// When the file cannot be read.
pub fn begins(mut file: impl Read + Seek) -> io::Result<bool> {
    let mut start = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == MAGIC)
}

/// What is wrong with a container's structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefectKind {
    /// A frame does not begin with the magic bytes.
    Magic,
    /// A frame header sets a bit that must be zero.
    HeaderBit,
    /// A block has the reserved type.
    BlockType,
}

/// A structural defect: no frame boundary behind it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// What is wrong.
    pub kind: DefectKind,
    /// Offset in the file of the byte or block header that is wrong.
    pub at: u64,
    /// Index of the frame it is in, from 0.
    pub frame: u64,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.kind {
            DefectKind::Magic => "invalid frame magic",
            DefectKind::HeaderBit => "reserved frame-header bit",
            DefectKind::BlockType => "reserved block type",
        };
        write!(f, "{reason} at byte {}", self.at)
    }
}

/// The outline of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Number of complete frames, up to the first defect.
    pub frames: u64,
    /// Offset behind the last of them.
    pub end: u64,
    /// Size of the file.
    pub len: u64,
    /// The first defect.
    pub defect: Option<Defect>,
}

impl Outline {
    /// Number of bytes behind the last complete frame that are the beginning of another one.
    #[must_use]
    pub fn torn_bytes(&self) -> u64 {
        if self.defect.is_some() { 0 } else { self.len - self.end }
    }
}

/// Why a frame is not complete and sound.
pub(super) enum Stop {
    Torn,
    Defect(DefectKind, u64),
    Io(io::Error),
}

/// Reads the headers of all frames up to `len`, the size of the file.
///
/// # Errors
/// When the file cannot be read.
pub fn outline(file: impl Read + Seek, len: u64) -> io::Result<Outline> {
    let mut headers = Headers::new(file, len);
    let mut outline = Outline { frames: 0, end: 0, len, defect: None };
    while outline.end < len {
        match headers.frame_end(outline.end) {
            Ok(end) => {
                outline.end = end;
                outline.frames += 1;
            }
            Err(Stop::Torn) => break,
            Err(Stop::Defect(kind, at)) => {
                outline.defect = Some(Defect { kind, at, frame: outline.frames });
                break;
            }
            Err(Stop::Io(error)) => return Err(error),
        }
    }
    Ok(outline)
}

/// Reads the headers of a file of frames, in small pieces and in ascending order.
pub(super) struct Headers<R> {
    file: R,
    len: u64,
    window: Vec<u8>,
    /// Offset of the window in the file.
    start: u64,
}

impl<R: Read + Seek> Headers<R> {
    const WINDOW: u64 = 8 * 1024;

    /// For a file of `len` bytes.
    pub(super) fn new(file: R, len: u64) -> Self {
        Self { file, len, window: Vec::new(), start: 0 }
    }

    /// Bytes of the file from an offset on; 0 at its end.
    pub(super) fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(at))?;
        let most = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX).min(buffer.len());
        loop {
            match self.file.read(&mut buffer[..most]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                count => return count,
            }
        }
    }

    /// Offset behind the frame that begins at `start`.
    pub(super) fn frame_end(&mut self, start: u64) -> Result<u64, Stop> {
        if self.bytes::<4>(start)? != MAGIC {
            return Err(Stop::Defect(DefectKind::Magic, start));
        }
        let mut at = start + 4;
        let [descriptor] = self.bytes(at)?;
        if descriptor & 0x18 != 0 {
            return Err(Stop::Defect(DefectKind::HeaderBit, at));
        }
        let single_segment = descriptor & 0x20 != 0;
        let window = u64::from(!single_segment);
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let size = [u64::from(single_segment), 2, 4, 8][usize::from(descriptor >> 6)];
        at = self.skip(at + 1, window + dictionary + size)?;
        loop {
            let [a, b, c] = self.bytes(at)?;
            let header = u32::from_le_bytes([a, b, c, 0]);
            let payload = match header >> 1 & 3 {
                1 => 1,
                3 => return Err(Stop::Defect(DefectKind::BlockType, at)),
                _ => u64::from(header >> 3),
            };
            at = self.skip(at + 3, payload)?;
            if header & 1 == 1 {
                break;
            }
        }
        let checksum = if descriptor & 4 != 0 { 4 } else { 0 };
        self.skip(at, checksum)
    }

    /// The offset behind `count` bytes, all of which must be there.
    fn skip(&self, at: u64, count: u64) -> Result<u64, Stop> {
        if count <= self.len - at { Ok(at + count) } else { Err(Stop::Torn) }
    }

    fn bytes<const N: usize>(&mut self, at: u64) -> Result<[u8; N], Stop> {
        self.skip(at, N as u64)?;
        let cached = |window: &[u8], start| {
            let from = usize::try_from(at.checked_sub(start)?).ok()?;
            window.get(from..)?.first_chunk().copied()
        };
        if let Some(bytes) = cached(&self.window, self.start) {
            return Ok(bytes);
        }
        self.window.clear();
        self.start = self.file.seek(SeekFrom::Start(at)).map_err(Stop::Io)?;
        self.file.by_ref().take(Self::WINDOW).read_to_end(&mut self.window).map_err(Stop::Io)?;
        cached(&self.window, self.start).ok_or(Stop::Io(io::ErrorKind::UnexpectedEof.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{Defect, DefectKind, MAGIC, Outline, outline};

    fn scan(bytes: &[u8]) -> Outline {
        outline(Cursor::new(bytes), bytes.len() as u64).expect("memory can be read")
    }

    fn frame(rest: &[u8]) -> Vec<u8> {
        [MAGIC.as_slice(), rest].concat()
    }

    /// Single segment, one byte of content size, one raw block holding `ab`, no checksum.
    fn small() -> Vec<u8> {
        frame(&[0x20, 2, 0x11, 0, 0, b'a', b'b'])
    }

    #[test]
    fn every_header_shape_is_measured() {
        let block = [1, 0, 0];
        for (descriptor, rest) in
            [(0x00, 1), (0x20, 1), (0x40, 3), (0x60, 2), (0x80, 5), (0xC0, 9), (0xE0, 8), (0x03, 5), (0x22, 3)]
        {
            let bytes = frame(&[[descriptor].as_slice(), &vec![0; rest], &block].concat());
            let expected = Outline { frames: 1, end: bytes.len() as u64, len: bytes.len() as u64, defect: None };
            assert_eq!(scan(&bytes), expected, "{descriptor:#x}");
            let with_sum = frame(&[[descriptor | 4].as_slice(), &vec![0; rest], &block, &[9; 4]].concat());
            assert_eq!(scan(&with_sum).end, with_sum.len() as u64, "{descriptor:#x}");
        }
    }

    #[test]
    fn every_cut_of_the_last_frame_is_a_tear() {
        let first = small();
        let bytes = [first.clone(), frame(&[0x04, 0, 0x0A, 0, 0, 7, 0x11, 0, 0, 1, 2, 3, 4, 5, 6])].concat();
        assert_eq!(scan(&bytes).frames, 2);
        for cut in first.len() + 1..bytes.len() {
            let found = scan(&bytes[..cut]);
            assert_eq!((found.frames, found.defect, found.torn_bytes()), (1, None, (cut - first.len()) as u64));
        }
    }

    #[test]
    fn defects_carry_offset_and_frame_also_when_the_frame_is_cut() {
        let at = |bytes: &[u8]| scan(&[small(), bytes.to_vec()].concat()).defect.map(|d| (d.kind, d.at, d.frame));
        assert_eq!(at(b"\0\0\0\0"), Some((DefectKind::Magic, 11, 1)));
        assert_eq!(at(&[0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]), Some((DefectKind::Magic, 11, 1)));
        assert_eq!(at(&frame(&[0x08])), Some((DefectKind::HeaderBit, 15, 1)));
        assert_eq!(at(&frame(&[0x10])), Some((DefectKind::HeaderBit, 15, 1)));
        assert_eq!(at(&frame(&[0x20, 0, 0x06, 0, 0])), Some((DefectKind::BlockType, 17, 1)));
        assert_eq!(at(&frame(&[0x20, 0, 0x02, 0, 0, 9, 0x07, 0, 0])), Some((DefectKind::BlockType, 21, 1)));
        assert_eq!(at(b"\0\0\0"), None);
        let shown = Defect { kind: DefectKind::BlockType, at: 21, frame: 1 }.to_string();
        assert_eq!(shown, "reserved block type at byte 21");
    }

    #[test]
    fn frames_beyond_the_window_are_found() {
        let bytes = small().repeat(5000);
        assert_eq!(scan(&bytes).frames, 5000);
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_outline(bytes in proptest::collection::vec(any::<u8>(), 0..200), frames in 0usize..3, cut in any::<usize>()) {
            let mut bytes = [small().repeat(frames), bytes].concat();
            if !bytes.is_empty() { let at = cut % bytes.len(); bytes[at] ^= 1 << (cut % 8); }
            let found = scan(&bytes);
            prop_assert!(found.end <= found.len);
            prop_assert!(found.defect.is_none_or(|defect| defect.at >= found.end && defect.frame == found.frames));
            prop_assert_eq!(scan(&bytes[..found.end as usize]).frames, found.frames);
        }
    }
}
