//! Strings as ECMAScript has them: sequences of UTF-16 units, in which a surrogate may stand alone.
//!
//! Kept as UTF-8 in which a lone surrogate has its three-byte form, so that plain text is borrowed from the log.

use std::borrow::Cow;

/// The value of a JSON string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JsText<'a>(Cow<'a, [u8]>);

impl<'a> JsText<'a> {
    /// Decodes what stands between the quotes of a well-formed JSON string. Bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub(super) fn unescape(raw: &'a [u8]) -> Self {
        // Compiles to vector code, unlike a search that may stop.
        if raw.iter().fold(true, |is_plain, &byte| is_plain & byte.is_ascii() & (byte != b'\\')) {
            return Self(Cow::Borrowed(raw));
        }
        let Some(first) = memchr::memchr(b'\\', raw) else {
            let is_utf8 = simdutf8::basic::from_utf8(raw).is_ok();
            return Self(if is_utf8 {
                Cow::Borrowed(raw)
            } else {
                Cow::Owned(String::from_utf8_lossy(raw).into_owned().into_bytes())
            });
        };
        let mut text = Vec::with_capacity(raw.len());
        let (mut plain, mut at) = (0, first);
        // Where `text` ends with the first half of a possible pair.
        let mut high: Option<(usize, u16)> = None;
        loop {
            text.extend_from_slice(String::from_utf8_lossy(&raw[plain..at]).as_bytes());
            let Some(&escape) = raw.get(at + 1) else { break };
            at += 2;
            if escape == b'u' {
                let unit = hex4(&raw[at..at + 4]);
                at += 4;
                push_unit(&mut text, unit, &mut high);
            } else {
                text.push(match escape {
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => other,
                });
            }
            plain = at;
            at = memchr::memchr(b'\\', &raw[at..]).map_or(raw.len(), |found| at + found);
        }
        Self(Cow::Owned(text))
    }

    /// The text in UTF-8; a lone surrogate stands as the three bytes that encode its number.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn into_bytes(self) -> Cow<'a, [u8]> {
        self.0
    }

    /// The text without a tie to the log.
    #[must_use]
    pub fn into_owned(self) -> JsText<'static> {
        JsText(Cow::Owned(self.0.into_owned()))
    }

    /// Whether it has no characters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text as a Rust string; lone surrogates become U+FFFD.
    #[must_use]
    pub fn lossy(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                Cow::Owned(char::decode_utf16(self.units()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
            }
        }
    }

    /// The UTF-16 units.
    pub fn units(&self) -> impl Iterator<Item = u16> + '_ {
        let mut at = 0;
        let mut low = None;
        std::iter::from_fn(move || {
            if let Some(unit) = low.take() {
                return Some(unit);
            }
            let lead = *self.0.get(at)?;
            let (length, bits) = match lead {
                0..0x80 => (1, lead),
                0x80..0xE0 => (2, lead & 0x1F),
                0xE0..0xF0 => (3, lead & 0x0F),
                _ => (4, lead & 0x07),
            };
            let tail = &self.0[at + 1..at + length];
            let code = tail.iter().fold(u32::from(bits), |code, byte| code << 6 | u32::from(byte & 0x3F));
            at += length;
            if code < 0x1_0000 {
                return u16::try_from(code).ok();
            }
            low = Some(0xDC00 | (code & 0x3FF) as u16);
            Some(0xD800 | ((code - 0x1_0000) >> 10) as u16)
        })
    }

    /// Whether ECMAScript's `trim()` would leave nothing.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.lossy().chars().all(is_blank)
    }
}

/// Appends a unit; a second half right behind its first half makes one character of both.
fn push_unit(text: &mut Vec<u8>, unit: u16, high: &mut Option<(usize, u16)>) {
    let mut code = u32::from(unit);
    let first = high.take();
    match (unit, first) {
        (0xD800..0xDC00, _) => *high = Some((text.len() + 3, unit)),
        (0xDC00..0xE000, Some((end, first))) if end == text.len() => {
            text.truncate(end - 3);
            code = 0x1_0000 + ((u32::from(first) & 0x3FF) << 10 | (code & 0x3FF));
        }
        _ => {}
    }
    match char::from_u32(code) {
        Some(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => text.extend([0xE0 | (code >> 12) as u8, 0x80 | (code >> 6 & 0x3F) as u8, 0x80 | (code & 0x3F) as u8]),
    }
}

fn hex4(digits: &[u8]) -> u16 {
    digits.iter().fold(0, |unit, &digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            _ => (digit | 0x20) - b'a' + 10,
        };
        unit << 4 | u16::from(value)
    })
}

/// The white space and line ends of ECMAScript. Unlike Unicode's: U+FEFF is one, U+0085 is none.
pub(crate) fn is_blank(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::JsText;

    #[test]
    fn escapes_become_units() {
        let units = |raw: &'static str| JsText::unescape(raw.as_bytes()).units().collect::<Vec<_>>();
        assert_eq!(units(r"a\n\u00e9\/"), [0x61, 0x0A, 0xE9, 0x2F]);
        assert_eq!(units(r"\ud83d\ude00"), [0xD83D, 0xDE00]);
        assert_eq!(units(r"\ud83dx\ude00"), [0xD83D, 0x78, 0xDE00]);
        assert_eq!(units(r"\ud83d\ud83d\ude00"), [0xD83D, 0xD83D, 0xDE00]);
        assert_eq!(units(r"\ude00\ud83d"), [0xDE00, 0xD83D]);
        assert_eq!(JsText::unescape(br"\ud83d\ude00").lossy(), "\u{1F600}");
        assert_eq!(JsText::unescape(br"<\ud800>").lossy(), "<\u{FFFD}>");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_one_by_maximal_part() {
        assert_eq!(JsText::unescape(b"\xE2\x82|\xFF\xFE").lossy(), "\u{FFFD}|\u{FFFD}\u{FFFD}");
        assert_eq!(JsText::unescape(b"\xED\xA0\x80\\u0041").lossy(), "\u{FFFD}\u{FFFD}\u{FFFD}A");
    }

    #[test]
    fn blank_is_what_trim_removes() {
        let blank = |text: &str| JsText::unescape(text.as_bytes()).is_blank();
        for text in [
            "",
            " \t\u{B}\u{C}\r\n",
            "\u{FEFF}",
            "\u{A0}\u{1680}\u{2000}\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}",
        ] {
            assert!(blank(text), "{text:?}");
        }
        for text in ["\u{85}", "\u{180E}", "\u{200B}", "\u{2060}", " x "] {
            assert!(!blank(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn unescaping_what_serde_wrote_gives_the_text_back(text in any::<String>()) {
            let written = serde_json::to_string(&text).expect("a string");
            let read = JsText::unescape(&written.as_bytes()[1..written.len() - 1]);
            prop_assert_eq!(read.lossy(), text.as_str());
            prop_assert_eq!(read.units().collect::<Vec<_>>(), text.encode_utf16().collect::<Vec<_>>());
        }

        #[test]
        fn any_units_survive_escaping(units in proptest::collection::vec(any::<u16>(), 0..12)) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            prop_assert_eq!(JsText::unescape(escaped.as_bytes()).units().collect::<Vec<_>>(), units);
        }
    }
}
