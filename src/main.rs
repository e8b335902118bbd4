//! The `sesslint` program: parse, run, map to an exit code.
#![forbid(unsafe_code)]

fn main() {}
