//! Session logs of deepseek-harness: how to read them, and the audit of a whole sessions root.
//!
//! [`StoreAudit::of`] audits a root, [`LogFile::audit`] one log. The parts serve the adapter too: [`record`] decodes
//! lines, [`packed`] expands packed rows, [`vocabulary`] lists event types, [`sequence`], [`calls`], [`turn`] and
//! [`stream`] follow what they are named for. Nothing here writes or knows a canonical event.

pub mod artifact;
mod audit;
pub mod calls;
pub mod finding;
pub mod js_text;
pub mod json;
pub mod log_scan;
pub mod packed;
pub mod payload;
pub mod place;
pub mod raw;
pub mod record;
pub mod sequence;
pub mod store;
pub mod stream;
pub mod turn;
pub mod vocabulary;

pub use artifact::{Artifact, Container, ExpectedFormat, LogFile, Options};
pub use finding::{Code, Effect, Finding};
pub use store::StoreAudit;
