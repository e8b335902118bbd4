//! Runs a text through a format and all checks, for table tests of adapters.

use std::io::Cursor;

use super::Format;
use super::detect::Sample;
use crate::check::{self, testing::outline};
use crate::model::Session;
use crate::reader::builder::FileRecall;
use crate::reader::{self, Builder};
use crate::rule::profile::NEUTRAL;

/// Session and findings, one line each, by place.
pub(super) fn read(format: &'static Format, text: &[u8]) -> (Session, Vec<String>) {
    let mut builder = Builder::new(format);
    let source = reader::read(Cursor::new(text), format, "log.jsonl", &mut builder).unwrap();
    let (session, mut findings) = builder.finish(&source);
    let recall = FileRecall::new(Cursor::new(text), format, "log.jsonl");
    findings.extend(check::run(&session, &recall, &NEUTRAL, "log.jsonl"));
    findings.sort_by_key(|finding| (finding.location.byte_start, finding.code()));
    (session, findings.iter().map(outline).collect())
}

/// Runs rows of title, lines, findings.
pub(super) fn judge(format: &'static Format, rows: &[(&str, &[&str], &[&str])]) {
    for (title, lines, expected) in rows {
        let mut text = lines.join("\n");
        text.push('\n');
        assert_eq!(read(format, text.as_bytes()).1, *expected, "{title}");
    }
}

/// How sure a format is about a text.
pub(super) fn score(format: &'static Format, text: &str) -> f64 {
    (format.score)(&Sample::read(text.as_bytes()).unwrap())
}
