//! Records that an editor or a tool printed over several lines: put together, so that they are one finding and are read.
//!
//! A record begins with a line whose first byte is its brace and ends with the line that closes it. Whatever does not
//! come to such an end within bounds is given back line by line. Compressed sources have no such records.

use crate::source::Line;

/// Bytes that are held at most.
const MOST_BYTES: usize = 16 << 20;

/// Lines that may turn out to be one record.
#[derive(Debug)]
pub(super) struct Spread {
    /// Their bytes, line ends included.
    text: Vec<u8>,
    /// Start in the text, number, and whether an LF ends it, by line.
    lines: Vec<(usize, u64, bool)>,
    /// Offset of the first byte in the source.
    offset: u64,
    /// Open braces and brackets.
    depth: u32,
}

/// What a further line makes of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The record goes on.
    Open,
    /// The line closes it.
    Closed,
    /// The line is no part of it, or the lines are no record.
    Apart,
}

impl Spread {
    /// Begins with a line that opens a record and ends between two of its parts.
    pub(super) fn open(line: &Line<'_>) -> Option<Self> {
        let goes_on = matches!(line.bytes.trim_ascii_end().last(), Some(b'{' | b'[' | b',' | b':'));
        if !goes_on || !line.bytes.starts_with(b"{") || !line.terminated || line.truncated || line.frame.is_some() {
            return None;
        }
        let mut spread = Self { text: Vec::new(), lines: Vec::new(), offset: line.offset, depth: 0 };
        (spread.follow(line.bytes)? > 0).then(|| {
            spread.push(line);
            spread
        })
    }

    /// Takes the next line in, unless it stands apart.
    pub(super) fn take(&mut self, line: &Line<'_>) -> Outcome {
        let is_next = line.bytes.starts_with(b"{");
        if is_next || line.truncated || self.text.len() + line.bytes.len() > MOST_BYTES {
            return Outcome::Apart;
        }
        match self.follow(line.bytes) {
            None => Outcome::Apart,
            Some(depth) => {
                self.push(line);
                if depth == 0 { Outcome::Closed } else { Outcome::Open }
            }
        }
    }

    /// The text of all lines.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The lines one by one.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let ends = self.lines.iter().skip(1).map(|(start, ..)| *start).chain([self.text.len()]);
        self.lines.iter().zip(ends).map(|(&(start, number, terminated), end)| Line {
            bytes: &self.text[start..end - usize::from(terminated)],
            number,
            offset: self.offset + start as u64,
            end: self.offset + end as u64,
            frame: None,
            terminated,
            truncated: false,
        })
    }

    fn push(&mut self, line: &Line<'_>) {
        self.lines.push((self.text.len(), line.number, line.terminated));
        self.text.extend_from_slice(line.bytes);
        if line.terminated {
            self.text.push(b'\n');
        }
    }

    /// The depth behind a line; none when the line ends within a string or goes on behind the end of the record.
    fn follow(&mut self, line: &[u8]) -> Option<u32> {
        let mut at = 0;
        while at < line.len() {
            match line[at] {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.checked_sub(1)?;
                    if self.depth == 0 {
                        return line[at + 1..].trim_ascii().is_empty().then_some(0);
                    }
                }
                b'"' => {
                    at += 1;
                    loop {
                        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
                        if line[at] == b'"' {
                            break;
                        }
                        at += 2;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Some(self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::LineReader;

    #[test]
    fn a_record_ends_where_its_brace_is_closed() {
        for (text, expected) in [
            ("{\n \"a\": [\n  1\n ]\n}\n", Some(Outcome::Closed)),
            ("{\"a\": 1,\n\"b\": \"}\\\"\"\n}", Some(Outcome::Closed)),
            ("{\n \"a\": 1\n", Some(Outcome::Open)),
            ("{\n \"a\": 1\n{\n}\n", Some(Outcome::Apart)),
            ("{\n \"a\": \"cut\n}\n", Some(Outcome::Apart)),
            ("{\n \"a\": 1 } {\n", Some(Outcome::Apart)),
            ("{\"a\": \"cut\n}\n", None),
            ("{\"a\": 1}\n", None),
            (" {\n}\n", None),
        ] {
            let mut reader = LineReader::new(std::io::Cursor::new(text), 100);
            let mut spread = Spread::open(&reader.next_line().unwrap().unwrap());
            let mut last = spread.as_ref().map(|_| Outcome::Open);
            while let (Some(spread), Some(Outcome::Open)) = (&mut spread, &last) {
                let Some(line) = reader.next_line().unwrap() else { break };
                last = Some(spread.take(&line));
            }
            assert_eq!(last, expected, "{text}");
            for line in spread.iter().flat_map(Spread::lines) {
                assert_eq!(&text.as_bytes()[line.offset as usize..][..line.bytes.len()], line.bytes);
            }
        }
    }
}
