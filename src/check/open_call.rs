//! Where a call that got no result stands: at the end of the log, at the end of a branch that was left, or in the middle.
//!
//! Conversation events of one scope are gathered into batches: the parts of one message, and the results that answer
//! its calls. A batch is the tail when no other batch follows.

use std::collections::BTreeMap;

use super::context::{Context, NONE};
use super::tool_pairing::tool_events;
use crate::model::{Actor, Event, Kind, Sym};

/// How the log goes on behind an open call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It does not.
    Tail,
    /// Only elsewhere: the branch was given up.
    LeftBranch,
    /// It does, without the result, which stands on another branch.
    AnsweredElsewhere,
    /// It does not, because its run was stopped.
    Stopped,
    /// It does; `cut_off_by` names the event whose lost parent parts what follows from the call, or none.
    Middle {
        /// Position, or [`NONE`].
        cut_off_by: u32,
    },
}

/// See the module.
pub(crate) struct OpenCalls {
    /// By position: the batch, named by the position of its first event.
    batch: Vec<u32>,
    /// By batch: the first event of another batch behind it in the file.
    next: Vec<u32>,
    /// By batch: another batch hangs on it.
    grown: Vec<bool>,
}

impl OpenCalls {
    pub(crate) fn new(context: &Context<'_>) -> Self {
        let count = context.session.events.len();
        let mut ends = Self { batch: vec![NONE; count], next: vec![NONE; count], grown: vec![false; count] };
        ends.gather(context);
        if context.session.conventions.tree {
            ends.follow_chains(context);
        }
        ends
    }

    fn gather(&mut self, context: &Context<'_>) {
        let mut last: BTreeMap<(Sym, Sym), u32> = BTreeMap::new();
        let symbols = context.session.strings.len() + 1;
        let (mut call_of, mut message_of) = (vec![NONE; symbols], vec![NONE; symbols]);
        for (at, event) in tool_events(context).filter(|(_, e)| e.kind == Kind::ToolCall && e.correlation.is_some()) {
            let known = &mut call_of[event.correlation.index()];
            *known = at.min(*known);
        }
        for (at, event) in context.events().filter(|(_, e)| is_conversation(e) && !context.is_superseded(e)) {
            let scope = context.session.scope(event);
            let before = last.insert((scope.agent, scope.branch), at).unwrap_or(NONE);
            let joined = self.joined(context, event, before, &call_of, &message_of);
            let batch = if joined == NONE { at } else { joined };
            self.batch[at as usize] = batch;
            if event.message.is_some() && message_of[event.message.index()] == NONE {
                message_of[event.message.index()] = batch;
            }
            if before != NONE {
                let previous = self.batch[before as usize];
                if previous != batch && self.next[previous as usize] == NONE {
                    self.next[previous as usize] = at;
                }
            }
        }
    }

    /// The batch an event joins, or [`NONE`] when it opens one.
    fn joined(&self, context: &Context<'_>, event: &Event, before: u32, calls: &[u32], messages: &[u32]) -> u32 {
        let previous = if before == NONE { NONE } else { self.batch[before as usize] };
        let neighbour = |holds: fn(&Event, &Event) -> bool| {
            if before != NONE && holds(context.event(before), event) { previous } else { NONE }
        };
        match event.kind {
            Kind::ToolResult if event.correlation.is_none() && !context.session.conventions.one_tree => previous,
            Kind::ToolResult => calls.get(event.correlation.index()).map_or(NONE, |&call| match call {
                NONE => NONE,
                call => self.batch[call as usize],
            }),
            _ if event.message.is_some() => messages[event.message.index()],
            // Without message ids, calls in a row and the parts of one record belong together.
            _ => neighbour(|a, b| {
                let from_model =
                    a.kind != Kind::ToolResult && a.actor == Actor::Assistant && b.actor == Actor::Assistant;
                let in_a_row = a.kind == Kind::ToolCall && b.kind == Kind::ToolCall && a.message.is_none();
                from_model && a.record == b.record || in_a_row
            }),
        }
    }

    fn follow_chains(&mut self, context: &Context<'_>) {
        // By position: the nearest conversation event at or above it.
        let mut near = vec![NONE; self.batch.len()];
        for &at in &context.forest.order {
            let parent = context.forest.parent(at);
            let above = if parent == NONE { NONE } else { near[parent as usize] };
            let batch = self.batch[at as usize];
            near[at as usize] = if batch == NONE { above } else { at };
            if batch != NONE && above != NONE && self.batch[above as usize] != batch {
                self.grown[self.batch[above as usize] as usize] = true;
            }
        }
    }

    /// Where an open call stands.
    pub(crate) fn ending(&self, context: &Context<'_>, call: u32) -> Ending {
        // A call that is never sent is no conversation event: it is its own batch and nothing follows it.
        if let Some(run) = context.run_of(call) {
            return if run.ended { Ending::Middle { cut_off_by: NONE } } else { Ending::Stopped };
        }
        let batch = self.batch[call as usize];
        let next = if batch == NONE { NONE } else { self.next[batch as usize] };
        if next == NONE {
            return Ending::Tail;
        }
        let forest = &context.forest;
        let node = |at: u32| forest.node(context.event(at).id);
        let apart = forest.component(node(next)) != forest.component(node(call));
        let cut_off_by = if apart { forest.orphan_above(node(next)) } else { NONE };
        let conventions = &context.session.conventions;
        let left = conventions.tree && !conventions.one_tree && !self.grown[batch as usize];
        if left && cut_off_by == NONE { Ending::LeftBranch } else { Ending::Middle { cut_off_by } }
    }
}

/// Something a user, the model or a tool said that is sent to a provider.
pub(crate) fn is_conversation(event: &Event) -> bool {
    let said = event.kind == Kind::Message && matches!(event.actor, Actor::User | Actor::Assistant);
    !event.flags.not_sent && (said || event.kind.is_tool())
}
