//! From a source to a repair that only has to be written: steps 1 to 5 of 8. Changes nothing on disk.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value as Json;

use super::bench::{Bench, Ground};
use super::manifest::{self, Facts, LineEdit};
use super::mend::{Mended, Terms, mend};
use super::opened::Opened;
use super::packed::FrameEdit;
use super::plan::{Claimed, Plan};
use super::recipe::SHARED;
use super::refusal::{Refusal, RepairError};
use super::script::{Bytes, Script};
use super::source::Source;
use super::{Policy, RefusalCode, canonical, lines};
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

const TAIL_LEFT_OPEN: &str =
    "a step of the plan changes records of the incomplete last frame, which the plan leaves as it is";
/// Larger sessions are not read a second time.
const RECONSTRUCTED_EVENTS: usize = 50_000;

/// What is written.
enum Output {
    /// The source with its edits.
    Native(Script),
    /// A canonical stream.
    Canonical(Vec<u8>),
}

/// A repair that only has to be written.
pub struct Prepared {
    opened: Opened,
    output: Output,
    plan: Plan,
    edits: Vec<LineEdit>,
    frames: Vec<FrameEdit>,
    manifest: Json,
    revalidation: Report,
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
    let wrap = |source| RepairError::Io { path: path.to_owned(), source };
    let opened = Opened::open(path, options)?;
    let (source, format, ground) = (&opened.source, opened.format, opened.ground());
    let canonical = ground.is_canonical();
    if canonical && options.emit == Emit::Vendor {
        let text = "a canonical session has no other form; omit --emit vendor";
        return Err(Refusal::new(RefusalCode::VendorFormatRefused, text).into());
    }
    let terms = Terms { policy: options.policy, acknowledged: options.acknowledge_side_effects, canonical };
    let hash = hash(source).map_err(wrap)?;
    if let Some((code, message)) =
        options.plan.as_ref().and_then(|claimed| claimed.objection(&hash, options.policy, terms.cap()))
    {
        return Err(Refusal::new(code, message).into());
    }
    if canonical {
        let whole = Script::whole(source.len());
        if let Some(invalid) = validate::header(whole.read(source)).map_err(wrap)? {
            return Err(unusable(path, &format!("no session header: {}", invalid.text)));
        }
    }
    let mut mended = mend(ground, terms).map_err(wrap)?;
    // Plans are for files, whatever they are packed in.
    mended.plan.source_hash = hash;
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
        Emit::Own | Emit::Vendor => native(&opened, &mended),
        Emit::Canonical => canonical_stream(ground, &mended).map(Ok),
    };
    let Made { output, output_len, revalidation, sha256, events, lines, edits, frames } = made.map_err(wrap)??;
    if revalidation.counts.failing() > 0 || !mended.remaining.is_empty() {
        return Err(unsound(&mended, &revalidation).into());
    }
    if let Output::Native(script) = &output
        && options.format.is_none()
        && !opened.is_still(script).map_err(wrap)?
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
        frames: opened.packed().is_some().then_some(&frames),
    });
    Ok(Prepared { output, plan: mended.plan, edits, frames, manifest, revalidation, output_len, opened })
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
    frames: Vec<FrameEdit>,
}

/// The source with its edits.
fn native(opened: &Opened, mended: &Mended) -> io::Result<Result<Made, Refusal>> {
    let text = opened.ground().source;
    let (script, frames) = match opened.packed().map(|packed| (packed, packed.frame_edits(mended))) {
        None => (mended.script.clone(), Vec::new()),
        Some((packed, frames)) => match frames? {
            Some(frames) => (packed.script(&frames), frames),
            None => return Ok(Err(Refusal::new(RefusalCode::PlanTampered, TAIL_LEFT_OPEN))),
        },
    };
    let bench = Bench::new(opened.file(), &script)?;
    let whole = Script::whole(text.len());
    let lines = (lines::count(&mut whole.read(text))?, lines::count(&mut mended.script.read(text))?);
    Ok(Ok(Made {
        output_len: script.len(),
        revalidation: report(&bench, script.len())?,
        sha256: bench.sha256.clone(),
        events: bench.session.events.len() as u64,
        lines: Some(lines),
        edits: lines::number(text, mended)?,
        frames,
        output: Output::Native(script.clone()),
    }))
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
        frames: Vec::new(),
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
            receipt["digests"] = manifest::digests(self.source().path(), output)?;
        }
        Ok(manifest::bytes(&receipt))
    }

    /// Every edit of the text: of the source, or of what its frames hold.
    #[must_use]
    pub fn edits(&self) -> &[LineEdit] {
        &self.edits
    }

    /// Frames of a packed source that are written anew.
    #[must_use]
    pub fn frames(&self) -> &[FrameEdit] {
        &self.frames
    }

    /// The text that edits are about.
    #[must_use]
    pub fn text(&self) -> &dyn Bytes {
        self.opened.ground().source
    }

    /// The check of the output.
    #[must_use]
    pub const fn revalidation(&self) -> &Report {
        &self.revalidation
    }

    /// The source.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.opened.source
    }

    /// Format of the source.
    #[must_use]
    pub const fn format(&self) -> &'static Format {
        self.opened.format
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
            Output::Native(script) => io::copy(&mut script.read(self.source()), out).map(drop),
            Output::Canonical(bytes) => out.write_all(bytes),
        }
    }
}

fn unusable(path: &Path, what: &str) -> RepairError {
    RepairError::Unusable { path: path.to_owned(), what: what.to_owned() }
}

fn hash(source: &Source) -> io::Result<String> {
    use sha2::Digest as _;
    let mut hasher = sha2::Sha256::new();
    io::copy(&mut Script::whole(source.len()).read(source), &mut hasher)?;
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
    } else if mended.plan.steps.is_empty() && (mended.was_broken || mended.blocking.iter().any(|b| b.code == "SL002")) {
        let unacknowledged =
            |b: &super::refusal::Blocking| b.severity < Severity::Error || b.reason == "needs-acknowledgement";
        if !canonical && mended.was_broken && mended.blocking.iter().all(unacknowledged) {
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
    let text = format!("findings would remain in the result: {}", codes.join(", "));
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
