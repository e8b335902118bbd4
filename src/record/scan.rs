//! One pass over the bytes of a JSON text: strict syntax, duplicate names, lone surrogates, depth, and a tape of its upper levels.
//!
//! The tape holds one row a value down to a chosen depth, so that adapters find fields without a second parse and the
//! large payloads below are only skipped over. Nothing recurses; input of any depth and shape is read in linear time.

use std::borrow::Cow;

/// What a tape row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number with neither fraction nor exponent.
    Integer,
    /// Any other number.
    Float,
    /// A string value, quotes included.
    String,
    /// The name of a member, quotes included; its value follows.
    Key,
    /// `[`…`]`
    Array,
    /// `{`…`}`
    Object,
}

/// One row of the tape: a value's place in the text, and where the next sibling's row is.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// A string or name that holds an escape.
    pub escaped: bool,
    /// Offset of its first byte in the text.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
    /// Index of the row behind its subtree.
    pub next: u32,
}

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFault {
    /// The text ends inside a value.
    UnexpectedEnd,
    /// A value should begin here.
    ExpectedValue,
    /// A member name should begin here.
    ExpectedName,
    /// `:` should stand here.
    ExpectedColon,
    /// `,` or the closing bracket should stand here.
    ExpectedComma,
    /// A control character that must be escaped.
    ControlCharacter,
    /// An escape that JSON does not know.
    BadEscape,
    /// A number too large to represent.
    NumberTooLarge,
    /// More values than anyone keeps in one record.
    TooManyValues,
    /// Something stands behind the value.
    TrailingData,
}

impl JsonFault {
    /// A fixed phrase; holds no text of the input.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnexpectedEnd => "the text ends inside a value",
            Self::ExpectedValue => "expected a value",
            Self::ExpectedName => "expected a member name in double quotes",
            Self::ExpectedColon => "expected ':'",
            Self::ExpectedComma => "expected ',' or a closing bracket",
            Self::ControlCharacter => "unescaped control character in a string",
            Self::BadEscape => "unknown escape in a string",
            Self::NumberTooLarge => "number too large",
            Self::TooManyValues => "too many values",
            Self::TrailingData => "data behind the value",
        }
    }
}

/// A syntax error and its byte offset in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub fault: JsonFault,
    /// Where, in bytes from 0.
    pub offset: usize,
}

/// Facts about a well-formed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Offset behind the value (before trailing blanks).
    pub end: usize,
    /// Deepest nesting; a scalar has 0, the outermost container 1.
    pub depth: u32,
    /// Offset of the first escape of a surrogate without its partner.
    pub lone_surrogate: Option<usize>,
    /// Offset of the first member name that repeats an earlier one of its object.
    pub duplicate_name: Option<usize>,
}

/// Integers longer than this are refused, as in the reference program.
const MAX_INTEGER_DIGITS: usize = 4300;
/// Objects with more members than this are checked for duplicate names by sorting.
const PAIRWISE_LIMIT: usize = 64;
/// Rows of a tape at most, some 80 MB: a line of 200 MB can hold a hundred million values.
const MAX_ROWS: usize = 1 << 22;
/// Names of open objects that are compared at most.
const MAX_NAMES: usize = 1 << 22;
/// Levels for which more is kept than one bit: whether an object or an array is open. No record may be this deep.
const TRACKED_DEPTH: usize = 256;

#[derive(Clone, Copy)]
struct Open {
    is_object: bool,
    /// Its row, or `u32::MAX` below the tape's depth.
    row: u32,
    /// Where its names begin in `Scanner::names`.
    first_name: u32,
    /// One bit per name hash seen: no bit seen twice means no duplicate.
    seen: u64,
    /// Names must be compared when the object closes.
    compare: bool,
}

/// A reusable scanner: its buffers keep their size between records.
#[derive(Default)]
pub struct Scanner {
    tape: Vec<Node>,
    open: Vec<Open>,
    /// What is open below [`TRACKED_DEPTH`], 64 levels a word: a bit for each, set for objects.
    deep: Vec<u64>,
    deep_len: u32,
    names: Vec<(u32, u32)>,
}

impl std::fmt::Debug for Scanner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scanner").field("rows", &self.tape.len()).finish_non_exhaustive()
    }
}

impl Scanner {
    /// The rows of the last text that was scanned; row 0 is the value itself.
    #[must_use]
    pub fn tape(&self) -> &[Node] {
        &self.tape
    }

    /// Scans a text that must be one JSON value. `text` must be valid UTF-8 (not checked here) and shorter than 4 GiB.
    /// Rows are kept for values down to `tape_depth` (1: only the value itself).
    ///
    /// # Errors
    /// The first syntax error, or [`JsonFault::TrailingData`].
    pub fn scan(&mut self, text: &[u8], tape_depth: u32) -> Result<Scan, JsonError> {
        let scan = self.scan_prefix(text, tape_depth)?;
        let rest = skip_blanks(text, scan.end);
        if rest < text.len() {
            return Err(JsonError { fault: JsonFault::TrailingData, offset: rest });
        }
        Ok(scan)
    }

    /// Like [`Self::scan`], but whatever stands behind the value is left alone.
    ///
    /// # Errors
    /// The first syntax error.
    pub fn scan_prefix(&mut self, text: &[u8], tape_depth: u32) -> Result<Scan, JsonError> {
        let tape_depth = tape_depth.min(TRACKED_DEPTH as u32);
        self.tape.clear();
        self.open.clear();
        self.deep.clear();
        self.deep_len = 0;
        self.names.clear();
        let mut scan = Scan::default();
        let mut at = skip_blanks(text, 0);
        'value: loop {
            // A value begins at `at`.
            let depth = self.open.len() as u32 + self.deep_len;
            let on_tape = depth < tape_depth;
            let start = at;
            if self.tape.len() >= MAX_ROWS && on_tape || self.names.len() >= MAX_NAMES {
                return Err(JsonError { fault: JsonFault::TooManyValues, offset: at });
            }
            match text.get(at).copied() {
                Some(b'"') => {
                    let (end, escaped) = string(text, at + 1, &mut scan.lone_surrogate)?;
                    at = end;
                    if on_tape {
                        self.leaf(NodeKind::String, escaped, start, at);
                    }
                }
                Some(opening @ (b'{' | b'[')) => {
                    let is_object = opening == b'{';
                    let row = if on_tape {
                        let kind = if is_object { NodeKind::Object } else { NodeKind::Array };
                        self.leaf(kind, false, start, start);
                        self.tape.len() as u32 - 1
                    } else {
                        u32::MAX
                    };
                    self.enter(is_object, row);
                    scan.depth = scan.depth.max(depth + 1);
                    at = skip_blanks(text, at + 1);
                    match text.get(at) {
                        Some(b'}') if is_object => {}
                        Some(b']') if !is_object => {}
                        _ => {
                            if is_object {
                                at = self.name(text, at, tape_depth, &mut scan)?;
                            }
                            continue 'value;
                        }
                    }
                    at += 1;
                    self.close(text, at, &mut scan);
                }
                Some(b't') if text[at..].starts_with(b"true") => {
                    at += 4;
                    if on_tape {
                        self.leaf(NodeKind::True, false, start, at);
                    }
                }
                Some(b'f') if text[at..].starts_with(b"false") => {
                    at += 5;
                    if on_tape {
                        self.leaf(NodeKind::False, false, start, at);
                    }
                }
                Some(b'n') if text[at..].starts_with(b"null") => {
                    at += 4;
                    if on_tape {
                        self.leaf(NodeKind::Null, false, start, at);
                    }
                }
                Some(b'-' | b'0'..=b'9') => {
                    let (end, kind) = number(text, at)?;
                    at = end;
                    if on_tape {
                        self.leaf(kind, false, start, at);
                    }
                }
                Some(_) => return Err(JsonError { fault: JsonFault::ExpectedValue, offset: at }),
                None => return Err(JsonError { fault: JsonFault::UnexpectedEnd, offset: at }),
            }
            // A value ended at `at`: close what closes with it, then go to the next one.
            loop {
                let Some(is_object) = self.innermost() else {
                    scan.end = at;
                    return Ok(scan);
                };
                at = skip_blanks(text, at);
                match text.get(at) {
                    Some(b',') => {
                        at = skip_blanks(text, at + 1);
                        if is_object {
                            at = self.name(text, at, tape_depth, &mut scan)?;
                        }
                        continue 'value;
                    }
                    Some(b'}') if is_object => {}
                    Some(b']') if !is_object => {}
                    Some(_) => return Err(JsonError { fault: JsonFault::ExpectedComma, offset: at }),
                    None => return Err(JsonError { fault: JsonFault::UnexpectedEnd, offset: at }),
                }
                at += 1;
                self.close(text, at, &mut scan);
            }
        }
    }

    fn enter(&mut self, is_object: bool, row: u32) {
        if self.open.len() < TRACKED_DEPTH {
            let first_name = self.names.len() as u32;
            self.open.push(Open { is_object, row, first_name, seen: 0, compare: false });
            return;
        }
        let bit = self.deep_len % 64;
        if bit == 0 {
            self.deep.push(0);
        }
        if let Some(word) = self.deep.last_mut() {
            *word = *word & !(1 << bit) | u64::from(is_object) << bit;
        }
        self.deep_len += 1;
    }

    /// Whether the innermost open container is an object; none when nothing is open.
    fn innermost(&self) -> Option<bool> {
        match self.deep.last() {
            Some(word) => Some(word >> ((self.deep_len - 1) % 64) & 1 == 1),
            None => self.open.last().map(|open| open.is_object),
        }
    }

    fn leaf(&mut self, kind: NodeKind, escaped: bool, start: usize, end: usize) {
        let next = self.tape.len() as u32 + 1;
        self.tape.push(Node { kind, escaped, start: start as u32, end: end as u32, next });
    }

    /// Reads a member name and its colon; gives the place where the value begins.
    fn name(&mut self, text: &[u8], at: usize, tape_depth: u32, scan: &mut Scan) -> Result<usize, JsonError> {
        match text.get(at) {
            Some(b'"') => {}
            Some(_) => return Err(JsonError { fault: JsonFault::ExpectedName, offset: at }),
            None => return Err(JsonError { fault: JsonFault::UnexpectedEnd, offset: at }),
        }
        let (end, escaped) = string(text, at + 1, &mut scan.lone_surrogate)?;
        if self.open.len() as u32 + self.deep_len < tape_depth {
            self.leaf(NodeKind::Key, escaped, at, end);
        }
        if self.deep_len == 0
            && let Some(open) = self.open.last_mut()
        {
            self.names.push((at as u32 + 1, end as u32 - 1));
            let name = &text[at + 1..end - 1];
            let bit = 1u64 << (name_hash(name) & 63);
            open.compare |= open.seen & bit != 0 || escaped;
            open.seen |= bit;
        }
        let colon = skip_blanks(text, end);
        match text.get(colon) {
            Some(b':') => Ok(skip_blanks(text, colon + 1)),
            Some(_) => Err(JsonError { fault: JsonFault::ExpectedColon, offset: colon }),
            None => Err(JsonError { fault: JsonFault::UnexpectedEnd, offset: colon }),
        }
    }

    fn close(&mut self, text: &[u8], end: usize, scan: &mut Scan) {
        if self.deep_len > 0 {
            self.deep_len -= 1;
            if self.deep_len.is_multiple_of(64) {
                self.deep.pop();
            }
            return;
        }
        let Some(open) = self.open.pop() else { return };
        if open.row != u32::MAX {
            let next = self.tape.len() as u32;
            let row = &mut self.tape[open.row as usize];
            row.end = end as u32;
            row.next = next;
        }
        if open.is_object {
            if open.compare && scan.duplicate_name.is_none() {
                scan.duplicate_name = duplicate(text, &self.names[open.first_name as usize..]);
            }
            self.names.truncate(open.first_name as usize);
        }
    }
}

/// Spreads short names over 64 values; equal names have equal hashes, that is all that is needed.
fn name_hash(name: &[u8]) -> usize {
    let first = name.first().copied().unwrap_or(0);
    let last = name.last().copied().unwrap_or(0);
    let middle = name.get(name.len() / 2).copied().unwrap_or(0);
    (usize::from(first) * 31 + usize::from(last) * 7 + usize::from(middle) * 13).wrapping_add(name.len() * 5)
}

/// The first name of an object that repeats an earlier one, after unescaping.
fn duplicate(text: &[u8], names: &[(u32, u32)]) -> Option<usize> {
    let raw = |&(start, end): &(u32, u32)| &text[start as usize..end as usize];
    let plain = names.iter().all(|n| memchr::memchr(b'\\', raw(n)).is_none());
    if plain && names.len() <= PAIRWISE_LIMIT {
        return (1..names.len())
            .find(|&i| names[..i].iter().any(|n| raw(n) == raw(&names[i])))
            .map(|i| names[i].0 as usize - 1);
    }
    let unescaped = |n: &(u32, u32)| match raw(n) {
        name if memchr::memchr(b'\\', name).is_none() => Cow::Borrowed(name),
        name => Cow::Owned(super::json::unescape_wtf8(name)),
    };
    let mut sorted = names.to_vec();
    sorted.sort_unstable_by(|a, b| unescaped(a).cmp(&unescaped(b)).then(a.0.cmp(&b.0)));
    sorted.windows(2).filter(|w| unescaped(&w[0]) == unescaped(&w[1])).map(|w| w[1].0 as usize - 1).min()
}

/// Skips space, tab, LF and CR.
pub(crate) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = text.get(at) {
        at += 1;
    }
    at
}

/// Bytes that end a run of plain characters in a string: quote, backslash, controls.
fn plain_end(text: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut plain_words = 0;
    loop {
        // After 32 plain bytes a long text is likely: blocks that the compiler turns into vector code.
        if plain_words >= 4 {
            while let Some(block) = text[at..].first_chunk::<64>() {
                let mut special = 0u8;
                for &b in block {
                    special |= u8::from(b < 0x20) | u8::from(b == b'"') | u8::from(b == b'\\');
                }
                if special != 0 {
                    break;
                }
                at += 64;
            }
            plain_words = i32::MIN;
        }
        let Some(word) = text[at..].first_chunk::<8>() else { break };
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (ONES * b'"' as u64);
        let backslash = word ^ (ONES * b'\\' as u64);
        // The lowest high bit marks the first such byte; borrows can only add marks above it.
        let marks = ((word.wrapping_sub(ONES * 0x20) & !word)
            | (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash))
            & HIGHS;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
        plain_words += 1;
    }
    while at < text.len() && text[at] >= 0x20 && text[at] != b'"' && text[at] != b'\\' {
        at += 1;
    }
    at
}

/// Reads a string whose opening quote stands before `at`; gives the place behind the closing quote and whether it has escapes.
fn string(text: &[u8], mut at: usize, lone: &mut Option<usize>) -> Result<(usize, bool), JsonError> {
    let mut escaped = false;
    loop {
        at = plain_end(text, at);
        match text.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                match text.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                    Some(b'u') => at = unicode_escape(text, at, lone)?,
                    Some(_) => return Err(JsonError { fault: JsonFault::BadEscape, offset: at }),
                    None => return Err(JsonError { fault: JsonFault::UnexpectedEnd, offset: at + 1 }),
                }
            }
            Some(_) => return Err(JsonError { fault: JsonFault::ControlCharacter, offset: at }),
            None => return Err(JsonError { fault: JsonFault::UnexpectedEnd, offset: at }),
        }
    }
}

/// Reads `\uXXXX` at `at`, with its partner when it is a pair; notes a surrogate that has none.
fn unicode_escape(text: &[u8], at: usize, lone: &mut Option<usize>) -> Result<usize, JsonError> {
    let bad = |offset| JsonError { fault: JsonFault::BadEscape, offset };
    let Some(unit) = hex4(text, at + 2) else {
        let short = text.len() < at + 6;
        return Err(if short { JsonError { fault: JsonFault::UnexpectedEnd, offset: text.len() } } else { bad(at) });
    };
    match unit {
        0xD800..=0xDBFF => {
            if text.get(at + 6) == Some(&b'\\')
                && text.get(at + 7) == Some(&b'u')
                && let Some(0xDC00..=0xDFFF) = hex4(text, at + 8)
            {
                return Ok(at + 12);
            }
            lone.get_or_insert(at);
        }
        0xDC00..=0xDFFF => {
            lone.get_or_insert(at);
        }
        _ => {}
    }
    Ok(at + 6)
}

/// Four hex digits as a UTF-16 unit.
pub(crate) fn hex4(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 4)?;
    digits.iter().try_fold(0u16, |unit, &b| Some(unit << 4 | (b as char).to_digit(16)? as u16))
}

/// Reads a number that begins at `at`.
fn number(text: &[u8], start: usize) -> Result<(usize, NodeKind), JsonError> {
    let digits = |mut at: usize| {
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let truncated = |offset: usize, fault| {
        let fault = if offset >= text.len() { JsonFault::UnexpectedEnd } else { fault };
        Err(JsonError { fault, offset })
    };
    let first = if text[start] == b'-' { start + 1 } else { start };
    let mut at = match text.get(first) {
        Some(b'0') => first + 1,
        Some(b'1'..=b'9') => digits(first),
        _ => return truncated(first, JsonFault::ExpectedValue),
    };
    let mut kind = NodeKind::Integer;
    if at - first > MAX_INTEGER_DIGITS && !matches!(text.get(at), Some(b'.' | b'e' | b'E')) {
        return Err(JsonError { fault: JsonFault::NumberTooLarge, offset: start });
    }
    if text.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return truncated(end, JsonFault::ExpectedValue);
        }
        at = end;
        kind = NodeKind::Float;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at + 1 + sign);
        if end == at + 1 + sign {
            return truncated(end, JsonFault::ExpectedValue);
        }
        at = end;
        kind = NodeKind::Float;
    }
    // Only an exponent or very many digits can overflow a double.
    if kind == NodeKind::Float && at - start > 3 {
        let spelled = std::str::from_utf8(&text[start..at]).unwrap_or("");
        let long = at - start > 300 || memchr::memchr2(b'e', b'E', spelled.as_bytes()).is_some();
        if long && !spelled.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(JsonError { fault: JsonFault::NumberTooLarge, offset: start });
        }
    }
    Ok((at, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<Scan, JsonError> {
        Scanner::default().scan(text.as_bytes(), 8)
    }

    #[test]
    fn brackets_match_at_any_depth() {
        for depth in [1, 63, 64, 255, 256, 257, 319, 320, 321, 1000] {
            let opening = |i: usize| if i.is_multiple_of(3) { "[" } else { "{\"a\":" };
            let closing = |i: usize| if i.is_multiple_of(3) { "]" } else { "}" };
            let open: String = (0..depth).map(opening).collect();
            let close: String = (0..depth).rev().map(closing).collect();
            let text = format!("{open}1{close}");
            assert_eq!(scan(&text).map(|s| (s.end, s.depth as usize)), Ok((text.len(), depth)));
            // The innermost bracket is closed by one of the other kind.
            let other = if close.starts_with(']') { "}" } else { "]" };
            let fault = scan(&format!("{open}1{other}{}", &close[1..])).map_err(|e| (e.fault, e.offset));
            assert_eq!(fault, Err((JsonFault::ExpectedComma, open.len() + 1)));
            assert!(scan(&text[..text.len() - 1]).is_err_and(|e| e.fault == JsonFault::UnexpectedEnd));
        }
    }

    #[test]
    fn memory_has_a_bound_whatever_the_text() {
        for text in [format!("[{}0]", "0,".repeat(MAX_ROWS)), format!("{{{}\"\":0}}", "\"\":0,".repeat(MAX_NAMES))] {
            assert!(scan(&text).is_err_and(|e| e.fault == JsonFault::TooManyValues));
        }
        let mut scanner = Scanner::default();
        assert!(scanner.scan("[".repeat(1 << 20).as_bytes(), 8).is_err());
        assert!(scanner.open.capacity() * size_of::<Open>() + scanner.deep.capacity() * 8 < 300_000);
    }

    #[test]
    fn accepts_what_json_accepts() {
        for text in [
            "0",
            "-0",
            "1.5",
            "-1e5",
            "1E+2",
            "\"\"",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            " [1 , 2 ] ",
            "{\"a\":{}}",
            "[[],{},\"x\",-1]",
            "\"\\u00e9\\n\\\"\"",
            "\"\u{7f}\u{2028}é😀\"",
            "1e-999",
        ] {
            assert!(scan(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn refuses_with_the_place() {
        use JsonFault::*;
        for (text, fault, offset) in [
            ("", UnexpectedEnd, 0),
            ("nul", ExpectedValue, 0),
            ("NaN", ExpectedValue, 0),
            ("01", TrailingData, 1),
            ("1.", UnexpectedEnd, 2),
            ("-", UnexpectedEnd, 1),
            ("-x", ExpectedValue, 1),
            (".5", ExpectedValue, 0),
            ("1e999", NumberTooLarge, 0),
            ("[1,]", ExpectedValue, 3),
            ("{\"a\":1,}", ExpectedName, 7),
            ("{a:1}", ExpectedName, 1),
            ("{\"a\" 1}", ExpectedColon, 5),
            ("{\"a\":1", UnexpectedEnd, 6),
            ("[1 2]", ExpectedComma, 3),
            ("[1}", ExpectedComma, 2),
            ("\"a", UnexpectedEnd, 2),
            ("\"a\\", UnexpectedEnd, 3),
            ("\"\\x\"", BadEscape, 1),
            ("\"\\u12g4\"", BadEscape, 1),
            ("\"\\u12", UnexpectedEnd, 5),
            ("\"a\nb\"", ControlCharacter, 2),
            ("{} {}", TrailingData, 3),
        ] {
            assert_eq!(scan(text), Err(JsonError { fault, offset }), "{text}");
        }
    }

    #[test]
    fn long_plain_runs_stop_at_the_first_special_byte() {
        for special in [b'"', b'\\', 0x1f] {
            for length in 0..200 {
                let mut text = vec![b'a'; length];
                text.push(special);
                text.extend_from_slice(&[0xC3; 70]);
                assert_eq!(plain_end(&text, 0), length);
            }
        }
    }

    #[test]
    fn notes_depth_surrogates_and_duplicate_names() {
        assert_eq!(scan("[[{}]]").map(|s| s.depth), Ok(3));
        assert_eq!(scan("7").map(|s| s.depth), Ok(0));
        for (text, lone) in [
            (r#""\ud83d\ude00""#, None),
            (r#"["x\ud83d"]"#, Some(3)),
            (r#""\ude00""#, Some(1)),
            (r#""\ud83d\u0041""#, Some(1)),
            (r#"{"\ud83d":1}"#, Some(2)),
        ] {
            assert_eq!(scan(text).map(|s| s.lone_surrogate), Ok(lone), "{text}");
        }
        for (text, duplicate) in [
            (r#"{"a":1,"b":2}"#, None),
            (r#"{"a":1,"a":2}"#, Some(7)),
            (r#"{"a":{"a":1},"b":{"a":1}}"#, None),
            (r#"[{"x":[{"k":1,"q":2,"k":3}]}]"#, Some(20)),
            (r#"{"a":1,"\u0061":2}"#, Some(7)),
        ] {
            assert_eq!(scan(text).map(|s| s.duplicate_name), Ok(duplicate), "{text}");
        }
        let many: String = (0..1000).map(|i| format!("\"k{i}\":0,")).collect();
        assert_eq!(scan(&format!("{{{many}\"z\":1}}")).map(|s| s.duplicate_name), Ok(None));
        assert_eq!(scan(&format!("{{{many}\"k7\":1}}")).map(|s| s.duplicate_name), Ok(Some(many.len() + 1)));
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(scan(&deep).map(|s| s.depth), Ok(1_000_000));
    }
}
