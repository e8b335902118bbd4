//! Changes to records, named by what they change, and the splices that carry them out.
//!
//! A record is named by its number in one state of the text, which is also where the splices apply: nothing is
//! remembered across states. Dropping a record re-links what hangs on it; changes of one round commute.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use crate::adapter::layout::Block;
use crate::model::Sym;
use crate::record::{Json, NodeKind, Scanner};
use crate::source::{LineReader, MAX_LINE_BYTES};

use super::bench::{Bench, token};
use super::script::{Insert, Splice};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The record goes; its children hang on its parent from then on.
    Drop {
        /// Number of the record.
        record: u32,
    },
    /// One part of the record goes, and the record with it when nothing that counts is left.
    DropBlock {
        /// Number of the record.
        record: u32,
        /// Number of the part, from 0.
        block: usize,
    },
    /// The record hangs on another one, or on none.
    Relink {
        /// Number of the record.
        record: u32,
        /// Id of its new parent.
        parent: Option<String>,
    },
    /// The record's line goes behind that of another record.
    Move {
        /// Number of the record.
        record: u32,
        /// Number of the record it goes behind.
        behind: u32,
    },
    /// Bytes of the text are replaced.
    Replace(Splice),
    /// What is kept of the half frame behind the text becomes a whole one; the rest of it goes.
    CloseTail,
}

/// A splice with the steps that ask for it.
pub(crate) type Attributed = (Splice, BTreeSet<u32>);

/// All changes of one round.
#[derive(Default)]
pub(crate) struct Changes {
    dropped: BTreeMap<u32, BTreeSet<u32>>,
    blocks: BTreeMap<u32, BTreeMap<usize, u32>>,
    parents: BTreeMap<u32, (Option<String>, u32)>,
    moves: Vec<(u32, u32, u32)>,
    raw: Vec<Attributed>,
}

impl Changes {
    /// Adds a change on behalf of a step. The first change of one thing counts.
    pub(crate) fn add(&mut self, step: u32, change: &Change) {
        match change {
            Change::Drop { record } => {
                self.dropped.entry(*record).or_default().insert(step);
            }
            Change::DropBlock { record, block } => {
                self.blocks.entry(*record).or_default().entry(*block).or_insert(step);
            }
            Change::Relink { record, parent } => {
                self.parents.entry(*record).or_insert_with(|| (parent.clone(), step));
            }
            Change::Move { record, behind } => {
                if !self.moves.iter().any(|(r, ..)| r == record) {
                    self.moves.push((*record, *behind, step));
                }
            }
            Change::Replace(splice) => self.raw.push((splice.clone(), BTreeSet::from([step]))),
            // Nothing of the text changes.
            Change::CloseTail => {}
        }
    }

    /// The splices, sorted and disjoint.
    pub(crate) fn resolve(mut self, bench: &Bench<'_>) -> io::Result<Vec<Attributed>> {
        let mut splices = std::mem::take(&mut self.raw);
        let mut patches = self.drop_blocks(bench)?;
        self.relink_children(bench);
        patches.extend(self.patch_parents(bench)?);
        splices.extend(patches);
        splices.extend(self.references(bench)?);
        splices.extend(self.drops(bench)?);
        splices = self.moved(bench, splices)?;
        // A larger removal swallows what would change inside it; what is put in before it stays.
        splices.sort_by_key(|(s, _)| (s.at.start, !s.at.is_empty(), std::cmp::Reverse(s.at.end)));
        let mut kept: Vec<Attributed> = Vec::new();
        for (splice, steps) in splices {
            match kept.last_mut() {
                Some((last, _)) if splice.at.start < last.at.end => {}
                Some((last, owners)) if *last == splice && !splice.at.is_empty() => owners.extend(steps),
                _ => kept.push((splice, steps)),
            }
        }
        Ok(kept)
    }

    /// Removes parts; a record left with nothing but thoughts and empty texts is dropped whole.
    fn drop_blocks(&mut self, bench: &Bench<'_>) -> io::Result<Vec<Attributed>> {
        let mut splices = Vec::new();
        let layout = bench.ground.layout;
        for (record, blocks) in std::mem::take(&mut self.blocks) {
            if self.dropped.contains_key(&record) {
                continue;
            }
            let steps: BTreeSet<u32> = blocks.values().copied().collect();
            let parsed = bench.parse(record)?;
            let Some(array) = (layout.blocks)(parsed.json()) else { continue };
            let elements: Vec<Json<'_>> = array.elements().collect();
            let counts = |(i, e): (usize, &Json<'_>)| {
                !blocks.contains_key(&i) && !matches!((layout.block)(*e), Block::Thinking | Block::EmptyText)
            };
            if !elements.iter().enumerate().any(counts) {
                self.dropped.entry(record).or_default().extend(steps);
                continue;
            }
            for range in element_runs(&elements, |i| blocks.contains_key(&i)) {
                let at = parsed.offset + range.start as u64..parsed.offset + range.end as u64;
                splices.push((remove(at), steps.clone()));
            }
        }
        Ok(splices)
    }

    fn relink_children(&mut self, bench: &Bench<'_>) {
        let dropped: Vec<(u32, BTreeSet<u32>)> = self.dropped.iter().map(|(r, s)| (*r, s.clone())).collect();
        for (record, steps) in dropped {
            let id = bench.id_of(record);
            if id.is_none() || self.survives(bench, id) {
                continue;
            }
            let parent = self.surviving(bench, bench.parent_of(record));
            let step = steps.first().copied().unwrap_or(0);
            for &child in bench.children(id) {
                if !self.dropped.contains_key(&child) && !self.parents.contains_key(&child) {
                    self.parents.insert(child, (parent.clone(), step));
                }
            }
        }
    }

    /// Whether a record with this id stays.
    fn survives(&self, bench: &Bench<'_>, id: Sym) -> bool {
        bench.with_id(id).iter().any(|&at| !self.dropped.contains_key(&bench.event(at).record))
    }

    /// The nearest id at or above this one that stays. An id that no record has stays as it is.
    fn surviving(&self, bench: &Bench<'_>, mut id: Sym) -> Option<String> {
        for _ in 0..=self.dropped.len() {
            if id.is_none() {
                return None;
            }
            let Some(&at) = bench.with_id(id).first() else { break };
            if self.survives(bench, id) {
                break;
            }
            id = bench.parent_of(bench.event(at).record);
        }
        id.is_some().then(|| bench.text(id).to_owned())
    }

    fn patch_parents(&self, bench: &Bench<'_>) -> io::Result<Vec<Attributed>> {
        let mut splices = Vec::new();
        for (&record, (parent, step)) in &self.parents {
            if self.dropped.contains_key(&record) {
                continue;
            }
            let target = match parent {
                Some(id) => self.surviving(bench, bench.sym(id)).or_else(|| {
                    let known = bench.sym(id).is_some();
                    (!known).then(|| id.clone())
                }),
                None => None,
            };
            let parsed = bench.parse(record)?;
            let Some(value) = bench.ground.layout.parent_of(parsed.json()) else { continue };
            let text = target.map_or_else(|| b"null".to_vec(), |id| token(&id));
            if value.raw() != text {
                let splice = Splice { at: parsed.range(value), with: Insert::Text(text) };
                splices.push((splice, BTreeSet::from([*step])));
            }
        }
        Ok(splices)
    }

    /// Other members that name a dropped record name its parent instead.
    fn references(&self, bench: &Bench<'_>) -> io::Result<Vec<Attributed>> {
        let names = bench.ground.layout.references;
        let mut gone: BTreeMap<String, (Option<String>, &BTreeSet<u32>)> = BTreeMap::new();
        for (&record, steps) in &self.dropped {
            let id = bench.id_of(record);
            if id.is_some() && !self.survives(bench, id) {
                let parent = self.surviving(bench, bench.parent_of(record));
                gone.insert(bench.text(id).to_owned(), (parent, steps));
            }
        }
        let mut splices = Vec::new();
        if names.is_empty() || gone.is_empty() {
            return Ok(splices);
        }
        let mut lines = LineReader::new(bench.view(), MAX_LINE_BYTES);
        let mut scanner = Scanner::default();
        while let Some(line) = lines.next_line()? {
            if line.truncated
                || !names.iter().any(|n| memchr::memmem::find(line.bytes, n.as_bytes()).is_some())
                || simdutf8::basic::from_utf8(line.bytes).is_err()
                || scanner.scan(line.bytes, 2).is_err()
            {
                continue;
            }
            let json = Json::new(line.bytes, scanner.tape());
            for (name, value) in json.members() {
                let is_reference = names.contains(&&*name) && value.kind() == NodeKind::String;
                let Some((parent, steps)) = value.as_str().filter(|_| is_reference).and_then(|v| gone.get(&*v)) else {
                    continue;
                };
                let at = line.offset + value.start() as u64..line.offset + value.end() as u64;
                let text = parent.as_deref().map_or_else(|| b"null".to_vec(), token);
                splices.push((Splice { at, with: Insert::Text(text) }, (*steps).clone()));
            }
        }
        Ok(splices)
    }

    fn drops(&self, bench: &Bench<'_>) -> io::Result<Vec<Attributed>> {
        let mut splices = Vec::new();
        let in_document = |record: &u32| bench.row(*record).item > 0;
        for (record, steps) in self.dropped.iter().filter(|(r, _)| !in_document(r)) {
            let row = bench.row(*record);
            let shares = |other: Option<u32>| {
                other.and_then(|o| bench.session.records.get(o as usize)).is_some_and(|o| o.line == row.line)
            };
            // A second record on the line stays where it is.
            let at = if shares(record.checked_sub(1)) || shares(record.checked_add(1)) {
                row.offset..row.offset + row.len
            } else {
                bench.line_around(row)?
            };
            splices.push((remove(at), steps.clone()));
        }
        splices.extend(self.dropped_items(bench)?);
        Ok(splices)
    }

    /// Items of a document go with the comma that parts them from their neighbours.
    fn dropped_items(&self, bench: &Bench<'_>) -> io::Result<Vec<Attributed>> {
        let rows: Vec<(Range<u64>, &BTreeSet<u32>)> = self
            .dropped
            .iter()
            .map(|(record, steps)| (bench.row(*record), steps))
            .filter(|(row, _)| row.item > 0)
            .map(|(row, steps)| (row.offset..row.offset + row.len, steps))
            .collect();
        let mut splices: Vec<Attributed> = Vec::new();
        let mut index = 0;
        while index < rows.len() {
            let mut range = rows[index].0.clone();
            let mut steps = rows[index].1.clone();
            let mut behind = separators(bench, range.end)?;
            while behind.1 && rows.get(index + 1).is_some_and(|next| next.0.start == behind.0) {
                index += 1;
                range.end = rows[index].0.end;
                steps.extend(rows[index].1);
                behind = separators(bench, range.end)?;
            }
            if behind.1 {
                range.end = behind.0;
            } else {
                range.start = comma_before(bench, range.start)?;
            }
            splices.push((remove(range), steps));
            index += 1;
        }
        Ok(splices)
    }

    /// Adds the moves to the splices; what changes inside a moved record moves with it.
    fn moved(&self, bench: &Bench<'_>, mut splices: Vec<Attributed>) -> io::Result<Vec<Attributed>> {
        for &(record, behind, step) in &self.moves {
            if self.dropped.contains_key(&record) {
                continue;
            }
            let steps = BTreeSet::from([step]);
            let (from, to) = (bench.row(record), bench.row(behind));
            let (taken, gone, place) = if from.item > 0 {
                let item = from.offset..from.offset + from.len;
                let (next, comma) = separators(bench, item.end)?;
                let gone = if comma { item.start..next } else { comma_before(bench, item.start)?..item.end };
                (item, gone, to.offset + to.len)
            } else {
                let line = bench.line_around(from)?;
                (line.clone(), line, bench.line_around(to)?.end)
            };
            let inside = |s: &Splice| taken.start <= s.at.start && s.at.end <= taken.end;
            let mut patches: Vec<Attributed> = Vec::new();
            splices.retain(|splice| {
                let keep = !inside(&splice.0);
                if !keep {
                    patches.push(splice.clone());
                }
                keep
            });
            patches.sort_by_key(|(s, _)| s.at.start);
            let mut put = |with: Insert, owners: &BTreeSet<u32>| {
                splices.push((Splice { at: place..place, with }, owners.clone()));
            };
            if from.item > 0 {
                put(Insert::Text(b",".to_vec()), &steps);
            } else if place == bench.script.len() && bench.bytes(place - 1..place)? != b"\n" {
                put(Insert::Text(b"\n".to_vec()), &steps);
            }
            let mut at = taken.start;
            for (patch, owners) in patches {
                put(Insert::Moved(at..patch.at.start), &steps);
                at = patch.at.end;
                put(patch.with, &owners);
            }
            put(Insert::Moved(at..taken.end), &steps);
            splices.push((remove(gone), steps));
        }
        Ok(splices)
    }
}

pub(crate) const fn remove(at: Range<u64>) -> Splice {
    Splice { at, with: Insert::Text(Vec::new()) }
}

/// Ranges that take the chosen elements out of an array together with their commas.
fn element_runs(elements: &[Json<'_>], chosen: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut index = 0;
    while index < elements.len() {
        if !chosen(index) {
            index += 1;
            continue;
        }
        let first = index;
        while index < elements.len() && chosen(index) {
            index += 1;
        }
        ranges.push(match elements.get(index) {
            Some(next) => elements[first].start()..next.start(),
            None if first > 0 => elements[first - 1].end()..elements[index - 1].end(),
            None => elements[first].start()..elements[index - 1].end(),
        });
    }
    ranges
}

/// The next byte behind blanks and at most one comma, and whether there was a comma.
fn separators(bench: &Bench<'_>, from: u64) -> io::Result<(u64, bool)> {
    let (mut at, mut comma) = (from, false);
    loop {
        let end = (at + 64).min(bench.script.len());
        let bytes = bench.bytes(at..end)?;
        for (i, byte) in bytes.iter().enumerate() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b',' if !comma => comma = true,
                _ => return Ok((at + i as u64, comma)),
            }
        }
        if bytes.is_empty() {
            return Ok((at, comma));
        }
        at = end;
    }
}

/// The offset of the comma before a place, or the place itself when only blanks stand before it.
fn comma_before(bench: &Bench<'_>, place: u64) -> io::Result<u64> {
    let mut end = place;
    while end > 0 {
        let start = end.saturating_sub(64);
        let bytes = bench.bytes(start..end)?;
        for (i, byte) in bytes.iter().enumerate().rev() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b',' => return Ok(start + i as u64),
                _ => return Ok(place),
            }
        }
        end = start;
    }
    Ok(place)
}
