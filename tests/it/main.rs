//! Integration tests: the real logs with their truth, the recorded cases of the reference program, the command line.
//!
//! What reads `../shared` prints a note and passes where that folder is absent: users have no such folder.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and say what they skip")]

mod any_bytes;
mod boundaries;
mod ci;
mod command;
mod conformance;
mod containers;
mod corpus;
mod damage;
mod docs;
mod export;
#[cfg(unix)]
mod hostile;
mod hostile_logs;
mod mended;
mod odd_files;
mod packed;
mod propose;
mod reading;
mod recordings;
mod repair_text;
mod repairs;
mod replayed;
mod schemas;
mod stable;
mod support;
mod validate;
