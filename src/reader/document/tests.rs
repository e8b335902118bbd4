//! Documents whole and broken: what is handed on, what is said, where it stands.

use proptest::prelude::*;

use super::*;
use crate::adapter::Draft;
use crate::model::Conventions;

const DOCUMENT: Document = Document { items: &["items"], is_document: |_| true, not_object: "item_not_dict" };

/// Writes down what it is given.
#[derive(Default)]
struct Log {
    items: Vec<(u64, Location, String)>,
    head: Option<String>,
}

impl Adapter for Log {
    fn read(&mut self, record: &Record<'_>, _sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record.json.raw()).into_owned();
        self.items.push((record.line, record.location, text));
    }
    fn document(&mut self, head: Option<&Record<'_>>, _sink: &mut dyn Sink) {
        self.head = head.map(|h| String::from_utf8_lossy(h.json.raw()).into_owned());
    }
    fn conventions(&self) -> Conventions {
        Conventions::CANONICAL
    }
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Sink for Findings {
    fn event(&mut self, _record: &Record<'_>, _draft: Draft<'_>) {}
    fn finding(&mut self, finding: Finding) {
        self.0.push(finding);
    }
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}

fn read_text(text: &[u8]) -> (Log, Vec<Finding>) {
    let (mut log, mut findings) = (Log::default(), Findings::default());
    let items = read(text, &DOCUMENT, &mut log, &mut findings).expect("readable");
    assert!(items >= log.items.len() as u64);
    (log, findings.0)
}

#[test]
fn items_are_handed_on_with_their_places_and_the_rest_is_the_head() {
    let text = "\u{feff}{\n \"v\": {\"items\": [0]},\n \"items\": [{\"a\":1},\n  {\"b\":[\"}]\"]} ],\n \"w\": 2\n}\n";
    let (log, findings) = read_text(text.as_bytes());
    assert!(findings.is_empty());
    assert_eq!(log.head.as_deref(), Some("{\"v\":{\"items\": [0]},\"items\":[],\"w\":2}"));
    for ((number, location, item), (line, column)) in log.items.iter().zip([(3, 12), (4, 3)]) {
        assert_eq!((location.line, location.column), (Some(line), Some(column)));
        assert_eq!(location.item, Some(*number));
        let (start, end) = (location.byte_start.expect("start"), location.byte_end.expect("end"));
        assert_eq!(&text[start as usize..end as usize], item);
    }
    assert_eq!(log.items.len(), 2);
}

#[test]
fn a_defect_costs_what_it_must_and_no_more() {
    type Case<'a> = (&'a [u8], &'a [&'a str], &'a [(&'a str, &'a str, Option<u64>, u64)]);
    let cases: &[Case<'_>] = &[
        (br#"[{"a":1},{"b":2}]"#, &[r#"{"a":1}"#, r#"{"b":2}"#], &[]),
        (b"[]", &[], &[]),
        (b" \n", &[], &[]),
        // Cut: the whole items before it, one finding at the end.
        (br#"[{"a":1},{"b":"#, &[r#"{"a":1}"#], &[("document", "malformed_json", Some(2), 1)]),
        (br#"[{"a":1},"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (br#"[{"a":1}"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (br#"{"items":[{"a":1}"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (br#"{"items":[{"a":1}],"b":[1"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        // Broken items in the middle.
        (br#"[{"a":01},{"b":2}]"#, &[r#"{"b":2}"#], &[("malformed-item", "malformed_json", Some(1), 1)]),
        (
            br#"[{"a":01},{"b":2},{"c":x}]"#,
            &[r#"{"b":2}"#],
            &[("malformed-item", "malformed_json", Some(1), 1), ("malformed-item", "malformed_json", Some(3), 3)],
        ),
        (br#"[{"a":1,{"b":2}]"#, &[r#"{"b":2}"#], &[("malformed-item", "malformed_json", Some(1), 1)]),
        (b"[{\"a\":\"x\n},{\"b\":2}]", &[r#"{"b":2}"#], &[("malformed-item", "malformed_json", Some(1), 1)]),
        (b"[{\"a\":\"\0\"},{\"b\":2}]", &[r#"{"b":2}"#], &[("nul-bytes", "forbidden_nul_byte", Some(1), 1)]),
        (b"[{\"a\":\"\xff\"},{\"b\":2}]", &[r#"{"b":2}"#], &[("invalid-utf8", "invalid_utf8", Some(1), 1)]),
        (br#"[1,{"b":2}]"#, &[r#"{"b":2}"#], &[("non-object-item", "item_not_dict", Some(1), 1)]),
        // Commas and what stands behind the end.
        (br#"[{"a":1} {"b":2}]"#, &[r#"{"a":1}"#, r#"{"b":2}"#], &[("document", "malformed_json", None, 1)]),
        (br#"[{"a":1},]"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (
            br#"[{"a":1}}"#,
            &[r#"{"a":1}"#],
            &[("document", "malformed_json", None, 1), ("document", "malformed_json", None, 1)],
        ),
        (br#"[{"a":1}] x"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (br#"{"items":[{"a":1}],,"b":1}"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (br#"{"items":[{"a":1}],"b":tru}"#, &[r#"{"a":1}"#], &[("document", "malformed_json", None, 1)]),
        (b"3", &[], &[("document", "invalid_document_type", None, 1)]),
    ];
    for (text, items, defects) in cases {
        let (log, findings) = read_text(text);
        let shown = String::from_utf8_lossy(text);
        assert_eq!(log.items.iter().map(|i| &*i.2).collect::<Vec<_>>(), *items, "{shown}");
        let found: Vec<_> = findings
            .iter()
            .map(|f| (f.variant, f.evidence["reason"].as_str().unwrap_or(""), f.location.item, f.line.unwrap_or(0)))
            .collect();
        assert_eq!(found, *defects, "{shown}");
    }
}

#[test]
fn depth_counts_from_the_outermost_bracket() {
    let nested = |levels: usize| format!("{}{}", "{\"a\":".repeat(levels - 1) + "{}", "}".repeat(levels - 1));
    for (levels, fits) in [(98, true), (99, false)] {
        let (log, findings) = read_text(format!("{{\"items\":[{}]}}", nested(levels)).as_bytes());
        assert_eq!((log.items.len() == 1, findings.is_empty()), (fits, fits), "{levels}");
    }
    let (log, findings) = read_text(("[".repeat(100_000) + &"]".repeat(100_000)).as_bytes());
    assert_eq!((log.items.len(), findings.len()), (0, 1));
}

proptest! {
    #[test]
    fn no_input_is_too_strange(text in proptest::collection::vec(prop_oneof![
        Just(b'['), Just(b']'), Just(b'{'), Just(b'}'), Just(b','), Just(b':'), Just(b'"'), Just(b'\\'), Just(b'\n'),
        Just(b'1'), Just(b' '), any::<u8>(),
    ], 0..60)) {
        for prefix in [&b"["[..], b"{\"items\":["] {
            read_text(&[prefix, &text[..]].concat());
        }
    }

    #[test]
    fn a_cut_anywhere_keeps_the_items_before_it(cut in 0usize..200) {
        let items: Vec<String> = (0..10).map(|i| format!("{{\"id\":\"i{i}\",\"x\":[{i},\"]\"]}}")).collect();
        let text = format!("[{}]", items.join(",\n "));
        let cut = cut.min(text.len() - 1);
        let (log, findings) = read_text(&text.as_bytes()[..cut]);
        let whole = (0..10).filter(|i| text.find(&items[*i]).is_some_and(|at| at + items[*i].len() <= cut)).count();
        prop_assert_eq!(log.items.len(), whole);
        prop_assert_eq!(findings.len(), usize::from(cut > 0));
    }
}
