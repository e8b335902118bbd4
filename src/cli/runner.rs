//! The runner of GitHub Actions as a run sees it: the files it reads afterwards, and the log it scans for commands.
//!
//! Nothing of it is needed: what is missing or cannot be written becomes a notice, and the run goes on.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::PathBuf;

use sesslint::emit::escape::{command_data, inert};
use sesslint::write;

use super::{env, tell_notices};

/// Which parts of a runner are there.
#[derive(Clone, Debug, Default)]
pub struct Runner {
    /// Standard output is scanned for commands.
    pub commands: bool,
    /// The file of the job summary.
    summary: Option<PathBuf>,
    /// The file of the step's outputs.
    outputs: Option<PathBuf>,
    /// What did not work, in sentences.
    pub notices: Vec<String>,
}

impl Runner {
    /// Looks at the environment; `notices` are told with its own.
    pub fn new(notices: Vec<String>) -> Self {
        Self {
            commands: env::variable("GITHUB_ACTIONS").as_deref() == Some("true"),
            summary: env::variable("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            outputs: env::variable("GITHUB_OUTPUT").map(PathBuf::from),
            notices,
        }
    }

    /// Whether there is a job summary to write.
    pub fn has_summary(&self) -> bool {
        self.summary.is_some()
    }

    /// Bytes that stand in the summary already.
    pub fn summary_used(&self) -> usize {
        let length = self.summary.as_ref().and_then(|path| std::fs::metadata(path).ok()).map_or(0, |m| m.len());
        usize::try_from(length).unwrap_or(usize::MAX)
    }

    /// Adds to the job summary. Gives the file.
    pub fn summarise(&mut self, markdown: &[u8]) -> Option<PathBuf> {
        let path = self.summary.clone()?;
        match write::append(&path, markdown) {
            Ok(()) => Some(path),
            Err(error) => {
                self.notices.push(format!("The job summary could not be written: {error}"));
                None
            }
        }
    }

    /// Sets outputs of the step.
    pub fn set_outputs(&mut self, outputs: &[(&str, String)]) {
        let Some(path) = &self.outputs else { return };
        let text: String = outputs.iter().map(|(name, value)| output_entry(name, value)).collect();
        if let Err(error) = write::append(path, text.as_bytes()) {
            self.notices.push(format!("The outputs of this step could not be set: {error}"));
        }
    }

    /// Prints with `print` so that no line of it is taken for a command.
    pub fn bracketed(
        &self,
        out: &mut dyn Write,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.commands {
            return print(out);
        }
        let token = token();
        writeln!(out, "::stop-commands::{token}")?;
        let printed = print(out);
        writeln!(out, "\n::{token}::")?;
        printed
    }

    /// Tells the notices, as annotations where the log is scanned.
    pub fn tell(&self, log: &mut dyn Write) -> io::Result<()> {
        if !self.commands {
            return tell_notices(&self.notices);
        }
        self.notices.iter().try_for_each(|n| writeln!(log, "::notice title=sesslint::{}", command_data(&inert(n))))
    }
}

/// `name=value`, or the form for several lines, whose end cannot stand in the value.
fn output_entry(name: &str, value: &str) -> String {
    if !value.contains(['\n', '\r']) {
        return format!("{name}={value}\n");
    }
    let mut end = token();
    while value.contains(&end) {
        end = token();
    }
    format!("{name}<<{end}\n{value}\n{end}\n")
}

/// A word that nobody can guess: the hash keys of the standard library come from the system's random numbers.
fn token() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("sesslint_{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_several_lines_end_where_they_should() {
        assert_eq!(output_entry("verdict", "pass"), "verdict=pass\n");
        assert_eq!(output_entry("path", "a=b<<c"), "path=a=b<<c\n");
        let text = output_entry("path", "a\nexit-code=0");
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[0].strip_prefix("path<<").unwrap();
        assert_eq!(lines, [format!("path<<{end}").as_str(), "a", "exit-code=0", end]);
        assert!(end.len() >= 32);
    }

    #[test]
    fn commands_are_stopped_while_text_is_printed() {
        let runner = Runner { commands: true, ..Runner::default() };
        let mut out = Vec::new();
        runner.bracketed(&mut out, |out| write!(out, "::error::x")).unwrap();
        let text = String::from_utf8(out).unwrap();
        let token = text.lines().next().unwrap().strip_prefix("::stop-commands::").unwrap().to_owned();
        assert_eq!(text, format!("::stop-commands::{token}\n::error::x\n::{token}::\n"));
        assert_ne!(token, self::token());
    }

    #[test]
    fn what_cannot_be_written_is_a_notice() {
        let gone = Some(PathBuf::from("no/such/folder/file"));
        let mut runner = Runner { summary: gone.clone(), outputs: gone, ..Runner::default() };
        assert_eq!(runner.summarise(b"x"), None);
        runner.set_outputs(&[("a", "b".into())]);
        assert_eq!(runner.notices.len(), 2);
        runner.commands = true;
        let mut log = Vec::new();
        runner.tell(&mut log).unwrap();
        assert!(log.starts_with(b"::notice title=sesslint::The job summary"));
    }
}
