//! Reads findings and reports back from the JSON documents that this program writes. What a document does not hold
//! (evidence beyond ids, coverage of scans) stays empty; texts come from the rules, never from the document.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde_json::Value as Json;

use super::{Assurance, Counts, Coverage, Detection, Report};
use crate::adapter;
use crate::finding::{Finding, Location, Repairability, Severity, Stage, Standing};
use crate::model::outline::{Beat, Near, Outline};
use crate::rule::RULES;
use crate::rule::profile::{self, NEUTRAL};
use crate::source::path::{clean, stem};

/// A report out of the object of a file: in a report document, or in the list of a scan document.
///
/// # Errors
/// A phrase on the first member that is not as this program writes it.
pub fn report(document: &Json) -> Result<Report, String> {
    // A report document keeps facts about the source apart; a scan document has them beside the path.
    let source = document.get("source").unwrap_or(document);
    let path = text(source, if document.get("source").is_some() { "path" } else { "source_path" })?;
    let format = document.pointer("/coverage/adapter/id").or_else(|| document.get("format")).and_then(Json::as_str);
    let format = adapter::find(format.unwrap_or("unknown"));
    let profile = document.pointer("/coverage/profile/id").or_else(|| document.get("profile")).and_then(Json::as_str);
    let findings: Vec<Finding> = match document.get("findings") {
        Some(list) => list.as_array().ok_or("findings are no list")?.iter().map(finding).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let size = number(source, "size")?;
    let path = clean(Path::new(path));
    Ok(Report {
        minimised_path: optional(source, "minimised_path").or_else(|| optional(document, "path")).unwrap_or_default(),
        repo_path: optional(source, "repo_path").filter(|path| leads_below(path)),
        session_id: stem(&path),
        path,
        source_fingerprint: text(document, "source_fingerprint")?.to_owned(),
        source_size: size,
        format: format.map_or("unknown", |f| f.id),
        format_name: format.map_or("unknown", |f| f.name),
        format_version: format.map_or("unknown", |f| f.version),
        detection: Detection::default(),
        profile: profile.map_or(Some(&NEUTRAL), profile::find).ok_or("its profile is unknown")?,
        records: count(source, "records")?,
        events: count(source, "events")?,
        kinds: BTreeMap::new(),
        counts: Counts::of(&findings),
        assurance: assurance(text(document, "assurance")?)?,
        coverage: Coverage::default(),
        outline: document.get("outline").and_then(outline),
        findings,
    })
}

/// Whether a path stays below the folder it counts from.
fn leads_below(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn finding(object: &Json) -> Result<Finding, String> {
    let code = text(object, "code")?;
    let rule = RULES.iter().find(|rule| rule.code == code).ok_or_else(|| format!("{code:?} is no known code"))?;
    let mut finding = Finding::new(rule, Stage::Checking);
    let variant = text(object, "variant")?;
    finding.variant =
        rule.texts.iter().map(|t| t.variant).chain(["overflow-summary"]).find(|v| *v == variant).unwrap_or("");
    let word = text(object, "severity")?;
    finding.severity = Severity::named(word).ok_or_else(|| format!("{word:?} is no severity"))?;
    let word = text(object, "repairability")?;
    finding.repairability = Repairability::named(word).ok_or_else(|| format!("{word:?} is no repairability"))?;
    finding.fingerprint = text(object, "fingerprint")?.to_owned();
    finding.stable_id = text(object, "stable_id")?.to_owned();
    finding.line_hash = optional(object, "line_hash");
    finding.record_id = optional(object, "record");
    finding.line = object.pointer("/span/line").and_then(Json::as_u64);
    let place = |name: &str| object.get("location").and_then(|location| location.get(name)).and_then(Json::as_u64);
    finding.location = Location {
        line: place("line"),
        column: place("column"),
        byte_start: place("byte_start"),
        byte_end: place("byte_end"),
        item: place("item"),
    };
    if let Some(members) = object.get("evidence").and_then(Json::as_object) {
        finding.evidence = members.clone();
        finding.evidence.remove("ordinal");
    }
    finding.standing = match object.get("standing").and_then(Json::as_str) {
        Some("new") => Some(Standing::New),
        Some("known") => Some(Standing::Known),
        _ => None,
    };
    if let Some(list) = object.get("consequences").and_then(Json::as_array) {
        finding.consequences = list.iter().map(self::finding).collect::<Result<_, _>>()?;
    }
    Ok(finding)
}

/// An outline that does not fit is left out: it is a picture only.
fn outline(object: &Json) -> Option<Outline> {
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    let near = |row: &Json| {
        let letter = row.get(2)?.as_str()?.chars().next()?;
        Some(Near { position: row.get(0)?.as_u64()?, place: row.get(1)?.as_u64()?, beat: Beat::of(letter)? })
    };
    let outline = Outline::parse(object.get("positions").and_then(Json::as_u64)?, text("beats")?, text("lanes")?)?;
    Some(Outline { near: object.get("near")?.as_array()?.iter().map(near).collect::<Option<_>>()?, ..outline })
}

fn assurance(word: &str) -> Result<Assurance, String> {
    let all = [Assurance::A0, Assurance::A1, Assurance::A2, Assurance::A3, Assurance::A4];
    all.into_iter().find(|a| a.as_str() == word).ok_or_else(|| format!("{word:?} is no assurance"))
}

fn text<'a>(object: &'a Json, name: &str) -> Result<&'a str, String> {
    object.get(name).and_then(Json::as_str).ok_or_else(|| format!("its member {name} is missing or no string"))
}

fn optional(object: &Json, name: &str) -> Option<String> {
    object.get(name).and_then(Json::as_str).map(str::to_owned)
}

fn number(object: &Json, name: &str) -> Result<u64, String> {
    object.get(name).and_then(Json::as_u64).ok_or_else(|| format!("its member {name} is missing or no number"))
}

fn count(object: &Json, name: &str) -> Result<usize, String> {
    usize::try_from(number(object, name)?).map_err(|_| format!("its member {name} is too large"))
}
