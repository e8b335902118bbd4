//! `sesslint scan`: every session log below some roots, one report.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use sesslint::emit;
use sesslint::scan::{self, Limits, Root, Scan};
use sesslint::source::{MAX_DEPTH, MAX_LINE_BYTES};

use super::args::{Cli, Global, ReportArgs, ScanArgs, TreeArgs};
use super::progress::Meter;
use super::settings::Settings;
use super::{Failure, check, known, output, tell_notices};

pub fn run(global: &Global, args: &ScanArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    if args.show_limits {
        writeln!(
            out,
            "ReaderLimits: max_line_bytes={MAX_LINE_BYTES}, max_depth={MAX_DEPTH}, max_file_bytes=None, max_records=None"
        )?;
        return Ok(0);
    }
    if args.paths.is_empty() {
        write!(err, "{}", Cli::command().render_help())?;
        return Ok(2);
    }
    check::warn_of_content(global, err)?;
    let settings = Settings::load(global, &args.report, &args.tree)?;
    over(settings, &args.paths, &args.report, &args.tree, out)
}

/// Scans the paths and writes what was asked for.
pub fn over(
    mut settings: Settings,
    paths: &[PathBuf],
    report: &ReportArgs,
    tree: &TreeArgs,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let roots = named(paths, tree)?;
    let outputs = settings.outputs(report.json)?;
    settings.details = output::detailed(&outputs);
    let mut scan = scanned(&settings, &roots, &settings.limits(tree)?, tree)?;
    output::fit(&outputs, scan.reports.iter().map(|report| &*report.path))?;
    tell_notices(&known::mark(&settings, &mut scan.reports)?)?;
    let emit_options = settings.emit_options();
    output::write_all(&outputs, &emit_options, out, |format, options, out| {
        emit::write_scan(format, &scan, options, out)
    })?;
    Ok(u8::from(!scan.passes(&emit_options.gate)))
}

/// The paths as roots; each must be there.
fn named(paths: &[PathBuf], tree: &TreeArgs) -> Result<Vec<Root>, Failure> {
    paths
        .iter()
        .map(|path| match std::fs::metadata(path) {
            Ok(_) => Ok(Root { path: path.clone(), named: !tree.skip_undetected }),
            Err(_) => Err(not_found(path)),
        })
        .collect()
}

/// A path that names nothing.
pub fn not_found(path: &Path) -> Failure {
    Failure::usage(format!("Path not found: {}", path.display()))
}

/// Scans with as many threads as were asked for, telling progress.
pub fn scanned(settings: &Settings, roots: &[Root], limits: &Limits, tree: &TreeArgs) -> Result<Scan, Failure> {
    let meter = Meter::new(tree.progress_json);
    let threads = tree.jobs.map_or(0, |jobs| usize::try_from(jobs).unwrap_or(usize::MAX).min(1024));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::usage(format!("cannot start {threads} threads: {error}")))?;
    let scan = pool.install(|| {
        let options = |path: &Path| settings.inspect_options(path);
        scan::scan(roots, limits, settings.home(), &options, &|bytes| meter.file(bytes))
    });
    meter.finish();
    Ok(scan)
}
