//! Turns that were begun and not ended: SL508.

use super::capped::Capped;
use super::context::{Context, Found, NONE};
use crate::finding::{Repairability, Severity};
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// The last turn is open.
pub static SL508: Rule = Rule {
    code: "SL508",
    name: "Open turn",
    slug: "open-turn",
    family: Family::Reading,
    severity: Severity::Info,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The last turn of the log was begun and not ended.",
        consequence: "On its next load the harness closes the turn as interrupted and goes on.",
        next: "Nothing: the session is still running, or was stopped.",
    }],
    doc: "A turn begins and ends with an event of its own. A log that ends between the two belongs to a session that \
runs, or that was stopped.\n\n\
```jsonl\n\
{\"type\":\"turn/start\",\"seq\":0,\"data\":{\"turn\":1}}\n\
```\n\n\
**Repair.** None needed.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL508);
    for fact in context.session.facts.iter().filter(|fact| fact.kind == FactKind::OpenTurn) {
        kept.push(context, "", Found::one(context.about_fact(&SL508, fact), NONE));
    }
    kept.finish(context)
}
