//! Settings of one run: flags over environment over configuration file over defaults, the file found and read.

use std::path::{Path, PathBuf};

use sesslint::config::output::Output;
use sesslint::config::{Config, file};
use sesslint::emit::{self, Format};
use sesslint::inspect;
use sesslint::report::baseline::FILE_NAME;
use sesslint::report::gate::{Gate, Threshold};
use sesslint::rule::profile::NEUTRAL;
use sesslint::rule::selection::Selection;
use sesslint::scan::Limits;
use sesslint::scan::pattern::Patterns;
use sesslint::source::path::{absolute, from_folder};

use super::args::{Global, ReportArgs, TreeArgs};
use super::{Failure, env, output};

/// What a run was told.
#[derive(Debug)]
pub struct Settings {
    /// Flags and environment.
    said: Config,
    /// The configuration file.
    file: Config,
    /// The folder, absolute, that patterns count from.
    base: PathBuf,
    /// The same folder as seen from here; paths of the file are joined to it.
    seen: PathBuf,
    colour: bool,
    include_content: bool,
    confidence_min: Option<f64>,
    margin_min: Option<f64>,
    home: Option<String>,
    root: Option<PathBuf>,
    /// Work out what only some outputs show.
    pub details: bool,
}

impl Settings {
    /// Reads environment and configuration file.
    pub fn load(global: &Global, report: &ReportArgs, tree: &TreeArgs) -> Result<Self, Failure> {
        let environment = Config::from_env(env::variable).map_err(Failure::usage)?;
        let here = env::working_directory()?;
        let found = match (&global.config, global.no_config) {
            (_, true) => None,
            (Some(path), _) => Some(path.clone()),
            (None, _) => env::variable("SESSLINT_CONFIG").map(PathBuf::from).or_else(|| file::find(&here)),
        };
        let config = match &found {
            Some(path) => file::read(path).map_err(|error| Failure::usage(error.to_string()).with_hint(error.hint))?,
            None => Config::default(),
        };
        let folder = found.as_deref().and_then(Path::parent).unwrap_or(&here);
        let base = absolute(folder);
        let settings = Self {
            said: flags(global, report, tree).over(environment),
            seen: seen_from(&here, &base),
            file: config,
            base,
            colour: env::colour(global),
            include_content: global.include_content,
            confidence_min: report.confidence_min,
            margin_min: report.margin_min,
            home: env::home(),
            root: env::repository_root(),
            details: false,
        };
        settings.check_scores()?;
        Ok(settings)
    }

    /// For a command that reads single files.
    pub fn for_files(global: &Global, confidence_min: Option<f64>, margin_min: Option<f64>) -> Result<Self, Failure> {
        let report = ReportArgs { confidence_min, margin_min, ..ReportArgs::default() };
        Self::load(global, &report, &TreeArgs::default())
    }

    fn check_scores(&self) -> Result<(), Failure> {
        let profile = self.merged().profile.unwrap_or(&NEUTRAL);
        let confidence = self.confidence_min.unwrap_or(profile.confidence_min);
        let margin = self.margin_min.unwrap_or(profile.margin_min);
        if margin > confidence {
            return Err(Failure::usage(format!(
                "--margin-min ({margin}) cannot exceed --confidence-min ({confidence})"
            )));
        }
        Ok(())
    }

    /// What holds for the run as a whole.
    pub fn merged(&self) -> Config {
        self.said.clone().over(self.file.clone())
    }

    /// How to check the file at a path.
    pub fn inspect_options(&self, path: &Path) -> inspect::Options {
        let relative = if self.file.overrides.is_empty() { None } else { from_folder(path, &self.base) };
        let matching = |path: &PathBuf| {
            let overrides = self.file.overrides.iter().rev().filter(|o| o.paths.cover(path));
            overrides.fold(Config::default(), |upper, lower| upper.over(lower.config.clone()))
        };
        let by_path = relative.as_ref().map(matching).unwrap_or_default();
        let config = self.said.clone().over(by_path).over(self.file.clone());
        inspect::Options {
            format: config.format.flatten(),
            profile: config.profile.unwrap_or(&NEUTRAL),
            confidence_min: self.confidence_min,
            margin_min: self.margin_min,
            home: self.home.clone(),
            root: self.root.clone(),
            selection: Selection {
                select: config.select.unwrap_or_default(),
                ignore: config.ignore.unwrap_or_default(),
            },
            details: self.details,
            ..inspect::Options::default()
        }
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// What fails the run.
    pub fn gate(&self) -> Gate {
        let config = self.merged();
        Gate {
            fail_on: config.fail_on.map_or(Gate::default().fail_on, |Threshold(severity)| severity),
            only_new: config.only_new.unwrap_or(false),
            max_findings: config.max_findings,
        }
    }

    /// How to print.
    pub fn emit_options(&self) -> emit::Options {
        emit::Options {
            colour: self.colour,
            include_content: self.include_content,
            gate: self.gate(),
            category: self.merged().category,
            ..emit::Options::default()
        }
    }

    /// Reports to write; text on standard output when none is asked for, and beside reports that only the configuration
    /// file asks for: whoever types a command wants to read an answer.
    pub fn outputs(&self, json: bool) -> Result<Vec<Output>, Failure> {
        let outputs = match (&self.said.output, &self.file.output) {
            (Some(said), _) => said.clone(),
            (None, Some(filed)) => {
                let mut outputs: Vec<_> = filed.iter().map(|o| self.filed_output(o)).collect();
                if !json && outputs.iter().all(|output| output.path.is_some()) {
                    outputs.push(Output { format: Format::Human, path: None });
                }
                outputs
            }
            (None, None) => Vec::new(),
        };
        output::requested(&outputs, json).map_err(Failure::usage)
    }

    fn filed_output(&self, output: &Output) -> Output {
        Output { format: output.format, path: output.path.as_ref().map(|path| self.seen.join(path)) }
    }

    /// The paths of environment or file, as seen from here; none when neither names any.
    pub fn paths(&self) -> Vec<PathBuf> {
        match (&self.said.paths, &self.file.paths) {
            (Some(said), _) => said.iter().map(PathBuf::from).collect(),
            (None, Some(filed)) => filed.iter().map(|path| self.seen.join(path)).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// The baseline file, and whether someone named it: then it has to be there.
    pub fn baseline_file(&self) -> (PathBuf, bool) {
        match (&self.said.baseline, &self.file.baseline) {
            (Some(said), _) => (PathBuf::from(said), true),
            (None, Some(filed)) => (self.seen.join(filed), true),
            (None, None) => (self.seen.join(FILE_NAME), false),
        }
    }

    /// The limits of a walk.
    pub fn limits(&self, tree: &TreeArgs) -> Result<Limits, Failure> {
        let defaults = Limits::default();
        let exclude = self.merged().exclude.unwrap_or_default();
        Ok(Limits {
            max_files: tree.max_files.unwrap_or(defaults.max_files),
            max_bytes: tree.max_bytes.unwrap_or(defaults.max_bytes),
            follow_links: tree.follow_symlinks,
            exclude: Patterns::new(&exclude).map_err(Failure::usage)?,
            base: self.base.clone(),
            force_exclude: tree.force_exclude,
            foreign: defaults.foreign,
            extensions: tree.ext.iter().map(|e| e.trim_start_matches('.').to_lowercase()).collect(),
            shard: tree.shard,
        })
    }
}

/// What the command line says.
fn flags(global: &Global, report: &ReportArgs, tree: &TreeArgs) -> Config {
    fn said<T: Clone>(list: &[T]) -> Option<Vec<T>> {
        (!list.is_empty()).then(|| list.to_vec())
    }
    Config {
        format: global.format.map(|choice| choice.0),
        profile: global.profile,
        select: said(&report.select),
        ignore: said(&report.ignore),
        exclude: said(&tree.exclude),
        fail_on: report.fail_on,
        only_new: report.only_new,
        max_findings: report.max_findings,
        baseline: report.baseline.clone(),
        since: report.since.clone(),
        output: said(&report.output),
        category: report.category.clone(),
        ..Config::default()
    }
}

/// A folder as a path from here: `..` for each level that it lies above, else as it is.
fn seen_from(here: &Path, folder: &Path) -> PathBuf {
    match here.strip_prefix(folder) {
        Ok(below) => below.components().map(|_| "..").collect(),
        Err(_) => folder.to_owned(),
    }
}
