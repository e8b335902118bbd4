//! What `ci` and `merge` do with a finished scan: every report written, the run annotated and summarised, outputs set,
//! and only then the gate.

use std::io::Write;
use std::path::Path;

use sesslint::config::output::Output;
use sesslint::emit::{self, Annotations, Format};
use sesslint::finding::{Finding, Standing};
use sesslint::report::Report;
use sesslint::scan::{Bucket, Outcome, Scan, Skip};

use super::args::{PublishArgs, ReportArgs};
use super::runner::Runner;
use super::settings::Settings;
use super::{Failure, output};

/// Everything that a job says, and its exit code.
pub fn publish(
    settings: &Settings,
    (report, args): (&ReportArgs, &PublishArgs),
    scan: &Scan,
    notices: Vec<String>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, Failure> {
    let config = settings.merged();
    let outputs = outputs(settings, report, args)?;
    output::fit(&outputs, scan.reports.iter().map(|report| &*report.path))?;
    let mut runner = Runner::new(notices);
    let unfit = unfit(scan, args.allow_empty.or(config.allow_empty).unwrap_or(false));
    let options = emit::Options { decided: unfit.is_none(), ..settings.emit_options() };
    let code = if unfit.is_some() { 2 } else { u8::from(!scan.passes(&options.gate)) };
    let print = |out: &mut dyn Write| {
        output::write_all(&outputs, &options, out, |format, options, out| emit::write_scan(format, scan, options, out))
    };
    // A document on standard output is whole and alone there; a runner scans standard error as well.
    let claimed = outputs.iter().find(|output| output.path.is_none() && output.format != Format::Human);
    let printed = if claimed.is_some() { print(out) } else { runner.bracketed(out, print) };
    let annotated = claimed.is_some_and(|output| output.format == Format::Github);
    let mut summary = None;
    if args.summary.or(config.summary).unwrap_or(true) && runner.has_summary() {
        let options = emit::Options { markdown_used: runner.summary_used(), ..options.clone() };
        let mut markdown = Vec::new();
        emit::write_scan(Format::Markdown, scan, &options, &mut markdown)?;
        summary = runner.summarise(&markdown);
    }
    runner.set_outputs(&step_outputs(scan, code, &outputs, summary.as_deref()));
    let log: &mut dyn Write = if claimed.is_some() { err } else { out };
    if args.annotations.or(config.annotations).unwrap_or(runner.commands) && !annotated {
        let budget = options.annotations;
        let notices = budget.notices.saturating_sub(runner.notices.len() + args.spare_notices);
        // The failure itself is told as one more error.
        let errors = budget.errors.saturating_sub(usize::from(unfit.is_some() || printed.is_err()));
        let options = emit::Options { annotations: Annotations { errors, notices, ..budget }, ..options };
        emit::write_scan(Format::Github, scan, &options, log)?;
    }
    runner.tell(log)?;
    printed?;
    match unfit {
        Some(what) => Err(Failure::usage(what)),
        None => Ok(code),
    }
}

/// Why no verdict can be given: a gate that looked at nothing, or not at everything, must not look green.
fn unfit(scan: &Scan, allow_empty: bool) -> Option<&'static str> {
    let capped = scan.rows.iter().any(|r| matches!(r.outcome, Outcome::Skipped(Skip::MaxFiles | Skip::MaxBytes)));
    if capped {
        Some("files were left out by --max-files or --max-bytes; raise them, or split the work with --shard")
    } else if scan.reports.is_empty() && scan.count(Bucket::Unreadable) == 0 && !allow_empty {
        Some("no session log was found; name its folder, or allow it with --allow-empty")
    } else {
        None
    }
}

/// What is written: as asked for, and text on standard output unless another format goes there.
fn outputs(settings: &Settings, report: &ReportArgs, args: &PublishArgs) -> Result<Vec<Output>, Failure> {
    let mut outputs = settings.outputs(report.json)?;
    outputs.extend(args.also.iter().cloned());
    if outputs.iter().all(|output| output.path.is_some()) {
        outputs.push(Output { format: Format::Human, path: None });
    }
    Ok(outputs)
}

/// What later steps of a job may want to know.
fn step_outputs(scan: &Scan, code: u8, outputs: &[Output], summary: Option<&Path>) -> Vec<(&'static str, String)> {
    let sum = |of: fn(&Report) -> usize| scan.reports.iter().map(of).sum::<usize>().to_string();
    let new = |finding: &&Finding| finding.standing != Some(Standing::Known);
    let file = |format: Format| {
        let written = outputs.iter().filter(|output| output.format == format).find_map(|output| output.path.as_ref());
        written.map(|path| path.display().to_string()).unwrap_or_default()
    };
    vec![
        ("exit-code", code.to_string()),
        ("verdict", ["pass", "fail", "error"][usize::from(code.min(2))].to_owned()),
        ("errors", sum(|r| r.counts.failing())),
        ("warnings", sum(|r| r.counts.warning)),
        ("new-findings", scan.reports.iter().flat_map(|r| &r.findings).filter(new).count().to_string()),
        ("files-checked", scan.reports.len().to_string()),
        ("report-file", file(Format::Json)),
        ("sarif-file", file(Format::Sarif)),
        ("summary-file", summary.map(|path| path.display().to_string()).unwrap_or_default()),
    ]
}
