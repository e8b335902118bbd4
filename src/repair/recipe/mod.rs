//! Recipes: each mends one kind of defect, or says which of its conditions does not hold.
//!
//! A recipe proposes; it changes nothing and knows no vendor. Order matters: the first that fits a finding is taken.

mod compaction_projection_reunion;
mod copied_line_drop;
mod cycle_break;
mod displaced_result_reunion;
mod duplicate_projection_removal;
mod early_result_move;
mod empty_text_drop;
mod framing;
mod identical_call_collapse;
mod identical_duplicate_collapse;
mod item_list_mend;
mod lone_surrogate_replace;
mod lost_id_restore;
mod lost_kept_record;
mod nearest_parent_relink;
mod orphan_result_drop;
mod proven_unique_parent_restore;
mod renumber;
mod repeated_id_removal;
mod reused_id_node_drop;
mod side_effect_unknown_truncate;
mod superseded_copy_drop;
mod terminal_suffix_discard;
mod torn_compaction_project;
mod torn_frame;
mod torn_terminal_record_discard;
mod unanswered_call_removal;
mod unfollowed_reasoning_drop;
mod unresolvable_branch_amputate;

use std::collections::BTreeSet;
use std::io;

use super::Policy;
use super::bench::Bench;
use super::change::Change;
use crate::adapter::layout::Block;
use crate::finding::Finding;

/// Recipes that the reference program plans, too. Where none of them applies it refuses before it tries anything.
pub(crate) const SHARED: [&str; 8] = [
    "compaction-projection-reunion",
    "duplicate-projection-removal",
    "identical-duplicate-collapse",
    "orphan-result-drop",
    "side-effect-unknown-truncate",
    "torn-compaction-project",
    "torn-terminal-record-discard",
    "unresolvable-branch-amputate",
];

/// What a recipe sees.
pub(crate) struct Case<'a> {
    pub bench: &'a Bench<'a>,
    pub policy: Policy,
    /// Side effects that may be unknown were acknowledged.
    pub acknowledged: bool,
    /// The source is a canonical session: the recipes' contract with the reference program holds.
    pub canonical: bool,
}

/// Why a recipe does not apply.
#[derive(Debug)]
pub(crate) enum Unmet {
    /// A condition does not hold; its name is part of plans.
    Condition(&'static str),
    /// The source could not be read.
    Io(io::Error),
}

impl From<io::Error> for Unmet {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What a recipe would do.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    pub changes: Vec<Change>,
    /// Positions of the events whose meaning depends on it; none when that is not known.
    pub region: Option<BTreeSet<u32>>,
    /// What is given up.
    pub loss: Option<Loss>,
}

/// What a step gives up, by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// As many as events go by it that no earlier step drops.
    Events(&'static str),
    /// This many.
    Count(&'static str, u64),
}

/// Which sources a recipe is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Every,
    Canonical,
    Native,
}

/// See the module.
pub(crate) struct Recipe {
    pub name: &'static str,
    pub codes: &'static [&'static str],
    /// Only under the salvage policy.
    pub salvage: bool,
    pub audience: Audience,
    /// The reference program has it too: its conditions on canonical sources are part of the contract.
    pub shared: bool,
    pub propose: fn(&Case<'_>, &Finding) -> Result<Proposal, Unmet>,
}

/// Version of every recipe; part of manifests.
pub(crate) const VERSION: &str = "1.0.0";

/// Every recipe, in the order in which they are tried.
pub(crate) static RECIPES: &[&Recipe] = &[
    &terminal_suffix_discard::RECIPE,
    &identical_duplicate_collapse::RECIPE,
    &identical_duplicate_collapse::RESTAMPED,
    &reused_id_node_drop::RECIPE,
    &repeated_id_removal::RECIPE,
    &lost_id_restore::RECIPE,
    &proven_unique_parent_restore::RECIPE,
    &renumber::CLOSE_GAP,
    &nearest_parent_relink::RECIPE,
    &compaction_projection_reunion::RECIPE,
    &lost_kept_record::RECIPE,
    &identical_call_collapse::RECIPE,
    &duplicate_projection_removal::RECIPE,
    &superseded_copy_drop::RECIPE,
    &displaced_result_reunion::RECIPE,
    &early_result_move::RECIPE,
    &cycle_break::RECIPE,
    &unresolvable_branch_amputate::RECIPE,
    &torn_compaction_project::RECIPE,
    &unanswered_call_removal::RECIPE,
    &side_effect_unknown_truncate::RECIPE,
    &orphan_result_drop::RECIPE,
    &torn_terminal_record_discard::RECIPE,
    &framing::BYTE_ORDER_MARK_STRIP,
    &framing::RECORD_JOIN,
    &framing::NUL_RUN_STRIP,
    &framing::RECORD_SPLIT,
    &framing::TORN_FRAGMENT_DISCARD,
    &framing::INVALID_UTF8_REPLACE,
    &item_list_mend::RECIPE,
    &framing::MALFORMED_LINE_DROP,
    &lone_surrogate_replace::RECIPE,
    &empty_text_drop::RECIPE,
    &renumber::NUMBER,
    &copied_line_drop::NUMBERED,
    &copied_line_drop::HEADER,
    &unfollowed_reasoning_drop::RECIPE,
];

/// Those for half a frame behind the text.
pub(crate) static TAIL_RECIPES: &[&Recipe] = &[&torn_frame::TRUNCATE, &torn_frame::RESEAL];

/// The recipe with this name.
pub(crate) fn find(name: &str) -> Option<&'static Recipe> {
    RECIPES.iter().chain(TAIL_RECIPES).copied().find(|r| r.name == name)
}

impl Case<'_> {
    /// Fails with the name of a condition.
    fn require(holds: bool, condition: &'static str) -> Result<(), Unmet> {
        if holds { Ok(()) } else { Err(Unmet::Condition(condition)) }
    }

    /// The two conditions of recipes that give up what a tool may have done.
    fn require_salvage(&self) -> Result<(), Unmet> {
        Self::require(self.policy == Policy::Salvage, "salvage_policy")
    }

    fn require_acknowledgement(&self) -> Result<(), Unmet> {
        Self::require(self.acknowledged, "acknowledge_side_effects")
    }

    /// Numbers of the parts of a record that are of a kind; none when its content is no list of parts.
    fn blocks_where(&self, record: u32, is: impl Fn(&Block<'_>) -> bool) -> Result<Vec<usize>, Unmet> {
        let parsed = self.bench.parse(record)?;
        let layout = self.bench.ground.layout;
        let Some(array) = (layout.blocks)(parsed.json()) else { return Ok(Vec::new()) };
        Ok(array.elements().enumerate().filter(|(_, e)| is(&(layout.block)(*e))).map(|(i, _)| i).collect())
    }

    /// Positions of the events that finding evidence names in a list.
    fn positions(finding: &Finding, name: &str) -> Vec<u32> {
        let list = finding.evidence.get(name).and_then(serde_json::Value::as_array);
        list.into_iter().flatten().filter_map(|v| u32::try_from(v.as_u64()?).ok()).collect()
    }

    /// Positions of the events of a record and of its children.
    fn neighbourhood(&self, record: u32) -> BTreeSet<u32> {
        let mut region: BTreeSet<u32> = self.bench.events_of(record).collect();
        for &child in self.bench.children(self.bench.id_of(record)) {
            region.extend(self.bench.events_of(child));
        }
        region
    }
}
