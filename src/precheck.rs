//! One call for programs that are about to resume a session: never fails, says yes or no and why.

use std::path::Path;

use crate::finding::Severity;
use crate::inspect::{CheckError, Options, check_path};
use crate::report::Report;

/// The answer.
#[derive(Clone, Debug)]
pub struct Precheck {
    /// Whether the session may be resumed.
    pub ok: bool,
    /// `clean`, `findings-warning`, `findings-error`, `detection-failed`, `usage-error` or `io-error`.
    pub reason: &'static str,
    /// What a command line would exit with.
    pub exit_code: u8,
    /// The report, when there is one.
    pub report: Option<Report>,
}

/// Checks one file and never fails: whatever goes wrong is a reason.
///
/// ```
/// let answer = sesslint::precheck("fixtures/examples/claude-code-healthy.jsonl".as_ref(), &Default::default());
/// assert!(answer.ok);
/// assert_eq!((answer.reason, answer.exit_code), ("clean", 0));
///
/// let answer = sesslint::precheck("no-such-file.jsonl".as_ref(), &Default::default());
/// assert_eq!((answer.ok, answer.reason, answer.exit_code), (false, "io-error", 2));
/// ```
#[must_use]
pub fn precheck(path: &Path, options: &Options) -> Precheck {
    let report = match check_path(path, options) {
        Ok(report) => report,
        Err(CheckError::NotAdmitted { .. }) => {
            return Precheck { ok: false, reason: "usage-error", exit_code: 2, report: None };
        }
        Err(_) => return Precheck { ok: false, reason: "io-error", exit_code: 2, report: None },
    };
    let undetected =
        |f: &crate::finding::Finding| matches!(f.code(), "SL301" | "SL302") && f.severity >= Severity::Error;
    let (ok, reason) = if report.findings.iter().any(undetected) {
        (false, "detection-failed")
    } else if report.counts.failing() > 0 {
        (false, "findings-error")
    } else if report.counts.warning > 0 {
        (true, "findings-warning")
    } else {
        (true, "clean")
    };
    Precheck { ok, reason, exit_code: u8::from(!ok), report: Some(report) }
}
