//! The hash by which GitHub code scanning knows a line again (`primaryLocationLineHash`): a polynomial over the first
//! 100 UTF-16 units from the line's start on, blanks left out, with the number of equal hashes so far.
//!
//! Lines end at CR LF, LF or a lone CR, so their numbers may differ from ours; the service counts them this way too.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};

/// Units that enter a hash.
const WINDOW: u64 = 100;
/// The polynomial's base.
const BASE: u64 = 37;
/// Base to the power of the window, wrapping.
const SHIFT: u64 = BASE.wrapping_pow(WINDOW as u32);
/// The unit behind the last one.
const END: u64 = 65_535;

/// The hashes of some lines of a stream (numbers from 1, sorted), `hex:count` each; lines that are not there are left
/// out. One pass in constant memory per line.
///
/// # Errors
/// Those of the stream.
pub fn line_hashes(input: impl Read, lines: &[u64]) -> io::Result<HashMap<u64, String>> {
    let mut hashes = Hashes {
        lines,
        line: 1,
        position: 0,
        sum: 0,
        open: VecDeque::from([(0, 0)]),
        seen: HashMap::new(),
        found: HashMap::new(),
    };
    let mut text = Utf8 { input, bytes: Vec::new(), start: 0, ended: false };
    let mut after_cr = false;
    let mut after_end = false;
    while let Some(chunk) = text.next_chunk()? {
        for c in chunk.chars() {
            if c == ' ' || c == '\t' || (after_cr && c == '\n') {
                after_cr = false;
                continue;
            }
            after_cr = c == '\r';
            if after_end {
                hashes.begin_line();
            }
            after_end = c == '\n' || c == '\r';
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                hashes.unit(if after_end { 10 } else { u64::from(*unit) });
            }
        }
    }
    if after_end {
        hashes.begin_line();
    }
    hashes.unit(END);
    while !hashes.open.is_empty() {
        hashes.unit(0);
    }
    Ok(hashes.found)
}

struct Hashes<'a> {
    lines: &'a [u64],
    /// Number of the oldest line whose window is open.
    line: u64,
    /// Units so far.
    position: u64,
    /// The polynomial over all units so far.
    sum: u64,
    /// Lines whose window is not full: position of the first unit, and the polynomial before it.
    open: VecDeque<(u64, u64)>,
    seen: HashMap<u64, u64>,
    found: HashMap<u64, String>,
}

impl Hashes<'_> {
    fn begin_line(&mut self) {
        self.open.push_back((self.position, self.sum));
    }

    fn unit(&mut self, unit: u64) {
        self.sum = self.sum.wrapping_mul(BASE).wrapping_add(unit);
        self.position += 1;
        if let Some(&(start, before)) = self.open.front()
            && self.position - start == WINDOW
        {
            self.open.pop_front();
            let hash = self.sum.wrapping_sub(before.wrapping_mul(SHIFT));
            let count = self.seen.entry(hash).or_default();
            *count += 1;
            if self.lines.binary_search(&self.line).is_ok() {
                self.found.insert(self.line, format!("{hash:x}:{count}"));
            }
            self.line += 1;
        }
    }
}

/// Text of a stream, chunk by chunk; what is no UTF-8 becomes U+FFFD.
struct Utf8<R> {
    input: R,
    bytes: Vec<u8>,
    start: usize,
    ended: bool,
}

impl<R: Read> Utf8<R> {
    fn next_chunk(&mut self) -> io::Result<Option<String>> {
        self.bytes.drain(..self.start);
        self.start = 0;
        if !self.ended {
            self.ended = (&mut self.input).take(64 << 10).read_to_end(&mut self.bytes)? == 0;
        }
        if self.ended && self.bytes.is_empty() {
            return Ok(None);
        }
        let whole = if self.ended { self.bytes.len() } else { complete(&self.bytes) };
        self.start = whole;
        Ok(Some(String::from_utf8_lossy(&self.bytes[..whole]).into_owned()))
    }
}

/// Length of the bytes without a character at their end that the next bytes may complete.
fn complete(bytes: &[u8]) -> usize {
    let lead = (1..=3.min(bytes.len())).find(|&n| bytes[bytes.len() - n] >= 0xC0);
    let length = |first: u8| match first {
        0xF0.. => 4,
        0xE0.. => 3,
        _ => 2,
    };
    bytes.len() - lead.filter(|&n| length(bytes[bytes.len() - n]) > n).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives few bytes at a time, so that characters are cut everywhere.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn all(text: &[u8], step: usize) -> Vec<String> {
        let lines: Vec<u64> = (1..=text.len() as u64 + 2).collect();
        let mut found = line_hashes(Dribble(text, step), &lines).unwrap();
        lines.iter().map_while(|line| found.remove(line)).collect()
    }

    #[test]
    fn hashes_are_those_of_the_service() {
        let a = "{\"type\":\"user\",\"id\":\"u1\"}\n{\"type\":\"assistant\",\"id\":\"a1\"}\n";
        let of_a = ["d4d71fc6bb4a53c6:1", "b56c5b874aa5dbf4:1", "c129715d7a2bc9a3:1"];
        let long = |id: &str| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", "q".repeat(200));
        for (text, hashes) in [
            (String::new(), &of_a[2..]),
            (a.to_owned(), &of_a),
            (a.replace('\n', "\r\n"), &of_a),
            (a.replace('\n', "\r"), &of_a),
            (a.replace(':', ": \t").replace(',', ", "), &of_a),
            (
                format!("{a}{{\"type\":\"user\",\"id\":\"u2\"}}\n"),
                &["246bf226ab824ef9:1", "7aa33e937a5bf08f:1", "69ec01eacc504be2:1", "c129715d7a2bc9a3:1"],
            ),
            (a.trim_end().to_owned(), &["8d8e30c9742ec660:1", "26df294f2a93d3be:1"]),
            (
                "{\"t\":\"\u{1F680}\"}\n{\"t\":\"\u{E9}\"}\n".to_owned(),
                &["60ffaf2757e8edb5:1", "4491fc75e3abf2c8:1", "c129715d7a2bc9a3:1"],
            ),
            (
                "{\"k\":1}\n".repeat(3),
                &["139276ea2c1b053:1", "a0daca8060c6f6c3:1", "cb348399166dbf33:1", "c129715d7a2bc9a3:1"],
            ),
            (long("x") + &long("y"), &["a915a73b2f105c55:1", "748ceac8188ac6e6:1", "c129715d7a2bc9a3:1"]),
            (long("x") + &long("z"), &["a915a73b2f105c55:1", "40042e5502053177:1", "c129715d7a2bc9a3:1"]),
        ] {
            for step in [1, 2, 3, 7, 1 << 20] {
                assert_eq!(all(text.as_bytes(), step), hashes, "{text:?}");
            }
        }
    }

    #[test]
    fn equal_beginnings_are_counted() {
        let record = format!("{}\n", "x".repeat(150));
        let hashes = all(record.repeat(3).as_bytes(), 64);
        let (first, count) = hashes[0].split_once(':').unwrap();
        assert_eq!((count, hashes[2].clone()), ("1", format!("{first}:3")));
    }

    #[test]
    fn only_wanted_lines_are_told() {
        let found = line_hashes("a\nb\nc".as_bytes(), &[2, 9]).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found.contains_key(&2));
    }

    /// The definition, word for word, over the whole text.
    fn slowly(text: &[u8]) -> Vec<String> {
        let mut units = Vec::new();
        let mut after_cr = false;
        for c in String::from_utf8_lossy(text).chars() {
            let skip = c == ' ' || c == '\t' || (c == '\n' && after_cr);
            after_cr = c == '\r';
            if !skip {
                units.extend(if c == '\r' { vec![10] } else { c.encode_utf16(&mut [0; 2]).to_vec() });
            }
        }
        units.push(65_535);
        let starts = (0..units.len()).filter(|&n| n == 0 || units[n - 1] == 10);
        let mut seen: HashMap<u64, u32> = HashMap::new();
        let hash = |start: usize| {
            (start..start + 100)
                .fold(0u64, |sum, n| sum.wrapping_mul(37).wrapping_add(units.get(n).copied().unwrap_or(0).into()))
        };
        starts
            .map(|start| {
                let count = seen.entry(hash(start)).or_default();
                *count += 1;
                format!("{:x}:{count}", hash(start))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn the_rolling_sum_is_the_windowed_one(
            text in proptest::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), Just(b'a'), Just(0xC3), Just(0xA9), any::<u8>()], 0..300),
            step in 1usize..40,
        ) {
            prop_assert_eq!(all(&text, step), slowly(&text));
        }
    }
}
