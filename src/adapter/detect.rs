//! Which format a file is: by what its first records are, never by text inside payloads; by its name only when it is so
//! broken that no record is left.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use super::unsupported::{Unsupported, recognise};
use super::{FORMATS, Format, Framing};
use crate::record::outline::{begins_list, outline};
use crate::record::{Json, Node, NodeKind, Scanner};
use crate::rule::profile::Profile;
use crate::source::inflate::FrameText;
use crate::source::text::{Text, TextBytes};
use crate::source::{BOM, LineReader, SQLITE_MAGIC, frames};

/// Lines that are looked at: past metadata preambles and log noise.
const SAMPLE_LINES: usize = 40;
/// Once a record was found, no line that begins behind this many bytes is looked at.
const SAMPLE_BYTES: u64 = 256 << 10;
/// Longer records are kept without their long texts.
const KEPT_WHOLE: usize = 16 << 10;
/// The tape goes as deep as recognition looks.
const SAMPLE_DEPTH: u32 = 5;

/// How much of the text is kept as it stands.
const HEAD: usize = 64 << 10;

/// One record of a sample.
#[derive(Debug)]
pub struct SampleRecord {
    text: Vec<u8>,
    tape: Vec<Node>,
}

impl SampleRecord {
    /// Keeps a record that `scanner` has just scanned.
    fn new(text: &[u8], scanner: &mut Scanner) -> Self {
        if text.len() <= KEPT_WHOLE {
            return Self { text: text.to_vec(), tape: scanner.tape().to_vec() };
        }
        let text = shortened(text, scanner.tape());
        // What is left of a value is a value: scanning it cannot fail.
        let _ = scanner.scan(&text, SAMPLE_DEPTH);
        Self { text, tape: scanner.tape().to_vec() }
    }

    /// The record.
    #[must_use]
    pub fn json(&self) -> Json<'_> {
        Json::new(&self.text, &self.tape)
    }
}

/// The beginning of a file, parsed.
#[derive(Debug, Default)]
pub struct Sample {
    /// Objects: the first lines that parse, or the document, or the first items of an array.
    pub records: Vec<SampleRecord>,
    /// The records are items of one JSON document.
    pub is_document: bool,
    /// The document is an array.
    pub is_array: bool,
    /// Lines that are no JSON object.
    pub unreadable: usize,
    /// Whole records behind something else on the first of those lines, as job logs print them.
    pub embedded: Vec<SampleRecord>,
    /// The file begins like a live SQLite database.
    pub is_database: bool,
    /// Nothing but blanks.
    pub is_empty: bool,
    /// Bytes looked at.
    pub bytes: u64,
    /// The file begins like a Zstandard frame; what is looked at is its text.
    pub is_compressed: bool,
    /// Name of the file, for formats whose broken files have nothing else left.
    pub name: String,
    /// The first bytes as they stand: what a file that is too broken for records still says of itself.
    pub head: Vec<u8>,
}

impl Sample {
    /// Reads as much of the file at a path as recognition needs. Frames are decoded as far as they can be.
    ///
    /// # Errors
    /// Whatever reading raises.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Self::of(file, len, &path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// The same for a file of this name and `len` bytes that stands anywhere.
    ///
    /// # Errors
    /// Whatever reading raises.
    pub fn of(mut file: impl Read + Seek, len: u64, name: &str) -> io::Result<Self> {
        let is_compressed = frames::begins(&mut file)?;
        let sample = if is_compressed {
            let text = TextBytes(FrameText::new(file, len, 0)?);
            Self { is_empty: false, ..Self::read(UntilDamage(text))? }
        } else {
            Self::read(file)?
        };
        Ok(Self { is_compressed, name: name.to_owned(), ..sample })
    }

    /// Reads as much of a plain text as recognition needs.
    ///
    /// # Errors
    /// Whatever reading raises.
    pub fn read(mut input: impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        input.by_ref().take(SAMPLE_BYTES).read_to_end(&mut head)?;
        if head.len() as u64 == SAMPLE_BYTES
            && let Some(sample) = Self::of_list(head.strip_prefix(BOM).unwrap_or(&head))
        {
            return Ok(sample);
        }
        Self::read_lines(io::Cursor::new(head).chain(input))
    }

    /// A document whose beginning lies in a long list: the rest of the list says nothing new.
    fn of_list(head: &[u8]) -> Option<Self> {
        let mut scanner = Scanner::default();
        let mut sample = Self { bytes: head.len() as u64, ..Self::default() };
        let text = &head[crate::record::scan::skip_blanks(head, 0)..];
        if text.starts_with(b"[") {
            sample.read_document(text, &mut scanner);
            return (sample.records.len() >= SAMPLE_LINES).then_some(sample);
        }
        let outline = outline(text, &mut scanner).filter(|outline| outline.list >= SAMPLE_LINES)?;
        scanner.scan(&outline.text, SAMPLE_DEPTH).ok()?;
        sample.is_document = memchr::memchr(b'\n', text).is_some();
        sample.records.push(SampleRecord::new(&outline.text, &mut scanner));
        Some(sample)
    }

    fn read_lines(input: impl Read) -> io::Result<Self> {
        let mut sample = Self { is_empty: true, ..Self::default() };
        let mut scanner = Scanner::default();
        let mut reader = LineReader::new(input.take(WINDOW), LINE_SAMPLE);
        let mut lines = 0;
        let mut document: Option<Vec<u8>> = None;
        let mut spread = false;
        while let Some(line) = reader.next_line()? {
            let mut bytes = line.bytes;
            sample.bytes = line.end;
            let room = HEAD.saturating_sub(sample.head.len());
            sample.head.extend(bytes.iter().chain(b"\n").take(room));
            if line.number == 1 {
                if bytes.starts_with(&SQLITE_MAGIC[..]) {
                    sample.is_database = true;
                    sample.is_empty = false;
                    return Ok(sample);
                }
                bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
            }
            if let Some(text) = &mut document {
                if lines == 1 && text.starts_with(b"{") && is_record(bytes, &mut scanner) {
                    // A whole record behind it: what looked like a document was a record that was cut.
                    document = None;
                    sample.unreadable += 1;
                } else if bytes.starts_with(b"{") && is_spread_record(text, &mut scanner) {
                    // One record behind the other, each laid out over several lines.
                    sample.records.push(SampleRecord::new(text, &mut scanner));
                    document = None;
                    spread = true;
                } else {
                    lines += usize::from(!bytes.trim_ascii().is_empty());
                    text.extend_from_slice(bytes);
                    text.push(b'\n');
                    if text.len() > DOCUMENT_SAMPLE {
                        break;
                    }
                    continue;
                }
            }
            if bytes.iter().all(|b| matches!(b, b'\t' | 0x0B | 0x0C | b'\r' | b' ' | b'\n')) {
                continue;
            }
            lines += 1;
            sample.is_empty = false;
            let first = lines == 1;
            let cut = line.truncated || line.end == WINDOW;
            if is_record(bytes, &mut scanner) {
                sample.records.push(SampleRecord::new(bytes, &mut scanner));
            } else if let Some(outline) = cut.then(|| outline(bytes, &mut scanner)).flatten()
                && scanner.scan(&outline.text, SAMPLE_DEPTH).is_ok()
            {
                sample.records.push(SampleRecord::new(&outline.text, &mut scanner));
            } else if (first || spread) && opens_document(bytes, &mut scanner) {
                let mut text = bytes.to_vec();
                text.push(b'\n');
                document = Some(text);
            } else {
                sample.unreadable += 1;
                sample.embed(bytes, &mut scanner);
            }
            if lines >= SAMPLE_LINES || document.is_none() && !sample.records.is_empty() && sample.bytes > SAMPLE_BYTES
            {
                break;
            }
        }
        if let Some(text) = document.filter(|_| !spread) {
            sample.read_document(&text, &mut scanner);
        }
        Ok(sample)
    }

    /// Keeps the record at the end of a line that begins with something else.
    fn embed(&mut self, line: &[u8], scanner: &mut Scanner) {
        let record = memchr::memmem::find(line, b"{\"").filter(|&at| at > 0).map(|at| &line[at..]);
        if let Some(record) = record.filter(|record| is_record(record, scanner)) {
            self.embedded.push(SampleRecord::new(record, scanner));
        }
    }

    /// The items of an array, or the object itself; whatever is whole in a cut text.
    fn read_document(&mut self, text: &[u8], scanner: &mut Scanner) {
        self.is_document = true;
        let start = crate::record::scan::skip_blanks(text, 0);
        if text.get(start) == Some(&b'[') {
            self.is_array = true;
            let mut at = crate::record::scan::skip_blanks(text, start + 1);
            while self.records.len() < SAMPLE_LINES && text.get(at) == Some(&b'{') {
                let Ok(scan) = scanner.scan_prefix(&text[at..], SAMPLE_DEPTH) else { break };
                self.records
                    .push(SampleRecord { text: text[at..at + scan.end].to_vec(), tape: scanner.tape().to_vec() });
                at = crate::record::scan::skip_blanks(text, at + scan.end);
                if text.get(at) != Some(&b',') {
                    break;
                }
                at = crate::record::scan::skip_blanks(text, at + 1);
            }
        } else if let Some(outline) = outline(text, scanner)
            && scanner.scan(&outline.text, SAMPLE_DEPTH).is_ok()
        {
            self.records.push(SampleRecord::new(&outline.text, scanner));
        }
    }

    /// Whether any record is a match.
    pub fn any(&self, matches: impl Fn(Json<'_>) -> bool) -> bool {
        self.records.iter().any(|r| matches(r.json()))
    }

    /// Number of records that match.
    pub fn count(&self, matches: impl Fn(Json<'_>) -> bool) -> usize {
        self.records.iter().filter(|r| matches(r.json())).count()
    }
}

/// A text that ends where it cannot be decoded.
struct UntilDamage<T>(TextBytes<T>);

impl<T: Text> Read for UntilDamage<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(0),
            read => read,
        }
    }
}

/// Whether a line is one JSON object; leaves it on the tape.
fn is_record(line: &[u8], scanner: &mut Scanner) -> bool {
    scanner.scan(line, SAMPLE_DEPTH).is_ok()
        && simdutf8::basic::from_utf8(line).is_ok()
        && scanner.tape()[0].kind == NodeKind::Object
}

/// Whether lines are one record, laid out over all of them. Read only when the last of them closes what the first opened.
fn is_spread_record(text: &[u8], scanner: &mut Scanner) -> bool {
    let closed = text.trim_ascii_end().strip_suffix(b"\n}");
    let closed_before = closed.is_some_and(|inside| memchr::memmem::find(inside, b"\n}").is_some());
    text.starts_with(b"{") && closed.is_some() && !closed_before && is_record(text, scanner)
}

/// The text of a record with its long strings emptied and whatever lies below the tape left out.
fn shortened(text: &[u8], tape: &[Node]) -> Vec<u8> {
    const LONG: u32 = 256;
    let mut out = Vec::new();
    let mut copied = 0;
    let mut row = 0;
    while let Some(node) = tape.get(row) {
        let leaf = node.next as usize == row + 1;
        let replacement: &[u8] = match node.kind {
            NodeKind::String => b"\"\"",
            NodeKind::Object if leaf => b"{}",
            NodeKind::Array if leaf => b"[]",
            _ => b"",
        };
        if !replacement.is_empty() && node.end - node.start > LONG {
            out.extend_from_slice(&text[copied..node.start as usize]);
            out.extend_from_slice(replacement);
            copied = node.end as usize;
        }
        row += 1;
    }
    out.extend_from_slice(&text[copied..]);
    out
}

/// How much of a pretty-printed document is read for recognition.
const DOCUMENT_SAMPLE: usize = 4 << 20;
/// How much of one line.
const LINE_SAMPLE: usize = DOCUMENT_SAMPLE;
/// How much of a file.
const WINDOW: u64 = 16 << 20;

/// An array, or an object that is not whole on its first line.
fn opens_document(line: &[u8], scanner: &mut Scanner) -> bool {
    line.trim_ascii_start().starts_with(b"{") || begins_list(line, scanner)
}

/// How the format of a file was decided.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The format that is clearly ahead.
    pub format: Option<&'static Format>,
    /// `clear-winner`, `low-confidence`, `tie`, `unsupported-format`, `job-log`, `empty` or `refused-live-db`.
    pub reason: &'static str,
    /// Scores by format id, sorted by id; empty when nothing was scored.
    pub scores: Vec<(&'static str, f64)>,
    /// A program whose logs are recognised but not read.
    pub unsupported: Option<&'static Unsupported>,
}

/// Decides which format a sample is, by the profile's thresholds or the given ones.
#[must_use]
pub fn decide(sample: &Sample, profile: &Profile, confidence_min: Option<f64>, margin_min: Option<f64>) -> Decision {
    let without = |reason| Decision { format: None, reason, scores: Vec::new(), unsupported: None };
    if sample.is_database {
        return without("refused-live-db");
    }
    if sample.is_empty {
        return without("empty");
    }
    if let Some(known) = recognise(sample).filter(|_| !sample.is_compressed) {
        return Decision { unsupported: Some(known), ..without(known.variant) };
    }
    let confidence_min = confidence_min.unwrap_or(profile.confidence_min);
    let margin_min = margin_min.unwrap_or(profile.margin_min);
    let may_be = |format: &Format| !sample.is_compressed || matches!(format.framing, Framing::LinesOrFrames(_));
    let score = |format: &Format| if may_be(format) { (format.score)(sample) } else { 0.0 };
    let mut scores: Vec<(&'static Format, f64)> = FORMATS.iter().map(|f| (*f, score(f))).collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.id.cmp(b.0.id)));
    let (winner, best) = scores[0];
    let second = scores.get(1).map_or(0.0, |s| s.1);
    let (format, reason) = if best < confidence_min {
        (None, "low-confidence")
    } else if best - second < margin_min - 1e-9 || best - second < 1e-9 {
        (None, "tie")
    } else {
        (Some(winner), "clear-winner")
    };
    let mut scores: Vec<_> = scores.into_iter().map(|(f, s)| (f.id, s)).collect();
    scores.sort_by_key(|s| s.0);
    Decision { format, reason, scores, unsupported: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> Sample {
        Sample::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn long_first_records_are_kept_as_outlines() {
        let long = "x".repeat(1 << 20);
        let deep = format!("{{\"a\":{{\"b\":{{\"c\":{{\"d\":[{}1]}}}}}}}}", "1,".repeat(20_000));
        let text = format!("{{\"type\":\"user\",\"text\":\"{long}\",\"in\":{deep}}}\n{{\"type\":\"later\"}}\n");
        let sample = sample(&text);
        assert_eq!(sample.records.len(), 1);
        assert!(sample.records[0].text.len() < 200);
        assert_eq!(sample.records[0].json().str("type").as_deref(), Some("user"));
        assert!(sample.records[0].json().get("in").is_some_and(|v| v.get("a").is_some()));
    }

    #[test]
    fn noise_before_the_first_record_is_no_obstacle() {
        let text = format!("{}{{\"type\":\"user\"}}\n", "log line\n".repeat(30));
        let sample = sample(&text);
        assert_eq!((sample.records.len(), sample.unreadable), (1, 30));
    }

    #[test]
    fn long_lists_are_sampled_by_their_beginning() {
        let items = "{\"type\":\"user\"},".repeat(100_000);
        let broken = format!("{{\"type\":\"user\",\"tools\":[{}", &items[..2000]);
        for (text, is_document, is_array, records) in [
            (format!("[{items}{{}}]"), true, true, SAMPLE_LINES),
            (format!("{{\"a\":1,\n\"items\":[{items}{{}}]}}"), true, false, 1),
            (format!("{{\"a\":1,\"items\":[{items}{{}}]}}"), false, false, 1),
        ] {
            let sample = sample(&text);
            assert_eq!((sample.is_document, sample.is_array, sample.records.len()), (is_document, is_array, records));
            assert_eq!(sample.bytes, SAMPLE_BYTES);
        }
        // A record that broke in a list is followed by others, which are looked at.
        let lines = sample(&format!("{broken}\n{}", "{\"type\":\"later\"}\n".repeat(20_000)));
        assert!(!lines.is_document && lines.records.len() == SAMPLE_LINES - 1, "{lines:?}");
    }

    #[test]
    fn documents_give_their_items() {
        let sample = sample("[\n {\"a\": 1},\n {\"a\": 2},\n {\"a\": ");
        assert!(sample.is_document && sample.is_array);
        assert_eq!(sample.records.len(), 2);
    }
}
