//! The running number that newer logs give each record, and what is wrong with it.
//!
//! A log need not begin at 0 (a fork goes on where its parent ended), and a record that was cut gives its number to
//! the next one. Only what no broken line explains is stated.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::adapter::{Record, Sink};
use crate::finding::Location;
use crate::model::session::{Fact, FactKind};
use crate::record::{Json, NodeKind};

/// Follows the numbers of one file.
#[derive(Debug, Default)]
pub(super) struct Ordinals {
    last: Option<Last>,
    /// The record just read has no number.
    missing: Option<Location>,
    /// Number of stretches without numbers so far.
    stretches: u32,
    /// Hash of each record by its number: a record that was stored twice tells nothing about the count.
    seen: HashMap<u64, u64>,
    /// Numbers that a gap left out: a later record may bring them.
    open: std::ops::Range<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    value: u64,
    /// Number of the record in the file.
    record: u64,
}

impl Ordinals {
    pub(super) fn read(&mut self, record: &Record<'_>, is_header: bool, paginated: bool, sink: &mut dyn Sink) {
        let value = record.json.get_some("ordinal");
        if value.is_none() && (paginated || self.last.is_some()) {
            match self.missing.replace(record.location) {
                Some(before) => self.state_missing(before, false, sink),
                None => self.stretches += 1,
            }
            return;
        }
        if let Some(before) = self.missing.take() {
            self.state_missing(before, false, sink);
        }
        let Some(value) = value else { return };
        match number(value) {
            Some(value) => self.follow(record, value, is_header, sink),
            None => state(FactKind::OrdinalUnusable { dropped: paginated }, record.location, String::new(), sink),
        }
    }

    /// The newest loader refuses a paginated log whose last record has no number.
    pub(super) fn finish(&mut self, paginated: bool, sink: &mut dyn Sink) {
        if let Some(last) = self.missing.take() {
            self.state_missing(last, paginated, sink);
        }
    }

    fn follow(&mut self, record: &Record<'_>, found: u64, is_header: bool, sink: &mut dyn Sink) {
        let mut hasher = DefaultHasher::new();
        record.json.raw().hash(&mut hasher);
        if self.seen.insert(found, hasher.finish()) == Some(hasher.finish()) && !is_header {
            state(FactKind::OrdinalCopied { found }, record.location, found.to_string(), sink);
            self.last = self.last.map(|last| Last { record: record.ordinal, ..last });
            return;
        }
        // Behind a second header any count may follow: one of its own, or that of the log it stands in.
        let Some(last) = self.last.filter(|_| !is_header) else {
            self.last = (!is_header || self.last.is_none()).then_some(Last { value: found, record: record.ordinal });
            return;
        };
        let expected = last.value.saturating_add(1);
        let lost = record.ordinal.saturating_sub(last.record + 1);
        if found > expected && found - expected > lost {
            self.open = expected..found;
            state(FactKind::OrdinalGap { expected, found }, record.location, found.to_string(), sink);
        } else if found < expected {
            state(FactKind::OrdinalRepeated { expected, found }, record.location, found.to_string(), sink);
            if self.open.contains(&found) {
                self.last = Some(Last { record: record.ordinal, ..last });
                return;
            }
        }
        self.last = Some(Last { value: found, record: record.ordinal });
    }

    fn state_missing(&self, location: Location, refused: bool, sink: &mut dyn Sink) {
        state(FactKind::OrdinalMissing { refused, stretch: self.stretches }, location, String::new(), sink);
    }
}

fn state(kind: FactKind, location: Location, subject: String, sink: &mut dyn Sink) {
    sink.fact(Fact { kind, location, subject });
}

/// A whole number of zero or more.
pub(super) fn number(value: Json<'_>) -> Option<u64> {
    if value.kind() != NodeKind::Integer {
        return None;
    }
    std::str::from_utf8(value.raw()).ok()?.parse().ok()
}
