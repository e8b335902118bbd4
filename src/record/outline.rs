//! The top level of a document whose text may be cut or broken: what recognition can know without reading it to the end.

use super::scan::{JsonFault, NodeKind, Scanner, skip_blanks};

/// Whether a line that begins with `[` begins a JSON array: a list of objects, or whatever may still become JSON.
/// `[INFO] …` and `[2024-01-01 …` are lines of a log.
#[must_use]
pub fn begins_list(line: &[u8], scanner: &mut Scanner) -> bool {
    let start = skip_blanks(line, 0);
    if line.get(start) != Some(&b'[') {
        return false;
    }
    matches!(line.get(skip_blanks(line, start + 1)), None | Some(b'{' | b']'))
        || matches!(scanner.scan(line, 1).map_err(|e| e.fault), Ok(_) | Err(JsonFault::UnexpectedEnd))
}

/// What is known of an object from its beginning.
#[derive(Debug, PartialEq, Eq)]
pub struct Outline {
    /// The whole members, closed so that they are JSON again. The first member that is not whole stands there as far as
    /// it can: a list with its whole elements, an object empty, anything else not at all.
    pub text: Vec<u8>,
    /// How many whole elements the list has that the text ends in; 0 when it ends elsewhere or breaks before.
    pub list: usize,
}

/// The outline of an object; none when the text does not begin with one.
#[must_use]
pub fn outline(text: &[u8], scanner: &mut Scanner) -> Option<Outline> {
    let start = skip_blanks(text, 0);
    if text.get(start) != Some(&b'{') {
        return None;
    }
    let mut out = vec![b'{'];
    let mut list = 0;
    let mut at = start + 1;
    loop {
        let name = skip_blanks(text, at);
        let Some(end) = value(text, name, scanner, NodeKind::String) else { break };
        let colon = skip_blanks(text, end);
        if text.get(colon) != Some(&b':') {
            break;
        }
        let begin = skip_blanks(text, colon + 1);
        let before = out.len();
        if before > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&text[name..end]);
        out.push(b':');
        let Ok(scan) = scanner.scan_prefix(&text[begin..], 1) else {
            match text.get(begin) {
                Some(b'[') => list = elements(text, begin + 1, scanner, &mut out),
                Some(b'{') => out.extend_from_slice(b"{}"),
                _ => out.truncate(before),
            }
            break;
        };
        out.extend_from_slice(&text[begin..begin + scan.end]);
        let comma = skip_blanks(text, begin + scan.end);
        if text.get(comma) != Some(&b',') {
            break;
        }
        at = comma + 1;
    }
    out.push(b'}');
    // Bad bytes are a matter for whoever reads the document; here they must only not hide it.
    let text =
        String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()).into_bytes();
    Some(Outline { text, list })
}

/// Appends the whole elements of a list that begins before `at`; gives their number when the text ends behind them.
fn elements(text: &[u8], at: usize, scanner: &mut Scanner, out: &mut Vec<u8>) -> usize {
    out.push(b'[');
    let mut at = skip_blanks(text, at);
    let mut count = 0;
    let mut ends;
    loop {
        let scan = match scanner.scan_prefix(&text[at..], 1) {
            Ok(scan) => scan,
            Err(error) => {
                ends = error.fault == JsonFault::UnexpectedEnd;
                break;
            }
        };
        let end = at + scan.end;
        let next = skip_blanks(text, end);
        ends = next == text.len();
        // A number at the very end may go on behind the cut.
        if ends && end == next {
            break;
        }
        if count > 0 {
            out.push(b',');
        }
        count += 1;
        out.extend_from_slice(&text[at..end]);
        if text.get(next) != Some(&b',') {
            break;
        }
        at = skip_blanks(text, next + 1);
    }
    out.push(b']');
    if ends { count } else { 0 }
}

/// The end of the value at `at` when it is whole and of this kind.
fn value(text: &[u8], at: usize, scanner: &mut Scanner, kind: NodeKind) -> Option<usize> {
    let scan = scanner.scan_prefix(text.get(at..)?, 1).ok()?;
    (scanner.tape()[0].kind == kind).then_some(at + scan.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_from_log_lines() {
        for (line, list) in [
            ("[", true),
            ("[{\"a\":1},", true),
            ("[ {broken", true),
            ("[1, 2", true),
            ("[]", true),
            ("[INFO] x", false),
            ("[2024-01-01] x", false),
            ("{}", false),
        ] {
            assert_eq!(begins_list(line.as_bytes(), &mut Scanner::default()), list, "{line}");
        }
    }

    #[test]
    fn whole_members_are_kept_and_closed() {
        for (text, expected, list) in [
            (r#"{"a":1,"b":{"c":2},"d":[1]}"#, r#"{"a":1,"b":{"c":2},"d":[1]}"#, 0),
            (r#"{"a": 1 , "b" : [{"c":1}, {"d"#, r#"{"a":1,"b":[{"c":1}]}"#, 1),
            (r#"{"a":1,"b":{"c":"#, r#"{"a":1,"b":{}}"#, 0),
            (r#"{"a":[1,2],"b":"cu"#, r#"{"a":[1,2]}"#, 0),
            (r#"{"b":[{"c":1},12"#, r#"{"b":[{"c":1}]}"#, 1),
            (r#"{"b":[{"c":1} {"c":2},{"#, r#"{"b":[{"c":1}]}"#, 0),
            (r#"{"b":[{"c":NaN}]}"#, r#"{"b":[]}"#, 0),
            (r#"{"a":1 x"#, r#"{"a":1}"#, 0),
            ("{", "{}", 0),
            (" {\n", "{}", 0),
        ] {
            let found = outline(text.as_bytes(), &mut Scanner::default()).expect(text);
            assert_eq!((String::from_utf8(found.text).expect("text").as_str(), found.list), (expected, list), "{text}");
        }
        assert_eq!(outline(b"[1]", &mut Scanner::default()), None);
        assert_eq!(outline(b"", &mut Scanner::default()), None);
    }
}
