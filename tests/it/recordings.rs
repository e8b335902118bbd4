//! Single recorded calls of the reference program, for comparing the library below the command line.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{entries, json, shared};

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
        let case = folder.join("case.json");
        if !case.is_file() {
            continue;
        }
        let json = json(&case);
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
