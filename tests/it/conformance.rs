//! The recorded runs of the reference program: equal, or listed in `docs/differences.md` with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::repairs;
use crate::support::{entries, json, shared};

/// Case names in the first column of the table in `docs/differences.md`.
fn listed() -> BTreeSet<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/differences.md")).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name.to_owned()).collect()
}

/// What is compared of a finding: code, severity, repairability, line, fingerprint.
fn rows(document: &Value) -> Vec<String> {
    fn row(f: &Value) -> String {
        let text = |name: &str| f[name].as_str().unwrap_or("").to_owned();
        format!(
            "{} {} {} line {} {}",
            text("code"),
            text("severity"),
            text("repairability"),
            f["span"]["line"],
            text("fingerprint")
        )
    }
    let mut rows = Vec::new();
    let files = document["files"].as_array().cloned().unwrap_or_default();
    for holder in std::iter::once(document).chain(&files) {
        for finding in holder["findings"].as_array().into_iter().flatten() {
            rows.push(row(finding));
            rows.extend(finding["consequences"].as_array().into_iter().flatten().map(row));
        }
    }
    rows.sort();
    rows
}

fn scratch(case: &Path, recorded: &Value) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(case.file_name().unwrap());
    let status = Command::new("cp").arg("-a").arg(case).arg(&folder).status().unwrap();
    assert!(status.success());
    let _ = std::fs::remove_file(folder.join("case.json"));
    if case.to_string_lossy().contains("symlink") {
        restore_links(&folder);
    }
    for file in recorded["generate"].as_array().into_iter().flatten() {
        let mut text = String::new();
        for part in file["parts"].as_array().unwrap() {
            text.push_str(&part[0].as_str().unwrap().repeat(part[1].as_u64().unwrap() as usize));
        }
        std::fs::write(folder.join(file["file"].as_str().unwrap()), text).unwrap();
    }
    root
}

/// Where the shared folder was copied without its links, each stands there as a file that holds its target.
fn restore_links(folder: &Path) {
    for path in entries(folder) {
        if path.is_dir() {
            restore_links(&path);
        } else if let Ok(target) = std::fs::read_to_string(&path)
            && target.len() < 64
            && !target.contains(['{', '\n'])
        {
            std::fs::remove_file(&path).unwrap();
            #[cfg(unix)]
            std::os::unix::fs::symlink(target, &path).unwrap();
        }
    }
}

/// Runs one step and says what differs, in words.
fn compare(folder: &Path, step: &Value, env: &Value, lenient: bool) -> Vec<String> {
    let args: Vec<&str> = step["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesslint"));
    command.args(&args).current_dir(folder).env_remove("GITHUB_WORKSPACE");
    command.env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8").env("COLUMNS", "80");
    for (name, value) in env.as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap());
    }
    let output = command.output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut wrong = Vec::new();
    let exit = i64::from(output.status.code().unwrap_or(-1));
    if step["exit"].as_i64() != Some(exit) {
        wrong.push(format!(
            "{args:?}: exit {exit}, recorded {} {}",
            step["exit"],
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    wrong.extend(repairs::differences(&args, step, &stdout, &String::from_utf8_lossy(&output.stderr)));
    let recorded = &step["stdout"];
    if recorded["findings"].is_array() || recorded["files"].is_array() {
        let Ok(ours) = serde_json::from_str::<Value>(&stdout) else {
            wrong.push(format!("{args:?}: no JSON on standard output"));
            return wrong;
        };
        let (mut theirs, mut ours_rows) = (rows(recorded), rows(&ours));
        if lenient {
            let code =
                |rows: &mut Vec<String>| rows.iter_mut().for_each(|r| *r = r.split(' ').next().unwrap().to_owned());
            code(&mut theirs);
            code(&mut ours_rows);
        }
        for row in theirs.iter().filter(|r| !ours_rows.contains(r)) {
            wrong.push(format!("{args:?}: missing {row}"));
        }
        for row in ours_rows.iter().filter(|r| !theirs.contains(r)) {
            wrong.push(format!("{args:?}: added {row}"));
        }
        for name in ["assurance", "session_id", "source_fingerprint", "coverage", "totals"] {
            if !recorded[name].is_null() && name != "coverage" && recorded[name] != ours[name] {
                wrong.push(format!("{args:?}: {name} is {}, recorded {}", ours[name], recorded[name]));
            }
        }
    }
    wrong
}

/// What differs from a recorded case.
fn judge(case: &Path) -> Vec<String> {
    let recorded = json(&case.join("case.json"));
    let root = scratch(case, &recorded);
    let folder = root.path().join(case.file_name().unwrap());
    let lenient = recorded["lenient"].as_bool() == Some(true);
    let single = [recorded.clone()];
    let steps = recorded["steps"].as_array().map_or(&single[..], |s| &s[..]);
    let mut wrong = Vec::new();
    for step in steps {
        let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
        if step["args"].is_array() {
            wrong.extend(compare(&folder, step, &recorded["env"], lenient));
        } else if step["write"].is_object() {
            std::fs::write(folder.join(text(&step["write"], "file")), text(&step["write"], "text")).unwrap();
        } else if step["append"].is_object() {
            let path = folder.join(text(&step["append"], "file"));
            let old = std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, old + &text(&step["append"], "text")).unwrap();
        } else if step["replace"].is_object() {
            let path = folder.join(text(&step["replace"], "file"));
            let old = std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, old.replacen(&text(&step["replace"], "old"), &text(&step["replace"], "new"), 1))
                .unwrap();
        } else if step["copy"].is_object() {
            std::fs::copy(folder.join(text(&step["copy"], "from")), folder.join(text(&step["copy"], "to"))).unwrap();
        } else if let Some(name) = step["delete"].as_str() {
            std::fs::remove_file(folder.join(name)).unwrap();
        } else if let Some(name) = step["mkdir"].as_str() {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
    }
    if steps.iter().any(|s| s["args"].as_array().is_some_and(|a| a.iter().any(|a| a == "repair"))) {
        wrong.extend(repairs::files(&folder, &recorded));
    }
    wrong
}

fn run(part: &str, most_listed: usize) {
    let Some(folder) = shared("conformance") else { return };
    let listed = listed();
    let only = std::env::var("CASE").ok();
    let mut different: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut cases = 0;
    for case in entries(&folder.join(part)) {
        if !case.join("case.json").is_file() {
            continue;
        }
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        cases += 1;
        let wrong = judge(&case);
        if !wrong.is_empty() {
            different.insert(name, wrong);
        }
    }
    let listed_here = different.keys().filter(|name| listed.contains(*name)).count();
    let unlisted: Vec<String> = different
        .iter()
        .filter(|(name, _)| !listed.contains(*name))
        .map(|(name, wrong)| format!("{name}\n    {}", wrong.join("\n    ")))
        .collect();
    eprintln!("{part}: {cases} cases, {} equal, {listed_here} differ as listed", cases - different.len());
    assert!(unlisted.is_empty(), "{} cases differ and are not listed:\n{}", unlisted.len(), unlisted.join("\n"));
    assert!(listed_here <= most_listed, "{listed_here} listed differences, at most {most_listed}");
}

#[test]
fn checks() {
    run("checks", 27);
}

#[test]
fn ingest() {
    run("ingest", 43);
}

#[test]
fn repair() {
    run("repair", 35);
}
