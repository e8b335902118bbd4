//! Workflow commands that a runner turns into annotations: within its budget, the most urgent findings first, and a
//! note on what was left out. Text from inputs cannot form a command.

use std::io::{self, Write};

use super::escape::{command_data, command_property, inert};
use super::rank::{Entry, ranked};
use super::{Options, wording};
use crate::finding::Severity;
use crate::report::Report;
use crate::report::verdict::Verdict;

/// Characters of a message; the runner cuts at 4,096.
const MESSAGE_LIMIT: usize = 3_500;

/// The commands, one a line.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    if reports.is_empty() {
        return writeln!(out, "::warning title=sesslint::No session file was checked.");
    }
    let mut notes: Vec<String> = Vec::new();
    for report in reports.iter().filter(|r| r.verdict() == Verdict::Inconclusive && r.findings.is_empty()) {
        let text = format!("{} {}", inert(&report.path), "holds no events: nothing can be concluded about it.");
        notes.push(command("notice", &location(report, None, None), "Nothing to judge", &text));
    }
    let entries = ranked(reports);
    let of = |name: &str| entries.iter().filter(|(_, f)| command_name(f.severity) == name).collect::<Vec<_>>();
    let (errors, warnings, notices) = (of("error"), of("warning"), of("notice"));
    let budget = options.annotations;
    let surplus = |number: usize, room: usize| number.saturating_sub(room);
    let all_fit = errors.len() <= budget.errors
        && warnings.len() <= budget.warnings
        && notices.len() + notes.len() <= budget.notices;
    let room = if all_fit { budget.notices } else { budget.notices.saturating_sub(1) };
    for entry in errors.iter().take(budget.errors).chain(warnings.iter().take(budget.warnings)) {
        writeln!(out, "{}", annotation(entry))?;
    }
    notes.splice(0..0, notices.iter().map(|entry| annotation(entry)));
    for note in notes.iter().take(room) {
        writeln!(out, "{note}")?;
    }
    if !all_fit && budget.notices > 0 {
        let text = format!(
            "Not annotated, as a step may have only so many annotations: {}, {}, {}. The other reports of this run list all.",
            wording::count(surplus(errors.len(), budget.errors), "error"),
            wording::count(surplus(warnings.len(), budget.warnings), "warning"),
            wording::count(surplus(notes.len(), room), "notice"),
        );
        writeln!(out, "{}", command("notice", "", "More findings", &text))?;
    }
    Ok(())
}

fn annotation((report, finding): &Entry<'_>) -> String {
    let mut lines = vec![format!("{}{}", wording::why(finding), inert(&wording::record(finding)))];
    lines.push(finding.text().next.to_owned());
    if report.repo_path.is_none() || finding.location.item.is_some() {
        lines.push(format!("At {}", inert(&wording::place(&report.path, &finding.location))));
    }
    lines.extend(wording::consequences(finding).iter().map(|c| format!("Leads to {c}")));
    let title = format!("{} {}", finding.code(), finding.rule.name);
    let place = location(report, finding.location.line, finding.location.column);
    command(command_name(finding.severity), &place, &title, &lines.join("\n"))
}

/// `file=..,line=..,`: nothing for a file outside the repository or a name that would not survive the log.
fn location(report: &Report, line: Option<u64>, column: Option<u64>) -> String {
    let Some(path) = report.repo_path.as_deref().filter(|path| inert(path) == *path) else {
        return String::new();
    };
    let mut text = format!("file={},", command_property(path));
    if let Some(line) = line {
        text.push_str(&format!("line={line},endLine={line},"));
        if let Some(column) = column.filter(|&c| c > 1) {
            text.push_str(&format!("col={column},"));
        }
    }
    text
}

fn command(name: &str, location: &str, title: &str, text: &str) -> String {
    let text: String = text.chars().take(MESSAGE_LIMIT).collect();
    format!("::{name} {location}title={}::{}", command_property(title), command_data(&text))
}

const fn command_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Fatal | Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::{Annotations, Format, samples};

    fn lines(reports: &[Report], options: &Options) -> Vec<String> {
        samples::text_with(Format::Github, reports, options).lines().map(str::to_owned).collect()
    }

    #[test]
    fn commands_of_a_broken_file() {
        insta::assert_snapshot!(
            "github",
            samples::text(
                Format::Github,
                &[samples::clean(), samples::broken(), samples::document(), samples::empty()]
            )
        );
        assert!(samples::text(Format::Github, &[]).starts_with("::warning "));
        assert_eq!(samples::text(Format::Github, &[samples::clean()]), "");
    }

    #[test]
    fn hostile_names_make_exactly_one_command() {
        let text = samples::text(Format::Github, &[samples::hostile()]);
        assert_eq!(text.lines().count(), 1);
        assert!(text.starts_with("::error title=SL002 Torn terminal record::The last"), "{text}");
        assert!(!text.contains("##[") && !text.contains('\u{202e}'));

        let mut report = samples::broken();
        report.repo_path = Some("a,b:c%0A.jsonl".into());
        assert!(
            samples::text(Format::Github, &[report])
                .contains("::error file=a%2Cb%3Ac%250A.jsonl,line=3,endLine=3,title=")
        );
    }

    #[test]
    fn the_budget_is_kept_and_what_is_dropped_is_counted() {
        let lines = lines(&[samples::many(10_000), samples::broken()], &Options::default());
        let of = |name: &str| lines.iter().filter(|l| l.starts_with(&format!("::{name} "))).count();
        assert_eq!((of("error"), of("warning"), of("notice")), (10, 10, 2));
        assert!(lines[21].contains("7494 errors, 2492 warnings, 0 notices"), "{}", lines[21]);
        // The fatal one leads, each code comes once before any comes twice, the known finding not at all.
        assert!(lines[0].contains("title=SL005"));
        assert!(
            lines[1].contains("title=SL002") || lines[1].contains("title=SL004") || lines[1].contains("title=SL101")
        );
        assert!(!lines.iter().any(|l| l.contains("broken one.jsonl,line=30")));
    }

    #[test]
    fn no_budget_no_output() {
        let options = Options { annotations: Annotations { errors: 0, warnings: 0, notices: 0 }, ..Options::default() };
        assert!(lines(&[samples::broken()], &options).is_empty());
    }

    #[test]
    fn long_messages_are_cut() {
        let mut report = samples::broken();
        report.findings[0].consequences = (0..10_000).map(|n| samples::at(&samples::ORPHAN, n + 1)).collect();
        assert!(lines(&[report], &Options::default()).iter().all(|l| l.len() < 4_000));
    }
}
