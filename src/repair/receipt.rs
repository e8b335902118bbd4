//! A receipt as a file states it. Nothing in it is believed: its members are held against ones computed anew.

use serde_json::{Map, Value as Json};

use super::Policy;
use super::manifest;

pub(crate) use super::manifest::SCHEMA;

/// Members every receipt has.
const REQUIRED: [&str; 10] = [
    "schema_version",
    "input_fingerprint",
    "output_fingerprint",
    "policy",
    "actions",
    "declared_loss",
    "revalidate_report",
    "idempotency_key",
    "revalidation",
    "assurance_ceiling",
];
/// Members a receipt may have.
const OPTIONAL: [&str; 11] = [
    "plan_fingerprint",
    "assurance",
    "profile_version",
    "adapter_id",
    "adapter_version",
    "recipe_versions",
    "byte_counts",
    "record_counts",
    "edits",
    "frames",
    "digests",
];
const REVALIDATION: [&str; 5] = ["assurance", "error_count", "warning_count", "profile_id", "profile_version"];

/// A receipt that has the shape of one.
#[derive(Debug)]
pub(crate) struct Receipt {
    members: Map<String, Json>,
    bytes: Vec<u8>,
}

impl Receipt {
    /// Reads a receipt. The error is a word of the contract.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, &'static str> {
        let plain = text.strip_prefix(crate::source::BOM).unwrap_or(text);
        let Ok(Json::Object(members)) = serde_json::from_slice(plain) else { return Err("manifest-invalid-json") };
        if is_valid(&members) { Ok(Self { members, bytes: text.to_vec() }) } else { Err("manifest-schema") }
    }

    /// The text of a member; empty when it has none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.members.get(name).and_then(Json::as_str).unwrap_or("")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    pub(crate) fn revalidation(&self, name: &str) -> &str {
        self.members.get("revalidation").and_then(|r| r.get(name)).and_then(Json::as_str).unwrap_or("")
    }

    pub(crate) fn root_profile_version(&self) -> Option<&str> {
        self.members.get("profile_version").and_then(Json::as_str)
    }

    pub(crate) fn policy(&self) -> Policy {
        if self.text("policy") == "salvage" { Policy::Salvage } else { Policy::Conservative }
    }

    /// The steps it names, as recipe and finding.
    pub(crate) fn steps(&self) -> Vec<(String, String)> {
        let text = |row: &Json, name: &str| row.get(name).and_then(Json::as_str).unwrap_or("").to_owned();
        let rows = self.members.get("actions").and_then(Json::as_array);
        rows.into_iter().flatten().map(|row| (text(row, "kind"), text(row, "record_id"))).collect()
    }

    /// Whether its bytes are those that writing it again gives.
    pub(crate) fn is_canonical(&self) -> bool {
        let again = manifest::bytes(&Json::Object(self.members.clone()));
        let again = again.strip_suffix(b"\n").unwrap_or(&again);
        self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes) == again
    }

    /// Members that differ from the expected ones, each with what is wrong.
    pub(crate) fn differences(&self, expected: &Json) -> Vec<(String, String)> {
        let empty = Map::new();
        let expected = expected.as_object().unwrap_or(&empty);
        let mut wrong = Vec::new();
        let names = expected.keys().chain(self.members.keys().filter(|name| !expected.contains_key(*name)));
        for name in names {
            let (ours, theirs) = (expected.get(name), self.members.get(name));
            let equal = match name.as_str() {
                "revalidation" => self.revalidation_agrees(ours, theirs),
                // Receipts of the reference program embed no report.
                "revalidate_report" => ours == theirs || theirs == Some(&Json::Null) && !self.is_ours(expected),
                _ => ours == theirs,
            };
            if !equal {
                wrong.push((name.clone(), describe(name, ours, theirs)));
            }
        }
        wrong
    }

    /// Whether the receipt states the hash that only this program's report has.
    fn is_ours(&self, expected: &Map<String, Json>) -> bool {
        let ours = expected.get("revalidation").and_then(|r| r.get("report_fingerprint"));
        self.members.get("revalidation").and_then(|r| r.get("report_fingerprint")) == ours
    }

    /// The hash of a report that the receipt does not embed cannot be computed anew: another program wrote its words.
    fn revalidation_agrees(&self, ours: Option<&Json>, theirs: Option<&Json>) -> bool {
        let foreign = self.members.get("revalidate_report") == Some(&Json::Null);
        let plain = |value: Option<&Json>| {
            let mut members = value.and_then(Json::as_object).cloned().unwrap_or_default();
            if foreign {
                members.remove("report_fingerprint");
            }
            members
        };
        plain(ours) == plain(theirs)
    }
}

/// What is wrong with a member, without texts that are not words of the contract.
fn describe(name: &str, ours: Option<&Json>, theirs: Option<&Json>) -> String {
    let short = |value: Option<&Json>| match value {
        None => "nothing".to_owned(),
        Some(Json::String(text)) if text.len() <= 64 && text.bytes().all(|b| b.is_ascii_graphic()) => text.clone(),
        Some(Json::Number(number)) => number.to_string(),
        Some(Json::Null) => "null".to_owned(),
        Some(Json::Array(rows)) if rows.iter().all(Json::is_string) => {
            let rows: Vec<&str> = rows.iter().filter_map(Json::as_str).collect();
            format!("({})", rows.join(", "))
        }
        Some(Json::Array(rows)) => format!("{} entries", rows.len()),
        Some(_) => "another value".to_owned(),
    };
    match (ours, theirs) {
        (Some(Json::Object(a)), Some(Json::Object(b))) => {
            let differing: Vec<String> = a
                .keys()
                .chain(b.keys().filter(|k| !a.contains_key(*k)))
                .filter(|k| a.get(*k) != b.get(*k))
                .map(|k| format!("{name}.{k}: expected {}, got {}", short(a.get(k)), short(b.get(k))))
                .collect();
            differing.join("; ")
        }
        _ => format!("{name}: expected {}, got {}", short(ours), short(theirs)),
    }
}

fn is_valid(members: &Map<String, Json>) -> bool {
    let text = |name: &str| members.get(name).and_then(Json::as_str);
    let hash = |text: &str| text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let known = members.keys().all(|k| REQUIRED.contains(&k.as_str()) || OPTIONAL.contains(&k.as_str()));
    let complete = REQUIRED.iter().all(|name| members.contains_key(*name));
    let optional_hash = members.get("plan_fingerprint").is_none_or(|v| v.as_str().is_some_and(hash));
    let level = |v: Option<&str>| matches!(v, Some("A0" | "A1" | "A2" | "A3" | "A4"));
    let actions = members.get("actions").and_then(Json::as_array).is_some_and(|rows| rows.iter().all(is_action));
    let losses = members.get("declared_loss").and_then(Json::as_array);
    let revalidation = members.get("revalidation").and_then(Json::as_object).is_some_and(|r| {
        let known = r.keys().all(|k| REVALIDATION.contains(&k.as_str()) || k == "report_fingerprint");
        let count = |name: &str| r.get(name).is_some_and(Json::is_u64);
        let text = |name: &str| r.get(name).is_some_and(Json::is_string);
        known
            && level(r.get("assurance").and_then(Json::as_str))
            && count("error_count")
            && count("warning_count")
            && text("profile_id")
            && text("profile_version")
    });
    known
        && complete
        && text("schema_version") == Some(SCHEMA)
        && ["input_fingerprint", "output_fingerprint", "idempotency_key"].iter().all(|n| text(n).is_some_and(hash))
        && optional_hash
        && matches!(text("policy"), Some("conservative" | "salvage"))
        && actions
        && losses.is_some_and(|rows| rows.iter().all(Json::is_string))
        && members.get("revalidate_report").is_some_and(|v| v.is_null() || v.is_string())
        && level(text("assurance_ceiling"))
        && members
            .get("assurance")
            .is_none_or(|v| matches!(v.as_str(), Some("clean" | "repaired-lossless" | "salvaged")))
        && revalidation
}

fn is_action(row: &Json) -> bool {
    row.as_object().is_some_and(|members| {
        members.keys().all(|k| matches!(k.as_str(), "kind" | "record_id" | "detail"))
            && members.get("kind").is_some_and(Json::is_string)
    })
}
