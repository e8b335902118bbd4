//! Writes any readable session as a canonical stream, `sesslint.session/v1`: a header line, then one event a line.
//!
//! Two passes over the source: one to learn whether it may be exported and what its header says, one to write. Nothing
//! is kept in memory but one event. What is written passes its own reader.

pub mod reconstruct;
mod timestamp;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::adapter::detect::{Sample, decide};
use crate::adapter::{Draft, Format, Framing, Metadata, Record, Sink, canonical};
use crate::finding::Finding;
use crate::model::{Value, canonical_json};
use crate::reader::{self, object::event_object};
use crate::report::Counts;
use crate::rule::profile::NEUTRAL;
use crate::source::path::clean;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSummary {
    /// Id of the format that was read.
    pub format: &'static str,
    /// Number of events, one a line behind the header.
    pub events: u64,
    /// SHA-256 of the source.
    pub input_sha256: [u8; 32],
    /// SHA-256 of what was written.
    pub output_sha256: [u8; 32],
    /// Findings of reading, none of them an error.
    pub counts: Counts,
}

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is no such file.
    #[error("{}: no such file", .0.display())]
    NotFound(PathBuf),
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The source.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The session is not fit to be exported.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Why a session is not exported; each is code `EXPORT_REFUSED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The format could not be told. Holds the reason word of detection.
    #[error("the format is not known ({0}); name it with --format")]
    Undetected(&'static str),
    /// Reading found errors: an export would make broken records look whole.
    #[error("{0} of its records or keys cannot be read; run `check`, mend the session, then export it")]
    Unreadable(usize),
    /// No events at all.
    #[error("it holds no events")]
    Empty,
    /// The source was written to meanwhile.
    #[error("the session changed while it was read; stop the agent, then export again")]
    Changed,
}

impl Refusal {
    /// The code of every refusal.
    pub const CODE: &'static str = "EXPORT_REFUSED";
}

/// Exports the session at `input` to `out`. Without a format it is told from the content. `name` is the path as the user
/// gave it: ids that have to be made up are derived from it.
///
/// ```
/// let name = "fixtures/examples/claude-code-healthy.jsonl";
/// let mut stream = Vec::new();
/// let summary = sesslint::export::export(name.as_ref(), name, None, &mut stream)?;
/// assert_eq!(summary.format, "claude-code-jsonl");
/// // A header, then one event a line.
/// assert_eq!(stream.iter().filter(|b| **b == b'\n').count() as u64, summary.events + 1);
/// # Ok::<(), sesslint::export::ExportError>(())
/// ```
///
/// # Errors
/// A refusal before the first byte is written, except for [`Refusal::Changed`]; or whatever reading and writing raise.
pub fn export(
    input: &Path,
    name: &str,
    format: Option<&'static Format>,
    out: &mut impl Write,
) -> Result<ExportSummary, ExportError> {
    if !input.is_file() {
        return Err(ExportError::NotFound(input.to_owned()));
    }
    let wrap = |source| ExportError::Io { path: input.to_owned(), source };
    let format = match format {
        Some(format) => format,
        None => detect(input).map_err(wrap)??,
    };
    let path = clean(Path::new(name));
    let mut survey = Survey::default();
    let source = reader::read(File::open(input).map_err(wrap)?, format, &path, &mut survey).map_err(wrap)?;
    let counts = Counts::of(&survey.findings);
    if counts.failing() > 0 {
        return Err(Refusal::Unreadable(counts.failing()).into());
    }
    let Some(first_ts) = survey.first_ts else { return Err(Refusal::Empty.into()) };

    let file_name = path.rsplit('/').next().unwrap_or(&path);
    let mut writer = Writer {
        out: BufWriter::new(out),
        hasher: Sha256::new(),
        line: String::new(),
        events: 0,
        format,
        file_name: matches!(format.framing, Framing::Lines | Framing::LinesOrFrames(_)).then(|| file_name.to_owned()),
        failed: None,
    };
    writer.write(&header(&source.metadata, first_ts));
    let again = reader::read(File::open(input).map_err(wrap)?, format, &path, &mut writer).map_err(wrap)?;
    if let Some(error) = writer.failed {
        return Err(wrap(error));
    }
    writer.out.flush().map_err(wrap)?;
    if again.sha256 != source.sha256 {
        return Err(Refusal::Changed.into());
    }
    Ok(ExportSummary {
        format: format.id,
        events: writer.events,
        input_sha256: source.sha256,
        output_sha256: writer.hasher.finalize().into(),
        counts,
    })
}

fn detect(input: &Path) -> io::Result<Result<&'static Format, Refusal>> {
    let decision = decide(&Sample::of_file(input)?, &NEUTRAL, None, None);
    Ok(decision.format.ok_or(Refusal::Undetected(decision.reason)))
}

fn header(metadata: &Metadata, first_ts: String) -> Value {
    let text = |text: &Option<String>, stand_in: String| Value::String(text.clone().unwrap_or(stand_in));
    let mut members = vec![
        ("schema_version".to_owned(), Value::from(canonical::SCHEMA)),
        ("session_id".to_owned(), text(&metadata.session_id, "canonical-session".into())),
        ("created_at".to_owned(), text(&metadata.created_at, first_ts)),
        ("version".to_owned(), Value::from(1)),
    ];
    let optional = [
        ("title", metadata.title.as_deref().map(Value::from)),
        ("metadata", metadata.metadata.clone()),
        ("source", metadata.source.clone()),
    ];
    members.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Value::Object(members)
}

/// Learns whether a session may be exported.
#[derive(Default)]
struct Survey {
    first_ts: Option<String>,
    findings: Vec<Finding>,
}

impl Sink for Survey {
    fn event(&mut self, _record: &Record<'_>, draft: Draft<'_>) {
        self.first_ts.get_or_insert_with(|| timestamp::utc(&draft.ts).into_owned());
    }
    fn finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}

/// Writes each event as it is read.
struct Writer<W: Write> {
    out: BufWriter<W>,
    hasher: Sha256,
    line: String,
    events: u64,
    format: &'static Format,
    /// The source's name, where its records have lines of their own to be named with.
    file_name: Option<String>,
    failed: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    fn write(&mut self, value: &Value) {
        if self.failed.is_some() {
            return;
        }
        self.line.clear();
        canonical_json::write(value, &mut self.line);
        self.line.push('\n');
        self.hasher.update(&self.line);
        self.failed = self.out.write_all(self.line.as_bytes()).err();
    }
}

impl<W: Write> Sink for Writer<W> {
    fn event(&mut self, record: &Record<'_>, mut draft: Draft<'_>) {
        draft.ts = Cow::Owned(timestamp::utc(&draft.ts).into_owned());
        let mut object = event_object(record, &draft, self.events);
        if draft.object.is_none() {
            object.set("source_adapter", Value::from(self.format.id));
            if let Some(name) = &self.file_name {
                object.set("source_location", Value::String(format!("{name}:{}", record.line)));
            }
        }
        self.events += 1;
        self.write(&object);
    }
    fn finding(&mut self, _finding: Finding) {}
    fn checkpoint(&mut self, _seq: Option<i64>, _hash: Option<String>) {}
    fn run_state(&mut self, _id: String, _seq: Option<i64>, _hash: Option<String>) {}
}
