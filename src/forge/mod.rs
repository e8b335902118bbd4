//! Publishing a proposal as a pull request: which calls, in which order, with which bodies. All of that is plain data and
//! tested without a network; `sender` alone talks to one, and only exists with the feature `github`.
//!
//! A check run or a review with suggested changes would be further flows over the same [`Api`].

mod base64;
mod comment;
mod publication;
mod publish;
mod request;
#[cfg(feature = "github")]
pub mod sender;
#[cfg(test)]
mod testing;

pub use publication::{Blob, Publication, Repository, branch_of};
pub use publish::{Outcome, State, Stop, publish};
pub use request::{Api, Failure, Method, Request};
