//! Decoding one record: strict JSON with byte offsets, read in place, and what can be saved of a broken line.
//!
//! Owns syntax only: no files, no vendor, no verdict.

pub mod complaint;
pub mod json;
pub mod outline;
pub mod recover;
pub mod scan;

pub use json::Json;
pub use scan::{JsonError, JsonFault, Node, NodeKind, Scan, Scanner};
