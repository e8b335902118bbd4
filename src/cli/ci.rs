//! `sesslint ci`: the whole CI job in one run. Finds files, checks them, writes every report, annotates, summarises,
//! sets outputs, and only then gates.

use std::io::Write;
use std::path::Path;

use sesslint::config::output::Output;
use sesslint::emit::{self, Annotations, Format};
use sesslint::finding::Standing;
use sesslint::scan::{Outcome, Scan, Skip};

use super::args::{CiArgs, Global};
use super::runner::Runner;
use super::settings::Settings;
use super::{Failure, check, find, known, output, scan};

pub fn run(global: &Global, args: &CiArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    let mut settings = Settings::load(global, &args.report, &args.tree)?;
    // Whoever joins the reports of shards may want SARIF.
    settings.line_hashes = true;
    let config = settings.merged();
    let outputs = outputs(&settings, args)?;
    let roots = find::roots(&settings, &args.paths, &args.tree)?;
    let mut runner = Runner::new();
    check::warn_of_content(global, err)?;
    let mut scan = scan::scanned(&settings, &roots, &find::limits(&settings, &args.tree)?, &args.tree)?;
    runner.notices.extend(known::mark(&settings, &mut scan.reports)?);
    let checked = scan.reports.len() + scan.count(sesslint::scan::Bucket::Unreadable);
    let allow_empty = args.allow_empty.or(config.allow_empty).unwrap_or(false);
    let capped = scan.rows.iter().any(|r| matches!(r.outcome, Outcome::Skipped(Skip::MaxFiles | Skip::MaxBytes)));
    let could_not = if checked == 0 && !allow_empty {
        Some("no session log was found; name its folder, or allow it with --allow-empty")
    } else if capped {
        Some("files were left out by --max-files or --max-bytes; raise them, or split the work with --shard")
    } else {
        None
    };
    let options = settings.emit_options();
    let code = if could_not.is_some() { 2 } else { u8::from(!scan.passes(&options.gate)) };
    let printed = runner.bracketed(out, |out| {
        output::write_all(&outputs, &options, out, |format, options, out| emit::write_scan(format, &scan, options, out))
    });
    let summary = if args.summary.or(config.summary).unwrap_or(true) && runner.has_summary() {
        let options = emit::Options { markdown_used: runner.summary_used(), ..options.clone() };
        let mut markdown = Vec::new();
        emit::write_scan(Format::Markdown, &scan, &options, &mut markdown)?;
        runner.summarise(&markdown)
    } else {
        None
    };
    runner.set_outputs(&step_outputs(&scan, code, &outputs, summary.as_deref()));
    if args.annotations.or(config.annotations).unwrap_or(runner.commands) {
        let budget = options.annotations;
        let notices = budget.notices.saturating_sub(runner.notices.len() + args.spare_notices);
        let options = emit::Options { annotations: Annotations { notices, ..budget }, ..options };
        emit::write_scan(Format::Github, &scan, &options, out)?;
    }
    runner.tell(out, err)?;
    printed?;
    match could_not {
        Some(what) => Err(Failure::usage(what)),
        None => Ok(code),
    }
}

/// What is written: as asked for, and text on standard output unless another format goes there.
fn outputs(settings: &Settings, args: &CiArgs) -> Result<Vec<Output>, Failure> {
    let mut outputs = settings.outputs(args.report.json)?;
    outputs.extend(args.also.iter().cloned());
    if outputs.iter().all(|output| output.path.is_some()) {
        outputs.push(Output { format: Format::Human, path: None });
    }
    Ok(outputs)
}

/// What later steps of a job may want to know.
fn step_outputs(scan: &Scan, code: u8, outputs: &[Output], summary: Option<&Path>) -> Vec<(&'static str, String)> {
    let sum = |of: fn(&sesslint::report::Report) -> usize| scan.reports.iter().map(of).sum::<usize>().to_string();
    let file = |wanted: &[Format]| {
        let first = wanted.iter().find_map(|f| outputs.iter().find(|o| o.format == *f && o.path.is_some()));
        first.and_then(|o| o.path.as_ref()).map(|path| path.display().to_string()).unwrap_or_default()
    };
    let verdict = ["pass", "fail", "error"][usize::from(code.min(2))];
    vec![
        ("exit-code", code.to_string()),
        ("verdict", verdict.to_owned()),
        ("errors", sum(|r| r.counts.failing())),
        ("warnings", sum(|r| r.counts.warning)),
        ("new-findings", sum(|r| r.findings.iter().filter(|f| f.standing != Some(Standing::Known)).count())),
        ("files-checked", scan.reports.len().to_string()),
        ("report-file", file(&[Format::Json, Format::Jsonl, Format::Html, Format::Markdown])),
        ("sarif-file", file(&[Format::Sarif])),
        ("summary-file", summary.map(|path| path.display().to_string()).unwrap_or_default()),
    ]
}
