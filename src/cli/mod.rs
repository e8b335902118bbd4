//! The command line: parse, call the library, print, map to an exit code. Nothing else prints or reads the environment.
//!
//! Exit codes: 0 gate passed, 1 gate failed or refused, 2 could not run.

mod args;
mod baseline;
mod check;
mod ci;
mod digest;
mod dsh_audit;
mod env;
mod export;
mod find;
mod git;
mod info;
mod known;
mod merge;
mod output;
mod progress;
mod propose;
mod publish;
mod pull_request;
mod repair;
mod runner;
mod scan;
mod settings;
mod verify;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use sesslint::emit::escape::{command_data, inert, shell_word};

use args::{Cli, Command};

/// Why a command could not do what was asked.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// Wrong use of the command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: 2 }
    }

    /// The same failure with advice on a line of its own.
    pub fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Both failures, a line each.
    fn and(self, other: Self) -> Self {
        Self { message: format!("{}\n{}", self.message, other.message), ..self }
    }

    /// The input was judged, and the judgement is no.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: 1 }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // A closed pipe is the reader's choice, not a failure.
        let code = if error.kind() == io::ErrorKind::BrokenPipe { 0 } else { 2 };
        Self { message: error.to_string(), hint: None, code }
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            // Its text repeats what was typed, and a runner scans standard error for commands.
            let _ = if error.use_stderr() && !io::stderr().is_terminal() {
                tell(&error.render().to_string())
            } else {
                error.print()
            };
            return ExitCode::from(code);
        }
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    // Not locked: the threads of a scan tell progress there.
    let mut err = io::stderr();
    let result = run(&cli, &mut out, &mut err).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    match result {
        Ok(code) => ExitCode::from(code),
        Err(Failure { code: 0, .. }) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = out.flush();
            let _ = if failure.code == 2 && is_annotated(&cli) {
                let text = command_data(&inert(&failure.message));
                writeln!(io::stderr(), "::error title=sesslint could not run::{text}")
            } else {
                tell(&failure.message)
            };
            if let Some(hint) = failure.hint {
                let _ = tell(&format!("hint: {hint}"));
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Whether a job of a runner shall show, beside its log, why it could not run.
fn is_annotated(cli: &Cli) -> bool {
    let asked = match &cli.command {
        Some(Command::Ci(args)) => args.publish.annotations,
        Some(Command::Merge(args)) => args.publish.annotations,
        _ => return false,
    };
    asked != Some(false)
        && env::variable("SESSLINT_ANNOTATIONS").as_deref() != Some("false")
        && env::variable("GITHUB_ACTIONS").as_deref() == Some("true")
}

/// A path as a line of text shows it.
fn shown(path: &Path) -> String {
    inert(&path.to_string_lossy()).into_owned()
}

/// A path as a command line takes it.
fn typed(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

/// Tells notices on standard error.
fn tell_notices(notices: &[String]) -> io::Result<()> {
    notices.iter().try_for_each(|notice| tell(&format!("sesslint: notice: {notice}")))
}

/// Prints lines to standard error; none of them can hide something or speak to a runner.
fn tell(text: &str) -> io::Result<()> {
    text.trim_end().lines().try_for_each(|line| writeln!(io::stderr(), "{}", inert(line)))
}

fn run(cli: &Cli, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    match &cli.command {
        None => {
            write!(out, "{}", Cli::command().render_long_help())?;
            Ok(0)
        }
        Some(Command::Check(args)) => check::run(&cli.global, args, out, err),
        Some(Command::Scan(args)) => scan::run(&cli.global, args, out, err),
        Some(Command::Repair(args)) => repair::run(&cli.global, args, out, err),
        Some(Command::Propose(args)) => propose::run(&cli.global, args, out, err),
        Some(Command::Verify(args)) => verify::run(args, out),
        Some(Command::Ci(args)) => ci::run(&cli.global, args, out, err),
        Some(Command::Merge(args)) => merge::run(&cli.global, args, out, err),
        Some(Command::Baseline(args)) => baseline::run(&cli.global, args, out),
        Some(Command::Export(args)) => export::export(&cli.global, args, out),
        Some(Command::Bundle(args)) => export::bundle(&cli.global, args, out),
        Some(Command::ValidateSession(args)) => export::validate(args, out),
        Some(Command::DshAudit(args)) => Ok(dsh_audit::run(args, out, err)?),
        Some(Command::Digest(args)) => Ok(digest::run(&cli.global, args, out, err)?),
        Some(Command::Explain(args)) => info::explain(args, out),
        Some(Command::Formats(args)) => info::formats(args, out),
        Some(Command::Version(args)) => info::version(args, out),
        Some(Command::Completion(args)) => info::completion(args, out),
        Some(Command::Man(args)) => info::man(args, out),
    }
}
