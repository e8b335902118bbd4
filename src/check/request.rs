//! What a resume would send: the path that ends at the head of the log, behind its last compaction, cut into turns.
//!
//! Says nothing about what is wrong with it. Printed streams and canonical sessions are sent by nobody, and a path that
//! runs in a circle has no beginning: of these there is no request.

#[cfg(test)]
mod replayed;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::context::{Context, NONE};
use super::open_call::is_conversation;
use crate::model::{Actor, Event, Kind, Sym};

/// See the module.
pub(crate) struct Request {
    /// By position: it is sent.
    sent: Vec<bool>,
    /// Positions in the order in which they are sent, whatever they are.
    pub events: Vec<u32>,
    /// Neighbours are of different sides. None is empty.
    pub turns: Vec<Turn>,
    /// The root of the path if its parent was lost, so that more should stand before it; else [`NONE`].
    pub cut_at: u32,
}

/// What one side says before the other one answers. Results are on the person's side.
pub(crate) struct Turn {
    /// The model speaks.
    pub from_model: bool,
    /// Positions of its messages, calls and results.
    pub events: Vec<u32>,
    /// The message that is being put together.
    message: Sym,
    /// It holds results and nothing else.
    only_results: bool,
}

impl Request {
    /// The request, if there is one.
    pub(crate) fn new(context: &Context<'_>) -> Option<Self> {
        if !context.session.runs.is_empty() || context.session.conventions.one_tree {
            return None;
        }
        let (path, cut_at) = if context.session.conventions.tree { path(context)? } else { (stretch(context), NONE) };
        let mut request =
            Self { sent: vec![false; context.session.events.len()], events: path, turns: Vec::new(), cut_at };
        for &at in &request.events {
            request.sent[at as usize] = true;
        }
        let elsewhere = request.parts_elsewhere(context);
        for at in request.events.clone() {
            request.add(context, at, &elsewhere);
        }
        (!request.turns.is_empty()).then_some(request)
    }

    /// Whether an event is sent.
    pub(crate) fn sends(&self, at: u32) -> bool {
        self.sent[at as usize]
    }

    /// Parts of messages that stand on other branches, by message, where loaders send them with the others.
    fn parts_elsewhere(&self, context: &Context<'_>) -> HashMap<Sym, Vec<u32>> {
        let mut parts: HashMap<Sym, Vec<u32>> = HashMap::new();
        if !context.session.conventions.reunites_messages {
            return parts;
        }
        for &at in &self.events {
            let message = context.event(at).message;
            if message.is_some() {
                parts.entry(message).or_default();
            }
        }
        for (at, event) in context.events().filter(|(at, event)| !self.sends(*at) && from_model(event)) {
            if let Some(parts) = parts.get_mut(&event.message).filter(|_| !context.is_superseded(event)) {
                parts.push(at);
            }
        }
        parts
    }

    fn add(&mut self, context: &Context<'_>, at: u32, elsewhere: &HashMap<Sym, Vec<u32>>) {
        let event = context.event(at);
        let is_summary = event.kind == Kind::CompactionBoundary;
        if !is_summary && !is_conversation(event) {
            return;
        }
        if is_summary || !from_model(event) {
            let turn = self.turn(false);
            turn.only_results &= event.kind == Kind::ToolResult;
            turn.events.push(at);
            return;
        }
        // Results may stand between the parts of one message.
        let count = self.turns.len();
        let goes_on = |turn: &Turn| turn.from_model && turn.message == event.message && event.message.is_some();
        if count > 1 && self.turns[count - 1].only_results && goes_on(&self.turns[count - 2]) {
            self.turns[count - 2].events.push(at);
            return;
        }
        let turn = self.turn(true);
        let begins = turn.message != event.message;
        turn.message = event.message;
        turn.events.push(at);
        if begins && let Some(parts) = elsewhere.get(&event.message) {
            turn.events.extend(parts);
            for &part in parts {
                self.sent[part as usize] = true;
            }
        }
    }

    /// The turn that a side is in, begun if it is the other's.
    fn turn(&mut self, from_model: bool) -> &mut Turn {
        if self.turns.last().is_none_or(|turn| turn.from_model != from_model) {
            self.turns.push(Turn { from_model, events: Vec::new(), message: Sym::NONE, only_results: !from_model });
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }
}

fn from_model(event: &Event) -> bool {
    event.actor == Actor::Assistant && matches!(event.kind, Kind::Message | Kind::ToolCall)
}

/// Everything behind the last compaction, for formats in which order is the only structure.
fn stretch(context: &Context<'_>) -> Vec<u32> {
    let events = &context.session.events;
    let start =
        events.iter().rposition(|event| event.kind == Kind::CompactionBoundary && !event.flags.withdrawn).unwrap_or(0);
    (start as u32..events.len() as u32).filter(|&at| !events[at as usize].flags.withdrawn).collect()
}

/// The positions from the beginning of what is sent to the head, and the root if its parent was lost.
fn path(context: &Context<'_>) -> Option<(Vec<u32>, u32)> {
    let forest = &context.forest;
    let head = head(context)?;
    if forest.components.get(forest.component(head) as usize).is_none_or(|component| component.cyclic) {
        return None;
    }
    let summary_apart = context.session.conventions.compaction_on_chain;
    let mut records: Vec<u32> = Vec::new();
    let (mut at, mut cut_at) = (head, NONE);
    while at != NONE {
        let event = context.event(at);
        let is_boundary = event.kind == Kind::CompactionBoundary;
        // Where the summary is a record of its own, the boundary itself is not sent.
        if (!is_boundary || !summary_apart) && records.last() != Some(&event.record) {
            records.push(event.record);
        }
        if is_boundary {
            break;
        }
        if forest.parent(at) == NONE && event.parent.is_some() {
            cut_at = at;
        }
        at = forest.parent(at);
    }
    records.reverse();
    let events = &context.session.events;
    let of_record = |record: u32| {
        let start = events.partition_point(|event| event.record < record);
        (start..).take_while(move |&at| events.get(at).is_some_and(|event| event.record == record)).map(|at| at as u32)
    };
    Some((records.into_iter().flat_map(of_record).collect(), cut_at))
}

/// The event that a resume goes on from: the end of the branch that was stored last, below the record that the log
/// names if it names one.
fn head(context: &Context<'_>) -> Option<u32> {
    let forest = &context.forest;
    let may_lead = |at: u32| {
        let event = context.event(at);
        !event.flags.no_head && event.kind != Kind::CompactionBoundary && forest.node(event.id) == at
    };
    let all = || (0..context.session.events.len() as u32).rev().filter(|&at| may_lead(at));
    let named = context.session.resumed.iter().rev().map(|&id| forest.node(id)).find(|&at| at != NONE);
    let last = named.or_else(|| all().next())?;
    // An answer may be stored before its prompt.
    let below = |at: &u32| forest.is_ancestor(last, *at);
    Some(all().filter(below).find(|&at| forest.is_head(at)).or_else(|| all().find(below)).unwrap_or(last))
}
