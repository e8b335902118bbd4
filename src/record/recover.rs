//! What a broken line still holds: whole records behind NUL runs, stubs, or other records.
//!
//! Nothing is guessed: a recovered record is a complete JSON object that ends where the line or the next record begins.

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
                match next_object(line, at + 1, scanner, &mut budget) {
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

/// The first object behind `from` that is whole and is followed by nothing, NULs, or another object: a record, not a part of one.
fn next_object(line: &[u8], from: usize, scanner: &mut Scanner, budget: &mut usize) -> Option<Range<usize>> {
    for offset in memchr::memmem::find_iter(&line[from..], b"{\"") {
        if *budget == 0 {
            return None;
        }
        let at = from + offset;
        let Some(end) = whole_object(line, at, scanner, budget) else { continue };
        let behind = skip_separators(line, end);
        if behind == line.len() || line[behind..].starts_with(b"{\"") {
            return Some(at..end);
        }
    }
    None
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
