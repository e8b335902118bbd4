//! `sesslint propose`: repairs as a folder that can be applied, reviewed and checked, and as a pull request.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use sesslint::emit::count;
use sesslint::emit::escape::{inert, markdown_code, shell_word};
use sesslint::propose::{self, Candidate, MAX_COMMITTED_BYTES, Made, Options, Proposal};
use sesslint::repair;
use sesslint::scan::walk::{self, Fate};

use super::args::{Global, Policy, ReportArgs, TreeArgs};
use super::pull_request::{self, PullRequestArgs};
use super::runner::Runner;
use super::settings::Settings;
use super::{Failure, env, find, git};

/// `sesslint propose`
#[derive(Debug, Args)]
pub struct ProposeArgs {
    /// Files, folders and patterns; the configuration's, else the working directory, when none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What may be given up
    #[arg(long, value_enum)]
    pub policy: Option<Policy>,
    /// Where to write the proposal; must not exist, or be an empty folder
    #[arg(long, value_name = "FOLDER")]
    pub out_dir: PathBuf,
    /// Root of the repository; the nearest folder with .git, else the working directory, when not given
    #[arg(long, value_name = "FOLDER")]
    pub repo: Option<PathBuf>,
    /// You looked into the side effects that the logs leave open
    #[arg(long)]
    pub acknowledge_side_effects: bool,
    /// Larger files are proposed, but left out of the commit
    #[arg(long, value_name = "BYTES", default_value_t = MAX_COMMITTED_BYTES)]
    pub max_committed_bytes: u64,
    /// Print proposal.json
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tree: TreeArgs,
    // Last, since its heading would hold for what follows.
    #[command(flatten)]
    pub pull_request: PullRequestArgs,
}

pub fn run(global: &Global, args: &ProposeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    let target = pull_request::target(&args.pull_request)?;
    let settings = Settings::load(global, &ReportArgs::default(), &args.tree)?;
    let roots = find::roots(&settings, &args.paths, &args.tree)?;
    let candidates: Vec<Candidate> = walk::walk(&roots, &find::limits(&settings, &args.tree)?)
        .into_iter()
        .filter(|entry| entry.fate == Fate::Check)
        .map(|entry| {
            let inspection = settings.inspect_options(&entry.path);
            let (format, profile) = (inspection.format, inspection.profile);
            Candidate { path: entry.path, named: entry.named, format, profile }
        })
        .collect();
    let root = args.repo.clone().or_else(env::repository_root).unwrap_or_else(|| PathBuf::from("."));
    let options = Options {
        base_commit: git::head(&root),
        root,
        policy: match args.policy.or(global.policy) {
            Some(Policy::Salvage) => repair::Policy::Salvage,
            _ => repair::Policy::Conservative,
        },
        acknowledge_side_effects: args.acknowledge_side_effects,
        max_committed_bytes: args.max_committed_bytes,
    };
    let made = propose::make(&candidates, &args.out_dir, &options)
        .map_err(|error| Failure::usage(format!("{}: cannot write the proposal: {error}", args.out_dir.display())))?;
    let mut runner = Runner::new(Vec::new());
    // A document on standard output is whole and alone there.
    let log: &mut dyn Write = if args.json {
        out.write_all(&made.proposal.bytes())?;
        err
    } else {
        runner.bracketed(out, |out| tell(&made, &args.out_dir, out))?;
        out
    };
    let folder = if made.written { args.out_dir.display().to_string() } else { String::new() };
    runner.set_outputs(&[("proposal-dir", folder)]);
    let mut code = u8::from(!made.written && !made.proposal.refused.is_empty());
    let mut summary = summary(&made);
    if let Some(target) = target.filter(|_| made.written) {
        let published =
            pull_request::publish(&made.proposal, (&args.out_dir, &options.root), target, &args.pull_request)?;
        code = published.code;
        runner.set_outputs(&published.outputs);
        runner.bracketed(log, |log| published.text.lines().try_for_each(|line| writeln!(log, "{}", inert(line))))?;
        summary.push_str(&published.summary);
        runner.notices.extend(published.notices);
    }
    if runner.has_summary() && !summary.is_empty() {
        runner.summarise(summary.as_bytes());
    }
    runner.tell(log)?;
    Ok(code)
}

fn tell(made: &Made, folder: &Path, out: &mut dyn Write) -> std::io::Result<()> {
    let Proposal { files, refused, fingerprint, .. } = &made.proposal;
    for entry in files {
        let loss = if entry.declared_loss.is_empty() {
            String::new()
        } else {
            format!(", gives up {}", entry.summed_loss().join(", "))
        };
        let left_out = entry.not_committed.as_ref().map_or_else(String::new, |why| format!("; not committed: {why}"));
        writeln!(
            out,
            "repaired  {}: {} out, {} in, {} -> {}, {}{loss}{left_out}",
            inert(&entry.path),
            count(entry.edits.lines_removed, "line"),
            entry.edits.lines_added,
            entry.assurance.before,
            entry.assurance.after,
            entry.assurance.repair
        )?;
    }
    for row in refused {
        writeln!(out, "refused   {} [{}]: {}", inert(&row.path), row.code, inert(&row.reason))?;
    }
    if !made.written {
        let what = if refused.is_empty() { "no log is in need of repair" } else { "no log can be repaired" };
        return writeln!(out, "Nothing to propose: {what}.");
    }
    let shown = shell_word(&folder.display().to_string());
    writeln!(out, "Proposal {fingerprint} in {shown}: {}, {} refused", count(files.len(), "file"), refused.len())?;
    writeln!(out, "Next: sesslint verify --proposal {shown}")?;
    writeln!(out, "      git apply --binary {shown}/{}", propose::place::PATCH)
}

/// What the job summary says.
fn summary(made: &Made) -> String {
    let Proposal { files, refused, fingerprint, .. } = &made.proposal;
    if !made.written && refused.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n### Repair proposal\n\n");
    if made.written {
        text.push_str(&format!(
            "{} can be repaired, {} cannot. Proposal {}.\n",
            count(files.len(), "log"),
            refused.len(),
            markdown_code(fingerprint)
        ));
    } else {
        text.push_str(&format!("Of {}, none can be repaired.\n", count(refused.len(), "broken log")));
    }
    text
}
