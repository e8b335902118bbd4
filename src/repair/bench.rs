//! The text under repair as it stands now: read through its adapter, checked, and open to a closer look at single records.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::adapter::layout::Layout;
use crate::adapter::{Format, Metadata};
use crate::export::reconstruct::Reconstruction;
use crate::finding::Finding;
use crate::finding::fingerprint::hex;
use crate::model::session::RecordRow;
use crate::model::{Event, Recall, Session, Sym, Value, content_free};
use crate::reader::builder::FileRecall;
use crate::reader::framing::raw_record_id;
use crate::reader::{self, Builder, TAPE_DEPTH};
use crate::record::{Json, Node, Scanner};
use crate::rule::profile::Profile;

use super::packed::Tail;
use super::script::{Bytes, Script, View};

/// What stays the same over all rounds of one repair.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The source.
    pub source: &'a dyn Bytes,
    /// Its format.
    pub format: &'static Format,
    /// How its records are built.
    pub layout: &'static Layout,
    /// How strictly to judge.
    pub profile: &'static Profile,
    /// File name of the source, without folders: part of fingerprints and of made-up ids.
    pub name: &'a str,
    /// The half frame behind the text, as long as it is to be mended.
    pub tail: Option<&'a Tail>,
}

impl Ground<'_> {
    /// Whether the text is a canonical session: then the reference program's contract holds to the letter.
    pub(crate) fn is_canonical(&self) -> bool {
        self.format.id == crate::adapter::canonical::FORMAT.id
    }
}

/// One state of the text.
pub(crate) struct Bench<'a> {
    pub ground: Ground<'a>,
    pub script: &'a Script,
    pub session: Session,
    /// Findings of reading and checking, causes first with what follows from them attached.
    pub findings: Vec<Finding>,
    pub metadata: Metadata,
    /// SHA-256 of the text, hex.
    pub sha256: String,
    /// Non-blank lines or items.
    pub records: u64,
    /// By record: its first event.
    first_event: Vec<u32>,
    index: OnceCell<Index>,
}

/// Look-ups that only some recipes need.
struct Index {
    /// Events by id, in file order.
    by_id: BTreeMap<Sym, Vec<u32>>,
    /// Calls and results by the key that joins them, in file order.
    by_key: BTreeMap<Sym, Vec<u32>>,
    /// Records by the id of their parent.
    children: BTreeMap<Sym, Vec<u32>>,
}

/// One record, parsed.
pub(crate) struct Parsed {
    text: Vec<u8>,
    tape: Vec<Node>,
    /// Offset of its first byte in the text under repair.
    pub offset: u64,
}

impl Parsed {
    pub(crate) fn json(&self) -> Json<'_> {
        Json::new(&self.text, &self.tape)
    }

    /// Where a value of the record stands in the text under repair.
    pub(crate) fn range(&self, value: Json<'_>) -> Range<u64> {
        self.offset + value.start() as u64..self.offset + value.end() as u64
    }
}

impl<'a> Bench<'a> {
    /// Reads and checks the text.
    pub(crate) fn new(ground: Ground<'a>, script: &'a Script) -> io::Result<Self> {
        let mut builder = Builder::new(ground.format);
        let source = reader::read(script.read(ground.source), ground.format, ground.name, &mut builder)?;
        let (mut session, mut findings) = builder.finish(&source);
        // Nothing that a repair may touch; the reference program's repair does not look at it either.
        session.run_state.clear();
        let recall = FileRecall::new(script.read(ground.source), ground.format, ground.name);
        findings.extend(crate::check::run(&session, &recall, ground.profile, ground.name));
        findings.extend(ground.tail.map(|tail| tail.finding.clone()));
        if ground.is_canonical() {
            // The version on a header line counts revisions of the session; the schema says how to read it.
            findings.retain(|f| f.code() != "SL301" || !f.evidence.contains_key("record_ordinal"));
            name_broken_lines(&mut findings, &mut script.read(ground.source))?;
        }
        let mut first_event = vec![u32::MAX; session.records.len()];
        for (at, event) in session.events.iter().enumerate().rev() {
            first_event[event.record as usize] = at as u32;
        }
        Ok(Self {
            ground,
            script,
            session,
            findings,
            metadata: source.metadata,
            sha256: hex(&source.sha256),
            records: source.records,
            first_event,
            index: OnceCell::new(),
        })
    }

    /// Whether every event, written as a canonical one, reads back as what it was.
    pub(crate) fn exports_whole(&self) -> io::Result<bool> {
        let Ground { format, name, .. } = self.ground;
        let mut builder = Builder::new(format);
        let mut twice = Reconstruction::new(&mut builder, name);
        reader::read(self.view(), format, name, &mut twice)?;
        Ok(twice.holds())
    }

    /// Reads the text from anywhere.
    pub(crate) fn view(&self) -> View<'a> {
        self.script.read(self.ground.source)
    }

    /// Bytes of the text.
    pub(crate) fn bytes(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut view = self.view();
        view.seek(SeekFrom::Start(range.start))?;
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(usize::MAX)];
        view.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The event at a position.
    pub(crate) fn event(&self, at: u32) -> &Event {
        &self.session.events[at as usize]
    }

    pub(crate) fn text(&self, sym: Sym) -> &str {
        self.session.text(sym)
    }

    /// The row of a record.
    pub(crate) fn row(&self, record: u32) -> &RecordRow {
        &self.session.records[record as usize]
    }

    /// Positions of the events of a record.
    pub(crate) fn events_of(&self, record: u32) -> Range<u32> {
        let first = self.first_event[record as usize];
        let count = self.session.events[first as usize..].iter().take_while(|e| e.record == record).count();
        first..first + count as u32
    }

    /// The id that other records name this record by: that of its last event.
    pub(crate) fn id_of(&self, record: u32) -> Sym {
        self.event(self.events_of(record).end - 1).id
    }

    /// The id of the record that this record hangs on.
    pub(crate) fn parent_of(&self, record: u32) -> Sym {
        self.event(self.events_of(record).start).parent
    }

    /// Reads one record again.
    pub(crate) fn parse(&self, record: u32) -> io::Result<Parsed> {
        let row = self.row(record);
        let text = self.bytes(row.offset..row.offset + row.len)?;
        // Bad bytes were replaced when the record was read; ids and structure are the same without them.
        let text = match String::from_utf8(text) {
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes().into_iter().map(|b| if b < 0x80 { b } else { b'?' }).collect(),
        };
        let mut scanner = Scanner::default();
        let offset = row.offset;
        scanner
            .scan(&text, TAPE_DEPTH)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a record changed while it was read"))?;
        Ok(Parsed { tape: scanner.tape().to_vec(), text, offset })
    }

    /// What an event says: its canonical object, and in canonical sessions nothing but what stands there.
    pub(crate) fn object(&self, at: u32) -> Option<Value> {
        if self.ground.is_canonical() {
            return Some(self.parse(self.event(at).record).ok()?.json().to_value());
        }
        self.canonical_object(at)
    }

    /// The canonical object of an event, with stand-ins for what is missing.
    pub(crate) fn canonical_object(&self, at: u32) -> Option<Value> {
        self.recall().event(&self.session, at as usize)
    }

    fn recall(&self) -> FileRecall<View<'a>> {
        FileRecall::new(self.view(), self.ground.format, self.ground.name)
    }

    /// SHA-256 of what a record says, where copies may differ in their stamps.
    pub(crate) fn said_hash(&self, record: u32) -> Option<[u8; 32]> {
        self.recall().said_hash(&self.session, record)
    }

    /// SHA-256 of the bytes of a record.
    pub(crate) fn record_hash(&self, record: u32) -> Option<[u8; 32]> {
        self.recall().record_hash(&self.session, record)
    }

    /// Events with an id, in file order.
    pub(crate) fn with_id(&self, id: Sym) -> &[u32] {
        self.index().by_id.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Calls and results with a key that were not taken back, in file order.
    pub(crate) fn with_key(&self, key: Sym) -> &[u32] {
        self.index().by_key.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Records that hang on an id, in file order.
    pub(crate) fn children(&self, id: Sym) -> &[u32] {
        self.index().children.get(&id).map_or(&[], Vec::as_slice)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index { by_id: BTreeMap::new(), by_key: BTreeMap::new(), children: BTreeMap::new() };
            for (at, event) in (0u32..).zip(&self.session.events) {
                index.by_id.entry(event.id).or_default().push(at);
                if event.kind.is_tool() && event.correlation.is_some() && !event.flags.withdrawn {
                    index.by_key.entry(event.correlation).or_default().push(at);
                }
                if event.part == 0 && event.parent.is_some() {
                    index.children.entry(event.parent).or_default().push(event.record);
                }
            }
            index
        })
    }

    /// The symbol of a text, none when no event uses it.
    pub(crate) fn sym(&self, text: &str) -> Sym {
        self.session.strings.get(text)
    }

    /// The whole line that holds a range, line end included, and its bytes without it.
    pub(crate) fn line_around(&self, row: &RecordRow) -> io::Result<Range<u64>> {
        let start = row.offset - (row.column - 1);
        // A record whose bad bytes were replaced ends with its line.
        Ok(start..self.line_end((row.offset + row.len).saturating_sub(1).max(row.offset))?)
    }

    /// Offset behind the next line end at or behind `from`.
    pub(crate) fn line_end(&self, from: u64) -> io::Result<u64> {
        let mut view = self.view();
        view.seek(SeekFrom::Start(from))?;
        let mut at = from;
        let mut buffer = [0; 4096];
        loop {
            let count = view.read(&mut buffer)?;
            if count == 0 {
                return Ok(at);
            }
            if let Some(found) = memchr::memchr(b'\n', &buffer[..count]) {
                return Ok(at + found as u64 + 1);
            }
            at += count as u64;
        }
    }

    /// Findings and what follows from them, one by one.
    pub(crate) fn all_findings(&self) -> Vec<&Finding> {
        self.findings.iter().flat_map(one_by_one).collect()
    }
}

/// A finding and what follows from it; copies that only list further members of it are left out.
pub(crate) fn one_by_one(finding: &Finding) -> impl Iterator<Item = &Finding> {
    let follows = finding.consequences.iter().filter(|c| c.code() != finding.code());
    std::iter::once(finding).chain(follows)
}

/// A position named in evidence.
pub(crate) fn position(finding: &Finding, name: &str) -> Option<u32> {
    finding.evidence.get(name)?.as_u64().and_then(|at| u32::try_from(at).ok())
}

/// A text named in evidence.
pub(crate) fn evidence_text<'f>(finding: &'f Finding, name: &str) -> Option<&'f str> {
    finding.evidence.get(name)?.as_str()
}

/// A JSON string token.
pub(crate) fn token(text: &str) -> Vec<u8> {
    let mut out = String::new();
    crate::model::canonical_json::write_string(text, &mut out);
    out.into_bytes()
}

/// Bytes of a broken line that are searched for an id.
const SEARCHED: usize = 1 << 20;

/// Gives broken lines the id that the reference program's repair finds in them.
fn name_broken_lines(findings: &mut [Finding], view: &mut View<'_>) -> io::Result<()> {
    let broken = |f: &&mut Finding| matches!(f.code(), "SL001" | "SL002") && f.record_id.is_none();
    for finding in findings.iter_mut().filter(broken) {
        let (Some(start), Some(end)) = (finding.location.byte_start, finding.location.byte_end) else { continue };
        view.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(usize::MAX).min(SEARCHED)];
        view.read_exact(&mut bytes)?;
        finding.record_id = raw_record_id(&bytes).and_then(|id| content_free::record_id(&id));
    }
    Ok(())
}
