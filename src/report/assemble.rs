//! Puts a report together: identities, order, counts, assurance, coverage.

use std::collections::{BTreeMap, HashMap};

use super::{Assurance, Counts, Coverage, Detection, Report, SkipReason};
use crate::adapter::Format;
use crate::check::REQUEST_RULES;
use crate::finding::fingerprint::{Origin, fingerprint, stable_id};
use crate::finding::{Finding, Severity};
use crate::model::outline::Outline;
use crate::rule::profile::Profile;
use crate::rule::selection::Selection;
use crate::rule::{Family, RULES, Rule};
use crate::source::path::{minimise, stem};

/// What is known about a file when its report is assembled.
#[derive(Debug)]
pub struct Parts<'a> {
    /// Cleaned path as given.
    pub path: &'a str,
    /// Path from the repository's root.
    pub repo_path: Option<String>,
    /// Home folder, for shortening paths.
    pub home: Option<&'a str>,
    /// SHA-256 of the bytes, hex.
    pub sha256: String,
    /// Number of bytes.
    pub size: u64,
    /// The format, none when it could not be told.
    pub format: Option<&'static Format>,
    /// How it was found.
    pub detection: Detection,
    /// The profile used.
    pub profile: &'static Profile,
    /// Records read.
    pub records: usize,
    /// Events made of them.
    pub events: usize,
    /// Events of each kind.
    pub kinds: BTreeMap<&'static str, usize>,
    /// A second reading of the re-serialised events gave the same events.
    pub reconstructed: bool,
    /// Relations were not checked, since the version is not supported.
    pub is_gated: bool,
    /// All findings, in any order.
    pub findings: Vec<Finding>,
    /// The session drawn small.
    pub outline: Option<Outline>,
    /// Which findings are reported.
    pub selection: &'a Selection,
}

/// Assembles the report of one file.
#[must_use]
pub fn assemble(parts: Parts<'_>) -> Report {
    let origin = Origin {
        format: parts.format.map_or("unknown", |f| f.id),
        format_version: parts.format.map_or("unknown", |f| f.version),
        profile: parts.profile.id,
        profile_version: parts.profile.version,
        path: parts.path,
    };
    let mut findings = parts.findings;
    identify(&mut findings, &origin);
    let mut findings = selected(findings, parts.selection);
    sort(&mut findings);
    let counts = Counts::of(&findings);
    let assurance = assurance(parts.format.is_some() && parts.events > 0, &findings, &counts, parts.reconstructed);
    Report {
        path: parts.path.to_owned(),
        minimised_path: minimise(parts.path, parts.home),
        repo_path: parts.repo_path,
        session_id: stem(parts.path),
        source_fingerprint: parts.sha256,
        source_size: parts.size,
        format: parts.format.map_or("unknown", |f| f.id),
        format_name: parts.format.map_or("unknown", |f| f.name),
        format_version: parts.format.map_or("unknown", |f| f.version),
        detection: parts.detection,
        profile: parts.profile,
        records: parts.records,
        events: parts.events,
        kinds: parts.kinds,
        counts,
        assurance,
        coverage: coverage(parts.format.is_some(), parts.events > 0, parts.is_gated, parts.profile),
        findings,
        outline: parts.outline,
    }
}

/// Gives every finding and consequence its two identities. Occurrences of one subject are numbered in file order.
fn identify(findings: &mut [Finding], origin: &Origin<'_>) {
    let mut rows: Vec<(u64, &mut Finding)> =
        findings.iter_mut().map(|f| (f.location.byte_start.unwrap_or(0), f)).collect();
    rows.sort_by_key(|row| row.0);
    let mut seen: HashMap<(&'static str, String, String), usize> = HashMap::new();
    let mut number = |finding: &mut Finding| {
        if finding.fingerprint.is_empty() {
            finding.fingerprint = fingerprint(finding, origin);
        }
        let key = (finding.code(), finding.subject.record.clone(), finding.subject.part.clone());
        let occurrence = seen.entry(key).or_insert(0);
        finding.stable_id = stable_id(finding, origin.format, *occurrence);
        *occurrence += 1;
    };
    for (_, finding) in rows {
        number(finding);
        finding.consequences.iter_mut().for_each(&mut number);
    }
}

/// The findings that are reported. What follows from one that is not stands on its own: ignoring a cause must not hide
/// its consequences.
fn selected(findings: Vec<Finding>, selection: &Selection) -> Vec<Finding> {
    let mut kept = Vec::with_capacity(findings.len());
    for mut finding in findings {
        finding.consequences.retain(|consequence| selection.reports(consequence.code()));
        if selection.reports(finding.code()) {
            kept.push(finding);
        } else {
            kept.append(&mut finding.consequences);
        }
    }
    kept
}

/// Report order: line (none first), ordinal, severity, code, record id, fingerprint, related ids.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let ordinal = |f: &Finding| f.evidence.get("record_ordinal").and_then(serde_json::Value::as_u64);
        (a.line, ordinal(a))
            .cmp(&(b.line, ordinal(b)))
            .then_with(|| b.severity.cmp(&a.severity))
            .then_with(|| a.code().cmp(b.code()))
            .then_with(|| a.record_id.as_deref().unwrap_or("").cmp(b.record_id.as_deref().unwrap_or("")))
            .then_with(|| a.fingerprint.cmp(&b.fingerprint))
            .then_with(|| a.related.cmp(&b.related))
            .then_with(|| a.repairability.cmp(&b.repairability))
    });
}

fn assurance(has_events: bool, findings: &[Finding], counts: &Counts, reconstructed: bool) -> Assurance {
    let unreadable = findings.iter().any(|f| matches!(f.code(), "SL001" | "SL002") && f.severity > Severity::Warning);
    if !has_events || unreadable {
        Assurance::A0
    } else if counts.failing() > 0 {
        Assurance::A1
    } else if counts.warning > 0 {
        Assurance::A2
    } else if reconstructed {
        Assurance::A4
    } else {
        Assurance::A3
    }
}

/// The reference program's twenty checks and five families; rules of ours run whenever a format was found.
const READING: [&str; 4] = ["SL001", "SL002", "SL301", "SL302"];
const FAMILIES: [&str; 5] = ["checkpoint", "graph", "identity", "tool_pairing_1", "tool_pairing_2"];
const OVER_EVENTS: [&str; 16] = [
    "SL003", "SL004", "SL005", "SL006", "SL007", "SL101", "SL102", "SL103", "SL104", "SL105", "SL106", "SL107",
    "SL108", "SL201", "SL202", "SL203",
];

fn coverage(has_format: bool, has_events: bool, is_gated: bool, profile: &Profile) -> Coverage {
    let mut performed = Vec::new();
    let mut skipped = Vec::new();
    if !has_format {
        skipped.extend(READING.into_iter().chain(OVER_EVENTS).map(|c| (c, SkipReason::AdapterNotApplicable)));
    } else {
        let rest = OVER_EVENTS.into_iter().chain(FAMILIES);
        performed.extend(READING.iter().filter(|&&code| !(is_gated && code == "SL301")));
        skipped.extend(is_gated.then_some(("SL301", SkipReason::VersionGated)));
        match (has_events, is_gated) {
            (false, _) => skipped.extend(rest.map(|c| (c, SkipReason::EmptyInput))),
            (true, true) => skipped.extend(rest.map(|c| (c, SkipReason::VersionGated))),
            (true, false) => performed.extend(rest),
        }
    }
    performed.sort_unstable();
    skipped.sort_unstable();
    let known = |code: &str| READING.contains(&code) || OVER_EVENTS.contains(&code);
    let asked = |code: &str| profile.request.is_some() || !REQUEST_RULES.iter().any(|rule| rule.code == code);
    // A file alone does not tell whether it lies where it should.
    let ran = |rule: &&&Rule| has_format && !known(rule.code) && rule.family != Family::Place && asked(rule.code);
    let additional = RULES.iter().filter(ran).map(|rule| rule.code).collect();
    Coverage { performed, skipped, additional }
}
