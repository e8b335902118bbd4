//! The boundaries between modules, read from the sources: who may write, print, look at the clock, name a vendor.

use std::path::{Path, PathBuf};

/// All source files with their text, tests and comments cut away.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in crate::support::entries(folder) {
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join("src"), &mut found);
    found
        .into_iter()
        .filter(|path| {
            !["tests.rs", "testing.rs", "cases.rs", "hostile.rs", "recorded.rs", "replayed.rs", "samples.rs"]
                .iter()
                .any(|t| path.ends_with(t))
        })
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            (path.strip_prefix(root).unwrap().display().to_string(), lines.join("\n"))
        })
        .collect()
}

/// Files outside `allowed` that hold one of the words.
fn trespassers(words: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, code) in sources() {
        if allowed.iter().any(|a| path.starts_with(a)) {
            continue;
        }
        for word in words.iter().filter(|word| code.contains(**word)) {
            found.push(format!("{path}: {word}"));
        }
    }
    found
}

#[test]
fn only_the_writer_changes_the_disk() {
    let words = [
        "fs::write",
        "File::create",
        "OpenOptions",
        "fs::rename",
        "fs::remove",
        "fs::create_dir",
        "create_dir_all",
        "tempfile",
        "persist",
        "set_permissions",
        "hard_link",
    ];
    assert_eq!(trespassers(&words, &["src/write/"]), Vec::<String>::new());
}

#[test]
fn only_the_command_line_prints_exits_and_looks_around() {
    let words = [
        "println!",
        "eprintln!",
        "process::exit",
        "env::var",
        "env::args",
        "SystemTime",
        "Instant::now",
        "io::stdout",
        "io::stderr",
    ];
    assert_eq!(trespassers(&words, &["src/cli/", "src/main.rs", "src/forge/"]), Vec::<String>::new());
}

#[test]
fn vendors_are_named_by_adapters_alone() {
    let words =
        ["claude", "Claude", "codex", "Codex", "openai", "OpenAI", "deepseek", "anthropic", "Anthropic", "OpenClaw"];
    // Profiles are named after providers, and the command line names profiles, formats and the audit of one harness.
    let allowed = ["src/adapter/", "src/dsh/", "src/rule/profile.rs", "src/cli/"];
    assert_eq!(trespassers(&words, &allowed), Vec::<String>::new());
    let allowed = ["src/adapter/", "src/dsh/", "src/digest/", "src/cli/"];
    assert_eq!(trespassers(&["crate::dsh"], &allowed), Vec::<String>::new());
}

#[test]
fn the_network_is_reached_from_one_place() {
    assert_eq!(
        trespassers(&["octocrab", "tokio", "reqwest", "hyper", "TcpStream"], &["src/forge/"]),
        Vec::<String>::new()
    );
}
