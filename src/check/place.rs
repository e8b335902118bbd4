//! Texts of the rules on where a log lies, SL510 and SL511. Only who looks at a whole sessions folder can judge that: a
//! log that was copied to be checked lies elsewhere and is no worse for it.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// The session directory is another one than the header names.
pub static SL510: Rule = Rule {
    code: "SL510",
    name: "Session path mismatch",
    slug: "session-path-mismatch",
    family: Family::Place,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The directory of the log is not the one that belongs to the id in its header.",
        consequence: "The harness does not start while the file is in its sessions folder.",
        next: "Rename the directory to the name that `sesslint dsh-audit` gives, or move it out of the sessions folder.",
    }],
    doc: "The harness derives the place of a log from its header, and wants to find it there. A directory that was \
renamed, or copied under another name, keeps the harness from starting at all.\n\n\
```text\n\
sessions/--srv-app--/backup-of-s1/session.jsonl   header: {\"type\":\"session\",\"id\":\"s1\",\"cwd\":\"/srv/app\"}\n\
```\n\n\
Reported by `sesslint dsh-audit` only.\n\n\
**Repair.** By hand: rename the directory, or move it away.\n",
};

/// The project directory is another one than the header's working directory has.
pub static SL511: Rule = Rule {
    code: "SL511",
    name: "Project path mismatch",
    slug: "project-path-mismatch",
    family: Family::Place,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The log lies in a project directory that does not belong to the working directory in its header.",
        consequence: "The harness that was measured does not start while the file is in its sessions folder.",
        next: "Move the session directory to the project that `sesslint dsh-audit` gives, or out of the sessions folder.",
    }],
    doc: "The name of a project directory is made from the working directory of its sessions. How it is made differs \
between versions of the harness, so this is a warning unless the audit is strict.\n\n\
```text\n\
sessions/--srv-other--/s1/session.jsonl   header: {\"type\":\"session\",\"id\":\"s1\",\"cwd\":\"/srv/app\"}\n\
```\n\n\
Reported by `sesslint dsh-audit` only.\n\n\
**Repair.** By hand: move the directory.\n",
};
