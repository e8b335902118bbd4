//! Digest reports for people. One screen: what the copies are to each other, which one to keep, and why.

use std::io::{self, Write};

use super::entries::Place;
use super::relation::Relationship;
use super::report::{Pair, Side, Single, UNREADABLE};

/// Ids listed of each kind; documents list all.
const LISTED: usize = 5;

pub(super) fn single(report: &Single, out: &mut dyn Write) -> io::Result<()> {
    for line in report.entry_digests.iter().flatten() {
        writeln!(out, "{} {} {}", line.index, line.id.as_deref().unwrap_or("-"), line.digest)?;
    }
    writeln!(out, "{}", digest(&report.a))?;
    writeln!(out, "{}", extent(&report.a))
}

pub(super) fn pair(report: &Pair, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", verdict(report))?;
    for (name, side) in [("A", &report.a), ("B", &report.b)] {
        writeln!(out, "{name}  {}: {}", side.path.as_deref().unwrap_or("digest"), extent(side))?;
        writeln!(out, "   {}", digest(side))?;
    }
    writeln!(out)?;
    advice(report, out)?;
    if [&report.a, &report.b].iter().any(|side| side.torn_tail == Some(true)) {
        writeln!(out, "what is torn was not compared")?;
    }
    if let Some(ids) = report.id_relationship {
        writeln!(out, "by ids alone: {}", ids.as_str())?;
    }
    if let Some(warning) = &report.warning {
        writeln!(out, "warning: {warning}")?;
    }
    differences(report, out)
}

fn digest(side: &Side) -> String {
    match (&side.digest, side.unreadable) {
        (Some(digest), _) => digest.clone(),
        (None, Some(place)) => format!("no digest: {} is no JSON value", self::place(place)),
        (None, None) => "no digest".to_owned(),
    }
}

fn place(place: Place) -> String {
    match place {
        Place::Line(number) => format!("line {number}"),
        Place::Item(number) => format!("item {number}"),
    }
}

fn extent(side: &Side) -> String {
    let entries = side.entries.map_or_else(|| "no log at hand".to_owned(), |n| count(n as usize, "entry", "entries"));
    let torn = if side.torn_tail == Some(true) { ", and a torn one at the end, left out" } else { "" };
    entries + torn
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn verdict(report: &Pair) -> String {
    let prefix = report.common_prefix.unwrap_or(0);
    let more = |side: &Side| count(side.entries.unwrap_or(0) as usize - prefix, "entry", "entries");
    let explained = match report.relationship {
        Relationship::Identical => "the same entries in the same order".to_owned(),
        Relationship::Ahead => format!("A holds all of B and {} more", more(&report.a)),
        Relationship::Behind => format!("B holds all of A and {} more", more(&report.b)),
        Relationship::Diverged if prefix == 0 => "no entry at the beginning is common to both".to_owned(),
        Relationship::Diverged => format!("{} in common, then they part", count(prefix, "entry", "entries")),
        Relationship::Different => "the digests differ; only the logs themselves can tell how".to_owned(),
        Relationship::NotComparable => match report.reason {
            Some(UNREADABLE) => format!("{UNREADABLE}, a log holds something that is no entry"),
            Some("absent") => "absent, no digest was given".to_owned(),
            Some("malformed") => "malformed, what was given is no digest string".to_owned(),
            Some("unknown-scheme") => "unknown-scheme, nobody here knows what that digest covers".to_owned(),
            Some("scheme-mismatch") => "scheme-mismatch, the two digests are of different schemes".to_owned(),
            other => other.unwrap_or_default().to_owned(),
        },
    };
    format!("{}: {explained}", report.relationship.as_str())
}

/// Which copy to keep, and what is lost with the other.
fn advice(report: &Pair, out: &mut dyn Write) -> io::Result<()> {
    match report.relationship {
        Relationship::Identical => writeln!(out, "keep either: no entry is lost"),
        Relationship::Ahead => writeln!(out, "keep A: nothing of B is lost (B can fast-forward to A)"),
        Relationship::Behind => writeln!(out, "keep B: nothing of A is lost (A can fast-forward to B)"),
        Relationship::Diverged => {
            let sides = [("A", "B", report.unmatched_b), ("B", "A", report.unmatched_a)];
            sides.into_iter().try_for_each(|(kept, other, unmatched)| match unmatched.unwrap_or(0) {
                0 => writeln!(out, "keep {kept}: no entry of {other} is lost, only its order"),
                n => writeln!(out, "keep {kept}: loses {} of {other}", count(n, "entry", "entries")),
            })
        }
        Relationship::Different | Relationship::NotComparable => {
            writeln!(out, "keep both until the logs themselves can be compared")
        }
    }
}

fn differences(report: &Pair, out: &mut dyn Write) -> io::Result<()> {
    let changed = report.changed.iter().flatten().map(|c| format!("{}  {}", c.id, c.fields.join(", ")));
    list(out, "same id, other content", changed.collect())?;
    for (title, ids) in [
        ("only in A", &report.only_a),
        ("only in B", &report.only_b),
        ("repeated in A", &report.duplicate_ids_a),
        ("repeated in B", &report.duplicate_ids_b),
    ] {
        list(out, title, ids.iter().flatten().cloned().collect())?;
    }
    if report.reordered == Some(true) {
        writeln!(out, "\nentries both hold come in another order")?;
    }
    Ok(())
}

fn list(out: &mut dyn Write, title: &str, lines: Vec<String>) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}: {}", lines.len())?;
    for line in lines.iter().take(LISTED) {
        writeln!(out, "  {line}")?;
    }
    match lines.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}
