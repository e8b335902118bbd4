//! Diagnostic bundles: what a maintainer needs to see of a file that cannot be read, without a word of the session.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::adapter::FORMATS;
use crate::emit::{self, Format};
use crate::finding::Finding;
use crate::inspect::{self, CheckError, Options};
use crate::model::{Value, content_free};
use crate::record::{Json as Record, Scanner};
use crate::report::Report;
use crate::rule::profile::PROFILES;
use crate::source::{LineReader, MAX_LINE_BYTES};

/// Lines that are looked at for the kinds of a file that no adapter reads.
const ROUGH_LINES: u64 = 1000;
/// Longer ids are shown as the start of their hash.
const ID_LIMIT: usize = 16;

/// Evidence members whose value is one word of the format: shown when it is harmless.
const WORDS: [&str; 4] = ["field_path", "kind", "type", "version_raw"];

/// An invented session of four lines: the shape in which a fixture is wanted.
const TEMPLATE: &str = concat!(
    "# A fixture for sesslint. Write every record yourself: no real prompt, path, code, name or key may stand here.\n",
    "# Keep only what shows the problem, with ids that are plainly invented.\n",
    r#"{"created_at":"2026-01-01T00:00:00Z","schema_version":"sesslint.session/v1","session_id":"invented"}"#,
    "\n",
    r#"{"actor":"user","id":"e1","kind":"message","parent_id":null,"payload":{"text":"invented"},"seq":0,"ts":"2026-01-01T00:00:01Z"}"#,
    "\n",
    r#"{"actor":"assistant","correlation_id":"c1","id":"e2","kind":"tool_call","parent_id":"e1","payload":{"name":"invented"},"seq":1,"ts":"2026-01-01T00:00:02Z"}"#,
    "\n",
    r#"{"actor":"tool","correlation_id":"c1","id":"e3","kind":"tool_result","parent_id":"e2","payload":{},"seq":2,"ts":"2026-01-01T00:00:03Z"}"#,
    "\n",
);

/// The bundle of a file: versions, detection, the report without paths, and how a fixture would look.
///
/// # Errors
/// When the file cannot be read, or the profile does not admit its format.
pub fn bundle(path: &Path, options: &Options) -> Result<Json, CheckError> {
    let mut report = inspect::check_path(path, options)?;
    let (kinds, records) = match report.events {
        0 => rough_kinds(path).map_err(|source| CheckError::Io { path: path.to_owned(), source })?,
        events => (report.kinds.iter().map(|(kind, n)| ((*kind).to_owned(), *n)).collect(), events),
    };
    let name = report.path.rsplit('/').next().unwrap_or_default().to_owned();
    let all = report.findings.iter().flat_map(|finding| std::iter::once(finding).chain(&finding.consequences));
    let codes: BTreeSet<&str> = all.map(Finding::code).collect();
    let mut detection = json!({
        "requested": if report.detection.manual { report.format } else { "auto" },
        "resolved": if report.format == "unknown" { Json::Null } else { report.format.into() },
        "confidences": confidences(&report),
        "reason": report.detection.reason,
    });
    if let Some(version) = report.findings.iter().find(|f| f.code() == "SL301") {
        let evidence = |name: &str| version.evidence.get(name).cloned().unwrap_or_default();
        // What was masked is masked like any other text: the reference program cleans evidence twice.
        let raw = content_free::echo(&Value::from(evidence("version_raw").as_str().unwrap_or_default())).0;
        detection["version_evidence"] = json!({"supported_set": evidence("supported_set"), "version_raw": raw});
    }
    let document = json!({
        "bundle_version": "sesslint.bundle/v1",
        "created_by": created_by(),
        "source": {"path": name, "sha256": report.source_fingerprint, "size": report.source_size},
        "detection": detection,
        "fixture_skeleton": {"codes": codes, "kinds": kinds, "record_count": records, "template": TEMPLATE},
    });
    report.path.clone_from(&name);
    report.minimised_path = name;
    report.repo_path = None;
    report.session_id = short_id(&report.session_id);
    Ok(with_report(document, &report))
}

fn created_by() -> Json {
    let adapters: BTreeMap<_, _> = FORMATS.iter().map(|f| (f.id, f.version)).collect();
    let profiles: BTreeMap<_, _> = PROFILES.iter().map(|p| (p.id, p.version)).collect();
    let version = env!("CARGO_PKG_VERSION");
    let versions = json!({
        "adapters": adapters,
        "cli": version,
        "profiles": profiles,
        "schema_manifest": "sesslint.repair-manifest/v1",
        "schema_report": "sesslint.report/v1",
        "schema_session": "sesslint.session/v1",
    });
    let mut object = versions.clone();
    object["tool"] = "sesslint".into();
    object["version"] = version.into();
    object["versions"] = versions;
    object
}

fn confidences(report: &Report) -> Json {
    let rounded = |score: f64| (score * 1000.0).round() / 1000.0;
    // A file that is empty or a database is no format at all.
    let nothing = if report.detection.manual { &[][..] } else { FORMATS };
    let zeros = nothing.iter().map(|format| (format.id.to_owned(), Json::from(0.0)));
    let scores = report.detection.scores.iter().map(|(id, score)| ((*id).to_owned(), Json::from(rounded(*score))));
    zeros.chain(scores).collect()
}

/// Puts the report's document in, without what describes the machine and with its evidence cleaned.
fn with_report(mut document: Json, report: &Report) -> Json {
    let mut text = Vec::new();
    // Writing to memory cannot fail, and what an emitter wrote parses.
    let _ = emit::write(Format::Json, std::slice::from_ref(report), &emit::Options::default(), &mut text);
    let mut value: Json = serde_json::from_slice(&text).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.remove("repro");
    }
    for finding in value["findings"].as_array_mut().into_iter().flatten() {
        clean(&mut finding["evidence"]);
        for consequence in finding["consequences"].as_array_mut().into_iter().flatten() {
            clean(&mut consequence["evidence"]);
        }
    }
    document["report"] = value;
    document
}

/// Evidence without paths, long ids and odd words.
fn clean(evidence: &mut Json) {
    let Some(members) = evidence.as_object_mut() else { return };
    for (name, value) in members.iter_mut() {
        match value {
            Json::String(text) => {
                let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
                *text = if last.len() < text.len() {
                    last.to_owned()
                } else if WORDS.contains(&name.as_str()) {
                    content_free::echo(&Value::from(&**text)).0
                } else if name.contains("id") {
                    short_id(text)
                } else {
                    continue;
                };
            }
            Json::Array(elements) => {
                for element in elements.iter_mut() {
                    if let Json::String(text) = element {
                        let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
                        *text = content_free::echo(&Value::from(last)).0;
                    }
                }
            }
            _ => {}
        }
    }
}

fn short_id(id: &str) -> String {
    use sha2::{Digest, Sha256};
    if id.chars().count() > ID_LIMIT {
        return crate::finding::fingerprint::hex(&Sha256::digest(id)[..4]);
    }
    content_free::echo(&Value::from(id)).0
}

/// Kinds of the first lines of a file that no adapter reads, by the first member that names one; and its non-blank lines.
fn rough_kinds(path: &Path) -> std::io::Result<(BTreeMap<String, usize>, usize)> {
    let mut reader = LineReader::new(File::open(path)?, MAX_LINE_BYTES);
    let mut scanner = Scanner::default();
    let mut kinds = BTreeMap::new();
    let mut records = 0;
    while let Some(line) = reader.next_line()? {
        if line.is_blank() {
            continue;
        }
        records += 1;
        if line.number > ROUGH_LINES || simdutf8::basic::from_utf8(line.bytes).is_err() {
            continue;
        }
        if scanner.scan(line.bytes, 2).is_err() {
            continue;
        }
        let json = Record::new(line.bytes, scanner.tape());
        let named = ["kind", "type", "event", "role"].iter().find_map(|n| json.get(n).filter(|v| v.is_truthy()));
        if let Some(word) = named.and_then(Record::as_str) {
            *kinds.entry(content_free::echo(&Value::from(&*word)).0).or_default() += 1;
        }
    }
    Ok((kinds, records))
}
