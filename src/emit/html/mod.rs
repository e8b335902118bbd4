//! One page for a person: verdict, files, and for each file that is not well a strip of its records with the broken
//! places marked and the findings beside it. The page needs no script and fetches nothing.

mod strip;

use std::fmt::Write as _;
use std::io::{self, Write};

use super::escape::markup;
use super::fold::{Row, fold};
use super::{Options, wording};
use crate::finding::{Finding, Standing};
use crate::report::Report;
use crate::report::verdict::Verdict;

const STYLE: &str = include_str!("style.css");

/// The page.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>sesslint report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )?;
    write_head(reports, out)?;
    for (index, report) in reports.iter().enumerate().filter(|(_, r)| deserves_section(r)) {
        write_file(index, report, out)?;
    }
    writeln!(out, "<footer>sesslint {}</footer>\n</body>\n</html>", markup(options.tool_version))
}

fn deserves_section(report: &Report) -> bool {
    !report.findings.is_empty() || report.verdict() == Verdict::Inconclusive
}

fn write_head(reports: &[Report], out: &mut dyn Write) -> io::Result<()> {
    let (verdict, sentence) = wording::outcome(reports);
    writeln!(out, "<header>\n<h1>Session report</h1>\n<p class=\"verdict {}\">{sentence}.</p>", class(verdict))?;
    if reports.is_empty() {
        return writeln!(out, "</header>");
    }
    writeln!(out, "<p>{}: {}.</p>\n</header>", wording::count(reports.len(), "file"), wording::totals(reports))?;
    writeln!(
        out,
        "<div class=\"wide\">\n<table>\n<thead><tr><th>File<th>Format<th>Verdict<th class=\"n\">Errors<th class=\"n\">Warnings\
         <th class=\"n\">Info<th class=\"n\">Records</tr></thead>\n<tbody>"
    )?;
    for (index, report) in reports.iter().enumerate() {
        let path = markup(&report.path);
        let path = if deserves_section(report) { format!("<a href=\"#f{index}\">{path}</a>") } else { path };
        writeln!(
            out,
            "<tr><td class=\"path\">{path}<td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}</tr>",
            markup(report.format_name),
            badge(report.verdict()),
            report.counts.failing(),
            report.counts.warning,
            report.counts.info,
            report.records
        )?;
    }
    writeln!(out, "</tbody>\n</table>\n</div>")
}

fn write_file(index: usize, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<section id=\"f{index}\">\n<h2 class=\"path\">{}</h2>\n<p>{} {}.</p>\n\
         <p class=\"facts\">{}, {}, {}. Profile {}. Assurance {}: {}<br>SHA-256 {}</p>",
        markup(&report.path),
        badge(report.verdict()),
        report.verdict().phrase(),
        markup(report.format_name),
        wording::count(report.records, "record"),
        wording::count(report.events, "event"),
        report.profile.id,
        report.assurance.as_str(),
        report.assurance.limitation(),
        markup(&report.source_fingerprint),
    )?;
    writeln!(out, "<div class=\"beside\">\n{}\n<div>", strip::draw(index, report))?;
    for row in fold(&report.findings) {
        match row {
            Row::One(number, finding) => out.write_all(article(&anchor(index, number), report, finding).as_bytes())?,
            Row::More(rest) => writeln!(
                out,
                "<p class=\"more\">{} more of {} {}: {}</p>",
                rest.len(),
                rest[0].code(),
                markup(rest[0].rule.name),
                wording::places(&rest)
            )?,
        }
    }
    writeln!(out, "</div>\n</div>\n</section>")
}

fn article(anchor: &str, report: &Report, finding: &Finding) -> String {
    let text = finding.text();
    let mut out = format!(
        "<article id=\"{anchor}\" class=\"{}\">\n<h3>{} {}</h3>\n<p class=\"facts\">{} · {} · {}{}{}</p>\n",
        finding.severity.as_str(),
        finding.code(),
        markup(finding.rule.name),
        wording::spot(&finding.location),
        finding.severity.as_str(),
        finding.repairability.as_str(),
        if finding.standing == Some(Standing::Known) { " · known" } else { "" },
        markup(&wording::record(finding)),
    );
    for paragraph in [text.what, text.consequence].into_iter().filter(|p| !p.is_empty()) {
        let _ = writeln!(out, "<p>{}</p>", markup(paragraph));
    }
    let consequences = wording::consequences(finding);
    if !consequences.is_empty() {
        let items: String = consequences.iter().map(|c| format!("<li>{}</li>", markup(c))).collect();
        let _ = writeln!(out, "<p>Leads to:</p>\n<ul>{items}</ul>");
    }
    let _ = writeln!(out, "<p><strong>Next:</strong> {}</p>", markup(text.next));
    if let Some(command) = wording::repair_command(&report.path, finding.repairability) {
        let _ = writeln!(out, "<pre>{}</pre>", markup(&command));
    }
    out + "</article>\n"
}

/// The anchor of a file's finding.
fn anchor(file: usize, finding: usize) -> String {
    format!("f{file}-{finding}")
}

fn badge(verdict: Verdict) -> String {
    format!("<span class=\"badge {}\">{}</span>", class(verdict), verdict.as_str())
}

const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Healthy => "healthy",
        Verdict::Warnings => "warning",
        Verdict::Invalid => "error",
        Verdict::Inconclusive => "inconclusive",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::{Format, samples};

    #[test]
    fn page_of_several_files() {
        let reports = [samples::clean(), samples::broken(), samples::hostile(), samples::document(), samples::empty()];
        let page = samples::text(Format::Html, &reports).replace(STYLE, "");
        insta::assert_snapshot!("html", page);
    }

    #[test]
    fn nothing_is_fetched_and_no_script_survives() {
        for report in samples::all() {
            let page = samples::text(Format::Html, &[report]);
            for word in ["<script", "http://", "https://", "src=", "url(", "@import", "javascript:"] {
                assert!(!page.contains(word), "{word}");
            }
            assert_eq!(page.matches("<section").count(), page.matches("</section>").count());
        }
        assert!(samples::text(Format::Html, &[]).contains("No session file was checked."));
    }

    #[test]
    fn the_strip_leads_to_findings_that_are_there() {
        for report in samples::all() {
            let page = samples::text(Format::Html, &[report]);
            for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert_eq!(page.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
            }
        }
    }

    #[test]
    fn ten_thousand_findings_make_a_small_page() {
        assert!(samples::text(Format::Html, &[samples::many(10_000)]).len() < 100_000);
    }
}
