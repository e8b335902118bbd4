//! The audit of one log file: container, header, lines, place.
//!
//! Opens the file for reading only. Whatever is wrong with it is a finding, never an error.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::finding::{Attention, Code, Effect, Finding};
use super::log_scan::LogScan;
use super::place;
use super::record::Header;
use crate::source::ahead::fill_ahead;
use crate::source::frames::{self, MAGIC, Outline};
use crate::source::inflate::FrameText;
use crate::source::text::{FramePlace, Lines, PlainText, Text, TextError};

/// From this size on, frames are decoded on a thread of their own.
const LARGE: u64 = 1024 * 1024;

/// How to judge.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which format generation the harness in use reads.
    pub format: ExpectedFormat,
    /// Findings that the harness was measured to refuse ask for a person even when they are warnings.
    pub strict: bool,
    /// Keep only logs whose session directory or header id contains this.
    pub id: Option<String>,
}

/// The format generation a log is expected to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedFormat {
    /// The same for every log.
    Generation(u64),
    /// The one that the file's name states.
    FromName,
}

impl Default for ExpectedFormat {
    fn default() -> Self {
        Self::Generation(0)
    }
}

/// How a log is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Container {
    /// Lines of text.
    Plaintext,
    /// Zstandard frames of such text.
    Zstd,
}

/// What the audit says about one log.
#[derive(Clone, Debug, Serialize)]
pub struct Artifact {
    /// Path below the root, parts joined by `/`.
    pub path: String,
    /// The header's id.
    pub session_id: Option<String>,
    /// How it is stored.
    pub container: Container,
    /// The header's format generation.
    pub format_version: Option<i64>,
    /// Number of events inherited from a forked session, as the header states it.
    pub inherited_event_count: u64,
    /// Number of events; 0 when the audit ended early.
    pub event_count: u64,
    /// Size of the file.
    pub byte_length: u64,
    /// Number of complete frames, when they could be read.
    pub frame_count: Option<u64>,
    /// Length of an incomplete last frame or line.
    pub torn_bytes: u64,
    /// Some finding asks for a person.
    pub needs_manual: bool,
    /// In the fixed order of codes.
    pub findings: Vec<Finding>,
    /// Number of findings left out because there are too many of their code.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_findings: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Artifact {
    /// What the harness does with the log.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.findings.iter().map(|finding| finding.effect).max().unwrap_or(Effect::Opens)
    }
}

/// A log file and its place in a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// The root.
    pub root: PathBuf,
    /// Path below the root: project directory, session directory, file name.
    pub relative: PathBuf,
}

impl LogFile {
    fn part(&self, index: usize) -> &OsStr {
        self.relative.iter().nth(index).unwrap_or_default()
    }

    fn file_name(&self) -> &[u8] {
        self.part(2).as_encoded_bytes()
    }

    /// The path below the root with `/` between its parts.
    #[must_use]
    pub fn joined(&self) -> String {
        self.relative.iter().map(OsStr::to_string_lossy).collect::<Vec<_>>().join("/")
    }

    /// Audits the file; none when the options' id filter leaves it out.
    #[must_use]
    pub fn audit(&self, options: &Options) -> Option<Artifact> {
        let mut audit = Audit::new(self, options);
        let outcome = audit.file();
        if !audit.selected {
            return None;
        }
        if let Err(error) = outcome {
            let message = format!("the file cannot be read: {error}");
            let advice = "Give the account that runs the harness read access to a regular file there, or move the \
                          entry out of the sessions folder.";
            audit.end_with(Finding::new(Code::UnreadableArtifact, message, Effect::BlocksStart, advice));
        }
        let strict = options.strict;
        audit.report.needs_manual = audit.report.findings.iter().any(|finding| match finding.code.attention() {
            Attention::Manual => true,
            Attention::Strict => strict,
            Attention::None => false,
        });
        Some(audit.report)
    }
}

struct Audit<'a> {
    log: &'a LogFile,
    generation: u64,
    id: Option<&'a str>,
    selected: bool,
    report: Artifact,
}

impl<'a> Audit<'a> {
    fn new(log: &'a LogFile, options: &'a Options) -> Self {
        let id = options.id.as_deref();
        let compressed = place::is_compressed_log(log.file_name());
        Self {
            log,
            generation: match options.format {
                ExpectedFormat::Generation(generation) => generation,
                ExpectedFormat::FromName => place::generation(log.file_name()),
            },
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

    fn file(&mut self) -> io::Result<()> {
        let path = self.log.root.join(&self.log.relative);
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut file = File::open(&path)?;
        let len = metadata.len();
        self.report.byte_length = len;
        if len == 0 {
            let advice = "Nothing is lost: no event was ever written. The file can be deleted.";
            self.push(Finding::new(Code::EmptyArtifact, "the file is empty", Effect::HidesSession, advice));
            return Ok(());
        }
        let mut start = Vec::new();
        file.by_ref().take(4).read_to_end(&mut start)?;
        file.rewind()?;
        if start == MAGIC {
            self.report.container = Container::Zstd;
        }
        if self.report.container == Container::Plaintext {
            return self.text(PlainText(file.take(len)));
        }
        let outline = frames::outline(&mut file, len)?;
        if let Some(defect) = outline.defect {
            let effect = if defect.frame == 0 { Effect::BlocksStart } else { Effect::RefusesSession };
            let message = format!("corrupt Zstandard session log: {defect}");
            let finding = Finding::new(Code::UnreadableArtifact, message, effect, RESTORE);
            self.end_with(finding.at(defect.at).with("frame", defect.frame).with("readable_bytes", outline.end));
            return Ok(());
        }
        file.rewind()?;
        self.outlined(&outline);
        let text = FrameText::new(file.take(outline.end))?;
        if outline.end < LARGE { self.text(text) } else { fill_ahead(text, |text| self.text(text)) }
    }

    fn outlined(&mut self, outline: &Outline) {
        self.report.frame_count = Some(outline.frames);
        self.report.torn_bytes = outline.torn_bytes();
        if outline.torn_bytes() > 0 {
            let message =
                format!("the last frame is incomplete ({} bytes from byte {})", outline.torn_bytes(), outline.end);
            let (effect, advice) = if outline.frames > 0 {
                let kept = "Nothing to do: on its next load the harness keeps the whole records of this frame and \
                            cuts the rest.";
                (Effect::Opens, kept)
            } else {
                (Effect::HidesSession, "Not even the header was written completely; the file can be moved away.")
            };
            let finding = Finding::new(Code::TornFinalFrame, message, effect, advice);
            self.push(finding.at(outline.frames).with("byte", outline.end).with("bytes", outline.torn_bytes()));
        }
    }

    fn text(&mut self, text: impl Text) -> io::Result<()> {
        match self.lines(Lines::new(text)) {
            Ok(()) => Ok(()),
            Err(TextError::Io(error)) => Err(error),
            Err(TextError::Frame { place: FramePlace { index, start }, reason }) => {
                let effect = if index == 0 { Effect::BlocksStart } else { Effect::RefusesSession };
                let message = format!("frame {index} at byte {start} cannot be decoded: {reason}");
                let finding = Finding::new(Code::UndecodableFrame, message, effect, RESTORE);
                self.end_with(finding.at(start).with("frame", index).with("reason", reason));
                Ok(())
            }
        }
    }

    fn lines<T: Text>(&mut self, mut lines: Lines<T>) -> Result<(), TextError> {
        let compressed = self.report.container == Container::Zstd;
        let first = lines.read_line()?;
        let first_line = first.map_or((0, None), |line| (line.len + u64::from(line.terminated), line.frame));
        let Some(header) = first.and_then(|line| Header::read(line.bytes)) else {
            // A frame that cannot be decoded further on is the worse news.
            while lines.read_line()?.is_some() {}
            self.header_missing(compressed && lines.first_frame_len() != first_line.0);
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
        while let Some(line) = lines.read_line()? {
            scan.line(&line);
        }
        let in_first_frame = first_line.1.is_none_or(|frame| frame.index == 0);
        if compressed && !(in_first_frame && first_line.0 == lines.first_frame_len()) {
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

/// What to do with a container that cannot be read as a whole.
const RESTORE: &str = "Move the file out of the sessions folder and restore it from a backup; the frames before the \
                       defect can still be decoded.";

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
