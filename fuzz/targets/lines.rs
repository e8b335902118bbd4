//! Lines cover the text, whatever the limit and however it arrives.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use sesslint::source::LineReader;

struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.1.min(self.0.len()).min(buffer.len());
        buffer[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (step, limit, text) = input;
    let max_line = usize::from(limit) + 1;
    let mut reader = LineReader::new(Dribble(text, usize::from(step) + 1), max_line);
    let (mut at, mut number) = (0, 0);
    while let Some(line) = reader.next_line().expect("memory") {
        number += 1;
        let whole = &text[at as usize..line.end as usize];
        let body = whole.strip_suffix(b"\n").unwrap_or(whole);
        assert_eq!((line.offset, line.number), (at, number));
        assert!(!body.contains(&b'\n') && !whole.is_empty());
        assert_eq!(line.bytes, &body[..body.len().min(max_line)]);
        assert_eq!((line.terminated, line.truncated), (whole.ends_with(b"\n"), body.len() > max_line));
        at = line.end;
    }
    assert_eq!(at, text.len() as u64);
});
