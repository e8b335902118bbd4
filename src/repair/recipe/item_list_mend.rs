//! SL001: a document whose list of items is cut or badly joined: whole items stay, one comma between each two, and what
//! was never closed is closed.
//!
//! An item that the text ends in was never committed. Any other that is no whole object is a loss.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Audience, Case, Change, Loss, Proposal, Recipe, Unmet};
use crate::adapter::Framing;
use crate::finding::Finding;
use crate::reader::list::{self, List};
use crate::record::Scanner;
use crate::repair::script::{Insert, Splice};

pub(super) static RECIPE: Recipe = Recipe {
    name: "item-list-mend",
    codes: &["SL001"],
    salvage: false,
    audience: Audience::Native,
    shared: false,
    propose,
};

const UNMET: Unmet = Unmet::Condition("list_with_whole_items");

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    let bench = case.bench;
    let (Framing::LinesOrDocument(document) | Framing::StrictLinesOrDocument(document)) = bench.ground.format.framing
    else {
        return Err(UNMET);
    };
    let in_document = bench.session.frames.is_empty() && bench.session.records.iter().any(|row| row.item > 0);
    Case::require(in_document, "list_with_whole_items")?;
    Case::require(!matches!(finding.variant, "too-long" | "too-deep"), "item_within_limits")?;
    let list = list::find(bench.view(), document)?.ok_or(UNMET)?;
    let torn = usize::from(list.is_cut);
    let lost = list.items.iter().filter(|item| !item.sound).count() - torn;
    if lost > 0 {
        case.require_salvage()?;
    }
    let changes = changes(case, &list)?;
    let loss = match finding.location.item {
        Some(_) if finding.variant != "document" => Some(Loss::Count("malformed-item", 1)),
        _ => {
            // What stands behind the end of the list has no finding of its own.
            let behind =
                list.items.iter().filter(|item| !item.sound && list.end.is_some_and(|end| item.range.start > end));
            Some(Loss::Count(
                "malformed-item",
                behind.count() as u64 - (torn as u64).min(u64::from(list.end.is_some())),
            ))
        }
    };
    // What was torn may have been the result of what came last.
    let last = (torn > 0).then(|| bench.session.events.len().checked_sub(1)).flatten();
    let region: BTreeSet<u32> = last.into_iter().map(|at| at as u32).collect();
    Ok(Proposal { changes, region: Some(region), loss })
}

/// The splices that leave whole items and one comma between each two.
fn changes(case: &Case<'_>, list: &List) -> Result<Vec<Change>, Unmet> {
    let bench = case.bench;
    let kept: Vec<&Range<u64>> = list.items.iter().filter(|item| item.sound).map(|item| &item.range).collect();
    let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return Err(UNMET) };
    let mut changes = Vec::new();
    let mut replace = |at: Range<u64>, old: &[u8], with: Vec<u8>| {
        if old != with {
            changes.push(Change::Replace(Splice { at, with: Insert::Text(with) }));
        }
    };
    let head = bench.bytes(list.start..first.start)?;
    replace(list.start..first.start, &head, blanks_behind(&head).to_vec());
    for pair in kept.windows(2) {
        let gap = bench.bytes(pair[0].end..pair[1].start)?;
        let commas = gap.iter().filter(|b| **b == b',').count();
        if commas != 1 || gap.iter().any(|b| *b != b',' && !is_blank(b)) {
            replace(pair[0].end..pair[1].start, &gap, [b",", blanks_behind(&gap)].concat());
        }
    }
    let tail = bench.bytes(last.end..bench.script.len())?;
    let closing = match list.end.filter(|_| list.wrapped).map(|end| bench.bytes(end..bench.script.len())).transpose()? {
        None => {
            if list.wrapped {
                b"]}".to_vec()
            } else {
                b"]".to_vec()
            }
        }
        Some(rest) if rest.iter().all(is_blank) => b"]}".to_vec(),
        // What follows the list must be sound by itself.
        Some(rest) => {
            let object = [b"{\"items\":[]".as_slice(), &rest].concat();
            Case::require(Scanner::default().scan(&object, 1).is_ok(), "sound_members")?;
            [b"]".as_slice(), &rest].concat()
        }
    };
    let is_closed =
        tail.strip_suffix(closing.as_slice()).or_else(|| tail.trim_ascii_end().strip_suffix(closing.as_slice()));
    if !is_closed.is_some_and(|before| before.iter().all(is_blank)) {
        let line: &[u8] = if head.contains(&b'\n') { b"\n" } else { b"" };
        let end: &[u8] = if tail.ends_with(b"\n") && !closing.ends_with(b"\n") { b"\n" } else { b"" };
        replace(last.end..bench.script.len(), &tail, [line, &closing, end].concat());
    }
    Ok(changes)
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The blanks at the end of a text.
fn blanks_behind(text: &[u8]) -> &[u8] {
    let solid = text.iter().rposition(|b| !is_blank(b)).map_or(0, |at| at + 1);
    &text[solid..]
}
