//! Where the model's reasoning may stand in a request: SL516.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, evidence};
use super::request::Request;
use crate::finding::{Repairability, Severity};
use crate::model::{Actor, Kind, Reasoning};
use crate::rule::profile::Request as Api;
use crate::rule::{Family, Rule, Text};

/// Reasoning in the wrong place.
pub static SL516: Rule = Rule {
    code: "SL516",
    name: "Reasoning placement",
    slug: "reasoning-placement",
    family: Family::Content,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "The model's reasoning stands where a provider does not take it.",
            consequence: "The provider refuses the request.",
            next: "Remove the reasoning; its text is no part of the answer.",
        },
        Text {
            variant: "late",
            what: "In the last message with tool calls, reasoning stands behind something else.",
            consequence: "A provider that reasons before it calls a tool wants the reasoning first and refuses the request.",
            next: "Put the reasoning in front, or remove it.",
        },
        Text {
            variant: "alone",
            what: "A message holds reasoning and nothing else: the answer was cut before it began.",
            consequence: "Current loaders leave it out; older ones send it, and the provider refuses the request.",
            next: "Nothing with a current program; otherwise remove the message.",
        },
        Text {
            variant: "unfollowed",
            what: "A reasoning item is not followed by the item that it belongs to.",
            consequence: "Loaders send it as it is, and the provider may refuse the request.",
            next: "Remove the reasoning item, or restore the item that stood behind it.",
        },
    ],
    doc: "Reasoning is sent back to the provider in the place where the model had it: before the text and the calls \
that it led to. A message that was cut, split or put together anew may break that.\n\n\
```json\n\
[{\"type\":\"reasoning\",\"id\":\"r1\"},{\"role\":\"user\",\"content\":\"go on\"}]\n\
```\n\n\
Only strict profiles report it, and the unfollowed item any profile where every program sends it on.\n\n\
**Repair.** By hand: remove the reasoning.\n",
};

pub(crate) fn check(context: &Context<'_>, request: &Request, api: Api) -> Vec<Found> {
    let mut kept = Capped::new(&SL516);
    let mut report = |at: u32, variant: &'static str, severity: Severity| {
        let mut finding = context.finding(&SL516, at, at);
        (finding.variant, finding.severity) = (variant, severity);
        finding.evidence = evidence(json!({ "index": at }));
        finding.subject.part = variant.into();
        kept.push_by_record(context, Found::one(finding, at));
    };
    match api {
        Api::Turns => {
            for (at, variant, severity) in in_turns(context, request) {
                report(at, variant, severity);
            }
        }
        Api::Items => {
            for pair in request.events.windows(2) {
                let next = context.event(pair[1]);
                if context.event(pair[0]).flags.reasoning == Reasoning::Alone && next.actor != Actor::Assistant {
                    report(pair[0], "unfollowed", Severity::Warning);
                }
            }
        }
    }
    kept.finish(context)
}

fn in_turns(context: &Context<'_>, request: &Request) -> Vec<(u32, &'static str, Severity)> {
    let reasoning = |at: &u32| context.event(*at).flags.reasoning;
    let mut found = Vec::new();
    let mut turns = request.turns.iter().filter(|turn| turn.from_model);
    for turn in turns.clone() {
        // A turn may hold several messages, each of several records.
        for message in turn.events.chunk_by(|a, b| context.event(*a).message == context.event(*b).message) {
            if message.iter().all(|at| reasoning(at) == Reasoning::Alone) {
                found.push((message[0], "alone", Severity::Info));
            }
        }
    }
    if let Some(last) = turns.next_back() {
        let calls = last.events.iter().any(|&at| context.event(at).kind == Kind::ToolCall);
        let leads = matches!(last.events.first().map(reasoning), Some(Reasoning::Alone | Reasoning::First));
        let late = last.events.iter().find(|at| reasoning(at) != Reasoning::None);
        if let Some(&at) = late.filter(|_| calls && !leads) {
            found.push((at, "late", Severity::Error));
        }
    }
    found
}
