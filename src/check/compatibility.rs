//! stub
use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};
/// stub
pub static SL301: Rule = Rule {
    code: "SL301",
    name: "x",
    slug: "x",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text { variant: "", what: "w", consequence: "c", next: "n" }],
    doc: "",
};
/// stub
pub static SL302: Rule = Rule {
    code: "SL302",
    name: "x",
    slug: "x",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text { variant: "", what: "w", consequence: "c", next: "n" }],
    doc: "",
};
