//! The entries of a log, one at a time in canonical form, and what kept the rest from being read.

use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

use super::canonical::{Canonical, Canonicaliser, NotJson};
use super::document::{self, End, List, Part};
use super::layout::Layout;
use super::source::Source;
use crate::dsh::packed::PackedKind;
use crate::dsh::record::Record;
use crate::source::{LineReader, MAX_LINE_BYTES};

/// What is wrong with a log apart from the entries that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// The log ends in the middle of an entry, which is left out.
    pub torn_tail: bool,
    /// The first place that is neither an entry nor a torn tail. Such a log has no digest.
    pub unreadable: Option<Place>,
}

/// A place in a log, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A line of the text, blank ones counted.
    Line(u64),
    /// An item of a document.
    Item(u64),
}

/// Called with each entry; may end the reading.
pub(super) type Visit<'v> = dyn FnMut(&Canonical<'_>) -> ControlFlow<()> + 'v;

/// Visits the entries of a log in order. Places that cannot be read are passed over and told in the answer.
///
/// # Errors
/// When the source cannot be read. Bad content is no error.
pub(super) fn visit(source: &Source, layout: Layout, visit: &mut Visit<'_>) -> io::Result<Damage> {
    let place = if matches!(layout, Layout::Items { .. }) { Place::Item } else { Place::Line };
    let mut reading = Reading { damage: Damage::default(), place, at: 0, entry: Canonicaliser::default(), visit };
    let result = match layout {
        Layout::Lines { header, packed } => reading.lines(source, header, packed),
        Layout::Items { list, occurrence } => reading.items(source, list, occurrence),
        Layout::Value => reading.value(source),
    };
    match result {
        Err(e) if e.kind() == io::ErrorKind::InvalidData => reading.unreadable(1),
        other => other?,
    }
    reading.damage.torn_tail |= source.is_torn();
    Ok(reading.damage)
}

struct Reading<'v, 'c> {
    damage: Damage,
    place: fn(u64) -> Place,
    /// Number of the line or item read last.
    at: u64,
    entry: Canonicaliser,
    visit: &'v mut Visit<'c>,
}

impl Reading<'_, '_> {
    /// Notes the place `ahead` of the last one that was read.
    fn unreadable(&mut self, ahead: u64) {
        self.damage.unreadable.get_or_insert((self.place)(self.at + ahead));
    }

    fn lines(&mut self, source: &Source, mut header: bool, packed: bool) -> io::Result<()> {
        let mut lines = LineReader::new(source.text()?, MAX_LINE_BYTES);
        let mut event = Canonicaliser::default();
        while let Some(line) = lines.next_line()? {
            self.at += 1;
            if !line.truncated && line.is_blank() {
                continue;
            }
            let is_header = std::mem::take(&mut header);
            // What is longer than a line may be is no entry, whatever it holds.
            let entry = if line.truncated { Err(NotJson) } else { self.entry.read(line.bytes) };
            let Ok(entry) = entry else {
                if line.terminated || line.truncated {
                    self.unreadable(0);
                } else {
                    self.damage.torn_tail = true;
                }
                continue;
            };
            if is_header {
                continue;
            }
            let row = packed.then(|| entry.member("type")).flatten().filter(|tag| is_packed(tag));
            let flow = match row.and_then(|_| Record::read(line.bytes)) {
                // Packed or not, the digest is that of the events.
                Some(Record::Packed(row)) => row.events().try_for_each(|text| match event.read(&text) {
                    Ok(entry) => (self.visit)(&entry),
                    Err(_) => ControlFlow::Continue(()),
                }),
                _ => (self.visit)(&entry),
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn items(&mut self, source: &Source, list: List, occurrence: usize) -> io::Result<()> {
        let mut met = 0;
        let mut inside = false;
        let end = document::walk(BufReader::new(source.text()?), MAX_LINE_BYTES, &mut |part| {
            match part {
                Part::List(name) => {
                    met += usize::from(name == list);
                    inside = name == list && met == occurrence;
                }
                Part::Item(text) if inside => {
                    self.at += 1;
                    match self.entry.read(text) {
                        Ok(entry) => return (self.visit)(&entry),
                        Err(_) => self.unreadable(0),
                    }
                }
                Part::Item(text) | Part::Member(_, text) => {
                    if self.entry.read(text).is_err() {
                        self.unreadable(1);
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        match end {
            End::Whole | End::Stopped => {}
            End::Cut => self.damage.torn_tail = true,
            End::More | End::Broken => self.unreadable(1),
        }
        Ok(())
    }

    fn value(&mut self, source: &Source) -> io::Result<()> {
        let mut text = Vec::new();
        source.text()?.take(MAX_LINE_BYTES as u64).read_to_end(&mut text)?;
        match self.entry.read(&text) {
            Ok(entry) => {
                // It is the last one anyway.
                let _: ControlFlow<()> = (self.visit)(&entry);
                Ok(())
            }
            Err(_) => self.lines(source, false, false),
        }
    }
}

/// Whether a `type`, in canonical spelling, is that of a packed row.
fn is_packed(tag: &[u8]) -> bool {
    let name = tag.strip_prefix(b"\"").and_then(|tag| tag.strip_suffix(b"\""));
    name.is_some_and(|name| PackedKind::named(name).is_some())
}
