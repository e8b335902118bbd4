//! Findings about single records that several adapters make: fields their loaders cannot use, types nobody knows.
//!
//! The adapter decides severity by what its format's loaders do; the texts stand with the rule.

use std::collections::BTreeSet;

use super::{Record, Sink};
use crate::check::compatibility::SL302;
use crate::check::framing::SL001;
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Severity, Stage, Subject};
use crate::model::content_free;
use crate::record::Json;

/// Unknown types beyond this many are not reported one by one: nobody invents so many.
const MOST_TYPES: usize = 32;

/// SL302 about `record`: the loaders cannot use what stands, or does not stand, at `field_path`.
pub(super) fn field(
    record: &Record<'_>,
    variant: &'static str,
    severity: Severity,
    field_path: &'static str,
) -> Finding {
    use sha2::{Digest, Sha256};
    let mut finding = Finding::new(&SL302, Stage::Reading);
    finding.variant = variant;
    finding.severity = severity;
    finding.line = Some(record.line);
    finding.location = record.location;
    let evidence = &mut finding.evidence;
    evidence.insert("byte_offset".into(), record.offset.into());
    evidence.insert("byte_end".into(), record.end.into());
    evidence.insert("record_ordinal".into(), record.ordinal.into());
    evidence.insert("field_path".into(), field_path.into());
    finding.subject = Subject { record: hex(&Sha256::digest(record.json.raw())), part: field_path.into() };
    finding
}

/// SL001 about the first record of a log that does not begin with its header.
pub(super) fn missing_header(record: &Record<'_>) -> Finding {
    let mut finding = field(record, "missing-header", SL001.severity, "type");
    (finding.rule, finding.repairability) = (&SL001, SL001.repairability);
    finding.subject = Subject { record: String::new(), part: "header".into() };
    finding
}

/// Types that were reported, once each: worth knowing, because a newer loader may understand them.
#[derive(Debug, Default)]
pub(super) struct UnknownTypes(BTreeSet<String>);

impl UnknownTypes {
    /// Reports the type `value` at `field_path` unless it was reported before.
    pub(super) fn note(
        &mut self,
        record: &Record<'_>,
        field_path: &'static str,
        value: Option<Json<'_>>,
        sink: &mut dyn Sink,
    ) {
        let word = value.and_then(Json::as_str).unwrap_or_default();
        if self.0.len() >= MOST_TYPES || !self.0.insert(format!("{field_path}={word}")) {
            return;
        }
        let mut finding = field(record, "unknown-type", Severity::Info, field_path);
        let (shown, masked) = value.map_or(("<NoneType>".into(), true), |value| content_free::echo(&value.to_value()));
        finding.evidence.insert("type_value".into(), shown.into());
        if masked {
            finding.evidence.insert("type_truncated".into(), true.into());
        }
        finding.subject = Subject { record: String::new(), part: format!("{field_path}={word}") };
        sink.finding(finding);
    }
}
