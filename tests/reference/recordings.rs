//! The recorded runs of the reference program, where they are at hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A folder beside the repository; none, saying so, where it is absent.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(part);
    if folder.is_dir() {
        return Some(folder);
    }
    #[allow(clippy::print_stdout)]
    {
        println!("skipped: nothing at {}", folder.display());
    }
    None
}

/// What a folder holds, sorted.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path()).collect();
    found.sort();
    found
}

/// One recorded call of the program.
pub(crate) struct Step {
    /// Group and name of its case.
    pub(crate) case: String,
    /// The folder of the case.
    pub(crate) folder: PathBuf,
    /// The arguments; the first is the command.
    pub(crate) args: Vec<String>,
    /// The recorded step: `exit`, `stdout`, `stderr`.
    pub(crate) recorded: Value,
    /// Hashes of the files that the case writes.
    pub(crate) outputs: Value,
}

impl Step {
    /// The value behind one of these options.
    pub(crate) fn option(&self, names: &[&str]) -> Option<&str> {
        let at = self.args.iter().position(|a| names.contains(&a.as_str()))?;
        self.args.get(at + 1).map(String::as_str)
    }
}

/// Every recorded call of a command in these groups.
pub(crate) fn steps(groups: &[&str], command: &str) -> Vec<Step> {
    let Some(root) = shared("conformance") else { return Vec::new() };
    let mut steps = Vec::new();
    for (group, folder) in groups.iter().flat_map(|g| entries(&root.join(g)).into_iter().map(move |f| (g, f))) {
        let Ok(text) = fs::read_to_string(folder.join("case.json")) else { continue };
        let json: Value = serde_json::from_str(&text).expect("case.json");
        let name = folder.file_name().expect("name").to_string_lossy().into_owned();
        let whole = vec![json.clone()];
        for recorded in json["steps"].as_array().unwrap_or(&whole) {
            let args: Vec<String> = recorded["args"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            if args.first().is_some_and(|a| a == command) {
                steps.push(Step {
                    case: format!("{group}/{name}"),
                    folder: folder.clone(),
                    args,
                    recorded: recorded.clone(),
                    outputs: json["outputs"].clone(),
                });
            }
        }
    }
    steps
}
