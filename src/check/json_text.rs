//! stub
use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};
/// stub
pub static SL303: Rule = Rule {
    code: "SL303",
    name: "x",
    slug: "x",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text { variant: "", what: "w", consequence: "c", next: "n" }],
    doc: "",
};
/// stub
pub static SL502: Rule = Rule {
    code: "SL502",
    name: "x",
    slug: "x",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text { variant: "", what: "w", consequence: "c", next: "n" }],
    doc: "",
};
