//! Checks: pure functions from a session to findings, each linear or n log n in events.
//!
//! A rule, or a family that shares one pass, is one file: metadata, texts, check and tests together.
//! No check knows a vendor: formats differ only by the [`crate::model::Conventions`] they state.

mod abandoned;
pub mod broken_line;
mod caller;
mod capped;
#[cfg(test)]
mod cases;
mod cause;
mod chain;
mod checkpoint;
mod checkpoint_rules;
pub mod compatibility;
mod content;
mod context;
mod forest;
pub mod framing;
mod graph;
mod graph_rules;
#[cfg(test)]
mod hostile;
mod identity;
pub mod json_text;
mod kept;
mod message_order;
mod open_call;
mod ordinals;
mod outline;
mod pair_placement;
mod pair_placement_rules;
mod path_pairing;
mod piecewise;
mod place;
mod reasoning;
#[cfg(test)]
mod recorded;
mod repetition;
mod request;
mod request_pairs;
mod run_end;
mod sequence;
mod storage;
#[cfg(test)]
pub(crate) mod testing;
mod tool_pairing;
mod tool_pairing_rules;
mod turn;
mod union_find;
mod unsent;

use compatibility::{SL301, SL302};
use framing::{SL001, SL002};
use json_text::{SL303, SL502};

use crate::finding::Finding;
use crate::model::{Recall, Session};
use crate::rule::Rule;
use crate::rule::profile::{Profile, Request as Api};

pub use abandoned::SL505;
pub use checkpoint_rules::{SL201, SL202, SL203};
pub use content::SL501;
pub use graph_rules::{SL004, SL005, SL006, SL007};
pub use identity::SL003;
pub use message_order::SL515;
pub use ordinals::SL506;
pub use outline::outline;
pub use pair_placement_rules::{SL105, SL106, SL107, SL108};
pub use piecewise::SL504;
pub use place::{SL510, SL511};
pub use reasoning::SL516;
pub use repetition::SL509;
pub use run_end::SL503;
pub use sequence::SL507;
pub use storage::{SL512, SL513};
pub use tool_pairing_rules::{SL101, SL102, SL103, SL104};
pub use turn::SL508;
pub use unsent::SL514;

/// Every rule by code, collected from the files that hold them.
pub static RULES: &[&Rule] = &[
    &SL001, &SL002, &SL003, &SL004, &SL005, &SL006, &SL007, &SL101, &SL102, &SL103, &SL104, &SL105, &SL106, &SL107,
    &SL108, &SL201, &SL202, &SL203, &SL301, &SL302, &SL303, &SL501, &SL502, &SL503, &SL504, &SL505, &SL506, &SL507,
    &SL508, &SL509, &SL510, &SL511, &SL512, &SL513, &SL514, &SL515, &SL516,
];

/// Rules that only profiles with a provider's API in mind ask for.
pub static REQUEST_RULES: &[&Rule] = &[&SL515, &SL516];

/// Runs every family over a session, in a fixed order: identity, graph, tool pairing, checkpoints, content.
///
/// Findings come family by family, each with its fingerprint set and with what follows from it attached. `path` is the
/// path of the run, cleaned, as it enters fingerprints. A session without events has no findings.
#[must_use]
pub fn run(session: &Session, recall: &dyn Recall, profile: &Profile, path: &str) -> Vec<Finding> {
    let context = context::Context::new(session, recall, profile, path);
    let mut found = identity::check(&context);
    found.extend(graph::check(&context));
    let (unpaired, pairs) = tool_pairing::check(&context);
    found.extend(unpaired);
    found.extend(pair_placement::check(&context, &pairs));
    found.extend(kept::check(&context, &pairs));
    found.extend(checkpoint::check(&context));
    found.extend(content::check(&context));
    found.extend(run_end::check(&context));
    found.extend(piecewise::check(&context));
    found.extend(abandoned::check(&context));
    found.extend(caller::check(&context));
    found.extend(ordinals::check(&context));
    found.extend(unsent::check(&context));
    found.extend(sequence::check(&context));
    found.extend(turn::check(&context));
    found.extend(repetition::check(&context));
    if let Some(api) = profile.request
        && let Some(request) = request::Request::new(&context)
    {
        found.extend(message_order::check(&context, &request, api));
        found.extend(reasoning::check(&context, &request, api));
        found.extend(request_pairs::check(&context, &request, &pairs));
        found.extend(content::check_blank(&context, &request, api));
    }
    if profile.request.is_none()
        && session.conventions.reasoning_leads
        && let Some(request) = request::Request::new(&context)
    {
        found.extend(reasoning::check(&context, &request, Api::Items));
    }
    cause::tie(&context, found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RULES;
    use crate::model::content_free::is_content_free;

    #[test]
    fn rules_are_sorted_and_told_apart() {
        assert!(RULES.is_sorted_by(|a, b| a.code < b.code));
        assert_eq!(RULES.iter().map(|r| r.slug).collect::<BTreeSet<_>>().len(), RULES.len());
    }

    #[test]
    fn every_variant_has_one_complete_text_and_the_plain_one_is_first() {
        for rule in RULES {
            assert_eq!(rule.texts[0].variant, "", "{}", rule.code);
            let variants: BTreeSet<_> = rule.texts.iter().map(|t| t.variant).collect();
            assert_eq!(variants.len(), rule.texts.len(), "{}", rule.code);
            for text in rule.texts.iter().flat_map(|t| [t.what, t.consequence, t.next]) {
                assert!(text.ends_with('.') && text.len() < 160 && is_content_free(text), "{}: {text}", rule.code);
            }
            assert!(rule.doc.ends_with('\n') && rule.doc.contains("**Repair.**") && rule.doc.contains("```"));
        }
    }
}
