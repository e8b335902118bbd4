//! What can be typed: argument types and their help. Parsing happens here, nothing else.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use globset::Glob;
use sesslint::adapter::Format;
use sesslint::config::output::Output;
use sesslint::report::gate::Threshold;
use sesslint::rule::profile::{self, Profile};
use sesslint::rule::selection::CodePrefix;
use sesslint::scan::parse_shard;
use sesslint::scan::pattern::pattern;

/// Says whether an AI-agent session log will replay, why not, and what can safely be mended.
#[derive(Debug, Parser)]
#[command(name = "sesslint", version, infer_long_args = true, args_override_self = true, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options that may stand before or behind the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Embed record ids and messages in full; the output is then no longer safe to share
    #[arg(long, global = true)]
    pub include_content: bool,
    /// Format of the logs: auto (default), or one that `sesslint formats` lists
    #[arg(long, global = true, value_name = "FORMAT", value_parser = format_named)]
    pub format: Option<FormatChoice>,
    /// How strictly to judge: neutral (default), claude-strict, openai-strict
    #[arg(long, global = true, value_name = "PROFILE", value_parser = profile::named)]
    pub profile: Option<&'static Profile>,
    /// Read this configuration file instead of the nearest sesslint.toml
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long, global = true)]
    pub no_config: bool,
    /// What a repair may give up (only for `repair` and `propose`)
    #[arg(long, value_enum, hide = true)]
    pub policy: Option<Policy>,
    /// When to colour text
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Never colour text
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// A format, or none for `auto`.
#[derive(Clone, Copy, Debug)]
pub struct FormatChoice(pub Option<&'static Format>);

/// What a repair may give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// Nothing
    Conservative,
    /// What it names
    Salvage,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check session logs
    Check(CheckArgs),
    /// Check every session log below folders
    Scan(ScanArgs),
    /// Mend a session log, into a new file, with a receipt
    Repair(super::repair::RepairArgs),
    /// Propose repairs: a folder with a patch, and a pull request when asked for
    Propose(super::propose::ProposeArgs),
    /// Check that a repair did what its receipt says, and nothing else
    Verify(super::verify::VerifyArgs),
    /// Do the whole CI job: find logs, check, report, annotate, summarise, gate
    Ci(CiArgs),
    /// Join JSON reports, as of the parts of a sharded run, and gate once
    Merge(MergeArgs),
    /// Keep the file of known findings
    Baseline(BaselineArgs),
    /// Write a session as a canonical stream
    Export(ExportArgs),
    /// Write a diagnostic bundle without a word of the session
    Bundle(BundleArgs),
    /// Validate a canonical session to the letter
    ValidateSession(ValidateArgs),
    /// Audit the session logs below a deepseek-harness home
    DshAudit(super::dsh_audit::DshAuditArgs),
    /// Digest a session log, or say how two copies relate
    Digest(super::digest::DigestArgs),
    /// Tell what a code means, what happens, and how it is repaired
    Explain(ExplainArgs),
    /// List the formats that are read
    Formats(JsonArgs),
    /// Tell the versions of the program, its adapters, profiles and schemas
    Version(JsonArgs),
    /// Print a completion script
    Completion(CompletionArgs),
    /// Print the man page of the program or of a command
    Man(ManArgs),
}

/// Where reports go and what fails.
#[derive(Debug, Default, Args)]
pub struct ReportArgs {
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the report as FORMAT (human, json, jsonl, sarif, markdown, github, gitlab, junit, html), to PATH or to standard output. Repeatable
    #[arg(long, alias = "output-format", value_name = "FORMAT[=PATH]", value_parser = Output::from_str)]
    pub output: Vec<Output>,
    /// Fail (exit 1) from this severity on: never, info, warning, error (default), fatal
    #[arg(long, value_name = "SEVERITY", value_parser = Threshold::from_str)]
    pub fail_on: Option<Threshold>,
    /// Let only new findings fail the run: those not in the baseline, or behind --since
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub only_new: Option<bool>,
    /// The file of known findings: `sesslint baseline write` makes it
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<String>,
    /// Count as known what the logs had at this git revision
    #[arg(long, value_name = "REVISION")]
    pub since: Option<String>,
    /// Fail too when there are more findings than this, informational ones not counted
    #[arg(long, value_name = "N")]
    pub max_findings: Option<u64>,
    /// Report only these codes; SL1 stands for all of SL1xx. Repeatable, or joined by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = CodePrefix::from_str)]
    pub select: Vec<CodePrefix>,
    /// Leave these codes out. Repeatable, or joined by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = CodePrefix::from_str)]
    pub ignore: Vec<CodePrefix>,
    /// Tells code-scanning uploads of one commit apart (SARIF)
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
    /// Least score a format needs to be detected, between 0 and 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    pub confidence_min: Option<f64>,
    /// Least lead over the next format, between 0 and 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    pub margin_min: Option<f64>,
}

/// Which files of a tree are checked.
#[derive(Debug, Default, Args)]
pub struct TreeArgs {
    /// Follow symbolic links
    #[arg(long)]
    pub follow_symlinks: bool,
    /// Check at most this many files; 10000 by default, no limit for `ci`
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_files: Option<u64>,
    /// Check at most this many bytes in all; 1 GiB by default, no limit for `ci`
    #[arg(long, value_name = "BYTES", value_parser = positive)]
    pub max_bytes: Option<u64>,
    /// Leave out paths that match, counted from the configuration file's folder, else from here. Repeatable
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub exclude: Vec<Glob>,
    /// Leave out paths that match even when they are named
    #[arg(long)]
    pub force_exclude: bool,
    /// Say nothing of named files that are no session
    #[arg(long)]
    pub skip_undetected: bool,
    /// Check only files with this ending, such as jsonl. Repeatable
    #[arg(long, value_name = "ENDING")]
    pub ext: Vec<String>,
    /// Check part I of N, chosen by a hash of the path
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<(u64, u64)>,
    /// Threads; one per processor unless given
    #[arg(long, value_name = "N", value_parser = positive)]
    pub jobs: Option<u64>,
    /// Tell progress on standard error, one JSON object a line
    #[arg(long)]
    pub progress_json: bool,
}

/// `sesslint check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Session logs
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Scan folders too
    #[arg(short, long)]
    pub recursive: bool,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
    /// Accepted only to say that it is out of place
    #[arg(long, hide = true, value_name = "POLICY")]
    pub policy: Option<String>,
}

/// `sesslint scan`
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// Files and folders
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print the limits of reading and stop
    #[arg(long)]
    pub show_limits: bool,
    /// Sub-folders too; always on
    #[arg(short, long)]
    pub recursive: bool,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
}

/// `sesslint ci`
#[derive(Debug, Args)]
pub struct CiArgs {
    /// Files, folders and patterns; the configuration's, else the working directory, when none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub publish: PublishArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
}

/// What a job tells its runner.
#[derive(Debug, Args)]
pub struct PublishArgs {
    /// Pass when no session log is found
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub allow_empty: Option<bool>,
    /// Annotate the run; on by default where a runner asks for it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub annotations: Option<bool>,
    /// Write the job summary; on by default where a runner asks for it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub summary: Option<bool>,
    /// Write this report beside those of the configuration. Repeatable
    #[arg(long, value_name = "FORMAT=PATH", value_parser = Output::from_str)]
    pub also: Vec<Output>,
    /// Leave room for this many notices of other steps
    #[arg(long, value_name = "N", default_value_t = 0, hide = true)]
    pub spare_notices: usize,
}

/// `sesslint merge`
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// JSON reports of this program; patterns too
    #[arg(required = true, value_name = "REPORT")]
    pub reports: Vec<PathBuf>,
    #[command(flatten)]
    pub publish: PublishArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// `sesslint baseline`
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// What to do with it
    #[arg(value_enum)]
    pub action: BaselineAction,
    /// Files, folders and patterns; the configuration's, else the working directory, when none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The file; sesslint-baseline.jsonl beside the configuration file, else here, unless named
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<String>,
    #[command(flatten)]
    pub tree: TreeArgs,
}

/// What to do with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BaselineAction {
    /// Write all findings there are now
    Write,
    /// Drop what is gone; adds nothing
    Update,
    /// List it, stale entries marked
    Show,
}

/// `sesslint export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The session log
    pub path: PathBuf,
    /// Where to write; must not exist
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// `sesslint bundle`
#[derive(Debug, Args)]
pub struct BundleArgs {
    /// The session log
    pub path: PathBuf,
    /// Where to write instead of standard output
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the bundle even when it is written to a file
    #[arg(long)]
    pub json: bool,
    /// Least score a format needs to be detected, between 0 and 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    pub confidence_min: Option<f64>,
    /// Least lead over the next format, between 0 and 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    pub margin_min: Option<f64>,
}

/// `sesslint validate-session`
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// The canonical session
    pub path: PathBuf,
}

/// `sesslint explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code such as SL004; without one, all codes are listed
    pub code: Option<String>,
}

/// A command whose only choice is JSON
#[derive(Debug, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `sesslint completion`
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `sesslint man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command; the program itself without one
    pub command: Option<String>,
}

fn positive(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("expected a whole number above 0, got {text:?}"))
}

fn format_named(name: &str) -> Result<FormatChoice, String> {
    sesslint::inspect::format_named(name).map(FormatChoice)
}

fn score(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        Ok(value) => Err(format!("expected a number strictly between 0.0 and 1.0, got {value}")),
        Err(_) => Err(format!("expected a number strictly between 0.0 and 1.0, got {text:?}")),
    }
}
