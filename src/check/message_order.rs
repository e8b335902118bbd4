//! The order of messages that a provider asks for: SL515.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, evidence};
use super::request::Request;
use crate::finding::{Repairability, Severity};
use crate::rule::profile::Request as Api;
use crate::rule::{Family, Rule, Text};

/// The first message is not a person's.
pub static SL515: Rule = Rule {
    code: "SL515",
    name: "Message order",
    slug: "message-order",
    family: Family::Content,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "The history that a resume sends begins with an answer of the model.",
        consequence: "Every loader sends it so, and a provider that wants a person's message first refuses the request.",
        next: "Find the prompt that stood before it: its record was lost, or the answer does not name it as its parent.",
    }],
    doc: "Some providers take a conversation only if a person's message stands first. Here the way from the end of the \
log back to its beginning ends at an answer. Only the strict profiles of such providers report it.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"parent_id\":null,\"actor\":\"user\",\"kind\":\"message\"}\n\
{\"id\":\"m2\",\"parent_id\":null,\"actor\":\"assistant\",\"kind\":\"message\"}\n\
```\n\n\
**Repair.** By hand: give the first answer the parent that it had.\n",
};

pub(crate) fn check(context: &Context<'_>, request: &Request, api: Api) -> Vec<Found> {
    let mut kept = Capped::new(&SL515);
    let first = request.turns.first().filter(|turn| api == Api::Turns && turn.from_model);
    if let Some(&at) = first.and_then(|turn| turn.events.first()) {
        let mut finding = context.finding(&SL515, at, at);
        finding.evidence = evidence(json!({ "index": at }));
        finding.subject.part = "first".into();
        kept.push_by_record(context, Found { finding, at, with: request.cut_at });
    }
    kept.finish(context)
}
