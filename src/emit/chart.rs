//! A Mermaid chart of the broken neighbourhood of one file: the records beside its causes, and what they lead to. It is
//! made of numbers and rule names only, so that nothing from an input can reach the chart language.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{rank, wording};
use crate::finding::{Finding, Location, Severity};
use crate::model::outline::Near;
use crate::report::Report;

/// Most causes drawn.
const CAUSES_LIMIT: usize = 6;

/// The chart's source, or nothing when there is no more to draw than the findings themselves.
pub(super) fn draw(report: &Report) -> Option<String> {
    let near = report.outline.as_ref().map_or(&[][..], |outline| &outline.near);
    let worth = |f: &&Finding| !f.consequences.is_empty() || (!near.is_empty() && f.severity > Severity::Info);
    let placed = report.findings.iter().filter(|f| position(&f.location).is_some());
    let mut causes: Vec<&Finding> = placed.filter(worth).collect();
    // Causes of something first: that is what a list cannot show.
    causes.sort_by_key(|f| (f.consequences.is_empty(), rank::urgency(f)));
    causes.truncate(CAUSES_LIMIT);
    let mut places: BTreeMap<u64, Vec<&Finding>> = BTreeMap::new();
    for cause in causes {
        places.entry(position(&cause.location)?).or_default().push(cause);
    }
    let shown: Vec<&Near> = near.iter().filter(|n| beside(near, n, &places)).collect();
    let mut text = String::from("flowchart LR\n");
    for place in shown.iter().filter(|n| !places.contains_key(&n.position)) {
        let item = places.values().flatten().any(|f| f.location.item.is_some());
        let word = if item { "item" } else { "line" };
        let _ = writeln!(text, "  n{}[\"{word} {}<br>{}\"]", place.position, place.position, place.beat.name());
    }
    for (position, findings) in &places {
        let names: Vec<String> = findings.iter().map(|f| format!("{} {}", f.code(), f.rule.name)).collect();
        let _ = writeln!(
            text,
            "  n{position}[\"{}<br>{}\"]:::broken",
            wording::spot(&findings[0].location),
            names.join("<br>")
        );
    }
    for pair in shown.windows(2) {
        let arrow = if pair[1].place - pair[0].place <= 2 { "-->" } else { "-.-" };
        let _ = writeln!(text, "  n{} {arrow} n{}", pair[0].position, pair[1].position);
    }
    for (position, findings) in &places {
        let leads = findings.iter().flat_map(|f| wording::consequences(f));
        for (consequence, leaf) in leads.zip(1..) {
            let _ = writeln!(text, "  n{position} ==> n{position}_{leaf}[\"{consequence}\"]");
        }
    }
    text.push_str("  classDef broken fill:#ffebe9,stroke:#cf222e,color:#1f2328\n");
    ["-->", "==>"].iter().any(|arrow| text.contains(arrow)).then_some(text)
}

/// Whether a record is a drawn cause, or stands next to one.
fn beside(near: &[Near], one: &Near, places: &BTreeMap<u64, Vec<&Finding>>) -> bool {
    near.iter().any(|other| places.contains_key(&other.position) && one.place.abs_diff(other.place) <= 2)
}

fn position(location: &Location) -> Option<u64> {
    location.item.or(location.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::samples;
    use crate::model::outline::{Beat, Outline};

    #[test]
    fn causes_point_to_consequences() {
        insta::assert_snapshot!(draw(&samples::broken()).unwrap_or_default());
        assert_eq!(draw(&samples::clean()), None);
        assert_eq!(draw(&samples::many(9)), None);
    }

    #[test]
    fn records_beside_a_cause_are_drawn_in_order() {
        let mut report = samples::broken();
        report.findings.truncate(1);
        let near = [(2, 3, Beat::Call), (3, 4, Beat::Gap), (4, 5, Beat::Model), (9, 15, Beat::Prompt)];
        let near = near.map(|(position, place, beat)| Near { position, place, beat });
        report.outline = Some(Outline { near: near.to_vec(), ..Outline::new(42) });
        insta::assert_snapshot!(draw(&report).unwrap_or_default());
    }
}
