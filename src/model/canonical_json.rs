//! Canonical JSON: members sorted by code point, no blanks, shortest doubles. What fingerprints and hashes are made of.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::Value;

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
pub fn write_document(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Json::Number(n) => match n.as_f64() {
            Some(f) if n.is_f64() => out.push_str(&float(f)),
            _ => {
                let _ = write!(out, "{n}");
            }
        },
        Json::String(s) => write_string(s, out),
        Json::Array(elements) => {
            out.push('[');
            for (i, element) in elements.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_document(element, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
