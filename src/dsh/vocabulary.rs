//! The event types that a harness generation knows, as data.
//!
//! The harness generates its list at build time and refuses a log with any other type, unless the event says that it
//! may be ignored. Plugins cannot add to the list.

/// Types of generation 0, in bytewise order.
pub static BASE: [&str; 52] = [
    "agent-preset/selected",
    "agent/inbox/spliced",
    "approval/asked",
    "approval/decided",
    "approval/policy",
    "assistant/attempt",
    "assistant/chunk",
    "assistant/message",
    "command/done",
    "command/run",
    "compaction/end",
    "compaction/prune",
    "compaction/start",
    "compaction/summary",
    "feedback/record",
    "goal/change",
    "hook/invoked",
    "hook/result",
    "llm/retry",
    "llm/retry-started",
    "model/selection",
    "permission/preset",
    "plan/mode",
    "request/context",
    "request/header",
    "sandbox/mode",
    "schedule/change",
    "session-log-deepseek/delivery-accepted",
    "session/end-seed",
    "session/title",
    "session/title-llm-request",
    "step/end",
    "step/start",
    "subagent/descriptor",
    "subagent/model-selection-policy",
    "team/member",
    "team/message/delivered",
    "team/message/queued",
    "team/task",
    "todo/write",
    "tool-workflow/agent-end",
    "tool-workflow/agent-start",
    "tool-workflow/run-end",
    "tool-workflow/run-start",
    "tool/call",
    "tool/code-dispatch",
    "tool/code-dispatch-start",
    "tool/result",
    "turn/end",
    "turn/start",
    "user/message",
    "web/deepseek-search-llm-request",
];

/// Types that generations from 1 on know besides, in bytewise order.
pub static LATER: [&str; 11] = [
    "deliverables/presented",
    "developer/message",
    "feedback/message-delete",
    "feedback/message-put",
    "image/offload",
    "slots/dispatch",
    "subagent/catalog",
    "system/message",
    "tool/ptc-dispatch",
    "tool/ptc-dispatch-start",
    "workspace/changes",
];

/// Whether a harness that expects this format generation knows an event type.
#[must_use]
pub fn knows(generation: u64, kind: &[u8]) -> bool {
    let listed = |list: &[&str]| list.binary_search_by(|name| name.as_bytes().cmp(kind)).is_ok();
    listed(&BASE) || (generation > 0 && listed(&LATER))
}

#[cfg(test)]
mod tests {
    use super::{BASE, LATER, knows};

    #[test]
    fn lists_are_sorted_and_disjoint() {
        assert!(BASE.is_sorted() && LATER.is_sorted());
        for name in LATER {
            assert!(!BASE.contains(&name), "{name}");
        }
    }

    #[test]
    fn later_types_need_a_later_generation() {
        assert!(knows(0, b"turn/start") && knows(5, b"turn/start"));
        assert!(!knows(0, b"system/message") && knows(1, b"system/message"));
        assert!(!knows(0, b"myplugin/metric") && !knows(1, b"turn"));
    }
}
