//! The only place that reads the environment.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::args::{Colour, Global};

/// The user's home folder.
pub fn home() -> Option<String> {
    std::env::var("HOME").ok().filter(|home| !home.is_empty())
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
