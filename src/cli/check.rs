//! `sesslint check`: one file, one report, any number of outputs, one gate.

use std::io::Write;

use sesslint::check::compatibility::is_about_format;
use sesslint::emit;
use sesslint::inspect::{self, CheckError};
use sesslint::report::Report;

use super::args::{CheckArgs, Global};
use super::settings::Settings;
use super::{Failure, known, output, scan, tell_notices};

pub fn run(global: &Global, args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    if args.policy.is_some() {
        return Err(Failure::usage(
            "--policy says what a repair may give up; check gives nothing up. Use it with `repair` or `propose`",
        ));
    }
    let folder = args.paths.iter().find(|path| path.is_dir());
    if let Some(folder) = folder.filter(|_| !args.recursive) {
        let folder = folder.display();
        return Err(Failure::usage(format!("Path {folder} is a directory. Use --recursive to scan directories.")));
    }
    let mut settings = Settings::load(global, &args.report, &args.tree)?;
    if folder.is_some() {
        warn_of_content(global, err)?;
        return scan::over(settings, &args.paths, &args.report, &args.tree, out);
    }
    let outputs = settings.outputs(args.report.json)?;
    settings.details = output::detailed(&outputs);
    let limits = settings.limits(&args.tree)?;
    let mut reports = Vec::new();
    let mut failed: Vec<Failure> = Vec::new();
    for path in args.paths.iter().filter(|path| !limits.force_excludes(path)) {
        match inspect::check_path(path, &settings.inspect_options(path)) {
            Ok(report) if args.tree.skip_undetected && (report.is_not_a_session() || report.is_empty_file()) => {}
            Ok(report) => reports.push(report),
            Err(error) => failed.push(error.into()),
        }
    }
    // What cannot be read hides nothing of the other files.
    let unread = failed.into_iter().reduce(Failure::and);
    if reports.is_empty() {
        return unread.map_or(Ok(0), Err);
    }
    output::fit(&outputs, reports.iter().map(|report| &*report.path))?;
    tell_notices(&known::mark(&settings, &mut reports)?)?;
    warn_of_content(global, err)?;
    for report in &reports {
        tell_reading_errors(report, err)?;
    }
    let emit_options = settings.emit_options();
    output::write_all(&outputs, &emit_options, out, |format, options, out| {
        emit::write(format, &reports, options, out)
    })?;
    unread.map_or_else(|| Ok(u8::from(!emit_options.gate.passes(&reports))), Err)
}

/// Says that what is printed is no longer safe to share.
pub fn warn_of_content(global: &Global, err: &mut dyn Write) -> Result<(), Failure> {
    if global.include_content {
        writeln!(err, "WARNING: --include-content embeds ids and messages of the session; do not share the output")?;
    }
    Ok(())
}

/// What kept the file from being read as a known format, on standard error too: scripts look there.
fn tell_reading_errors(report: &Report, err: &mut dyn Write) -> Result<(), Failure> {
    let told: Vec<_> = report.findings.iter().filter(|f| is_about_format(f)).collect();
    if told.is_empty() {
        return Ok(());
    }
    if let Some(scores) = told.iter().find_map(|f| f.evidence.get("confidences")) {
        writeln!(err, "Format detection ambiguous. Name the format with --format (see `sesslint formats`).")?;
        writeln!(err, "Candidate confidences: {scores}")?;
    }
    for finding in told {
        writeln!(err, "Format detection error [{}]: {}", finding.code(), finding.text().what)?;
    }
    writeln!(
        err,
        "hint: run `sesslint bundle {}` and attach its output to an adapter request",
        emit::escape::shell_word(&report.path)
    )?;
    Ok(())
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        Self::usage(error.to_string())
    }
}
