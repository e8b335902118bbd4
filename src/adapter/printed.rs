//! Runs of printed streams: where one begins, whether it came to its end, what its last record was.
//!
//! Such a stream is evidence, not a state that anyone resumes: its end marker says whether the run was complete.

use super::{Fault, Record, Sink, notice};
use crate::finding::{Finding, Location, Severity};
use crate::model::session::Run;

/// The run that is being read.
#[derive(Debug, Default)]
pub(super) struct Runs {
    current: Option<Run>,
    /// Records that may stand before a header only, by their place in the file.
    headless: Option<Finding>,
    /// Number of runs so far, the current one included.
    pub number: u32,
}

impl Runs {
    /// A record belongs to the run, which it opens if there is none.
    pub(super) fn add(&mut self, record: &Record<'_>, last_type: &'static str) {
        if self.current.is_none() {
            self.number += 1;
        }
        let run = self.current.get_or_insert_with(|| Run {
            events: (0, 0),
            begun: false,
            ended: false,
            first: record.location,
            last: Location::default(),
            last_type,
        });
        (run.last, run.last_type) = (record.location, last_type);
    }

    /// The record just added is a header.
    pub(super) fn begin(&mut self) {
        if let Some(run) = &mut self.current {
            run.begun = true;
        }
    }

    /// The record just added is an end marker. False when the run had ended before.
    pub(super) fn end(&mut self) -> bool {
        self.current.as_mut().is_some_and(|run| !std::mem::replace(&mut run.ended, true))
    }

    /// The run goes on behind an end marker.
    pub(super) fn reopen(&mut self) {
        if let Some(run) = &mut self.current {
            run.ended = false;
        }
    }

    /// The record just added takes part in a run: its header must have come before.
    pub(super) fn needs_header(&mut self, record: &Record<'_>) {
        if !self.has_begun() && self.headless.is_none() {
            self.headless = Some(notice::field(record, "missing-beginning", Severity::Warning, "type"));
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.current.as_ref().is_some_and(|run| run.begun)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.current.as_ref().is_some_and(|run| run.ended)
    }

    /// The run is over, as far as it got.
    pub(super) fn close(&mut self, sink: &mut dyn Sink) {
        if let Some(finding) = self.headless.take() {
            sink.finding(finding);
        }
        if let Some(run) = self.current.take() {
            sink.run(run);
        }
    }
}

/// Lines that another program printed between the records: one finding for all of them.
#[derive(Debug, Default)]
pub(super) struct ForeignLines {
    first: Option<Finding>,
    count: u64,
}

impl ForeignLines {
    /// Whether a broken line is such a line; then it is counted.
    pub(super) fn take(&mut self, fault: &Fault, finding: &Finding) -> bool {
        let foreign = !fault.begins_record && fault.reason != "forbidden_nul_byte";
        if foreign {
            self.count += 1;
            self.first.get_or_insert_with(|| finding.clone());
        }
        foreign
    }

    /// Reports them.
    pub(super) fn report(&mut self, sink: &mut dyn Sink) {
        if let Some(mut finding) = self.first.take() {
            finding.variant = "foreign-lines";
            finding.severity = Severity::Warning;
            finding.record_id = None;
            finding.detail.insert("variant".into(), finding.variant.into());
            finding.detail.insert("count".into(), self.count.into());
            sink.finding(finding);
        }
    }
}
