//! What the parser behind the reference program says of a text that is no JSON or no UTF-8: problem and place.
//!
//! These words enter fingerprints of canonical lines, so they are data (docs/adr/0005). Only broken lines come here: the
//! text is read once more in that parser's own order, which decides what it stumbles over first. Nothing recurses.

/// Integers with more digits are refused.
const MAX_DIGITS: usize = 4300;
/// Numbers of more characters are not quoted.
const MAX_QUOTED: usize = 64;

/// The complaint about a line, white space around it aside; none when that parser takes it. `terminated`: an LF, which
/// is not among the bytes, ends the line.
#[must_use]
pub fn complaint(bytes: &[u8], terminated: bool) -> Option<String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => json(crate::adapter::trim(text)),
        Err(error) => Some(utf8(bytes, error, terminated)),
    }
}

fn utf8(bytes: &[u8], error: std::str::Utf8Error, terminated: bool) -> String {
    let start = error.valid_up_to();
    let end = error.error_len().map_or(bytes.len(), |len| start + len);
    let problem = match bytes[start] {
        0x80..=0xC1 | 0xF5..=0xFF => "invalid start byte",
        // The LF is the byte that breaks a sequence at the end of its line.
        _ if error.error_len().is_some() || terminated => "invalid continuation byte",
        _ => "unexpected end of data",
    };
    if end - start == 1 {
        format!("'utf-8' codec can't decode byte {:#04x} in position {start}: {problem}", bytes[start])
    } else {
        format!("'utf-8' codec can't decode bytes in position {start}-{}: {problem}", end - 1)
    }
}

fn json(text: &str) -> Option<String> {
    let mut parser = Parser { text: text.as_bytes(), at: 0 };
    let (problem, at) = match parser.document() {
        Ok(()) => return None,
        Err(Problem::Said(whole)) => return Some(whole),
        Err(Problem::At(problem, at)) => (problem, at),
    };
    let before = &text[..at];
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
    Some(format!("{problem}: line {line} column {column} (char {})", before.chars().count()))
}

enum Problem {
    /// A problem and the byte offset it points at.
    At(&'static str, usize),
    /// A problem that names no place.
    Said(String),
}

const VALUE: &str = "Expecting value";
const NAME: &str = "Expecting property name enclosed in double quotes";
const COLON: &str = "Expecting ':' delimiter";
const COMMA: &str = "Expecting ',' delimiter";

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), Problem> {
        // One entry for each open object (true) or array.
        let mut open: Vec<bool> = Vec::new();
        self.blanks();
        loop {
            // A value begins here.
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.blanks();
                    if self.peek() != Some(b'}') {
                        open.push(true);
                        self.name()?;
                        continue;
                    }
                    self.at += 1;
                }
                Some(b'[') => {
                    self.at += 1;
                    self.blanks();
                    if self.peek() != Some(b']') {
                        open.push(false);
                        continue;
                    }
                    self.at += 1;
                }
                _ => self.scalar()?,
            }
            // A value ended here.
            loop {
                self.blanks();
                let Some(&is_object) = open.last() else {
                    return if self.at == self.text.len() { Ok(()) } else { Err(Problem::At("Extra data", self.at)) };
                };
                match self.peek() {
                    Some(b'}') if is_object => self.at += 1,
                    Some(b']') if !is_object => self.at += 1,
                    Some(b',') => {
                        self.at += 1;
                        self.blanks();
                        if is_object {
                            self.name()?;
                        }
                        break;
                    }
                    _ => return Err(Problem::At(COMMA, self.at)),
                }
                open.pop();
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// A member's name and its colon, with the blanks around that.
    fn name(&mut self) -> Result<(), Problem> {
        if self.peek() != Some(b'"') {
            return Err(Problem::At(NAME, self.at));
        }
        self.string()?;
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(Problem::At(COLON, self.at));
        }
        self.at += 1;
        self.blanks();
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), Problem> {
        let rest = &self.text[self.at..];
        if rest.starts_with(b"\"") {
            return self.string();
        }
        for word in ["null", "true", "false"] {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(());
            }
        }
        for word in ["NaN", "Infinity", "-Infinity"] {
            if rest.starts_with(word.as_bytes()) {
                return Err(Problem::Said(format!("Out-of-range or non-standard numeric constant: {word}")));
            }
        }
        self.number()
    }

    /// A number as far as its grammar goes.
    fn number(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let rest = &self.text[start..];
        let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let whole = if rest.get(sign) == Some(&b'0') { 1 } else { digits(sign) };
        if whole == 0 {
            return Err(Problem::At(VALUE, start));
        }
        let mut end = sign + whole;
        if rest.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let exponent = end + 1 + usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            if digits(exponent) > 0 {
                end = exponent + digits(exponent);
            }
        }
        self.at = start + end;
        let literal = std::str::from_utf8(&rest[..end]).unwrap_or_default();
        if end > sign + whole {
            let overflows = literal.parse::<f64>().is_ok_and(f64::is_infinite);
            // A longer one is content, not a number.
            let shown = if literal.len() > MAX_QUOTED { "<float>" } else { literal };
            return if overflows { Err(Problem::Said(format!("Out-of-range float: {shown}"))) } else { Ok(()) };
        }
        if whole > MAX_DIGITS {
            return Err(Problem::Said(format!(
                "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {whole} digits; \
                 use sys.set_int_max_str_digits() to increase the limit"
            )));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Problem> {
        let quote = self.at;
        let unterminated = Problem::At("Unterminated string starting at", quote);
        let mut at = quote + 1;
        loop {
            match self.text.get(at) {
                None => return Err(unterminated),
                Some(b'"') => break,
                Some(0..0x20) => return Err(Problem::At("Invalid control character at", at)),
                Some(b'\\') => match self.text.get(at + 1) {
                    None => return Err(unterminated),
                    Some(b'u') => {
                        self.escape(at + 1)?;
                        at += 6;
                    }
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                    Some(_) => return Err(Problem::At("Invalid \\escape", at)),
                },
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        Ok(())
    }

    /// Four digits behind the `u` at `at`, and one character more: an escape never ends a text.
    fn escape(&self, at: usize) -> Result<(), Problem> {
        let digits = self.text.get(at + 1..at + 5).filter(|_| self.text.len() > at + 5);
        if digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            Ok(())
        } else {
            Err(Problem::At("Invalid \\uXXXX escape", at))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn the_first_thing_that_parser_stumbles_over() {
        for (text, expected) in [
            (r#"{"a": [1, {"b": null}], "c": "é\n😀"}"#, None),
            ("", Some("Expecting value: line 1 column 1 (char 0)")),
            ("{", Some("Expecting property name enclosed in double quotes: line 1 column 2 (char 1)")),
            (r#"{"a":1,}"#, Some("Expecting property name enclosed in double quotes: line 1 column 8 (char 7)")),
            (r#"{"é" 1}"#, Some("Expecting ':' delimiter: line 1 column 6 (char 5)")),
            ("[1,]", Some("Expecting value: line 1 column 4 (char 3)")),
            (r#"{"a":01}"#, Some("Expecting ',' delimiter: line 1 column 7 (char 6)")),
            (r#"{"a":1."#, Some("Expecting ',' delimiter: line 1 column 7 (char 6)")),
            (r#"{"a":-}"#, Some("Expecting value: line 1 column 6 (char 5)")),
            (r#"{"a":"b"#, Some("Unterminated string starting at: line 1 column 6 (char 5)")),
            (r#"{"a":"b\"#, Some("Unterminated string starting at: line 1 column 6 (char 5)")),
            (r#"{"a":"\x"}"#, Some("Invalid \\escape: line 1 column 7 (char 6)")),
            (r#"{"a":"\u12"#, Some("Invalid \\uXXXX escape: line 1 column 8 (char 7)")),
            (r#"{"a":"\u1234"#, Some("Invalid \\uXXXX escape: line 1 column 8 (char 7)")),
            ("{\"a\":\"\t\"}", Some("Invalid control character at: line 1 column 7 (char 6)")),
            (" {} {}", Some("Extra data: line 1 column 4 (char 3)")),
            (r#"{"a":NaN}"#, Some("Out-of-range or non-standard numeric constant: NaN")),
            (r#"{"a":-1e999}"#, Some("Out-of-range float: -1e999")),
        ] {
            assert_eq!(complaint(text.as_bytes(), true).as_deref(), expected, "{text}");
        }
        let many = "1".repeat(4301);
        assert!(complaint(many.as_bytes(), true).is_some_and(|said| said.contains("value has 4301 digits")));
        assert!(complaint("[".repeat(100_000).as_bytes(), true).is_some());
    }

    #[test]
    fn bytes_that_are_no_text() {
        for (bytes, terminated, expected) in [
            (&b"ab\xff"[..], true, "byte 0xff in position 2: invalid start byte"),
            (b"\xe2(", true, "byte 0xe2 in position 0: invalid continuation byte"),
            (b"\xf0\x9f\x98", true, "bytes in position 0-2: invalid continuation byte"),
            (b"\xf0\x9f\x98", false, "bytes in position 0-2: unexpected end of data"),
            (b"\xc3", false, "byte 0xc3 in position 0: unexpected end of data"),
            (b"\xed\xa0\x80", false, "byte 0xed in position 0: invalid continuation byte"),
        ] {
            let said = complaint(bytes, terminated).expect("complaint");
            assert_eq!(said, format!("'utf-8' codec can't decode {expected}"));
        }
    }
}
