//! Shows a repair to people before it is made: a table of lines and a unified diff. Without content unless asked for.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::batch::{Batch, Outcome};
use super::manifest::LineEdit;
use super::plan::Step;
use super::prepare::Prepared;
use super::refusal::Refusal;
use super::script::{Bytes, Piece};
use crate::emit::escape::inert;
use crate::finding::fingerprint::hex;
use crate::rule;

/// Lines of a diff that are written out at most this long.
const SHOWN: usize = 2000;

/// A row for each edit: line, what happens, which step asks for it.
///
/// # Errors
/// Whatever writing raises.
pub fn table(prepared: &Prepared, out: &mut dyn Write) -> io::Result<()> {
    let steps: BTreeMap<u32, &Step> = prepared.plan().steps.iter().map(|s| (s.seq, s)).collect();
    let rows = |out: &mut dyn Write, place: u64, change: &str, seqs: &[u32], what: String| {
        let (mut place, mut change) = (place.to_string(), change);
        for step in seqs.iter().filter_map(|seq| steps.get(seq)) {
            writeln!(out, "{place:>8}  {change:<7} {:<33} {}", step.recipe, why(step))?;
            (place, change) = (String::new(), "");
        }
        writeln!(out, "{place:>8}  {change:<7} {what}")
    };
    if prepared.edits().is_empty() {
        writeln!(out, "No line changes.")?;
    } else {
        writeln!(out, "{:>8}  {:<7} {:<33} WHY", "LINE", "CHANGE", "RECIPE")?;
    }
    for edit in prepared.edits() {
        rows(out, edit.line, edit.kind(), &edit.steps, what(edit))?;
    }
    if !prepared.frames().is_empty() {
        writeln!(out, "{:>8}  {:<7} {:<33} WHY", "FRAME", "CHANGE", "RECIPE")?;
    }
    for frame in prepared.frames() {
        let (gone, put) = (frame.source.end - frame.source.start, frame.with.len());
        let what = if put == 0 { format!("- {gone} bytes") } else { format!("- {gone} bytes, + {put} bytes") };
        rows(out, frame.frame, frame.kind(), &frame.steps, what)?;
    }
    Ok(())
}

/// The finding a step answers and what it gives up.
fn why(step: &Step) -> String {
    let name = rule::find(step.code).map_or("", |rule| rule.name);
    let loss: String = step.loss.iter().map(|(class, n)| format!("; gives up {class}: {n}")).collect();
    format!("{} {name} ({}){loss}", step.code, step.finding)
}

/// What an edit does, in bytes and ids.
fn what(edit: &LineEdit) -> String {
    let gone = edit.edit.source.end - edit.edit.source.start;
    let put: Vec<String> = edit
        .edit
        .with
        .iter()
        .map(|piece| match piece {
            Piece::Source { range, .. } => format!("bytes {}-{} moved here", range.start, range.end),
            Piece::Text(text) if text == b"\n" => "a line end".to_owned(),
            Piece::Text(text) => inert(&String::from_utf8_lossy(text)).to_string(),
        })
        .collect();
    match (gone, put.is_empty()) {
        (0, _) => format!("+ {}", put.join(" ")),
        (_, true) => format!("- {gone} bytes"),
        _ => format!("- {gone} bytes, + {}", put.join(" ")),
    }
}

/// A unified diff of the lines that change, without context.
///
/// # Errors
/// Whatever reading the source or writing raises.
pub fn diff(prepared: &Prepared, include_content: bool, out: &mut dyn Write) -> io::Result<()> {
    let source = prepared.text();
    let name = inert(prepared.source().name());
    writeln!(out, "--- a/{name}\n+++ b/{name}")?;
    let mut shift: i64 = 0;
    for hunk in hunks(prepared)? {
        let old = source.bytes(hunk.range.clone())?;
        let new = apply(source, &old, &hunk)?;
        let (before, after) = (split(&old), split(&new));
        let start = i64::try_from(hunk.line).unwrap_or(i64::MAX);
        let at = |line: i64, count: usize| if count == 0 { line - 1 } else { line };
        writeln!(
            out,
            "@@ -{},{} +{},{} @@ {}",
            at(start, before.len()),
            before.len(),
            at(start + shift, after.len()),
            after.len(),
            hunk.why
        )?;
        for (sign, lines) in [('-', &before), ('+', &after)] {
            for line in lines {
                writeln!(out, "{sign}{}", shown(line, include_content))?;
            }
        }
        shift += after.len() as i64 - before.len() as i64;
    }
    Ok(())
}

/// Whole lines of the source that change together.
struct Hunk<'a> {
    range: Range<u64>,
    line: u64,
    edits: Vec<&'a LineEdit>,
    why: String,
}

fn hunks(prepared: &Prepared) -> io::Result<Vec<Hunk<'_>>> {
    let source = prepared.text();
    let names: BTreeMap<u32, &str> = prepared.plan().steps.iter().map(|s| (s.seq, s.recipe.as_str())).collect();
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    for edit in prepared.edits() {
        let (from, to) = (edit.edit.source.start, edit.edit.source.end);
        let why = || edit.steps.iter().filter_map(|s| names.get(s).copied()).collect::<Vec<_>>().join(", ");
        if let Some(last) = hunks.last_mut().filter(|h| from < h.range.end) {
            last.range.end = last.range.end.max(line_end(source, to)?);
            last.edits.push(edit);
            continue;
        }
        let start = line_start(source, from)?;
        let end = if to > from || from > start { line_end(source, to)? } else { from };
        hunks.push(Hunk { range: start..end, line: edit.line, edits: vec![edit], why: why() });
    }
    Ok(hunks)
}

fn apply(source: &dyn Bytes, old: &[u8], hunk: &Hunk<'_>) -> io::Result<Vec<u8>> {
    let mut new = Vec::with_capacity(old.len());
    let mut at = hunk.range.start;
    let part = |from: u64, to: u64| &old[(from - hunk.range.start) as usize..(to - hunk.range.start) as usize];
    for edit in &hunk.edits {
        new.extend_from_slice(part(at, edit.edit.source.start));
        for piece in &edit.edit.with {
            match piece {
                Piece::Text(text) => new.extend_from_slice(text),
                Piece::Source { range, .. } => new.extend(source.bytes(range.clone())?),
            }
        }
        at = edit.edit.source.end;
    }
    new.extend_from_slice(part(at, hunk.range.end));
    Ok(new)
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    if lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    lines
}

fn shown(line: &[u8], include_content: bool) -> String {
    if include_content {
        let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
        return inert(&text).to_string() + if line.len() > SHOWN { "…" } else { "" };
    }
    format!("<{} bytes, sha256 {}>", line.len(), hex(&Sha256::digest(line)[..8]))
}

/// Offset of the first byte of the line that holds an offset.
fn line_start(source: &dyn Bytes, at: u64) -> io::Result<u64> {
    let mut end = at;
    while end > 0 {
        let start = end.saturating_sub(4096);
        if let Some(found) = memchr::memrchr(b'\n', &source.bytes(start..end)?) {
            return Ok(start + found as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Offset behind the line end at or behind the last byte before an offset.
fn line_end(source: &dyn Bytes, at: u64) -> io::Result<u64> {
    if at > 0 && source.bytes(at - 1..at)? == b"\n" {
        return Ok(at);
    }
    let mut start = at;
    while start < source.len() {
        let end = (start + 4096).min(source.len());
        if let Some(found) = memchr::memchr(b'\n', &source.bytes(start..end)?) {
            return Ok(start + found as u64 + 1);
        }
        start = end;
    }
    Ok(source.len())
}

/// A refusal with everything that stands in the way.
///
/// # Errors
/// Whatever writing raises.
pub fn refusal(refusal: &Refusal, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Repair refused [{}]: {}", refusal.code.as_str(), inert(&refusal.message))?;
    for blocking in &refusal.blocking {
        let line = blocking.line.map_or_else(String::new, |line| format!(" line {line}"));
        writeln!(out, "  [{}] {}{line}: {}", blocking.code, blocking.severity.as_str(), blocking.what)?;
        writeln!(out, "      why: {} ({})", blocking.reason, blocking.fingerprint)?;
        writeln!(out, "      next: {}", blocking.unblock())?;
    }
    Ok(())
}

/// What a receipt gives up, each class once: ` (guessed-parent: 2)`, or nothing.
fn losses(receipt: &Value) -> String {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    let stated = receipt["declared_loss"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for (class, count) in stated.filter_map(|loss| loss.split_once(':')) {
        *classes.entry(class).or_default() += count.trim().parse().unwrap_or(1);
    }
    let rows: Vec<String> = classes.iter().map(|(class, count)| format!("{class}: {count}")).collect();
    if rows.is_empty() { String::new() } else { format!(" ({})", rows.join(", ")) }
}

/// A batch: what became of every file that was repaired or not, then the totals. Refusals go to `err`.
///
/// # Errors
/// Whatever writing raises.
pub fn batch(batch: &Batch, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<()> {
    for row in &batch.rows {
        let path = inert(&row.path);
        match &row.outcome {
            Outcome::Repaired { receipt } => {
                let assurance = receipt["assurance"].as_str().unwrap_or("");
                let loss = losses(receipt);
                writeln!(out, "[{assurance}] {path}{loss}")?;
            }
            Outcome::Refused(refused) => {
                writeln!(out, "[refused] {path}")?;
                writeln!(err, "{path}:")?;
                refusal(refused, err)?;
            }
            Outcome::Failed(why) => writeln!(out, "[failed] {path}: {}", inert(why))?,
            Outcome::Healthy | Outcome::Skipped(_) => {}
        }
    }
    let totals: Vec<String> = ["repaired", "healthy", "refused", "skipped", "failed"]
        .iter()
        .map(|word| format!("{word} {}", batch.count(word)))
        .collect();
    writeln!(out, "{} of {} files: {}", batch.count("repaired"), batch.rows.len(), totals.join(", "))
}

#[cfg(test)]
mod tests {
    use super::losses;

    #[test]
    fn a_class_that_several_steps_give_up_is_named_once() {
        let receipt = serde_json::json!({"declared_loss": ["guessed-parent:1", "guessed-parent:2", "orphan-result:1"]});
        assert_eq!(losses(&receipt), " (guessed-parent: 3, orphan-result: 1)");
        assert_eq!(losses(&serde_json::json!({"declared_loss": []})), "");
    }
}
