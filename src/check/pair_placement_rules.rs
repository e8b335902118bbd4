//! Texts of the rules on where a call and its result stand, SL105 to SL108.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// The result comes first.
pub static SL105: Rule = Rule {
    code: "SL105",
    name: "Tool result precedes call",
    slug: "tool-result-precedes-call",
    family: Family::ToolPairing2,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "A tool result stands before the call it answers.",
        consequence: "The loader sends them in this order and the provider refuses the request.",
        next: "Put the two records back in order, or restore the log from a copy.",
    }],
    doc: "A result is valid only after its call. Here the history, as it would be replayed, has them the other way \
round.\n\n\
```jsonl\n\
{\"id\":\"r1\",\"parent_id\":\"m1\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"t1\",\"parent_id\":\"r1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
```\n\n\
Formats that are ordered by parent links, not by lines, are judged by the links.\n\n\
**Repair.** Where order alone is the history of a native log, the salvage policy puts the result behind its call \
(recipe `early-result-move`); nothing is lost by it. Elsewhere by hand: swapping records may hide that one of them belongs \
elsewhere.\n",
};

/// Call and result belong to different branches.
pub static SL106: Rule = Rule {
    code: "SL106",
    name: "Cross-branch tool pairing",
    slug: "cross-branch-tool-pairing",
    family: Family::ToolPairing2,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A tool call and its result stand on branches of their own, or in parts that are not connected.",
            consequence: "Whichever part is resumed, it holds a call without result or a result without call.",
            next: "Find out which branch the two belong to, or the lost link between the parts.",
        },
        Text {
            variant: "other-scope",
            what: "A tool call and its result belong to different agents, branches or interactions.",
            consequence: "Replaying either side alone leaves a call or a result without its partner.",
            next: "Check which side the pair belongs to; two sessions may have been mixed.",
        },
    ],
    doc: "A call and its result must lie on one branch, since only one branch is replayed. Here the scope written on \
the two records differs, or no chain of parents leads from one to the other. The results of parallel calls may hang on \
any of these calls.\n\n\
```jsonl\n\
{\"id\":\"t1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\",\"branch_id\":\"main\"}\n\
{\"id\":\"r1\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\",\"branch_id\":\"side\"}\n\
```\n\n\
**Repair.** By hand: moving a record to another branch changes what was said there.\n",
};

/// Something stands between call and result.
pub static SL107: Rule = Rule {
    code: "SL107",
    name: "Provider adjacency violation",
    slug: "provider-adjacency-violation",
    family: Family::ToolPairing2,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "Other records stand between a tool call and its result.",
        consequence: "Providers that want the result right behind the call refuse the request.",
        next: "Check again with the profile of the provider you resume with.",
    }],
    doc: "Strict providers want the result of a call in the very next turn. Anything but tool events in between breaks \
that.\n\n\
```jsonl\n\
{\"id\":\"t1\",\"parent_id\":\"m1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"m2\",\"parent_id\":\"t1\",\"kind\":\"message\"}\n\
{\"id\":\"r1\",\"parent_id\":\"m2\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\"}\n\
```\n\n\
Under strict profiles this is an error. Formats that keep their history in parent links are judged along them: there \
only another turn between the two counts.\n\n\
**Repair.** In logs with parent links the result goes back to its call, and what stood between them behind it (recipe \
`displaced-result-reunion`). Elsewhere by hand, or none where the provider accepts it.\n",
};

/// A compaction separates call and result.
pub static SL108: Rule = Rule {
    code: "SL108",
    name: "Compaction split pair",
    slug: "compaction-split-pair",
    family: Family::ToolPairing2,
    severity: Severity::Warning,
    repairability: Repairability::Deterministic,
    texts: &[
        Text {
            variant: "",
            what: "History was compacted between a tool call and its result.",
            consequence: "Only the result is sent: older loaders get a refusal for it, newer ones drop it silently.",
            next: "Run repair to bring the pair to one side of the compaction.",
        },
        Text {
            variant: "several-boundaries",
            what: "History was compacted more than once between a tool call and its result.",
            consequence: "Only the result is sent: older loaders get a refusal for it, newer ones drop it silently.",
            next: "Run repair with the salvage policy; which side the pair belongs to is a choice.",
        },
        Text {
            variant: "kept-result",
            what: "A compaction keeps a tool result and leaves out the call that it answers.",
            consequence: "The result is sent without its call and the provider refuses the request.",
            next: "Let the compaction keep the call as well, by naming its record as the first kept one.",
        },
        Text {
            variant: "nothing-kept",
            what: "A compaction names a first kept record that does not stand before it.",
            consequence: "Only the summary is sent; what should have been kept is lost without a word.",
            next: "Find the record that was meant, or restore the log from a copy.",
        },
    ],
    doc: "A compaction replaces everything before it by a summary. A call before it and its result behind it are torn \
apart: the result is replayed without the call.\n\n\
```jsonl\n\
{\"id\":\"t1\",\"parent_id\":\"m1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
{\"id\":\"k1\",\"parent_id\":\"t1\",\"kind\":\"compaction_boundary\"}\n\
{\"id\":\"r1\",\"parent_id\":\"k1\",\"kind\":\"tool_result\",\"correlation_id\":\"c1\"}\n\
```\n\n\
**Repair.** With one boundary inside, the pair is brought together. With several it is a choice, made only under the \
salvage policy. A compaction whose first kept record is gone says from then on that it keeps none, which is what its \
loader does with it (recipe `lost-kept-record`).\n",
};
