//! `validate-session`: verdict and code.

use sesslint::validate::{self, ValidateError};

use crate::recordings::steps;

/// Files that are judged differently, and why.
const DIFFERENCES: &[(&str, &str)] =
    &[("ls.jsonl", "a line separator inside a string is text, not a line end"), ("nan.jsonl", "NaN is no JSON")];

#[test]
fn verdicts_are_those_of_the_reference() {
    let steps = steps(&["ingest", "checks"], "validate-session");
    for step in &steps {
        let stderr = step.recorded["stderr"].as_str().unwrap_or_default();
        let recorded = stderr.strip_prefix("Validation error [").and_then(|rest| rest.split(']').next());
        let expected = match step.recorded["exit"].as_i64() {
            Some(0) => step.recorded["stdout"].as_str().unwrap_or_default().trim().to_owned(),
            Some(1) => recorded.expect("a code").to_owned(),
            _ => continue,
        };
        let file = step.folder.join(&step.args[1]);
        if !file.is_file() {
            // It would have to be made first.
            continue;
        }
        let found = match validate::session(&file) {
            Ok(valid) => format!("Valid session: {} ({} events)", valid.id, valid.events),
            Err(ValidateError::Invalid(invalid)) => invalid.code.to_owned(),
            Err(error) => panic!("{}: {error}", step.case),
        };
        let differs = DIFFERENCES.iter().any(|d| d.0 == step.args[1]);
        assert_eq!(found != expected, differs, "{} {}: {expected} / {found}", step.case, step.args[1]);
    }
}
