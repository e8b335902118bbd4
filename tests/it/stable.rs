//! Lasting identities on real logs: the same defect keeps its id when the log grows, moves or is renamed, and no two
//! defects of a file share one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sesslint::finding::Finding;
use sesslint::inspect::{Options, check_path};
use sesslint::report::Report;

use crate::support::{entries, shared};

fn logs() -> Vec<PathBuf> {
    let Some(corpus) = shared("corpus") else { return Vec::new() };
    let folders = entries(&corpus).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder)).filter(|path| path.is_file());
    let session = |path: &PathBuf| {
        let name = path.to_string_lossy();
        [".jsonl", ".json", ".zst", ".zstd"].iter().any(|ending| name.ends_with(ending))
            && !name.ends_with("truth.json")
    };
    files.filter(session).collect()
}

fn check(path: &Path) -> Report {
    check_path(path, &Options::default()).unwrap()
}

fn all(report: &Report) -> Vec<&Finding> {
    report.findings.iter().flat_map(|f| std::iter::once(f).chain(&f.consequences)).collect()
}

fn ids(report: &Report) -> Vec<String> {
    all(report).iter().map(|f| format!("{} {}", f.code(), f.stable_id)).collect()
}

/// Whether a log grows by whole lines: documents and containers do not.
fn grows(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
}

#[test]
fn no_two_defects_share_an_id() {
    for path in logs() {
        let ids = ids(&check(&path));
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{}: {ids:?}", path.display());
    }
}

#[test]
fn other_line_ends_keep_the_ids() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let mut broken = 0;
    for path in logs().into_iter().filter(|path| grows(path)) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.contains(&b'\r') || !bytes.ends_with(b"\n") {
            continue;
        }
        let converted: Vec<u8> =
            bytes.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b] } else { vec![b] }).collect();
        std::fs::write(&file, converted).unwrap();
        let found = ids(&check(&path));
        assert_eq!(ids(&check(&file)), found, "{}", path.display());
        broken += usize::from(!found.is_empty());
    }
    assert!(broken > 20 || logs().is_empty());
}

#[test]
fn moved_and_renamed_logs_keep_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    for path in logs() {
        // Some formats find the name of the session in that of the file, so the ending stays.
        let ending = path.file_name().unwrap().to_string_lossy().split_once('.').unwrap().1.to_owned();
        let moved = folder.path().join(format!("renamed.{ending}"));
        std::fs::copy(&path, &moved).unwrap();
        assert_eq!(ids(&check(&moved)), ids(&check(&path)), "{}", path.display());
    }
}

#[test]
fn records_without_type_and_id_keep_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let text = concat!(
        r#"{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"hi"},"uuid":"u1"}"#,
        "\n{\"parentUuid\":null,\"leafUuid\":\"u6\"}\n",
    );
    let found = ["log.jsonl", "other.jsonl"].map(|name| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        ids(&check(&path))
    });
    assert!(found[0].iter().any(|id| id.starts_with("SL302")), "{found:?}");
    assert_eq!(found[0], found[1]);
}

#[test]
fn grown_logs_keep_the_ids_of_what_stood_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for path in logs().iter().filter(|path| grows(path)) {
        let text = std::fs::read(path).unwrap();
        let ends: Vec<usize> = memchr(&text);
        for part in [3, 7, 9] {
            let Some(end) = ends.get(ends.len() * part / 10) else { continue };
            let young = folder.path().join("young.jsonl");
            std::fs::write(&young, &text[..*end]).unwrap();
            compared += same_place_same_id(&check(&young), &check(path), path);
        }
    }
    if !logs().is_empty() {
        assert!(compared > 100, "only {compared} findings compared");
    }
}

fn memchr(text: &[u8]) -> Vec<usize> {
    text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| n + 1).collect()
}

/// Compares findings of one code and variant on one line; gives how many there were.
fn same_place_same_id(young: &Report, old: &Report, path: &Path) -> usize {
    let places = |report: &Report| {
        let mut places: BTreeMap<(String, Option<u64>), BTreeSet<String>> = BTreeMap::new();
        for finding in all(report) {
            let key = (format!("{} {}", finding.code(), finding.variant), finding.location.byte_start);
            places.entry(key).or_default().insert(finding.stable_id.clone());
        }
        places
    };
    let (before, after) = (places(young), places(old));
    let mut compared = 0;
    for (place, ids) in &before {
        if let Some(now) = after.get(place).filter(|_| place.1.is_some()) {
            compared += 1;
            assert!(ids.is_subset(now), "{} {place:?}: {ids:?} became {now:?}", path.display());
        }
    }
    compared
}
