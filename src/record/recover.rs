//! What a broken line still holds: whole records behind NUL runs, stubs, or other records.
//!
//! Nothing is guessed: a recovered record is a complete JSON object that ends where the line or the next record begins.

use std::collections::BTreeSet;
use std::ops::Range;

use super::scan::{Scanner, skip_blanks};

/// How a line is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A run of NUL bytes stands on the line.
    Nul,
    /// A record was cut and a whole one follows on the same line.
    Spliced,
    /// Two or more whole records without a line end between them.
    Concatenated,
    /// Not UTF-8.
    Utf8,
    /// Not JSON, and nothing whole on it.
    Malformed,
    /// JSON, but no object.
    NotAnObject,
}

impl Damage {
    /// The variant name in findings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nul => "nul-bytes",
            Self::Spliced => "spliced-record",
            Self::Concatenated => "concatenated-records",
            Self::Utf8 => "invalid-utf8",
            Self::Malformed => "malformed-line",
            Self::NotAnObject => "non-object-line",
        }
    }
}

/// The diagnosis of a broken line.
#[derive(Debug, PartialEq, Eq)]
pub struct Salvage {
    /// What is wrong.
    pub damage: Damage,
    /// Byte ranges of whole records within the line, in order.
    pub records: Vec<Range<usize>>,
}

/// How often the line may be scanned again in search of a whole record: keeps hostile lines linear.
const SCAN_BUDGET: usize = 8;

/// Looks for whole records on a line that is no single JSON object. `line` carries no line end.
#[must_use]
pub fn recover(line: &[u8], scanner: &mut Scanner) -> Salvage {
    let has_nul = memchr::memchr(0, line).is_some();
    let utf8 = simdutf8::basic::from_utf8(line).is_ok();
    let mut records = Vec::new();
    let mut stub = false;
    let mut budget = line.len().saturating_mul(SCAN_BUDGET).max(1 << 16);
    let mut at = 0;
    while at < line.len() {
        at = skip_separators(line, at);
        if at >= line.len() {
            break;
        }
        match whole_object(line, at, scanner, &mut budget).filter(|&end| !goes_on(line, end)) {
            Some(end) => {
                records.push(at..end);
                at = end;
            }
            None => {
                stub = true;
                match next_object(line, at, scanner, &mut budget) {
                    Some(found) => {
                        at = found.end;
                        records.push(found);
                    }
                    None => break,
                }
            }
        }
    }
    let damage = if has_nul {
        Damage::Nul
    } else if !utf8 {
        Damage::Utf8
    } else if records.is_empty() {
        let scalar = scanner.scan(line, 1).is_ok();
        if scalar { Damage::NotAnObject } else { Damage::Malformed }
    } else if stub {
        Damage::Spliced
    } else {
        Damage::Concatenated
    };
    Salvage { damage, records }
}

/// Blanks and NULs between records.
fn skip_separators(line: &[u8], mut at: usize) -> usize {
    loop {
        let next = skip_blanks(line, at);
        let nul = line[next..].iter().take_while(|b| **b == 0).count();
        if nul == 0 {
            return next;
        }
        at = next + nul;
    }
}

/// Whether what ends here is a part of something: a line that lost its beginning may begin with an inner object.
fn goes_on(line: &[u8], end: usize) -> bool {
    matches!(line.get(skip_blanks(line, end)), Some(b',' | b':' | b']' | b'}'))
}

/// The end of a whole object that begins at `at`.
fn whole_object(line: &[u8], at: usize, scanner: &mut Scanner, budget: &mut usize) -> Option<usize> {
    if line[at] != b'{' {
        return None;
    }
    let result = scanner.scan_prefix(&line[at..], 1);
    let used = match &result {
        Ok(scan) => scan.end,
        Err(error) => error.offset,
    };
    *budget = budget.saturating_sub(used.max(1));
    let end = at + result.ok()?.end;
    simdutf8::basic::from_utf8(&line[at..end]).is_ok().then_some(end)
}

/// The first object behind the stub at `stub` that is whole and is followed by nothing, NULs, or another object: a
/// record, not a part of one.
fn next_object(line: &[u8], stub: usize, scanner: &mut Scanner, budget: &mut usize) -> Option<Range<usize>> {
    let from = stub + 1;
    for offset in memchr::memmem::find_iter(&line[from..], b"{\"") {
        if *budget == 0 {
            return None;
        }
        let at = from + offset;
        let Some(end) = whole_object(line, at, scanner, budget) else { continue };
        let behind = skip_separators(line, end);
        let ends = behind == line.len() || line[behind..].starts_with(b"{\"");
        if ends && !is_value_in(&line[stub..], at - stub..end - stub, budget) {
            return Some(at..end);
        }
    }
    None
}

/// Whether a stub goes on with the object as one of its own values. A record that happens to stand where a value could
/// has names in common with the stub's record: at least two, if the stub came to as many.
fn is_value_in(text: &[u8], object: Range<usize>, budget: &mut usize) -> bool {
    let before = text[..object.start].iter().rposition(|b| !b.is_ascii_whitespace());
    if !before.is_some_and(|before| matches!(text[before], b':' | b',' | b'[')) {
        return false;
    }
    *budget = budget.saturating_sub(object.end);
    let Some(known) = names(&text[..object.start]) else { return false };
    let own = names(&text[object]).unwrap_or_default();
    let shared = own.iter().filter(|name| known.contains(*name)).count();
    shared < known.len().clamp(1, 2)
}

/// The distinct names of the members of an object that may break off; none when it does so within a string.
fn names(text: &[u8]) -> Option<BTreeSet<&[u8]>> {
    let mut names = BTreeSet::new();
    let (mut at, mut depth) = (0, 0u32);
    while at < text.len() {
        match text[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                at = string_end(text, start)?;
                if depth == 1 && text.get(skip_blanks(text, at + 1)) == Some(&b':') {
                    names.insert(&text[start..at]);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Some(names)
}

/// Where the string that begins at `at` is closed.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn salvage(line: &[u8]) -> (Damage, Vec<&[u8]>) {
        let salvage = recover(line, &mut Scanner::default());
        (salvage.damage, salvage.records.into_iter().map(|r| &line[r]).collect())
    }

    #[test]
    fn damage_is_named_and_whole_records_are_kept() {
        type Case<'a> = (&'a [u8], Damage, &'a [&'a [u8]]);
        let cases: &[Case<'_>] = &[
            (br#"{"a":"tru{"b":1}"#, Damage::Spliced, &[br#"{"b":1}"#]),
            (br#"{"a":1}{"b":2}"#, Damage::Concatenated, &[br#"{"a":1}"#, br#"{"b":2}"#]),
            (br#"{"a":1} {"b":2} {"c":3}"#, Damage::Concatenated, &[br#"{"a":1}"#, br#"{"b":2}"#, br#"{"c":3}"#]),
            (b"\0\0\0", Damage::Nul, &[]),
            (b"\0\0{\"a\":1}", Damage::Nul, &[br#"{"a":1}"#]),
            (b"{\"a\":1}\0\0", Damage::Nul, &[br#"{"a":1}"#]),
            (b"{\"a\":\"\xff\"}", Damage::Utf8, &[]),
            (br#"words"#, Damage::Malformed, &[]),
            (br#"{"a":{"b":1"#, Damage::Malformed, &[]),
            (br#"t":[{"type":"text"}]}"#, Damage::Malformed, &[]),
            (b"[1]", Damage::NotAnObject, &[]),
            (b"null", Damage::NotAnObject, &[]),
            (br#"{"a":1}{"b":"cu"#, Damage::Spliced, &[br#"{"a":1}"#]),
            (br#"{"a":1},{"a":2}]}"#, Damage::Malformed, &[]),
            (br#"{"a":1}},"b":2}{"c":3}"#, Damage::Spliced, &[br#"{"c":3}"#]),
            (br#"{"a":1,"b":{"c":2}"#, Damage::Malformed, &[]),
            (br#"{"a":1,"b":[{"c":2}"#, Damage::Malformed, &[]),
            (br#"{"a":1,"b":{"c":2}{"a":3}"#, Damage::Spliced, &[br#"{"a":3}"#]),
            (br#"{"a":1,"b":{"a":3,"b":4}"#, Damage::Spliced, &[br#"{"a":3,"b":4}"#]),
            (br#"{"a":{"a":3,"b":4}"#, Damage::Spliced, &[br#"{"a":3,"b":4}"#]),
            (br#"{"a":1,"b":"x:{"c":3}"#, Damage::Spliced, &[br#"{"c":3}"#]),
            (br#"{"a":1,"b":"\":{"c":3}"#, Damage::Spliced, &[br#"{"c":3}"#]),
        ];
        for (line, damage, records) in cases {
            assert_eq!(salvage(line), (*damage, records.to_vec()), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn hostile_lines_stay_linear() {
        let line = br#"{"a":"#.repeat(200_000);
        assert_eq!(salvage(&line).0, Damage::Malformed);
    }
}
