//! `sesslint verify`: every statement of a receipt is computed anew; the verdict is all or nothing.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use sesslint::emit::ascii;
use sesslint::repair::verify::{self, Request, Verdict};

use super::Failure;

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
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
    /// The plan the repair was made by
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// The repair was made with side effects acknowledged
    #[arg(long)]
    pub acknowledge_side_effects: bool,
    /// Print the verdict as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &VerifyArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    let missing =
        || Failure::usage("name the source and the repaired session: sesslint verify SOURCE REPAIRED --manifest FILE");
    let source = args.source.clone().or_else(|| args.source_option.clone()).ok_or_else(missing)?;
    let output = args.repaired.clone().or_else(|| args.output.clone()).ok_or_else(missing)?;
    let request = Request {
        source,
        output,
        manifest: args.manifest.clone(),
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

fn tell(verdict: &Verdict, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "Verification: {}", if verdict.ok() { "PASSED" } else { "FAILED" })?;
    writeln!(out, "Assurance: {}", verdict.assurance)?;
    writeln!(out, "Checks:")?;
    for check in &verdict.checks {
        writeln!(out, "  [{}] {}: {}", if check.ok() { "PASS" } else { "FAIL" }, check.name, check.detail())?;
    }
    Ok(())
}
