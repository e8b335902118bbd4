//! Texts of the rules on reading records, SL001 and SL002. Readers make the findings.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// A record that cannot be read.
pub static SL001: Rule = Rule {
    code: "SL001",
    name: "Malformed record",
    slug: "malformed-record",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A record cannot be used as it stands.",
            consequence: "A loader skips it or refuses the file; what it said is lost to the session.",
            next: "Look at this place in the file and compare it with a copy.",
        },
        Text {
            variant: "malformed-line",
            what: "A line in the middle of the log is not valid JSON.",
            consequence: "Loaders skip it without a word, and everything it said is lost; later records may lose their parent.",
            next: "Look at the line: it was probably cut by a crash or a full disk. Put it back from a copy if there is one.",
        },
        Text {
            variant: "non-object-line",
            what: "A line is valid JSON but not a record.",
            consequence: "Loaders skip it; if a record stood here, it is lost.",
            next: "Find out what wrote the line and remove it.",
        },
        Text {
            variant: "nul-bytes",
            what: "The log holds NUL bytes, as a disk leaves them after a power cut.",
            consequence: "Loaders skip the line they stand in; what was written there is lost.",
            next: "Restore the stretch from a copy; the bytes themselves hold nothing.",
        },
        Text {
            variant: "invalid-utf8",
            what: "A line is not valid UTF-8.",
            consequence: "Some loaders replace the bytes, others skip the line or refuse the whole file.",
            next: "Restore the line from a copy, or find the program that wrote in another encoding.",
        },
        Text {
            variant: "spliced-record",
            what: "A record starts in the middle of another one that was cut off.",
            consequence: "Loaders skip the whole line, so both records are lost although the second is complete.",
            next: "Split the line where the second record begins; the first half cannot be saved.",
        },
        Text {
            variant: "concatenated-records",
            what: "Two or more records stand on one line.",
            consequence: "Loaders skip the whole line, so all of its records are lost although each is complete.",
            next: "Put a line end between the records.",
        },
        Text {
            variant: "spread-record",
            what: "A record is printed over several lines, as editors and tools lay out JSON.",
            consequence: "Loaders read line by line: they skip each of the lines, and the record is lost.",
            next: "Run repair: it puts the record on one line.",
        },
        Text {
            variant: "too-deep",
            what: "A record is nested more deeply than loaders accept.",
            consequence: "Parsers give up on it, and the record is lost.",
            next: "Find out which tool output was stored without being flattened.",
        },
        Text {
            variant: "unchecked-depth",
            what: "A record is nested more deeply than is checked.",
            consequence: "The harness reads it at any depth; what it holds was not looked at.",
            next: "Nothing, unless a later finding refers to this record.",
        },
        Text {
            variant: "too-long",
            what: "A record is longer than is read.",
            consequence: "It was not checked; loaders with a limit skip it.",
            next: "Check whether a large file or image was stored inside the log.",
        },
        Text {
            variant: "replaced-bytes",
            what: "A line holds bytes that are not UTF-8.",
            consequence: "The harness replaces them and reads the record; the characters themselves are lost.",
            next: "Nothing, unless the text matters: then find the program that wrote in another encoding.",
        },
        Text {
            variant: "broken-frames",
            what: "The file is, or should be, a row of Zstandard frames, and its structure is broken.",
            consequence: "The harness refuses the session, or does not start at all if the first frame is hit.",
            next: "Move the file out of the sessions folder and restore it from a backup; frames before the defect are intact.",
        },
        Text {
            variant: "undecodable-frame",
            what: "A Zstandard frame of the file cannot be decoded.",
            consequence: "The harness refuses the session, or does not start at all if it is the first frame.",
            next: "Move the file out of the sessions folder and restore it from a backup; the frames before it are intact.",
        },
        Text {
            variant: "empty-input",
            what: "The file is empty.",
            consequence: "There is no session to resume.",
            next: "Check that the right file was given, and whether the disk was full.",
        },
        Text {
            variant: "unreadable-file",
            what: "The file cannot be read.",
            consequence: "Nothing can be said about the session in it.",
            next: "Check its permissions, and whether the link to it still leads somewhere.",
        },
        Text {
            variant: "live-database",
            what: "The file is a database that a running agent writes to, not a log.",
            consequence: "Reading it while it changes could give a false picture, so it is refused.",
            next: "Export the session from the agent and check the export.",
        },
        Text {
            variant: "missing-header",
            what: "The log does not start with the header record that its format asks for.",
            consequence: "Loaders refuse the session, and some overwrite the file with a new one.",
            next: "Make a copy before any resume, then restore the header line.",
        },
        Text {
            variant: "foreign-lines",
            what: "Lines that are no records stand between the records: another program printed to the same output.",
            consequence: "Programs that read the output line by line stop at the first of them, or skip them all.",
            next: "Send the output of the agent to a file of its own.",
        },
        Text {
            variant: "unparsable-line",
            what: "A line of the log is no JSON object.",
            consequence: "The harness refuses the session if a later turn was completed, or drops the log from here on.",
            next: "Restore the line from a copy, or cut the log before it.",
        },
        Text {
            variant: "not-a-record",
            what: "A line is JSON but lacks what every record of the format has.",
            consequence: "The harness refuses the session if a later turn was completed, or drops the log from here on.",
            next: "Restore the line from a copy, or cut the log before it.",
        },
        Text {
            variant: "empty-line",
            what: "An empty line stands between the records.",
            consequence: "The harness refuses the session if a later turn was completed, or drops the log from here on.",
            next: "Remove the empty line.",
        },
        Text {
            variant: "empty-last-lines",
            what: "The last frame ends in empty lines.",
            consequence: "The harness refuses the session: it takes every line of a frame for a record.",
            next: "Unpack the log, remove the empty lines, and pack it again, the header line in a frame of its own.",
        },
        Text {
            variant: "unended-last-line",
            what: "The last record is whole but its line has no end.",
            consequence: "On its next load the harness takes it for incomplete and cuts it off.",
            next: "Add a line end before the harness loads the session.",
        },
        Text {
            variant: "unended-line",
            what: "The last record is whole but its line has no end, and the frame that holds it is complete.",
            consequence: "The harness refuses the session: it never writes a frame without a line end.",
            next: "Unpack the log, add the line end, and pack it again, the header line in a frame of its own.",
        },
        Text {
            variant: "byte-order-mark",
            what: "The file begins with a byte order mark.",
            consequence: "The loader does not find the header behind it and refuses the session.",
            next: "Save the file as UTF-8 without a byte order mark.",
        },
        Text {
            variant: "header",
            what: "The header of the session lacks a field, or names a schema that is not known.",
            consequence: "Without a header that is understood nothing behind it can be read.",
            next: "Restore the header line, or export the session again.",
        },
        Text {
            variant: "event-field",
            what: "A field of an event is missing or has a value that the format does not allow.",
            consequence: "Strict readers refuse the session; here a stand-in was taken, so that the rest could be checked.",
            next: "Correct the field, or export the session again.",
        },
        Text {
            variant: "malformed-item",
            what: "An item of the document is not valid JSON.",
            consequence: "Programs that read the document as a whole refuse all of it.",
            next: "Look at the item and put it back from a copy if there is one.",
        },
        Text {
            variant: "non-object-item",
            what: "An item of the document is valid JSON but not a record.",
            consequence: "Loaders refuse the document or fail on the item.",
            next: "Find out what wrote the item and remove it.",
        },
        Text {
            variant: "document",
            what: "The file as a whole is not the JSON document it should be.",
            consequence: "Nothing in it can be loaded.",
            next: "Open it with a JSON tool to find the place, or export it again.",
        },
    ],
    doc: "Session logs hold one JSON object per line. A line that is not one is skipped by every loader, nearly always \
without a message: the agent goes on and has forgotten what stood there.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"kind\":\"message\",\"payload\":{\"text\":\"he\n\
{\"id\":\"m2\",\"kind\":\"message\",\"payload\":{\"text\":\"hi\"}}\n\
```\n\n\
Usual causes: a crash or a full disk in the middle of a write, two programs writing to one file, a power cut (NUL \
bytes), or a tool that rewrote the file in another encoding.\n\n\
**Repair.** Whole records on a broken line are put on lines of their own, NULs go, and so does a rest that only repeats \
the record behind it (recipes `record-split`, `nul-run-strip`). A record that was laid out over several lines goes back \
to one (`record-join`), and a byte order mark is taken off where a loader stumbles over it (`byte-order-mark-strip`). Any \
other rest, or a line that holds no record, is dropped only under the salvage policy, as a declared loss. In a JSON \
document the list of items is closed where it was cut, and one comma is left between each two (`item-list-mend`). Nothing \
is guessed from half a record.\n",
};

/// The last record was cut.
pub static SL002: Rule = Rule {
    code: "SL002",
    name: "Torn terminal record",
    slug: "torn-terminal-record",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Deterministic,
    texts: &[
        Text {
            variant: "",
            what: "The last record of the log was cut off while it was written.",
            consequence: "The record is lost, and programs that append without a new line will lose the next one too.",
            next: "Run repair before resuming: it removes the torn rest and nothing else.",
        },
        Text {
            variant: "torn-tail",
            what: "The last record of the log was cut off while it was written.",
            consequence: "The record is lost, and programs that append without a new line will lose the next one too.",
            next: "Run repair before resuming: it removes the torn rest and nothing else.",
        },
        Text {
            variant: "non-object-line",
            what: "The last line is valid JSON but not a record.",
            consequence: "Loaders skip it; if a record stood here, it is lost.",
            next: "Run repair before resuming: it removes the line and nothing else.",
        },
        Text {
            variant: "nul-bytes",
            what: "The log ends in NUL bytes, as a disk leaves them after a power cut.",
            consequence: "What was written last is lost; a record appended behind the bytes is lost too.",
            next: "Run repair before resuming: it removes the bytes and nothing else.",
        },
        Text {
            variant: "invalid-utf8",
            what: "The last line ends in the middle of a character.",
            consequence: "Some loaders skip the line, others refuse the whole file.",
            next: "Run repair before resuming: it removes the torn rest and nothing else.",
        },
        Text {
            variant: "torn-frame",
            what: "The last Zstandard frame of the log was cut off while it was written.",
            consequence: "On its next load the harness keeps the whole records of the frame and cuts the rest.",
            next: "Nothing is needed: the frames before it are whole. To have a whole file without that load, repair a copy.",
        },
        Text {
            variant: "not-a-record",
            what: "The last line has no line end and lacks what every record of the format has.",
            consequence: "On its next load the harness cuts it off.",
            next: "Run repair before resuming: it removes the line and nothing else.",
        },
        Text {
            variant: "too-deep",
            what: "The last record is nested more deeply than loaders accept.",
            consequence: "Parsers give up on it, and the record is lost.",
            next: "Find out which tool output was stored without being flattened.",
        },
        Text {
            variant: "too-long",
            what: "The last record is longer than is read.",
            consequence: "It was not checked; loaders with a limit skip it.",
            next: "Check whether a large file or image was stored inside the log.",
        },
    ],
    doc: "The agent was stopped while it wrote the last line: killed, out of disk, out of power. Everything before it \
is whole.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"kind\":\"message\",\"payload\":{\"text\":\"hi\"}}\n\
{\"id\":\"m2\",\"kind\":\"mess\n\
```\n\n\
Resuming on such a file is risky: several programs append their next record to the torn line, so that it is lost as \
well.\n\n\
**Repair.** The torn rest is removed; no complete record is touched.\n",
};
