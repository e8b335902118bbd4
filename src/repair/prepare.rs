//! From a source to a repair that only has to be written: steps 1 to 5 of 8. Changes nothing on disk.

use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::Value as Json;

use super::bench::{Bench, Ground};
use super::manifest::{self, Facts, LineEdit};
use super::mend::{Mended, Terms, mend};
use super::plan::{Claimed, Plan};
use super::refusal::{Refusal, RepairError};
use super::script::{Bytes, Script};
use super::source::Source;
use super::{Policy, RefusalCode, lines};
use crate::adapter::detect::{Outcome, Sample, decide};
use crate::adapter::{self, Format, layout};
use crate::report::Report;
use crate::report::assemble::{Parts, assemble};
use crate::report::Detection;
use crate::rule::profile::Profile;

/// In which form a repair is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emit {
    /// In that of the source.
    #[default]
    Own,
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
        let text = format!("logs of format {} are printed streams, not sessions that can be resumed: nothing to repair", format.id);
        Refusal::new(RefusalCode::VendorFormatRefused, text)
    })?;
    let ground = Ground { source: &source, format, layout, profile: options.profile, name: source.name() };
    let canonical = format.id == "canonical";
    let terms = Terms {
        policy: options.policy,
        acknowledged: options.acknowledge_side_effects,
        canonical,
        allowed,
    };
    if let Some(claimed) = &options.plan {
        let whole = Script::whole(source.len());
        let hash = hash(&whole, &source).map_err(wrap)?;
        if let Some((code, message)) = claimed.objection(&hash, options.policy, terms.cap()) {
            return Err(Refusal::new(code, message).into());
        }
    }
    let mended = mend(ground, terms).map_err(wrap)?;
    gates(&mended, options)?;
    let emitted = match options.emit {
        Emit::Own if !canonical => Output::Native(mended.script.clone()),
        _ => return Err(RepairError::Unusable("canonical output is not there yet".into())),
    };
    let Output::Native(script) = &emitted else { return Err(RepairError::Unusable(String::new())) };
    let bench = Bench::new(ground, script).map_err(wrap)?;
    let revalidation = report(&bench, script.len());
    if revalidation.counts.failing() > 0 {
        return Err(unsound(&mended, &revalidation).into());
    }
    let edits = lines::number(&source, &mended).map_err(wrap)?;
    let counted = lines::count(&mut script.read(&source)).map_err(wrap)?;
    let source_lines = lines::count(&mut Script::whole(source.len()).read(&source)).map_err(wrap)?;
    let output_len = script.len();
    let manifest = manifest::manifest(&Facts {
        plan: &mended.plan,
        source_len: source.len(),
        output_sha256: &bench.sha256,
        output_len,
        output_events: bench.session.events.len() as u64,
        lines: Some((source_lines, counted)),
        revalidation: &revalidation,
        adapter: (format.id, format.version),
        edits: Some(&edits),
    });
    drop(bench);
    Ok(Prepared { output: emitted, plan: mended.plan, edits, manifest, revalidation, format, output_len, source })
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

    /// The receipt's bytes.
    #[must_use]
    pub fn manifest_bytes(&self) -> Vec<u8> {
        manifest::bytes(&self.manifest)
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
    pub(crate) fn says_the_same(&self, _path: &Path) -> io::Result<bool> {
        Ok(false)
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
    let sample = Sample::read(whole.read(source))?;
    let name = source.path().display();
    if sample.is_database {
        let text = format!("{name}: a live database, not a session log; export the session first");
        return Ok(Err(RepairError::Unusable(text)));
    }
    if let Some(format) = options.format {
        return Ok(Ok(format));
    }
    Ok(match decide(&sample, options.profile, None, None) {
        Outcome::Winner(format, _) => Ok(format),
        Outcome::Empty { .. } => Err(RepairError::Unusable(format!("{name}: empty; there is no session in it to repair"))),
        _ => adapter::find("canonical").ok_or_else(|| {
            RepairError::Unusable(format!("{name}: no known session format; name it with --format"))
        }),
    })
}

fn hash(script: &Script, source: &Source) -> io::Result<String> {
    use sha2::Digest as _;
    let mut hasher = sha2::Sha256::new();
    io::copy(&mut script.read(source), &mut hasher)?;
    Ok(crate::finding::fingerprint::hex(&hasher.finalize()))
}

/// What stands in the way of any repair, before its result is looked at.
fn gates(mended: &Mended, options: &Options) -> Result<(), Refusal> {
    if mended.sl203 && (options.plan.is_some() || !mended.was_broken) {
        return Err(blocked(mended, RefusalCode::Abstained, "SL203: a tool ran on doubtful state, so no repair may guess"));
    }
    if let Some(claimed) = &options.plan {
        for (recipe, finding) in claimed.steps() {
            if super::recipe::find(&recipe).is_none() {
                return Err(Refusal::new(RefusalCode::OutputInvalid, "the plan names a recipe that is not known"));
            }
            let open = |b: &&super::plan::Blocked| b.finding == finding && b.reason == "side-effect-scope-unproven";
            if mended.plan.blocked.iter().any(|b| open(&b)) {
                let text = format!("a step ({recipe}) cannot be shown to stay clear of open side effects");
                return Err(blocked(mended, RefusalCode::Abstained, &text));
            }
        }
        if let Some(text) = claimed.difference(&mended.plan) {
            return Err(Refusal::new(RefusalCode::PlanTampered, text));
        }
    } else if mended.plan.steps.is_empty() && mended.was_broken {
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
    let codes: Vec<&str> =
        report.findings.iter().filter(|f| f.severity >= crate::finding::Severity::Error).map(|f| f.code()).collect();
    let text = format!("{} finding(s) would remain in the result: {}", codes.len(), codes.join(", "));
    blocked(mended, RefusalCode::OutputInvalid, &text)
}

/// The check of a text under repair, without any path of this machine.
fn report(bench: &Bench<'_>, size: u64) -> Report {
    assemble(Parts {
        path: "<repaired>",
        repo_path: None,
        home: None,
        sha256: bench.sha256.clone(),
        size,
        format: Some(bench.ground.format),
        detection: Detection { manual: true, confidence: None },
        profile: bench.ground.profile,
        records: usize::try_from(bench.records).unwrap_or(usize::MAX),
        events: bench.session.events.len(),
        reconstructed: false,
        findings: bench.findings.clone(),
    })
}

/// Reads a text to its end.
pub(crate) fn drain(mut input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}
