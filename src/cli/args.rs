//! What can be typed: argument types and their help. Parsing happens here, nothing else.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use globset::Glob;
use sesslint::adapter::Format;
use sesslint::finding::Severity;
use sesslint::rule::profile::{self, Profile};

use super::output::Output;

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
pub struct Global {
    /// Embed record ids and messages in full; the output is then no longer safe to share
    #[arg(long, global = true)]
    pub include_content: bool,
    /// Format of the logs: auto, or one that `sesslint formats` lists
    #[arg(long, global = true, value_name = "FORMAT", default_value = "auto", value_parser = format_named)]
    pub format: FormatChoice,
    /// How strictly to judge: neutral, claude-strict, openai-strict
    #[arg(long, global = true, value_name = "PROFILE", default_value = "neutral", value_parser = profile_named)]
    pub profile: &'static Profile,
    /// What a repair may give up (only for `repair`)
    #[arg(long, global = true, value_enum, hide = true)]
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

/// From which severity on a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Findings never fail the run
    Never,
    /// Any finding
    Info,
    /// Warnings and worse
    Warning,
    /// Errors and fatal findings
    Error,
    /// Fatal findings only
    Fatal,
}

impl FailOn {
    /// The least severity that fails, none for never.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Never => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
            Self::Fatal => Some(Severity::Fatal),
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check session logs
    Check(CheckArgs),
    /// Check every session log below folders
    Scan(ScanArgs),
    /// Mend a session log, into a new file, with a receipt
    Repair(super::repair::RepairArgs),
    /// Check that a repair did what its receipt says, and nothing else
    Verify(super::verify::VerifyArgs),
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
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the report as FORMAT (human, json, jsonl, sarif, markdown, github, gitlab, junit, html), to PATH or to standard output. Repeatable
    #[arg(long, alias = "output-format", value_name = "FORMAT[=PATH]", value_parser = Output::parse)]
    pub output: Vec<Output>,
    /// Fail (exit 1) from this severity on
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// Least score a format needs to be detected, between 0 and 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    pub confidence_min: Option<f64>,
    /// Least lead over the next format, between 0 and 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    pub margin_min: Option<f64>,
}

/// Which files of a tree are checked.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Follow symbolic links
    #[arg(long)]
    pub follow_symlinks: bool,
    /// Check at most this many files
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive)]
    pub max_files: u64,
    /// Check at most this many bytes in all
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30, value_parser = positive)]
    pub max_bytes: u64,
    /// Leave out paths that match, relative to their root. Repeatable
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub exclude: Vec<Glob>,
    /// Check only files with this ending, such as jsonl. Repeatable
    #[arg(long, value_name = "ENDING")]
    pub ext: Vec<String>,
    /// Check part I of N, chosen by a hash of the path
    #[arg(long, value_name = "I/N", value_parser = shard)]
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

fn glob(text: &str) -> Result<Glob, String> {
    Glob::new(text).map_err(|error| error.to_string())
}

fn shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts
        .filter(|(i, n): &(u64, u64)| (1..=*n).contains(i))
        .ok_or_else(|| format!("expected I/N with 1 <= I <= N, got {text:?}"))
}

fn format_named(name: &str) -> Result<FormatChoice, String> {
    sesslint::inspect::format_named(name).map(FormatChoice)
}

fn profile_named(name: &str) -> Result<&'static Profile, String> {
    profile::find(name).ok_or_else(|| {
        let ids: Vec<_> = profile::PROFILES.iter().map(|p| p.id).collect();
        format!("unknown profile; expected one of {}", ids.join(", "))
    })
}

fn score(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        Ok(value) => Err(format!("expected a number strictly between 0.0 and 1.0, got {value}")),
        Err(_) => Err(format!("expected a number strictly between 0.0 and 1.0, got {text:?}")),
    }
}
