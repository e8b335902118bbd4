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

/// The whole members at the beginning of an object, closed so that the result is JSON again. The first member that is
/// not whole stands there as far as it can: a list with its whole elements, an object empty, anything else not at all.
/// None when the text does not begin with an object.
#[must_use]
pub fn outline(text: &[u8], scanner: &mut Scanner) -> Option<Vec<u8>> {
    let start = skip_blanks(text, 0);
    if text.get(start) != Some(&b'{') {
        return None;
    }
    let mut out = vec![b'{'];
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
                Some(b'[') => elements(text, begin + 1, scanner, &mut out),
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
    Some(String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()).into_bytes())
}

/// Appends the whole elements of a list that begins before `at`.
fn elements(text: &[u8], at: usize, scanner: &mut Scanner, out: &mut Vec<u8>) {
    out.push(b'[');
    let mut at = skip_blanks(text, at);
    let mut first = true;
    while let Ok(scan) = scanner.scan_prefix(&text[at..], 1) {
        let end = at + scan.end;
        let next = skip_blanks(text, end);
        // A number at the very end may go on behind the cut.
        if next == text.len() && end == next {
            break;
        }
        if !first {
            out.push(b',');
        }
        first = false;
        out.extend_from_slice(&text[at..end]);
        if text.get(next) != Some(&b',') {
            break;
        }
        at = skip_blanks(text, next + 1);
    }
    out.push(b']');
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
        for (text, expected) in [
            (r#"{"a":1,"b":{"c":2},"d":[1]}"#, r#"{"a":1,"b":{"c":2},"d":[1]}"#),
            (r#"{"a": 1 , "b" : [{"c":1}, {"d"#, r#"{"a":1,"b":[{"c":1}]}"#),
            (r#"{"a":1,"b":{"c":"#, r#"{"a":1,"b":{}}"#),
            (r#"{"a":1,"b":"cu"#, r#"{"a":1}"#),
            (r#"{"b":[{"c":1},12"#, r#"{"b":[{"c":1}]}"#),
            (r#"{"b":[{"c":NaN}]}"#, r#"{"b":[]}"#),
            (r#"{"a":1 x"#, r#"{"a":1}"#),
            ("{", "{}"),
            (" {\n", "{}"),
        ] {
            let found = outline(text.as_bytes(), &mut Scanner::default()).expect(text);
            assert_eq!(String::from_utf8(found).expect("text"), expected, "{text}");
        }
        assert_eq!(outline(b"[1]", &mut Scanner::default()), None);
        assert_eq!(outline(b"", &mut Scanner::default()), None);
    }
}
