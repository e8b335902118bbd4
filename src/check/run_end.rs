//! Runs of printed streams: SL503 for a run without end marker, or with more than one.
//!
//! Calls that were open when the stream broke off follow from it; see [`super::cause`].

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, NONE, evidence};
use crate::finding::{Finding, Repairability, Severity, Stage};
use crate::model::session::{FactKind, Run};
use crate::rule::{Family, Rule, Text};

/// A run that did not come to its end.
pub static SL503: Rule = Rule {
    code: "SL503",
    name: "Run without end",
    slug: "run-without-end",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "The run has no end marker: it was stopped, timed out, or the output was copied while it ran.",
            consequence: "What the agent did last and whether it reached its goal cannot be told from this output.",
            next: "Look at the job for a timeout or a kill, and upload the output only after the agent has exited.",
        },
        Text {
            variant: "extra-end",
            what: "The run has more than one end marker.",
            consequence: "Programs that read the result take one of them, and not all the same.",
            next: "Check whether a wrapper adds an end marker of its own.",
        },
    ],
    doc: "A program that prints its run as records ends with one that says how it went. Here it is missing: the process \
was killed, ran into a timeout, or somebody copied the output too early. Commands that were running at that moment are \
listed as consequences.\n\n\
```jsonl\n\
{\"type\":\"start\"}\n\
{\"type\":\"command\",\"status\":\"running\"}\n\
```\n\n\
Under a strict profile this is an error.\n\n\
**Repair.** None. No end is made up for a run that had none.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL503);
    for (number, run) in context.session.runs.iter().enumerate().filter(|(_, run)| !run.ended) {
        let finding = without_end(context, number, run);
        let last = run.events.1.checked_sub(1).filter(|&last| last >= run.events.0).unwrap_or(NONE);
        push(context, &mut kept, Found::one(finding, last));
    }
    for fact in context.session.facts.iter().filter(|fact| fact.kind == FactKind::ExtraEnd) {
        let mut finding = context.about_fact(&SL503, fact);
        finding.variant = "extra-end";
        finding.subject.part = finding.variant.into();
        push(context, &mut kept, Found::one(finding, NONE));
    }
    kept.finish(context)
}

fn without_end(context: &Context<'_>, number: usize, run: &Run) -> Finding {
    let mut finding = Finding::new(&SL503, Stage::Checking);
    finding.severity = context.profile.raise(SL503.severity);
    finding.line = run.last.line;
    finding.location = run.last;
    finding.evidence = evidence(json!({ "last_type": run.last_type, "run": number + 1 }));
    // A run that grows keeps its identity: it is named by its number, not by its last record.
    finding.subject.part = format!("run {}", number + 1);
    finding
}

fn push(context: &Context<'_>, kept: &mut Capped, found: Found) {
    let place = format!("{:020}", found.finding.location.byte_start.unwrap_or(0));
    kept.push(context, &place, found);
}
