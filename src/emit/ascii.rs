//! JSON as the reference program spells it: every character outside U+0020-U+007E escaped, floats in its notation.
//! One thing is added: `##[` inside a text is spelled `#\u0023[`, as a runner would take it for a command in its log.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::model::canonical_json;

/// Adds the spelling to a layout.
struct Ascii<F>(F);

impl<F: Formatter> Formatter for Ascii<F> {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(canonical_json::float(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut clean = 0;
        let command = |at: usize| fragment[..at].ends_with('#') && fragment[at..].starts_with("#[");
        for (at, c) in fragment.char_indices().filter(|&(at, c)| c > '~' || (c == '#' && command(at))) {
            writer.write_all(&fragment.as_bytes()[clean..at])?;
            clean = at + c.len_utf8();
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        writer.write_all(&fragment.as_bytes()[clean..])
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

/// A document: two spaces of indentation, one newline at its end.
/// # Errors
/// Whatever writing raises.
pub fn write_document(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Ascii(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

/// One line.
/// # Errors
/// Whatever writing raises.
pub fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Ascii(CompactFormatter)))?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_command_is_left_and_texts_read_back() {
        let texts = json!(["##[error]x", "###[", "# #[", "##", "a##[b##[", "\u{e9}##[\""]);
        let mut out = Vec::new();
        write_line(&texts, &mut out).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert!(!line.contains("##["), "{line}");
        assert_eq!(line.matches("\\u0023").count(), 5);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), texts);
    }

    #[test]
    fn spelling_is_the_reference_programs() {
        let value = json!({"b": [], "a": {"é\u{7f}\u{1F680}": "\n\u{1}\"\\/", "f": 1.0}, "c": {}, "d": [1, null]});
        let mut out = Vec::new();
        write_document(&value, &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        {
          "a": {
            "f": 1.0,
            "\u00e9\u007f\ud83d\ude80": "\n\u0001\"\\/"
          },
          "b": [],
          "c": {},
          "d": [
            1,
            null
          ]
        }
        "#);
    }
}
