//! Lines or one JSON document: decided from the first bytes, so that neither a payload nor a broken record decides.

use std::io::{self, Read};

use crate::adapter::Document;
use crate::record::outline::{begins_list, outline};
use crate::record::{Json, JsonFault, Scanner};
use crate::source::BOM;

/// How much is read ahead at most; a first line longer than this is judged by its beginning.
const LOOKAHEAD: usize = 1 << 20;

/// How a source begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Records stand on lines of their own.
    Lines,
    /// The whole source is one JSON value.
    Document,
}

/// Reads into `head` what is needed to decide, and decides.
pub(super) fn find(input: &mut impl Read, head: &mut Vec<u8>, document: &Document) -> io::Result<Start> {
    let mut wanted = 4096;
    loop {
        let before = head.len();
        input.by_ref().take((wanted - before) as u64).read_to_end(head)?;
        let ended = head.len() < wanted;
        if let Some(start) = decide(head, ended || wanted >= LOOKAHEAD, document) {
            return Ok(start);
        }
        wanted *= 4;
    }
}

/// Decides from the beginning of a source; none when more of it is needed. `last`: there will be no more.
fn decide(head: &[u8], last: bool, document: &Document) -> Option<Start> {
    let text = head.strip_prefix(BOM).unwrap_or(head);
    let blank = |b: &u8| matches!(b, b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | b' ');
    let Some(begin) = text.iter().position(|b| !blank(b)) else {
        // Blanks alone, with or without byte order mark: a document without anything in it.
        return last.then_some(Start::Document);
    };
    let text = &text[begin..];
    if !matches!(text[0], b'{' | b'[') {
        return Some(Start::Lines);
    }
    let mut scanner = Scanner::default();
    let first_end = memchr::memchr(b'\n', text);
    if first_end.is_none() && !last {
        return None;
    }
    let first = &text[..first_end.unwrap_or(text.len())];
    if text[0] == b'[' {
        return Some(if begins_list(first, &mut scanner) { Start::Document } else { Start::Lines });
    }
    let behind = text[first.len()..].iter().position(|b| !blank(b));
    match scanner.scan(first, 1).err().map(|e| e.fault) {
        // A whole object with more behind it is the first record of a stream.
        None if behind.is_some() => Some(Start::Lines),
        None => last.then(|| by_members(first, &mut scanner, document)),
        // The object goes on behind its line if the next line can go on with it; else the line is a cut record.
        Some(JsonFault::UnexpectedEnd) if first_end.is_some() => {
            let rest = &text[first.len()..];
            let Some(begin) = behind else {
                return last.then(|| by_members(first, &mut scanner, document));
            };
            let end = memchr::memchr(b'\n', &rest[begin..]).or(last.then_some(rest.len() - begin))?;
            let (both, second) = (&text[..first.len() + begin + end], &rest[begin..begin + end]);
            let is_object = second.starts_with(b"{") && scanner.scan(second, 1).is_ok();
            // Whole objects below each other go on with nothing: a document would part them.
            let next = rest[begin + end..].iter().find(|b| !blank(b));
            if is_object && next.is_none() && !last {
                return None;
            }
            if is_object && next == Some(&b'{') {
                return Some(Start::Lines);
            }
            // No layout puts a whole object at the margin below the name that it belongs to.
            let is_value = first.trim_ascii_end().ends_with(b":") && rest[..begin].ends_with(b"\n");
            let is_record = is_object && is_value;
            let goes_on = matches!(
                scanner.scan(both, 1).map_err(|e| e.fault),
                Ok(_) | Err(JsonFault::UnexpectedEnd | JsonFault::TrailingData)
            );
            if !goes_on || is_record {
                return Some(Start::Lines);
            }
            // Records that were laid out one behind the other: each is closed before the next one begins.
            let Some(closed) = memchr::memmem::find(text, b"\n}") else {
                return last.then_some(Start::Document);
            };
            let next = text[closed + 2..].iter().find(|b| !blank(b));
            let is_next = next == Some(&b'{') && document.items.is_empty();
            if next.is_none() && !last { None } else { Some(if is_next { Start::Lines } else { Start::Document }) }
        }
        _ => Some(by_members(first, &mut scanner, document)),
    }
}

/// Asks the format about the members that are whole at the beginning of an object.
fn by_members(text: &[u8], scanner: &mut Scanner, document: &Document) -> Start {
    let Some(outline) = outline(text, scanner) else { return Start::Lines };
    match scanner.scan(&outline.text, 2) {
        Ok(_) if (document.is_document)(Json::new(&outline.text, scanner.tape())) => Start::Document,
        _ => Start::Lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: Document =
        Document { items: &["items"], is_document: |head| head.get("items").is_some(), not_object: "item_not_dict" };

    #[test]
    fn documents_and_lines_are_told_apart() {
        use Start::{Document, Lines};
        for (text, start) in [
            ("", Document),
            (" \n\u{b}\r\n", Document),
            ("\u{feff} \n", Document),
            ("{\"a\":1}\n{\"a\":2}\n", Lines),
            ("{\"a\":1}", Lines),
            ("{\"items\":[1]}\n\n", Document),
            ("{\"items\":[1]}\n{\"a\":2}\n", Lines),
            ("{\"a\":{\"items\":[1]}}\n{\"a\":2}\n", Lines),
            ("\u{feff}\n{\"items\":[]}", Document),
            ("{\"items\":[{\"a\":1},{\"b", Document),
            ("{\"items\":[{\"a\":1},{b:1}]}", Document),
            ("{\"a\":{\"items\":[1", Lines),
            ("{\n \"a\": 1\n}", Document),
            ("{\n  \"items\": [\n", Document),
            ("{\"a\":1,\n\"b\":2}", Document),
            ("{\"a\":1,\n{\"b\":2}\n", Lines),
            ("{\"a\":\"cut\n{\"b\":2}\n", Lines),
            ("{\n{\"b\":2}\n", Lines),
            ("{\"cut\":\n{\"b\":2}\n{\"c\":3}\n", Lines),
            ("{\"cut\":[\n{\"b\":2}\n\n{\"c\":3}\n", Lines),
            ("{\"items\":[\n{\"b\":2}\n]}\n", Document),
            ("{\"items\":[\n{\"b\":2},\n{\"c\":3}\n]}\n", Document),
            ("{\"a\":\n{\"b\":2}\n", Lines),
            ("{\"a\":\n {\"b\":2}\n}", Document),
            ("{\n \"a\": 1\n}\n{\n \"b\": 1\n}\n", Document),
            ("{\n\"items\": [\n{\n}\n,{\n}\n]\n}\n", Document),
            ("{", Lines),
            ("{\n", Lines),
            ("[]", Document),
            ("[\n  {\"a\":1}\n]", Document),
            ("[ {broken}\n]", Document),
            ("[1, {\"a\":1}]", Document),
            ("[INFO] started\n{\"a\":1}\n", Lines),
            ("[2024-01-01 10:00:00] x\n{\"a\":1}\n", Lines),
            ("words\n", Lines),
        ] {
            for step in [1, 7, 4096] {
                let mut head = Vec::new();
                let mut input = Dribble(text.as_bytes(), step);
                assert_eq!(find(&mut input, &mut head, &DOCUMENT).expect("readable"), start, "{text:?}");
            }
        }
    }

    #[test]
    fn records_that_were_laid_out_are_no_document_where_an_object_never_is_one() {
        let arrays_alone = super::Document { items: &[], ..DOCUMENT };
        for (text, start) in [
            ("{\n \"a\": 1\n}\n{\n \"b\": 1\n}\n", Start::Lines),
            ("{\n \"a\": 1\n}\n", Start::Document),
            ("{\n \"a\": {\n}\n,\"b\": 1\n}\n{}", Start::Document),
        ] {
            let found = find(&mut Dribble(text.as_bytes(), 1), &mut Vec::new(), &arrays_alone);
            assert_eq!(found.expect("readable"), start, "{text:?}");
        }
    }

    #[test]
    fn long_first_lines_are_judged_by_their_beginning() {
        let text = format!("{{\"items\":[{}{{}}]}}", "{\"text\":\"words\"},".repeat(100_000));
        let mut head = Vec::new();
        assert_eq!(find(&mut text.as_bytes(), &mut head, &DOCUMENT).expect("readable"), Start::Document);
        assert!(head.len() < text.len());
    }

    /// Gives a few bytes at a time.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
}
