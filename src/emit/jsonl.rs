//! JSON Lines for programs that read one line at a time (`schemas/report-line.v1.schema.json`).
//!
//! Each file has a line of `kind` `file` (path, format, verdict, assurance, counts), then one line of `kind` `finding`
//! for each finding: the path, and the members a finding has in the report document.

use std::io::{self, Write};

use serde_json::json;

use super::{Options, ascii, json};
use crate::report::Report;

/// The lines of all reports, in order. No files, no lines.
pub(super) fn write(reports: &[Report], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        let file = json!({
            "schema_version": "sesslint.report-line/v1",
            "kind": "file",
            "path": report.path,
            "format": report.format,
            "source_fingerprint": report.source_fingerprint,
            "verdict": report.verdict().as_str(),
            "assurance": report.assurance.as_str(),
            "fatal": report.counts.fatal,
            "error": report.counts.error,
            "warning": report.counts.warning,
            "info": report.counts.info,
        });
        ascii::write_line(&file, out)?;
        for (finding, ordinal) in report.findings.iter().zip(1..) {
            let mut line = json::finding(finding, report, Some(ordinal), options);
            line["schema_version"] = "sesslint.report-line/v1".into();
            line["kind"] = "finding".into();
            line["path"] = report.path.clone().into();
            ascii::write_line(&line, out)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::emit::{Format, samples};

    #[test]
    fn each_line_stands_alone() {
        let text = samples::text(Format::Jsonl, &samples::all());
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let of = |kind: &str| lines.iter().filter(|l| l["kind"] == kind).count();
        assert_eq!((of("file"), of("finding")), (6, 7 + 1 + 3 + 10_000));
        assert!(lines.iter().all(|l| l["path"].is_string() && l["schema_version"] == "sesslint.report-line/v1"));
        assert_eq!(samples::text(Format::Jsonl, &[]), "");
    }

    #[test]
    fn lines_of_a_hostile_file() {
        insta::assert_snapshot!("jsonl", samples::text(Format::Jsonl, &[samples::hostile(), samples::empty()]));
    }
}
