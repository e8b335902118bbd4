//! The one table of rules. It feeds `explain`, SARIF rules, the docs and the JSON.
//!
//! A rule lives in the file of its check: code, name, severity, texts, check and tests together.

pub mod page;
pub mod profile;
pub mod selection;

use crate::check;
use crate::finding::{Repairability, Severity};

/// Rules that share one pass over the events, named as in the coverage block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Found while reading: framing, JSON, versions, types.
    Reading,
    /// Unique ids.
    Identity,
    /// Parent links.
    Graph,
    /// Calls and results: how many of each.
    ToolPairing1,
    /// Calls and results: where they stand.
    ToolPairing2,
    /// Checkpoints and side effects.
    Checkpoint,
    /// What the messages hold.
    Content,
    /// Where the log lies in its agent's own folder; found by an audit of that folder only.
    Place,
}

impl Family {
    /// The name in coverage blocks; reading has none.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Identity => "identity",
            Self::Graph => "graph",
            Self::ToolPairing1 => "tool_pairing_1",
            Self::ToolPairing2 => "tool_pairing_2",
            Self::Checkpoint => "checkpoint",
            Self::Content => "content",
            Self::Place => "place",
        }
    }
}

/// What a person reads about one variant of a rule. Never holds text of a session.
#[derive(Debug)]
pub struct Text {
    /// The variant it belongs to; empty for the plain one.
    pub variant: &'static str,
    /// What is wrong, in the words of someone who uses the agent. One sentence.
    pub what: &'static str,
    /// What the agent or the provider will do with it: one sentence.
    pub consequence: &'static str,
    /// What to do next: one sentence.
    pub next: &'static str,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// `SLnnn`.
    pub code: &'static str,
    /// The field's term for the defect, in sentence case ("Missing parent").
    pub name: &'static str,
    /// Kebab-case name for SARIF and links ("missing-parent").
    pub slug: &'static str,
    /// The family whose pass finds it.
    pub family: Family,
    /// Severity unless a variant says otherwise.
    pub severity: Severity,
    /// Repairability unless a variant says otherwise.
    pub repairability: Repairability,
    /// Texts, the plain variant (`""`) first. Never empty.
    pub texts: &'static [Text],
    /// Markdown for `explain` and `docs/codes/`: what it means, a minimal example, how to repair.
    pub doc: &'static str,
}

impl Rule {
    /// The text of a variant, the plain one when the variant has none of its own.
    #[must_use]
    pub fn text(&self, variant: &str) -> &'static Text {
        if variant == OVERFLOW.variant {
            return &OVERFLOW;
        }
        self.texts.iter().find(|t| t.variant == variant).unwrap_or(&self.texts[0])
    }
}

/// The text of the row that counts what a cap left out; every rule has it.
static OVERFLOW: Text = Text {
    variant: "overflow-summary",
    what: "There are more findings of this kind than are listed.",
    consequence: "The rows left out are counted here and weigh as much as the ones shown.",
    next: "Mend the listed ones first: many findings of one kind often share one cause.",
};

/// Every rule, by code.
pub static RULES: &[&Rule] = check::RULES;

/// The rule with this code, if there is one. Case matters.
#[must_use]
pub fn find(code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|r| r.code == code)
}
