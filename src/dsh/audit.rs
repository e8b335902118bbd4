//! The audit of one log file: container, header, lines, place. Opens the file for reading only.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;

use super::artifact::{Artifact, Container, ExpectedFormat, LogFile, Options};
use super::finding::{Attention, Code, Effect, Finding};
use super::log_scan::LogScan;
use super::place;
use super::record::{Header, Record};
use crate::source::ahead::fill_ahead;
use crate::source::container::Content;
use crate::source::frames::Outline;
use crate::source::inflate::torn_text;
use crate::source::text::{FramePlace, Text, TextError};
use crate::source::{LineReader, MAX_LINE_BYTES};

/// From this size on, frames are decoded on a thread of their own.
const LARGE: u64 = 1024 * 1024;
/// What to do with a container whose frames cannot be read from the given one on.
fn restore(frame: u64) -> String {
    let rest = match frame {
        0 => String::new(),
        1 => "; the first frame, which holds the header, is intact".to_owned(),
        count => format!("; the first {count} frames are intact"),
    };
    format!("Move the file out of the sessions folder and restore it from a backup{rest}.")
}

pub(super) struct Audit<'a> {
    log: &'a LogFile,
    generation: u64,
    strict: bool,
    id: Option<&'a str>,
    selected: bool,
    report: Artifact,
}

impl<'a> Audit<'a> {
    pub(super) fn new(log: &'a LogFile, options: &'a Options) -> Self {
        let id = options.id.as_deref();
        let compressed = place::is_compressed_log(log.file_name());
        Self {
            log,
            generation: match options.format {
                ExpectedFormat::Generation(generation) => generation,
                ExpectedFormat::FromName => place::generation(log.file_name()).unwrap_or(0),
            },
            strict: options.strict,
            id,
            selected: id.is_none_or(|id| log.part(1).to_string_lossy().contains(id)),
            report: Artifact {
                path: log.joined(),
                session_id: None,
                container: if compressed { Container::Zstd } else { Container::Plaintext },
                format_version: None,
                inherited_event_count: 0,
                event_count: 0,
                byte_length: 0,
                frame_count: None,
                torn_bytes: 0,
                needs_manual: false,
                findings: Vec::new(),
                omitted_findings: 0,
            },
        }
    }

    fn push(&mut self, finding: Finding) {
        self.report.findings.push(finding);
    }

    /// Makes a finding the only one: nothing else about the file can be trusted.
    fn end_with(&mut self, finding: Finding) {
        self.report.findings = vec![finding];
        self.report.event_count = 0;
        self.report.frame_count = None;
    }

    /// Audits the file; none when the id filter leaves it out.
    pub(super) fn run(mut self) -> Option<Artifact> {
        let outcome = self.file();
        if !self.selected {
            return None;
        }
        if let Err(error) = outcome {
            let message = format!("the file cannot be read: {error}");
            let advice = "Give the account that runs the harness read access to a regular file there, or move the \
                          entry out of the sessions folder.";
            self.end_with(Finding::new(Code::UnreadableArtifact, message, Effect::BlocksStart, advice));
        }
        if place::generation(self.log.file_name()).is_none() {
            self.report.findings.iter_mut().for_each(|finding| finding.effect = Effect::Ignored);
        }
        self.report.needs_manual = self.report.findings.iter().any(|finding| match finding.code.attention() {
            Attention::Manual => true,
            Attention::Strict => self.strict,
            Attention::None => false,
        });
        Some(self.report)
    }

    fn file(&mut self) -> io::Result<()> {
        let path = self.log.root.join(&self.log.relative);
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        self.report.byte_length = metadata.len();
        let is_named_compressed = self.report.container == Container::Zstd;
        let content = Content::of(File::open(&path)?, metadata.len(), is_named_compressed)?;
        if content.outline().is_some() {
            self.report.container = Container::Zstd;
        }
        match &content {
            Content::Empty => {
                let advice = "Nothing is lost: no event was ever written. The file can be deleted.";
                self.push(Finding::new(Code::EmptyArtifact, "the file is empty", Effect::HidesSession, advice));
                return Ok(());
            }
            Content::Broken(outline) => {
                self.broken(outline);
                return Ok(());
            }
            Content::Frames { outline, .. } => self.outlined(outline),
            Content::Plain(_) => {}
        }
        if content.outline().is_some_and(|outline| outline.end >= LARGE) {
            fill_ahead(content, |text| self.text(text))
        } else {
            self.text(content)
        }
    }

    fn broken(&mut self, outline: &Outline) {
        let Some(defect) = outline.defect else { return };
        let effect = if defect.frame == 0 { Effect::BlocksStart } else { Effect::RefusesSession };
        let message = format!("corrupt Zstandard session log: {defect}");
        let finding = Finding::new(Code::UnreadableArtifact, message, effect, restore(defect.frame));
        self.end_with(finding.at(defect.at).with("frame", defect.frame).with("readable_bytes", outline.end));
    }

    fn outlined(&mut self, outline: &Outline) {
        self.report.frame_count = Some(outline.frames);
        let torn = outline.torn_bytes();
        self.report.torn_bytes = torn;
        if torn == 0 {
            return;
        }
        let message = format!("the last frame is incomplete ({torn} bytes from byte {})", outline.end);
        let finding = if outline.frames > 0 {
            let kept = self.tail_events(outline.end, torn);
            let events = if kept == 1 { "event" } else { "events" };
            let advice = format!(
                "Nothing to do: on its next load the harness keeps the whole records of this frame ({kept} {events}) and \
                 cuts the rest."
            );
            Finding::new(Code::TornFinalFrame, message, Effect::Opens, advice).with("recoverable_events", kept)
        } else {
            let advice = "Not even the header was written completely; the file can be moved away.";
            Finding::new(Code::TornFinalFrame, message, Effect::HidesSession, advice)
        };
        self.push(finding.at(outline.frames).with("byte", outline.end).with("bytes", torn));
    }

    /// How many events stand in whole records of an incomplete frame, up to the first that does not follow on the one
    /// before it; none when it cannot be read again.
    fn tail_events(&self, start: u64, len: u64) -> u64 {
        let tail = || {
            let mut file = File::open(self.log.root.join(&self.log.relative))?;
            file.seek(SeekFrom::Start(start))?;
            torn_text(file, len)
        };
        let Ok(text) = tail() else { return 0 };
        let (mut lines, mut events, mut due) = (LineReader::new(text, MAX_LINE_BYTES), 0, None);
        // The text ends in a failure, because the frame does not end.
        while let Ok(Some(line)) = lines.next_line() {
            let Some(record) = Record::read(line.bytes) else { break };
            due = record.following(due);
            events += match (due, record) {
                (None, _) => break,
                (_, Record::Event(_)) => 1,
                (_, Record::Packed(row)) => row.count,
            };
        }
        events
    }

    fn text(&mut self, text: impl Text) -> io::Result<()> {
        match self.lines(LineReader::new(text, MAX_LINE_BYTES)) {
            Ok(()) => Ok(()),
            Err(TextError::Io(error)) => Err(error),
            Err(TextError::Frame { place: FramePlace { index, start, .. }, reason }) => {
                let effect = if index == 0 { Effect::BlocksStart } else { Effect::RefusesSession };
                let message = format!("frame {index} at byte {start} cannot be decoded: {reason}");
                let finding = Finding::new(Code::UndecodableFrame, message, effect, restore(index));
                self.end_with(finding.at(start).with("frame", index).with("reason", reason));
                Ok(())
            }
        }
    }

    fn lines<T: Text>(&mut self, mut lines: LineReader<T>) -> Result<(), TextError> {
        let compressed = self.report.container == Container::Zstd;
        let first = lines.next_line()?;
        // Length of the first line, when it ends with an LF in the first frame.
        let first_len = first
            .filter(|line| line.terminated && line.frame.is_some_and(|frame| frame.index == 0))
            .map(|line| line.len() + 1);
        let Some(header) = first.and_then(|line| Header::read(line.bytes)) else {
            // A frame that cannot be decoded further on is the worse news.
            while lines.next_line()?.is_some() {}
            let has_frame = self.report.frame_count.is_some_and(|count| count > 0);
            self.header_missing(has_frame && first_len != Some(lines.first_frame_len()));
            return Ok(());
        };
        self.selected |= self.id.is_some_and(|id| header.id.lossy().contains(id));
        if !self.selected {
            return Ok(());
        }
        self.report.session_id = Some(header.id.lossy().into_owned());
        self.report.format_version = Some(header.version);
        self.report.inherited_event_count = header.inherited_events;
        let mut scan = LogScan::new(self.generation, compressed);
        while let Some(line) = lines.next_line()? {
            scan.line(&line);
        }
        if compressed && first_len != Some(lines.first_frame_len()) {
            let advice = "Move the file out of the sessions folder to start the harness; to bring it back, store the \
                          header line as a frame of its own.";
            let message = "the first frame does not hold exactly the header line";
            self.push(Finding::new(Code::HeaderFrameShape, message, Effect::BlocksStart, advice).at(0));
        }
        self.version(header.version);
        let scanned = scan.finish();
        self.report.event_count = scanned.event_count;
        self.report.torn_bytes += scanned.torn_line;
        self.report.omitted_findings = scanned.omitted;
        self.report.findings.extend(scanned.findings);
        if header.version >= 0 {
            self.place(&header);
        }
        Ok(())
    }

    fn header_missing(&mut self, blocks_start: bool) {
        let (message, advice) = if self.report.frame_count == Some(0) {
            ("there is no complete frame, so there is no header", "Restore the file from a backup, or move it away.")
        } else {
            (
                "the first line is not a session header",
                "Restore the first line from a backup, or move the file out of the sessions folder.",
            )
        };
        let effect = if blocks_start { Effect::BlocksStart } else { Effect::HidesSession };
        self.push(Finding::new(Code::HeaderMissing, message, effect, advice).at(0));
    }

    fn version(&mut self, found: i64) {
        let newer = match u64::try_from(found) {
            Ok(found) if found == self.generation => return,
            Ok(found) => found > self.generation,
            Err(_) => false,
        };
        let (age, advice) = if newer {
            ("newer", "Open the session with the newer harness that wrote it.")
        } else {
            ("older", "Open the session with the older harness that wrote it, or migrate it.")
        };
        let message =
            format!("the log has format {found}, which is {age} than the expected format {}", self.generation);
        let finding = Finding::new(Code::FormatVersionDrift, message, Effect::RefusesSession, advice);
        self.push(finding.with("found", found).with("expected", self.generation));
    }

    /// Compares the directories with those that the header names.
    fn place(&mut self, header: &Header) {
        let session = place::session_directory(&header.id);
        let project = place::project_directory(header.cwd.as_ref());
        let (found_project, found_session) = (self.log.part(0), self.log.part(1));
        let same_file = match (&project, &session) {
            (Some(project), Some(session)) => {
                let expected = Path::new(project).join(session).join(self.log.part(2));
                expected != self.log.relative && is_same_file(&self.log.root, &expected, &self.log.relative)
            }
            _ => false,
        };
        let mismatch = |code, message: String, advice: String, found: &OsStr, expected: Option<&str>| {
            let effect = if same_file { Effect::Opens } else { Effect::BlocksStart };
            let finding = Finding::new(code, message, effect, advice)
                .with("found", found.to_string_lossy())
                .with("expected", expected);
            if same_file { finding.with("same_file", true) } else { finding }
        };
        if session.is_none() || project.is_none() {
            let which = if session.is_none() { "id" } else { "working directory" };
            let message = format!("the header's {which} is empty, so no path belongs to it");
            let advice =
                format!("Move the file out of the sessions folder; give the header its {which} to bring it back.");
            let finding = mismatch(Code::SessionPathMismatch, message, advice, found_session, session.as_deref());
            self.push(finding);
        } else if let Some(expected) = session.as_deref().filter(|expected| found_session != OsStr::new(expected)) {
            let message = format!("the session directory is not the one of the header's id, which is {expected}");
            let advice = format!("Rename the session directory to {expected}, or move it out of the sessions folder.");
            let finding = mismatch(Code::SessionPathMismatch, message, advice, found_session, Some(expected));
            self.push(finding);
        }
        if let Some(expected) = project.as_deref().filter(|expected| found_project != OsStr::new(expected)) {
            let message =
                format!("the project directory is not the one of the recorded working directory, which is {expected}");
            let advice = format!("Move the session directory to {expected}, or out of the sessions folder.");
            let finding = mismatch(Code::ProjectPathMismatch, message, advice, found_project, Some(expected));
            self.push(finding);
        }
    }
}

/// Whether two names lead to one file.
fn is_same_file(root: &Path, a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| fs::metadata(root.join(path)).map(|m| (m.dev(), m.ino())).ok();
        identity(a).is_some_and(|found| Some(found) == identity(b))
    }
    #[cfg(not(unix))]
    {
        let resolved = |path: &Path| fs::canonicalize(root.join(path)).ok();
        resolved(a).is_some_and(|found| Some(found) == resolved(b))
    }
}
