//! Inputs made to be slow or deep: each is read in time and memory proportional to its length.

use sesslint::digest::{Canonicaliser, NotJson, entry_digest};

const DEPTH: usize = 1_000_000;

#[test]
fn a_million_levels() {
    let nested = |open: &str, inside: &str, close: &str| open.repeat(DEPTH) + inside + &close.repeat(DEPTH);
    let mut canonicaliser = Canonicaliser::default();
    for (text, expected) in [
        (nested("[ ", "", "]"), nested("[", "", "]")),
        (nested("{ \"k\":", "0", "}"), nested("{\"k\":", "0", "}")),
        (nested("{\"b\":", "0", ",\"a\":1}"), nested("{\"a\":1,\"b\":", "0", "}")),
        (nested("[{\"b\":", "0", ",\"a\":1}]"), nested("[{\"a\":1,\"b\":", "0", "}]")),
    ] {
        let canonical = canonicaliser.read(text.as_bytes()).expect("a value");
        assert!(canonical.bytes() == expected.as_bytes(), "{}...", &text[..12]);
    }
    assert_eq!(entry_digest("[".repeat(DEPTH)), Err(NotJson));
    assert_eq!(entry_digest("{\"a\":".repeat(DEPTH)), Err(NotJson));
}

#[test]
fn many_members() {
    let names: Vec<String> = (0..50_000_u64).map(|i| format!("{:0>20}", i * 7919 % 50_021)).collect();
    let object = |names: &[String]| {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":{{\"b\":1,\"a\":2}}")).collect();
        format!("{{{}}}", members.join(","))
    };
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(entry_digest(object(&names)), entry_digest(object(&sorted)));
    // One name over and over: the last value counts.
    let same = format!("{{{}\"a\":1}}", "\"a\":{\"c\":[],\"b\":0},".repeat(100_000));
    assert_eq!(entry_digest(same), entry_digest("{\"a\":1}"));
}

#[test]
fn many_digits() {
    let zeros = "0".repeat(2_000_000);
    assert_eq!(entry_digest(format!("0.{zeros}1e2000001")), entry_digest("1"));
    assert_eq!(entry_digest(format!("1{zeros}")), entry_digest("null"));
    assert_eq!(entry_digest(format!("1e{zeros}1")), entry_digest("10"));
}
