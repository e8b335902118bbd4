//! `sesslint check`: one file, one report, any number of outputs, one gate.

use std::io::Write;

use sesslint::emit;
use sesslint::finding::Severity;
use sesslint::inspect::{self, CheckError};
use sesslint::report::Report;
use sesslint::report::gate::Gate;

use super::args::{CheckArgs, Global, ReportArgs};
use super::{Failure, env, output, scan};

pub fn run(global: &Global, args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    if global.policy.is_some() {
        return Err(Failure::usage("The --policy option is only valid for 'repair', not 'check'."));
    }
    if let Some(folder) = args.paths.iter().find(|path| path.is_dir()) {
        if args.recursive {
            return scan::over(global, &args.paths, &args.report, &args.tree, out, err);
        }
        let folder = folder.display();
        return Err(Failure::usage(format!("Path {folder} is a directory. Use --recursive to scan directories.")));
    }
    let outputs = output::requested(&args.report.output, args.report.json).map_err(Failure::usage)?;
    let options = inspect_options(global, args.report.confidence_min, args.report.margin_min)?;
    let mut reports = Vec::new();
    for path in &args.paths {
        reports.push(inspect::check_path(path, &options)?);
    }
    warn_of_content(global, err)?;
    for report in &reports {
        tell_reading_errors(report, err)?;
    }
    let emit_options = emit_options(global, &args.report);
    output::write_all(&outputs, &emit_options, out, |format, options, out| {
        emit::write(format, &reports, options, out)
    })?;
    Ok(u8::from(!emit_options.gate.passes(&reports)))
}

/// How to check, as the command line says.
pub fn inspect_options(
    global: &Global,
    confidence_min: Option<f64>,
    margin_min: Option<f64>,
) -> Result<inspect::Options, Failure> {
    let options = inspect::Options {
        format: global.format.0,
        profile: global.profile,
        confidence_min,
        margin_min,
        home: env::home(),
        root: env::repository_root(),
    };
    let confidence = options.confidence_min.unwrap_or(options.profile.confidence_min);
    let margin = options.margin_min.unwrap_or(options.profile.margin_min);
    if margin > confidence {
        return Err(Failure::usage(format!("--margin-min ({margin}) cannot exceed --confidence-min ({confidence})")));
    }
    Ok(options)
}

/// How to print, as the command line says.
pub fn emit_options(global: &Global, args: &ReportArgs) -> emit::Options {
    emit::Options {
        colour: env::colour(global),
        include_content: global.include_content,
        gate: Gate { fail_on: args.fail_on.severity(), only_new: false },
        ..emit::Options::default()
    }
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
    let told: Vec<_> = report
        .findings
        .iter()
        .filter(|f| matches!(f.code(), "SL301" | "SL302") && f.severity >= Severity::Error)
        .collect();
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
        emit::escape::visible(&report.path)
    )?;
    Ok(())
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        Self { message: error.to_string(), code: 2 }
    }
}
