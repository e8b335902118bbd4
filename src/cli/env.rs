//! The only place that reads the environment.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use super::args::{Colour, Global};

/// A variable; none when it is unset, empty or no text.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// The working directory.
///
/// # Errors
/// It is gone.
pub fn working_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// The user's home folder, with `/` between its parts.
pub fn home() -> Option<String> {
    if cfg!(windows) {
        return variable("USERPROFILE").map(|path| path.replace('\\', "/"));
    }
    variable("HOME")
}

/// Root of the repository around the working directory: the runner's workspace, else the nearest folder with `.git`.
pub fn repository_root() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    if let Some(workspace) = std::env::var_os("GITHUB_WORKSPACE").map(PathBuf::from)
        && here.starts_with(&workspace)
    {
        return Some(workspace);
    }
    here.ancestors().find(|folder| folder.join(".git").exists()).map(PathBuf::from).or(Some(here))
}

/// The repository that the pull request of this run comes from, when it is another one than `repository`.
pub fn fork_of_pull_request(repository: &str) -> Option<String> {
    let event = std::fs::read(variable("GITHUB_EVENT_PATH")?).ok()?;
    let event: serde_json::Value = serde_json::from_slice(&event).ok()?;
    let pull = event.get("pull_request").filter(|pull| pull["head"].is_object())?;
    let head = pull["head"]["repo"]["full_name"].as_str().unwrap_or("a fork that is gone");
    (!head.eq_ignore_ascii_case(repository)).then(|| head.to_owned())
}

/// Whether text on standard output is coloured.
pub fn colour(global: &Global) -> bool {
    if global.no_color || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        return false;
    }
    match global.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => std::io::stdout().is_terminal(),
    }
}
