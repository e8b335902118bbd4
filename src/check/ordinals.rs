//! Running numbers of records: SL506.
//!
//! Adapters state what no broken line explains; here is said how bad it is and what belongs together.

use serde_json::json;

use super::capped::Capped;
use super::context::{Context, Found, LISTED, NONE, evidence};
use crate::finding::fingerprint::fingerprint;
use crate::finding::{Finding, Repairability, Severity};
use crate::model::session::FactKind;
use crate::rule::{Family, Rule, Text};

/// A number that is missing, repeated or no number.
pub static SL506: Rule = Rule {
    code: "SL506",
    name: "Broken record numbering",
    slug: "record-numbering",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::LossyExplicit,
    texts: &[
        Text {
            variant: "",
            what: "Numbers are missing in the running count of the records: records were probably lost here.",
            consequence: "Current loaders read on without them; programs that index by number leave the session out.",
            next: "Look for the lost records in a copy of the log.",
        },
        Text {
            variant: "repeated",
            what: "A record has a number that an earlier record had: the order was changed or something was written twice.",
            consequence: "Current loaders go by the order of lines and ignore it.",
            next: "Compare with a copy of the log; two programs may have written to it.",
        },
        Text {
            variant: "copied",
            what: "A record is stored again, number and all.",
            consequence: "Current loaders read it twice; a note of the agent does no harm, a part of the talk would be refused.",
            next: "Run repair: the copies are equal, so dropping the extra ones loses nothing.",
        },
        Text {
            variant: "missing",
            what: "A record has no number although the log numbers its records.",
            consequence: "Current loaders accept it as long as a numbered record follows.",
            next: "Find out which program wrote it: an older version may have resumed the session.",
        },
        Text {
            variant: "missing-at-end",
            what: "The last record has no number although the log numbers its records.",
            consequence: "The loader refuses to resume the session.",
            next: "Resume it with the version that wrote the last record, or give the record the next number.",
        },
        Text {
            variant: "unusable",
            what: "The number of a record is not a whole number of zero or more.",
            consequence: "The loader drops the record without a word.",
            next: "Give the record the number that follows the one before it.",
        },
    ],
    doc: "Newer logs count their records. The count need not begin at 0, and a record that was cut gives its number to \
the next one; neither is reported.\n\n\
```jsonl\n\
{\"ordinal\":3,\"type\":\"message\"}\n\
{\"ordinal\":9,\"type\":\"message\"}\n\
```\n\n\
**Repair.** A record without a usable number gets the one between its neighbours (recipe `record-number`). A record that \
is stored again goes (`numbered-copy-drop`). Records between two numbers cannot be made up.\n",
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Found> {
    let mut kept = Capped::new(&SL506);
    for finding in findings(context) {
        let place = format!("{:012}", finding.location.line.unwrap_or(0));
        kept.push(context, &place, Found::one(finding, NONE));
    }
    kept.finish(context)
}

fn findings(context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    // The gap that may still be filled by a later record, and the stretch of records without number.
    let (mut gap, mut stretch) = (None, None);
    for fact in &context.session.facts {
        let Some((variant, severity)) = judge(fact.kind) else { continue };
        let mut finding = context.about_fact(&SL506, fact);
        (finding.variant, finding.severity) = (variant, severity);
        finding.subject.part = if fact.subject.is_empty() { variant.to_owned() } else { fact.subject.clone() };
        finding.subject.record.clear();
        let owner = match fact.kind {
            FactKind::OrdinalGap { expected, found } => {
                finding.evidence = evidence(json!({ "expected": expected, "found": found }));
                gap = Some((expected..found, findings.len()));
                None
            }
            FactKind::OrdinalRepeated { expected, found } => {
                finding.evidence = evidence(json!({ "expected": expected, "found": found }));
                gap.as_ref().filter(|(missing, _)| missing.contains(&found)).map(|(_, owner)| *owner)
            }
            FactKind::OrdinalMissing { stretch: number, .. } => {
                let known = stretch.filter(|(known, _)| *known == number).map(|(_, owner)| owner);
                stretch = Some((number, known.unwrap_or(findings.len())));
                known
            }
            _ => None,
        };
        match owner {
            Some(owner) => attach(context, &mut findings[owner], finding),
            None => findings.push(finding),
        }
    }
    findings
}

/// One cause: the graver finding stands, the other follows from it.
fn attach(context: &Context<'_>, owner: &mut Finding, mut finding: Finding) {
    if finding.severity > owner.severity {
        std::mem::swap(owner, &mut finding);
        owner.consequences = std::mem::take(&mut finding.consequences);
    }
    if owner.consequences.len() < LISTED {
        finding.fingerprint = fingerprint(&finding, &context.origin);
        owner.consequences.push(finding);
    }
}

fn judge(kind: FactKind) -> Option<(&'static str, Severity)> {
    Some(match kind {
        FactKind::OrdinalGap { .. } => ("", Severity::Warning),
        FactKind::OrdinalRepeated { .. } => ("repeated", Severity::Warning),
        FactKind::OrdinalCopied { .. } => ("copied", Severity::Warning),
        FactKind::OrdinalMissing { refused: true, .. } => ("missing-at-end", Severity::Error),
        FactKind::OrdinalMissing { refused: false, .. } => ("missing", Severity::Warning),
        FactKind::OrdinalUnusable { dropped: true } => ("unusable", Severity::Error),
        FactKind::OrdinalUnusable { dropped: false } => ("unusable", Severity::Warning),
        _ => return None,
    })
}
