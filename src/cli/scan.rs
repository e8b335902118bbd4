//! `sesslint scan`: every session log below some roots, one report.

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use globset::GlobSetBuilder;
use sesslint::emit;
use sesslint::scan::{self, Limits};
use sesslint::source::{MAX_DEPTH, MAX_LINE_BYTES};

use super::args::{Cli, Global, ReportArgs, ScanArgs, TreeArgs};
use super::progress::Meter;
use super::{Failure, check, output};

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
    over(global, &args.paths, &args.report, &args.tree, out, err)
}

/// Scans the paths and writes what was asked for.
pub fn over(
    global: &Global,
    paths: &[PathBuf],
    report: &ReportArgs,
    tree: &TreeArgs,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, Failure> {
    for path in paths {
        if std::fs::symlink_metadata(path).is_err() {
            return Err(Failure::usage(format!("Path not found: {}", path.display())));
        }
    }
    let outputs = output::requested(&report.output, report.json).map_err(Failure::usage)?;
    let options = check::inspect_options(global, report.confidence_min, report.margin_min)?;
    let limits = limits(tree)?;
    check::warn_of_content(global, err)?;
    let meter = Meter::new(tree.progress_json);
    let threads = tree.jobs.map_or(0, |jobs| usize::try_from(jobs).unwrap_or(usize::MAX).min(1024));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::usage(format!("cannot start {threads} threads: {error}")))?;
    let scan = pool.install(|| scan::scan(paths, &limits, &options, &|bytes| meter.file(bytes)));
    meter.finish();
    let emit_options = check::emit_options(global, report);
    output::write_all(&outputs, &emit_options, out, |format, options, out| {
        emit::write_scan(format, &scan, options, out)
    })?;
    Ok(u8::from(!scan.passes(&emit_options.gate)))
}

/// The limits of a walk, as the command line says.
pub fn limits(tree: &TreeArgs) -> Result<Limits, Failure> {
    let mut exclude = GlobSetBuilder::new();
    for glob in &tree.exclude {
        exclude.add(glob.clone());
    }
    Ok(Limits {
        max_files: tree.max_files,
        max_bytes: tree.max_bytes,
        follow_links: tree.follow_symlinks,
        exclude: exclude.build().map_err(|error| Failure::usage(error.to_string()))?,
        extensions: tree.ext.iter().map(|e| e.trim_start_matches('.').to_lowercase()).collect(),
        shard: tree.shard,
    })
}
