//! The command line: parse, call the library, print, map to an exit code. Nothing else prints or reads the environment.
//!
//! Exit codes: 0 gate passed, 1 gate failed or refused, 2 could not run.

mod args;
mod check;
mod ci;
mod env;
mod output;
mod progress;
mod runner;
mod scan;
mod settings;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};

/// Why a command could not do what was asked.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// Wrong use of the command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // A closed pipe is the reader's choice, not a failure.
        let code = if error.kind() == io::ErrorKind::BrokenPipe { 0 } else { 2 };
        Self { message: error.to_string(), code }
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            let _ = error.print();
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
            let _ = writeln!(err, "sesslint: error: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

fn run(cli: &Cli, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    match &cli.command {
        None => {
            write!(out, "{}", Cli::command().render_long_help())?;
            Ok(0)
        }
        Some(Command::Check(args)) => check::run(&cli.global, args, out, err),
        Some(Command::Scan(args)) => scan::run(&cli.global, args, out, err),
        Some(Command::Ci(args)) => ci::run(&cli.global, args, out, err),
    }
}
