//! Texts of the rules on checkpoints and side effects, SL201 to SL203.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// Checkpoints do not follow one another.
pub static SL201: Rule = Rule {
    code: "SL201",
    name: "Checkpoint/history divergence",
    slug: "checkpoint-history-divergence",
    family: Family::Checkpoint,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "The numbers of the checkpoints jump: at least one is missing.",
            consequence: "The saved state and the history disagree, so a run that continues from it starts from a guess.",
            next: "Compare the checkpoints with the history and restore the missing one.",
        },
        Text {
            variant: "no-hash",
            what: "A checkpoint says nothing about the state it saved.",
            consequence: "Nobody can tell whether the history led to this state, so continuing from it is a guess.",
            next: "Ask the runtime that wrote the checkpoint for its state hash.",
        },
        Text {
            variant: "no-sequence",
            what: "A checkpoint has no usable sequence number.",
            consequence: "Its place in the history is unknown, so continuing from it is a guess.",
            next: "Find out from the runtime which point of the history it belongs to.",
        },
    ],
    doc: "Checkpoints count up by one and say by a hash which state they saved. A jump, or a checkpoint without a hash, \
means that history and saved state may have parted.\n\n\
```jsonl\n\
{\"id\":\"p0\",\"kind\":\"checkpoint\",\"payload\":{\"seq\":0,\"state_hash\":\"h0\"}}\n\
{\"id\":\"p1\",\"kind\":\"checkpoint\",\"payload\":{\"seq\":4,\"state_hash\":\"h4\"}}\n\
```\n\n\
**Repair.** By hand: how a run continues is the runtime's decision.\n",
};

/// Two states under one number.
pub static SL202: Rule = Rule {
    code: "SL202",
    name: "Accepted terminal output not durable",
    slug: "accepted-terminal-output-not-durable",
    family: Family::Checkpoint,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "Two checkpoints with one number saved different states.",
        consequence: "Output that was accepted once may be lost or produced a second time on resume.",
        next: "Find out which of the two states the outside world has seen.",
    }],
    doc: "The same step was made durable twice, with different results. One of them has been acted upon; the log does \
not tell which.\n\n\
```jsonl\n\
{\"id\":\"p1\",\"kind\":\"checkpoint\",\"payload\":{\"seq\":1,\"state_hash\":\"aa\"}}\n\
{\"id\":\"p2\",\"kind\":\"checkpoint\",\"payload\":{\"seq\":1,\"state_hash\":\"bb\"}}\n\
```\n\n\
**Repair.** By hand: choosing one may repeat work that was done, or lose what was accepted.\n",
};

/// Tools ran where the state is in doubt.
pub static SL203: Rule = Rule {
    code: "SL203",
    name: "Unknown side-effect state",
    slug: "unknown-side-effect-state",
    family: Family::Checkpoint,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "Tools ran after a point at which the saved state is in doubt.",
        consequence: "A resume may run the same commands again, or skip ones that never ran.",
        next: "Check in the outside world what these tools did before you resume.",
    }],
    doc: "After a checkpoint that diverges, or a compaction without a checkpoint behind it, it is unknown which side \
effects are included in the state. The first tool event behind that point is reported, once.\n\n\
```jsonl\n\
{\"id\":\"k1\",\"kind\":\"compaction_boundary\"}\n\
{\"id\":\"t1\",\"kind\":\"tool_call\",\"correlation_id\":\"c1\"}\n\
```\n\n\
**Repair.** None: what a tool did cannot be read from the log.\n",
};
