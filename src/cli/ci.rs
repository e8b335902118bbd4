//! `sesslint ci`: the whole CI job in one run. Finds files and checks them; `publish` does the rest.

use std::io::Write;

use super::args::{CiArgs, Global};
use super::publish::publish;
use super::settings::Settings;
use super::{Failure, check, find, known, scan};

pub fn run(global: &Global, args: &CiArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Failure> {
    let mut settings = Settings::load(global, &args.report, &args.tree)?;
    // Whoever joins the reports of shards may want any format.
    settings.details = true;
    let roots = find::roots(&settings, &args.paths, &args.tree)?;
    check::warn_of_content(global, err)?;
    let mut scan = scan::scanned(&settings, &roots, &find::limits(&settings, &args.tree)?, &args.tree)?;
    let notices = known::mark(&settings, &mut scan.reports)?;
    publish(&settings, (&args.report, &args.publish), &scan, notices, out, err)
}
