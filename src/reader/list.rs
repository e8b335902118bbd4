//! Where the items of a document's list stand, whatever is wrong between them: what repairs of documents go by.
//!
//! Items are found as the reader finds them. Behind the end of an array more arrays may follow: their items count too.

use std::io::{self, Read};
use std::ops::Range;

use super::bytes::Bytes;
use super::values::{Extent, cut};
use crate::adapter::Document;
use crate::record::{NodeKind, Scanner};
use crate::source::{BOM, MAX_LINE_BYTES};

/// One item.
#[derive(Debug)]
pub(crate) struct Item {
    /// Where it stands in the text.
    pub range: Range<u64>,
    /// It is a whole object.
    pub sound: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct List {
    /// Offset behind the opening bracket.
    pub start: u64,
    /// The items, in file order.
    pub items: Vec<Item>,
    /// Offset behind the first closing bracket; none when there is none.
    pub end: Option<u64>,
    /// The text ends inside the last item.
    pub is_cut: bool,
    /// The list is a member of an object, whose rest stands behind `end`.
    pub wrapped: bool,
}

/// Finds the list of a document; none when what stands before it is broken.
pub(crate) fn find(input: impl Read, document: &Document) -> io::Result<Option<List>> {
    let mut bytes = Bytes::new(input);
    if bytes.ahead()?.starts_with(BOM) {
        bytes.skip_plain(BOM.len());
    }
    let wrapped = bytes.skip_blanks()? == Some(b'{');
    if wrapped && !enter(&mut bytes, document)? || bytes.skip_blanks()? != Some(b'[') {
        return Ok(None);
    }
    bytes.step();
    let mut list = List { start: bytes.place().offset, items: Vec::new(), end: None, is_cut: false, wrapped };
    let (mut value, mut scanner) = (Vec::new(), Scanner::default());
    while let Some(byte) = bytes.skip_blanks()? {
        match byte {
            b']' => {
                bytes.step();
                list.end.get_or_insert(bytes.place().offset);
                if wrapped {
                    break;
                }
            }
            // A NUL says nothing, and a bracket or comma too many parts no more than one would.
            0 | b',' | b'[' | b'}' => bytes.step(),
            _ => {
                let start = bytes.place().offset;
                let extent = cut(&mut bytes, MAX_LINE_BYTES, &mut value)?;
                let end = bytes.place().offset;
                if end == start {
                    bytes.step();
                    continue;
                }
                list.is_cut = extent == Extent::Cut;
                let sound = extent == Extent::Ended
                    && scanner.scan(&value, 1).is_ok()
                    && scanner.tape()[0].kind == NodeKind::Object;
                list.items.push(Item { range: start..end, sound });
            }
        }
    }
    Ok(Some(list))
}

/// Steps over the members of an object, up to the list of items.
fn enter<R: Read>(bytes: &mut Bytes<R>, document: &Document) -> io::Result<bool> {
    bytes.step();
    let mut value = Vec::new();
    loop {
        if bytes.skip_blanks()? != Some(b'"') {
            return Ok(false);
        }
        cut(bytes, MAX_LINE_BYTES, &mut value)?;
        let is_list = document.is_list(&value);
        if bytes.skip_blanks()? != Some(b':') {
            return Ok(false);
        }
        bytes.step();
        if bytes.skip_blanks()? == Some(b'[') && is_list {
            return Ok(true);
        }
        if cut(bytes, 0, &mut value)? == Extent::Cut || bytes.skip_blanks()? != Some(b',') {
            return Ok(false);
        }
        bytes.step();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: Document = Document { items: &["items"], is_document: |_| true, not_object: "item_not_dict" };

    #[test]
    fn items_are_found_between_whatever_parts_them() {
        for (text, items, end, is_cut) in [
            (r#"[{"a":1},{"b":2}]"#, vec![(1..8, true), (9..16, true)], Some(17), false),
            (r#"[{"a":1},,{"b":2},]"#, vec![(1..8, true), (10..17, true)], Some(19), false),
            (
                r#"[{"a":1},7,"x",null]"#,
                vec![(1..8, true), (9..10, false), (11..14, false), (15..19, false)],
                Some(20),
                false,
            ),
            (r#"[{"a":1},{"b":"#, vec![(1..8, true), (9..14, false)], None, true),
            ("[{\"a\":1},\0\0{\"b\":2}]\0", vec![(1..8, true), (11..18, true)], Some(19), false),
            (r#"[{"a":1}][{"b":2}]"#, vec![(1..8, true), (10..17, true)], Some(9), false),
            (r#"{"x":[1],"items":[{"a":1}],"y":2}"#, vec![(18..25, true)], Some(26), false),
        ] {
            let list = find(text.as_bytes(), &DOCUMENT).expect("memory").expect(text);
            let found: Vec<_> = list.items.iter().map(|item| (item.range.clone(), item.sound)).collect();
            assert_eq!((found, list.end, list.is_cut), (items, end, is_cut), "{text}");
        }
        for text in ["{\"x\" 1}", "{\"x\":1}", "7", "{\"items\":7}"] {
            assert!(find(text.as_bytes(), &DOCUMENT).expect("memory").is_none(), "{text}");
        }
    }
}
