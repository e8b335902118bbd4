//! What the messages hold: SL501 empty text.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, evidence};
use super::request::Request;
use crate::finding::{Repairability, Severity};
use crate::rule::profile::Request as Api;
use crate::rule::{Family, Rule, Text};

/// A text block without text.
pub static SL501: Rule = Rule {
    code: "SL501",
    name: "Empty text block",
    slug: "empty-text-block",
    family: Family::Content,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[
        Text {
            variant: "",
            what: "A message holds a text block with nothing in it.",
            consequence: "Most loaders send it as it is and the provider refuses the request, on every resume from then on.",
            next: "Run repair: it takes the empty block out; a message of nothing else goes with --policy salvage.",
        },
        Text {
            variant: "blank",
            what: "An answer of the model holds a text block of nothing but blanks.",
            consequence: "The harness opens the session and sends the block; providers that want text refuse it.",
            next: "Nothing while the session goes on; otherwise remove the block.",
        },
        Text {
            variant: "nothing-but-blanks",
            what: "A message that a resume sends holds a text of nothing but blanks.",
            consequence: "Some loaders leave it out, others send it and the provider refuses the request.",
            next: "Remove the text, or the message if nothing else is in it.",
        },
    ],
    doc: "Providers refuse a request that holds an empty text block. Once such a block is in the log it is sent with \
every request, so the session cannot go on.\n\n\
```json\n\
{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"\"}]}\n\
```\n\n\
Usual causes: an answer that was cut before its first word, a command without output, a prompt sent by a script.\n\n\
**Repair.** The block is removed (recipe `empty-text-drop`). Blanks, and a message with nothing else in it, go under the \
salvage policy; what hung on a dropped message hangs on its parent.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let empty = context.events().filter(|(_, event)| event.flags.empty_text);
    report(context, empty.map(|(at, _)| at), "")
}

/// The same for blanks, where the provider's API refuses those as well.
pub(crate) fn check_blank(context: &Context<'_>, request: &Request, api: Api) -> Vec<Found> {
    let sent = request.turns.iter().flat_map(|turn| &turn.events).filter(|_| api == Api::Turns);
    report(context, sent.copied().filter(|&at| context.event(at).flags.blank_text), "nothing-but-blanks")
}

fn report(context: &Context<'_>, events: impl Iterator<Item = u32>, variant: &'static str) -> Vec<Found> {
    let mut kept = Capped::new(&SL501);
    for at in events {
        let mut finding = context.finding(&SL501, at, at);
        finding.variant = variant;
        finding.subject.part = "text".into();
        finding.evidence = evidence(json!({ "index": at }));
        kept.push_by_record(context, Found::one(finding, at));
    }
    kept.finish(context)
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{Build, FLAT};

    #[test]
    fn each_event_with_an_empty_text_is_reported_at_its_line() {
        let mut build = Build::new(FLAT).add_all(&["user u1", "assistant a1", "user u2"]);
        build.session.events[1].flags.empty_text = true;
        assert_eq!(build.outline(), ["SL501 error 2"]);
    }
}
