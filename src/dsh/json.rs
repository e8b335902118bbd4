//! Reads JSON the way an ECMAScript engine does, in place and without recursion on the input's depth.
//!
//! The logs are written and read by such an engine, so its habits decide what a record is: the last of repeated
//! names wins, lone surrogates are legal, nesting has no limit, `1.0` and `1e0` are integers, bytes that are not
//! UTF-8 read as U+FFFD. Owns syntax only; which fields matter is decided by [`super::record`].

use std::borrow::Cow;

use super::js_text::JsText;
use super::raw::Raw;

/// The text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A position in a text. Each method consumes what it names and leaves the position behind it.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the beginning of a text.
    #[must_use]
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte that is not blank, which stays unread.
    ///
    /// # Errors
    /// When only blanks are left.
    pub fn peek(&mut self) -> Result<u8, Malformed> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Malformed),
            }
        }
    }

    /// Reads the next element from inside an array; none at its end or where the syntax is broken.
    pub(super) fn next_element(&mut self) -> Option<Raw<'a>> {
        match self.peek().ok()? {
            b']' => return None,
            b',' => self.at += 1,
            _ => {}
        }
        self.value().ok()
    }

    /// Makes sure that only blanks are left.
    ///
    /// # Errors
    /// When something else is.
    pub fn end(mut self) -> Result<(), Malformed> {
        if self.peek().is_ok() { Err(Malformed) } else { Ok(()) }
    }

    /// Reads an object, handing each member's name and the cursor before its value to `member`, which must
    /// consume exactly that value.
    ///
    /// # Errors
    /// On broken syntax, also when there is no object here.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&[u8], &mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.byte(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let name = self.name()?;
            member(&name, self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break self.at += 1,
                _ => return Err(Malformed),
            }
        }
        Ok(())
    }

    /// Reads an array, handing each element's index and the cursor before it to `element`, which must consume
    /// exactly that element.
    ///
    /// # Errors
    /// On broken syntax, also when there is no array here.
    pub fn array(
        &mut self,
        mut element: impl FnMut(usize, &mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.byte(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        let mut index = 0;
        loop {
            element(index, self)?;
            index += 1;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break self.at += 1,
                _ => return Err(Malformed),
            }
        }
        Ok(())
    }

    /// Reads one value of any kind, and hands over its elements when it is an array.
    ///
    /// # Errors
    /// On broken syntax.
    pub fn elements(&mut self, mut element: impl FnMut(Raw<'a>)) -> Result<Raw<'a>, Malformed> {
        if self.peek()? != b'[' {
            return self.value();
        }
        let start = self.at;
        self.array(|_, at| {
            element(at.value()?);
            Ok(())
        })?;
        Ok(Raw::new(&self.text[start..self.at]))
    }

    /// Reads one value of any kind and depth.
    ///
    /// # Errors
    /// On broken syntax.
    pub fn value(&mut self) -> Result<Raw<'a>, Malformed> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'{' | b'[' => self.container()?,
            _ => self.scalar(first)?,
        }
        Ok(Raw::new(&self.text[start..self.at]))
    }

    /// Reads an object or array from its bracket.
    fn container(&mut self) -> Result<(), Malformed> {
        let mut open = Nesting::default();
        loop {
            match self.peek()? {
                b'{' => {
                    self.at += 1;
                    if self.peek()? != b'}' {
                        open.push(true);
                        self.name()?;
                        continue;
                    }
                    self.at += 1;
                }
                b'[' => {
                    self.at += 1;
                    if self.peek()? != b']' {
                        open.push(false);
                        continue;
                    }
                    self.at += 1;
                }
                first => self.scalar(first)?,
            }
            loop {
                let Some(in_object) = open.top() else { return Ok(()) };
                match (self.peek()?, in_object) {
                    (b',', true) => {
                        self.at += 1;
                        self.name()?;
                        break;
                    }
                    (b',', false) => {
                        self.at += 1;
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return Err(Malformed),
                }
            }
        }
    }

    /// Reads any other value, given its first byte.
    fn scalar(&mut self, first: u8) -> Result<(), Malformed> {
        match first {
            b'"' => self.string().map(|_| ()),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => self.number(),
        }
    }

    /// Reads a member's name and the colon behind it.
    fn name(&mut self) -> Result<Cow<'a, [u8]>, Malformed> {
        if self.peek()? != b'"' {
            return Err(Malformed);
        }
        let start = self.at + 1;
        let is_escaped = self.string()?;
        let raw = &self.text[start..self.at - 1];
        self.byte(b':')?;
        Ok(if is_escaped { JsText::unescape(raw).into_bytes() } else { Cow::Borrowed(raw) })
    }

    fn byte(&mut self, wanted: u8) -> Result<(), Malformed> {
        if self.peek()? != wanted {
            return Err(Malformed);
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Malformed> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Malformed);
        }
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let rest = &self.text[self.at..];
        let count = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        self.at += count;
        if count == 0 { Err(Malformed) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        if self.text.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        if self.text.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// Reads a string from its opening quote; tells whether it holds an escape.
    fn string(&mut self) -> Result<bool, Malformed> {
        let start = self.at + 1;
        let mut escapes_end = start;
        self.at = start;
        loop {
            self.at += plain_prefix(&self.text[self.at..]);
            match self.text.get(self.at) {
                Some(b'"') => break self.at += 1,
                Some(b'\\') => self.escape()?,
                _ => return Err(Malformed),
            }
            escapes_end = self.at;
        }
        Ok(escapes_end > start)
    }

    /// Reads an escape from its backslash.
    fn escape(&mut self) -> Result<(), Malformed> {
        self.at += match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if is_hex4(self.text.get(self.at + 2..self.at + 6)) => 6,
            _ => return Err(Malformed),
        };
        Ok(())
    }
}

fn is_hex4(digits: Option<&[u8]>) -> bool {
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// Length of the part of a text before the first quote, backslash or control character.
fn plain_prefix(text: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const BLOCK: usize = 32;
    let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    let mut at = 0;
    loop {
        // Most strings are short and end within these words.
        for _ in 0..BLOCK / 8 {
            let Some(word) = text[at..].first_chunk() else {
                let rest = &text[at..];
                return at + rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len());
            };
            // A byte's high bit is set when the byte is special; bytes above the first such one may be wrong.
            let word = u64::from_le_bytes(*word);
            let below = |x: u64, limit: u8| x.wrapping_sub(ONES * u64::from(limit)) & !x;
            let quote = below(word ^ (ONES * u64::from(b'"')), 1);
            let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
            let special = (below(word, b' ') | quote | backslash) & (ONES << 7);
            if special != 0 {
                return at + special.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        // Compiles to vector code.
        while let Some(block) = text[at..].first_chunk::<BLOCK>() {
            if block.iter().fold(false, |found, &byte| found | is_special(byte)) {
                break;
            }
            at += BLOCK;
        }
    }
}

/// Which containers are open around a value: one bit each, set for an object. Grows on the heap, not the stack.
#[derive(Default)]
struct Nesting {
    depth: usize,
    /// The innermost up to 64; bit 0 is the innermost.
    inner: u64,
    /// The others in full words, outermost first.
    outer: Vec<u64>,
}

impl Nesting {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.inner >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
    }

    fn top(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.inner & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{Cursor, Malformed, Raw};

    fn whole(text: &[u8]) -> Result<Raw<'_>, Malformed> {
        let mut cursor = Cursor::new(text);
        let value = cursor.value()?;
        cursor.end()?;
        Ok(value)
    }

    #[test]
    fn accepts_what_ecmascript_accepts() {
        for text in [
            "0",
            "-0",
            "1.5e+3",
            "1E9",
            "1e999",
            " \t\r\ntrue\n",
            "\"\\ud800\"",
            "\"\u{7f}\u{2028}\"",
            "[]",
            "{ }",
            "[1 , [ ] , {\"a\":{\"b\":[null]}}]",
            "{\"a\":1,\"a\":2}",
            "\"\\u00e9\\/\\b\"",
        ] {
            assert!(whole(text.as_bytes()).is_ok(), "{text}");
        }
        assert!(whole(b"\"\xff\xc3\"").is_ok());
    }

    #[test]
    fn rejects_what_ecmascript_rejects() {
        for text in [
            "",
            " ",
            "NaN",
            "Infinity",
            "-",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "tru",
            "nulll",
            "'a'",
            "\"a",
            "\"\\x41\"",
            "\"\\u12g4\"",
            "\"\\u12",
            "\"\n\"",
            "\"\t\"",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "[1}",
            "{\"a\":1]",
            "1 2",
            "\u{feff}1",
            "\u{a0}1",
            "\u{b}1",
            "[",
            "{\"a\":[",
        ] {
            assert_eq!(whole(text.as_bytes()), Err(Malformed), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded_by_the_heap_only() {
        let deep = [b"[".repeat(1_000_000), b"]".repeat(1_000_000)].concat();
        assert!(whole(&deep).is_ok());
        assert!(whole(&deep[..deep.len() - 1]).is_err());
        let mixed = ["{\"a\":[".repeat(100_000), "]}".repeat(100_000)].concat();
        assert!(whole(mixed.as_bytes()).is_ok());
        assert!(whole(mixed.replacen("]}]}", "]]}}", 1).as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn strings_of_any_length_end_where_they_should(length in 0usize..200, cut in 0usize..200, special in any::<u8>()) {
            let mut text = vec![b'x'; length];
            if cut < length { text[cut] = special; }
            let quoted = [b"\"".as_slice(), &text, b"\""].concat();
            let expected = cut < length && (special < b' ' || special == b'"' || special == b'\\');
            prop_assert_eq!(whole(&quoted).is_err(), expected && !escapes(&text, cut));
        }

        #[test]
        fn agrees_with_serde_on_syntax(text in "[ \\[\\]{}:,\"a0-2eE.+\\\\utrlfns-]{0,24}") {
            prop_assert_eq!(whole(text.as_bytes()).is_ok(), serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok());
        }
    }

    fn escapes(text: &[u8], cut: usize) -> bool {
        text[cut] == b'\\' && text.get(cut + 1).is_some_and(|b| b"\"\\/bfnrt".contains(b))
    }
}
