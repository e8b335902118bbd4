//! Turns of a person, and what is gone when some of them are taken back.
//!
//! A turn begins with a message of a person. What the program itself tells the model in a person's place begins none.
//! Taking back the last turns takes back all that was stored since, calls and outputs alike, and adds nothing.

use crate::record::Json;

/// How messages begin that the program wrote in a person's place.
const CONTEXT: &[&str] = &[
    "# AGENTS.md instructions",
    "<environment_context>",
    "<skill>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
];

/// Where the turns of the history begin that a resume would send.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Number of the first event of each.
    starts: Vec<u64>,
    /// Calls of the history with the number of each event, so that they can be forgotten.
    calls: Vec<(u64, String)>,
}

impl Turns {
    /// A message; `at` numbers its event.
    pub(super) fn message(&mut self, item: Json<'_>, at: u64) {
        if begins_turn(item) {
            self.starts.push(at);
        }
    }

    /// A call; `at` numbers its event.
    pub(super) fn call(&mut self, call_id: &str, at: u64) {
        self.calls.push((at, call_id.to_owned()));
    }

    /// All history is replaced by a list of items, or by one that is not stated; `at` numbers the next event.
    pub(super) fn compacted(&mut self, replacement: Option<Json<'_>>, at: u64) {
        match replacement {
            Some(items) => {
                let kept = items.elements().filter(|item| begins_turn(*item));
                self.starts = kept.map(|_| at).collect();
            }
            // The messages of persons are kept, and so is their number.
            None => self.starts.iter_mut().for_each(|start| *start = at),
        }
    }

    /// The last `count` turns are taken back: the number of the first event that goes, and the calls that do. More turns
    /// than there are take all of them.
    pub(super) fn roll_back(&mut self, count: u64) -> Option<(u64, Vec<String>)> {
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.starts.len());
        let first = *self.starts.get(self.starts.len() - count)?;
        self.starts.truncate(self.starts.len() - count);
        let kept = self.calls.partition_point(|(at, _)| *at < first);
        Some((first, self.calls.drain(kept..).map(|(_, call_id)| call_id).collect()))
    }
}

fn begins_turn(item: Json<'_>) -> bool {
    let is = |name: &str, word: &str| item.str(name).as_deref() == Some(word);
    let first = || item.get("content").into_iter().flat_map(Json::elements).next();
    let text = || first().and_then(|part| part.str("text")).unwrap_or_default();
    let by_program = |text: &str| CONTEXT.iter().any(|begin| text.trim_start().starts_with(begin));
    is("type", "message") && is("role", "user") && !by_program(&text())
}
