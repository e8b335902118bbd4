//! Repairs as a proposal: a folder from which a pull request is made, and which anyone can check against its base.
//!
//! Originals are read, never written. What is proposed replaces them when somebody applies or merges it, and only then.

mod apply;
mod attempt;
mod diff;
pub mod document;
mod folder;
pub mod place;
pub mod pull_request;
mod tree;
mod verify;

use std::path::PathBuf;

pub use document::{Entry, Proposal, Refused};
pub use folder::{Made, make};
pub use tree::verify_trees;
pub use verify::{Checked, Problem, verify};

use crate::adapter::Format;
use crate::repair::Policy;
use crate::rule::profile::Profile;

/// Largest file that is put into a commit unless told otherwise, in bytes.
pub const MAX_COMMITTED_BYTES: u64 = 10 << 20;

/// How to propose.
#[derive(Clone, Debug)]
pub struct Options {
    /// Root of the repository: paths of the proposal count from there.
    pub root: PathBuf,
    /// The commit that is checked out there.
    pub base_commit: Option<String>,
    /// What may be given up.
    pub policy: Policy,
    /// Side effects that may be unknown were looked into.
    pub acknowledge_side_effects: bool,
    /// Larger files stay out of the commit.
    pub max_committed_bytes: u64,
}

/// A session log that may be in need of repair.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// It was named as a session log; otherwise it may be any file.
    pub named: bool,
    /// Its format, when it is known; otherwise it is told from the content.
    pub format: Option<&'static Format>,
    /// How strictly to judge.
    pub profile: &'static Profile,
}
