//! Messages printed piece by piece: SL504.

use super::capped::Capped;
use super::context::{Context, Found, NONE};
use crate::finding::{Repairability, Severity};
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// Pieces that never became a message.
pub static SL504: Rule = Rule {
    code: "SL504",
    name: "Partial message",
    slug: "partial-message",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A message was printed piece by piece and is not complete.",
            consequence: "A program that joins the pieces shows half an answer.",
            next: "Look for a broken connection or a lost part of the output.",
        },
        Text {
            variant: "unfinished",
            what: "A message that is printed piece by piece breaks off.",
            consequence: "A program that joins the pieces shows half an answer, or waits for the rest.",
            next: "Look for a broken connection, or for lines of the output that were lost.",
        },
        Text {
            variant: "without-final",
            what: "A message was printed piece by piece, but never as a whole.",
            consequence: "A program that reads whole messages only does not see this one.",
            next: "Look for lines of the output that were lost.",
        },
    ],
    doc: "With partial messages switched on, each message is printed in pieces and then once more as a whole. Pieces \
without an end, or without the whole message, mean that output was lost.\n\n\
```jsonl\n\
{\"type\":\"piece\",\"of\":\"m1\",\"text\":\"he\"}\n\
```\n\n\
In a run that has no end itself this is information only.\n\n\
**Repair.** None. The missing part is made up by nobody.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL504);
    for fact in &context.session.facts {
        let (variant, run_ended) = match fact.kind {
            FactKind::PartialUnfinished { run_ended } => ("unfinished", run_ended),
            FactKind::PartialWithoutFinal { run_ended } => ("without-final", run_ended),
            _ => continue,
        };
        let mut finding = context.about_fact(&SL504, fact);
        finding.variant = variant;
        finding.severity = if run_ended { Severity::Warning } else { Severity::Info };
        finding.subject.part = variant.into();
        let place = format!("{:020}", fact.location.byte_start.unwrap_or(0));
        kept.push(context, &place, Found::one(finding, NONE));
    }
    kept.finish(context)
}
