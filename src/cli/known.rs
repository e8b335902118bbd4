//! What is known before a run: the baseline file, and what the logs had at an older revision.

use std::collections::BTreeSet;
use std::path::Path;

use sesslint::inspect;
use sesslint::report::Report;
use sesslint::report::baseline::Baseline;

use super::Failure;
use super::git::Revision;
use super::settings::Settings;

/// Says of every finding whether it is known, where the run has something to compare with. Gives notices: what could
/// not be compared counts as new.
pub fn mark(settings: &Settings, reports: &mut [Report]) -> Result<Vec<String>, Failure> {
    let config = settings.merged();
    let mut notices = Vec::new();
    let baseline = read(settings)?;
    if let Some(baseline) = &baseline {
        baseline.mark(reports);
        let stale = baseline.stale(reports);
        let checked: BTreeSet<&str> = reports.iter().filter_map(|report| report.repo_path.as_deref()).collect();
        let stale: u64 = stale.iter().filter(|e| checked.contains(&*e.path)).map(|entry| entry.count).sum();
        if stale > 0 {
            notices.push(format!(
                "{stale} known finding{} no longer there: run `sesslint baseline update`",
                if stale == 1 { " of the baseline is" } else { "s of the baseline are" }
            ));
        }
    }
    if let Some(name) = &config.since {
        match Revision::named(name) {
            Ok(revision) => at(&revision, settings, reports).mark(reports),
            Err(what) => {
                notices.push(format!("--since {name}: {what}; every finding counts as new"));
                Baseline::default().mark(reports);
            }
        }
    } else if baseline.is_none() && config.only_new == Some(true) {
        return Err(Failure::usage("--only-new needs something to compare with: --baseline FILE or --since REVISION"));
    }
    Ok(notices)
}

/// The baseline file; none when there is none and nobody named one.
pub fn read(settings: &Settings) -> Result<Option<Baseline>, Failure> {
    let (path, named) = settings.baseline_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => return Ok(None),
        Err(error) => return Err(Failure::usage(format!("{}: cannot read the baseline: {error}", path.display()))),
    };
    let parsed = Baseline::parse(&text);
    parsed.map(Some).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// What the logs that have findings now had at a revision. Logs only grow, so whatever an old state had not is new.
fn at(revision: &Revision, settings: &Settings, reports: &[Report]) -> Baseline {
    let mut old = Vec::new();
    for report in reports.iter().filter(|report| !report.findings.is_empty()) {
        let path = Path::new(&report.path);
        let Some(file) = revision.file(path) else { continue };
        if let Ok(before) = inspect::check_path(file.path(), &settings.inspect_options(path)) {
            old.push(Report {
                repo_path: report.repo_path.clone(),
                minimised_path: report.minimised_path.clone(),
                ..before
            });
        }
    }
    Baseline::of(&old)
}
