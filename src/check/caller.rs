//! Records of sub-agents whose call is not there: SL004. One finding a call; further records follow from it.

use std::collections::BTreeMap;

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, LISTED, NONE, evidence};
use super::graph_rules::SL004;
use crate::finding::Finding;
use crate::model::content_free::mask;
use crate::model::session::FactKind;

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut by_call: BTreeMap<&str, usize> = BTreeMap::new();
    for fact in context.session.facts.iter().filter(|fact| fact.kind == FactKind::UnknownCaller) {
        let mut finding = context.about_fact(&SL004, fact);
        finding.variant = "unknown-caller";
        finding.evidence = evidence(json!({ "parent_id": mask(&fact.subject) }));
        finding.subject.part = finding.variant.into();
        match by_call.get(fact.subject.as_str()) {
            Some(&first) if findings[first].consequences.len() < LISTED => findings[first].consequences.push(finding),
            Some(_) => {}
            None => {
                by_call.insert(&fact.subject, findings.len());
                findings.push(finding);
            }
        }
    }
    let mut kept = Capped::new(&SL004);
    for finding in findings {
        let place = format!("{:020}", finding.location.byte_start.unwrap_or(0));
        kept.push(context, &place, Found::one(finding, NONE));
    }
    kept.finish(context)
}
