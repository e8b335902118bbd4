//! A Mermaid chart of what leads to what in one file. It is made of numbers and rule names only, so that nothing from
//! an input can reach the chart language.

use std::fmt::Write as _;

use super::wording;
use crate::report::Report;

/// Most causes drawn.
const CAUSES_LIMIT: usize = 8;

/// The chart's source, or nothing when no finding leads to another.
pub(super) fn draw(report: &Report) -> Option<String> {
    let mut text = String::from("flowchart LR\n");
    let causes = report.findings.iter().filter(|f| !f.consequences.is_empty());
    for (cause, number) in causes.take(CAUSES_LIMIT).zip(1..) {
        let spot = wording::spot(&cause.location);
        let _ = writeln!(text, "  c{number}[\"{spot}<br>{} {}\"]", cause.code(), cause.rule.name);
        for (consequence, leaf) in wording::consequences(cause).iter().zip(1..) {
            let _ = writeln!(text, "  c{number} --> c{number}_{leaf}[\"{consequence}\"]");
        }
    }
    text.contains("-->").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::samples;

    #[test]
    fn causes_point_to_consequences() {
        insta::assert_snapshot!(draw(&samples::broken()).unwrap_or_default(), @r#"
        flowchart LR
          c1["line 3<br>SL004 Missing parent"]
          c1 --> c1_1["SL101 Orphan tool result, lines 4-11 (8 times)"]
        "#);
        assert_eq!(draw(&samples::clean()), None);
        assert_eq!(draw(&samples::many(9)), None);
    }
}
