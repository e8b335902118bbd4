//! `sesslint check`: one file, one report, any number of outputs, one gate.

use std::io::Write;

use sesslint::emit;
use sesslint::finding::Severity;
use sesslint::inspect::{self, CheckError};
use sesslint::report::Report;

use super::args::{CheckArgs, Global};
use super::{Failure, env, output};

pub fn run(global: &Global, args: &CheckArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    if global.policy.is_some() {
        return Err(Failure::usage("--policy is only valid for `repair`: checking changes nothing"));
    }
    let outputs = output::requested(&args.output, args.json).map_err(Failure::usage)?;
    let options = inspect::Options {
        format: global.format.0,
        profile: global.profile,
        confidence_min: args.confidence_min,
        margin_min: args.margin_min,
        home: env::home(),
        root: env::repository_root(),
    };
    check_thresholds(&options)?;
    let report = inspect::check_path(&args.path, &options)?;
    if global.include_content {
        writeln!(err, "WARNING: --include-content embeds ids and messages of the session; do not share the output")?;
    }
    tell_reading_errors(&report, err)?;
    let emit_options = emit::Options {
        colour: env::colour(global),
        include_content: global.include_content,
        ..emit::Options::default()
    };
    let gate = args.fail_on.severity();
    let failed = report.findings.iter().any(|f| gate.is_some_and(|least| f.severity >= least));
    output::write_all(&outputs, &[report], &emit_options, out)?;
    Ok(u8::from(failed))
}

fn check_thresholds(options: &inspect::Options) -> Result<(), Failure> {
    let confidence = options.confidence_min.unwrap_or(options.profile.confidence_min);
    let margin = options.margin_min.unwrap_or(options.profile.margin_min);
    if margin > confidence {
        return Err(Failure::usage(format!("--margin-min ({margin}) cannot exceed --confidence-min ({confidence})")));
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
