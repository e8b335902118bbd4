//! A harness home of one log of any bytes under every name: the audit answers, and `check` does too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::dsh::{ExpectedFormat, Options, StoreAudit};

const NAMES: [&str; 6] = [
    "session.jsonl",
    "session.jsonl.zstd",
    "session.v1.jsonl",
    "session.v1.jsonl.zstd",
    "session.v99999999999999999999.jsonl",
    "other.jsonl",
];

fuzz_target!(|input: (u8, bool, &[u8])| {
    let (name, from_name, bytes) = input;
    let name = NAMES[usize::from(name) % NAMES.len()];
    let root = sesslint_fuzz::folder().join("root");
    let session = root.join("project").join("session");
    let _ = std::fs::remove_dir_all(&session);
    std::fs::create_dir_all(&session).expect("a folder");
    let log = session.join(name);
    std::fs::write(&log, bytes).expect("a file");
    let format = if from_name { ExpectedFormat::FromName } else { ExpectedFormat::default() };
    let options = Options { format, ..Options::default() };
    let audit = || serde_json::to_string(&StoreAudit::of(&root, &options).expect("a root")).expect("JSON");
    assert_eq!(audit(), audit());
    let format = sesslint::adapter::find("dsh-jsonl");
    let options = sesslint::inspect::Options { format, details: true, ..Default::default() };
    sesslint::check_path(&log, &options).expect("a report");
});
