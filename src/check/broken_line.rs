//! One bad line, one finding: what a check misses because it stood on a broken line follows from that line.
//!
//! A missing parent, call or result is looked for in the raw text of the broken lines. Where that was cut before the id,
//! the place decides: what is lost stood near what misses it. Nothing is tied to a milder finding. One-tree sessions
//! keep their findings apart, as the reference program reports them.

mod neighbours;
#[cfg(test)]
mod tests;
mod text;

use std::collections::HashMap;
use std::ops::Range;

use super::framing::{SL001, SL002};
use crate::finding::Finding;
use crate::model::Session;
pub(super) use neighbours::Scopes;
use neighbours::run_of;
use text::{Quoted, unread};

/// Broken lines beyond this many explain nothing.
const MOST_LINES: usize = 1000;
/// Damaged texts of a broken line beyond this many are no ids.
const MOST_DAMAGED: usize = 4;
/// Bytes of a broken line that are searched.
const MOST_BYTES: u64 = 1 << 20;
/// Bytes that may end a line.
const LINE_END: u64 = 2;
/// How SL001 and SL002 name lines on which a record may have stood.
const LOST: [&str; 12] = [
    "",
    "invalid-utf8",
    "malformed-item",
    "malformed-line",
    "non-object-item",
    "non-object-line",
    "not-a-record",
    "nul-bytes",
    "spliced-record",
    "too-deep",
    "too-long",
    "torn-tail",
];

/// A line on which something was lost.
struct Line {
    /// Its place among the findings of reading.
    finding: usize,
    /// Where on it the first thing was lost, and where it ends.
    gap: u64,
    end: u64,
    /// It still names its own record.
    named: bool,
    /// It is known to have been a lost parent, or to have held a lost call or result.
    was_parent: bool,
    was_tool: bool,
}

/// Every finding, those that follow from a broken line attached to the finding about it.
///
/// `reading` and `checked` are what reading and the checks found in `session`; `raw` gives the bytes of a range of its
/// source, none when they cannot be read again.
#[must_use]
pub fn tie(
    session: &Session,
    mut reading: Vec<Finding>,
    checked: Vec<Finding>,
    raw: &dyn Fn(Range<u64>) -> Option<Vec<u8>>,
) -> Vec<Finding> {
    let mut causes = vec![None; reading.len() + checked.len()];
    // Offsets in a compressed file are those of its frames.
    let has_lines = session.frames.is_empty();
    if !session.conventions.one_tree && has_lines && reading.iter().any(is_lost) {
        let all: Vec<&Finding> = reading.iter().chain(&checked).collect();
        let mut lines = Lines::default();
        lines.search(session, &all[..reading.len()], &all, raw);
        lines.place(session, &all);
        causes = lines.causes;
    }
    let from_checks = causes.split_off(reading.len());
    let mut consequences: Vec<(usize, Finding)> = Vec::new();
    let mut standing = Vec::new();
    for (finding, cause) in checked.into_iter().zip(from_checks) {
        match cause {
            Some(cause) => consequences.push((cause, finding)),
            None => standing.push(finding),
        }
    }
    for (cause, mut finding) in consequences {
        let further = std::mem::take(&mut finding.consequences);
        reading[cause].consequences.push(finding);
        reading[cause].consequences.extend(further);
    }
    // Among the findings of reading themselves, the cause is never tied to anything.
    let mut rest: Vec<Option<Finding>> = reading.into_iter().map(Some).collect();
    for (i, cause) in causes.into_iter().enumerate() {
        if let Some(cause) = cause
            && let Some(finding) = rest[i].take()
            && let Some(owner) = &mut rest[cause]
        {
            owner.consequences.push(finding);
        }
    }
    rest.into_iter().flatten().chain(standing).collect()
}

/// Whether a finding is about a line on which a record may have stood.
fn is_lost(finding: &Finding) -> bool {
    [SL001.code, SL002.code].contains(&finding.code())
        && LOST.contains(&finding.variant)
        && finding.location.byte_start.is_some()
        && finding.location.byte_end.is_some()
}

#[derive(Default)]
struct Lines {
    /// In file order.
    lines: Vec<Line>,
    /// By finding: the finding of reading that it follows from.
    causes: Vec<Option<usize>>,
    /// By lost parent: the findings that say so.
    by_parent: HashMap<String, Vec<usize>>,
}

impl Lines {
    /// Looks for the lost ids of `all` in the text of the broken lines.
    fn search(
        &mut self,
        session: &Session,
        reading: &[&Finding],
        all: &[&Finding],
        raw: &dyn Fn(Range<u64>) -> Option<Vec<u8>>,
    ) {
        self.causes = vec![None; all.len()];
        for (i, parent) in all.iter().enumerate().filter_map(|(i, finding)| Some((i, lost_parent(finding)?))) {
            self.by_parent.entry(parent.to_owned()).or_default().push(i);
        }
        let mut lost = LostIds::new(session, all);
        let mut broken: Vec<usize> = (0..reading.len()).filter(|&i| is_lost(reading[i])).collect();
        broken.sort_by_key(|&i| reading[i].location.byte_start);
        broken.truncate(MOST_LINES);
        for finding in broken {
            let place = reading[finding].location;
            let (start, end) = (place.byte_start.unwrap_or(0), place.byte_end.unwrap_or(0));
            let bytes = raw(start..end.min(start + MOST_BYTES)).unwrap_or_default();
            let (mut was_parent, mut was_tool) = (false, false);
            let mut follow = |causes: &mut Self, indexes: Vec<usize>| {
                for i in indexes {
                    causes.follow(all, i, finding);
                    was_parent |= all[i].code() == "SL004";
                    was_tool |= matches!(all[i].code(), "SL101" | "SL102");
                }
            };
            // The record may have been read, its ids being what the damage changed.
            let damaged = Quoted::new(&bytes).filter_map(|quoted| quoted.around_damage()).take(MOST_DAMAGED);
            for (start, end) in damaged {
                follow(self, lost.take_like(start, end));
            }
            let pieces = unread(session, reading[finding], &bytes);
            let Some(gap) = pieces.first().map(|piece| start + piece.start as u64) else { continue };
            let mut named = false;
            let mut hangs_on: Vec<usize> = Vec::new();
            for quoted in pieces.into_iter().flat_map(|piece| Quoted::new(&bytes[piece])) {
                let is_id = !quoted.text.is_empty() && quoted.is_value_of(session.conventions.id_member);
                named |= is_id && quoted.around_damage().is_none_or(tells_ids_apart);
                let Ok(text) = std::str::from_utf8(quoted.text) else { continue };
                if quoted.names_parent() {
                    hangs_on.extend(lost.by_call.get(text));
                    continue;
                }
                follow(self, lost.by_id.remove(text).unwrap_or_default());
            }
            let mut line = Line { finding, gap, end, named, was_parent, was_tool };
            // Cut before it says so: what hangs on an open call is its result.
            if let Some(call) = hangs_on.into_iter().find(|&i| !line.was_tool && self.causes[i].is_none()) {
                self.follow(all, call, finding);
                line.was_tool = true;
            }
            self.lines.push(line);
        }
    }

    /// Lets the place decide where the text names nothing.
    fn place(&mut self, session: &Session, all: &[&Finding]) {
        if self.lines.is_empty() {
            return;
        }
        let scopes = Scopes::new(session);
        for (i, finding) in all.iter().enumerate() {
            if self.causes[i].is_some() {
                continue;
            }
            let at = index(finding);
            let start = finding.location.byte_start.unwrap_or(0);
            let line = match (finding.code(), finding.variant, at) {
                ("SL004", "", Some(at)) => {
                    let line = self.last_in(scopes.above(session, at), |line| !line.named && !line.was_parent);
                    line.inspect(|&line| self.lines[line].was_parent = true)
                }
                ("SL101", _, Some(at)) => {
                    let line = self.last_in(scopes.before(session, at), |line| !line.was_tool);
                    line.inspect(|&line| self.lines[line].was_tool = true)
                }
                ("SL102", _, Some(at)) => {
                    let line = self.first_in(scopes.behind(session, at), |line| !line.was_tool);
                    line.inspect(|&line| self.lines[line].was_tool = true)
                }
                ("SL004", "sequence-gap", _) => self.last_in(0..start, |line| start < line.end),
                // More than one record stood on the line before, which counts as one.
                ("SL506", _, _) => self.last_in(0..start, |line| start <= line.end + LINE_END),
                ("SL503", "extra-end", _) => self.last_in(run_of(session, start).0..start, |_| true),
                ("SL503", _, _) => self.first_in(start..run_of(session, start + 1).1, |_| true),
                ("SL504", "unfinished", _) => self.first_in(start..run_of(session, start).1, |_| true),
                ("SL302", "missing-beginning", _) => self.last_in(run_of(session, start).0..start, |_| true),
                ("SL001", "missing-header", _) => self.first_in(0..start, |_| true),
                _ => None,
            };
            if let Some(line) = line {
                self.follow(all, i, self.lines[line].finding);
            }
        }
    }

    /// A finding follows from the one about a broken line, unless that is milder; so does whatever else lost the same
    /// parent.
    fn follow(&mut self, all: &[&Finding], finding: usize, cause: usize) {
        let alone = [finding];
        let parent = lost_parent(all[finding]);
        let same = parent.and_then(|parent| self.by_parent.get(parent)).map_or(&alone[..], Vec::as_slice);
        for &i in same {
            if self.causes[i].is_none() && i != cause && all[i].severity <= all[cause].severity {
                self.causes[i] = Some(cause);
            }
        }
    }

    fn within(&self, window: Range<u64>) -> Range<usize> {
        let start = self.lines.partition_point(|line| line.gap < window.start);
        start..self.lines.partition_point(|line| line.gap < window.end).max(start)
    }

    fn first_in(&self, window: Range<u64>, fits: impl Fn(&Line) -> bool) -> Option<usize> {
        self.within(window).find(|&line| fits(&self.lines[line]))
    }

    fn last_in(&self, window: Range<u64>, fits: impl Fn(&Line) -> bool) -> Option<usize> {
        self.within(window).rev().find(|&line| fits(&self.lines[line]))
    }
}

/// What the findings say is not there, by the findings that say so.
struct LostIds {
    by_id: HashMap<String, Vec<usize>>,
    /// Open calls, by the id of the record that holds the call.
    by_call: HashMap<String, usize>,
}

impl LostIds {
    fn new(session: &Session, all: &[&Finding]) -> Self {
        let mut ids = Self { by_id: HashMap::new(), by_call: HashMap::new() };
        for (i, finding) in all.iter().enumerate() {
            for one in std::iter::once(*finding).chain(&finding.consequences) {
                if let Some(id) = lost_id(one).filter(|id| !id.is_empty()) {
                    ids.by_id.entry(id).or_default().push(i);
                }
            }
            let call = index(finding).filter(|_| finding.code() == "SL102").and_then(|at| session.events.get(at));
            if let Some(call) = call {
                ids.by_call.entry(session.text(call.id).to_owned()).or_insert(i);
            }
        }
        ids
    }

    /// The findings about ids that begin and end as a damaged text does.
    fn take_like(&mut self, start: &str, end: &str) -> Vec<usize> {
        let left = start.len() + end.len();
        let like = |id: &str| left <= id.len() && id.starts_with(start) && id.ends_with(end);
        if !tells_ids_apart((start, end)) {
            return Vec::new();
        }
        let mut taken: Vec<usize> = self.by_id.extract_if(|id, _| like(id)).flat_map(|(_, indexes)| indexes).collect();
        taken.sort_unstable();
        taken
    }
}

/// Characters of an id that must be left to know it again.
const LEFT_OF_ID: usize = 8;

/// Whether enough of a damaged id is left to know it again.
fn tells_ids_apart((start, end): (&str, &str)) -> bool {
    start.len() + end.len() >= LEFT_OF_ID
}

/// The parent that a record lost.
fn lost_parent(finding: &Finding) -> Option<&str> {
    ((finding.code(), finding.variant) == ("SL004", "")).then_some(finding.subject.part.as_str())
}

/// Position of the event that a finding is about.
fn index(finding: &Finding) -> Option<usize> {
    finding.evidence.get("index").and_then(serde_json::Value::as_u64).and_then(|at| usize::try_from(at).ok())
}

/// The id that a finding says is not there.
fn lost_id(finding: &Finding) -> Option<String> {
    let named = |name: &str| finding.evidence.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    match (finding.code(), finding.variant) {
        ("SL004", "unknown-caller") => named("parent_id"),
        ("SL004", "") | ("SL101" | "SL102", _) | ("SL108", "nothing-kept") => Some(finding.subject.part.clone()),
        ("SL504", "without-final") => Some(finding.subject.record.clone()),
        _ => None,
    }
}
