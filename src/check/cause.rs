//! One cause, one finding: ties what certainly follows from another finding to it.
//!
//! Works on the flat list all families made. A consequence keeps its code, severity and fingerprint. It is never tied
//! to a milder finding, so that no error hides below a warning; and a doubtful one stands alone.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::broken_line::Scopes;
use super::context::{Context, Found, NONE};
use crate::finding::Finding;
use crate::model::Kind;

struct Causes<'a, 'b> {
    context: &'b Context<'a>,
    found: &'b [Found],
    /// By code and position: the first finding about it. Summaries stand at [`NONE`].
    places: BTreeMap<(&'static str, u32), usize>,
    /// By number of a component with a cycle: its finding.
    cycles: BTreeMap<u32, usize>,
    /// By position, in sessions with a lost parent: what stands between it and the root above it.
    above: Vec<Above>,
    /// Missing numbers of one record each, by place in the file: the finding about what was lost with that record.
    numbers: BTreeMap<u64, Option<usize>>,
    /// Findings of printed streams that explain others, by variant.
    by_variant: BTreeMap<&'static str, Vec<usize>>,
    /// Second headers, by the offset of each: its finding.
    headers: Vec<(Option<u64>, usize)>,
    /// Components that neither lost a parent nor end in a cycle.
    intact: usize,
}

/// The findings without those that follow from another one, which hold them.
pub(crate) fn tie(context: &Context<'_>, found: Vec<Found>) -> Vec<Finding> {
    let causes = Causes::new(context, &found);
    let one_tree = context.session.conventions.one_tree;
    let mut tied = Vec::new();
    let mut standing = Vec::new();
    for (i, one) in found.iter().enumerate() {
        let cause = causes.of(one).filter(|&c| c != i && found[c].finding.severity >= one.finding.severity);
        tied.push(cause);
        // Where branches are ordinary, these two only ever explain another finding.
        standing.push(cause.is_none() && (one_tree || !matches!(one.finding.code(), "SL006" | "SL007")));
    }
    let mut findings: Vec<Option<Finding>> = found.into_iter().map(|one| Some(one.finding)).collect();
    for (i, cause) in tied.into_iter().enumerate() {
        if let Some(cause) = cause
            && let Some(consequence) = findings[i].take()
            && let Some(owner) = &mut findings[cause]
        {
            owner.consequences.push(consequence);
        }
    }
    findings.into_iter().zip(standing).filter_map(|(finding, stands)| finding.filter(|_| stands)).collect()
}

impl<'a, 'b> Causes<'a, 'b> {
    fn new(context: &'b Context<'a>, found: &'b [Found]) -> Self {
        let mut causes = Self {
            context,
            found,
            places: BTreeMap::new(),
            cycles: BTreeMap::new(),
            above: Vec::new(),
            numbers: BTreeMap::new(),
            by_variant: BTreeMap::new(),
            headers: Vec::new(),
            intact: context.forest.components.iter().filter(|c| !c.orphaned && !c.cyclic).count(),
        };
        for (i, one) in found.iter().enumerate() {
            causes.places.entry((one.finding.code(), one.at)).or_insert(i);
            if matches!(one.finding.variant, "extra-end" | "unknown-caller") {
                causes.by_variant.entry(one.finding.variant).or_default().push(i);
            }
            if one.finding.variant == "second-header" {
                causes.headers.push((one.finding.location.byte_start, i));
            }
            if one.finding.code() == "SL005" && one.at != NONE {
                causes.cycles.insert(context.forest.component(one.at), i);
            }
        }
        causes.headers.sort_unstable();
        if found.iter().any(|one| one.finding.code() == "SL004") {
            causes.above = above(context);
        }
        causes.number();
        causes
    }

    fn of(&self, one: &Found) -> Option<usize> {
        let one_tree = self.context.session.conventions.one_tree;
        match one.finding.code() {
            "SL003" | "SL103" | "SL104" if self.parted_by_header(one).is_some() => self.parted_by_header(one),
            "SL003" if self.same_place("extra-end", one).is_some() => self.same_place("extra-end", one),
            "SL003" if one.at != NONE && self.context.session.conventions.resends_copies => self.repeated_tool(one.at),
            "SL006" if one.at == NONE => self.place("SL004", NONE).filter(|_| self.intact <= 1),
            "SL006" => self.break_of(self.context.forest.component(one.at)).or_else(|| self.break_of_the_rest()),
            "SL007" => self.extra_heads(),
            "SL101" | "SL102" if one.finding.variant.ends_with("-not-sent") => self.crossed(one.at),
            "SL101" if !one_tree && one.at != NONE => {
                self.lost_with_parent(one.at).or_else(|| self.lost_with_caller(one))
            }
            "SL102" if !one_tree && one.with != NONE => self.missing_parent(one.with),
            "SL102" if one.finding.variant == "stopped" => self.stop_of(one.at),
            "SL106" if one.finding.variant.is_empty() && one.at != NONE => self.parted(one),
            "SL107" if one.at != NONE => self.split_of(one),
            "SL108" if one.finding.variant == "nothing-kept" => self.break_of(self.context.forest.component(one.at)),
            "SL203" => self.doubt(one),
            "SL515" if one.with != NONE => self.missing_parent(one.with),
            "SL506" if one.finding.variant.is_empty() => self.lost_with_number(one),
            "SL506" if one.finding.variant == "repeated" => self.copy_at(one),
            "SL506" if one.finding.variant == "copied" => self.copy_at(one).or_else(|| self.header_above(one)),
            _ => None,
        }
    }

    fn place(&self, code: &'static str, at: u32) -> Option<usize> {
        self.places.get(&(code, at)).copied()
    }

    /// The finding about a lost parent, or the summary that counts it.
    fn missing_parent(&self, child: u32) -> Option<usize> {
        self.place("SL004", child).or_else(|| self.place("SL004", NONE))
    }

    /// The finding that says why a component hangs alone.
    fn break_of(&self, component: u32) -> Option<usize> {
        let row = self.context.forest.components.get(component as usize)?;
        if row.orphaned { self.missing_parent(row.root) } else { self.cycles.get(&component).copied() }
    }

    /// With one intact component, all others hang alone for their own break, and it hangs alone for that of the largest.
    fn break_of_the_rest(&self) -> Option<usize> {
        let largest = self.context.forest.primary(self.context.session)?;
        (self.intact == 1).then(|| self.break_of(largest)).flatten()
    }

    /// Several heads follow from several components when none of them forks.
    fn extra_heads(&self) -> Option<usize> {
        if self.context.forest.components.iter().any(|c| c.heads > 1) {
            return None;
        }
        let first =
            |code| self.found.iter().enumerate().filter(|(_, f)| f.finding.code() == code).min_by_key(|(_, f)| f.at);
        let cause = if self.intact <= 1 { first("SL004").or_else(|| first("SL005")) } else { self.second_root() };
        cause.map(|(i, _)| i)
    }

    fn second_root(&self) -> Option<(usize, &Found)> {
        let intact = |f: &Found| f.at != NONE && self.break_of(self.context.forest.component(f.at)).is_none();
        self.found.iter().enumerate().find(|(_, f)| f.finding.code() == "SL006" && intact(f))
    }

    /// A result whose record lost its parent, or that stands behind such a result or a parallel call, lost its call with
    /// it.
    fn lost_with_parent(&self, result: u32) -> Option<usize> {
        let node = self.context.forest.node(self.context.event(result).id);
        let root = self.context.forest.orphan_above(node);
        let lost = root != NONE && self.above.get(node as usize).is_some_and(|above| *above != Above::Talk);
        if lost { self.missing_parent(root) } else { None }
    }

    /// A pair in two components, one of which hangs alone for a known reason.
    fn parted(&self, pair: &Found) -> Option<usize> {
        let component = |at: u32| {
            let forest = &self.context.forest;
            forest.component(forest.node(self.context.event(at).id))
        };
        let (call, result) = (component(pair.at), component(pair.with));
        if self.intact > 1 || call == result {
            return None;
        }
        self.break_of(result).or_else(|| self.break_of(call))
    }

    /// The pair on two branches of which only this half is sent.
    fn crossed(&self, half: u32) -> Option<usize> {
        self.found.iter().position(|f| f.finding.code() == "SL106" && [f.at, f.with].contains(&half))
    }

    /// The compaction that splits the same pair.
    fn split_of(&self, pair: &Found) -> Option<usize> {
        self.place("SL108", pair.at).filter(|&i| self.found[i].with == pair.with)
    }

    /// The end that the run of a call did not come to.
    fn stop_of(&self, call: u32) -> Option<usize> {
        let run = self.context.run_of(call)?;
        self.place("SL503", run.events.1 - 1)
    }

    /// Where copies are sent, the copy of a call or result is the repeated call or result itself.
    fn repeated_tool(&self, first: u32) -> Option<usize> {
        self.place("SL103", first).or_else(|| self.place("SL104", first))
    }

    /// Two logs in one file: the second header between a record and its copy.
    fn parted_by_header(&self, copies: &Found) -> Option<usize> {
        if copies.at == NONE {
            return None;
        }
        let first = self.context.session.location(self.context.event(copies.at)).byte_start;
        let copy = copies.finding.location.byte_start;
        let place = self.headers.partition_point(|(start, _)| *start < first);
        self.headers.get(place).filter(|(start, _)| *start < copy).map(|(_, header)| *header)
    }

    /// The second header that a copied record stands behind.
    fn header_above(&self, copy: &Found) -> Option<usize> {
        let start = copy.finding.location.byte_start;
        let above = self.headers.partition_point(|(header, _)| *header < start);
        above.checked_sub(1).map(|above| self.headers[above].1)
    }

    /// A finding of this variant about the same record.
    fn same_place(&self, variant: &str, one: &Found) -> Option<usize> {
        let start = one.finding.location.byte_start;
        let same = |f: &Found| f.finding.variant == variant && f.finding.location.byte_start == start;
        // Such variants are rare: one pass over those there are.
        self.by_variant.get(variant)?.iter().copied().find(|&i| same(&self.found[i]))
    }

    /// The sub-agent's records that lost the same call.
    fn lost_with_caller(&self, orphan: &Found) -> Option<usize> {
        let key = orphan.finding.evidence.get("correlation_id")?;
        let callers = self.by_variant.get("unknown-caller")?;
        callers.iter().copied().find(|&i| self.found[i].finding.evidence.get("parent_id") == Some(key))
    }

    /// One number is missing where half a pair is: that record held it. Each half takes the first such place near it.
    fn number(&mut self) {
        let single = |f: &Found| {
            let number = |name: &str| f.finding.evidence.get(name).and_then(Json::as_u64);
            f.finding.variant.is_empty() && number("expected").is_some_and(|n| n.checked_add(1) == number("found"))
        };
        let gaps = self.found.iter().filter(|f| f.finding.code() == "SL506" && single(f));
        self.numbers = gaps.filter_map(|f| Some((f.finding.location.byte_start?, None))).collect();
        if self.numbers.is_empty() {
            return;
        }
        let (session, scopes) = (self.context.session, Scopes::new(self.context.session));
        for (i, half) in self.found.iter().enumerate().filter(|(_, f)| f.at != NONE) {
            let near = match half.finding.code() {
                "SL101" => scopes.before(session, half.at as usize),
                "SL102" => scopes.behind(session, half.at as usize),
                _ => continue,
            };
            // A number is missed at the record behind the lost one.
            let free = self.numbers.range_mut(near.start..=near.end).find(|(_, lost)| lost.is_none());
            if let Some((_, lost)) = free {
                *lost = Some(i);
            }
        }
    }

    /// The half of a pair whose other half stood where a number is missing.
    fn lost_with_number(&self, gap: &Found) -> Option<usize> {
        *self.numbers.get(&gap.finding.location.byte_start?)?
    }

    /// The repetition of the record that a number is repeated with.
    fn copy_at(&self, number: &Found) -> Option<usize> {
        let line = number.finding.location.line;
        let of =
            |code: &str| self.found.iter().position(|f| f.finding.code() == code && f.finding.location.line == line);
        ["SL103", "SL104", "SL003"].into_iter().find_map(of)
    }

    fn doubt(&self, unsafe_tool: &Found) -> Option<usize> {
        let named = |code: &str| {
            let causes = unsafe_tool.finding.evidence.get("caused_by").and_then(Json::as_array);
            causes.is_some_and(|causes| causes.iter().any(|c| c == code))
        };
        let indexed = || self.found.iter().enumerate();
        // Run state comes before all events; of two findings about one checkpoint, always the same one.
        let order = |f: &Found| (if f.at == NONE { -1 } else { i64::from(f.at) }, f.finding.variant);
        if let Some(code) = ["SL201", "SL202"].into_iter().find(|code| named(code)) {
            return indexed().filter(|(_, f)| f.finding.code() == code).min_by_key(|(_, f)| order(f)).map(|(i, _)| i);
        }
        let at = unsafe_tool.at;
        let boundary = |f: &Found| f.finding.evidence.get("boundary_index").and_then(Json::as_u64);
        let inside = |f: &Found| boundary(f).is_some_and(|b| b < u64::from(at)) && at <= f.with && f.with != NONE;
        indexed().find(|(_, f)| f.finding.code() == "SL108" && inside(f)).map(|(i, _)| i)
    }
}

/// What stands above an event, in the order in which parallel calls and their results are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Above {
    Calls,
    Results,
    Talk,
}

/// By position: what stands above; what is no part of the conversation aside.
fn above(context: &Context<'_>) -> Vec<Above> {
    let mut above = vec![Above::Calls; context.session.events.len()];
    for &at in &context.forest.order {
        let parent = context.forest.parent(at);
        if parent != NONE {
            let event = context.event(parent);
            let so_far = above[parent as usize];
            above[at as usize] = match event.kind {
                kind if event.flags.not_sent || kind == Kind::Opaque => so_far,
                Kind::ToolCall if so_far == Above::Calls => Above::Calls,
                Kind::ToolResult => so_far.max(Above::Results),
                _ => Above::Talk,
            };
        }
    }
    above
}
