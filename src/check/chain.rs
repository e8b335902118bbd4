//! What stands above an event on its parent chain: the nearest turns, prompts and compaction boundaries.
//!
//! Filled top down in one pass, so that no question walks a chain.

use super::context::{Context, NONE};
use crate::model::{Actor, Event, Kind, Sym};

/// By position, what stands strictly above. Empty where a format asks for nothing on the chain.
#[derive(Default)]
pub(crate) struct Chain {
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    /// Nearest prompt, or part of a message of the model.
    turn: u32,
    /// For such a part: the nearest turn above that is another message.
    other_turn: u32,
    /// Nearest prompt.
    prompt: u32,
    /// Nearest compaction boundary.
    boundary: u32,
}

const NOTHING: Row = Row { turn: NONE, other_turn: NONE, prompt: NONE, boundary: NONE };

impl Chain {
    pub(crate) fn new(context: &Context<'_>) -> Self {
        let conventions = &context.session.conventions;
        let by_chain = conventions.adjacency == crate::model::session::Adjacency::Chain;
        if !conventions.tree || !(by_chain || conventions.compaction_on_chain) {
            return Self::default();
        }
        let mut rows = vec![NOTHING; context.session.events.len()];
        for &at in &context.forest.order {
            let parent = context.forest.parent(at);
            if parent == NONE {
                continue;
            }
            let (above, event) = (rows[parent as usize], context.event(parent));
            let mut row = above;
            row.other_turn = NONE;
            if event.flags.prompt {
                row.prompt = parent;
            }
            if is_turn(event) {
                row.turn = parent;
            }
            if event.kind == Kind::CompactionBoundary {
                row.boundary = parent;
            }
            let own = context.event(at);
            if is_turn(own) && row.turn != NONE {
                let other = is_other(context.event(row.turn), own.message);
                row.other_turn = if other { row.turn } else { rows[row.turn as usize].other_turn };
            }
            rows[at as usize] = row;
        }
        Self { rows }
    }

    /// Whether a prompt, or a message of the model other than the call's, stands between a call and its result.
    pub(crate) fn turn_between(&self, context: &Context<'_>, call: u32, result: u32) -> bool {
        let Some(row) = self.rows.get(result as usize) else { return false };
        let message = context.event(call).message;
        let turn = if message.is_none() {
            row.prompt
        } else if row.turn == NONE || is_other(context.event(row.turn), message) {
            row.turn
        } else {
            self.rows[row.turn as usize].other_turn
        };
        turn != NONE && context.forest.is_ancestor(call, turn) && context.forest.is_ancestor(turn, result)
    }

    /// The nearest compaction boundary above, or [`NONE`].
    pub(crate) fn boundary(&self, at: u32) -> u32 {
        self.rows.get(at as usize).map_or(NONE, |row| row.boundary)
    }
}

fn is_turn(event: &Event) -> bool {
    let of_model = event.actor == Actor::Assistant && matches!(event.kind, Kind::Message | Kind::ToolCall);
    !event.flags.not_sent && (event.flags.prompt || of_model && event.message.is_some())
}

/// Whether a turn is not part of this message.
fn is_other(turn: &Event, message: Sym) -> bool {
    turn.flags.prompt || turn.message != message
}
