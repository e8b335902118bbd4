//! Documents that people and other programs hand in: configuration, baselines, plans, receipts, reports.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::repair::plan::Claimed;
use sesslint::repair::verify::{Request, verify};
use sesslint::report::baseline::Baseline;

const SOURCE: &[u8] = include_bytes!("../../fixtures/examples/pi-broken.jsonl");

fuzz_target!(|bytes: &[u8]| {
    let _ = Claimed::parse(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = sesslint::config::file::parse(text, "sesslint.toml");
        if let Ok(baseline) = Baseline::parse(text) {
            assert_eq!(Baseline::parse(&baseline.text()).as_ref(), Ok(&baseline));
        }
    }
    if let Ok(document) = serde_json::from_slice(bytes) {
        let _ = sesslint::report::read::report(&document);
        let source = sesslint_fuzz::file("source.jsonl", SOURCE);
        let manifest = sesslint_fuzz::file("manifest.json", bytes);
        let request = Request {
            output: source.clone(),
            plan: Some(manifest.clone()),
            acknowledge_side_effects: true,
            source,
            manifest,
        };
        verify(&request).expect("files");
    }
});
