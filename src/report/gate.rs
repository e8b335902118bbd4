//! The gate: which findings fail a run. The same for the exit code and for every format that states failures.

use std::str::FromStr;

use super::Report;
use crate::finding::{Finding, Severity, Standing};

/// From which severity on findings fail a run; none for never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(pub Option<Severity>);

impl FromStr for Threshold {
    type Err = String;

    /// Reads `never` or the word of a severity; the error is a sentence.
    fn from_str(word: &str) -> Result<Self, String> {
        match Severity::named(word) {
            None if word != "never" => Err(format!("expected one of never, info, warning, error, fatal, got {word:?}")),
            severity => Ok(Self(severity)),
        }
    }
}

/// What fails a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Findings at least this bad fail; none fails when absent.
    pub fail_on: Option<Severity>,
    /// Findings in the baseline never fail.
    pub only_new: bool,
    /// More findings than this fail together, informational ones not counted.
    pub max_findings: Option<u64>,
}

impl Default for Gate {
    fn default() -> Self {
        Self { fail_on: Some(Severity::Error), only_new: false, max_findings: None }
    }
}

impl Gate {
    /// Whether this finding fails the run.
    #[must_use]
    pub fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|least| finding.severity >= least) && self.counts(finding)
    }

    /// Whether neither a finding of these reports nor their number fails the run.
    #[must_use]
    pub fn passes(&self, reports: &[Report]) -> bool {
        let findings = || reports.iter().flat_map(|r| &r.findings);
        let many = || findings().filter(|f| f.severity > Severity::Info && self.counts(f)).count() as u64;
        !findings().any(|f| self.fails(f)) && self.max_findings.is_none_or(|most| many() <= most)
    }

    fn counts(&self, finding: &Finding) -> bool {
        !(self.only_new && finding.standing == Some(Standing::Known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Repairability, Stage};
    use crate::rule::{Family, Rule};

    static RULE: Rule = Rule {
        code: "SL102",
        name: "",
        slug: "",
        family: Family::ToolPairing1,
        severity: Severity::Warning,
        repairability: Repairability::Manual,
        texts: &[],
        doc: "",
    };

    #[test]
    fn severity_and_standing_decide() {
        let finding = |severity, standing| Finding { severity, standing, ..Finding::new(&RULE, Stage::Checking) };
        for (fail_on, only_new, severity, standing, fails) in [
            (Some(Severity::Error), false, Severity::Error, None, true),
            (Some(Severity::Error), false, Severity::Fatal, Some(Standing::Known), true),
            (Some(Severity::Error), true, Severity::Fatal, Some(Standing::Known), false),
            (Some(Severity::Error), true, Severity::Error, Some(Standing::New), true),
            (Some(Severity::Error), false, Severity::Warning, None, false),
            (Some(Severity::Info), false, Severity::Info, None, true),
            (None, false, Severity::Fatal, None, false),
        ] {
            assert_eq!(Gate { fail_on, only_new, max_findings: None }.fails(&finding(severity, standing)), fails);
        }
    }
    #[test]
    fn thresholds_read_back() {
        assert_eq!("never".parse(), Ok(Threshold(None)));
        assert_eq!("fatal".parse(), Ok(Threshold(Some(Severity::Fatal))));
        assert!("Fatal".parse::<Threshold>().is_err_and(|e| e.contains("never, info")));
    }
}
