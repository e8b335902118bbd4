//! History that stands in the log and that a resume does not send: SL514.

use super::capped::Capped;
use super::context::{Context, Found, NONE};
use crate::finding::{Repairability, Severity};
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// Live content that a resume leaves out.
pub static SL514: Rule = Rule {
    code: "SL514",
    name: "History left out on resume",
    slug: "history-left-out",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "Records stand in the log that a resume will not send.",
            consequence: "The agent goes on without them and says nothing about it.",
            next: "Find out where the log was joined or rewritten, and keep the part that belongs to the session.",
        },
        Text {
            variant: "second-header",
            what: "A second header stands in the middle of the log.",
            consequence: "The loader drops everything above it without a word: the agent forgets it.",
            next: "If two logs were joined, take them apart; otherwise remove the second header.",
        },
    ],
    doc: "A loader begins to read where the format says that the session begins. What stands elsewhere is lost to the \
agent although it is still in the file.\n\n\
```jsonl\n\
{\"type\":\"header\",\"id\":\"s1\"}\n\
{\"type\":\"message\",\"id\":\"m1\"}\n\
{\"type\":\"header\",\"id\":\"s2\"}\n\
```\n\n\
**Repair.** A second header that is a copy of the first goes under the salvage policy (recipe `copied-header-drop`). \
Otherwise by hand: which part is the session cannot be read from the log.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL514);
    for fact in context.session.facts.iter().filter(|fact| fact.kind == FactKind::SecondHeader) {
        let mut finding = context.about_fact(&SL514, fact);
        finding.variant = "second-header";
        finding.severity = Severity::Error;
        finding.subject.part = finding.variant.into();
        let place = format!("{:012}", fact.location.line.unwrap_or(0));
        kept.push(context, &place, Found::one(finding, NONE));
    }
    kept.finish(context)
}
