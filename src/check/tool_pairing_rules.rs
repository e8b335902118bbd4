//! Texts of the rules on the number of calls and results, SL101 to SL104.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// A result without a call.
pub static SL101: Rule = Rule {
    code: "SL101",
    name: "Orphan tool result",
    slug: "orphan-tool-result",
    family: Family::ToolPairing1,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A tool result answers a call that is not in the log.",
            consequence: "Older loaders send it and the provider refuses the request; newer ones drop the result silently.",
            next: "Find the lost call, or drop the result with the salvage policy once its side effects are known.",
        },
        Text {
            variant: "no-id",
            what: "A tool result does not say which call it answers.",
            consequence: "The call counts as unanswered, and the result is lost to the model.",
            next: "Give the result the id of its call.",
        },
        Text {
            variant: "call-left-out",
            what: "A tool result answers a call in a message that the loader leaves out because it failed or was aborted.",
            consequence: "The result is sent without its call and the provider refuses the request.",
            next: "Drop the result with the salvage policy once its side effects are known.",
        },
        Text {
            variant: "call-not-sent",
            what: "A tool result stands on the branch that a resume sends, and its call on another one.",
            consequence: "Older loaders send it and the provider refuses the request; newer ones drop the result silently.",
            next: "Find out which branch the two belong to.",
        },
    ],
    doc: "Providers accept a tool result only when the call it answers stands in the same request. The call of this \
result is nowhere in the log.\n\n\
```jsonl\n\
{\"id\":\"r1\",\"parent_id\":\"m1\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\"}\n\
```\n\n\
Usual causes: the line with the call was lost or cut, or history was trimmed between the two.\n\n\
**Repair.** Dropping the result hides that the tool ran, so it is done only under the salvage policy with the side \
effects acknowledged (recipe `orphan-result-drop`).\n",
};

/// A call without a result.
pub static SL102: Rule = Rule {
    code: "SL102",
    name: "Dangling tool call",
    slug: "dangling-tool-call",
    family: Family::ToolPairing1,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "The agent called a tool, went on, and the result of the call is not in the log.",
            consequence: "The loader drops the call or makes up an answer, or the provider refuses the request; \
                          whether the tool ran is unknown.",
            next: "Find out whether the command ran before resuming; look for a lost line behind the call.",
        },
        Text {
            variant: "open-tail",
            what: "The log ends with a tool call that has no result yet.",
            consequence: "If the agent still runs, nothing; if it was stopped, the next resume drops the call or makes up \
                          an answer to it.",
            next: "Nothing while the session runs; otherwise check what the command did before resuming.",
        },
        Text {
            variant: "left-branch",
            what: "A tool call without result stands at the end of a branch that was left.",
            consequence: "A resume does not send that branch, so nothing tells the model or you whether the tool ran.",
            next: "Find out whether the tool ran before it is run again; a repair can remove the call.",
        },
        Text {
            variant: "no-id",
            what: "A tool call has no id, so no result can answer it.",
            consequence: "The call counts as unanswered; its result, if there is one, is lost to the model.",
            next: "Give the call the id that its result names.",
        },
        Text {
            variant: "stopped",
            what: "A tool call was open when the run was stopped or its output was copied.",
            consequence: "Whether the tool came to its end is unknown.",
            next: "Check what the command did before the job is run again.",
        },
        Text {
            variant: "answered-elsewhere",
            what: "The history goes on from a tool call whose result stands on another branch.",
            consequence: "The loader makes up an answer to the call on the branch that is resumed.",
            next: "Nothing; go back to the other branch if the agent should know the result.",
        },
        Text {
            variant: "result-not-sent",
            what: "A tool call stands on the branch that a resume sends, and its result on another one.",
            consequence: "The call is sent without its result and the provider refuses the request.",
            next: "Find out which branch the two belong to.",
        },
    ],
    doc: "Every tool call needs a result before the conversation goes on. A call without one means that the result was \
lost or never written, and that nobody can tell from the log what the tool did.\n\n\
```jsonl\n\
{\"id\":\"t1\",\"parent_id\":\"m1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"m2\",\"parent_id\":\"t1\",\"kind\":\"message\"}\n\
```\n\n\
At the very end of a log (`open-tail`) this is how a running or interrupted session looks.\n\n\
**Repair.** No result is invented. Put the lost record back, or let the salvage policy remove the call, alone or with \
its record, once its side effects are acknowledged (recipe `unanswered-call-removal`).\n",
};

/// One call id for several calls.
pub static SL103: Rule = Rule {
    code: "SL103",
    name: "Reused tool-call ID",
    slug: "reused-tool-call-id",
    family: Family::ToolPairing1,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "Several tool calls share one call id.",
        consequence: "Providers refuse a request in which a call id occurs twice; some loaders drop the second pair.",
        next: "Compare the calls: a call written twice can be removed, two real calls need ids of their own.",
    }],
    doc: "A call id joins one call to one result. When two calls use it, no one can say which result belongs to which.\n\n\
```jsonl\n\
{\"id\":\"t1\",\"parent_id\":\"m1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"t2\",\"parent_id\":\"t1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
```\n\n\
**Repair.** Copies of one call are dropped down to the first (recipe `identical-call-collapse`). Of calls that differ it \
cannot be derived which result answers which; only where the loader takes the last one alone, the salvage policy keeps \
that one (recipe `superseded-copy-drop`).\n",
};

/// Several results for one call.
pub static SL104: Rule = Rule {
    code: "SL104",
    name: "Multiple tool results",
    slug: "multiple-tool-results",
    family: Family::ToolPairing1,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "One tool call has several results.",
            consequence: "Older loaders send them all and the provider refuses; newer ones keep the first and drop the rest.",
            next: "Decide which result is the true one and remove the others.",
        },
        Text {
            variant: "identical-results",
            what: "The same tool result is stored more than once for one call.",
            consequence: "Older loaders send every copy and the provider refuses; newer ones keep the first.",
            next: "Run repair: the results are equal, so dropping the extra ones loses nothing.",
        },
    ],
    doc: "A tool call is answered once. Here two or more results name it.\n\n\
```jsonl\n\
{\"id\":\"t1\",\"parent_id\":\"m1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"r1\",\"parent_id\":\"t1\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"r2\",\"parent_id\":\"r1\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\"}\n\
```\n\n\
A retry after a crash, or a made-up \"interrupted\" result beside the real one, are the usual causes.\n\n\
**Repair.** Equal results are dropped down to the first. Results that differ are never chosen between, but where \
the loader takes the last one alone: there the salvage policy keeps that one (recipe `superseded-copy-drop`).\n",
};
