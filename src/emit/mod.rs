//! Emitters: reports in, bytes out, one file per format.
//!
//! An emitter computes nothing about a session: it prints what a report holds, in the order given. It decides only what
//! a surface forces on it: escaping, and which findings to leave out where a service has a limit, saying so.

pub mod escape;

pub mod ascii;
mod chart;
mod fold;
mod github;
mod gitlab;
mod html;
mod human;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod rank;
mod sarif;
mod scan;
mod wording;

#[cfg(test)]
pub(crate) mod samples;

use std::io;
use std::str::FromStr;

use crate::report::Report;

use crate::report::gate::Gate;
pub use scan::write_scan;
pub use wording::count;

/// What a run can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Text for a terminal or a log.
    Human,
    /// The report document, `sesslint.report/v1`.
    Json,
    /// One line a file and a finding, `sesslint.report-line/v1`.
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// GitHub-flavoured Markdown, for job summaries and comments.
    Markdown,
    /// Workflow commands, which a runner turns into annotations.
    Github,
    /// The Code Quality report of GitLab.
    Gitlab,
    /// JUnit XML, which most CI systems show.
    Junit,
    /// One page that needs nothing else.
    Html,
}

impl Format {
    /// All formats, in the order of the help text.
    pub const ALL: [Self; 9] = [
        Self::Human,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Markdown,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Html,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Markdown => "markdown",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Html => "html",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    /// The format with this name; the error is a sentence that lists the names.
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|f| f.as_str() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|f| f.as_str()).collect();
            format!("unknown output format `{}`: one of {}", escape::visible(name), names.join(", "))
        })
    }
}

/// How many annotations may be written: what a runner shows of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// For fatal findings and errors together.
    pub errors: usize,
    /// For warnings.
    pub warnings: usize,
    /// For informations, and for the note on what was left out.
    pub notices: usize,
}

/// What emitters need and reports do not hold.
#[derive(Clone, Debug)]
pub struct Options {
    /// Version of the program that speaks.
    pub tool_version: &'static str,
    /// ANSI colours in human text.
    pub colour: bool,
    /// Messages and record ids in JSON, nothing shortened.
    pub include_content: bool,
    /// The budget of workflow commands.
    pub annotations: Annotations,
    /// Bytes a Markdown document may have. A service that gets more shows nothing at all.
    pub markdown_limit: usize,
    /// Bytes that stand in the summary file already; they count against the limit.
    pub markdown_used: usize,
    /// Tells SARIF uploads of one commit apart.
    pub category: Option<String>,
    /// What counts as a failure where a format states failures.
    pub gate: Gate,
    /// Whether the gate may be believed: not when nothing was looked at, or not everything.
    pub decided: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tool_version: env!("CARGO_PKG_VERSION"),
            colour: false,
            include_content: false,
            annotations: Annotations { errors: 10, warnings: 10, notices: 10 },
            markdown_limit: 900 * 1024,
            markdown_used: 0,
            category: None,
            gate: Gate::default(),
            decided: true,
        }
    }
}

/// Writes the reports, in the order given.
///
/// # Errors
/// Only those of `out`.
pub fn write(format: Format, reports: &[Report], options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Human => human::write(reports, options, out),
        Format::Json => json::write(reports, options, out),
        Format::Jsonl => jsonl::write(reports, options, out),
        Format::Sarif => sarif::write(crate::rule::RULES, reports, options, out),
        Format::Markdown => markdown::write(reports, options, out),
        Format::Github => github::write(reports, options, out),
        Format::Gitlab => gitlab::write(reports, out),
        Format::Junit => junit::write(reports, options, out),
        Format::Html => html::write(reports, options, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in Format::ALL {
            assert_eq!(format.as_str().parse(), Ok(format));
        }
        assert!("xml".parse::<Format>().is_err_and(|e| e.contains("human, json")));
    }
}
