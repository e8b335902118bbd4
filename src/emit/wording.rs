//! How a finding is put into words, the same on every surface. Plain text: escaping is left to the format.

use std::fmt::Write as _;

use super::escape::shell_word;
use crate::finding::{Finding, Location, Repairability};
use crate::report::Report;
use crate::report::verdict::{NextStep, Verdict};

/// Longest part of an id that is shown.
const ID_LIMIT: usize = 60;
/// Most runs of lines that are listed.
const RUNS_LIMIT: usize = 12;

/// `line 12`, `line 1, item 3`, `whole file`.
pub(super) fn spot(location: &Location) -> String {
    match (location.line, location.item) {
        (Some(line), Some(item)) => format!("line {line}, item {item}"),
        (Some(line), None) => format!("line {line}"),
        (None, Some(item)) => format!("item {item}"),
        (None, None) => "whole file".into(),
    }
}

/// `path:12`, `path:1, item 3`, `path`.
pub(super) fn place(path: &str, location: &Location) -> String {
    let mut text = path.to_owned();
    if let Some(line) = location.line {
        let _ = write!(text, ":{line}");
    }
    if let Some(item) = location.item {
        let _ = write!(text, ", item {item}");
    }
    text
}

/// What is wrong and what comes of it.
pub(super) fn why(finding: &Finding) -> String {
    let text = finding.text();
    [text.what, text.consequence].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ")
}

/// ` (record u1)`, or nothing.
pub(super) fn record(finding: &Finding) -> String {
    record_id(finding).map_or_else(String::new, |id| format!(" (record {id})"))
}

/// The id of the record, not longer than can be read.
pub(super) fn record_id(finding: &Finding) -> Option<String> {
    // One that was made up for a record without id is nowhere in the log.
    let id = finding.record_id.as_ref().filter(|id| !id.starts_with("sesslint:synthetic:"))?;
    if id.chars().count() <= ID_LIMIT {
        return Some(id.clone());
    }
    Some(format!("{}...", id.chars().take(ID_LIMIT).collect::<String>()))
}

/// `SL101 Orphan tool result, line 14`: a consequence in its cause's list.
pub(super) fn consequence(finding: &Finding) -> String {
    format!("{} {}, {}", finding.code(), finding.rule.name, spot(&finding.location))
}

/// All consequences, those of one code together: `SL101 Orphan tool result, lines 4-11 (8 times)`.
pub(super) fn consequences(finding: &Finding) -> Vec<String> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for consequence in &finding.consequences {
        match groups.iter_mut().find(|g| g[0].code() == consequence.code()) {
            Some(group) => group.push(consequence),
            None => groups.push(vec![consequence]),
        }
    }
    let line = |group: &Vec<&Finding>| match group[..] {
        [one] => consequence(one),
        _ => format!("{} {}, {} ({} times)", group[0].code(), group[0].rule.name, places(group), group.len()),
    };
    groups.iter().map(line).collect()
}

/// The path without its last extension, and that extension with its dot; how a file is packed is part of it.
pub(super) fn split_extension(path: &str) -> (&str, &str) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let plain = [".zstd", ".zst"].into_iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    let dot_of = |name: &str| name.rfind('.').filter(|&dot| dot > 0);
    let dot = dot_of(plain).or_else(|| dot_of(name));
    let stem = dot.map_or(path.len(), |dot| path.len() - name.len() + dot);
    path.split_at(stem)
}

/// The path as a word of a command; a name that is no text cannot be typed.
fn typed(path: &str) -> Option<String> {
    (!path.contains(char::REPLACEMENT_CHARACTER)).then(|| shell_word(path))
}

/// The command that tells what a repair could do, with the real path.
pub(super) fn trial(path: &str) -> Option<String> {
    Some(format!("sesslint repair {} --dry-run", typed(path)?))
}

/// The command that mends what can be mended this way, with the real path.
pub(super) fn repair_command(path: &str, repairability: Repairability) -> Option<String> {
    let source = typed(path)?;
    let policy = match repairability {
        Repairability::Deterministic => "",
        Repairability::LossyExplicit => " --policy salvage",
        Repairability::Manual | Repairability::Unsupported => return None,
    };
    let (stem, extension) = split_extension(path);
    let repaired = format!("{stem}.repaired{extension}");
    Some(format!("sesslint repair {source} --output {}{policy}", shell_word(&repaired)))
}

/// The command for the file as a whole, when there is one.
pub(super) fn next_command(report: &Report) -> Option<String> {
    match report.next_step() {
        NextStep::Repair => repair_command(&report.path, Repairability::Deterministic),
        NextStep::Salvage => repair_command(&report.path, Repairability::LossyExplicit),
        _ => None,
    }
}

/// The outcome of a run, worst first, and as a sentence without its end.
pub(super) fn outcome(reports: &[Report]) -> (Verdict, String) {
    let number = |wanted: Verdict| reports.iter().filter(|r| r.verdict() == wanted).count();
    let files = count(reports.len(), "session file");
    match (reports.len(), number(Verdict::Invalid)) {
        (0, _) => (Verdict::Inconclusive, "No session file was checked".into()),
        (1, 1) => (Verdict::Invalid, "The session will not replay as recorded".into()),
        (_, invalid @ 1..) => (Verdict::Invalid, format!("{invalid} of {files} will not replay")),
        (all, _) if number(Verdict::Inconclusive) == all => {
            (Verdict::Inconclusive, "There was nothing to judge".into())
        }
        _ if number(Verdict::Warnings) > 0 => (Verdict::Warnings, format!("{files} checked, with warnings")),
        _ => (Verdict::Healthy, format!("{files} checked")),
    }
}

/// `2 errors, 1 warning, 3 informational`.
pub(super) fn totals(reports: &[Report]) -> String {
    let sum = |of: fn(&Report) -> usize| reports.iter().map(of).sum::<usize>();
    format!(
        "{}, {}, {} informational",
        count(sum(|r| r.counts.failing()), "error"),
        count(sum(|r| r.counts.warning), "warning"),
        sum(|r| r.counts.info)
    )
}

/// What to do about it, in one line.
pub(super) fn fix(report: &Report, finding: &Finding) -> String {
    match repair_command(&report.path, finding.repairability) {
        Some(command) => format!("{} Run: {command}", finding.text().next),
        None => finding.text().next.into(),
    }
}

/// `1 error`, `2 errors`.
#[must_use]
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `lines 3-5, 9` or `items 2, 4`: where many findings are, in runs.
pub(super) fn places(findings: &[&Finding]) -> String {
    let items = findings.iter().any(|f| f.location.item.is_some());
    let mut numbers: Vec<u64> =
        findings.iter().filter_map(|f| if items { f.location.item } else { f.location.line }).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let runs: Vec<&[u64]> = numbers.chunk_by(|a, b| a + 1 == *b).collect();
    let mut text = String::new();
    for run in runs.iter().take(RUNS_LIMIT) {
        text.push_str(if !text.is_empty() {
            ", "
        } else if items {
            "items "
        } else {
            "lines "
        });
        let _ = match run {
            [one] => write!(text, "{one}"),
            _ => write!(text, "{}-{}", run[0], run[run.len() - 1]),
        };
    }
    if let (Some(_), Some(last)) = (runs.get(RUNS_LIMIT), numbers.last()) {
        let _ = write!(text, " and on, to {last}");
    }
    if text.is_empty() { "whole file".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::samples;

    #[test]
    fn commands_name_the_real_path_and_a_new_file() {
        for (path, command) in [
            ("a.jsonl", "sesslint repair a.jsonl --output a.repaired.jsonl"),
            ("d.x/a", "sesslint repair d.x/a --output d.x/a.repaired"),
            ("d/.hidden", "sesslint repair d/.hidden --output d/.hidden.repaired"),
            ("d/s.jsonl.zstd", "sesslint repair d/s.jsonl.zstd --output d/s.repaired.jsonl.zstd"),
            ("s.zst", "sesslint repair s.zst --output s.repaired.zst"),
            ("a b.json", "sesslint repair 'a b.json' --output 'a b.repaired.json'"),
        ] {
            assert_eq!(repair_command(path, Repairability::Deterministic).as_deref(), Some(command));
        }
        assert_eq!(repair_command("a", Repairability::Manual), None);
        assert_eq!(repair_command("a\u{fffd}", Repairability::Deterministic), None);
    }

    #[test]
    fn places_are_listed_in_runs() {
        let many: Vec<Finding> =
            [9, 3, 4, 5, 5, 12, 11].iter().map(|&line| samples::at(&samples::MISSING_PARENT, line)).collect();
        assert_eq!(places(&many.iter().collect::<Vec<_>>()), "lines 3-5, 9, 11-12");
        let many: Vec<Finding> = (1..50).map(|n| samples::at(&samples::MISSING_PARENT, n * 2)).collect();
        assert!(places(&many.iter().collect::<Vec<_>>()).ends_with(", 22, 24 and on, to 98"));
        assert_eq!(places(&[&Finding::new(&samples::MISSING_PARENT, crate::finding::Stage::Checking)]), "whole file");
    }
}
