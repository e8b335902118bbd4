//! Known findings: a file that names them by lasting identity, one a line, without line numbers, sorted, so that it
//! survives growth, moves and merges of the logs and of itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Report;
use crate::finding::{Finding, Severity, Standing};

/// The file's name unless another is given.
pub const FILE_NAME: &str = "sesslint-baseline.jsonl";
/// The first line of every baseline.
const HEADER: &str = "{\"schema_version\":\"sesslint.baseline/v1\"}";

/// One known finding. Its members stand in the file in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Where it was last seen, for people: a log may move.
    pub path: String,
    /// Its code.
    pub code: String,
    /// Its severity when it was accepted; a worse one is new.
    pub severity: String,
    /// Its lasting identity.
    pub id: String,
    /// How many findings have this identity at this path: logs with a common past share records.
    pub count: u64,
}

/// A set of known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Sorted, no two with the same path and identity.
    entries: Vec<Entry>,
}

/// Why a baseline cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BaselineError {
    line: usize,
    what: String,
}

impl Baseline {
    /// All findings of some reports, and what follows from them: once its cause is mended, a consequence stands alone.
    #[must_use]
    pub fn of(reports: &[Report]) -> Self {
        Self::collect(found(reports).into_iter().map(|(report, finding)| entry(report, finding)), |a, b| a + b)
    }

    /// The entries, sorted.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Reads the text of a baseline file. Equal entries, as merges of branches leave them, count once.
    ///
    /// # Errors
    /// Names the first line that is no entry.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let error = |line, what: &str| BaselineError { line, what: what.to_owned() };
        match lines.next() {
            Some((first, _)) if first.trim() == HEADER => {}
            _ => return Err(error(1, &format!("expected {HEADER}; is this a baseline?"))),
        }
        let mut entries = Vec::new();
        for (text, line) in lines {
            if text.trim() == HEADER {
                continue;
            }
            if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|marker| text.starts_with(marker)) {
                return Err(error(line, "a merge was left unresolved; keep the lines of both sides"));
            }
            let entry: Entry = serde_json::from_str(text)
                .map_err(|_| error(line, "no entry; expected path, code, severity, id and count"))?;
            entries.push(entry);
        }
        Ok(Self::collect(entries, u64::max))
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for entry in &self.entries {
            // Every member is a string or a number: writing them cannot fail.
            let _ = writeln!(text, "{}", serde_json::to_string(entry).unwrap_or_default());
        }
        text
    }

    /// Says of every finding whether it is known. Each entry covers as many findings as it counts, at its own path
    /// first, then wherever the log has moved to. What another baseline of the same run called known stays known.
    pub fn mark(&self, reports: &mut [Report]) {
        let mut matches = self.matches(reports).into_iter();
        let mut stand = |finding: &mut Finding| {
            let known = matches.next().flatten().is_some() || finding.standing == Some(Standing::Known);
            finding.standing = Some(if known { Standing::Known } else { Standing::New });
        };
        for finding in reports.iter_mut().flat_map(|report| &mut report.findings) {
            stand(finding);
            finding.consequences.iter_mut().for_each(&mut stand);
        }
    }

    /// The entries that nothing in these reports answers to, with the number of findings missing.
    #[must_use]
    pub fn stale(&self, reports: &[Report]) -> Vec<Entry> {
        let mut missing = self.entries.clone();
        for entry in self.matches(reports).into_iter().flatten() {
            missing[entry].count -= 1;
        }
        missing.retain(|entry| entry.count > 0);
        missing
    }

    /// This baseline without what is gone, each entry where its finding is now. It never grows.
    #[must_use]
    pub fn still(&self, reports: &[Report]) -> Self {
        let kept = found(reports).into_iter().zip(self.matches(reports)).filter_map(|((report, _), entry)| {
            let accepted = &self.entries[entry?];
            Some(Entry { path: shown_path(report).to_owned(), count: 1, ..accepted.clone() })
        });
        Self::collect(kept, |a, b| a + b)
    }

    /// For each of [`found`] in the reports the entry that covers it.
    fn matches(&self, reports: &[Report]) -> Vec<Option<usize>> {
        let mut left: Vec<u64> = self.entries.iter().map(|entry| entry.count).collect();
        let mut by_place: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        // Worst first: when the first does not cover a severity, none does.
        let mut by_id: HashMap<&str, VecDeque<usize>> = HashMap::new();
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|&n| Reverse(self.entries[n].accepted()));
        for n in order {
            let entry = &self.entries[n];
            by_place.entry((&entry.id, &entry.path)).or_default().push(n);
            by_id.entry(&entry.id).or_default().push_back(n);
        }
        let found = found(reports);
        let covers = |n: usize, finding: &Finding| self.entries[n].accepted() >= Some(finding.severity);
        let mut matches: Vec<Option<usize>> = found
            .iter()
            .map(|(report, finding)| {
                let entries = by_place.get(&(&*finding.stable_id, shown_path(report)))?;
                let entry = *entries.iter().rev().find(|&&n| left[n] > 0 && covers(n, finding))?;
                left[entry] -= 1;
                Some(entry)
            })
            .collect();
        for ((_, finding), entry) in found.iter().zip(&mut matches).filter(|(_, entry)| entry.is_none()) {
            let Some(entries) = by_id.get_mut(&*finding.stable_id) else { continue };
            while entries.front().is_some_and(|&n| left[n] == 0) {
                entries.pop_front();
            }
            *entry = entries.front().copied().filter(|&n| covers(n, finding));
            if let Some(n) = *entry {
                left[n] -= 1;
            }
        }
        matches
    }

    fn collect(entries: impl IntoIterator<Item = Entry>, join: fn(u64, u64) -> u64) -> Self {
        let mut places: BTreeMap<(String, String, String, String), u64> = BTreeMap::new();
        for Entry { path, code, severity, id, count } in entries {
            places.entry((path, code, severity, id)).and_modify(|n| *n = join(*n, count)).or_insert(count);
        }
        let entry = |((path, code, severity, id), count)| Entry { path, code, severity, id, count };
        Self { entries: places.into_iter().map(entry).collect() }
    }
}

/// Every finding, each followed by its consequences.
fn found(reports: &[Report]) -> Vec<(&Report, &Finding)> {
    let mut found = Vec::new();
    for report in reports {
        for finding in &report.findings {
            found.push((report, finding));
            found.extend(finding.consequences.iter().map(|consequence| (report, consequence)));
        }
    }
    found
}

impl Entry {
    /// The severity up to which a finding is known; none when the word is not one of ours.
    fn accepted(&self) -> Option<Severity> {
        Severity::named(&self.severity)
    }
}

fn entry(report: &Report, finding: &Finding) -> Entry {
    Entry {
        path: shown_path(report).to_owned(),
        code: finding.code().to_owned(),
        severity: finding.severity.as_str().to_owned(),
        id: finding.stable_id.clone(),
        count: 1,
    }
}

/// From the repository's root, so that a baseline means the same wherever a run starts.
fn shown_path(report: &Report) -> &str {
    report.repo_path.as_deref().unwrap_or(&report.minimised_path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::samples;

    fn ids(reports: &[Report]) -> Vec<Option<Standing>> {
        reports.iter().flat_map(|r| r.findings.iter().map(|f| f.standing)).collect()
    }

    fn report() -> Report {
        let mut report = samples::broken();
        report.findings.iter_mut().for_each(|f| f.standing = None);
        report
    }

    #[test]
    fn what_is_written_reads_back_and_covers_itself() {
        let mut reports = [report(), samples::document()];
        let baseline = Baseline::of(&reports);
        assert_eq!(Baseline::parse(&baseline.text()).as_ref(), Ok(&baseline));
        let text = baseline.text();
        let mut lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), 7 + 8 + 1, "three findings of one identity are one entry");
        lines.sort_unstable();
        assert_eq!(lines, text.lines().skip(1).collect::<Vec<_>>());
        assert!(!text.contains("\"line\""));
        baseline.mark(&mut reports);
        assert!(ids(&reports).iter().all(|s| *s == Some(Standing::Known)));
        assert_eq!(baseline.stale(&reports), []);
        assert_eq!(baseline.still(&reports), baseline);
    }

    #[test]
    fn moved_logs_stay_known_and_copies_are_new() {
        let baseline = Baseline::of(&[report()]);
        let mut moved = report();
        moved.repo_path = Some("elsewhere/b.jsonl".into());
        let mut reports = [moved, report()];
        baseline.mark(&mut reports);
        let standings = ids(&reports);
        assert!(standings[..7].iter().all(|s| *s == Some(Standing::New)), "its own path comes first");
        assert!(standings[7..].iter().all(|s| *s == Some(Standing::Known)));
        let [moved, _] = reports;
        let after = baseline.still(std::slice::from_ref(&moved));
        assert_eq!(after.entries().len(), 15);
        assert!(after.entries().iter().all(|e| e.path == "elsewhere/b.jsonl"));
    }

    #[test]
    fn what_gets_worse_is_new_and_what_is_gone_is_stale() {
        let baseline = Baseline::of(&[report()]);
        let mut worse = report();
        worse.findings[2].severity = Severity::Error;
        worse.findings.pop();
        let mut reports = [worse];
        baseline.mark(&mut reports);
        let new = ids(&reports).iter().filter(|s| **s == Some(Standing::New)).count();
        assert_eq!(new, 1);
        assert_eq!(baseline.stale(&reports).len(), 2);
        assert_eq!(baseline.still(&reports).entries().len(), 13);
    }

    #[test]
    fn merged_files_are_read_and_broken_ones_are_not() {
        let text = Baseline::of(&[report()]).text();
        let twice = format!("{text}{text}");
        assert_eq!(Baseline::parse(&twice).unwrap().text(), text);
        for (text, message) in [
            ("", "line 1: expected {"),
            ("{}", "line 1: expected {"),
            (&format!("{HEADER}\n{{}}"), "line 2: no entry"),
            (&format!("{HEADER}\n\n<<<<<<< ours"), "line 3: a merge"),
        ] {
            assert!(Baseline::parse(text).unwrap_err().to_string().starts_with(message), "{text}");
        }
    }

    #[test]
    fn many_copies_cost_little() {
        let copy = |n: usize| Report { repo_path: Some(format!("{n}.jsonl")), ..report() };
        let old: Vec<Report> = (0..2_000).map(copy).collect();
        let mut new: Vec<Report> = (2_000..4_000).map(copy).collect();
        Baseline::of(&old).mark(&mut new);
        assert!(ids(&new).iter().all(|s| *s == Some(Standing::Known)));
    }
}
