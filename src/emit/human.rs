//! Text for people in a terminal or a log. The first lines keep a fixed skeleton that scripts may rely on; every text
//! that came from an input is made inert first.

use std::io::{self, Write};

use super::escape::inert;
use super::fold::{Row, fold};
use super::{Options, wording};
use crate::finding::{Finding, Severity, Standing};
use crate::report::Report;
use crate::report::verdict::{NextStep, Verdict};

/// Most consequences listed under one cause.
const CONSEQUENCES_LIMIT: usize = 5;

/// ANSI colours; bold is separate.
#[derive(Clone, Copy)]
enum Ink {
    Red = 31,
    Green = 32,
    Yellow = 33,
}

/// One report as it is; several with a summary line in front, and only those that are not healthy.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    if let [report] = reports {
        return write_report(report, options, out);
    }
    let worst = [Verdict::Invalid, Verdict::Inconclusive, Verdict::Warnings, Verdict::Healthy]
        .into_iter()
        .find(|&v| reports.iter().any(|r| r.verdict() == v));
    let Some(worst) = worst else {
        return writeln!(
            out,
            "[read-only] No session file was checked (verdict: inconclusive / files: H=0 I=0 U=0 R=0 S=0)"
        );
    };
    writeln!(
        out,
        "[read-only] {} ({})",
        phrase(&format!("{} files checked", reports.len()), worst, options),
        totals(reports, worst)
    )?;
    for report in reports.iter().filter(|r| r.verdict() != Verdict::Healthy || !r.findings.is_empty()) {
        writeln!(out, "\nFile: {}", inert(&report.path))?;
        write_report(report, options, out)?;
    }
    Ok(())
}

fn totals(reports: &[Report], verdict: Verdict) -> String {
    let files = |wanted: &[Verdict]| reports.iter().filter(|r| wanted.contains(&r.verdict())).count();
    format!(
        "verdict: {} / errors: {} / warnings: {} / files: H={} I={} U=0 R=0 S={}",
        verdict.as_str(),
        reports.iter().map(|r| r.counts.failing()).sum::<usize>(),
        reports.iter().map(|r| r.counts.warning).sum::<usize>(),
        files(&[Verdict::Healthy, Verdict::Warnings]),
        files(&[Verdict::Invalid]),
        files(&[Verdict::Inconclusive]),
    )
}

fn write_report(report: &Report, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let verdict = report.verdict();
    if matches!(verdict, Verdict::Healthy | Verdict::Warnings) {
        writeln!(out, "Valid {} session", report.format_name)?;
    }
    writeln!(
        out,
        "[read-only] {} ({} / profile: {} / adapter: {})",
        phrase(verdict.phrase(), verdict, options),
        totals(std::slice::from_ref(report), verdict),
        report.profile.id,
        report.format
    )?;
    writeln!(out, "Next Action: {}", next_action(report))?;
    let limitation = report.assurance.limitation();
    writeln!(out, "Assurance: {} - {limitation}", report.assurance.as_str())?;
    writeln!(out, "Limitation: {limitation}")?;
    writeln!(out, "Source fingerprint: {}", report.source_fingerprint)?;
    write_coverage(report, out)?;
    if !report.findings.is_empty() {
        writeln!(out, "\nFindings:")?;
    }
    write_findings(report, options, out)
}

/// The findings of a report, repeated ones folded.
pub(super) fn write_findings(report: &Report, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    for row in fold(&report.findings) {
        match row {
            Row::One(_, finding) => write_finding(report, finding, options, out)?,
            Row::More(rest) => writeln!(
                out,
                "  ... and {} more [{}] {}: {} (--json lists all)",
                rest.len(),
                rest[0].code(),
                rest[0].rule.name,
                wording::places(&rest)
            )?,
        }
    }
    Ok(())
}

fn write_coverage(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let coverage = &report.coverage;
    let performed = if coverage.performed.is_empty() { "none".into() } else { coverage.performed.join(", ") };
    writeln!(out, "Coverage: {} checks performed ({performed})", coverage.performed.len())?;
    if !coverage.additional.is_empty() {
        writeln!(out, "  {} more: {}", coverage.additional.len(), coverage.additional.join(", "))?;
    }
    if !coverage.skipped.is_empty() {
        let skipped: Vec<_> =
            coverage.skipped.iter().map(|(check, why)| format!("{check} ({})", why.words().0)).collect();
        writeln!(out, "  {} skipped: {}", skipped.len(), skipped.join(", "))?;
    }
    Ok(())
}

fn write_finding(report: &Report, finding: &Finding, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let ink = if finding.severity >= Severity::Error { Ink::Red } else { Ink::Yellow };
    writeln!(
        out,
        "  [{}] {} ({}, {}){}",
        finding.code(),
        paint(finding.rule.name, ink, options),
        finding.severity.as_str().to_uppercase(),
        finding.repairability.as_str(),
        if finding.standing == Some(Standing::Known) { " known" } else { "" }
    )?;
    let location = &finding.location;
    let bytes = match (location.byte_start, location.byte_end) {
        (Some(start), Some(end)) => format!(" (bytes {start}-{end})"),
        _ => String::new(),
    };
    let text = finding.text();
    let mut labelled = |label: &str, text: &str| writeln!(out, "    {label:<13}{}", inert(text));
    labelled("Span:", &format!("{}{bytes}", wording::place(&report.path, location)))?;
    labelled("Why:", &format!("{}{}", text.what, wording::record(finding)))?;
    if !text.consequence.is_empty() {
        labelled("", text.consequence)?;
    }
    labelled("Fix:", text.next)?;
    if let Some(command) = wording::repair_command(&report.path, finding.repairability) {
        labelled("", &command)?;
    }
    labelled("Fingerprint:", &finding.fingerprint)?;
    for (i, consequence) in finding.consequences.iter().take(CONSEQUENCES_LIMIT).enumerate() {
        labelled(if i == 0 { "Leads to:" } else { "" }, &wording::consequence(consequence))?;
    }
    if let Some(rest) = finding.consequences.get(CONSEQUENCES_LIMIT..).filter(|r| !r.is_empty()) {
        labelled("", &format!("and {} more: {}", rest.len(), wording::places(&rest.iter().collect::<Vec<_>>())))?;
    }
    Ok(())
}

fn next_action(report: &Report) -> String {
    let command = wording::next_command(report).unwrap_or_else(|| "sesslint repair".into());
    match report.next_step() {
        NextStep::Nothing => "nothing to do".into(),
        NextStep::Review => "read the warnings; the session can be resumed as it is".into(),
        NextStep::CheckInput => "make sure that this is a session log; no events were found in it".into(),
        NextStep::Repair => format!("mend what can be mended without loss: {command}"),
        NextStep::Salvage => {
            format!("mend it by giving up what the findings name: {command}")
        }
        NextStep::Inspect => match report.findings.iter().find(|f| f.severity >= Severity::Error) {
            Some(first) => format!(
                "look at {} (sesslint explain {}){}",
                inert(&wording::place(&report.path, &first.location)),
                first.code(),
                wording::trial(&report.path).map(|c| format!("; what a repair could do: {c}")).unwrap_or_default()
            ),
            None => "look at the findings".into(),
        },
    }
}

fn phrase(text: &str, verdict: Verdict, options: &Options) -> String {
    let ink = match verdict {
        Verdict::Invalid => Ink::Red,
        Verdict::Healthy => Ink::Green,
        Verdict::Warnings | Verdict::Inconclusive => Ink::Yellow,
    };
    if options.colour { format!("\u{1b}[1m{}", paint(text, ink, options)) } else { text.into() }
}

fn paint(text: &str, ink: Ink, options: &Options) -> String {
    if options.colour { format!("\u{1b}[{}m{text}\u{1b}[0m", ink as u8) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::{Format, samples};

    #[test]
    fn one_file() {
        for (name, report) in [
            ("clean", samples::clean()),
            ("broken", samples::broken()),
            ("hostile", samples::hostile()),
            ("document", samples::document()),
            ("many", samples::many(500)),
            ("empty", samples::empty()),
        ] {
            insta::assert_snapshot!(format!("human_{name}"), samples::text(Format::Human, &[report]));
        }
    }

    #[test]
    fn several_files_and_none() {
        let reports = [samples::clean(), samples::broken(), samples::empty()];
        insta::assert_snapshot!("human_several", samples::text(Format::Human, &reports));
        assert!(samples::text(Format::Human, &[]).contains("No session file was checked"));
    }

    #[test]
    fn colour_marks_verdict_and_names_only() {
        let options = Options { colour: true, ..Options::default() };
        let text = samples::text_with(Format::Human, &[samples::broken()], &options);
        assert!(text.contains("\u{1b}[1m\u{1b}[31mThe session will not replay as recorded\u{1b}[0m (verdict: invalid"));
        assert!(text.contains("[SL004] \u{1b}[31mMissing parent\u{1b}[0m (ERROR, manual)"));
        assert!(text.contains("[SL506] \u{1b}[33m"));
        let plain = text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        let plain = ["31", "32", "33"].iter().fold(plain, |t, n| t.replace(&format!("\u{1b}[{n}m"), ""));
        assert_eq!(plain, samples::text(Format::Human, &[samples::broken()]));
    }

    #[test]
    fn ten_thousand_findings_stay_short() {
        assert!(samples::text(Format::Human, &[samples::many(10_000)]).lines().count() < 60);
    }
}
