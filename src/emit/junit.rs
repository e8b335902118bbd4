//! JUnit XML: a suite for each file, a failed case for each finding that fails the gate. The rest goes to the suite's
//! output. A file without failure is one passed case; one in which there is nothing to judge is skipped, and one that
//! cannot be read is an error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::escape::markup;
use super::{Options, wording};
use crate::finding::Finding;
use crate::report::Report;
use crate::report::verdict::Verdict;

/// What one suite holds.
struct Suite {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    text: String,
}

/// One document, without times, so that equal input gives equal bytes.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let suites: Vec<Suite> =
        if reports.is_empty() { vec![nothing()] } else { reports.iter().map(|r| suite(r, options)).collect() };
    let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sesslint\" tests=\"{}\" failures=\"{}\" \
         errors=\"{}\" skipped=\"{}\" time=\"0\">",
        sum(|s| s.tests),
        sum(|s| s.failures),
        sum(|s| s.errors),
        sum(|s| s.skipped)
    )?;
    for suite in &suites {
        out.write_all(suite.text.as_bytes())?;
    }
    writeln!(out, "</testsuites>")
}

fn nothing() -> Suite {
    let case = "    <testcase name=\"files\" classname=\"sesslint\" time=\"0\">\n      \
                <skipped message=\"No session file was checked.\"/>\n    </testcase>\n";
    framed("sesslint", [1, 0, 0, 1], case)
}

fn suite(report: &Report, options: &Options) -> Suite {
    let (failing, passing): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|f| options.gate.fails(f));
    let class = markup(wording::split_extension(&report.path).0);
    let mut body = String::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &failing {
        let mut name = format!("{} {}", finding.code(), wording::spot(&finding.location));
        let number = names.entry(name.clone()).or_default();
        *number += 1;
        if *number > 1 {
            let _ = write!(name, " ({number})");
        }
        body.push_str(&failure(report, finding, &name, &class));
    }
    let skipped = failing.is_empty() && report.verdict() == Verdict::Inconclusive;
    if failing.is_empty() {
        let _ = write!(
            body,
            "    <testcase name=\"integrity\" classname=\"{class}\" file=\"{}\" time=\"0\"",
            markup(&report.path)
        );
        body.push_str(if skipped {
            ">\n      <skipped message=\"There is nothing to judge in this file.\"/>\n    </testcase>\n"
        } else {
            "/>\n"
        });
    }
    if !passing.is_empty() {
        let lines: Vec<String> = passing.iter().map(|f| markup(&one_line(report, f))).collect();
        let _ = writeln!(body, "    <system-out>{}</system-out>", lines.join("\n"));
    }
    let tests = failing.len().max(1);
    let errors = failing.iter().filter(|finding| is_unread(finding)).count();
    framed(&report.path, [tests, failing.len() - errors, errors, usize::from(skipped)], &body)
}

fn framed(name: &str, [tests, failures, errors, skipped]: [usize; 4], body: &str) -> Suite {
    let text = format!(
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" \
         time=\"0\">\n{body}  </testsuite>\n",
        markup(name)
    );
    Suite { tests, failures, errors, skipped, text }
}

/// Whether the test could not be made at all: that is no failure of the file.
fn is_unread(finding: &Finding) -> bool {
    finding.variant == "unreadable-file"
}

fn failure(report: &Report, finding: &Finding, name: &str, class: &str) -> String {
    let line = finding.location.line.map(|line| format!(" line=\"{line}\"")).unwrap_or_default();
    let mut lines = vec![
        wording::place(&report.path, &finding.location),
        format!("{}{}", wording::why(finding), wording::record(finding)),
        wording::fix(report, finding),
    ];
    lines.extend(wording::consequences(finding).iter().map(|c| format!("Leads to {c}")));
    let lines: Vec<String> = lines.iter().map(|l| markup(l)).collect();
    let element = if is_unread(finding) { "error" } else { "failure" };
    format!(
        "    <testcase name=\"{}\" classname=\"{class}\" file=\"{}\"{line} time=\"0\">\n      \
         <{element} message=\"{}\" type=\"{}\">{}</{element}>\n    </testcase>\n",
        markup(name),
        markup(&report.path),
        markup(finding.text().what),
        finding.code(),
        lines.join("\n")
    )
}

fn one_line(report: &Report, finding: &Finding) -> String {
    format!(
        "{}: {} {} {}: {}",
        wording::place(&report.path, &finding.location),
        finding.severity.as_str(),
        finding.code(),
        finding.rule.name,
        wording::why(finding)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::{Format, samples};
    use crate::report::gate::Gate;

    #[test]
    fn suites_of_several_files() {
        let reports = [samples::clean(), samples::broken(), samples::hostile(), samples::document(), samples::empty()];
        insta::assert_snapshot!("junit", samples::text(Format::Junit, &reports));
        insta::assert_snapshot!("junit_nothing", samples::text(Format::Junit, &[]));
    }

    #[test]
    fn the_gate_decides_what_fails() {
        for (fail_on, only_new, failures) in [
            (None, false, 0),
            (Some(crate::finding::Severity::Fatal), false, 1),
            (Some(crate::finding::Severity::Error), true, 3),
            (Some(crate::finding::Severity::Info), false, 7),
        ] {
            let options = Options { gate: Gate { fail_on, only_new, max_findings: None }, ..Options::default() };
            let text = samples::text_with(Format::Junit, &[samples::broken()], &options);
            assert_eq!(text.matches("<failure ").count(), failures);
            assert!(text.contains(&format!("tests=\"{}\" failures=\"{failures}\"", failures.max(1))));
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let report =
            crate::report::unreadable::unreadable("a.jsonl", None, None, "denied", &crate::rule::profile::NEUTRAL);
        let text = samples::text(Format::Junit, &[report]);
        assert_eq!(text.matches("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\"").count(), 2, "{text}");
        assert_eq!((text.matches("<error ").count(), text.matches("<failure ").count()), (1, 0));
    }

    #[test]
    fn equal_places_get_different_names() {
        let mut report = samples::broken();
        report.findings = vec![samples::at(&samples::ORPHAN, 3); 3];
        let text = samples::text(Format::Junit, &[report]);
        for name in ["\"SL101 line 3\"", "\"SL101 line 3 (2)\"", "\"SL101 line 3 (3)\""] {
            assert_eq!(text.matches(name).count(), 1);
        }
    }
}
