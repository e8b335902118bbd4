//! The page of a rule: what `explain` prints and what `docs/codes/` holds, from the rule's own file.

use std::fmt::Write as _;

use super::{RULES, Rule};

/// The page in Markdown.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut page = format!("# {} {}\n\n", rule.code, rule.name);
    let _ = writeln!(
        page,
        "Severity: {} · Repairability: {} · Family: {}\n",
        rule.severity.as_str(),
        rule.repairability.as_str(),
        rule.family.as_str()
    );
    let _ = writeln!(page, "{}", rule.doc.trim_end());
    page.push_str("\n## Variants\n");
    if rule.texts.len() > 1 {
        page.push_str(
            "\nSeverity and repairability above are those of the rule; the finding of a variant may be milder and states its own.\n",
        );
    }
    for text in rule.texts {
        let name = if text.variant.is_empty() { "plain" } else { text.variant };
        let _ = write!(
            page,
            "\n### {name}\n\n{}\n\n- What happens: {}\n- What to do: {}\n",
            text.what, text.consequence, text.next
        );
    }
    page
}

/// The index of all pages in Markdown.
#[must_use]
pub fn index() -> String {
    let mut index =
        String::from("# Codes\n\nWritten by `sesslint explain`; every page comes from the rule's own file.\n\n");
    index.push_str("| code | name | severity | repairability |\n|---|---|---|---|\n");
    for rule in RULES {
        let (severity, repairability) = (rule.severity.as_str(), rule.repairability.as_str());
        let _ = writeln!(index, "| [{0}]({0}.md) | {1} | {severity} | {repairability} |", rule.code, rule.name);
    }
    index
}
