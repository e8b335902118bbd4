//! The picture of a session: its records from top to bottom in the colour of their kind, branches side by side, causes
//! and consequences marked at the edge. Long sessions share cells, so that the picture has a bounded size.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::anchor;
use crate::emit::escape::markup;
use crate::emit::fold::{Row, fold};
use crate::emit::wording;
use crate::finding::{Finding, Location, Severity};
use crate::model::outline::{Beat, Outline};
use crate::report::Report;

/// Most curves drawn from a cause to what it leads to.
const CURVES_LIMIT: usize = 60;
/// Height of the picture; cells are as high as fits.
const HEIGHT: u64 = 1_000;
/// Width of the column of records.
const WIDTH: u64 = 36;
/// Width of the marks beside it; curves bulge beyond them.
const MARK: u64 = 14;

/// What is drawn in one cell.
struct Mark<'a> {
    severity: Severity,
    cause: bool,
    first: &'a Finding,
    more: usize,
    /// Index of the first finding here, or led here, that the page shows in full.
    target: Option<usize>,
}

/// The picture, or nothing for a file without places.
pub(super) fn draw(index: usize, report: &Report) -> String {
    let all: Vec<(usize, &Finding, bool)> = (0..)
        .zip(&report.findings)
        .flat_map(|(i, f)| std::iter::once((i, f, true)).chain(f.consequences.iter().map(move |c| (i, c, false))))
        .collect();
    let last = all.iter().filter_map(|(_, f, _)| position(&f.location)).max().unwrap_or(0);
    let bare = Outline::new(last.max(report.records as u64));
    let outline = report.outline.as_ref().unwrap_or(&bare);
    let (total, cells) = (outline.positions, outline.cells.len() as u64);
    if total == 0 {
        return "<div></div>".into();
    }
    let cell = |location: &Location| position(location).map(|p| outline.cell(p) as u64);
    let shown = shown(report);
    let mut marks: BTreeMap<u64, Mark<'_>> = BTreeMap::new();
    for (number, finding, cause) in all {
        let Some(at) = cell(&finding.location) else { continue };
        let target = shown.contains(&number).then_some(number);
        let new = Mark { severity: finding.severity, cause, first: finding, more: 0, target };
        marks
            .entry(at)
            .and_modify(|mark| {
                (mark.cause, mark.severity) = (mark.cause, mark.severity).max((cause, finding.severity));
                mark.more += 1;
                mark.target = mark.target.or(target);
            })
            .or_insert(new);
    }
    let mut svg = format!(
        "<svg class=\"strip\" viewBox=\"0 0 {} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{} in order, broken places marked\">\n<rect class=\"records\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n",
        WIDTH + 2 * MARK,
        wording::count(report.records, "record"),
    );
    svg.push_str(&records(outline));
    if cells == total {
        let lines: String = (1..cells).map(|n| format!("M0 {}H{WIDTH}", n * HEIGHT / cells)).collect();
        let _ = writeln!(svg, "<path class=\"between\" d=\"{lines}\"/>");
    }
    let middle = |at: u64| (2 * at + 1) * HEIGHT / (2 * cells);
    let mut curves = BTreeSet::new();
    for finding in &report.findings {
        let to = finding.consequences.iter().filter_map(|c| cell(&c.location));
        curves.extend(to.filter_map(|to| cell(&finding.location).map(|from| (from, to))).filter(|(a, b)| a != b));
    }
    for (from, to) in curves.iter().map(|&(from, to)| (middle(from), middle(to))).take(CURVES_LIMIT) {
        let (edge, bulge) = (WIDTH + MARK, WIDTH + 2 * MARK);
        let _ = writeln!(svg, "<path class=\"leads\" d=\"M{edge} {from}C{bulge} {from} {bulge} {to} {edge} {to}\"/>");
    }
    for (at, mark) in &marks {
        svg.push_str(&cell_text(index, *at, cells, mark));
    }
    format!("<div class=\"drawn\">\n{svg}</svg>\n{}</div>", legend(outline))
}

/// Each record in the colour of its kind, each branch in a column of its own; one path for each kind.
fn records(outline: &Outline) -> String {
    let lanes = outline.cells.iter().map(|cell| u64::from(cell.lane) + 1).max().unwrap_or(1);
    let (cells, width) = (outline.cells.len() as u64, WIDTH / lanes);
    let mut svg = String::new();
    for (beat, ..) in Beat::ALL {
        let mut path = String::new();
        for (at, cell) in (0..).zip(&outline.cells).filter(|(_, cell)| beat != Beat::Gap && cell.beat == beat) {
            let (top, bottom) = (at * HEIGHT / cells, (at + 1) * HEIGHT / cells);
            let _ = write!(path, "M{} {top}h{width}v{}h-{width}z", u64::from(cell.lane) * width, bottom - top);
        }
        if !path.is_empty() {
            let _ = writeln!(svg, "<path class=\"beat-{}\" d=\"{path}\"/>", beat.letter());
        }
    }
    svg
}

/// What the colours of records mean, those that occur.
fn legend(outline: &Outline) -> String {
    let entry = |(beat, letter, name): &(Beat, char, &str)| {
        let occurs = *beat != Beat::Gap && outline.cells.iter().any(|cell| cell.beat == *beat);
        occurs.then(|| format!("<li class=\"beat-{letter}\">{name}</li>"))
    };
    let entries: String = Beat::ALL.iter().rev().filter_map(entry).collect();
    if entries.is_empty() { String::new() } else { format!("<ul class=\"legend\">{entries}</ul>\n") }
}

fn cell_text(index: usize, at: u64, cells: u64, mark: &Mark<'_>) -> String {
    let rect = format!(
        "<rect class=\"{}{}\" x=\"{WIDTH}\" y=\"{}\" width=\"{MARK}\" height=\"{}\"><title>{}{}</title></rect>",
        mark.severity.as_str(),
        if mark.cause { "" } else { " led" },
        at * HEIGHT / cells,
        (HEIGHT / cells).max(4),
        markup(&wording::consequence(mark.first)),
        if mark.more > 0 { format!(" and {} more", mark.more) } else { String::new() },
    );
    match mark.target {
        Some(number) => format!("<a href=\"#{}\">{rect}</a>\n", anchor(index, number)),
        None => rect + "\n",
    }
}

/// Indexes of the findings that the page shows in full.
fn shown(report: &Report) -> BTreeSet<usize> {
    let full = |row| if let Row::One(number, _) = row { Some(number) } else { None };
    fold(&report.findings).into_iter().filter_map(full).collect()
}

/// Place in the session, from 1.
fn position(location: &Location) -> Option<u64> {
    location.item.or(location.line)
}
