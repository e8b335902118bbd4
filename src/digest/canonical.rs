//! One JSON text to its canonical form: parsed and written as ECMAScript does, members sorted by UTF-16 code units.
//!
//! No tree and no recursion. The text is written once in source order, scalars canonical already; of each object
//! whose members turn out unsorted, their places are noted. If there is none, that text is the canonical form, else
//! it is copied piece by piece into order, each byte once, however deep the nesting.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::scalar;

/// The text is not one JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON value")]
pub struct NotJson;

/// Reads JSON texts one after the other into the same buffers, which grow with the longest text only.
#[derive(Debug, Default)]
pub struct Canonicaliser {
    /// The value in source order, scalars canonical.
    text: Vec<u8>,
    /// Containers that are open, outermost first.
    open: Vec<Open>,
    /// Members read so far of the open objects, outermost first.
    members: Vec<Member>,
    /// Closed objects whose members need another order.
    unsorted: Vec<Unsorted>,
    /// Their members in canonical order, object after object.
    order: Vec<Range<usize>>,
    /// What remains to be copied, next last.
    pending: Vec<Piece>,
    /// The canonical form, when it differs from `text`.
    sorted: Vec<u8>,
}

#[derive(Debug)]
enum Open {
    Array,
    Object {
        /// Place of its `{` in the text.
        start: usize,
        /// Its first member in `members`.
        first: usize,
        /// Whether each name so far is greater than the one before.
        sorted: bool,
    },
}

/// A member's name (quotes included) and value, as places in the text.
#[derive(Clone, Debug)]
struct Member {
    start: usize,
    name_end: usize,
    end: usize,
    /// The first eight bytes of a name that has no escape and no character from U+E000 on: those sort as their bytes.
    head: Option<u64>,
}

#[derive(Debug)]
struct Unsorted {
    /// From `{` to behind `}`.
    place: Range<usize>,
    /// Its members in `order`.
    members: Range<usize>,
}

#[derive(Debug)]
struct Piece {
    comma: bool,
    place: Range<usize>,
}

/// A value in canonical form.
#[derive(Clone, Copy, Debug)]
pub struct Canonical<'a> {
    bytes: &'a [u8],
    text: &'a [u8],
    members: &'a [Member],
}

impl<'a> Canonical<'a> {
    /// The canonical form.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The value of a top-level member, if the value is an object that has it. Scalars are canonical, within
    /// containers members stand in source order. `name` is in canonical spelling, without quotes.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&'a [u8]> {
        self.members().find(|(n, _)| *n == name.as_bytes()).map(|(_, value)| value)
    }

    /// All top-level members with their names in canonical spelling, without quotes; none repeats.
    pub fn members(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let text = self.text;
        self.members.iter().map(|m| (m.name(text), &text[m.name_end + 1..m.end]))
    }
}

impl Canonicaliser {
    /// Reads one JSON text. Bytes that are not UTF-8 count as U+FFFD, one per maximal subpart.
    ///
    /// # Errors
    /// When `JSON.parse` of ECMAScript would refuse the text.
    pub fn read(&mut self, input: &[u8]) -> Result<Canonical<'_>, NotJson> {
        let input = match simdutf8::basic::from_utf8(input) {
            Ok(_) => Cow::Borrowed(input),
            Err(_) => Cow::Owned(String::from_utf8_lossy(input).into_owned().into_bytes()),
        };
        self.text.clear();
        self.open.clear();
        self.members.clear();
        self.unsorted.clear();
        self.order.clear();
        self.parse(&input).ok_or(NotJson)?;
        let bytes = if self.unsorted.is_empty() {
            &self.text
        } else {
            self.arrange();
            &self.sorted
        };
        Ok(Canonical { bytes, text: &self.text, members: &self.members })
    }

    fn parse(&mut self, input: &[u8]) -> Option<()> {
        let mut at = 0;
        loop {
            at = blanks(input, at);
            match *input.get(at)? {
                opening @ (b'{' | b'[') => {
                    let start = self.text.len();
                    self.text.push(opening);
                    let first = self.members.len();
                    at = blanks(input, at + 1);
                    self.open.push(if opening == b'[' {
                        Open::Array
                    } else {
                        Open::Object { start, first, sorted: true }
                    });
                    if input.get(at) == Some(&(opening + 2)) {
                        at = self.close(at);
                    } else {
                        if opening == b'{' {
                            at = self.name(input, at)?;
                        }
                        continue;
                    }
                }
                b'"' => at = scalar::string(input, at, &mut self.text)?,
                b'-' | b'0'..=b'9' => at = scalar::number(input, at, &mut self.text)?,
                _ => {
                    let literal = ["true", "false", "null"].iter().find(|l| input[at..].starts_with(l.as_bytes()))?;
                    self.text.extend_from_slice(literal.as_bytes());
                    at += literal.len();
                }
            }
            // A value has ended, and with it maybe the containers it was the last of.
            loop {
                at = blanks(input, at);
                match (input.get(at), self.open.last()) {
                    (None, None) => return Some(()),
                    (Some(b','), Some(Open::Array)) => {
                        self.text.push(b',');
                        at += 1;
                        break;
                    }
                    (Some(b','), Some(Open::Object { .. })) => {
                        self.end_member();
                        self.text.push(b',');
                        at = self.name(input, blanks(input, at + 1))?;
                        break;
                    }
                    (Some(b']'), Some(Open::Array)) => at = self.close(at),
                    (Some(b'}'), Some(Open::Object { .. })) => {
                        self.end_member();
                        at = self.close(at);
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Reads a member's name and the colon behind it.
    fn name(&mut self, input: &[u8], at: usize) -> Option<usize> {
        if input.get(at) != Some(&b'"') {
            return None;
        }
        let start = self.text.len();
        let at = blanks(input, scalar::string(input, at, &mut self.text)?);
        if input.get(at) != Some(&b':') {
            return None;
        }
        let member = Member::named(start, &self.text);
        if let Some(Open::Object { first, sorted, .. }) = self.open.last_mut()
            && *sorted
            && let Some(before) = self.members[*first..].last()
        {
            *sorted = before.order(&member, &self.text) == Ordering::Less;
        }
        self.text.push(b':');
        self.members.push(member);
        Some(at + 1)
    }

    fn end_member(&mut self) {
        if let Some(member) = self.members.last_mut() {
            member.end = self.text.len();
        }
    }

    /// Closes the innermost container; its last member has ended.
    fn close(&mut self, at: usize) -> usize {
        let Some(Open::Object { start, first, sorted }) = self.open.pop() else {
            self.text.push(b']');
            return at + 1;
        };
        self.text.push(b'}');
        if !sorted {
            self.sort_members(first);
            let order = self.order.len();
            self.order.extend(self.members[first..].iter().map(|m| m.start..m.end));
            self.unsorted.push(Unsorted { place: start..self.text.len(), members: order..self.order.len() });
        }
        // Those of the outermost object stay for the caller to look at.
        if !self.open.is_empty() {
            self.members.truncate(first);
        }
        at + 1
    }

    /// Sorts the members from `first` on by name; of equal names only the last in source order stays.
    fn sort_members(&mut self, first: usize) {
        let (text, members) = (&self.text, &mut self.members);
        members[first..].sort_by(|a, b| a.order(b, text));
        let mut kept = first;
        for i in first..members.len() {
            let repeated = members.get(i + 1).is_some_and(|next| members[i].name(text) == next.name(text));
            if !repeated {
                members.swap(kept, i);
                kept += 1;
            }
        }
        members.truncate(kept);
    }

    /// Copies the text into `sorted`, members in canonical order.
    fn arrange(&mut self) {
        self.unsorted.sort_unstable_by_key(|object| object.place.start);
        self.sorted.clear();
        self.sorted.reserve(self.text.len());
        self.pending.push(Piece { comma: false, place: 0..self.text.len() });
        while let Some(Piece { comma, place }) = self.pending.pop() {
            if comma {
                self.sorted.push(b',');
            }
            let next = self.unsorted.partition_point(|object| object.place.start < place.start);
            let Some(object) = self.unsorted.get(next).filter(|object| object.place.start < place.end) else {
                self.sorted.extend_from_slice(&self.text[place]);
                continue;
            };
            self.sorted.extend_from_slice(&self.text[place.start..=object.place.start]);
            self.pending.push(Piece { comma: false, place: object.place.end - 1..place.end });
            let members = self.order[object.members.clone()].iter().enumerate().rev();
            self.pending.extend(members.map(|(i, member)| Piece { comma: i > 0, place: member.clone() }));
        }
    }
}

fn blanks(input: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = input.get(at) {
        at += 1;
    }
    at
}

impl Member {
    /// A member whose name has just been written at the end of `text`.
    fn named(start: usize, text: &[u8]) -> Self {
        let name = &text[start + 1..text.len() - 1];
        let mut head = [0; 8];
        for (to, from) in head.iter_mut().zip(name) {
            *to = *from;
        }
        let plain = name.iter().all(|&b| b < 0xEE && b != b'\\');
        Self { start, name_end: text.len(), end: 0, head: plain.then_some(u64::from_be_bytes(head)) }
    }

    /// The name in canonical spelling, without quotes.
    fn name<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start + 1..self.name_end - 1]
    }

    /// Order of two names by UTF-16 code units.
    fn order(&self, other: &Self, text: &[u8]) -> Ordering {
        let (a, b) = (self.name(text), other.name(text));
        match (self.head, other.head) {
            (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
            _ => scalar::units(a).cmp(scalar::units(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Option<String> {
        let mut canonicaliser = Canonicaliser::default();
        let canonical = canonicaliser.read(text.as_bytes()).ok()?;
        Some(String::from_utf8(canonical.bytes().to_vec()).expect("canonical text is UTF-8"))
    }

    #[test]
    fn members_are_sorted_by_code_units_and_the_last_of_a_name_counts() {
        for (text, expected) in [
            ("{}", "{}"),
            (" [ ] ", "[]"),
            ("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"),
            ("{\"b\":1,\"a\":2,\"A\":3,\"\":4}", "{\"\":4,\"A\":3,\"a\":2,\"b\":1}"),
            (
                "{\"10\":1,\"9\":2,\"longer than eight\":3,\"longer than eigh\":4}",
                "{\"10\":1,\"9\":2,\"longer than eigh\":4,\"longer than eight\":3}",
            ),
            // A lone surrogate, a pair and a character above the surrogates, in the order of their units.
            (
                "{\"\u{ff61}\":1,\"\u{1f600}\":2,\"\\ud83d\":3,\"\\udfff\":4,\"z\":5}",
                "{\"z\":5,\"\\ud83d\":3,\"\u{1f600}\":2,\"\\udfff\":4,\"\u{ff61}\":1}",
            ),
            // An escape sorts as what it stands for: a line feed before a blank, a quote before a hash.
            ("{\" \":1,\"\\n\":2,\"#\":3,\"\\\"\":4}", "{\"\\n\":2,\" \":1,\"\\\"\":4,\"#\":3}"),
            ("{\"a\":1,\"b\":2,\"\\u0061\":3}", "{\"a\":3,\"b\":2}"),
            (
                "{\"b\":{\"y\":[{\"d\":1,\"c\":2}],\"x\":3},\"a\":[{\"f\":{\"h\":4,\"g\":5},\"e\":6}]}",
                "{\"a\":[{\"e\":6,\"f\":{\"g\":5,\"h\":4}}],\"b\":{\"x\":3,\"y\":[{\"c\":2,\"d\":1}]}}",
            ),
            ("{\"a\":{\"z\":1,\"y\":2},\"a\":{\"x\":1,\"w\":2}}", "{\"a\":{\"w\":2,\"x\":1}}"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
            assert_eq!(canonical(expected).as_deref(), Some(expected), "its own canonical form");
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "]",
            "{]",
            "[}",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "{\"a\" 1}",
            "nul",
            "nulll",
            "True",
            "1 2",
            "{}{}",
            "[1],",
            "\u{feff}{}",
            "\u{a0}1",
            "[1]\u{c}",
            "/**/1",
            "'a'",
        ] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_count_as_replacements() {
        let mut canonicaliser = Canonicaliser::default();
        // One for each maximal subpart: a cut sequence is one, each stray byte is one.
        let canonical = canonicaliser.read(b"\"a\xE2\x82b\xFF\xFEc\xED\xA0\x80\"").expect("a string");
        assert_eq!(str::from_utf8(canonical.bytes()), Ok("\"a\u{fffd}b\u{fffd}\u{fffd}c\u{fffd}\u{fffd}\u{fffd}\""));
    }

    #[test]
    fn members_of_the_outermost_object_can_be_looked_at() {
        let mut canonicaliser = Canonicaliser::default();
        let value = canonicaliser.read(br#"{"id":"a","n":1.0,"o":{"id":"b"},"\u0069d":"c"}"#).expect("an object");
        assert_eq!(value.member("id"), Some(&b"\"c\""[..]));
        assert_eq!(value.member("n"), Some(&b"1"[..]));
        assert_eq!(value.member("x"), None);
        assert_eq!(value.members().count(), 3);
        for text in ["[{\"id\":1}]", "\"id\"", "{}"] {
            assert_eq!(canonicaliser.read(text.as_bytes()).expect("a value").members().count(), 0, "{text}");
        }
    }

    #[test]
    fn a_canonicaliser_forgets_what_it_read() {
        let mut canonicaliser = Canonicaliser::default();
        assert!(canonicaliser.read(b"{\"b\":[{\"d\":1,\"c\":2},").is_err());
        let value = canonicaliser.read(b"{\"a\":1}").expect("an object");
        assert_eq!((value.bytes(), value.members().count()), (&b"{\"a\":1}"[..], 1));
    }
}
