//! `sesslint verify`: every statement of a receipt is computed anew; the verdict is all or nothing.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use sesslint::emit::ascii;
use sesslint::emit::escape::inert;
use sesslint::propose::{self, Checked};
use sesslint::repair::verify::{self, Request, Verdict};

use super::{Failure, env};

/// `sesslint verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The source
    #[arg(value_name = "SOURCE")]
    pub source: Option<PathBuf>,
    /// The repaired session
    #[arg(value_name = "REPAIRED")]
    pub repaired: Option<PathBuf>,
    /// The source, as an option
    #[arg(long = "source", value_name = "FILE", id = "source_option", hide = true)]
    pub source_option: Option<PathBuf>,
    /// The repaired session, as an option
    #[arg(long = "output", value_name = "FILE", hide = true)]
    pub output: Option<PathBuf>,
    /// The receipt
    #[arg(long, value_name = "FILE", required_unless_present_any = ["proposal", "pull_request"])]
    pub manifest: Option<PathBuf>,
    /// The plan the repair was made by
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Check the proposal in FOLDER, as `sesslint propose` writes them
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["source", "repaired", "manifest", "plan", "pull_request"])]
    pub proposal: Option<PathBuf>,
    /// Check the checkout of a repair pull request in FOLDER against that of its base
    #[arg(long, value_name = "FOLDER", requires = "repo", conflicts_with_all = ["source", "repaired", "manifest", "plan"])]
    pub pull_request: Option<PathBuf>,
    /// The base: root of a checkout, for --proposal and --pull-request
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["source", "repaired", "manifest", "plan"])]
    pub repo: Option<PathBuf>,
    /// The repair was made with side effects acknowledged
    #[arg(long)]
    pub acknowledge_side_effects: bool,
    /// Print the verdict as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &VerifyArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    if let Some(folder) = &args.proposal {
        let root = args.repo.clone().or_else(env::repository_root).unwrap_or_else(|| PathBuf::from("."));
        return several(propose::verify(folder, &root), folder, args.json, out);
    }
    if let (Some(head), Some(base)) = (&args.pull_request, &args.repo) {
        return several(propose::verify_trees(head, base, args.acknowledge_side_effects), head, args.json, out);
    }
    let missing =
        || Failure::usage("name the source and the repaired session: sesslint verify SOURCE REPAIRED --manifest FILE");
    let source = args.source.clone().or_else(|| args.source_option.clone()).ok_or_else(missing)?;
    let output = args.repaired.clone().or_else(|| args.output.clone()).ok_or_else(missing)?;
    let request = Request {
        source,
        output,
        manifest: args.manifest.clone().ok_or_else(missing)?,
        plan: args.plan.clone(),
        acknowledge_side_effects: args.acknowledge_side_effects,
    };
    let verdict = verify::verify(&request).map_err(|error| Failure::usage(error.to_string()))?;
    // A source named by option is how scripts call: they read JSON.
    if args.json || args.source.is_none() {
        ascii::write_document(&verdict.document(), out)?;
    } else {
        tell(&verdict, out)?;
    }
    Ok(u8::from(!verdict.ok()))
}

/// The verdict on many files at once.
fn several(checked: std::io::Result<Checked>, folder: &Path, json: bool, out: &mut dyn Write) -> Result<u8, Failure> {
    let checked = checked.map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    let ok = checked.problems.is_empty();
    if json {
        let problems: Vec<_> = checked.problems.iter().map(|p| json!({"path": p.path, "what": p.what})).collect();
        ascii::write_document(&json!({"ok": ok, "files": checked.files, "problems": problems}), out)?;
    } else {
        writeln!(out, "Verification: {}", if ok { "PASSED" } else { "FAILED" })?;
        writeln!(out, "Repaired files checked: {}", checked.files)?;
        for problem in &checked.problems {
            writeln!(out, "  [FAIL] {}: {}", inert(&problem.path), inert(&problem.what))?;
        }
    }
    Ok(u8::from(!ok))
}

fn tell(verdict: &Verdict, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "Verification: {}", if verdict.ok() { "PASSED" } else { "FAILED" })?;
    let unproven = if verdict.ok() { "" } else { " (not proven)" };
    writeln!(out, "Assurance: {}{unproven}", verdict.assurance)?;
    writeln!(out, "Checks:")?;
    for check in &verdict.checks {
        writeln!(out, "  [{}] {}: {}", if check.ok() { "PASS" } else { "FAIL" }, check.name, check.detail())?;
    }
    Ok(())
}
