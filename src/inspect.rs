//! Checks one file from its path to its report: detection, reading, checks, assembly.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::adapter::detect::{Decision, Sample, decide};
use crate::adapter::{self, Format, canonical};
use crate::check::broken_line;
use crate::check::compatibility::{SL301, SL302};
use crate::check::framing::SL001;
use crate::export::reconstruct::Reconstruction;
use crate::finding::fingerprint::hex;
use crate::finding::{Finding, Location, Repairability, Severity, Stage, Subject};
use crate::model::Session;
use crate::model::outline::Outline;
use crate::reader::builder::FileRecall;
use crate::reader::{self, Builder};
use crate::report::assemble::{Parts, assemble};
use crate::report::{Detection, Report};
use crate::rule::profile::{NEUTRAL, Profile};
use crate::rule::selection::Selection;
use crate::source::line_hash::line_hashes;
use crate::source::path::{absolute, clean, minimise};
use crate::source::{SQLITE_MAGIC, frames};

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format, when it is known; otherwise it is told from the content.
    pub format: Option<&'static Format>,
    /// How strictly to judge.
    pub profile: &'static Profile,
    /// Overrides the profile's detection threshold; strictly between 0 and 1.
    pub confidence_min: Option<f64>,
    /// Overrides the profile's detection margin; strictly between 0 and 1.
    pub margin_min: Option<f64>,
    /// The user's home folder: paths below it are shown as `~/…`.
    pub home: Option<String>,
    /// Root of the repository that the file lies in: surfaces show findings beside files named from there.
    pub root: Option<PathBuf>,
    /// Which codes are reported.
    pub selection: Selection,
    /// Check no relations where the format's version is not supported: they may mean something else. Folders are scanned
    /// without this gate.
    pub version_gate: bool,
    /// Work out what some surfaces show of files with findings: the code-scanning hashes of their lines, which takes a
    /// second pass, and the session drawn small.
    pub details: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            profile: &NEUTRAL,
            confidence_min: None,
            margin_min: None,
            home: None,
            root: None,
            selection: Selection::default(),
            version_gate: true,
            details: false,
        }
    }
}

/// Why a file could not be checked at all. A defect of its content is never one of these.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Nothing is there.
    #[error("{}: no such file; expected a session log", .0.display())]
    NotFound(PathBuf),
    /// A folder, device or pipe.
    #[error("{}: not a regular file; expected a session log, or use `scan` for folders", .0.display())]
    NotAFile(PathBuf),
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The profile is not made for the format.
    #[error("Format {format} is not permitted by profile {profile}")]
    NotAdmitted {
        /// The file's format.
        format: &'static str,
        /// The profile.
        profile: &'static str,
        /// What a scan reports of the file: that it was not checked.
        report: Box<Report>,
    },
}

/// Checks one file.
///
/// ```
/// use sesslint::inspect::{Options, check_path};
///
/// let report = check_path("fixtures/examples/pi-broken.jsonl".as_ref(), &Options::default())?;
/// assert_eq!(report.format, "pi-jsonl");
/// assert_eq!(report.findings[0].code(), "SL004");
/// assert_eq!(report.findings[0].location.line, Some(4));
/// // What follows from the same cause is attached, not counted again.
/// assert!(report.findings[0].consequences.iter().any(|c| c.code() == "SL102"));
/// # Ok::<(), sesslint::inspect::CheckError>(())
/// ```
///
/// # Errors
/// When the file cannot be read, or the profile does not admit its format.
pub fn check_path(path: &Path, options: &Options) -> Result<Report, CheckError> {
    let mut report = checked(path, options)?;
    if options.details && !report.findings.is_empty() {
        let line = |finding: &Finding| finding.location.line.unwrap_or(1);
        let mut lines: Vec<u64> = report.findings.iter().map(line).collect();
        lines.sort_unstable();
        lines.dedup();
        let hashes = hashes(path, &lines).map_err(|e| unreadable(path, e))?;
        for finding in &mut report.findings {
            finding.line_hash = hashes.get(&line(finding)).cloned();
        }
    }
    Ok(report)
}

/// The code-scanning hashes of some lines; the lines of a compressed file are nothing that a service could show.
fn hashes(path: &Path, lines: &[u64]) -> io::Result<HashMap<u64, String>> {
    let mut file = File::open(path)?;
    if frames::begins(&mut file)? { Ok(HashMap::new()) } else { line_hashes(file, lines) }
}

fn unreadable(path: &Path, source: io::Error) -> CheckError {
    match source.kind() {
        io::ErrorKind::NotFound => CheckError::NotFound(path.to_owned()),
        _ => CheckError::Io { path: path.to_owned(), source },
    }
}

fn checked(path: &Path, options: &Options) -> Result<Report, CheckError> {
    let io = |source| unreadable(path, source);
    let metadata = std::fs::metadata(path).map_err(io)?;
    if !metadata.is_file() {
        return Err(CheckError::NotAFile(path.to_owned()));
    }
    let shown = clean(path);
    let repo_path = options.root.as_deref().and_then(|root| below(path, root));
    let parts = |sha256: String, size: u64, detection: Detection, findings: Vec<Finding>| Parts {
        path: &shown,
        repo_path: repo_path.clone(),
        home: options.home.as_deref(),
        sha256,
        size,
        format: None,
        detection,
        profile: options.profile,
        records: 0,
        events: 0,
        kinds: BTreeMap::new(),
        reconstructed: false,
        is_gated: false,
        findings,
        outline: None,
        selection: &options.selection,
    };
    let decision = match options.format {
        // A live store is refused even when somebody insists: reading it beside its writer proves nothing.
        Some(_) if is_live_store(path).map_err(io)? => {
            Decision { format: None, reason: "refused-live-db", scores: Vec::new(), unsupported: None }
        }
        Some(format) => {
            Decision { format: Some(format), reason: "explicit-override", scores: Vec::new(), unsupported: None }
        }
        None => {
            let sample = Sample::of_file(path).map_err(io)?;
            decide(&sample, options.profile, options.confidence_min, options.margin_min)
        }
    };
    let score = |format: &Format| decision.scores.iter().find(|s| s.0 == format.id).map(|s| s.1);
    let detection = Detection {
        manual: options.format.is_some(),
        confidence: decision.format.and_then(score),
        reason: decision.reason,
        scores: decision.scores.clone(),
    };
    let Some(format) = decision.format else {
        let (sha256, size) = hash(path).map_err(io)?;
        let finding = undetected(&decision, size, options);
        return Ok(assemble(parts(sha256, size, detection, vec![finding])));
    };
    if !options.profile.admits(format.id) {
        let (sha256, size) = hash(path).map_err(io)?;
        let finding = not_admitted(format, options.profile);
        // The reference program finds this while scanning, where it hashes the shortened path.
        let shortened = minimise(&shown, options.home.as_deref());
        let report = assemble(Parts { path: &shortened, ..parts(sha256, size, detection, vec![finding]) });
        let report = Box::new(Report { path: shown.clone(), ..report });
        return Err(CheckError::NotAdmitted { format: format.id, profile: options.profile.id, report });
    }
    let mut builder = Builder::new(format);
    let input = File::open(path).map_err(io)?;
    let (source, reconstructed) = if format.id == canonical::FORMAT.id {
        let mut twice = Reconstruction::new(&mut builder, &shown);
        let source = reader::read(input, format, &shown, &mut twice).map_err(io)?;
        (source, twice.holds())
    } else {
        (reader::read(input, format, &shown, &mut builder).map_err(io)?, false)
    };
    let (session, reading) = builder.finish(&source);
    let recall = FileRecall::new(File::open(path).map_err(io)?, format, &shown);
    let is_gated = options.version_gate && reading.iter().any(is_unsupported_version);
    let checked = if is_gated { Vec::new() } else { crate::check::run(&session, &recall, options.profile, &shown) };
    let mut findings = broken_line::tie(&session, reading, checked, &|range| recall.bytes(range));
    adapter::add_own_names(format, &mut findings);
    let clean = findings.iter().all(|f| f.severity < Severity::Warning);
    Ok(assemble(Parts {
        format: Some(format),
        reconstructed: clean && reconstructed,
        is_gated,
        kinds: kinds(&session),
        records: usize::try_from(source.records).unwrap_or(usize::MAX),
        events: session.events.len(),
        outline: (options.details && !findings.is_empty()).then(|| drawn(&session, &findings, source.records)),
        ..parts(hex(&source.sha256), source.size, detection, findings)
    }))
}

/// Whether a finding says that a version is not supported, so that nothing follows from its relations.
fn is_unsupported_version(finding: &Finding) -> bool {
    (finding.code(), finding.variant) == (SL301.code, "")
}

/// The outline of a session that has findings, wide enough for all of them.
fn drawn(session: &Session, findings: &[Finding], records: u64) -> Outline {
    let mut places: Vec<u64> = findings.iter().filter_map(|f| f.location.item.or(f.location.line)).collect();
    places.sort_unstable();
    places.dedup();
    crate::check::outline(session, records, &places)
}

/// The path of a file from `root`, `/` between its parts; none when it lies elsewhere.
#[must_use]
pub fn below(path: &Path, root: &Path) -> Option<String> {
    // A link that leads nowhere still has a place.
    let file = path.canonicalize().unwrap_or_else(|_| absolute(path));
    let rest = file.strip_prefix(root.canonicalize().ok()?).ok()?.to_path_buf();
    let parts: Vec<_> = rest.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn hash(path: &Path) -> io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let size = io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok((hex(&hasher.finalize()), size))
}

fn is_live_store(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(SQLITE_MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(head == SQLITE_MAGIC)
}

fn kinds(session: &Session) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for event in &session.events {
        *kinds.entry(event.kind.as_str()).or_default() += 1;
    }
    kinds
}

/// The one finding of a file whose format the profile is not made for.
fn not_admitted(format: &'static Format, profile: &'static Profile) -> Finding {
    let mut finding = Finding::new(&SL302, Stage::Reading);
    finding.variant = "format-not-admitted";
    finding.evidence.insert("format".into(), format.id.into());
    finding.evidence.insert("profile".into(), profile.id.into());
    finding.subject = Subject { record: String::new(), part: finding.variant.into() };
    finding
}

/// The one finding of a file whose format could not be told.
fn undetected(decision: &Decision, size: u64, options: &Options) -> Finding {
    let (rule, variant) = match decision.reason {
        "refused-live-db" => (&SL001, "live-database"),
        "empty" => (&SL001, "empty-input"),
        "unsupported-format" => (&SL302, "unsupported-format"),
        "job-log" => (&SL302, "job-log"),
        "low-confidence" => (&SL302, "not-a-session"),
        _ => (&SL302, "ambiguous-format"),
    };
    let mut finding = Finding::new(rule, Stage::Reading);
    finding.variant = variant;
    finding.line = Some(1);
    finding.location = Location { line: Some(1), column: Some(1), byte_start: Some(0), byte_end: None, item: None };
    finding.subject = Subject { record: String::new(), part: variant.into() };
    let evidence = &mut finding.evidence;
    match decision.reason {
        "refused-live-db" => {
            finding.severity = Severity::Fatal;
            finding.repairability = Repairability::Unsupported;
            evidence.insert("reason".into(), "refused_live_db".into());
        }
        "empty" => {
            // Agents leave empty files behind; blanks in a file are nobody's work.
            if size == 0 {
                finding.severity = Severity::Info;
            }
            evidence.insert("reason".into(), "empty_input".into());
        }
        reason @ ("unsupported-format" | "job-log") => {
            evidence.insert("reason".into(), reason.into());
            if let Some(known) = decision.unsupported {
                evidence.insert("format".into(), known.id.into());
                finding.detail.insert("format_name".into(), known.name.into());
            }
        }
        reason => {
            let rounded = |score: f64| (score * 1000.0).round() / 1000.0;
            let scores = decision.scores.iter().map(|(id, score)| ((*id).to_owned(), rounded(*score).into())).collect();
            evidence.insert("reason".into(), reason.into());
            evidence.insert("confidences".into(), serde_json::Value::Object(scores));
            let confidence = options.confidence_min.unwrap_or(options.profile.confidence_min);
            let margin = options.margin_min.unwrap_or(options.profile.margin_min);
            evidence.insert("confidence_min".into(), confidence.into());
            evidence.insert("margin_min".into(), margin.into());
        }
    }
    finding
}

/// The format named on a command line; `auto` is none.
///
/// # Errors
/// The name is not a format's id.
pub fn format_named(name: &str) -> Result<Option<&'static Format>, String> {
    if name == "auto" {
        return Ok(None);
    }
    adapter::find(name).map(Some).ok_or_else(|| {
        let ids: Vec<_> = adapter::FORMATS.iter().map(|f| f.id).collect();
        format!("unknown format; expected auto or one of {}", ids.join(", "))
    })
}
