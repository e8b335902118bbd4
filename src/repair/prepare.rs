//! From a source to a repair that only has to be written: steps 1 to 5 of 8. Changes nothing on disk.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::Value as Json;

use super::bench::{Bench, Ground};
use super::manifest::{self, Facts, LineEdit};
use super::mend::{Mended, Terms, mend};
use super::plan::{Claimed, Plan};
use super::recipe::SHARED;
use super::refusal::{Refusal, RepairError};
use super::script::{Bytes, Script};
use super::source::Source;
use super::{Policy, RefusalCode, canonical, lines};
use crate::adapter::detect::{Sample, decide};
use crate::adapter::{Format, layout};
use crate::finding::Severity;
use crate::report::assemble::{Parts, assemble};
use crate::report::{Detection, Report};
use crate::rule::profile::Profile;
use crate::rule::selection::Selection;
use crate::validate;

/// In which form a repair is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emit {
    /// In that of the source.
    #[default]
    Own,
    /// In that of the source, which must be an agent's.
    Vendor,
    /// As a canonical session.
    Canonical,
}

/// How to repair.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format, when it is known; otherwise it is told from the content.
    pub format: Option<&'static Format>,
    /// How strictly to judge.
    pub profile: &'static Profile,
    /// What may be given up.
    pub policy: Policy,
    /// Side effects that may be unknown were looked into.
    pub acknowledge_side_effects: bool,
    /// In which form to write.
    pub emit: Emit,
    /// A plan to carry out, instead of all that can be done.
    pub plan: Option<Claimed>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            profile: &crate::rule::profile::NEUTRAL,
            policy: Policy::Conservative,
            acknowledge_side_effects: false,
            emit: Emit::Own,
            plan: None,
        }
    }
}

/// How a Zstandard frame begins.
const ZSTANDARD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Larger sessions are not read a second time.
const RECONSTRUCTED_EVENTS: usize = 50_000;

/// What is written.
pub(crate) enum Output {
    /// The source with its edits.
    Native(Script),
    /// A canonical stream.
    Canonical(Vec<u8>),
}

/// A repair that only has to be written.
pub struct Prepared {
    pub(crate) source: Source,
    pub(crate) output: Output,
    plan: Plan,
    edits: Vec<LineEdit>,
    manifest: Json,
    revalidation: Report,
    format: &'static Format,
    output_len: u64,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// Plans the repair of a file and proves that it is sound.
///
/// # Errors
/// The file cannot be read, holds no session, or the repair is refused.
pub fn prepare(path: &Path, options: &Options) -> Result<Prepared, RepairError> {
    let asked = options.plan.as_ref().map(Claimed::steps);
    prepare_only(path, options, asked.as_deref())
}

/// The same for chosen steps (recipe and finding); all when none are chosen.
pub(crate) fn prepare_only(
    path: &Path,
    options: &Options,
    allowed: Option<&[(String, String)]>,
) -> Result<Prepared, RepairError> {
    let wrap = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => RepairError::NotFound(path.to_owned()),
        _ => RepairError::Io { path: path.to_owned(), source },
    };
    let source = Source::open(path).map_err(wrap)?;
    let format = format_of(&source, options).map_err(wrap)??;
    let layout = layout::of(format.id).ok_or_else(|| {
        let text = format!(
            "logs of format {} are printed streams, not sessions that can be resumed: nothing to repair",
            format.id
        );
        Refusal::new(RefusalCode::VendorFormatRefused, text)
    })?;
    let ground = Ground { source: &source, format, layout, profile: options.profile, name: source.name() };
    let canonical = ground.is_canonical();
    if canonical && options.emit == Emit::Vendor {
        let text = "a canonical session has no other form; omit --emit vendor";
        return Err(Refusal::new(RefusalCode::VendorFormatRefused, text).into());
    }
    let terms = Terms { policy: options.policy, acknowledged: options.acknowledge_side_effects, canonical };
    if let Some(claimed) = &options.plan {
        let whole = Script::whole(source.len());
        let hash = hash(&whole, &source).map_err(wrap)?;
        if let Some((code, message)) = claimed.objection(&hash, options.policy, terms.cap()) {
            return Err(Refusal::new(code, message).into());
        }
    }
    if canonical {
        let whole = Script::whole(source.len());
        if let Some(invalid) = validate::header(whole.read(&source)).map_err(wrap)? {
            return Err(unusable(path, &format!("no session header: {}", invalid.text)));
        }
    }
    let mended = mend(ground, terms).map_err(wrap)?;
    gates(&mended, options, canonical)?;
    let mended = match allowed {
        Some(asked) => {
            let part = mended.only(ground, asked).map_err(wrap)?;
            part.map_err(|what| Refusal::new(RefusalCode::PlanTampered, what))?
        }
        None => mended,
    };
    let emit = match options.emit {
        _ if canonical => Emit::Canonical,
        Emit::Vendor => Emit::Own,
        emit => emit,
    };
    let made = match emit {
        Emit::Own | Emit::Vendor => native(ground, &mended),
        Emit::Canonical => canonical_stream(ground, &mended),
    };
    let Made { output, output_len, revalidation, sha256, events, lines, edits } = made.map_err(wrap)?;
    if revalidation.counts.failing() > 0 || !mended.remaining.is_empty() {
        return Err(unsound(&mended, &revalidation).into());
    }
    if let Output::Native(script) = &output
        && options.format.is_none()
        && !is_still(script, &source, format, options).map_err(wrap)?
    {
        let text = format!("the result would no longer be recognised as a log of {}", format.name);
        return Err(blocked(&mended, RefusalCode::OutputInvalid, &text).into());
    }
    if edits.iter().any(|edit| edit.steps.is_empty()) {
        // No step asked for it: never written, whatever the reason.
        return Err(Refusal::new(RefusalCode::OutputInvalid, "a line would change that no step names").into());
    }
    if !mended.plan.steps.is_empty() && (revalidation.records == 0 || events == 0 && mended.plan.events > 0) {
        return Err(blocked(&mended, RefusalCode::OutputInvalid, "nothing of the session would remain").into());
    }
    let manifest = manifest::manifest(&Facts {
        plan: &mended.plan,
        source_len: source.len(),
        output_sha256: &sha256,
        output_len,
        output_events: events,
        lines,
        revalidation: &revalidation,
        adapter: (revalidation.format, revalidation.format_version),
        edits: (emit == Emit::Own).then_some(&edits),
    });
    Ok(Prepared { output, plan: mended.plan, edits, manifest, revalidation, format, output_len, source })
}

/// An output and what is to be known of it.
struct Made {
    output: Output,
    output_len: u64,
    revalidation: Report,
    sha256: String,
    events: u64,
    /// Lines of source and output.
    lines: Option<(u64, u64)>,
    edits: Vec<LineEdit>,
}

/// The source with its edits.
fn native(ground: Ground<'_>, mended: &Mended) -> io::Result<Made> {
    let script = &mended.script;
    let bench = Bench::new(ground, script)?;
    let whole = Script::whole(ground.source.len());
    let lines = (lines::count(&mut whole.read(ground.source))?, lines::count(&mut bench.view())?);
    Ok(Made {
        output: Output::Native(script.clone()),
        output_len: script.len(),
        revalidation: report(&bench, script.len())?,
        sha256: bench.sha256.clone(),
        events: bench.session.events.len() as u64,
        lines: Some(lines),
        edits: lines::number(ground.source, mended)?,
    })
}

/// The mended source as a canonical session, checked as one.
fn canonical_stream(ground: Ground<'_>, mended: &Mended) -> io::Result<Made> {
    let bytes = canonical::emit(ground, mended)?;
    let format = &crate::adapter::canonical::FORMAT;
    let layout = layout::of(format.id).unwrap_or(ground.layout);
    let text = bytes.as_slice();
    let ground_of_output = Ground { source: &text, format, layout, name: "<repaired>", ..ground };
    let script = Script::whole(text.len() as u64);
    let bench = Bench::new(ground_of_output, &script)?;
    Ok(Made {
        output_len: script.len(),
        revalidation: report(&bench, script.len())?,
        sha256: bench.sha256.clone(),
        events: bench.session.events.len() as u64,
        lines: None,
        edits: lines::number(ground.source, mended)?,
        output: Output::Canonical(bytes.clone()),
    })
}

impl Prepared {
    /// The plan that was carried out.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The receipt.
    #[must_use]
    pub const fn manifest(&self) -> &Json {
        &self.manifest
    }

    /// The receipt's bytes, once the output stands at `output`: receipts of native output state digests of both.
    ///
    /// # Errors
    /// Whatever reading source and output raises.
    pub fn receipt(&self, output: &Path) -> io::Result<Vec<u8>> {
        let mut receipt = self.manifest.clone();
        if matches!(self.output, Output::Native(_)) {
            receipt["digests"] = manifest::digests(self.source.path(), output)?;
        }
        Ok(manifest::bytes(&receipt))
    }

    /// Every edit of the source.
    #[must_use]
    pub fn edits(&self) -> &[LineEdit] {
        &self.edits
    }

    /// The check of the output.
    #[must_use]
    pub const fn revalidation(&self) -> &Report {
        &self.revalidation
    }

    /// The source.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// Format of the source.
    #[must_use]
    pub const fn format(&self) -> &'static Format {
        self.format
    }

    /// Length of the output in bytes.
    #[must_use]
    pub const fn output_len(&self) -> u64 {
        self.output_len
    }

    /// Whether a file that is not the output byte for byte says the same; native output must be equal to the byte.
    pub(crate) fn says_the_same(&self, path: &Path) -> io::Result<bool> {
        match &self.output {
            Output::Native(_) => Ok(false),
            Output::Canonical(bytes) => Ok(canonical::respelled(path)?.as_ref() == Some(bytes)),
        }
    }

    /// Writes the output.
    ///
    /// # Errors
    /// Whatever reading the source or writing raises.
    pub fn write_output(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.output {
            Output::Native(script) => io::copy(&mut script.read(&self.source), out).map(drop),
            Output::Canonical(bytes) => out.write_all(bytes),
        }
    }
}

/// The format that was named, else the one the content shows.
pub(crate) fn format_of(source: &Source, options: &Options) -> io::Result<Result<&'static Format, RepairError>> {
    let whole = Script::whole(source.len());
    let sample = Sample { name: source.name().to_owned(), ..Sample::read(whole.read(source))? };
    let unusable = |what: &str| unusable(source.path(), what);
    let mut magic = [0; 4];
    if whole.read(source).read(&mut magic)? == magic.len() && magic == ZSTANDARD {
        return Ok(Err(unusable("packed with Zstandard; unpack it, repair the text, pack it again")));
    }
    if sample.is_database {
        return Ok(Err(unusable("a live database, not a session log; export the session first")));
    }
    if let Some(format) = options.format {
        return Ok(Ok(format));
    }
    let decision = decide(&sample, options.profile, None, None);
    Ok(match (decision.format, decision.reason) {
        (Some(format), _) => Ok(format),
        (None, "empty") => Err(unusable("empty; there is no session in it to repair")),
        (None, reason) => Err(unusable(&format!("no known session format ({reason}); name it with --format"))),
    })
}

/// Whether a text shows the format that its source showed.
fn is_still(script: &Script, source: &Source, format: &Format, options: &Options) -> io::Result<bool> {
    let sample = Sample { name: source.name().to_owned(), ..Sample::read(script.read(source))? };
    Ok(decide(&sample, options.profile, None, None).format.is_some_and(|found| found.id == format.id))
}

fn unusable(path: &Path, what: &str) -> RepairError {
    RepairError::Unusable { path: path.to_owned(), what: what.to_owned() }
}

fn hash(script: &Script, source: &Source) -> io::Result<String> {
    use sha2::Digest as _;
    let mut hasher = sha2::Sha256::new();
    io::copy(&mut script.read(source), &mut hasher)?;
    Ok(crate::finding::fingerprint::hex(&hasher.finalize()))
}

/// What stands in the way of any repair, before its result is looked at.
fn gates(mended: &Mended, options: &Options, canonical: bool) -> Result<(), Refusal> {
    if mended.sl203 && (options.plan.is_some() || !mended.was_broken) {
        return Err(blocked(
            mended,
            RefusalCode::Abstained,
            "SL203: a tool ran on doubtful state, so no repair may guess",
        ));
    }
    if let Some(claimed) = &options.plan {
        for (recipe, finding) in claimed.steps() {
            if super::recipe::find(&recipe).is_none() {
                return Err(Refusal::new(RefusalCode::OutputInvalid, "the plan names a recipe that is not known"));
            }
            let open =
                mended.blocking.iter().any(|b| b.fingerprint == finding && b.reason == "side-effect-scope-unproven");
            if open {
                let text = format!("a step ({recipe}) cannot be shown to stay clear of open side effects");
                return Err(blocked(mended, RefusalCode::Abstained, &text));
            }
        }
        if let Some(text) = claimed.difference(&mended.plan) {
            return Err(Refusal::new(RefusalCode::PlanTampered, text));
        }
    } else if mended.plan.steps.is_empty() && mended.was_broken {
        let unacknowledged =
            |b: &super::refusal::Blocking| b.severity < Severity::Error || b.reason == "needs-acknowledgement";
        if !canonical && mended.blocking.iter().all(unacknowledged) {
            let text = "what the tools beside the damage did is open";
            return Err(blocked(mended, RefusalCode::Abstained, text));
        }
        let text = "the source has findings that no repair of this policy may mend";
        return Err(blocked(mended, RefusalCode::RepairRefused, text));
    }
    if !mended.effects.is_empty() {
        let listed: Vec<String> =
            mended.effects.iter().map(|(at, effect)| format!("side-effect-{effect} at index {at}")).collect();
        let text = format!("{}; look into them, then add --acknowledge-side-effects", listed.join(", "));
        return Err(Refusal::new(RefusalCode::Abstained, text));
    }
    Ok(())
}

fn blocked(mended: &Mended, code: RefusalCode, text: &str) -> Refusal {
    Refusal { blocking: mended.blocking.clone(), ..Refusal::new(code, text) }
}

fn unsound(mended: &Mended, report: &Report) -> Refusal {
    let mut codes: Vec<&str> =
        report.findings.iter().filter(|f| f.severity >= Severity::Error).map(|f| f.code()).collect();
    if codes.is_empty() {
        codes.clone_from(&mended.remaining);
    }
    let text = format!("{} finding(s) would remain in the result: {}", codes.len(), codes.join(", "));
    let tried = mended.plan.steps.iter().any(|step| SHARED.contains(&&*step.recipe));
    let code = if tried || !mended.was_broken { RefusalCode::OutputInvalid } else { RefusalCode::RepairRefused };
    blocked(mended, code, &text)
}

/// The check of a text under repair, without any path of this machine.
fn report(bench: &Bench<'_>, size: u64) -> io::Result<Report> {
    let format = bench.ground.format;
    let events = bench.session.events.len();
    let reconstructed = events <= RECONSTRUCTED_EVENTS
        && bench.findings.iter().all(|f| f.severity < Severity::Warning)
        && if bench.ground.is_canonical() { canonical::reads_back(bench) } else { bench.exports_whole()? };
    Ok(assemble(Parts {
        path: "<repaired>",
        repo_path: None,
        home: None,
        sha256: bench.sha256.clone(),
        size,
        format: Some(format),
        detection: Detection { manual: true, confidence: None, reason: "explicit-override", scores: Vec::new() },
        profile: bench.ground.profile,
        records: usize::try_from(bench.records).unwrap_or(usize::MAX),
        is_gated: false,
        events,
        kinds: BTreeMap::new(),
        outline: None,
        selection: &Selection::default(),
        reconstructed,
        findings: bench.findings.clone(),
    }))
}
