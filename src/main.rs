//! The `sesslint` program: parse, run, map to an exit code.
#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "a binary exports nothing: `pub` marks what other modules of the command line use")]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
