//! Reading values in place: a cursor over the tape, and the way from text to an owned value.

use std::borrow::Cow;

use super::scan::{Node, NodeKind, Scanner, hex4};
use crate::model::Value;

/// A value inside a scanned text. Cheap to copy; strings without escapes are borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    text: &'a [u8],
    tape: &'a [Node],
    row: u32,
}

impl<'a> Json<'a> {
    /// The value in row 0 of a tape. `text` and `tape` must belong together.
    #[must_use]
    pub fn new(text: &'a [u8], tape: &'a [Node]) -> Self {
        Self { text, tape, row: 0 }
    }

    fn node(self) -> Node {
        self.tape[self.row as usize]
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> NodeKind {
        self.node().kind
    }

    /// Offset of the value in its text.
    #[must_use]
    pub fn start(self) -> usize {
        self.node().start as usize
    }

    /// Offset behind the value.
    #[must_use]
    pub fn end(self) -> usize {
        self.node().end as usize
    }

    /// The bytes of the value.
    #[must_use]
    pub fn raw(self) -> &'a [u8] {
        &self.text[self.start()..self.end()]
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.kind() == NodeKind::Object
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.kind() == NodeKind::Array
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == NodeKind::Null
    }

    /// Members of an object that are on the tape, in file order; repeated names appear as often as they stand there.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> {
        self.rows().map(|(name, value)| (name.text(), value))
    }

    /// The value as it is spelled.
    pub(crate) fn spelling(self) -> Cow<'a, str> {
        let raw = self.raw();
        std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed)
    }

    /// Whether a string or name holds an escape.
    #[must_use]
    pub fn is_escaped(self) -> bool {
        self.node().escaped
    }

    /// Names and values of an object that are on the tape, names undecoded.
    pub fn rows(self) -> impl Iterator<Item = (Json<'a>, Json<'a>)> {
        let mut row = self.row + 1;
        let end = if self.is_object() { self.node().next } else { row };
        std::iter::from_fn(move || {
            if row >= end {
                return None;
            }
            let name = Json { row, ..self };
            let value = Json { row: row + 1, ..self };
            row = value.node().next;
            Some((name, value))
        })
    }

    /// Elements of an array that are on the tape.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let mut row = self.row + 1;
        let end = if self.is_array() { self.node().next } else { row };
        std::iter::from_fn(move || {
            if row >= end {
                return None;
            }
            let element = Json { row, ..self };
            row = element.node().next;
            Some(element)
        })
    }

    /// The member with this name; the last one when the name is repeated. `name` must need no escape.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Json<'a>> {
        if !self.is_object() {
            return None;
        }
        let end = self.node().next;
        let mut row = self.row + 1;
        let mut found = None;
        while row < end {
            let key = self.tape[row as usize];
            // Most names differ in length already.
            let length = (key.end - key.start) as usize - 2;
            if length == name.len() || key.escaped {
                let inner = &self.text[key.start as usize + 1..key.end as usize - 1];
                if inner == name.as_bytes() || key.escaped && unescape(inner) == name {
                    found = Some(Json { row: row + 1, ..self });
                }
            }
            row = self.tape[row as usize + 1].next;
        }
        found
    }

    /// The member with this name unless it is absent or `null`.
    #[must_use]
    pub fn get_some(self, name: &str) -> Option<Json<'a>> {
        self.get(name).filter(|v| !v.is_null())
    }

    /// The text of a string; lone surrogates become U+FFFD.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        (self.kind() == NodeKind::String).then(|| self.text())
    }

    /// The text of the string member with this name.
    #[must_use]
    pub fn str(self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.as_str()
    }

    /// Whether the value is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        self.kind() == NodeKind::True
    }

    /// An integer that fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() != NodeKind::Integer {
            return None;
        }
        std::str::from_utf8(self.raw()).ok()?.parse().ok()
    }

    /// Not null, false, zero or empty.
    #[must_use]
    pub fn is_truthy(self) -> bool {
        match self.kind() {
            NodeKind::Null | NodeKind::False => false,
            NodeKind::True | NodeKind::Key => true,
            NodeKind::String => self.end() - self.start() > 2,
            NodeKind::Integer | NodeKind::Float => self.to_value().is_truthy(),
            NodeKind::Array | NodeKind::Object => {
                let inner = &self.raw()[1..self.raw().len() - 1];
                inner.iter().any(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
            }
        }
    }

    /// The text of a string or name, unescaped; meaningless for other values.
    pub(crate) fn text(self) -> Cow<'a, str> {
        let node = self.node();
        let inner = &self.text[node.start as usize + 1..node.end as usize - 1];
        if node.escaped {
            return Cow::Owned(unescape(inner));
        }
        // The reader validated the line, so nothing is ever replaced here.
        std::str::from_utf8(inner).map_or_else(|_| String::from_utf8_lossy(inner), Cow::Borrowed)
    }

    /// The whole value, owned. Values nested deeper than [`MAX_OWNED_DEPTH`] become null.
    #[must_use]
    pub fn to_value(self) -> Value {
        let text = self.raw();
        let mut scanner = Scanner::default();
        if scanner.scan(text, MAX_OWNED_DEPTH + 1).is_err() {
            return Value::Null;
        }
        Json::new(text, scanner.tape()).build(0)
    }

    fn build(self, depth: u32) -> Value {
        match self.kind() {
            NodeKind::Null => Value::Null,
            NodeKind::True => Value::Bool(true),
            NodeKind::False => Value::Bool(false),
            NodeKind::Integer => {
                let digits = String::from_utf8_lossy(self.raw());
                Value::Int(if digits == "-0" { "0".into() } else { digits.into_owned() })
            }
            NodeKind::Float => Value::Float(String::from_utf8_lossy(self.raw()).parse().unwrap_or(0.0)),
            NodeKind::String | NodeKind::Key => Value::String(self.text().into_owned()),
            NodeKind::Array | NodeKind::Object if depth >= MAX_OWNED_DEPTH => Value::Null,
            NodeKind::Array => Value::Array(self.elements().map(|e| e.build(depth + 1)).collect()),
            NodeKind::Object => {
                // Large objects need an index of their names, small ones are faster without.
                if self.rows().nth(32).is_none() {
                    let mut members: Vec<(String, Value)> = Vec::new();
                    for (name, value) in self.members() {
                        let value = value.build(depth + 1);
                        match members.iter_mut().find(|m| m.0 == name) {
                            Some(member) => member.1 = value,
                            None => members.push((name.into_owned(), value)),
                        }
                    }
                    return Value::Object(members);
                }
                let mut members: Vec<(String, Value)> = Vec::new();
                let mut places: hashbrown::HashMap<String, usize> = hashbrown::HashMap::new();
                for (name, value) in self.members() {
                    let value = value.build(depth + 1);
                    match places.entry(name.clone().into_owned()) {
                        hashbrown::hash_map::Entry::Occupied(place) => members[*place.get()].1 = value,
                        hashbrown::hash_map::Entry::Vacant(place) => {
                            place.insert(members.len());
                            members.push((name.into_owned(), value));
                        }
                    }
                }
                Value::Object(members)
            }
        }
    }
}

/// Declares a struct of the members an adapter reads of an object, filled in one pass; a repeated name keeps its last value.
macro_rules! fields {
    ($(#[$doc:meta])* struct $name:ident { $($field:ident: $key:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        struct $name<'a> {
            $($field: Option<$crate::record::Json<'a>>,)*
        }

        impl<'a> $name<'a> {
            /// Reads the members; names that are not declared go to `other`.
            fn read(json: $crate::record::Json<'a>, mut other: impl FnMut($crate::record::Json<'a>, $crate::record::Json<'a>)) -> Self {
                let mut fields = Self::default();
                for (name, value) in json.rows() {
                    if name.is_escaped() {
                        // Rare enough to decode it.
                        match &*name.text() {
                            $($key => fields.$field = Some(value),)*
                            _ => other(name, value),
                        }
                        continue;
                    }
                    let raw = name.raw();
                    let inner = &raw[1..raw.len() - 1];
                    $(if inner == $key.as_bytes() {
                        fields.$field = Some(value);
                        continue;
                    })*
                    other(name, value);
                }
                fields
            }
        }
    };
}
pub(crate) use fields;

/// Records nested deeper than 100 are refused before anything owns them; building recurses, so it needs a bound of its own.
pub const MAX_OWNED_DEPTH: u32 = 128;

/// Undoes the escapes of a valid string body; lone surrogates become U+FFFD.
fn unescape(body: &[u8]) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    while at < body.len() {
        let Some(offset) = memchr::memchr(b'\\', &body[at..]) else {
            out.push_str(&String::from_utf8_lossy(&body[at..]));
            break;
        };
        out.push_str(&String::from_utf8_lossy(&body[at..at + offset]));
        at += offset;
        units.clear();
        while body.get(at) == Some(&b'\\') && body.get(at + 1) == Some(&b'u') {
            units.push(hex4(body, at + 2).unwrap_or(0xFFFD));
            at += 6;
        }
        if !units.is_empty() {
            out.extend(char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or('\u{FFFD}')));
            continue;
        }
        out.push(simple_escape(body.get(at + 1).copied()));
        at += 2;
    }
    out
}

/// Like [`unescape`], but lone surrogates stay apart (three bytes each, as in WTF-8): for comparing names.
pub(crate) fn unescape_wtf8(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut at = 0;
    while at < body.len() {
        if body[at] != b'\\' {
            out.push(body[at]);
            at += 1;
            continue;
        }
        if body.get(at + 1) != Some(&b'u') {
            let mut buffer = [0; 4];
            out.extend_from_slice(simple_escape(body.get(at + 1).copied()).encode_utf8(&mut buffer).as_bytes());
            at += 2;
            continue;
        }
        let unit = hex4(body, at + 2).unwrap_or(0xFFFD);
        at += 6;
        let second =
            (body.get(at) == Some(&b'\\') && body.get(at + 1) == Some(&b'u')).then(|| hex4(body, at + 2)).flatten();
        let pair = second.and_then(|low| char::decode_utf16([unit, low]).next()?.ok()).filter(|c| *c > '\u{FFFF}');
        if let Some(c) = pair {
            let mut buffer = [0; 4];
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
            at += 6;
        } else if let Some(c) = char::from_u32(u32::from(unit)) {
            let mut buffer = [0; 4];
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        } else {
            out.extend_from_slice(&[0xED, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]);
        }
    }
    out
}

fn simple_escape(letter: Option<u8>) -> char {
    match letter {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(other) => other as char,
        None => '\u{FFFD}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(text: &str, depth: u32, f: impl FnOnce(Json<'_>) -> T) -> T {
        let mut scanner = Scanner::default();
        scanner.scan(text.as_bytes(), depth).expect(text);
        f(Json::new(text.as_bytes(), scanner.tape()))
    }

    #[test]
    fn finds_members_on_the_tape_and_the_last_of_repeated_ones() {
        with(r#"{"a":1,"b":{"c":[1,{"d":2}]},"a":"x","\u0065":null}"#, 2, |json| {
            assert_eq!(json.str("a").as_deref(), Some("x"));
            assert!(json.get("e").is_some_and(Json::is_null));
            assert!(json.get_some("e").is_none());
            assert_eq!(json.get("b").map(|b| b.raw()), Some(br#"{"c":[1,{"d":2}]}"#.as_slice()));
            assert_eq!(json.members().count(), 4);
        });
    }

    #[test]
    fn strings_are_unescaped_and_lone_surrogates_replaced() {
        for (text, plain) in [
            (r#""\ud83d\ude00 \ud83dx""#, "😀 \u{FFFD}x"),
            (r#""\n\t\\\/\"é""#, "\n\t\\/\"é"),
            (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
        ] {
            with(text, 1, |json| assert_eq!(json.as_str().as_deref(), Some(plain)));
        }
        assert_ne!(unescape_wtf8(br"\ud83d"), unescape_wtf8(br"\ud83e"));
        assert_eq!(unescape_wtf8(br"\ud83d\ude00"), "😀".as_bytes());
    }

    #[test]
    fn owned_values_keep_first_place_and_last_value() {
        let value = with(r#"{"b":-0,"a":[1.5,true,{}],"b":12345678901234567890}"#, 1, |json| json.to_value());
        let expected = Value::Object(vec![
            ("b".into(), Value::Int("12345678901234567890".into())),
            ("a".into(), Value::Array(vec![Value::Float(1.5), Value::Bool(true), Value::Object(vec![])])),
        ]);
        assert_eq!(value, expected);
    }

    #[test]
    fn truth_follows_emptiness() {
        for (text, truthy) in [
            ("0", false),
            ("-0.0", false),
            ("1", true),
            ("\"\"", false),
            ("[ ]", false),
            ("{\"a\":0}", true),
            ("null", false),
        ] {
            assert_eq!(with(text, 1, |json| json.is_truthy()), truthy, "{text}");
        }
    }
}
