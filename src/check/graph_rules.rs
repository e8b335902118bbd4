//! Texts of the rules on parent links, SL004 to SL007.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// A parent that is not in the log.
pub static SL004: Rule = Rule {
    code: "SL004",
    name: "Missing parent",
    slug: "missing-parent",
    family: Family::Graph,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A record names a parent that is not in the log.",
            consequence: "On resume everything above this record is lost without a word: the agent forgets it.",
            next: "Look for the lost record just above this line or in a copy of the log, and put it back.",
        },
        Text {
            variant: "sequence-gap",
            what: "Numbers are missing in the count of the events: events were lost here.",
            consequence: "The harness refuses the session if a later turn was completed, or drops the log from here on.",
            next: "Restore the log from a copy; the lost events cannot be made up.",
        },
        Text {
            variant: "unknown-caller",
            what: "A record of a sub-agent names a call that was not printed before it.",
            consequence: "What started the sub-agent, and what its result belongs to, cannot be told.",
            next: "Look for lost lines of the output above this record.",
        },
    ],
    doc: "History is read by walking from the last record to its parent, and so on to the first. Where a parent is \
missing, the walk ends, and all older history is left out of the next request. Nothing is said about it.\n\n\
Usual causes: a line that was cut or lost in a crash or on a full disk, two records run together on one line, or a \
line deleted by hand. Tool results behind the gap may have lost their call as well; they are listed as consequences.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"parent_id\":null,\"kind\":\"message\"}\n\
{\"id\":\"m3\",\"parent_id\":\"m2\",\"kind\":\"message\"}\n\
```\n\n\
**Repair.** Where the rest of the lost record or the running numbers prove it, the child is hung on the record above \
the lost one (recipe `proven-unique-parent-restore`). Else a parent is guessed only under the salvage policy, and \
declared: the last record of the same chain before the gap (`nearest-parent-relink`).\n",
};

/// Parents in a circle.
pub static SL005: Rule = Rule {
    code: "SL005",
    name: "Parent cycle",
    slug: "parent-cycle",
    family: Family::Graph,
    severity: Severity::Fatal,
    repairability: Repairability::Unsupported,
    texts: &[Text {
        variant: "",
        what: "Records name each other as parents in a circle, so the history has no beginning.",
        consequence: "A loader that walks this chain hangs, crashes or gives up.",
        next: "Restore the log from a copy; there is no right place to cut the circle.",
    }],
    doc: "Walking from a record to its parent must end at a first record. Here it comes back to where it started.\n\n\
```jsonl\n\
{\"id\":\"a\",\"parent_id\":\"b\",\"kind\":\"message\"}\n\
{\"id\":\"b\",\"parent_id\":\"a\",\"kind\":\"message\"}\n\
```\n\n\
No agent writes this; it comes from edits, merges or generated files. Loaders that do not expect it spin until memory \
or patience ends.\n\n\
**Repair.** Only under the salvage policy: the circle is opened at its earliest record, which then hangs on what stood \
before it (recipe `cycle-break`). Which link was wrong is a guess, and declared.\n",
};

/// A part that hangs on nothing.
pub static SL006: Rule = Rule {
    code: "SL006",
    name: "Disconnected branch",
    slug: "disconnected-branch",
    family: Family::Graph,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "Some records are not connected with the rest of the history.",
        consequence: "A resume sees one connected part and leaves the other out.",
        next: "Find out whether the parts belong together; if so, the link between them was lost.",
    }],
    doc: "All records of a session should hang together through their parents. This one has a second part with a \
beginning of its own; the largest part counts as the main one.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"parent_id\":null,\"kind\":\"message\"}\n\
{\"id\":\"m2\",\"parent_id\":\"m1\",\"kind\":\"message\"}\n\
{\"id\":\"x1\",\"parent_id\":null,\"kind\":\"message\"}\n\
```\n\n\
Where a lost parent (SL004) explains the gap, this finding is attached to it. Formats in which several beginnings are \
ordinary never report it alone.\n\n\
**Repair.** By hand: give the part its parent back, or move it to a file of its own.\n",
};

/// More than one end.
pub static SL007: Rule = Rule {
    code: "SL007",
    name: "Ambiguous session head",
    slug: "ambiguous-session-head",
    family: Family::Graph,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The history has more than one end, so it is not clear where the session goes on.",
        consequence: "A resume continues from one end and leaves out what leads to the others.",
        next: "Decide which end is the live one.",
    }],
    doc: "A head is a record that nobody names as parent: the end of a branch. With two or more, a loader has to pick \
one, and different loaders pick differently.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"parent_id\":null,\"kind\":\"message\"}\n\
{\"id\":\"m2\",\"parent_id\":\"m1\",\"kind\":\"message\"}\n\
{\"id\":\"m3\",\"parent_id\":\"m1\",\"kind\":\"message\"}\n\
```\n\n\
Formats in which branches are ordinary never report it alone.\n\n\
**Repair.** By hand: which branch is meant cannot be read from the log.\n",
};
