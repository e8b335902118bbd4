//! One JSON value as a slice of its text, read only as far as it is asked.

use super::js_text::JsText;
use super::json::Cursor;

/// The largest magnitude of an integer that a double holds exactly together with its neighbours: 2^53 - 1.
pub const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// One well-formed value inside a text, without surrounding blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// A value that was found to be well-formed.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// Its text as it stands in the source.
    #[must_use]
    pub(super) const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The value of a string.
    #[must_use]
    pub fn text(self) -> Option<JsText<'a>> {
        match self.0 {
            [b'"', inner @ .., b'"'] => Some(JsText::unescape(inner)),
            _ => None,
        }
    }

    /// Whether it is a string.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.0[0] == b'"'
    }

    /// Whether it is the empty string.
    #[must_use]
    pub fn is_empty_text(self) -> bool {
        self.0 == b"\"\""
    }

    /// Whether it is written in ASCII without escapes, so that it is what is written.
    #[must_use]
    pub fn is_plain_text(self) -> bool {
        // Compiles to vector code, unlike a search that may stop.
        self.0.iter().fold(true, |is_plain, &byte| is_plain & byte.is_ascii() & (byte != b'\\'))
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0 == b"null"
    }

    /// Whether it is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        self.0 == b"true"
    }

    /// The value of a number as a double; too large a number is an infinity.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        if !matches!(self.0[0], b'-' | b'0'..=b'9') {
            return None;
        }
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// The value of a number that is integral and of magnitude at most [`MAX_SAFE_INTEGER`], however it is spelled.
    #[must_use]
    pub fn safe_integer(self) -> Option<i64> {
        if self.0.len() <= 15 && self.0.iter().all(u8::is_ascii_digit) {
            return Some(self.0.iter().fold(0, |n, digit| n * 10 + i64::from(digit - b'0')));
        }
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "integral and below 2^53")]
        (number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER as f64).then_some(number as i64)
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.0[0] == b'['
    }

    /// The elements of an array, in order; any other value has none.
    #[must_use]
    pub fn elements(self) -> Elements<'a> {
        Elements { cursor: Cursor::new(self.0.strip_prefix(b"[").unwrap_or_default()) }
    }
}

/// Iterator over the elements of an array. See [`Raw::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    /// Behind the bracket that opens the array.
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Raw<'a>> {
        self.cursor.next_element()
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Raw};

    fn raw(text: &str) -> Raw<'_> {
        Cursor::new(text.as_bytes()).value().expect("JSON")
    }

    #[test]
    fn integers_are_integral_doubles() {
        for (text, value) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("1.0", Some(1)),
            ("10e-1", Some(1)),
            ("-7", Some(-7)),
            ("1.5", None),
            ("9007199254740991", Some(9_007_199_254_740_991)),
            ("9007199254740992", None),
            ("1e999", None),
            ("-9007199254740991", Some(-9_007_199_254_740_991)),
            ("\"1\"", None),
            ("true", None),
        ] {
            assert_eq!(raw(text).safe_integer(), value, "{text}");
        }
    }

    #[test]
    fn elements_of_arrays_only() {
        let elements = |text| raw(text).elements().map(|element| element.number()).collect::<Vec<_>>();
        assert_eq!(elements("[ 1 , [2, 3],\n4 ]"), [Some(1.0), None, Some(4.0)]);
        assert_eq!(elements("[[[]]]"), [None]);
        assert_eq!(elements("[]"), []);
        assert_eq!(elements("{\"a\":[1]}"), []);
        assert_eq!(elements("\"[1]\""), []);
    }
}
