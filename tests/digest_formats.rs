//! Which parts of a file are entries, format by format: the digest of a file is that of its entries.

use std::io::Write as _;

use proptest::prelude::*;
use sesslint::digest::{Damage, Framing, Operand, Pair, Place, Relationship, Source, detect, log_digest, summarise};

fn zstd(frames: &[&str]) -> Vec<u8> {
    frames
        .iter()
        .flat_map(|text| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
            encoder.write_all(text.as_bytes()).expect("memory can be written");
            encoder.finish().expect("memory can be written")
        })
        .collect()
}

/// Asserts that a file holds exactly these entries, and what is wrong with it.
fn holds(bytes: impl AsRef<[u8]>, entries: &[&str], torn_tail: bool) {
    let bytes = bytes.as_ref();
    let name = String::from_utf8_lossy(bytes);
    let source = Source::memory(bytes.to_vec()).expect("memory can be read");
    let layout = detect(&source, Framing::Unknown).expect("memory can be read");
    let summary = summarise(&source, layout).expect("memory can be read");
    assert_eq!(summary.damage, Damage { torn_tail, unreadable: None }, "{name}");
    assert_eq!(summary.entries, entries.len() as u64, "{name}");
    assert_eq!(summary.digest, log_digest(entries).ok(), "{name}");
}

fn unreadable(bytes: impl AsRef<[u8]>, place: Place) {
    let source = Source::memory(bytes.as_ref().to_vec()).expect("memory can be read");
    let layout = detect(&source, Framing::Unknown).expect("memory can be read");
    let summary = summarise(&source, layout).expect("memory can be read");
    assert_eq!((summary.digest, summary.damage.unreadable), (None, Some(place)));
}

const PI: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-04T08:00:00.000Z","cwd":"/w"}"#;
const DSH: &str =
    r#"{"type":"session","version":0,"id":"s1","createdAt":1770000000000,"cwd":"/w","delegationDepth":0}"#;
const E1: &str = r#"{"type":"message","id":"e1","parentId":null,"message":{"role":"user","content":"tide?"}}"#;
const E2: &str = r#"{"type":"message","id":"e2","parentId":"e1","message":{"role":"assistant","content":[]}}"#;

#[test]
fn lines() {
    let claude = [
        r#"{"type":"summary","summary":"tides","leafUuid":"u0"}"#,
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"tide?"}}"#,
    ];
    let codex = [
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}"#,
    ];
    for records in [claude, codex] {
        holds(records.join("\n"), &records, false);
        holds(records.join("\r\n\r\n \t\n") + "\r\n\n", &records, false);
        holds("\u{feff}".to_owned() + &records.join("\n"), &records, false);
    }
    holds("", &[], false);
    holds("\n \n", &[], false);
    holds("1\n\"two\"\n[3]\n", &["1", "\"two\"", "[3]"], false);
}

#[test]
fn a_line_is_no_header_because_it_begins_like_one() {
    for header in [PI, DSH] {
        let number = header.replacen(":\"s1\"", ":01", 1);
        let spread = header.replacen(',', ",\n", 1);
        for line in [number, spread, format!("{header}{E1}"), format!("{header} x"), header.replacen(',', ",,", 1)] {
            unreadable(format!("{line}\n{E2}\n"), Place::Line(1));
        }
    }
}

#[test]
fn a_header_is_no_entry() {
    for header in [PI, DSH, r#"{"schema_version":"sesslint.session/v1","session_id":"s1"}"#] {
        holds(format!("{header}\n{E1}\n{E2}\n"), &[E1, E2], false);
        holds(format!("\n{header}\n\n{E1}"), &[E1], false);
        holds(header, &[], false);
        // Only the first record can be one.
        holds(format!("{E1}\n{header}\n"), &[E1, header], false);
        holds(format!("{header}\n{header}\n"), &[header], false);
    }
}

#[test]
fn documents() {
    let items = format!("[\n  {E1},\n  {E2}\n]");
    holds(&items, &[E1, E2], false);
    holds(format!("{{\"sdk_version\":\"1\",\"items\":{items},\"run_state\":{{\"items\":[1]}}}}"), &[E1, E2], false);
    holds(format!("{{\"schema\":\"sesslint.session/v1\",\"version\":1,\"events\":{items}}}"), &[E1, E2], false);
    holds(format!("{{\"items\":[1,2],\"items\":{items}}}"), &[E1, E2], false);
    holds("[]", &[], false);
    // A document without a list is one entry.
    holds("{\n \"history\": [1]\n}\n", &["{\"history\":[1]}"], false);
}

#[test]
fn packing_and_compression_change_nothing() {
    let row = r#"{"type":"text-chunks","seq0":1,"time0":50,"data":{"turn":1,"step":1,"index":0,"dt":[4,0],"texts":["it"," is ","14:05"]}}"#;
    let chunk = |seq: u32, time: u32, text: &str| {
        format!(
            r#"{{"type":"assistant/chunk","seq":{seq},"time":{time},"data":{{"turn":1,"step":1,"chunk":{{"type":"text-delta","index":0,"text":"{text}"}}}}}}"#
        )
    };
    let start = r#"{"type":"turn/start","seq":0,"time":40,"data":{"turn":1}}"#;
    let chunks = [chunk(1, 50, "it"), chunk(2, 54, " is "), chunk(3, 54, "14:05")];
    let entries = [start, &chunks[0], &chunks[1], &chunks[2]];
    let packed = format!("{DSH}\n{start}\n{row}\n");
    holds(&packed, &entries, false);
    holds(format!("{DSH}\n{}\n", entries.join("\n")), &entries, false);
    // A record may span frames.
    let (head, tail) = packed.split_at(packed.len() - 40);
    holds(zstd(&[&packed]), &entries, false);
    holds(zstd(&[head, tail]), &entries, false);
    holds(zstd(&["", head, "", tail, ""]), &entries, false);
    // Without the header of that format a row is a record like any other.
    holds(format!("{start}\n{row}\n"), &[start, row], false);
    holds(format!("{PI}\n{row}\n"), &[row], false);
}

#[test]
fn a_torn_frame_is_left_out() {
    let first = format!("{DSH}\n{E1}\n");
    let second = format!("{E2}\n");
    let whole = zstd(&[&first]).len();
    let both = zstd(&[&first, &second]);
    for cut in whole + 1..both.len() {
        holds(&both[..cut], &[E1], true);
    }
    holds(&both[..whole], &[E1], false);
    holds(&both[..9], &[], true);
    unreadable([&both[..], b"garbage"].concat(), Place::Line(4));
}

#[test]
fn a_bomb_is_unreadable_and_costs_little() {
    // One endless line in a few kilobytes.
    let bomb = zstd(&[&" ".repeat(100 << 20)]);
    assert!(bomb.len() < 100 << 10);
    unreadable([zstd(&[&format!("{PI}\n{E1}\n")]), bomb].concat(), Place::Line(3));
}

#[test]
fn a_torn_tail_is_left_out() {
    for header in ["", PI, DSH] {
        let text = format!("{header}\n{E1}\n{E2}");
        let end = text.len();
        for cut in 1..E2.len() {
            holds(&text[..end - cut], &[E1], true);
        }
        holds(&text[..end - E2.len()], &[E1], false);
    }
    holds(&E1[..20], &[], true);
    holds(format!("{E1}\n\0\0\0"), &[E1], true);
    // Cut within a list, whole items count.
    holds(format!("[{E1},{}", &E2[..30]), &[E1], true);
    holds(format!("{{\"items\":[{E1},{E2}"), &[E1, E2], true);
}

#[test]
fn what_is_broken_elsewhere_leaves_no_digest() {
    unreadable(format!("{E1}\n{}\n", &E2[..30]), Place::Line(2));
    unreadable(format!("{E1}\n\n{E1}{E2}\n{E2}\nx\n"), Place::Line(3));
    unreadable("\u{feff}\u{feff}{}\n", Place::Line(1));
    unreadable(format!("[{E1},{{\"a\":tru}},{E2}]"), Place::Item(2));
    unreadable(format!("{{\"items\":[{E1} {E2}]}}"), Place::Item(2));
    unreadable(format!("{{\"items\":[{E1}],\"more\":nope}}"), Place::Item(2));
    unreadable([&zstd(&[&format!("{PI}\n{E1}\n")])[..], b"\x28\xB5\x2F\xFD\x08"].concat(), Place::Line(3));
}

#[test]
fn files_are_read_as_they_were_when_opened() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "{PI}\n{E1}\n").expect("a file can be written");
    let source = Source::open(file.path()).expect("a file can be opened");
    writeln!(file, "{E2}").expect("a file can be written");
    let layout = detect(&source, Framing::Unknown).expect("a file can be read");
    for _ in 0..2 {
        assert_eq!(summarise(&source, layout).expect("a file can be read").digest, log_digest([E1]).ok());
    }
    assert!(Source::open(&file.path().join("nothing")).is_err());
}

#[test]
fn copies_of_one_session_in_different_clothes_are_identical() {
    let log = |bytes: Vec<u8>| {
        let source = Source::memory(bytes).expect("memory can be read");
        Operand::log("log".into(), source, Framing::Unknown).expect("memory can be read")
    };
    let lines = format!("{PI}\n{E1}\n{E2}\n");
    let spelled = E1.replace("tide?", "\\u0074ide?").replace(':', " : ");
    for copy in [
        lines.clone().into_bytes(),
        format!("{E1}\r\n{E2}").into_bytes(),
        format!("{PI}\n{spelled}\n\n{E2}\n{{\"type\":").into_bytes(),
        format!("[{E1},{E2}]").into_bytes(),
        zstd(&[&lines]),
    ] {
        let pair = Pair::of(&log(lines.clone().into_bytes()), &log(copy)).expect("memory can be read");
        assert_eq!(pair.relationship, Relationship::Identical);
    }
}

proptest! {
    #[test]
    fn whatever_a_file_holds_there_is_an_answer(
        parts in proptest::collection::vec(
            prop_oneof![
                Just(format!("{E1}\n").into_bytes()),
                Just(format!("{PI}\n").into_bytes()),
                Just(format!("{DSH}\n").into_bytes()),
                Just(b"{\"items\":[".to_vec()),
                Just(b"{\"schema\":\"sesslint.session/v1\",\"events\":[{}".to_vec()),
                Just(zstd(&["{\"a\":1}\n"])),
                "[\\[\\]{},:\" \n01a]{0,6}".prop_map(String::into_bytes),
                proptest::collection::vec(any::<u8>(), 0..6),
            ],
            0..6,
        )
    ) {
        let open = || {
            let source = Source::memory(parts.concat()).expect("memory can be read");
            Operand::log("log".into(), source, Framing::Unknown).expect("memory can be read")
        };
        let pair = Pair::of(&open(), &open()).expect("memory can be read");
        prop_assert_eq!(pair.a.digest.is_none(), pair.a.unreadable.is_some());
        prop_assert_eq!(&pair.a, &pair.b);
        let expected = if pair.a.digest.is_some() { Relationship::Identical } else { Relationship::NotComparable };
        prop_assert_eq!(pair.relationship, expected);
    }
}
