//! `sesslint repair`: plan, show, write, and say what was kept, what was lost and how to check it.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sesslint::emit::escape::inert;
use sesslint::emit::{ascii, count};
use sesslint::repair::batch::{self, Folders};
use sesslint::repair::execute::{self, Destination};
use sesslint::repair::plan::{Claimed, Plan};
use sesslint::repair::{self, Emit, Options, Prepared, RepairError, preview};

use super::args::{Global, Policy, ReportArgs, TreeArgs};
use super::settings::Settings;
use super::{Failure, shown, typed};

/// `sesslint repair`
#[derive(Debug, Args)]
pub struct RepairArgs {
    /// The session log; with --batch a folder
    pub path: PathBuf,
    /// Where to write the repaired session; it must not exist
    #[arg(long, short, aliases = ["out", "outp", "outpu"], value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Plan and prove, but write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Show the changes as a table and as a diff; nothing is written unless --output is given
    #[arg(long)]
    pub preview: bool,
    /// Write the plan to FILE
    #[arg(long, value_name = "FILE")]
    pub plan_out: Option<PathBuf>,
    /// Carry out this plan, or a part of it, if it is what follows from the source
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// You looked into the side effects that the log leaves open
    #[arg(long)]
    pub acknowledge_side_effects: bool,
    /// Form of the output: that of the source, or a canonical session
    #[arg(long, value_enum, default_value_t = EmitChoice::Auto)]
    pub emit: EmitChoice,
    /// Where to write the receipt (default: OUTPUT.manifest.json)
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Write the repair as an in-toto Statement too (default: OUTPUT.attestation.json)
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub attestation: Option<Option<PathBuf>>,
    /// Repair every broken session below PATH
    #[arg(long)]
    pub batch: bool,
    /// Where --batch writes repaired sessions, below the same relative paths
    #[arg(long, value_name = "FOLDER", requires = "batch")]
    pub output_dir: Option<PathBuf>,
    /// Where --batch writes receipts (default: beside the repaired sessions)
    #[arg(long, value_name = "FOLDER", requires = "output_dir")]
    pub manifest_dir: Option<PathBuf>,
    /// Where --batch writes its summary as JSON
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub summary: Option<PathBuf>,
    /// Print the plan, receipt or refusal as JSON
    #[arg(long)]
    pub json: bool,
    /// What may be given up
    #[arg(long, value_enum)]
    pub policy: Option<Policy>,
    /// Removed; use --policy salvage
    #[arg(long, hide = true)]
    pub salvage_unsupported: bool,
    // Last, since its heading would hold for what follows.
    #[command(flatten, next_help_heading = "With --batch")]
    pub tree: TreeArgs,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmitChoice {
    /// That of the source
    Auto,
    /// That of the source; refused for canonical sources
    Vendor,
    /// A canonical session
    Canonical,
}

pub fn run(global: &Global, args: &RepairArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    if args.salvage_unsupported {
        return Err(Failure::usage("--salvage-unsupported was removed; use --policy salvage"));
    }
    if args.batch {
        return batch(global, args, out, err);
    }
    if args.output.is_none() && !args.dry_run && !args.preview {
        return Err(Failure::usage("--output FILE is required, unless --dry-run or --preview is given"));
    }
    if global.include_content {
        writeln!(err, "WARNING: --include-content shows text of the session; do not share the output")?;
    }
    let plan = args.plan.as_ref().map(read_plan).transpose()?;
    let settings = Settings::for_files(global, None, None)?;
    let options = Options { plan, ..options(&settings, global, args) };
    match mend(global, args, &options, out, err) {
        Err(Stop::Repair(RepairError::Refused(refusal))) => {
            if args.json {
                ascii::write_document(&refusal.document(), out)?;
            }
            preview::refusal(&refusal, err)?;
            Ok(if refusal.code == repair::RefusalCode::VendorFormatRefused { 2 } else { 1 })
        }
        Err(Stop::Repair(error)) => Err(Failure::usage(error.to_string())),
        Err(Stop::Failure(failure)) => Err(failure),
        Ok(()) => Ok(0),
    }
}

fn options(settings: &Settings, global: &Global, args: &RepairArgs) -> Options {
    let inspect = settings.inspect_options(&args.path);
    Options {
        format: inspect.format,
        profile: inspect.profile,
        policy: match args.policy.or(global.policy) {
            Some(Policy::Salvage) => repair::Policy::Salvage,
            _ => repair::Policy::Conservative,
        },
        acknowledge_side_effects: args.acknowledge_side_effects,
        emit: match args.emit {
            EmitChoice::Canonical => Emit::Canonical,
            EmitChoice::Vendor => Emit::Vendor,
            EmitChoice::Auto => Emit::Own,
        },
        plan: None,
    }
}

fn batch(global: &Global, args: &RepairArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    let single = args.output.is_some() || args.plan.is_some() || args.plan_out.is_some() || args.manifest.is_some();
    if single || args.preview || args.attestation.is_some() {
        return Err(Failure::usage("--batch takes --output-dir and --manifest-dir, not options for one file"));
    }
    if !args.path.is_dir() {
        return Err(Failure::usage(format!("{}: no folder; --batch repairs what is below one", args.path.display())));
    }
    let folders = match (&args.output_dir, args.dry_run) {
        (Some(output), false) => Some(Folders { output: output.clone(), manifest: args.manifest_dir.clone() }),
        (None, false) => return Err(Failure::usage("--output-dir FOLDER is required, unless --dry-run is given")),
        (_, true) => None,
    };
    let settings = Settings::load(global, &ReportArgs::default(), &args.tree)?;
    let limits = settings.limits(&args.tree)?;
    let batch = batch::repair(&args.path, &limits, &options(&settings, global, args), folders.as_ref());
    let document = batch.document();
    if let Some(path) = &args.summary {
        let mut text = Vec::new();
        ascii::write_document(&document, &mut text)?;
        sesslint::write::replace(path, &text)
            .map_err(|error| Failure::usage(format!("{}: cannot write the summary: {error}", path.display())))?;
    }
    if args.json {
        ascii::write_document(&document, out)?;
    } else {
        preview::batch(&batch, out, err)?;
    }
    Ok(if batch.count("failed") > 0 { 2 } else { u8::from(batch.count("refused") > 0) })
}

/// Why a repair ended early.
enum Stop {
    Repair(RepairError),
    Failure(Failure),
}

impl From<RepairError> for Stop {
    fn from(error: RepairError) -> Self {
        Self::Repair(error)
    }
}

impl From<repair::Refusal> for Stop {
    fn from(refusal: repair::Refusal) -> Self {
        Self::Repair(refusal.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failure(error.into())
    }
}

fn read_plan(path: &PathBuf) -> Result<Claimed, Failure> {
    let shown = path.display();
    let text =
        std::fs::read(path).map_err(|error| Failure::usage(format!("{shown}: cannot read the plan: {error}")))?;
    Claimed::parse(&text)
        .map_err(|what| Failure::usage(format!("{shown}: {what}; expected a plan, as --dry-run --json prints it")))
}

fn mend(
    global: &Global,
    args: &RepairArgs,
    options: &Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<(), Stop> {
    let destination = args.output.as_deref().filter(|_| !args.dry_run).map(|output| {
        let mut to = Destination::beside(output);
        if let Some(manifest) = &args.manifest {
            to.manifest.clone_from(manifest);
        }
        to.attestation = args.attestation.clone().map(|path| {
            path.unwrap_or_else(|| {
                let mut name = output.as_os_str().to_owned();
                name.push(".attestation.json");
                name.into()
            })
        });
        to
    });
    let prepared = repair::prepare(&args.path, options)?;
    if let Some(path) = &args.plan_out {
        let mut text = Vec::new();
        ascii::write_document(&prepared.plan().document(), &mut text)?;
        sesslint::write::replace(path, &text)
            .map_err(|error| Failure::usage(format!("{}: cannot write the plan: {error}", path.display())))?;
    }
    if args.preview {
        preview::table(&prepared, out)?;
        writeln!(out)?;
        preview::diff(&prepared, global.include_content, out)?;
    }
    let Some(to) = destination else {
        return Ok(tell_plan(args, &prepared, out)?);
    };
    let stale = execute::leftovers(&to);
    let receipt = execute::execute(&prepared, &to)?;
    if !stale.is_empty() {
        let note = format!("note: {}{}", to.output.display(), execute::cleanup(&stale));
        writeln!(err, "{}", inert(&note))?;
    }
    if args.json {
        out.write_all(&receipt)?;
        return Ok(());
    }
    Ok(tell_repair(args, &prepared, &to, out)?)
}

/// A dry run: the plan as JSON or in words.
fn tell_plan(args: &RepairArgs, prepared: &Prepared, out: &mut dyn Write) -> std::io::Result<()> {
    let plan = prepared.plan();
    if args.json {
        return ascii::write_document(&plan.document(), out);
    }
    if args.preview {
        writeln!(out)?;
    }
    writeln!(out, "Plan fingerprint: {}", plan.fingerprint())?;
    writeln!(out, "Policy: {}", plan.policy.as_str())?;
    writeln!(out, "Proposed steps: {}", plan.steps.len())?;
    for step in &plan.steps {
        let loss: String = step.loss.iter().map(|(class, n)| format!(", gives up {class}: {n}")).collect();
        writeln!(out, "  {}. {} for finding {}{loss}", step.seq, step.recipe, step.finding)?;
    }
    writeln!(out, "Blocked findings: {}", plan.blocked.len())?;
    tell_blocked(plan, out)
}

/// The findings that stay, each with what would clear it.
fn tell_blocked(plan: &Plan, out: &mut dyn Write) -> std::io::Result<()> {
    for blocked in &plan.blocked {
        writeln!(out, "  [{}] {} ({})", blocked.code, blocked.reason, blocked.finding)?;
        writeln!(out, "      next: {}", repair::unblock(&blocked.reason))?;
    }
    Ok(())
}

/// A repair that was made: its eight steps, what was kept and lost, and how to check it.
fn tell_repair(args: &RepairArgs, prepared: &Prepared, to: &Destination, out: &mut dyn Write) -> std::io::Result<()> {
    let (plan, manifest) = (prepared.plan(), prepared.manifest());
    let text = |name: &str| manifest[name].as_str().unwrap_or("");
    let source = shown(&args.path);
    let zero = if plan.policy == repair::Policy::Conservative { "nothing may be lost" } else { "losses are named" };
    let tell = |out: &mut dyn Write, line: String| writeln!(out, "[repair] {line}");
    tell(out, format!("{source} ({} bytes, {})", manifest["byte_counts"]["source"], prepared.format().name))?;
    tell(out, format!("Policy: {} ({zero})", plan.policy.as_str()))?;
    tell(out, format!("Step 1/8: planned {}; plan {}", count(plan.steps.len(), "step"), text("plan_fingerprint")))?;
    tell(out, format!("Step 2/8: source hashed: {}", text("input_fingerprint")))?;
    let edits = prepared.edits().len() + prepared.frames().len();
    let colon = if edits == 0 { "" } else { ":" };
    tell(out, format!("Step 3/8: {}{colon}", count(edits, "edit")))?;
    for step in &plan.steps {
        let lines = prepared.edits().iter().filter(|e| e.steps.contains(&step.seq));
        let frames = prepared.frames().iter().filter(|f| f.steps.contains(&step.seq));
        let places: Vec<String> = lines
            .map(|e| format!("{} line {}", e.kind(), e.line))
            .chain(frames.map(|f| format!("{} frame {}", f.kind(), f.frame)))
            .collect();
        writeln!(out, "  -> {}: {}", step.recipe, places.join(", "))?;
    }
    let revalidation = prepared.revalidation();
    tell(
        out,
        format!(
            "Step 4/8: result checked: {}, {}, {}",
            revalidation.assurance.as_str(),
            count(revalidation.counts.failing(), "error"),
            count(revalidation.counts.warning, "warning")
        ),
    )?;
    tell(out, format!("Step 5/8: staged and synced: {} bytes", prepared.output_len()))?;
    tell(out, format!("Step 6/8: source unchanged; output hash {}", text("output_fingerprint")))?;
    tell(out, format!("Step 7/8: published {}", shown(&to.output)))?;
    tell(out, format!("Step 8/8: receipt {}", shown(&to.manifest)))?;
    writeln!(out)?;
    let lost = plan.losses();
    let kept = &manifest["record_counts"];
    writeln!(out, "Kept: {} of {} events", kept["output"], kept["source"])?;
    if lost.is_empty() {
        writeln!(out, "Lost: nothing")?;
    } else {
        let rows: Vec<String> = lost.iter().map(|(class, count)| format!("{class}: {count}")).collect();
        writeln!(out, "Lost: {}", rows.join(", "))?;
    }
    if !plan.blocked.is_empty() {
        writeln!(out, "Left as found: {}", count(plan.blocked.len(), "finding"))?;
        tell_blocked(plan, out)?;
    }
    writeln!(out, "[{}] {}", text("assurance"), shown(&to.output))?;
    let acknowledged = if args.acknowledge_side_effects { " --acknowledge-side-effects" } else { "" };
    writeln!(
        out,
        "Next: sesslint verify {} {} --manifest {}{acknowledged}",
        typed(&args.path),
        typed(&to.output),
        typed(&to.manifest)
    )
}
