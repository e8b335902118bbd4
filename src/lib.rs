//! `sesslint` says whether an AI-agent session log will replay, why not, and what can safely be mended.
//!
//! Data flows one way: bytes ([`source`]) become records ([`record`]), an adapter ([`adapter`]) turns
//! records into canonical events ([`model`]), checks ([`check`]) turn events into findings
//! ([`finding`]), a report ([`report`]) orders and counts them, and emitters print it.
//! Vendor words end at the adapter; emitters compute nothing.
//!
//! The calls most programs need: [`check_path`] and [`precheck()`] for one file, [`scan::scan()`] for trees,
//! [`repair::prepare()`] and [`repair::verify::verify()`] for mending, [`digest`] for comparing two copies, [`export::export()`] for
//! canonical streams. What is promised about them stands in `docs/library.md`.
//!
//! ```
//! let answer = sesslint::precheck("fixtures/examples/codex-rollout-healthy.jsonl".as_ref(), &Default::default());
//! assert!(answer.ok, "{}", answer.reason);
//! ```
#![forbid(unsafe_code)]

pub mod adapter;
pub mod bundle;
pub mod check;
pub mod config;
pub mod digest;
pub mod dsh;
pub mod emit;
pub mod export;
pub mod finding;
pub mod forge;
pub mod inspect;
pub mod model;
pub mod precheck;
pub mod propose;
pub mod reader;
pub mod record;
pub mod repair;
pub mod report;
pub mod rule;
pub mod scan;
pub mod source;
pub mod validate;
pub mod write;

pub use inspect::check_path;
pub use precheck::precheck;
