//! Whatever bytes a file holds, read as whatever format: an answer, the same twice, about places inside the file, without
//! a word of the session, under identities that last.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_oneof, proptest};
use sesslint::adapter::{FORMATS, Format};
use sesslint::emit;
use sesslint::finding::Finding;
use sesslint::inspect::{Options, check_path};
use sesslint::report::Report;
use sesslint::rule::profile::PROFILES;

use crate::hostile_logs::{CANARY, LOGS, grown};

/// Bytes that logs are not made of.
fn oddity() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"\0\0\0".to_vec()),
        Just(b"\xFF\xFE".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just("\u{2028}\u{85}\u{a0}".as_bytes().to_vec()),
        Just(b"1e999".to_vec()),
        Just(b"-18446744073709551617".to_vec()),
        Just(vec![b'9'; 5000]),
        Just(b"\\ud800".to_vec()),
        Just(br#""x":"\udfff","#.to_vec()),
        Just(br#""type":"user","type":"user","#.to_vec()),
        Just(br#""id":null,"uuid":7,"parentId":[],"#.to_vec()),
        Just([vec![b'['; 150], vec![b']'; 150]].concat()),
        Just(br#"{"a":"#.repeat(3000)),
        Just(br#"{"a":1}{"b":2}"#.to_vec()),
        Just(b"null\n[1]\n\"x\"\n".to_vec()),
    ]
}

/// One change to a log; places are parts of its length.
#[derive(Clone, Debug)]
enum Change {
    Flip(u16, u8),
    Delete(u16, u16),
    Truncate(u16),
    Insert(u16, Vec<u8>),
    /// A line again, behind another one.
    Repeat(u16, u16),
    DropLine(u16),
    /// A line and the next one without the end between them.
    Splice(u16),
    /// The rest of another log.
    GoOn(u16, usize, u16),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<u16>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (at(), at()).prop_map(|(from, len)| Change::Delete(from, len)),
        at().prop_map(Change::Truncate),
        (at(), oddity()).prop_map(|(at, what)| Change::Insert(at, what)),
        line_change(),
    ]
}

/// Changes that keep the lines what they are.
fn line_change() -> impl Strategy<Value = Change> {
    let at = any::<u16>;
    prop_oneof![
        (at(), at()).prop_map(|(line, behind)| Change::Repeat(line, behind)),
        at().prop_map(Change::DropLine),
        at().prop_map(Change::Splice),
        at().prop_map(Change::Truncate),
        (at(), 0..LOGS.len(), at()).prop_map(|(at, log, from)| Change::GoOn(at, log, from)),
    ]
}

fn place(part: u16, len: usize) -> usize {
    usize::from(part) * len / usize::from(u16::MAX)
}

fn changed(text: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut text = text.to_vec();
    for change in changes {
        let at = |part: u16| place(part, text.len());
        let mut lines: Vec<Vec<u8>> = text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        let line = |part: u16| place(part, lines.len().saturating_sub(1));
        match change {
            Change::Flip(part, byte) => {
                let at = at(*part).min(text.len().saturating_sub(1));
                if let Some(old) = text.get_mut(at) {
                    *old ^= byte;
                }
                continue;
            }
            Change::Delete(from, len) => {
                let from = at(*from);
                text.drain(from..(from + usize::from(len % 200)).min(text.len()));
                continue;
            }
            Change::Truncate(part) => {
                text.truncate(at(*part));
                continue;
            }
            Change::Insert(part, what) => {
                let at = at(*part);
                text.splice(at..at, what.iter().copied());
                continue;
            }
            Change::GoOn(part, log, from) => {
                let other = LOGS[*log].1;
                text.truncate(at(*part));
                text.extend_from_slice(&other[place(*from, other.len())..]);
                continue;
            }
            _ if lines.is_empty() => continue,
            Change::Repeat(from, to) => {
                let (from, to) = (line(*from), line(*to));
                lines.insert(to, lines[from].clone());
            }
            Change::DropLine(at) => {
                lines.remove(line(*at));
            }
            Change::Splice(at) => {
                let at = line(*at);
                let kept = lines[at].len() / 2;
                lines[at].truncate(kept);
            }
        }
        text = lines.concat();
    }
    text
}

fn options(format: Option<&'static Format>) -> Options {
    Options { format, details: true, ..Options::default() }
}

/// Every forced format, and none.
fn formats() -> impl Iterator<Item = Option<&'static Format>> {
    FORMATS.iter().copied().map(Some).chain([None])
}

fn all(report: &Report) -> Vec<&Finding> {
    report.findings.iter().flat_map(|f| std::iter::once(f).chain(&f.consequences)).collect()
}

/// The report in every output format.
fn written(report: &Report) -> Vec<(&'static str, String)> {
    let write = |format: emit::Format| {
        let mut out = Vec::new();
        emit::write(format, std::slice::from_ref(report), &emit::Options::default(), &mut out).unwrap();
        (format.as_str(), String::from_utf8(out).unwrap())
    };
    emit::Format::ALL.into_iter().map(write).collect()
}

/// What must hold of the report of any file.
fn judge(path: &Path, text: &[u8]) {
    // What is missing at the end of a document is missing behind its last line end.
    let lines = 1 + text.iter().filter(|b| **b == b'\n').count() as u64;
    for (format, profile) in formats().zip(PROFILES.iter().cycle()) {
        let options = Options { profile, ..options(format) };
        let Ok(report) = check_path(path, &options) else {
            assert!(!profile.admits(format.map_or("", |f| f.id)), "only a profile may refuse");
            continue;
        };
        assert_eq!(report.source_size, text.len() as u64);
        let mut ids = BTreeSet::new();
        for finding in all(&report) {
            let place = finding.location;
            assert!(place.line.is_none_or(|line| (1..=lines).contains(&line)), "{format:?}: {finding:?}");
            let (start, end) = (place.byte_start.unwrap_or(0), place.byte_end.unwrap_or(report.source_size));
            assert!(start <= end && end <= report.source_size, "{format:?}: {finding:?}");
            assert!(ids.insert(&finding.stable_id), "{format:?}: an id twice: {finding:?}");
            assert_eq!(finding.fingerprint.len(), 16);
        }
        assert_eq!(written(&report), written(&check_path(path, &options).unwrap()), "{format:?}: not the same twice");
    }
}

/// Identities of findings by what was found where.
fn identities(report: &Report) -> BTreeMap<(String, u64), BTreeSet<String>> {
    let mut found: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for finding in all(report) {
        if let Some(at) = finding.location.byte_start {
            let key = (format!("{} {}", finding.code(), finding.variant), at);
            found.entry(key).or_default().insert(finding.stable_id.clone());
        }
    }
    found
}

fn log() -> impl Strategy<Value = usize> {
    0..LOGS.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_checked(text in prop::collection::vec(any::<u8>(), 0..600)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, &text).unwrap();
        judge(&path, &text);
    }

    #[test]
    fn any_pieces_of_json_can_be_checked(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"", "\n", "\\", "null", "1", "\"type\":", "\"id\":", "\"message\":",
            "\"content\":", "\"user\"", "\"parentId\":\"a\"", "\"uuid\":\"a\"", "{\"a\":1}", "\"items\":[", "\0",
        ]), 0..80),
    ) {
        let text = pieces.concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.json");
        std::fs::write(&path, &text).unwrap();
        judge(&path, text.as_bytes());
    }

    #[test]
    fn any_damaged_log_can_be_checked(log in log(), changes in prop::collection::vec(change(), 1..5)) {
        let text = changed(LOGS[log].1, &changes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, &text).unwrap();
        judge(&path, &text);
    }

    #[test]
    fn no_word_of_a_damaged_session_is_reported(log in log(), changes in prop::collection::vec(line_change(), 0..4)) {
        let (id, text) = LOGS[log];
        let text = changed(text, &changes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, &text).unwrap();
        for format in [sesslint::adapter::find(id), None] {
            let options = options(format);
            let report = check_path(&path, &options).unwrap();
            for (output, written) in written(&report) {
                assert!(!written.contains(CANARY), "{output}: {}", around(&written));
            }
            let bundle = sesslint::bundle::bundle(&path, &options).unwrap().to_string();
            assert!(!bundle.contains(CANARY), "bundle: {}", around(&bundle));
            let said = repaired(&path, format);
            assert!(!said.contains(CANARY), "repair: {}", around(&said));
        }
    }

    #[test]
    fn identities_last(log in log(), changes in prop::collection::vec(line_change(), 0..4), more in 1usize..4) {
        let (id, text) = LOGS[log];
        let Some(more) = grown(id, more) else { return Ok(()) };
        let mut text = changed(text, &changes);
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("log.jsonl"), folder.path().join("moved").join("other.jsonl"));
        std::fs::create_dir(folder.path().join("moved")).unwrap();
        std::fs::write(&path, &text).unwrap();
        std::fs::write(&moved, &text).unwrap();
        let options = options(sesslint::adapter::find(id));
        let young = check_path(&path, &options).unwrap();
        assert_eq!(identities(&young), identities(&check_path(&moved, &options).unwrap()), "moved");
        text.extend_from_slice(more.as_bytes());
        std::fs::write(&path, &text).unwrap();
        let now = identities(&check_path(&path, &options).unwrap());
        for (place, ids) in identities(&young) {
            // What was wrong only because the log ended there may be right now.
            if let Some(now) = now.get(&place) {
                assert!(ids.is_subset(now), "{id} {place:?}: {ids:?} became {now:?}");
            }
        }
    }
}

/// What repair says of a log: plan, receipt, report, or refusal.
fn repaired(path: &Path, format: Option<&'static Format>) -> String {
    use sesslint::repair::{Options, Policy, RepairError, prepare};
    let options = Options { format, policy: Policy::Salvage, acknowledge_side_effects: true, ..Options::default() };
    match prepare(path, &options) {
        Ok(prepared) => prepared.plan().document().to_string(),
        Err(RepairError::Refused(refusal)) => format!("{refusal}\n{}", refusal.document()),
        Err(error) => error.to_string(),
    }
}

/// The words around a canary.
fn around(text: &str) -> &str {
    let at = text.find(CANARY).unwrap_or(0);
    let from = (0..=at.saturating_sub(160)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let to = (at + 60..).find(|&at| at >= text.len() || text.is_char_boundary(at)).unwrap_or(at);
    &text[from..to.min(text.len())]
}
