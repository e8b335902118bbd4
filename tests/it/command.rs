//! The program as scripts see it: standard error and names on the command line.

use std::process::{Command, Output};

fn sesslint(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sesslint")).args(args).env("NO_COLOR", "1").output().unwrap()
}

#[test]
fn only_what_is_about_the_format_is_told_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let output = sesslint(&["check", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        String::from_utf8(output.stderr).unwrap()
    };
    let pi =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"cwd\":\"/p\"}\n";
    let claude = "{\"type\":\"user\",\"uuid\":\"u\",\"parentUuid\":null,\"sessionId\":\"s\",\"critical_x\":1,\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
    let without_id = format!("{pi}{{\"type\":\"label\",\"parentId\":null}}\n");
    assert_eq!(told("dropped.jsonl", &without_id), "");
    assert!(told("critical.jsonl", claude).contains("Format detection error [SL302]"));
    assert!(told("nothing.jsonl", "{}\n").contains("Format detection error [SL302]"));
}

#[test]
fn pages_of_commands_name_program_and_version() {
    for arguments in [&["man"][..], &["man", "repair"]] {
        let page = String::from_utf8(sesslint(arguments).stdout).unwrap();
        assert!(page.contains(concat!("\"sesslint ", env!("CARGO_PKG_VERSION"), "\"")), "{page}");
    }
}

#[test]
fn names_of_the_audit_are_explained() {
    let page = |name: &str| String::from_utf8(sesslint(&["explain", name]).stdout).unwrap();
    assert!(page("SESSION_PATH_MISMATCH").starts_with("# SL510 "));
    assert_eq!(page("header_frame_shape"), page("SL512"));
}
