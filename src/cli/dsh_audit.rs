//! `sesslint dsh-audit`: what is wrong with the session logs of a deepseek-harness, before the harness finds out.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use sesslint::dsh::finding::severity_word;
use sesslint::dsh::{Artifact, Container, ExpectedFormat, Finding, Options, StoreAudit};
use sesslint::emit::escape::inert;

/// Arguments of `dsh-audit`.
#[derive(Debug, Args)]
pub struct DshAuditArgs {
    /// Sessions folder, holding PROJECT/SESSION/*.jsonl or *.jsonl.zstd [default: sessions in the harness's home]
    #[arg(value_name = "ROOT")]
    pub root: Option<PathBuf>,
    /// Audit only sessions whose directory name or id contains this
    #[arg(long, value_name = "SUBSTRING")]
    pub id: Option<String>,
    /// Format generation the harness reads; `auto` takes it from each file's name
    #[arg(long, value_name = "N|auto", default_value = "0", value_parser = expected_format)]
    pub harness_format: ExpectedFormat,
    /// Fail also on warnings that the harness was measured to refuse
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Home of the harness
    #[arg(long, value_name = "DIR", env = "DSH_HOME", hide_env_values = true)]
    pub dsh_home: Option<OsString>,
}

fn expected_format(text: &str) -> Result<ExpectedFormat, String> {
    match text {
        "auto" => Ok(ExpectedFormat::FromName),
        _ => text.parse().map(ExpectedFormat::Generation).map_err(|_| "expected a whole number or `auto`".to_owned()),
    }
}

/// Audits and prints. The exit code is 0 when no log needs a person, 1 when one does, 2 when there is no usable root.
///
/// # Errors
/// When `out` or `err` cannot be written.
pub fn run(args: &DshAuditArgs, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<u8> {
    let home = args.dsh_home.as_ref().filter(|home| !home.is_empty());
    let Some(root) = args.root.clone().or_else(|| home.map(|home| Path::new(home).join("sessions"))) else {
        let usage = DshAuditArgs::augment_args(Command::new("sesslint dsh-audit")).render_usage();
        writeln!(err, "{usage}\n\nsesslint: error: name a sessions folder, or set DSH_HOME")?;
        return Ok(2);
    };
    let options = Options { format: args.harness_format, strict: args.strict, id: args.id.clone() };
    let audit = match StoreAudit::of(&root, &options) {
        Ok(audit) => audit,
        Err(error) => {
            writeln!(err, "sesslint: error: cannot list {}: {error}", inert(&root.to_string_lossy()))?;
            return Ok(2);
        }
    };
    for note in &audit.notes {
        writeln!(err, "sesslint: note: {}", inert(note))?;
    }
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &audit)?;
        writeln!(out)?;
    } else {
        write_text(&audit, out)?;
    }
    Ok(u8::from(audit.summary.needs_manual > 0))
}

fn write_text(audit: &StoreAudit, out: &mut dyn Write) -> io::Result<()> {
    for artifact in &audit.artifacts {
        write_artifact(artifact, out)?;
    }
    let total = audit.summary;
    writeln!(
        out,
        "{}: {} clean, {} needing manual attention; {}, {}",
        counted(total.scanned, "session scanned", "sessions scanned"),
        total.clean,
        total.needs_manual,
        counted(total.error_findings, "error finding", "error findings"),
        counted(total.warn_findings, "warn finding", "warn findings"),
    )?;
    if total.blocking_start > 0 {
        let files = counted(total.blocking_start, "file", "files");
        writeln!(out, "The harness does not start before {files} left this sessions folder.")?;
    }
    Ok(())
}

fn write_artifact(artifact: &Artifact, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "session {}", inert(artifact.session_id.as_deref().unwrap_or("(unknown)")))?;
    writeln!(out, "  path: {}", inert(&artifact.path))?;
    let format = artifact.format_version.map_or("unknown".to_owned(), |version| version.to_string());
    write!(
        out,
        "  format: {format}, {}, {}, ",
        counted(artifact.event_count, "event", "events"),
        counted(artifact.byte_length, "byte", "bytes"),
    )?;
    match (artifact.container, artifact.frame_count) {
        (Container::Plaintext, _) => writeln!(out, "plaintext")?,
        (Container::Zstd, None) => writeln!(out, "zstd")?,
        (Container::Zstd, Some(frames)) => writeln!(out, "zstd of {}", counted(frames, "frame", "frames"))?,
    }
    for finding in &artifact.findings {
        write_finding(finding, out)?;
    }
    if artifact.omitted_findings > 0 {
        writeln!(out, "  and {} not listed", counted(artifact.omitted_findings, "finding", "findings"))?;
    }
    let verdict = match (artifact.findings.is_empty(), artifact.needs_manual) {
        (true, _) => "clean",
        (false, false) => "passes",
        (false, true) => "needs manual attention",
    };
    writeln!(out, "  verdict: {verdict}; {}\n", artifact.effect().verdict())
}

fn write_finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let at = finding.at.map_or(String::new(), |at| format!(" @{at}"));
    let severity = severity_word(finding.code.severity());
    writeln!(out, "  [{severity}] {}{at} - {}", finding.code.as_str(), inert(&finding.message))?;
    writeln!(out, "      {} {}", finding.effect.sentence(), inert(&finding.advice))
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::{Args, Command, FromArgMatches};

    use super::{DshAuditArgs, run};

    /// Exit code, standard output and standard error. The environment is left out.
    fn audit(args: &[&str]) -> (u8, String, String) {
        let command = DshAuditArgs::augment_args(Command::new("dsh-audit")).mut_arg("dsh_home", |arg| arg.env(None));
        let matches = match command.try_get_matches_from([&["dsh-audit"], args].concat()) {
            Ok(matches) => matches,
            Err(error) => return (error.exit_code() as u8, String::new(), error.to_string()),
        };
        let args = DshAuditArgs::from_arg_matches(&matches).expect("parsed");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = run(&args, &mut out, &mut err).expect("memory");
        (code, String::from_utf8(out).expect("UTF-8"), String::from_utf8(err).expect("UTF-8"))
    }

    const HEADER: &str =
        r#"{"type":"session","version":0,"id":"ID","createdAt":1,"cwd":"/srv/app","delegationDepth":0}"#;

    /// Writes a log below a root.
    fn put(root: &Path, place: &str, id: &str, lines: &[&str]) {
        let path = root.join(place);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        let header = HEADER.replace("ID", id);
        fs::write(path, [&[header.as_str()], lines, &[""]].concat().join("\n")).expect("writable");
    }

    fn mixed_root() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let start = r#"{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}"#;
        let end = r#"{"type":"turn/end","seq":1,"time":2,"data":{"turn":1}}"#;
        let late_end = r#"{"type":"turn/end","seq":7,"time":2,"data":{"turn":1}}"#;
        put(root.path(), "--srv-app--/clean/session.jsonl", "clean", &[start, end]);
        put(root.path(), "--srv-app--/gap/session.jsonl", "gap", &[start, late_end]);
        put(root.path(), "--srv-app--/moved/session.jsonl", "\u{202e}x", &[start]);
        put(root.path(), "--elsewhere--/other/session.jsonl", "other", &[start, end]);
        fs::create_dir(root.path().join("--srv-app--/frames")).expect("writable");
        fs::write(root.path().join("--srv-app--/frames/session.jsonl.zstd"), [0; 9]).expect("writable");
        root
    }

    #[test]
    fn text_names_each_log_its_findings_and_what_to_do() {
        let root = mixed_root();
        let (code, out, err) = audit(&[root.path().to_str().expect("UTF-8")]);
        assert_eq!((code, err.as_str()), (1, ""));
        insta::assert_snapshot!(out);
    }

    #[test]
    fn json_is_one_document() {
        let root = mixed_root();
        let (code, out, err) = audit(&[root.path().to_str().expect("UTF-8"), "--json", "--id", "gap"]);
        assert_eq!((code, err.as_str()), (1, ""));
        insta::assert_snapshot!(out);
    }

    #[test]
    fn the_gate_follows_manual_attention_and_strictness() {
        let root = mixed_root();
        let root = root.path().to_str().expect("UTF-8");
        assert_eq!(audit(&[root, "--id", "other"]).0, 0);
        assert_eq!(audit(&[root, "--id", "other", "--strict"]).0, 1);
        assert_eq!(audit(&[root, "--id", "other", "--harness-format", "1"]).0, 1);
        assert_eq!(audit(&[root, "--id", "other", "--harness-format", "auto"]).0, 0);
        let (code, out, _) = audit(&[root, "--id", "nothing has this"]);
        assert!(code == 0 && out.starts_with("0 sessions scanned"), "{out}");
    }

    #[test]
    fn the_default_root_is_in_the_home_of_the_harness() {
        let home = tempfile::tempdir().expect("a folder");
        put(&home.path().join("sessions"), "--srv-app--/a/session.jsonl", "a", &[]);
        let home = home.path().to_str().expect("UTF-8");
        assert!(audit(&["--dsh-home", home]).1.contains("1 session scanned: 1 clean"));
        let empty = tempfile::tempdir().expect("a folder");
        let empty = empty.path().to_str().expect("UTF-8");
        assert!(audit(&[empty, "--dsh-home", home]).1.starts_with("0 sessions scanned"));
    }

    #[test]
    fn what_cannot_be_done_is_told_on_standard_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("UTF-8");
        let file = folder.path().join("file");
        fs::write(&file, "x").expect("writable");
        let missing = folder.path().join("missing");
        for args in [
            vec![],
            vec!["--dsh-home", ""],
            vec![file.to_str().expect("UTF-8")],
            vec![missing.to_str().expect("UTF-8")],
            vec![path, path],
            vec![path, "--id"],
            vec![path, "--unknown"],
            vec![path, "--harness-format", "x"],
            vec![path, "--harness-format", "-1"],
        ] {
            let (code, out, err) = audit(&args);
            assert!(code == 2 && out.is_empty() && !err.is_empty(), "{args:?}: {code} {out} {err}");
        }
    }
}
