//! GitLab Code Quality: an array of issues. The service compares it with that of the target branch by fingerprint, so
//! fingerprints are the lasting ids, made unique within the file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::visible;
use super::{ascii, wording};
use crate::finding::{Finding, Severity};
use crate::report::Report;

/// All findings; an empty array when there is none.
pub(super) fn write(reports: &[Report], out: &mut dyn Write) -> io::Result<()> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let issues: Vec<Value> = reports
        .iter()
        .flat_map(|report| report.findings.iter().map(move |finding| (report, finding)))
        .map(|(report, finding)| {
            let number = seen.entry(&finding.stable_id).or_default();
            *number += 1;
            let id = &finding.stable_id;
            issue(report, finding, if *number > 1 { format!("{id}-{number}") } else { id.clone() })
        })
        .collect();
    ascii::write_document(&issues, out)
}

fn issue(report: &Report, finding: &Finding, fingerprint: String) -> Value {
    let mut description =
        format!("{} {}: {}{}", finding.code(), finding.rule.name, wording::why(finding), wording::record(finding));
    if let Some(item) = finding.location.item {
        description.push_str(&format!(" At item {item}."));
    }
    for consequence in wording::consequences(finding) {
        description.push_str(&format!(" Leads to {consequence}."));
    }
    // The path must be relative; a file outside the repository is named, though not linked.
    let path = report.repo_path.as_deref().unwrap_or(&report.minimised_path);
    json!({
        "description": visible(&description),
        "check_name": finding.code(),
        "fingerprint": fingerprint,
        "severity": severity(finding.severity),
        "location": {"path": path, "lines": {"begin": finding.location.line.unwrap_or(1)}},
    })
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Fatal => "critical",
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::emit::{Format, samples};

    #[test]
    fn issues_of_several_files() {
        let reports = [samples::broken(), samples::hostile(), samples::document()];
        insta::assert_snapshot!("gitlab", samples::text(Format::Gitlab, &reports));
        assert_eq!(samples::text(Format::Gitlab, &[samples::clean()]), "[]\n");
    }

    #[test]
    fn fingerprints_are_unique_and_paths_relative() {
        let mut outside = samples::broken();
        outside.repo_path = None;
        let reports = [samples::many(100), samples::document(), samples::broken(), outside];
        let issues: Vec<Value> = serde_json::from_str(&samples::text(Format::Gitlab, &reports)).unwrap();
        let prints: BTreeSet<&str> = issues.iter().filter_map(|i| i["fingerprint"].as_str()).collect();
        assert_eq!((issues.len(), prints.len()), (117, 117));
        assert!(issues.iter().all(|i| i["location"]["path"].as_str().is_some_and(|p| !p.starts_with('/'))));
    }
}
