//! `sesslint merge`: JSON reports in, any report format out, one gate.

use std::io::Write;
use std::path::Path;

use sesslint::scan::merge::{Part, merge};
use sesslint::scan::roots::expand;

use super::args::{Global, MergeArgs, TreeArgs};
use super::publish::publish;
use super::settings::Settings;
use super::{Failure, known, scan};

pub fn run(global: &Global, args: &MergeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    let settings = Settings::load(global, &args.report, &TreeArgs::default())?;
    let mut parts = Vec::new();
    for given in &args.reports {
        let roots = expand(given, &[]).map_err(Failure::usage)?.ok_or_else(|| scan::not_found(given))?;
        if roots.is_empty() {
            return Err(Failure::usage(format!("{}: no report matches this pattern", given.display())));
        }
        for root in roots {
            parts.push(read(&root.path)?);
        }
    }
    let mut joined = merge(parts).map_err(|error| Failure::usage(error.to_string()))?;
    let notices = known::mark(&settings, &mut joined.reports)?;
    publish(&settings, (&args.report, &args.publish), &joined, notices, out, err)
}

fn read(path: &Path) -> Result<Part, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Part::parse(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
