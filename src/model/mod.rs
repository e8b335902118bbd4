//! Canonical sessions: what every format becomes. No vendor word, no I/O.

pub mod calendar;
pub mod canonical_json;
pub mod content_free;
pub mod event;
pub mod intern;
pub mod outline;
pub mod session;
pub mod value;

pub use event::{Actor, Event, EventFlags, Kind, Reasoning};
pub use intern::{Interner, Sym};
pub use session::{Conventions, Recall, Scope, Session};
pub use value::Value;
