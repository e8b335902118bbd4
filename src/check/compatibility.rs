//! Texts of the rules on versions and unknown records, SL301 and SL302. Readers make the findings.

use crate::finding::{Finding, Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// A version that is not known.
pub static SL301: Rule = Rule {
    code: "SL301",
    name: "Unsupported format version",
    slug: "unsupported-format-version",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Unsupported,
    texts: &[
        Text {
            variant: "",
            what: "The log states a format version that is not supported.",
            consequence: "Its records may mean something else than assumed, so its relations were not checked.",
            next: "Export the session in a supported version, or use a newer release of this tool.",
        },
        Text {
            variant: "newer",
            what: "The log states a newer format version than any that is known.",
            consequence: "It was read as the newest known version, as current loaders do.",
            next: "Use a newer release of this tool if findings look wrong.",
        },
        Text {
            variant: "unseen-version",
            what: "The log states a version that this tool was not tried with.",
            consequence: "It was read and checked all the same; a newer version may have changed what its records mean.",
            next: "Report the version if a finding does not make sense.",
        },
    ],
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
            variant: "run-state",
            what: "The file is the state of an interrupted run, not a list of session items.",
            consequence: "Nothing was checked: its items follow rules of their own.",
            next: "Export the items of the session to check them.",
        },
        Text {
            variant: "job-log",
            what: "The file is a job log in which the output of an agent stands between and behind other text.",
            consequence: "Nothing was checked: records taken out of such a log are not complete.",
            next: "Send the output of the agent to a file of its own and check that file.",
        },
        Text {
            variant: "format-not-admitted",
            what: "The file has a format that the chosen profile does not admit.",
            consequence: "Nothing was checked.",
            next: "Choose a profile for this format, or leave the file out.",
        },
        Text {
            variant: "dropped-record",
            what: "A record lacks a field that its loader needs, or has one of another kind.",
            consequence: "The loader drops the record, or what belongs to it, without a word.",
            next: "Compare the record with its neighbours and put the field right, or restore the record from a copy.",
        },
        Text {
            variant: "missing-beginning",
            what: "The output does not begin with the record that begins a run.",
            consequence: "What happened before the first record is unknown; results without call were not reported.",
            next: "Keep the whole output of the job, not only its tail.",
        },
        Text {
            variant: "refused-header",
            what: "The header of the log lacks a field that its loader needs.",
            consequence: "The loader refuses the session.",
            next: "Restore the header from a copy of the log.",
        },
        Text {
            variant: "cut-history",
            what: "A record does not say which record stands before it.",
            consequence: "On resume everything above this record is lost without a word.",
            next: "Restore the link from a copy of the log; only a first record has none, and says so.",
        },
        Text {
            variant: "stops-loader",
            what: "A message lacks a part that no message may lack.",
            consequence: "At least one version of the loader stops with an exception on every resume.",
            next: "Restore the record from a copy of the log, or remove it and relink what hangs on it.",
        },
        Text {
            variant: "unknown-role",
            what: "A message is of a role that its loader does not know.",
            consequence: "The loader leaves the message out without a word.",
            next: "Check whether the agent is newer than its loader.",
        },
    ],
    doc: "A record that is not understood cannot simply be skipped: it may be a part of the history. Types that are \
known to be without meaning for replay are not reported.\n\n\
```jsonl\n\
{\"id\":\"x1\",\"parent_id\":\"m1\",\"kind\":\"message\",\"replay_barrier\":true}\n\
```\n\n\
The same code says that the format of a file could not be told.\n\n\
**Repair.** A record that lost its id gets back the one that links prove, or goes under the salvage policy (recipe \
`lost-id-restore`). Anything else by hand: only who wrote the record knows what it means.\n",
};

/// Whether a finding is an error because the format, its version or a type in it is not known. That a record of a known
/// format lacks a field is none of these.
#[must_use]
pub fn is_about_format(finding: &Finding) -> bool {
    let unknown = [
        "",
        "critical-field",
        "ambiguous-format",
        "not-a-session",
        "unsupported-format",
        "job-log",
        "format-not-admitted",
    ];
    let is_unknown = finding.code() == SL301.code || finding.code() == SL302.code && unknown.contains(&finding.variant);
    is_unknown && finding.severity >= Severity::Error
}
