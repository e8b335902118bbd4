//! The report document `sesslint.report/v1`, member for member that of the reference program; ours are added beside.
//!
//! Added at the top: `source`, and `coverage.additional`. Added to a finding: `stable_id`, `variant`, `title`, `why`, `location`, `consequences`,
//! and `standing` where there is a baseline.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Options, ascii, wording};
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Location, Standing};
use crate::report::Report;

/// Evidence that would be content; never shown.
const CONTENT: [&str; 5] = ["content", "message", "payload", "prompt", "text"];
/// Longer ids are shown as the start of their hash.
const ID_LIMIT: usize = 16;

/// One report is its own document; any other number is wrapped in a list.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    if let [one] = reports {
        return ascii::write_document(&report(one, options), out);
    }
    let list: Vec<Value> = reports.iter().map(|r| report(r, options)).collect();
    let document = json!({
        "schema_version": "sesslint.report-list/v1",
        "tool_version": options.tool_version,
        "reports": list,
    });
    ascii::write_document(&document, out)
}

/// A report's document.
fn report(report: &Report, options: &Options) -> Value {
    let mut by_code: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &report.findings {
        *by_code.entry(finding.code()).or_default() += 1;
    }
    let counts = report.counts;
    let by_severity = json!({
        "fatal": counts.fatal, "error": counts.error, "warning": counts.warning, "info": counts.info,
    });
    let findings: Vec<Value> =
        report.findings.iter().zip(1..).map(|(f, ordinal)| finding(f, report, Some(ordinal), options)).collect();
    let skipped: Vec<Value> = report
        .coverage
        .skipped
        .iter()
        .map(|(check, why)| json!({"check": check, "reason": why.words().0, "detail": why.words().1}))
        .collect();
    let profile = report.profile;
    let mut document = json!({
        "schema_version": "sesslint.report/v1",
        "tool_version": options.tool_version,
        "session_id": report.session_id,
        "source_fingerprint": report.source_fingerprint,
        "source": {
            "path": report.path,
            "minimised_path": report.minimised_path,
            "repo_path": report.repo_path,
            "size": report.source_size,
            "records": report.records,
            "events": report.events,
        },
        "findings": findings,
        "counts": {"by_severity": by_severity, "by_code": by_code, "total": counts.total()},
        "assurance": report.assurance.as_str(),
        "limitation": report.assurance.limitation(),
        "coverage": {
            "adapter": {"id": report.format, "version": report.format_version},
            "profile": {"id": profile.id, "version": profile.version},
            "performed": report.coverage.performed,
            "additional": report.coverage.additional,
            "skipped": skipped,
        },
        "repro": {
            "adapter": {"name": report.format, "version": report.format_version},
            "profile": {"name": profile.id, "version": profile.version},
            "cli_version": options.tool_version,
            "detection": {
                "method": if report.detection.manual { "manual" } else { "auto" },
                "confidence": null,
                "score": report.detection.confidence,
            },
            "platform": {"architecture": std::env::consts::ARCH, "os": std::env::consts::OS, "python": null},
            "schema_versions": {
                "manifest": "sesslint.repair-manifest/v1",
                "report": "sesslint.report/v1",
                "session": "sesslint.session/v1",
            },
        },
    });
    if options.include_content {
        document["content_warning"] = true.into();
        document["included_content"] = true.into();
    }
    document
}

/// A finding's object. `ordinal` is its rank from 1 in documents that state one.
pub(super) fn finding(finding: &Finding, report: &Report, ordinal: Option<usize>, options: &Options) -> Value {
    let mut object = plain(finding, report, ordinal, options);
    let consequences: Vec<Value> =
        finding.consequences.iter().map(|c| plain(c, report, None, options).into()).collect();
    object.insert("consequences".into(), consequences.into());
    object.into()
}

/// A finding without its consequences.
fn plain(finding: &Finding, report: &Report, ordinal: Option<usize>, options: &Options) -> Map<String, Value> {
    let byte = ["byte_offset", "byte"].iter().find_map(|name| finding.evidence.get(*name).and_then(Value::as_u64));
    let Location { line, column, byte_start, byte_end, item } = finding.location;
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.into(), value);
    put("code", finding.code().into());
    put("severity", finding.severity.as_str().into());
    put("repairability", finding.repairability.as_str().into());
    put("fingerprint", finding.fingerprint.clone().into());
    put("span", json!({"path": report.minimised_path, "line": finding.line, "byte": byte}));
    put("evidence", evidence(finding, ordinal, options));
    put("remediation", wording::fix(report, finding).into());
    put("stable_id", finding.stable_id.clone().into());
    put("variant", finding.variant.into());
    put("title", finding.rule.name.into());
    put("why", wording::why(finding).into());
    put(
        "location",
        json!({"line": line, "column": column, "byte_start": byte_start, "byte_end": byte_end, "item": item}),
    );
    if let Some(id) = &finding.record_id {
        put("record", if options.include_content { id.clone() } else { short(id) }.into());
    }
    if let Some(hash) = &finding.line_hash {
        put("line_hash", hash.clone().into());
    }
    if let Some(standing) = finding.standing {
        put("standing", if standing == Standing::New { "new" } else { "known" }.into());
    }
    if options.include_content {
        put("message", format!("{}{}", finding.text().what, wording::record(finding)).into());
        if let Some(id) = &finding.record_id {
            put("record_id", id.clone().into());
        }
    }
    object
}

/// What was found, ours beside the reference program's; null when there is nothing.
fn evidence(finding: &Finding, ordinal: Option<usize>, options: &Options) -> Value {
    let mut members = Map::new();
    for (name, value) in finding.evidence.iter().chain(&finding.detail) {
        if CONTENT.contains(&name.as_str()) || members.contains_key(name) {
            continue;
        }
        let shown = match value {
            Value::String(id) if !options.include_content && name.to_ascii_lowercase().contains("id") => {
                short(id).into()
            }
            other => other.clone(),
        };
        members.insert(name.clone(), shown);
    }
    if let Some(ordinal) = ordinal {
        members.insert("ordinal".into(), ordinal.into());
    }
    if members.is_empty() { Value::Null } else { members.into() }
}

/// An id, or the start of its hash when it is long.
fn short(id: &str) -> String {
    if id.chars().count() > ID_LIMIT { hex(&Sha256::digest(id)[..4]) } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::{Format, samples};

    fn parsed(reports: &[Report], options: &Options) -> Value {
        serde_json::from_str(&samples::text_with(Format::Json, reports, options)).unwrap()
    }

    #[test]
    fn document_of_a_broken_file() {
        let text = samples::text(Format::Json, &[samples::broken()]);
        let machine = [("architecture", std::env::consts::ARCH), ("os", std::env::consts::OS)];
        let text = machine.iter().fold(text, |text, (name, value)| {
            text.replace(&format!("\"{name}\": \"{value}\""), &format!("\"{name}\": \"*\""))
        });
        insta::assert_snapshot!("json_broken", text);
    }

    #[test]
    fn long_ids_are_shortened_and_content_is_never_there() {
        let mut report = samples::broken();
        let first = &mut report.findings[0];
        first.evidence.insert("parent_id".into(), "0123456789abcdefX".into());
        first.evidence.insert("use_id".into(), "0123456789abcdef".into());
        first.evidence.insert("text".into(), "secret words".into());
        first.detail.insert("parent_id".into(), "ours".into());
        let options = Options { include_content: true, ..Options::default() };
        let short = parsed(&[report.clone()], &Options::default());
        let full = parsed(&[report], &options);
        assert_eq!(short["findings"][0]["evidence"]["parent_id"], "cff4b75e");
        assert_eq!(short["findings"][0]["evidence"]["use_id"], "0123456789abcdef");
        assert_eq!(full["findings"][0]["evidence"]["parent_id"], "0123456789abcdefX");
        assert_eq!(
            (&short["findings"][0]["record_id"], &full["findings"][0]["record_id"]),
            (&Value::Null, &"m3".into())
        );
        assert_eq!(full["included_content"], true);
        assert!(!short.to_string().contains("secret") && !full.to_string().contains("secret"));
    }

    #[test]
    fn every_sample_parses_back_and_is_ascii() {
        for report in samples::all() {
            let text = samples::text(Format::Json, std::slice::from_ref(&report));
            assert!(text.bytes().all(|b| b == b'\n' || (0x20..0x7f).contains(&b)));
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["source"]["path"], report.path.as_str());
            assert_eq!(document["findings"].as_array().map(Vec::len), Some(report.counts.total()));
        }
        assert_eq!(parsed(&[], &Options::default())["reports"], json!([]));
    }

    #[test]
    fn evidence_is_null_only_without_an_ordinal() {
        let report = samples::broken();
        let bare = samples::at(&samples::MISSING_PARENT, 1);
        assert_eq!(finding(&bare, &report, None, &Options::default())["evidence"], Value::Null);
        assert_eq!(finding(&bare, &report, Some(7), &Options::default())["evidence"], json!({"ordinal": 7}));
    }
}
