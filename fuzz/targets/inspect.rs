//! Every adapter, forced and told, over any bytes: no panic, places inside the file, the same twice, in some output.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::emit::{self, Format};
use sesslint::finding::Finding;
use sesslint::inspect::{Options, check_path};
use sesslint::report::Report;
use sesslint::rule::profile::PROFILES;

fn judge(finding: &Finding, report: &Report, lines: u64, plain: bool) {
    let place = finding.location;
    assert!(place.byte_start.unwrap_or(0) <= report.source_size, "{finding:?}");
    assert!(place.byte_end.unwrap_or(0) <= report.source_size, "{finding:?}");
    assert!(place.byte_end.is_none_or(|end| place.byte_start.unwrap_or(0) <= end), "{finding:?}");
    assert!(!plain || place.line.unwrap_or(1) <= lines, "{finding:?}");
    assert_eq!((finding.fingerprint.len(), finding.stable_id.len()), (16, 32));
    for consequence in &finding.consequences {
        assert!(consequence.severity <= finding.severity, "{finding:?}");
        judge(consequence, report, lines, plain);
    }
}

fn written(report: &Report, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    emit::write(format, std::slice::from_ref(report), &emit::Options::default(), &mut out).expect("memory");
    out
}

fuzz_target!(|input: (u8, u8, u8, &[u8])| {
    let (format, profile, output, text) = input;
    let path = sesslint_fuzz::file("log.jsonl", text);
    let profile = PROFILES[usize::from(profile) % PROFILES.len()];
    let options = Options { format: sesslint_fuzz::format(format), profile, details: true, ..Options::default() };
    let Ok(report) = check_path(&path, &options) else { return };
    let lines = 1 + text.iter().filter(|b| **b == b'\n').count() as u64;
    let plain = !text.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]);
    for finding in &report.findings {
        judge(finding, &report, lines, plain);
    }
    let again = check_path(&path, &options).expect("as before");
    let output = Format::ALL[usize::from(output) % Format::ALL.len()];
    assert_eq!(written(&report, output), written(&again, output));
    let mut stream = Vec::new();
    if sesslint::export::export(&path, "log.jsonl", options.format, &mut stream).is_ok() {
        let exported = sesslint_fuzz::file("exported.jsonl", &stream);
        let options = Options { format: sesslint::adapter::find("canonical"), ..Options::default() };
        let report = check_path(&exported, &options).expect("a report");
        assert!(report.findings.iter().all(|f| !matches!(f.code(), "SL001" | "SL002")), "{:?}", report.findings);
    }
    let _ = sesslint::validate::session(&path);
    let _ = sesslint::bundle::bundle(&path, &options);
});
