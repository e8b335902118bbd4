//! The event types that a harness generation knows, as data: one table for each generation that added any.
//!
//! The harness generates its list at build time and refuses a log with any other type, unless the event says that it
//! may be ignored. Plugins cannot add to the list.

use Meaning::{
    Answer, Approval, Call, Chunk, Instruction, Other, Prompt, Result, StepEnd, Subagent, Summary, TurnEnd, TurnStart,
};

/// What an event of a known type is to a reader of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A turn begins.
    TurnStart,
    /// A turn ends.
    TurnEnd,
    /// A step of a turn ends.
    StepEnd,
    /// A message to the model.
    Prompt,
    /// A message to the model that is no part of the conversation.
    Instruction,
    /// A piece of an answer, while it is streamed.
    Chunk,
    /// A message of the model.
    Answer,
    /// A tool call begins.
    Call,
    /// A tool call has ended.
    Result,
    /// Somebody is asked for, or gives, leave.
    Approval,
    /// What stands for the older part of the log from here on.
    Summary,
    /// Another agent begins or ends, or is talked to.
    Subagent,
    /// Anything else: part of the log, not of the conversation.
    Other,
}

/// A type and what its events are.
pub type Word = (&'static str, Meaning);

/// Types of generation 0, in bytewise order.
pub static BASE: [Word; 52] = [
    ("agent-preset/selected", Other),
    ("agent/inbox/spliced", Other),
    ("approval/asked", Approval),
    ("approval/decided", Approval),
    ("approval/policy", Approval),
    ("assistant/attempt", Other),
    ("assistant/chunk", Chunk),
    ("assistant/message", Answer),
    ("command/done", Other),
    ("command/run", Other),
    ("compaction/end", Other),
    ("compaction/prune", Other),
    ("compaction/start", Other),
    ("compaction/summary", Summary),
    ("feedback/record", Other),
    ("goal/change", Other),
    ("hook/invoked", Other),
    ("hook/result", Other),
    ("llm/retry", Other),
    ("llm/retry-started", Other),
    ("model/selection", Other),
    ("permission/preset", Other),
    ("plan/mode", Other),
    ("request/context", Other),
    ("request/header", Other),
    ("sandbox/mode", Other),
    ("schedule/change", Other),
    ("session-log-deepseek/delivery-accepted", Other),
    ("session/end-seed", Other),
    ("session/title", Other),
    ("session/title-llm-request", Other),
    ("step/end", StepEnd),
    ("step/start", Other),
    ("subagent/descriptor", Subagent),
    ("subagent/model-selection-policy", Other),
    ("team/member", Subagent),
    ("team/message/delivered", Subagent),
    ("team/message/queued", Subagent),
    ("team/task", Subagent),
    ("todo/write", Other),
    ("tool-workflow/agent-end", Subagent),
    ("tool-workflow/agent-start", Subagent),
    ("tool-workflow/run-end", Subagent),
    ("tool-workflow/run-start", Subagent),
    ("tool/call", Call),
    ("tool/code-dispatch", Other),
    ("tool/code-dispatch-start", Other),
    ("tool/result", Result),
    ("turn/end", TurnEnd),
    ("turn/start", TurnStart),
    ("user/message", Prompt),
    ("web/deepseek-search-llm-request", Other),
];

/// Types that generations from 1 on know besides, in bytewise order.
pub static LATER: [Word; 11] = [
    ("deliverables/presented", Other),
    ("developer/message", Instruction),
    ("feedback/message-delete", Other),
    ("feedback/message-put", Other),
    ("image/offload", Other),
    ("slots/dispatch", Other),
    ("subagent/catalog", Other),
    ("system/message", Instruction),
    ("tool/ptc-dispatch", Other),
    ("tool/ptc-dispatch-start", Other),
    ("workspace/changes", Other),
];

/// What an event of this type is to a harness that expects this format generation; none when it does not know the type.
#[must_use]
pub fn meaning(generation: u64, kind: &[u8]) -> Option<Meaning> {
    let listed = |list: &[Word]| {
        let row = list.binary_search_by(|word| word.0.as_bytes().cmp(kind)).ok()?;
        Some(list[row].1)
    };
    listed(&BASE).or_else(|| listed(&LATER).filter(|_| generation > 0))
}

#[cfg(test)]
mod tests {
    use super::{BASE, LATER, Meaning, meaning};

    #[test]
    fn lists_are_sorted_and_disjoint() {
        assert!(BASE.is_sorted_by_key(|word| word.0) && LATER.is_sorted_by_key(|word| word.0));
        for (name, _) in LATER {
            assert_eq!(meaning(0, name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn later_types_need_a_later_generation() {
        let of = |generation, kind: &str| meaning(generation, kind.as_bytes());
        assert_eq!((of(0, "turn/start"), of(5, "turn/start")), (Some(Meaning::TurnStart), Some(Meaning::TurnStart)));
        assert_eq!((of(0, "system/message"), of(1, "system/message")), (None, Some(Meaning::Instruction)));
        assert_eq!((of(0, "myplugin/metric"), of(1, "turn")), (None, None));
    }
}
