//! Canonical form of strings and numbers, read from JSON text and appended to the canonical text.
//!
//! Strings: what ECMAScript's `JSON.stringify` writes, lone surrogates as lower-case escapes. Numbers: what its
//! `Number::toString` writes, infinities as `null`. Both take the text behind the first byte at `at`, and answer
//! with the place behind the scalar; `None` is text that `JSON.parse` refuses.

/// Each byte of a word set to 1.
const ONES: u64 = u64::MAX / 255;
/// Integers of at most this many digits are doubles exactly and spelled with all their digits.
const EXACT_DIGITS: usize = 15;
/// More significant digits than this cannot move the rounding of a double, once it is known whether any is not zero.
const SIGNIFICANT: usize = 800;

/// Length of the leading run without quote, backslash and control, eight bytes at a time.
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    // In `word - ones * n & !word` the lowest byte with a high bit is the first one below `n`; borrows only go up.
    let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word & (ONES << 7);
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
        let stop = below(word, 0x20) | quote | backslash;
        if stop != 0 {
            return i * 8 + stop.trailing_zeros() as usize / 8;
        }
    }
    let stop = |&b: &u8| b < 0x20 || b == b'"' || b == b'\\';
    words.len() * 8 + rest.iter().position(stop).unwrap_or(rest.len())
}

/// A string, quotes included. `at` is the place of its opening quote.
pub(super) fn string(input: &[u8], mut at: usize, out: &mut Vec<u8>) -> Option<usize> {
    // Everything from `run` on is canonical already and copied in one piece.
    let mut run = at;
    at += 1;
    loop {
        at += plain_run(&input[at..]);
        match *input.get(at)? {
            b'"' => {
                out.extend_from_slice(&input[run..=at]);
                return Some(at + 1);
            }
            b'\\' => match *input.get(at + 1)? {
                b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                b'/' => {
                    out.extend_from_slice(&input[run..at]);
                    run = at + 1;
                    at += 2;
                }
                b'u' => {
                    out.extend_from_slice(&input[run..at]);
                    let unit = unit(input, at)?;
                    at += 6;
                    match unit {
                        0xD800..=0xDBFF => match unit_if_low(input, at) {
                            Some(low) => {
                                push_units(&[unit, low], out);
                                at += 6;
                            }
                            None => push_units(&[unit], out),
                        },
                        _ => push_units(&[unit], out),
                    }
                    run = at;
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// The code unit of the escape `\uXXXX` at `at`.
fn unit(input: &[u8], at: usize) -> Option<u16> {
    let digits = input.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, &b| Some(unit << 4 | (b as char).to_digit(16)? as u16))
}

/// The low surrogate escaped at `at`, if there is one.
fn unit_if_low(input: &[u8], at: usize) -> Option<u16> {
    unit(input, at).filter(|unit| (0xDC00..0xE000).contains(unit))
}

/// Appends one code unit, or a pair, in canonical spelling.
fn push_units(units: &[u16], out: &mut Vec<u8>) {
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok('\u{8}') => out.extend_from_slice(b"\\b"),
            Ok('\t') => out.extend_from_slice(b"\\t"),
            Ok('\n') => out.extend_from_slice(b"\\n"),
            Ok('\u{c}') => out.extend_from_slice(b"\\f"),
            Ok('\r') => out.extend_from_slice(b"\\r"),
            Ok('"') => out.extend_from_slice(b"\\\""),
            Ok('\\') => out.extend_from_slice(b"\\\\"),
            Ok(c) if c < ' ' => push_escape(c as u16, out),
            Ok(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => push_escape(lone.unpaired_surrogate(), out),
        }
    }
}

fn push_escape(unit: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\u");
    out.extend([12, 8, 4, 0].map(|shift| b"0123456789abcdef"[usize::from(unit >> shift & 15)]));
}

/// The code units of a canonical string, given without its quotes.
pub(super) fn units(canonical: &[u8]) -> impl Iterator<Item = u16> {
    let mut at = 0;
    let mut low = None;
    std::iter::from_fn(move || {
        if low.is_some() {
            return low.take();
        }
        let rest = canonical.get(at..)?;
        let (value, length) = match (rest, unit(rest, 0)) {
            (_, Some(unit)) => (unit, 6),
            ([b'\\', b'b', ..], _) => (0x8, 2),
            ([b'\\', b't', ..], _) => (0x9, 2),
            ([b'\\', b'n', ..], _) => (0xA, 2),
            ([b'\\', b'f', ..], _) => (0xC, 2),
            ([b'\\', b'r', ..], _) => (0xD, 2),
            ([b'\\', byte, ..], _) => (u16::from(*byte), 2),
            _ => {
                let chunk = rest.get(..4).unwrap_or(rest);
                let next = chunk.utf8_chunks().next()?.valid().chars().next()?;
                let mut pair = [0; 2];
                low = next.encode_utf16(&mut pair).get(1).copied();
                (pair[0], next.len_utf8())
            }
        };
        at += length;
        Some(value)
    })
}

/// A number. `at` is the place of its sign or first digit.
pub(super) fn number(input: &[u8], at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let digits = |from: usize| from + input[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let start = at + usize::from(input[at] == b'-');
    let whole = digits(start);
    if whole == start || (input[start] == b'0' && whole > start + 1) {
        return None;
    }
    let mut end = whole;
    if input.get(end) == Some(&b'.') {
        end = digits(whole + 1);
        if end == whole + 1 {
            return None;
        }
    }
    let mantissa = end;
    if matches!(input.get(end), Some(b'e' | b'E')) {
        let first = end + 1 + usize::from(matches!(input.get(end + 1), Some(b'+' | b'-')));
        end = digits(first.min(input.len()));
        if end <= first {
            return None;
        }
    }
    if end == whole && whole - start <= EXACT_DIGITS && (start == at || input[start] != b'0') {
        out.extend_from_slice(&input[at..end]);
    } else {
        push_double(double(str::from_utf8(&input[at..end]).ok()?, mantissa - at)?, out);
    }
    Some(end)
}

/// The double nearest to a decimal. The standard parser stops counting in an exponent of many digits, which is
/// harmless unless as many digits of the mantissa make up for it: those are cut to what matters first.
fn double(literal: &str, mantissa: usize) -> Option<f64> {
    if mantissa <= SIGNIFICANT {
        return literal.parse().ok();
    }
    let (mantissa, exponent) = literal.split_at(mantissa);
    let (sign, magnitude) = mantissa.strip_prefix('-').map_or(("", mantissa), |magnitude| ("-", magnitude));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let zeros = digits().take_while(|&b| b == b'0').count();
    let kept: String = digits().skip(zeros).take(SIGNIFICANT).map(char::from).collect();
    let sticky = if digits().skip(zeros + SIGNIFICANT).any(|b| b != b'0') { "1" } else { "" };
    let written: i64 = match exponent.get(1..) {
        None => 0,
        Some(digits) => digits.parse().unwrap_or(if digits.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 }),
    };
    // The value is 0.KEPT times ten to the power of this.
    let power = written + i64::try_from(whole.len()).ok()? - i64::try_from(zeros).ok()?;
    format!("{sign}0.{kept}{sticky}0e{}", power.clamp(-9999, 9999)).parse().ok()
}

/// Appends a double in ECMAScript's spelling.
fn push_double(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(value).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, scalar: fn(&[u8], usize, &mut Vec<u8>) -> Option<usize>) -> Option<String> {
        let mut out = Vec::new();
        let end = scalar(text.as_bytes(), 0, &mut out)?;
        (end == text.len()).then(|| String::from_utf8(out).expect("canonical text is UTF-8"))
    }

    #[test]
    fn numbers_are_spelled_as_by_ecmascript() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-7", "-7"),
            ("1.50", "1.5"),
            ("1E3", "1000"),
            ("999999999999999", "999999999999999"),
            ("9007199254740993", "9007199254740992"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("123456e-11", "0.00000123456"),
            ("1e-7", "1e-7"),
            ("1e400", "null"),
            ("-1e400", "null"),
            ("1e-400", "0"),
        ] {
            assert_eq!(read(text, number).as_deref(), Some(expected), "{text}");
        }
        for text in ["-", "01", "-01", "1.", "1.e2", "1e", "1e+", "1_0", "0x1"] {
            assert_eq!(read(text, number), None, "{text}");
        }
    }

    #[test]
    fn many_digits_are_weighed_whole() {
        let zeros = "0".repeat(70_000);
        for (text, expected) in [
            (format!("0.{zeros}1e70001"), "1"),
            (format!("-25{zeros}e-70001"), "-2.5"),
            (format!("0.{zeros}e5"), "0"),
            (format!("1{zeros}"), "null"),
            (format!("0.{zeros}1"), "0"),
            (format!("1{zeros}e-99999999999999999999"), "0"),
            // Half way between two doubles, but for a digit far behind.
            (format!("9007199254740993.{zeros}"), "9007199254740992"),
            (format!("9007199254740993.{zeros}1"), "9007199254740994"),
        ] {
            assert_eq!(read(&text, number).as_deref(), Some(expected), "{}...", &text[..20]);
        }
    }

    #[test]
    fn strings_have_one_spelling() {
        for (text, expected) in [
            (r#""""#, r#""""#),
            (r#""a\/b\u0041\u00e9\ud83d\ude00""#, r#""a/bAé😀""#),
            (r#""\u0022\u005c\u0008\u0009\u000a\u000C\u000d\u001F""#, r#""\"\\\b\t\n\f\r\u001f""#),
            (r#""\uD83D\uDBFF\udc00\uDC00-\ud83d\n""#, "\"\\ud83d\u{10fc00}\\udc00-\\ud83d\\n\""),
            ("\"\u{7f}\u{2028}\u{feff}\"", "\"\u{7f}\u{2028}\u{feff}\""),
        ] {
            assert_eq!(read(text, string).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["\"", "\"\\", "\"\\u12", "\"\\u12g4\"", "\"\\ud800\\u12\"", "\"\\x\"", "\"\t\"", "\"\0\"", "\"a\"b"]
        {
            assert_eq!(read(text, string), None, "{text}");
        }
    }

    #[test]
    fn a_plain_run_ends_at_the_first_byte_that_needs_a_look() {
        for length in 0..40 {
            for stop in [b'"', b'\\', 0, 0x1F] {
                for behind in ["", "\"", "\\\u{1}xxxxxxxxxxxx"] {
                    let mut bytes = "é!~\u{7f} ".repeat(8).into_bytes();
                    bytes.truncate(length);
                    bytes.push(stop);
                    bytes.extend_from_slice(behind.as_bytes());
                    assert_eq!(plain_run(&bytes), length);
                }
            }
        }
        assert_eq!(plain_run(b"no stop in here"), 15);
    }

    #[test]
    fn units_read_canonical_text_back() {
        for text in ["", "plain", "\"\\\u{8}\t\n\u{c}\r\u{1}/", "é😀\u{ffff}"] {
            let mut canonical = Vec::new();
            text.encode_utf16().for_each(|unit| push_units(&[unit], &mut canonical));
            assert!(units(&canonical).eq(text.encode_utf16()), "{text}");
        }
        assert!(units(b"\\ud800a").eq([0xD800, 0x61]));
    }
}
