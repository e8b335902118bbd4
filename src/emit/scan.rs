//! A scan of a tree: the document `sesslint.scan-report/v1` and its text; other formats print the reports it holds.
//!
//! Added to a file's object: `source_path`, `repo_path`, `format`, `profile`, `error`, `assurance`, `source_fingerprint`, `size`, `records`, `events`.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::inert;
use super::{Format, Options, ascii, count, json as json_report, wording};
use crate::finding::{Finding, Severity, Standing};
use crate::report::Report;
use crate::scan::{Bucket, Outcome, Row, Scan};

/// Writes a scan.
///
/// # Errors
/// Only those of `out`.
pub fn write_scan(format: Format, scan: &Scan, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => ascii::write_document(&document(scan, options), out),
        Format::Human => text(scan, options, out),
        other => super::write(other, &all_reports(scan), options, out),
    }
}

fn document(scan: &Scan, options: &Options) -> Value {
    let mut totals: serde_json::Map<String, Value> =
        Bucket::ALL.iter().map(|b| (b.as_str().to_owned(), scan.count(*b).into())).collect();
    totals.insert("total".into(), scan.rows.len().into());
    let files: Vec<Value> = scan.rows.iter().map(|row| file(scan, row, options)).collect();
    let mut document = json!({
        "schema_version": "sesslint.scan-report/v1",
        "tool_version": options.tool_version,
        "root_path": scan.root,
        "totals": totals,
        "files": files,
    });
    if let Some((part, parts)) = scan.shard {
        document["shard"] = format!("{part}/{parts}").into();
    }
    document
}

fn file(scan: &Scan, row: &Row, options: &Options) -> Value {
    let mut object = json!({
        "path": row.minimised_path,
        "source_path": row.path,
        "verdict": scan.bucket(row).as_str(),
        "error_count": 0,
        "warning_count": 0,
    });
    if let Some(report) = scan.unreadable_report(row) {
        object["repo_path"] = report.repo_path.clone().into();
    }
    match &row.outcome {
        Outcome::Checked(index) => {
            let report = &scan.reports[*index];
            object["error_count"] = report.counts.failing().into();
            object["warning_count"] = report.counts.warning.into();
            object["repo_path"] = report.repo_path.clone().into();
            object["format"] = report.format.into();
            object["profile"] = report.profile.id.into();
            object["assurance"] = report.assurance.as_str().into();
            object["source_fingerprint"] = report.source_fingerprint.clone().into();
            object["size"] = report.source_size.into();
            object["records"] = report.records.into();
            object["events"] = report.events.into();
            if let Some(outline) = &report.outline {
                let (beats, lanes) = outline.text();
                let near: Vec<Value> =
                    outline.near.iter().map(|n| json!([n.position, n.place, n.beat.letter().to_string()])).collect();
                object["outline"] =
                    json!({"positions": outline.positions, "beats": beats, "lanes": lanes, "near": near});
            }
            if !report.findings.is_empty() {
                let findings: Vec<Value> =
                    report.findings.iter().map(|f| json_report::finding(f, report, None, options)).collect();
                object["findings"] = findings.into();
            }
        }
        Outcome::Skipped(skip) => object["skipped_reason"] = skip.as_str().into(),
        Outcome::Unreadable(what) => {
            object["error_count"] = 1.into();
            object["error"] = what.clone().into();
        }
        Outcome::BrokenLink => object["skipped_reason"] = "broken-symlink".into(),
    }
    object
}

/// How many skipped files are named; the rest are only counted.
const SKIPPED_NAMED: usize = 10;

fn text(scan: &Scan, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "[read-only] Scan report for: {}",
        inert(if scan.named_root.is_empty() { "." } else { &scan.named_root })
    )?;
    let totals: Vec<String> = Bucket::ALL.iter().map(|b| format!("{}={}", b.as_str(), scan.count(*b))).collect();
    writeln!(out, "Totals: {} (total={})", totals.join(" "), scan.rows.len())?;
    writeln!(out, "{}", "-".repeat(80))?;
    let mut skipped = 0;
    for row in &scan.rows {
        let bucket = scan.bucket(row);
        if bucket == Bucket::Skipped {
            skipped += 1;
            if skipped > SKIPPED_NAMED {
                continue;
            }
        }
        let tag = format!("[{}]", bucket.as_str().to_uppercase());
        let tag = format!("{tag:<20}");
        let ink = match bucket {
            Bucket::Healthy => 32,
            Bucket::Invalid | Bucket::Unreadable => 31,
            Bucket::Unsupported => 33,
            Bucket::Skipped => 1,
        };
        let tag = if options.colour { format!("\u{1b}[{ink}m{tag}\u{1b}[0m") } else { tag };
        writeln!(out, "  {tag} {}{}", inert(&row.path), detail(scan, row))?;
    }
    if skipped > SKIPPED_NAMED {
        writeln!(out, "  ... and {} more skipped", skipped - SKIPPED_NAMED)?;
    }
    for report in scan.reports.iter().filter(|r| r.counts.failing() + r.counts.warning > 0) {
        writeln!(out, "\nFile: {}", inert(&report.path))?;
        super::human::write_findings(report, options, out)?;
    }
    conclusion(scan, options, out)
}

/// The last line: what was found in all, and whether that fails the run.
fn conclusion(scan: &Scan, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let gate = &options.gate;
    let reports = all_reports(scan);
    let (_, sentence) = wording::outcome(&reports);
    let passed = match (options.decided, scan.passes(gate)) {
        (false, _) => "not decided",
        (true, true) => "passed",
        (true, false) => "failed",
    };
    let mut asked = format!("--fail-on {}", gate.fail_on.map_or("never", Severity::as_str));
    if gate.only_new {
        let new = |finding: &&Finding| finding.standing != Some(Standing::Known);
        let new = reports.iter().flat_map(|report| &report.findings).filter(new).count();
        asked.push_str(&format!(" --only-new, {}", wording::count(new, "new finding")));
    }
    if let Some(most) = gate.max_findings {
        asked.push_str(&format!(" --max-findings {most}"));
    }
    writeln!(out, "\n{sentence}: {}.\nGate: {passed} ({asked})", wording::totals(&reports))
}

/// The reports of the files that were checked and of those that could not be read, in one order.
fn all_reports(scan: &Scan) -> Cow<'_, [Report]> {
    if scan.unreadable.is_empty() {
        return Cow::Borrowed(&scan.reports);
    }
    let mut reports = [&*scan.reports, &*scan.unreadable].concat();
    reports.sort_by(|a, b| (&a.minimised_path, &a.path).cmp(&(&b.minimised_path, &b.path)));
    Cow::Owned(reports)
}

fn detail(scan: &Scan, row: &Row) -> String {
    match &row.outcome {
        Outcome::Checked(index) => {
            let report = &scan.reports[*index];
            match scan.bucket(row) {
                Bucket::Unsupported => " (unsupported format or version)".into(),
                Bucket::Invalid => {
                    let (errors, warnings) = (report.counts.failing(), report.counts.warning);
                    format!(" ({}, {})", count(errors, "error"), count(warnings, "warning"))
                }
                _ if report.counts.warning > 0 => format!(" ({})", count(report.counts.warning, "warning")),
                _ => String::new(),
            }
        }
        Outcome::Skipped(skip) => format!(" (reason: {})", skip.as_str()),
        Outcome::Unreadable(what) => format!(" (cannot be read: {})", inert(what)),
        Outcome::BrokenLink => " (cannot be read: the link leads nowhere)".into(),
    }
}
