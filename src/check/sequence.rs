//! Logs whose events are numbered without a hole: SL004 for missing numbers, SL507 for numbers out of order.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, NONE, evidence};
use super::graph_rules::SL004;
use crate::finding::{Repairability, Severity};
use crate::model::content_free::record_id;
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// A number that was used before, or that comes late.
pub static SL507: Rule = Rule {
    code: "SL507",
    name: "Event numbers out of order",
    slug: "event-order",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "An event has a number that is smaller than that of the event before it.",
            consequence: "The harness refuses the session if a later turn was completed, or drops the log from here on.",
            next: "Put the events back in order from a copy; two programs may have written to the log.",
        },
        Text {
            variant: "repeated",
            what: "An event has a number that an earlier event has.",
            consequence: "The harness refuses the session if a later turn was completed, or drops the log from here on.",
            next: "Compare the events and keep one; two programs may have written to the log.",
        },
    ],
    doc: "Each event has the number of its place in the log. A number that comes late or twice means that lines were \
moved, copied or written by two programs at once. Missing numbers are SL004.\n\n\
```jsonl\n\
{\"type\":\"step/start\",\"seq\":4}\n\
{\"type\":\"step/end\",\"seq\":3}\n\
```\n\n\
**Repair.** By hand: which order is right cannot be told for certain.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut gaps = Capped::new(&SL004);
    let mut others = Capped::new(&SL507);
    for fact in &context.session.facts {
        let place = format!("{:020}", fact.location.byte_start.unwrap_or(0));
        match fact.kind {
            FactKind::SequenceGap { expected, found } => {
                let mut finding = context.about_fact(&SL004, fact);
                finding.variant = "sequence-gap";
                finding.record_id = record_id(&fact.subject);
                finding.related = vec![fact.subject.clone(), format!("seq:{}", found - 1)];
                finding.evidence = evidence(json!({ "expected": expected, "found": found }));
                gaps.push(context, &place, Found::one(finding, NONE));
            }
            FactKind::SequenceOutOfOrder { found, repeated } => {
                let mut finding = context.about_fact(&SL507, fact);
                finding.variant = if repeated { "repeated" } else { "" };
                finding.record_id = record_id(&fact.subject);
                finding.evidence = evidence(json!({ "found": found }));
                others.push(context, &place, Found::one(finding, NONE));
            }
            _ => {}
        }
    }
    let mut found = gaps.finish(context);
    found.extend(others.finish(context));
    found
}
