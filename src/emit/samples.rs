//! Hand-built reports that every emitter is tested with.

use serde_json::json;

use super::{Format, Options, write};
use crate::finding::{Finding, Location, Repairability, Severity, Stage, Standing, Subject};
use crate::model::outline::Outline;
use crate::report::{Assurance, Counts, Coverage, Detection, Report, SkipReason};
use crate::rule::profile::NEUTRAL;
use crate::rule::{Family, Rule, Text};

pub(crate) static TORN: Rule = Rule {
    code: "SL002",
    name: "Torn terminal record",
    slug: "torn-terminal-record",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Deterministic,
    texts: &[Text {
        variant: "",
        what: "The last record was cut off while it was written.",
        consequence: "The agent skips it on resume, so the last step of the session is lost.",
        next: "Remove the torn record.",
    }],
    doc: "The last record is **torn**.\n",
};

pub(crate) static MISSING_PARENT: Rule = Rule {
    code: "SL004",
    name: "Missing parent",
    slug: "missing-parent",
    family: Family::Graph,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A record points to a parent that is not in this file.",
            consequence: "Everything before it is cut off when the session is resumed.",
            next: "Find the file that holds the parent, or start a new session from here.",
        },
        Text {
            variant: "forward",
            what: "A record points to a parent that is written later.",
            consequence: "Some versions cut the history here.",
            next: "Put the records in order.",
        },
    ],
    doc: "A parent is missing.\n",
};

pub(crate) static ORPHAN: Rule = Rule {
    code: "SL101",
    name: "Orphan tool result",
    slug: "orphan-tool-result",
    family: Family::ToolPairing1,
    severity: Severity::Error,
    repairability: Repairability::LossyExplicit,
    texts: &[Text {
        variant: "",
        what: "A tool result answers a call that is not in this file.",
        consequence: "The provider refuses the request with status 400.",
        next: "Drop the result.",
    }],
    doc: "A result without its call.\n",
};

pub(crate) static HANG: Rule = Rule {
    code: "SL005",
    name: "Parent cycle",
    slug: "parent-cycle",
    family: Family::Graph,
    severity: Severity::Fatal,
    repairability: Repairability::Unsupported,
    texts: &[Text {
        variant: "",
        what: "Records are each other's parents.",
        consequence: "The agent hangs while it loads the session.",
        next: "Start a new session.",
    }],
    doc: "A cycle.\n",
};

pub(crate) static ORDINALS: Rule = Rule {
    code: "SL506",
    name: "Ordinals",
    slug: "ordinals",
    family: Family::Identity,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "A number is missing in the count of records.",
        consequence: "",
        next: "Compare with the harness's own log.",
    }],
    doc: "",
};

pub(crate) static NOTE: Rule = Rule {
    code: "SL514",
    name: "Leaf hazard",
    slug: "leaf-hazard",
    family: Family::Graph,
    severity: Severity::Info,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "A branch that is not resumed holds live content.",
        consequence: "A resume does not send it.",
        next: "Nothing has to be done.",
    }],
    doc: "",
};

/// The rules above, by code.
pub(crate) static RULES: &[&Rule] = &[&TORN, &MISSING_PARENT, &HANG, &ORPHAN, &ORDINALS, &NOTE];

/// A finding at the start of a line of 100 bytes.
pub(crate) fn at(rule: &'static Rule, line: u64) -> Finding {
    let mut finding = Finding::new(rule, Stage::Checking);
    finding.location = Location {
        line: Some(line),
        column: Some(1),
        byte_start: Some((line - 1) * 100),
        byte_end: Some(line * 100),
        item: None,
    };
    finding.subject = Subject { record: format!("m{line}"), part: String::new() };
    finding.fingerprint = format!("{line:016x}");
    finding.stable_id = format!("{:x<5}{line:027x}", rule.code.to_lowercase());
    finding
}

fn report(path: &str, findings: Vec<Finding>) -> Report {
    let name = path.rsplit('/').next().unwrap_or(path);
    let counts = Counts::of(&findings);
    Report {
        path: path.into(),
        minimised_path: format!(".._0123abcd/{name}"),
        repo_path: Some(path.into()),
        session_id: name.trim_end_matches(".jsonl").into(),
        source_fingerprint: "5e".repeat(32),
        source_size: 4_200,
        format: "claude-code-jsonl",
        format_name: "Claude Code",
        format_version: "1.0.0",
        detection: Detection { manual: false, confidence: Some(0.9), reason: "clear-winner", scores: vec![] },
        profile: &NEUTRAL,
        records: 42,
        events: 40,
        kinds: std::collections::BTreeMap::new(),
        findings,
        counts,
        assurance: if counts.failing() > 0 {
            Assurance::A1
        } else if counts.warning > 0 {
            Assurance::A2
        } else {
            Assurance::A3
        },
        coverage: Coverage {
            performed: vec!["SL002", "SL004", "SL101", "graph"],
            skipped: vec![],
            additional: vec!["SL506", "SL514"],
        },
        outline: None,
    }
}

/// Nothing found.
pub(crate) fn clean() -> Report {
    report("logs/clean.jsonl", vec![])
}

/// Every severity, consequences, a known finding, a skipped check.
pub(crate) fn broken() -> Report {
    let mut missing = at(&MISSING_PARENT, 3);
    missing.record_id = Some("m3".into());
    missing.line = Some(3);
    missing.evidence.insert("parent_id".into(), "gone".into());
    missing.evidence.insert("byte_offset".into(), 200.into());
    missing.evidence.insert("rejected_decoys".into(), json!([{"id": "m1", "index": 0}]));
    missing.detail.insert("loaders".into(), json!(["2.0", "2.1"]));
    missing.line_hash = Some("d4d71fc6bb4a53c6:1".into());
    missing.consequences = (4..12).map(|line| at(&ORPHAN, line)).collect();
    let mut forward = at(&MISSING_PARENT, 20);
    forward.variant = "forward";
    forward.severity = Severity::Warning;
    let mut known = at(&ORPHAN, 30);
    known.standing = Some(Standing::Known);
    let findings = vec![missing, at(&HANG, 13), forward, at(&ORDINALS, 21), known, at(&NOTE, 33), at(&TORN, 42)];
    let mut report = report("logs/broken one.jsonl", findings);
    report.outline = Outline::parse(42, &"pmcr".repeat(11)[..42], &format!("{}0", "01".repeat(21))[..42]);
    report.coverage.skipped = vec![("SL301", SkipReason::VersionGated), ("content", SkipReason::ProfileGated)];
    report
}

/// A name that tries to speak to the runner, the page and the shell.
pub(crate) fn hostile() -> Report {
    let mut finding = at(&TORN, 2);
    finding.record_id = Some("##[error]`x`|<b>@all {0} [a](1)".into());
    report("a,b:c%0A|`\n::error::<script>##[error]\u{202e}.jsonl", vec![finding])
}

/// A file that is one JSON document.
pub(crate) fn document() -> Report {
    let findings = (1..4)
        .map(|item| {
            let mut finding = at(&ORPHAN, 1);
            finding.location.item = Some(item * 2);
            finding.location.byte_start = Some(item * 50);
            finding.location.byte_end = Some(item * 50 + 40);
            finding
        })
        .collect();
    report("session.json", findings)
}

/// As many findings of two kinds.
pub(crate) fn many(count: u64) -> Report {
    let findings =
        (1..=count).map(|line| if line % 4 == 0 { at(&ORDINALS, line * 3) } else { at(&ORPHAN, line * 3) }).collect();
    report("logs/many.jsonl", findings)
}

/// A file in which nothing can be concluded, outside the repository.
pub(crate) fn empty() -> Report {
    let mut report = report("/elsewhere/empty.jsonl", vec![]);
    report.repo_path = None;
    report.assurance = Assurance::A0;
    report.events = 0;
    report.coverage = Coverage::default();
    report
}

/// Each of the above.
pub(crate) fn all() -> Vec<Report> {
    vec![clean(), broken(), hostile(), document(), many(10_000), empty()]
}

/// What a format makes of the reports, with the default options.
pub(crate) fn text(format: Format, reports: &[Report]) -> String {
    text_with(format, reports, &Options { tool_version: "9.9.9", ..Options::default() })
}

/// What a format makes of the reports.
pub(crate) fn text_with(format: Format, reports: &[Report], options: &Options) -> String {
    let mut out = Vec::new();
    write(format, reports, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
