//! Texts of the rules on how a log is stored, SL512 and SL513. Readers make the findings.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// The first frame is not the header line.
pub static SL512: Rule = Rule {
    code: "SL512",
    name: "Header frame shape",
    slug: "header-frame-shape",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The first frame of the compressed log does not hold exactly the header line.",
        consequence: "The harness does not start while the file is in its sessions folder.",
        next: "Move the file out of the sessions folder; to bring it back, store the header line as a frame of its own.",
    }],
    doc: "A compressed log is a row of Zstandard frames, one for each write. The harness lists its sessions by the first \
frame of each log and wants to find the header line there, whole and alone. A log that was compressed again as one \
piece, or in pieces of equal size, reads well but is refused.\n\n\
```text\n\
frame 1: {\"type\":\"session\",…}\\n{\"type\":\"turn/start\",…}\\n   instead of   frame 1: {\"type\":\"session\",…}\\n\n\
```\n\n\
**Repair.** By hand: decompress the log, then compress the header line and the rest as two frames, one behind the \
other.\n",
};

/// No byte was ever written.
pub static SL513: Rule = Rule {
    code: "SL513",
    name: "Empty artifact",
    slug: "empty-artifact",
    family: Family::Reading,
    severity: Severity::Info,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The log has no bytes.",
        consequence: "The harness leaves it out of its list; nothing is lost, as nothing was written.",
        next: "Delete the file, if you like.",
    }],
    doc: "A file was made for a session and nothing was written to it. Where the format of a file is not known \
beforehand, an empty one is SL001.\n\n\
```console\n\
$ : > session.jsonl.zstd\n\
$ sesslint check --format dsh-jsonl session.jsonl.zstd\n\
```\n\n\
**Repair.** None needed.\n",
};
