//! SL506, SL004: records that have to be numbered get the number that belongs there.
//!
//! A record without a usable number gets the one between its neighbours. Where a loader wants numbers without a hole,
//! those behind a hole move up to it, and what names them by number with them; that hides where records were lost, so it
//! is done under salvage and said.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::adapter::layout::Numbering;
use crate::finding::Finding;
use crate::record::{Json, NodeKind, Scanner};
use crate::repair::script::{Insert, Splice};
use crate::source::{Line, LineReader, MAX_LINE_BYTES};

pub(super) static NUMBER: Recipe = Recipe {
    name: "record-number",
    codes: &["SL506"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose: number,
};

pub(super) static CLOSE_GAP: Recipe = Recipe {
    name: "sequence-renumber",
    codes: &["SL004"],
    salvage: true,
    audience: Audience::Native,
    shared: false,
    propose: close_gap,
};

/// Levels of a record that numbers are looked for in.
const DEPTH: u32 = 4;

fn number(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    const UNMET: Unmet = Unmet::Condition("number_between_neighbours");
    let numbering = case.bench.ground.layout.numbering.ok_or(UNMET)?;
    Case::require(matches!(finding.variant, "missing" | "missing-at-end" | "unusable"), "number_between_neighbours")?;
    let place = finding.location.byte_start.ok_or(UNMET)?;
    let (mut before, mut after, mut change) = (None, None, None);
    each_line(case, &mut |line, json| {
        let value = json.get(numbering.member);
        let own = value.and_then(Json::as_i64).filter(|n| *n >= 0);
        if (line.offset..line.end).contains(&place) {
            change = Some(Site::new(line, json, value, numbering));
        } else if change.is_none() {
            // Records without a number count on, as they will when they have got theirs.
            before = own.or(Some(before.map_or(0, |n| n + 1)));
        } else if after.is_none() {
            after = own;
        }
    })?;
    let (site, number) = (change.ok_or(UNMET)?, before.map_or(0, |n| n + 1));
    Case::require(after.is_none_or(|next| number < next), "number_between_neighbours")?;
    Ok(Proposal { changes: vec![site.change(number)], region: Some(BTreeSet::new()), loss: None })
}

/// Where the number of a record stands, or would stand.
struct Site {
    at: std::ops::Range<u64>,
    /// What a new member needs around its number.
    around: Option<String>,
}

impl Site {
    fn new(line: &Line<'_>, json: Json<'_>, value: Option<Json<'_>>, numbering: Numbering) -> Self {
        match value {
            Some(value) => Self { at: place(line, value), around: None },
            None => {
                let at = line.offset + json.start() as u64 + 1;
                Self { at: at..at, around: Some(format!("\"{}\":", numbering.member)) }
            }
        }
    }

    fn change(self, number: i64) -> Change {
        let text = self.around.map_or_else(|| number.to_string(), |name| format!("{name}{number},"));
        Change::Replace(Splice { at: self.at, with: Insert::Text(text.into_bytes()) })
    }
}

fn close_gap(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    const UNMET: Unmet = Unmet::Condition("hole_in_the_numbers");
    case.require_salvage()?;
    let numbering = case.bench.ground.layout.numbering.filter(|n| n.gapless).ok_or(UNMET)?;
    Case::require(finding.variant == "sequence-gap", "hole_in_the_numbers")?;
    let number = |name: &str| finding.evidence.get(name).or_else(|| finding.detail.get(name))?.as_i64();
    let (expected, found) = (number("expected").ok_or(UNMET)?, number("found").ok_or(UNMET)?);
    let (shift, place_of_gap) = (found - expected, finding.location.byte_start.ok_or(UNMET)?);
    Case::require(shift > 0, "hole_in_the_numbers")?;
    let earlier = |f: &Finding| f.variant == "sequence-gap" && f.location.byte_start < Some(place_of_gap);
    Case::require(!case.bench.findings.iter().any(earlier), "no_earlier_hole")?;
    let (mut changes, mut comes_late) = (Vec::new(), false);
    each_line(case, &mut |line, json| {
        if line.end <= place_of_gap {
            return;
        }
        let own = json.get(numbering.member).and_then(Json::as_i64);
        comes_late |= own.is_some_and(|n| (expected..found).contains(&n));
        for value in (numbering.numbers)(json) {
            if let Some(old) = value.as_i64().filter(|old| *old >= found) {
                let text = (old - shift).to_string().into_bytes();
                changes.push(Change::Replace(Splice { at: place(line, value), with: Insert::Text(text) }));
            }
        }
    })?;
    Case::require(!comes_late, "numbers_are_lost")?;
    let loss = Some(Loss::Count("closed-gap", shift.unsigned_abs()));
    Ok(Proposal { changes, region: Some(BTreeSet::new()), loss })
}

fn place(line: &Line<'_>, value: Json<'_>) -> std::ops::Range<u64> {
    line.offset + value.start() as u64..line.offset + value.end() as u64
}

/// Goes through the records that stand on lines of their own.
fn each_line(case: &Case<'_>, each: &mut dyn FnMut(&Line<'_>, Json<'_>)) -> Result<(), Unmet> {
    let mut lines = LineReader::new(case.bench.view(), MAX_LINE_BYTES);
    let mut scanner = Scanner::default();
    while let Some(line) = lines.next_line().map_err(std::io::Error::from)? {
        let whole = !line.truncated && simdutf8::basic::from_utf8(line.bytes).is_ok();
        if whole && scanner.scan(line.bytes, DEPTH).is_ok() && scanner.tape()[0].kind == NodeKind::Object {
            each(&line, Json::new(line.bytes, scanner.tape()));
        }
    }
    Ok(())
}
