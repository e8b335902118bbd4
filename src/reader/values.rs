//! Cutting one JSON value out of a stream of bytes: where it ends even when it is broken.
//!
//! Only brackets, strings and commas are looked at; whether the text is JSON is the scanner's question. A value that
//! lacks a closing bracket or quote ends where what follows cannot belong to it, so that the next one is read all the same.

use std::io::{self, Read};

use super::bytes::Bytes;

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Its end was found; whether it is well formed is not known.
    Ended,
    /// The source ended inside it.
    Cut,
    /// It is longer than the limit: only its beginning was kept.
    TooLong,
}

/// Reads the value at the next byte, which must not be blank, into `text`, at most `limit` bytes of it.
pub(super) fn cut<R: Read>(bytes: &mut Bytes<R>, limit: usize, text: &mut Vec<u8>) -> io::Result<Extent> {
    text.clear();
    let mut whole = true;
    let mut keep = |text: &mut Vec<u8>, part: &[u8]| {
        let room = limit - text.len();
        whole &= part.len() <= room;
        text.extend_from_slice(&part[..part.len().min(room)]);
    };
    // True for objects.
    let mut open: Vec<bool> = Vec::new();
    let mut behind_comma = false;
    let ended = loop {
        if !open.is_empty() {
            let ahead = bytes.ahead()?;
            let plain = ahead.iter().position(|b| is_structure(*b)).unwrap_or(ahead.len());
            if plain > 0 {
                behind_comma &= ahead[..plain].iter().all(|b| matches!(b, b' ' | b'\t' | b'\r'));
                keep(text, &ahead[..plain]);
                bytes.skip_plain(plain);
                continue;
            }
        }
        let Some(byte) = bytes.peek()? else { break false };
        let after_comma = std::mem::take(&mut behind_comma);
        match byte {
            b'"' => {
                bytes.step();
                keep(text, b"\"");
                string(bytes, |part| keep(text, part))?;
                if open.is_empty() {
                    break bytes.peek()?.is_some() || text.ends_with(b"\"") && text.len() > 1;
                }
                continue;
            }
            // A member has a name: this brace begins the next value, and this one was never closed.
            b'{' if after_comma && open.last() == Some(&true) => break true,
            b'{' | b'[' => open.push(byte == b'{'),
            b'}' | b']' => {
                let is_object = byte == b'}';
                match open.iter().rposition(|o| *o == is_object) {
                    // It closes something around this value.
                    None => break true,
                    Some(depth) => open.truncate(depth),
                }
                if open.is_empty() {
                    bytes.step();
                    keep(text, &[byte]);
                    break true;
                }
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if open.is_empty() => break true,
            b',' => behind_comma = true,
            b'\n' => behind_comma = after_comma,
            _ => {}
        }
        bytes.step();
        keep(text, &[byte]);
    };
    Ok(match (ended, whole) {
        (false, _) => Extent::Cut,
        (true, true) => Extent::Ended,
        (true, false) => Extent::TooLong,
    })
}

/// Bytes that the inside of an array or object is cut by, and the line end that is counted.
fn is_structure(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',' | b'\n')
}

/// Reads on behind an opening quote up to the closing one. No string spans lines: a line end closes it too.
fn string<R: Read>(bytes: &mut Bytes<R>, mut keep: impl FnMut(&[u8])) -> io::Result<()> {
    loop {
        let ahead = bytes.ahead()?;
        let plain = memchr::memchr3(b'"', b'\\', b'\n', ahead).unwrap_or(ahead.len());
        if plain > 0 {
            keep(&ahead[..plain]);
            bytes.skip_plain(plain);
            continue;
        }
        match bytes.peek()? {
            None | Some(b'\n') => return Ok(()),
            Some(b'"') => {
                bytes.step();
                keep(b"\"");
                return Ok(());
            }
            Some(_) => {
                bytes.step();
                keep(b"\\");
                if let Some(escaped) = bytes.peek()?.filter(|b| *b != b'\n') {
                    bytes.step();
                    keep(&[escaped]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_text(input: &str, limit: usize) -> (Extent, String, u64) {
        let mut bytes = Bytes::new(input.as_bytes());
        let mut text = Vec::new();
        let extent = cut(&mut bytes, limit, &mut text).expect("readable");
        (extent, String::from_utf8(text).expect("text"), bytes.place().offset)
    }

    #[test]
    fn values_end_where_they_end() {
        for (input, value) in [
            (r#"{"a":[1,"]}\"",{}]},7"#, r#"{"a":[1,"]}\"",{}]}"#),
            (r#""a,b" ,1"#, r#""a,b""#),
            ("12]", "12"),
            ("null\n", "null"),
            ("[[],[{}]] x", "[[],[{}]]"),
        ] {
            assert_eq!(cut_text(input, 99), (Extent::Ended, value.into(), value.len() as u64), "{input}");
        }
    }

    #[test]
    fn broken_values_end_before_what_follows() {
        for (input, value) in [
            (r#"{"a":1,{"b":2}]"#, r#"{"a":1,"#),
            ("{\"a\":1,\n {\"b\":2}]", "{\"a\":1,\n "),
            ("{\"a\":\"open\n},{\"b\":2}]", "{\"a\":\"open\n}"),
            ("{\"a\":\"open\\\n},{\"b\":2}]", "{\"a\":\"open\\\n}"),
            (r#"{"a":1]"#, r#"{"a":1"#),
            (r#"{"a":[1},{"b":2}]"#, r#"{"a":[1}"#),
            ("\0\0{}", "\0\0{}"),
            ("}", ""),
        ] {
            assert_eq!(cut_text(input, 99).1, value, "{input}");
            assert_eq!(cut_text(input, 99).0, Extent::Ended, "{input}");
        }
    }

    #[test]
    fn cut_and_long_values_are_told() {
        assert_eq!(cut_text(r#"{"a":"b"#, 99).0, Extent::Cut);
        assert_eq!(cut_text("\"b", 99).0, Extent::Cut);
        assert_eq!(cut_text("\"b\"", 99).0, Extent::Ended);
        assert_eq!(cut_text("12", 99).0, Extent::Cut);
        assert_eq!(cut_text("{\"a\":\"long\"},", 5), (Extent::TooLong, "{\"a\":".into(), 12));
    }
}
