//! The gate: which findings fail a run. The same for the exit code and for every format that states failures.

use super::Report;
use crate::finding::{Finding, Severity, Standing};

/// What fails a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Findings at least this bad fail; none fails when absent.
    pub fail_on: Option<Severity>,
    /// Findings in the baseline never fail.
    pub only_new: bool,
}

impl Default for Gate {
    fn default() -> Self {
        Self { fail_on: Some(Severity::Error), only_new: false }
    }
}

impl Gate {
    /// Whether this finding fails the run.
    #[must_use]
    pub fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|least| finding.severity >= least)
            && !(self.only_new && finding.standing == Some(Standing::Known))
    }

    /// Whether no finding of these reports fails the run.
    #[must_use]
    pub fn passes(&self, reports: &[Report]) -> bool {
        !reports.iter().flat_map(|r| &r.findings).any(|f| self.fails(f))
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
            assert_eq!(Gate { fail_on, only_new }.fails(&finding(severity, standing)), fails);
        }
    }
}
