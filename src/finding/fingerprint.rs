//! The two identities of a finding: the drop-in `fingerprint` and the lasting `stable_id`.

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use super::{Finding, Stage};
use crate::model::canonical_json;

/// Evidence members that enter a fingerprint, sorted. Others are shown only.
const HASHED: [&str; 61] = [
    "actual_seq",
    "at_index",
    "boundary_index",
    "byte_end",
    "byte_offset",
    "call_agent_id",
    "call_branch_id",
    "call_ids",
    "call_indexes",
    "call_interaction_id",
    "candidate_count",
    "caused_by",
    "classification",
    "coerced",
    "component_index",
    "component_members",
    "component_size",
    "confinement",
    "correlation_id",
    "count",
    "cycle_events",
    "cycle_length",
    "cycle_nodes",
    "cycle_parent_edges",
    "detail",
    "differing_fields",
    "event_id",
    "event_ids",
    "expected_seq",
    "field",
    "first_unsafe_index",
    "format",
    "head_count",
    "head_ids",
    "id",
    "index",
    "intervening_count",
    "intervening_kinds",
    "match_rule",
    "overflow",
    "parent_id",
    "profile",
    "reason",
    "record_ordinal",
    "rejected_decoys",
    "result_agent_id",
    "result_branch_id",
    "result_id",
    "result_ids",
    "result_indexes",
    "result_interaction_id",
    "schema",
    "scope_mismatch",
    "seq",
    "state_hash_a",
    "state_hash_b",
    "truncated",
    "type_truncated",
    "use_id",
    "use_index",
    "variant",
];

/// What a run adds to the preimage of a fingerprint.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Resolved format id.
    pub format: &'a str,
    /// Its adapter's version.
    pub format_version: &'a str,
    /// Profile id.
    pub profile: &'a str,
    /// Its version.
    pub profile_version: &'a str,
    /// The path as given on the command line, cleaned.
    pub path: &'a str,
}

/// The first 16 hex digits of the SHA-256 over the reference program's ten-element array.
#[must_use]
pub fn fingerprint(finding: &Finding, origin: &Origin<'_>) -> String {
    let (format, format_version, profile, profile_version) = match finding.stage {
        Stage::Reading => ("unknown", "unknown", "unknown", "unknown"),
        Stage::Checking => (origin.format, origin.format_version, origin.profile, origin.profile_version),
    };
    let subset: Map<String, Json> = finding
        .evidence
        .iter()
        .filter(|(name, _)| HASHED.binary_search(&name.as_str()).is_ok())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let preimage = json!([
        finding.code(),
        format,
        format_version,
        profile,
        profile_version,
        origin.path,
        finding.line,
        finding.evidence.get("record_ordinal").and_then(Json::as_u64),
        finding.record_id,
        subset,
    ]);
    let mut text = String::new();
    canonical_json::write_document(&preimage, &mut text);
    hex(&Sha256::digest(text)[..8])
}

/// 32 hex digits made of code, format family, subject and occurrence number alone.
#[must_use]
pub fn stable_id(finding: &Finding, format: &str, occurrence: usize) -> String {
    let preimage =
        json!(["sesslint/v1", finding.code(), format, finding.subject.record, finding.subject.part, occurrence]);
    let mut text = String::new();
    canonical_json::write_document(&preimage, &mut text);
    hex(&Sha256::digest(text)[..16])
}

/// Lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)] as char, DIGITS[usize::from(b & 15)] as char]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Family, Rule, Text};

    static RULE: Rule = Rule {
        code: "SL001",
        name: "",
        slug: "",
        family: Family::Reading,
        severity: crate::finding::Severity::Error,
        repairability: crate::finding::Repairability::Manual,
        texts: &[Text { variant: "", what: "", consequence: "", next: "" }],
        doc: "",
    };

    #[test]
    fn hashed_names_are_sorted() {
        assert!(HASHED.is_sorted());
    }

    #[test]
    fn preimage_matches_the_recorded_check_value() {
        let mut finding = Finding::new(&RULE, Stage::Reading);
        finding.line = Some(2);
        finding.record_id = Some("lost-1".into());
        for (name, value) in [("byte_end", 196), ("byte_offset", 173), ("record_ordinal", 2)] {
            finding.evidence.insert(name.into(), value.into());
        }
        let origin = Origin {
            format: "claude-code-jsonl",
            format_version: "1.0.0",
            profile: "neutral",
            profile_version: "1.0.0",
            path: "session.jsonl",
        };
        assert_eq!(fingerprint(&finding, &origin), "2e9df7eb5655c08a");
    }
}
