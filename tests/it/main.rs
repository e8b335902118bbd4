//! Integration tests: the real logs with their truth, the recorded cases of the reference program, the command line.
//!
//! What reads `../shared` prints a note and passes where that folder is absent: users have no such folder.

mod conformance;
mod corpus;
mod support;
