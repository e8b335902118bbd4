//! Texts of the rules on JSON that readers take differently, SL303 and SL502. Readers make the findings.

use crate::finding::{Repairability, Severity};
use crate::rule::{Family, Rule, Text};

/// One key twice in an object.
pub static SL303: Rule = Rule {
    code: "SL303",
    name: "Duplicate JSON key",
    slug: "duplicate-json-key",
    family: Family::Reading,
    severity: Severity::Warning,
    repairability: Repairability::Manual,
    texts: &[Text {
        variant: "",
        what: "An object in the record names the same key twice.",
        consequence: "Some loaders take the last value, others drop the whole record without a word.",
        next: "Find out which value is meant and remove the other.",
    }],
    doc: "JSON leaves open what a repeated key means. Most parsers keep the last value; strict ones refuse the line, and \
then the record is lost on resume.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"kind\":\"message\",\"payload\":{\"text\":\"a\",\"text\":\"b\"}}\n\
```\n\n\
**Repair.** By hand: which value was meant cannot be told.\n",
};

/// Half of a surrogate pair.
pub static SL502: Rule = Rule {
    code: "SL502",
    name: "Lone surrogate",
    slug: "lone-surrogate",
    family: Family::Reading,
    severity: Severity::Error,
    repairability: Repairability::Deterministic,
    texts: &[
        Text {
            variant: "",
            what: "A text holds half of a character that takes two escapes.",
            consequence: "Some loaders send it and the provider refuses the request, others drop the record silently.",
            next: "Replace the broken escape; output was probably cut in the middle of an emoji.",
        },
        Text {
            variant: "replaced",
            what: "A text holds half of a character that takes two escapes.",
            consequence: "The loader of this format puts a replacement character in its place and goes on.",
            next: "Replace the broken escape; output was probably cut in the middle of an emoji.",
        },
    ],
    doc: "Characters beyond U+FFFF are written in JSON as two `\\u` escapes. Where a tool cut its output between the two, \
one half remains. It stands for no character, cannot be encoded, and is refused by providers.\n\n\
```jsonl\n\
{\"id\":\"m1\",\"kind\":\"message\",\"payload\":{\"text\":\"\\ud83d\"}}\n\
```\n\n\
**Repair.** The escape is replaced by `\\ufffd` (recipe `lone-surrogate-replace`).\n",
};
