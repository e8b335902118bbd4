//! `sesslint baseline`: write, trim or list the file of known findings.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use sesslint::config::output::Output;
use sesslint::emit::escape::inert;
use sesslint::emit::{Format, count};
use sesslint::report::baseline::Baseline;
use sesslint::write;

use super::args::{BaselineAction, BaselineArgs, Global, ReportArgs};
use super::settings::Settings;
use super::{Failure, find, known, output, scan};

pub fn run(global: &Global, args: &BaselineArgs, out: &mut dyn Write) -> Result<u8, Failure> {
    let report = ReportArgs { baseline: args.baseline.clone(), ..ReportArgs::default() };
    let settings = Settings::load(global, &report, &args.tree)?;
    let (path, _) = settings.baseline_file();
    let roots = find::roots(&settings, &args.paths, &args.tree)?;
    let reports = scan::scanned(&settings, &roots, &find::limits(&settings, &args.tree)?, &args.tree)?.reports;
    let known = if args.action == BaselineAction::Write { None } else { known::read(&settings)? };
    let shown = super::shown(&path);
    let old = match (args.action, known) {
        (BaselineAction::Write, _) => {
            let new = Baseline::of(&reports);
            let output = Output { format: Format::Jsonl, path: Some(path.clone()) };
            output::fit(&[output], reports.iter().map(|report| &*report.path))?;
            save(&path, &new)?;
            writeln!(out, "{shown}: {}", count(total(&new), "known finding"))?;
            return Ok(0);
        }
        (_, None) => return Err(Failure::usage(format!("{shown}: no such baseline; make one with `baseline write`"))),
        (_, Some(old)) => old,
    };
    if args.action == BaselineAction::Update {
        let new = old.still(&reports);
        save(&path, &new)?;
        writeln!(out, "{shown}: {}, {} dropped", count(total(&new), "known finding"), total(&old) - total(&new))?;
        return Ok(0);
    }
    let stale = old.stale(&reports);
    let missing: BTreeMap<_, u64> = stale.iter().map(|s| ((&s.path, &s.id, &s.severity), s.count)).collect();
    for entry in old.entries() {
        let gone = missing.get(&(&entry.path, &entry.id, &entry.severity)).copied().unwrap_or(0);
        let times = if entry.count > 1 { format!(" ({} times)", entry.count) } else { String::new() };
        let note = match gone {
            0 => String::new(),
            gone if gone == entry.count => " - stale".into(),
            gone => format!(" - {gone} of them stale"),
        };
        let line = format!("{} {} {} {}{times}{note}", entry.path, entry.code, entry.severity, entry.id);
        writeln!(out, "{}", inert(&line))?;
    }
    writeln!(out, "{}, {} stale", count(total(&old), "known finding"), stale.iter().map(|s| s.count).sum::<u64>())?;
    Ok(0)
}

fn total(baseline: &Baseline) -> u64 {
    baseline.entries().iter().map(|entry| entry.count).sum()
}

fn save(path: &Path, baseline: &Baseline) -> Result<(), Failure> {
    write::replace(path, baseline.text().as_bytes())
        .map_err(|error| Failure::usage(format!("{}: cannot write the baseline: {error}", path.display())))
}
