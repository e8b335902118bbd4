//! Settings: what a file (`sesslint.toml`), the environment and the command line may say, each as one layer.
//!
//! A layer holds only what was said; [`Config::over`] puts one on another. Nothing here reads the environment or
//! decides a default: whoever uses a setting does.

pub mod file;
mod hint;
pub mod output;
mod setting;

use globset::Glob;

use crate::adapter::Format;
use crate::report::gate::Threshold;
use crate::rule::profile::Profile;
use crate::rule::selection::CodePrefix;
use crate::scan::pattern::Patterns;
use output::Output;

pub use setting::{Kind, SETTINGS, Setting, Value};

/// A format that was named; none for `auto`.
pub type FormatChoice = Option<&'static Format>;

/// One layer of settings. `None` is "not said here".
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Files, folders and patterns to check when none are given.
    pub paths: Option<Vec<String>>,
    /// Format of the logs.
    pub format: Option<FormatChoice>,
    /// How strictly to judge.
    pub profile: Option<&'static Profile>,
    /// Only these codes.
    pub select: Option<Vec<CodePrefix>>,
    /// Not these codes.
    pub ignore: Option<Vec<CodePrefix>>,
    /// Paths to leave out.
    pub exclude: Option<Vec<Glob>>,
    /// From which severity on a run fails.
    pub fail_on: Option<Threshold>,
    /// Only findings that are not known fail a run.
    pub only_new: Option<bool>,
    /// With more findings than this a run fails.
    pub max_findings: Option<u64>,
    /// The baseline file.
    pub baseline: Option<String>,
    /// The git revision behind which findings are new.
    pub since: Option<String>,
    /// A run without files is no error.
    pub allow_empty: Option<bool>,
    /// Reports to write.
    pub output: Option<Vec<Output>>,
    /// Annotate on a runner.
    pub annotations: Option<bool>,
    /// Write the job summary on a runner.
    pub summary: Option<bool>,
    /// Tells code-scanning uploads of one commit apart.
    pub category: Option<String>,
    /// What holds for some paths only; the last one that matches a path wins.
    pub overrides: Vec<Override>,
}

/// Settings of the paths that match.
#[derive(Clone, Debug)]
pub struct Override {
    /// Matched against the path from the folder of the configuration file.
    pub paths: Patterns,
    /// `format`, `profile`, `select` and `ignore`; nothing else is ever set.
    pub config: Config,
}

impl Config {
    /// The layer made of environment variables `SESSLINT_NAME`: lists have one item a line, flags are `true` or
    /// `false`, and an empty variable says nothing.
    ///
    /// # Errors
    /// A sentence that names the variable.
    pub fn from_env(read: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let mut config = Self::default();
        for setting in SETTINGS {
            let name = setting.variable();
            if let Some(text) = read(&name).filter(|text| !text.trim().is_empty()) {
                let value = Value::from_text(setting.kind, &text);
                value.and_then(|value| (setting.set)(&mut config, value)).map_err(|what| format!("{name}: {what}"))?;
            }
        }
        Ok(config)
    }

    /// This layer, and what it leaves unsaid from `lower`.
    #[must_use]
    pub fn over(self, lower: Self) -> Self {
        Self {
            paths: self.paths.or(lower.paths),
            format: self.format.or(lower.format),
            profile: self.profile.or(lower.profile),
            select: self.select.or(lower.select),
            ignore: self.ignore.or(lower.ignore),
            exclude: self.exclude.or(lower.exclude),
            fail_on: self.fail_on.or(lower.fail_on),
            only_new: self.only_new.or(lower.only_new),
            max_findings: self.max_findings.or(lower.max_findings),
            baseline: self.baseline.or(lower.baseline),
            since: self.since.or(lower.since),
            allow_empty: self.allow_empty.or(lower.allow_empty),
            output: self.output.or(lower.output),
            annotations: self.annotations.or(lower.annotations),
            summary: self.summary.or(lower.summary),
            category: self.category.or(lower.category),
            overrides: if self.overrides.is_empty() { lower.overrides } else { self.overrides },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    #[test]
    fn the_environment_says_what_a_file_says() {
        let config = Config::from_env(|name| match name {
            "SESSLINT_PATHS" => Some("a\n b*c \n\n".into()),
            "SESSLINT_FAIL_ON" => Some("never".into()),
            "SESSLINT_ONLY_NEW" => Some("true".into()),
            "SESSLINT_MAX_FINDINGS" => Some("7".into()),
            "SESSLINT_PROFILE" => Some(String::new()),
            _ => None,
        });
        let config = config.unwrap();
        assert_eq!(config.paths, Some(vec!["a".into(), "b*c".into()]));
        assert_eq!(
            (config.fail_on, config.only_new, config.max_findings),
            (Some(Threshold(None)), Some(true), Some(7))
        );
        assert!(config.profile.is_none());
        for (variable, text, what) in [
            ("SESSLINT_ONLY_NEW", "maybe", "SESSLINT_ONLY_NEW: expected true or false"),
            ("SESSLINT_MAX_FINDINGS", "-1", "SESSLINT_MAX_FINDINGS: expected a whole number"),
            ("SESSLINT_FAIL_ON", "bad", "SESSLINT_FAIL_ON: expected one of never, info"),
        ] {
            let error = Config::from_env(|name| (name == variable).then(|| text.to_owned())).unwrap_err();
            assert!(error.starts_with(what), "{error}");
        }
    }

    #[test]
    fn the_upper_layer_wins_setting_by_setting() {
        let threshold = |severity| Some(Threshold(Some(severity)));
        let upper = Config { fail_on: threshold(Severity::Fatal), ..Config::default() };
        let lower = Config { fail_on: threshold(Severity::Info), only_new: Some(true), ..Config::default() };
        let both = upper.over(lower);
        assert_eq!((both.fail_on, both.only_new), (threshold(Severity::Fatal), Some(true)));
    }
}
