//! Commands that are said to be completed although nobody waited for them: SL505.

use super::capped::Capped;
use super::context::{Context, Found, NONE};
use crate::finding::{Repairability, Severity};
use crate::model::content_free::record_id;
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// A completed command without exit code.
pub static SL505: Rule = Rule {
    code: "SL505",
    name: "Abandoned command",
    slug: "abandoned-command",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "A command is recorded as completed without an exit code: the turn ended while it still ran.",
        consequence: "Whether it succeeded, failed or still runs is unknown, and its output is not complete.",
        next: "Check what the command did; let the agent wait for it, or run it outside the agent.",
    }],
    doc: "When a turn ends while a command runs, it may be recorded as completed all the same. The missing exit code \
tells: a command that came to its end has one.\n\n\
```jsonl\n\
{\"type\":\"command\",\"status\":\"completed\",\"exit_code\":null}\n\
```\n\n\
**Repair.** None. Nobody knows how the command ended.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL505);
    for fact in context.session.facts.iter().filter(|fact| fact.kind == FactKind::AbandonedCommand) {
        let mut finding = context.about_fact(&SL505, fact);
        finding.record_id = record_id(&fact.subject);
        let place = format!("{:020}", fact.location.byte_start.unwrap_or(0));
        kept.push(context, &place, Found::one(finding, NONE));
    }
    kept.finish(context)
}
