//! Every command over files with names that try to speak to a runner or a terminal: nothing they print can.

use std::path::Path;
use std::process::Command;

/// A runner's commands in both spellings, an escape sequence, and an override of the writing direction.
const NAME: &str = "##[error]a\n::error::b\u{1b}[31m\u{202e}";

fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let arguments: Vec<String> = line.split_whitespace().map(|word| word.replace("NAME", NAME)).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_sesslint")).args(arguments).current_dir(folder).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), text.concat())
}

#[test]
fn no_command_prints_what_a_runner_would_obey() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join(NAME);
    std::fs::create_dir_all(logs.join("empty")).unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/examples");
    let healthy = std::fs::read(examples.join("claude-code-healthy.jsonl")).unwrap();
    let broken = std::fs::read(examples.join("claude-code-broken.jsonl")).unwrap();
    for (name, bytes) in
        [("h", &healthy[..]), ("b", &broken), ("t", &healthy[..healthy.len() - 25]), ("n", b"{\"x\":1}\n")]
    {
        std::fs::write(logs.join(format!("{name}.jsonl")), bytes).unwrap();
    }
    std::fs::write(logs.join("bad.toml"), "\"##[error]\" = 1\n").unwrap();
    let mut lines: Vec<String> = Vec::new();
    for file in ["h", "b", "t", "n", "gone"].map(|name| format!("NAME/{name}.jsonl")) {
        for command in [
            "check",
            "check --json",
            "scan",
            "ci",
            "repair --dry-run",
            "repair --preview",
            "bundle",
            "digest",
            "digest --json",
            "dsh-audit",
            "validate-session",
        ] {
            lines.push(format!("{command} {file}"));
        }
        for line in [
            "repair FILE --output FILE.out",
            "repair FILE --output FILE.out",
            "repair FILE --output FILE.salvaged --policy salvage",
            "verify FILE FILE.out --manifest FILE.out.manifest.json",
            "verify FILE FILE.out --manifest NAME/none",
            "export FILE --output FILE.export",
            "export FILE --output FILE.second --json",
            "bundle FILE --output FILE.bundle",
            "digest FILE NAME/h.jsonl",
            "repair FILE --plan NAME/n.jsonl --dry-run",
        ] {
            lines.push(line.replace("FILE", &file));
        }
    }
    for line in [
        "check NAME",
        "check --recursive NAME",
        "check NAME/h.jsonl NAME/gone NAME/b.jsonl",
        "scan NAME --json",
        "dsh-audit NAME/empty",
        "propose NAME --out-dir NAME/proposal",
        "propose NAME --out-dir NAME/proposal",
        "verify --proposal NAME/proposal",
        "verify --proposal NAME",
        "verify --pull-request NAME --repo NAME",
        "repair NAME --batch --output NAME/mended",
        "baseline write NAME --baseline NAME/base",
        "baseline show NAME --baseline NAME/base",
        "baseline update NAME --baseline NAME/base",
        "baseline write NAME --baseline NAME/b.jsonl",
        "ci NAME --baseline NAME/b.jsonl",
        "ci NAME --since NAME",
        "ci NAME --config NAME/bad.toml",
        "ci NAME --output json=NAME/b.jsonl",
        "ci NAME --output json=NAME/b.jsonl/x",
        "ci NAME[",
        "ci NAME*.none",
        "ci . --exclude NAME[",
        "merge NAME",
        "merge NAME/b.jsonl",
        "explain NAME",
        "completion NAME",
        "check --NAME",
        "NAME",
    ] {
        lines.push(line.to_owned());
    }
    let mut codes = [0; 3];
    for line in &lines {
        let (code, text) = run(folder.path(), line);
        codes[usize::try_from(code.unwrap()).unwrap()] += 1;
        assert!(!text.contains("##["), "{line}: {text}");
        assert!(!text.lines().any(|printed| printed.trim_start().starts_with("::")), "{line}: {text}");
        assert!(
            !text.contains(|c: char| c != '\n' && c != '\t' && c.is_control() || c == '\u{202e}'),
            "{line}: {text:?}"
        );
    }
    assert!(codes.iter().all(|&count| count > 5), "each exit code is there: {codes:?}");
}

#[test]
fn devices_are_written_to_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/examples/claude-code-broken.jsonl");
    std::os::unix::fs::symlink("/dev/stdout", folder.path().join("out")).unwrap();
    let line = format!("check {} --output json=out --output human=/dev/null", log.display());
    let (code, text) = run(folder.path(), &line);
    assert_eq!(code, Some(1));
    assert!(text.starts_with('{') && text.ends_with("}\n"), "{text}");
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}
