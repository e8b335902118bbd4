//! Canonical JSON: members sorted by code point, no blanks, shortest doubles. What fingerprints and hashes are made of.

use std::fmt::Write as _;

use serde_json::Value as Document;

use super::Value;
use crate::record::{Json, NodeKind};

/// Appends `text` as a JSON string: short escapes, other controls as `\u00xx`, everything else literal.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut clean = 0;
    for (i, b) in text.bytes().enumerate() {
        if b >= 0x20 && b != b'"' && b != b'\\' {
            continue;
        }
        out.push_str(&text[clean..i]);
        clean = i + 1;
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            _ => {
                let _ = write!(out, "\\u{b:04x}");
            }
        }
    }
    out.push_str(&text[clean..]);
    out.push('"');
}

/// A double as the reference program spells it: `1.0`, `1e+16`, `2.5e-07`, `-0.0`.
#[must_use]
pub fn float(value: f64) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0".into() } else { "0.0".into() };
    }
    // Rust prints the shortest digits that read back to the same double.
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Appends a session value.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(digits) => out.push_str(digits),
        Value::Float(f) => out.push_str(&float(*f)),
        Value::String(s) => write_string(s, out),
        Value::Array(elements) => {
            out.push('[');
            for (i, element) in elements.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (i, (name, member)) in sorted.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

/// Appends a document value (evidence, reports); its maps are sorted already.
pub fn write_document(value: &Document, out: &mut String) {
    match value {
        Document::Null => out.push_str("null"),
        Document::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Document::Number(n) => match n.as_f64() {
            Some(f) if n.is_f64() => out.push_str(&float(f)),
            _ => {
                let _ = write!(out, "{n}");
            }
        },
        Document::String(s) => write_string(s, out),
        Document::Array(elements) => {
            out.push('[');
            for (i, element) in elements.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_document(element, out);
            }
            out.push(']');
        }
        Document::Object(members) => {
            out.push('{');
            for (i, (name, member)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write_document(member, out);
            }
            out.push('}');
        }
    }
}

/// The canonical text of a session value.
#[must_use]
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Appends the canonical text of a value in place, without building it.
pub fn write_json(json: Json<'_>, out: &mut String) {
    match json.kind() {
        NodeKind::Null | NodeKind::True | NodeKind::False => out.push_str(&json.spelling()),
        NodeKind::Integer if json.raw() != b"-0" => out.push_str(&json.spelling()),
        NodeKind::String | NodeKind::Key if !json.is_escaped() => out.push_str(&json.spelling()),
        NodeKind::String | NodeKind::Key => write_string(&json.text(), out),
        NodeKind::Array if json.elements().next().is_some() => {
            for (i, element) in json.elements().enumerate() {
                out.push(if i == 0 { '[' } else { ',' });
                write_json(element, out);
            }
            out.push(']');
        }
        NodeKind::Object if json.rows().next().is_some() => {
            let mut rows: Vec<_> = json.members().enumerate().collect();
            rows.sort_by(|a, b| (&a.1.0, a.0).cmp(&(&b.1.0, b.0)));
            let mut opening = '{';
            for (i, (_, (name, member))) in rows.iter().enumerate() {
                // Of a repeated name the last value counts.
                if rows.get(i + 1).is_some_and(|next| next.1.0 == *name) {
                    continue;
                }
                out.push(std::mem::replace(&mut opening, ','));
                write_string(name, out);
                out.push(':');
                write_json(*member, out);
            }
            out.push('}');
        }
        // Numbers to be spelled anew, empty containers, and what lies below the tape.
        _ => write(&json.to_value(), out),
    }
}

/// Whether the bytes of a value are its canonical text already. Says no in doubt: below the tape, and of floats.
#[must_use]
pub fn is_canonical(json: Json<'_>) -> bool {
    canonical_len(json) == Some(json.raw().len())
}

/// Length of the canonical text of a value whose parts are canonical, so that a longer one must hold blanks.
fn canonical_len(json: Json<'_>) -> Option<usize> {
    let own = json.raw().len();
    match json.kind() {
        NodeKind::Null | NodeKind::True | NodeKind::False => Some(own),
        NodeKind::Integer => (json.raw() != b"-0").then_some(own),
        NodeKind::Float => None,
        NodeKind::String | NodeKind::Key if !json.is_escaped() => Some(own),
        NodeKind::String | NodeKind::Key => has_canonical_escapes(json.raw()).then_some(own),
        NodeKind::Array => {
            let mut len = 2;
            let mut count = 0;
            for element in json.elements() {
                len += canonical_len(element)?;
                count += 1;
            }
            if count == 0 && own > 2 { None } else { Some(len + usize::max(count, 1) - 1) }
        }
        NodeKind::Object => {
            let mut len = 2;
            let mut count = 0;
            let mut before: Option<Json<'_>> = None;
            for (name, member) in json.rows() {
                if before.is_some_and(|b| b.is_escaped() || name.is_escaped() || b.raw() >= name.raw()) {
                    return None;
                }
                len += canonical_len(name)? + 1 + canonical_len(member)?;
                count += 1;
                before = Some(name);
            }
            if count == 0 && own > 2 { None } else { Some(len + usize::max(count, 1) - 1) }
        }
    }
}

/// Whether every escape of a string token is the one that [`write_string`] would write.
fn has_canonical_escapes(token: &[u8]) -> bool {
    let mut rest = token;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let len = match &rest[at + 1..] {
            [b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r', ..] => 2,
            // The other controls; those above have a shorter one.
            [b'u', b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f', ..]
            | [b'u', b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f', ..] => 6,
            _ => return false,
        };
        rest = &rest[at + len..];
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn escapes_are_canonical_when_they_are_written_so(parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "a", "é", "\\n", "\\t", "\\b", "\\f", "\\r", "\\\"", "\\\\", "\\/", "\\u0000", "\\u0007", "\\u0008", "\\u000a",
                "\\u000b", "\\u000B", "\\u000e", "\\u000f", "\\u0010", "\\u001f", "\\u001F", "\\u0020", "\\u007f", "\\u00e9",
            ]),
            0..5,
        )) {
            let token = format!("\"{}\"", parts.concat());
            let mut scanner = crate::record::Scanner::default();
            scanner.scan(token.as_bytes(), 1).unwrap();
            let mut written = String::new();
            write_string(&Json::new(token.as_bytes(), scanner.tape()).text(), &mut written);
            prop_assert_eq!(has_canonical_escapes(token.as_bytes()), written == token);
        }
    }

    #[test]
    fn doubles_are_spelled_like_the_reference() {
        for (value, text) in [
            (1.0, "1.0"),
            (100.0, "100.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.234_567_890_123_456_8e17, "1.2345678901234568e+17"),
            (0.0001, "0.0001"),
            (1e-5, "1e-05"),
            (2.5e-7, "2.5e-07"),
            (5e-324, "5e-324"),
            (-0.0, "-0.0"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn members_are_sorted_by_code_point_and_controls_escaped() {
        let value = Value::Object(vec![("é".into(), Value::Null), ("b".into(), Value::from("a\"\\\u{1}\n\u{7f}"))]);
        assert_eq!(to_string(&value), "{\"b\":\"a\\\"\\\\\\u0001\\n\u{7f}\",\"é\":null}");
    }

    #[test]
    fn canonical_bytes_are_known_as_such() {
        for (text, canonical) in [
            (r#"{"a":1,"b":["x",null,true]}"#, true),
            (r#"{"a":"\n\u0001é"}"#, true),
            (r#"{"b":1,"a":2}"#, false),
            (r#"{"a":1,"a":2}"#, false),
            (r#"{"a": 1}"#, false),
            (r#"{"a":[ ]}"#, false),
            (r#"{"a":"\u000a"}"#, false),
            (r#"{"a":"\/"}"#, false),
            (r#"{"a":-0}"#, false),
            ("{}", true),
        ] {
            let mut scanner = crate::record::Scanner::default();
            scanner.scan(text.as_bytes(), 8).unwrap();
            assert_eq!(is_canonical(Json::new(text.as_bytes(), scanner.tape())), canonical, "{text}");
        }
    }

    #[test]
    fn writing_in_place_and_from_an_owned_value_agree() {
        for text in [
            r#"{"b":[1,2.50,-0,{"z":null,"a":"\u0041\n"}],"a":{},"c":[ ],"b":{"x":1e5}}"#,
            r#"[[[[[[[{"deep":1,"a":2}]]]]]]]"#,
            r#""x""#,
        ] {
            let mut scanner = crate::record::Scanner::default();
            scanner.scan(text.as_bytes(), 4).unwrap();
            let json = Json::new(text.as_bytes(), scanner.tape());
            let mut out = String::new();
            write_json(json, &mut out);
            assert_eq!(out, to_string(&json.to_value()));
        }
    }
}
