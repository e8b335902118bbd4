//! stub
use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};
/// stub
pub static SL001: Rule = Rule {
    code: "SL001",
    name: "x",
    slug: "x",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text { variant: "", what: "w", consequence: "c", next: "n" }],
    doc: "",
};
/// stub
pub static SL002: Rule = Rule {
    code: "SL002",
    name: "x",
    slug: "x",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Manual,
    texts: &[Text { variant: "", what: "w", consequence: "c", next: "n" }],
    doc: "",
};
