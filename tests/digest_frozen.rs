//! Published values of the scheme. Other programs compare such strings with ours, so they can only grow in number:
//! rows are appended, with a new seal over the file as it is then. What would move a row gets a new scheme name.

use serde_json::Value as Json;
use sesslint::digest::{SCHEME, entry_digest, log_digest};
use sha2::{Digest as _, Sha256};

const FROZEN: &str = include_str!("../fixtures/digest/sesslint-log-v1.jsonl");

/// Number of rows, and the SHA-256 of that many lines. A seal is never changed and never removed.
const SEALS: [(usize, &str); 1] = [(43, "9514756def99a39ad25781aa42ac8d6ea060320df146399954759c00bc0da1c6")];

#[test]
fn values_are_those_that_were_published() {
    assert_eq!(SCHEME, "sesslint-log-v1");
    for line in FROZEN.lines() {
        let row: Json = serde_json::from_str(line).expect("a row is JSON");
        let texts = |name: &str| -> Vec<String> {
            let list = row[name].as_array().expect("a list");
            list.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
        };
        let entries = texts("entries");
        let digests: Vec<String> =
            entries.iter().map(|entry| entry_digest(entry).expect("an entry").to_string()).collect();
        assert_eq!(digests, texts("entry_digests"), "{}", row["name"]);
        assert_eq!(log_digest(&entries).expect("entries").to_string(), row["log_digest"], "{}", row["name"]);
    }
}

#[test]
fn rows_are_appended_and_sealed() {
    let lines: Vec<&str> = FROZEN.split_inclusive('\n').collect();
    for (rows, seal) in SEALS {
        let sealed = lines.get(..rows).expect("no row is ever removed").concat();
        let hash: String = Sha256::digest(sealed).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, seal, "the first {rows} rows");
    }
    assert_eq!(SEALS.last().map(|(rows, _)| *rows), Some(lines.len()), "the last seal covers all rows");
}
