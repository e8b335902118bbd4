//! One call for programs that are about to resume a session: never fails, says yes or no and why.

use std::path::Path;

use crate::check::compatibility::is_about_format;
use crate::inspect::{CheckError, Options, check_path};
use crate::report::Report;

/// The answer.
#[derive(Clone, Debug)]
pub struct Precheck {
    /// Whether the session may be resumed.
    pub ok: bool,
    /// `clean`, `findings-warning`, `findings-error`, `detection-failed`, `usage-error` or `io-error`. Detection failed when
    /// the format, its version or a type that must be understood is not known; a record that a known loader cannot use is
    /// a finding like any other.
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
    let (ok, reason) = if report.findings.iter().any(is_about_format) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection_fails_only_where_something_is_not_known() {
        let header = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/p"}}"#;
        let dropped = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user"}}"#;
        let critical =
            r#"{"type":"user","uuid":"u","sessionId":"s","parentUuid":null,"message":{"role":"user","content":"x"},"#;
        let critical = critical.to_owned() + r#""critical_order":1}"#;
        for (text, expected) in [
            (format!("{header}\n"), "clean"),
            (format!("{header}\n{dropped}\n"), "findings-error"),
            (format!("{critical}\n"), "detection-failed"),
            ("words\n".to_owned(), "detection-failed"),
        ] {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &text).unwrap();
            let answer = precheck(file.path(), &Options::default());
            assert_eq!(answer.reason, expected, "{text}");
            assert_eq!(answer.ok, answer.exit_code == 0);
        }
    }
}
