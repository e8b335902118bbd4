//! Texts of the rules on versions and unknown records, SL301 and SL302. Readers make the findings.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// A version that is not known.
pub static SL301: Rule = Rule {
    code: "SL301",
    name: "Unsupported format version",
    slug: "unsupported-format-version",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Unsupported,
    texts: &[Text {
        variant: "",
        what: "The log states a format version that is not supported.",
        consequence: "Its records may mean something else than assumed, so its relations were not checked.",
        next: "Export the session in a supported version, or use a newer release of this tool.",
    }],
    doc: "The format says which version it is written in, and this version is not among the supported ones. Judging it \
by the rules of another version would give findings that are not true.\n\n\
```jsonl\n\
{\"schema_version\":\"sesslint.session/v1\",\"version\":99}\n\
```\n\n\
**Repair.** None. Export through a supported version or upgrade.\n",
};

/// A record or format that is not understood.
pub static SL302: Rule = Rule {
    code: "SL302",
    name: "Unknown critical record",
    slug: "unknown-critical-record",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A record is of a type that is not known here and may matter for replay.",
            consequence: "Whether the session replays cannot be told: the record may carry history.",
            next: "Check whether the agent is newer than this tool; report the type if so.",
        },
        Text {
            variant: "unknown-type",
            what: "The log holds a record type that is not known here.",
            consequence: "A program that does not know the type skips such records; what they hold was not checked.",
            next: "Check whether the agent is newer than this tool; report the type if so.",
        },
        Text {
            variant: "critical-field",
            what: "A record has an unknown field that says it must be understood.",
            consequence: "Whether the session replays cannot be told: the field may change its order or links.",
            next: "Check whether the agent is newer than this tool; report the field if so.",
        },
        Text {
            variant: "ambiguous-format",
            what: "The file fits two session formats equally well.",
            consequence: "Nothing was checked.",
            next: "Name the format with --format.",
        },
        Text {
            variant: "not-a-session",
            what: "Nothing in the file looks like a session log of a known format.",
            consequence: "Nothing was checked.",
            next: "Leave the file out, or name its format with --format if it is a session log.",
        },
        Text {
            variant: "unsupported-format",
            what: "The file is a session log of a program whose format is not supported yet.",
            consequence: "Nothing was checked.",
            next: "Leave the file out, or run `sesslint bundle` on it and attach the output to a request for support.",
        },
        Text {
            variant: "format-not-admitted",
            what: "The file has a format that the chosen profile does not admit.",
            consequence: "Nothing was checked.",
            next: "Choose a profile for this format, or leave the file out.",
        },
    ],
    doc: "A record that is not understood cannot simply be skipped: it may be a part of the history. Types that are \
known to be without meaning for replay are not reported.\n\n\
```jsonl\n\
{\"id\":\"x1\",\"parent_id\":\"m1\",\"kind\":\"message\",\"replay_barrier\":true}\n\
```\n\n\
The same code says that the format of a file could not be told.\n\n\
**Repair.** By hand: only who wrote the record knows what it means.\n",
};
