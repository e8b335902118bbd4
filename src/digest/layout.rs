//! How a text holds its entries: a line each, maybe behind a header, or as items of one document.

use std::io::{self, BufReader};
use std::ops::ControlFlow;

use super::canonical::Canonicaliser;
use super::document::{self, End, List, Part};
use super::source::Source;

/// Where the entries of a text are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each line that is not blank.
    Lines {
        /// But not the first one.
        header: bool,
        /// Some lines stand for several entries each.
        packed: bool,
    },
    /// The items of a list in one document.
    Items {
        /// Which list.
        list: List,
        /// The how-manieth of that name, from 1: the last one counts.
        occurrence: usize,
    },
    /// The text is one value and one entry. Should it turn out to be none, its lines are.
    Value,
}

/// What is known beforehand of the layout of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Nothing.
    #[default]
    Unknown,
    /// Every line is an entry.
    Lines,
    /// Lines behind a header, if the first one is one.
    Headed,
    /// As before, and some lines are packed.
    Packed,
}

/// Longest name or value that detection looks at, in bytes.
const LIMIT: usize = 64;

/// Finds the layout from the first value of the text; a document is read through to its end.
///
/// # Errors
/// When the source cannot be read.
pub fn detect(source: &Source, framing: Framing) -> io::Result<Layout> {
    let found = match first_value(source) {
        Err(e) if e.kind() == io::ErrorKind::InvalidData => Layout::Lines { header: false, packed: false },
        found => found?,
    };
    let header = matches!(found, Layout::Lines { header: true, .. });
    Ok(match framing {
        Framing::Unknown => found,
        Framing::Lines => Layout::Lines { header: false, packed: false },
        Framing::Headed => Layout::Lines { header, packed: false },
        Framing::Packed => Layout::Lines { header, packed: true },
    })
}

/// What the first value of a text shows.
#[derive(Default)]
struct Facts {
    /// Lists met, by name, and whether the member of that name met last is one.
    items: (usize, bool),
    events: (usize, bool),
    /// For a bare list, whether it begins with an object or is empty.
    bare: Option<bool>,
    /// Whether an item was met, of whatever list.
    item: bool,
    session: bool,
    created_number: bool,
    timestamp_text: bool,
    schema: bool,
}

fn first_value(source: &Source) -> io::Result<Layout> {
    let mut facts = Facts::default();
    let mut values = Canonicaliser::default();
    let end = document::walk(BufReader::new(source.text()?), LIMIT, &mut |part| {
        match part {
            Part::List(List::Root) => facts.bare = Some(true),
            Part::List(List::Items) => facts.items = (facts.items.0 + 1, true),
            Part::List(List::Events) => facts.events = (facts.events.0 + 1, true),
            Part::Item(item) => {
                if !std::mem::replace(&mut facts.item, true) {
                    facts.bare = facts.bare.map(|_| item.starts_with(b"{"));
                }
            }
            Part::Member(name, value) => facts.member(name, values.read(value).map_or(b"", |v| v.bytes())),
        }
        ControlFlow::Continue(())
    })?;
    Ok(facts.layout(end))
}

impl Facts {
    fn member(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"items" => self.items.1 = false,
            b"events" => self.events.1 = false,
            b"type" => self.session = value == b"\"session\"",
            b"createdAt" => self.created_number = matches!(value, [b'-' | b'0'..=b'9', ..]),
            b"timestamp" => self.timestamp_text = value.starts_with(b"\""),
            b"schema" | b"schema_version" => self.schema |= value.starts_with(b"\"sesslint.session/"),
            _ => {}
        }
    }

    fn layout(&self, end: End) -> Layout {
        let list = match (self.bare, self.items.1, self.events.1) {
            (Some(true), ..) => Some((List::Root, 1)),
            (None, _, true) if self.schema || !self.items.1 => Some((List::Events, self.events.0)),
            (None, true, _) => Some((List::Items, self.items.0)),
            _ => None,
        };
        let header = matches!(end, End::Whole | End::More) && (self.session || self.schema);
        let packed = self.session && (self.created_number || !self.timestamp_text);
        match (list, end) {
            // Something behind the value: it was the first of several lines.
            (_, End::More) => Layout::Lines { header, packed },
            (Some((list, occurrence)), _) => Layout::Items { list, occurrence },
            (None, End::Whole) if !header => Layout::Value,
            (None, _) => Layout::Lines { header, packed },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: Layout = Layout::Lines { header: false, packed: false };
    const HEADED: Layout = Layout::Lines { header: true, packed: false };
    const PACKED: Layout = Layout::Lines { header: true, packed: true };

    fn items(list: List) -> Layout {
        Layout::Items { list, occurrence: 1 }
    }

    fn found(text: &str, framing: Framing) -> Layout {
        let source = Source::memory(text.as_bytes().to_vec()).expect("memory can be read");
        detect(&source, framing).expect("memory can be read")
    }

    #[test]
    fn layouts_are_found_from_the_first_value() {
        let doc = r#"{"schema":"sesslint.session/v1","version":1,"events":[{"id":"a"}],"items":[]}"#;
        for (text, layout) in [
            ("", LINES),
            ("\n\n", LINES),
            ("garbage\n", LINES),
            ("1\n2\n", LINES),
            ("{\"type\":\"user\"}\n{\"type\":\"user\"}\n", LINES),
            ("[\"a\"]\n[\"b\"]\n", LINES),
            ("[{\"a\":1}]\n[{\"b\":2}]\n", LINES),
            ("[]\n[]\n", LINES),
            ("{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"t\"}\n", HEADED),
            ("\n{\"timestamp\":\"t\",\"type\":\"session\"}\n{\"id\":\"a\"}\n", HEADED),
            ("{\"type\":\"session\",\"id\":\"s\",\"createdAt\":1}\n{}\n", PACKED),
            ("{\"type\":\"session\",\"id\":\"s\",\"version\":0}\n{}\n", PACKED),
            ("{\"schema_version\":\"sesslint.session/v1\"}\n{\"id\":\"a\"}\n", HEADED),
            ("{\"schema_version\":\"other\"}\n{\"id\":\"a\"}\n", LINES),
            // The header of a log that was cut there is no header.
            ("{\"type\":\"session\",\"id\":\"s\"", Layout::Lines { header: false, packed: true }),
            ("[]", items(List::Root)),
            (" [ {\"a\":1}, 2 ] ", items(List::Root)),
            ("[{\"a\":1},{\"b\"", items(List::Root)),
            ("[\n1,\n2\n]\n", Layout::Value),
            ("{\n\"a\": 1\n}\n", Layout::Value),
            ("{\"a\":1}", Layout::Value),
            ("{\"items\":[]}\n", items(List::Items)),
            ("{\"items\":[]}\n{\"items\":[]}\n", LINES),
            ("{\"events\":[1],\"x\":{}}", items(List::Events)),
            ("{\"events\":[1],\"items\":[]}", items(List::Items)),
            (doc, items(List::Events)),
            (&doc[..60], items(List::Events)),
            ("{\"items\":[1],\"items\":[2]}", Layout::Items { list: List::Items, occurrence: 2 }),
            ("{\"items\":[1],\"items\":null}", Layout::Value),
        ] {
            assert_eq!(found(text, Framing::Unknown), layout, "{text}");
        }
    }

    #[test]
    fn what_is_known_beforehand_wins() {
        let session = "{\"type\":\"session\",\"timestamp\":\"t\"}\n{}\n";
        assert_eq!(found(session, Framing::Lines), LINES);
        assert_eq!(found(session, Framing::Headed), HEADED);
        assert_eq!(found(session, Framing::Packed), PACKED);
        assert_eq!(found("[{}]", Framing::Headed), LINES);
    }
}
