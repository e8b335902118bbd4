//! A model that repeats itself without end: SL509.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, NONE, evidence};
use crate::finding::{Repairability, Severity};
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// One piece of an answer many times in a row.
pub static SL509: Rule = Rule {
    code: "SL509",
    name: "Repetitive stream",
    slug: "repetitive-stream",
    family: Family::Content,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The model printed one piece of text many times in a row.",
        consequence: "The session loads, but the answer is of no use and fills the context.",
        next: "Take the session up again from before this answer.",
    }],
    doc: "A model that is caught in a loop prints the same piece over and over again. From twenty in a row on this is \
reported, once a log, for the longest run.\n\n\
```jsonl\n\
{\"type\":\"text-chunks\",\"seq0\":4,\"data\":{\"texts\":[\"ha\",\"ha\",\"ha\"]}}\n\
```\n\n\
**Repair.** None: what the model said is not changed.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL509);
    for fact in &context.session.facts {
        if let FactKind::Repetition { times, last } = fact.kind {
            let mut finding = context.about_fact(&SL509, fact);
            finding.evidence = evidence(json!({ "times": times, "seq": last }));
            kept.push(context, "", Found::one(finding, NONE));
        }
    }
    kept.finish(context)
}
