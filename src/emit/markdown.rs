//! A job summary or comment in GitHub-flavoured Markdown: verdict, totals, findings, what leads to what, commands. It never exceeds its limit, since
//! the service drops a larger one whole; rows that do not fit are counted.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::escape::{inert, longest_run, markdown_cell as cell, markdown_code as code};
use super::fold::{Row, fold};
use super::{Options, chart, rank, wording};
use crate::finding::{Finding, Severity, Standing};
use crate::report::Report;
use crate::report::verdict::Verdict;

/// What the service takes; our own limit lies below it.
const HARD_LIMIT: usize = 1_048_576;
/// Kept for the closing line.
const RESERVE: usize = 200;
/// Most commands listed.
const COMMANDS_LIMIT: usize = 20;

/// The document; nothing when not even its head fits.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let mut text = head(reports);
    if options.markdown_used + text.len() + RESERVE > HARD_LIMIT {
        return Ok(());
    }
    let room = options.markdown_limit.saturating_sub(options.markdown_used + RESERVE);
    // What to do next is worth more than the last rows, unless it takes the place of most of them.
    let next = Some(command_block(reports) + &codes_line(reports)).filter(|next| next.len() <= room / 2);
    let next = next.unwrap_or_default();
    let room = room - next.len();
    let mut rows: Vec<_> =
        reports.iter().flat_map(|r| fold(&r.findings).into_iter().map(move |row| (r, row))).collect();
    // The sort is stable: the rest of a kind stays behind those shown, and what is cut is the least urgent.
    rows.sort_by_key(|(_, row)| rank::urgency(row.first()));
    let mut missing = 0;
    let mut table = String::new();
    for (report, row) in rows {
        let line = row_text(report, &row);
        if missing == 0 && text.len() + TABLE_HEAD.len() + table.len() + line.len() <= room {
            table.push_str(&line);
        } else {
            missing += 1;
        }
    }
    if !table.is_empty() {
        text.push_str(TABLE_HEAD);
        text.push_str(&table);
    }
    let chart = chart_block(reports);
    if missing == 0 && text.len() + chart.len() <= room {
        text.push_str(&chart);
    }
    text.push_str(&next);
    if missing > 0 {
        let _ = writeln!(
            text,
            "\n{} not shown, for want of space. The JSON report holds all findings.",
            wording::count(missing, "row")
        );
    }
    out.write_all(text.as_bytes())
}

const TABLE_HEAD: &str =
    "\n| Severity | Where | Finding | What is wrong | What to do |\n| --- | --- | --- | --- | --- |\n";

fn head(reports: &[Report]) -> String {
    let number = |wanted: &[Verdict]| reports.iter().filter(|r| wanted.contains(&r.verdict())).count();
    let (verdict, sentence) = wording::outcome(reports);
    let mark = match verdict {
        Verdict::Invalid => "❌",
        Verdict::Inconclusive | Verdict::Warnings => "⚠️",
        Verdict::Healthy => "✅",
    };
    let sum = |of: fn(&Report) -> usize| reports.iter().map(of).sum::<usize>();
    let mut text = format!("## sesslint: {mark} {sentence}\n");
    if !reports.is_empty() {
        let _ = write!(
            text,
            "\n| Files | Valid | Invalid | Nothing to judge | Errors | Warnings | Info |\n\
             | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n| {} | {} | {} | {} | {} | {} | {} |\n",
            reports.len(),
            number(&[Verdict::Healthy, Verdict::Warnings]),
            number(&[Verdict::Invalid]),
            number(&[Verdict::Inconclusive]),
            sum(|r| r.counts.failing()),
            sum(|r| r.counts.warning),
            sum(|r| r.counts.info),
        );
    }
    text
}

fn row_text(report: &Report, row: &Row<'_>) -> String {
    match row {
        Row::One(_, finding) => one(report, finding),
        Row::More(rest) => format!(
            "| | {} | {} {} | {} more: {} | |\n",
            code(&report.path),
            rest[0].code(),
            cell(rest[0].rule.name),
            rest.len(),
            wording::places(rest)
        ),
    }
}

fn one(report: &Report, finding: &Finding) -> String {
    let mut what = cell(&wording::why(finding));
    if let Some(id) = wording::record_id(finding) {
        let _ = write!(what, " (record {})", code(&id));
    }
    for consequence in wording::consequences(finding) {
        let _ = write!(what, "<br>→ {}", cell(&consequence));
    }
    let next = cell(finding.text().next);
    let known = if finding.standing == Some(Standing::Known) { " (known)" } else { "" };
    format!(
        "| {}{known} | {} | **{}** {} | {what} | {next} |\n",
        severity(finding.severity),
        code(&inert(&wording::place(&report.path, &finding.location))),
        finding.code(),
        cell(finding.rule.name),
    )
}

/// The broken neighbourhood of one file: the first of those where one finding leads to others, else of the worst.
fn chart_block(reports: &[Report]) -> String {
    let tells = |r: &&Report| {
        let leads = r.findings.iter().any(|f| !f.consequences.is_empty());
        (!leads, r.findings.iter().map(rank::urgency).min())
    };
    let broken = reports.iter().filter(|r| !r.findings.is_empty()).min_by_key(tells);
    broken
        .and_then(|report| chart::draw(report).map(|chart| (report, chart)))
        .map_or_else(String::new, |(report, chart)| {
            format!("\n### Where it broke: {}\n\n```mermaid\n{chart}```\n", code(&report.path))
        })
}

/// The commands that mend what can be mended, one a line.
fn command_block(reports: &[Report]) -> String {
    let commands: Vec<String> = reports.iter().filter_map(wording::next_command).collect();
    let listed = commands[..commands.len().min(COMMANDS_LIMIT)].join("\n");
    let more = match commands.len() - commands.len().min(COMMANDS_LIMIT) {
        0 => String::new(),
        more => format!("\nAnd so on for {more} more.\n"),
    };
    if commands.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&listed).max(2) + 1);
    format!("\n### To mend what can be mended\n\n{fence}sh\n{listed}\n{fence}\n{more}")
}

/// Where the codes are explained, when there is one to explain.
fn codes_line(reports: &[Report]) -> String {
    let entries = rank::ranked(reports);
    let Some((_, first)) = entries.first() else { return String::new() };
    format!(
        "\nWhat a code means: `sesslint explain {}`, or [the pages of all codes]({}/tree/main/docs/codes).\n",
        first.code(),
        env!("CARGO_PKG_REPOSITORY")
    )
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Fatal => "🛑 fatal",
        Severity::Error => "❌ error",
        Severity::Warning => "⚠️ warning",
        Severity::Info => "ℹ️ info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::{Format, samples};

    #[test]
    fn summaries() {
        let reports = [samples::clean(), samples::broken(), samples::hostile(), samples::many(500), samples::empty()];
        insta::assert_snapshot!("markdown", samples::text(Format::Markdown, &reports));
    }

    #[test]
    fn each_outcome_has_its_verdict() {
        let verdict = |reports: &[Report]| samples::text(Format::Markdown, reports).lines().next().unwrap().to_owned();
        assert_eq!(verdict(&[]), "## sesslint: ⚠️ No session file was checked");
        assert_eq!(verdict(&[samples::clean()]), "## sesslint: ✅ 1 session file checked");
        assert_eq!(verdict(&[samples::empty()]), "## sesslint: ⚠️ There was nothing to judge");
        assert_eq!(
            verdict(&[samples::clean(), samples::broken()]),
            "## sesslint: ❌ 1 of 2 session files will not replay"
        );
    }

    #[test]
    fn rows_keep_their_columns() {
        for report in samples::all() {
            let text = samples::text(Format::Markdown, &[report]);
            for row in text.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| ---")) {
                let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
                assert!(bars == 6 || bars == 8, "{row}");
            }
        }
    }

    #[test]
    fn the_limit_is_kept_whatever_stands_before() {
        let reports: Vec<Report> = (0..3_000).map(|_| samples::broken()).collect();
        for (used, shown) in [(0, true), (500_000, true), (921_600, false), (1_048_000, false)] {
            let options = Options { markdown_used: used, ..Options::default() };
            let text = samples::text_with(Format::Markdown, &reports, &options);
            assert!(used + text.len() <= 1_048_576);
            assert_eq!(text.contains("**SL005**"), shown, "{used}");
            assert_eq!(text.contains("sesslint explain"), shown, "what to do next is kept");
            assert!(text.ends_with(" not shown, for want of space. The JSON report holds all findings.\n"));
        }
        let options = Options { markdown_used: 1_048_500, ..Options::default() };
        assert_eq!(samples::text_with(Format::Markdown, &reports, &options), "");
    }
}
