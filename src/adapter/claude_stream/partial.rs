//! Messages that are printed piece by piece: each begins, ends, and is printed as a whole in between.

use std::collections::BTreeMap;

use crate::adapter::{Record, Sink};
use crate::finding::Location;
use crate::model::session::{Fact, FactKind};

/// A message of which pieces were printed.
#[derive(Debug)]
struct Piecewise {
    id: String,
    /// Where it began.
    location: Location,
    has_blocks: bool,
}

/// The messages in the making, by session and sub-agent, and those of which only pieces were seen.
#[derive(Debug, Default)]
pub(super) struct Partials {
    open: BTreeMap<(String, String), Piecewise>,
    /// By message id: it ended, and the whole message was not printed yet.
    pieces: BTreeMap<String, Location>,
    unfinished: Vec<Piecewise>,
}

impl Partials {
    /// A piece.
    pub(super) fn event(&mut self, record: &Record<'_>) {
        let Some(event) = record.json.get("event") else { return };
        let text = |name: &str| record.json.str(name).unwrap_or_default().into_owned();
        let key = (text("session_id"), text("parent_tool_use_id"));
        match event.str("type").as_deref() {
            Some("message_start") => {
                let id = event.get("message").and_then(|message| message.str("id")).unwrap_or_default().into_owned();
                let begun = Piecewise { id, location: record.location, has_blocks: false };
                self.unfinished.extend(self.open.insert(key, begun));
            }
            Some("content_block_start") => {
                if let Some(message) = self.open.get_mut(&key).filter(|message| !message.has_blocks) {
                    message.has_blocks = true;
                    self.pieces.insert(message.id.clone(), message.location);
                }
            }
            Some("message_stop") => {
                self.open.remove(&key);
            }
            _ => {}
        }
    }

    /// The whole message was printed, or a block of it.
    pub(super) fn whole(&mut self, id: &str) {
        self.pieces.remove(id);
    }

    /// The run is over: what is still open stays so.
    pub(super) fn close(&mut self, run_ended: bool, sink: &mut dyn Sink) {
        self.unfinished.extend(std::mem::take(&mut self.open).into_values());
        for message in self.unfinished.drain(..) {
            // One cause: a message that broke off is not printed whole either.
            self.pieces.remove(&message.id);
            let kind = FactKind::PartialUnfinished { run_ended };
            sink.fact(Fact { kind, location: message.location, subject: message.id });
        }
        for (id, location) in std::mem::take(&mut self.pieces) {
            sink.fact(Fact { kind: FactKind::PartialWithoutFinal { run_ended }, location, subject: id });
        }
    }
}
