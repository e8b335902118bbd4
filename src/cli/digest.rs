//! `sesslint digest`: what a log holds, and what two logs are to each other.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;

use clap::Args;
use sesslint::adapter::digest_framing;
use sesslint::emit::escape::inert;

use super::args::Global;
use sesslint::digest::{Framing, Operand, Pair, Relationship, Single, Source, is_meant_as_digest, scheme_of};

/// Arguments of `digest`.
#[derive(Args, Clone, Debug)]
pub struct DigestArgs {
    /// A session log, or `-` for standard input
    a: OsString,

    /// Another one, or a digest string, to compare the first one with
    b: Option<OsString>,

    /// List each entry: index, id or `-`, digest
    #[arg(long, conflicts_with = "b")]
    entries: bool,

    /// Print a JSON document
    #[arg(long)]
    json: bool,

    /// Exit with 1 unless the two are identical
    #[arg(long, requires = "b")]
    exit_code: bool,
}

/// Runs the command. The code is 0 whatever the digests and relationships are, 1 if `--exit-code` asks for it,
/// 2 when a log cannot be read.
///
/// # Errors
/// When `out` or `err` cannot be written.
pub fn run(global: &Global, args: &DigestArgs, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<u8> {
    match answer(global, args) {
        Ok(Answer::Single(single)) if args.json => json(&single, out).and(Ok(0)),
        Ok(Answer::Single(single)) => single.write_text(out).and(Ok(0)),
        Ok(Answer::Pair(pair)) => {
            if args.json {
                json(&pair, out)?;
            } else {
                pair.write_text(out)?;
            }
            Ok(u8::from(args.exit_code && pair.relationship != Relationship::Identical))
        }
        Err(message) => writeln!(err, "sesslint digest: {}", inert(&message)).and(Ok(2)),
    }
}

enum Answer {
    Single(Single),
    Pair(Box<Pair>),
}

fn answer(global: &Global, args: &DigestArgs) -> Result<Answer, String> {
    let framing = global.format.and_then(|choice| choice.0).map_or(Framing::Unknown, digest_framing);
    if args.a == "-" && args.b.as_deref() == Some(OsStr::new("-")) {
        return Err("standard input cannot be both logs".to_owned());
    }
    let a = operand(&args.a, framing)?;
    let Some(b) = &args.b else {
        if matches!(&a, Operand::Digest(text) if text.as_deref().and_then(scheme_of).is_none()) {
            return Err(format!("{}: neither a file nor a digest string", args.a.display()));
        }
        return Single::of(&a, args.entries).map(Answer::Single).map_err(|e| e.to_string());
    };
    let b = operand(b, framing)?;
    Pair::of(&a, &b).map(Box::new).map(Answer::Pair).map_err(|e| e.to_string())
}

/// A path, `-`, or what was meant as a digest string if there is no file of that name. An empty argument is a digest that
/// someone else did not give.
fn operand(argument: &OsStr, framing: Framing) -> Result<Operand, String> {
    let path = Path::new(argument);
    match argument.to_str() {
        Some("") => return Ok(Operand::Digest(None)),
        Some(text) if is_meant_as_digest(text) && !path.exists() => return Ok(Operand::Digest(Some(text.to_owned()))),
        _ => {}
    }
    let source = if argument == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).and_then(|_| Source::memory(bytes))
    } else {
        Source::open(path)
    };
    let log = source.and_then(|source| Operand::log(argument.to_string_lossy().into_owned(), source, framing));
    log.map_err(|e| format!("{}: {e}", path.display()))
}

fn json(document: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        global: Global,
        #[command(flatten)]
        digest: DigestArgs,
    }

    const THEIRS: &str = "sema-log-v3:sha256:7777777777777777777777777777777777777777777777777777777777777777";

    /// Exit code, standard output and standard error of `sesslint digest ARGUMENTS`; usage errors have no output.
    fn ran(arguments: &[&str]) -> (u8, String, String) {
        let Ok(line) = Line::try_parse_from([&["digest"], arguments].concat()) else {
            return (2, String::new(), String::new());
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = run(&line.global, &line.digest, &mut out, &mut err).expect("memory can be written");
        (code, String::from_utf8(out).expect("text"), String::from_utf8(err).expect("text"))
    }

    #[test]
    fn the_code_is_0_whatever_the_relationship_unless_it_is_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path.to_str().expect("text").to_owned()
        };
        let (one, two, bad) = (file("one", "1\n"), file("two", "1\n2\n"), file("bad", "{\n1\n"));
        let none = folder.path().join("none");
        let none = none.to_str().expect("text");
        for (arguments, code, asked) in [
            ([one.as_str(), one.as_str()], 0, 0),
            ([&one, &two], 0, 1),
            ([&one, &bad], 0, 1),
            ([&one, THEIRS], 0, 1),
            ([THEIRS, THEIRS], 0, 0),
            ([&one, none], 2, 2),
            ([&one, "sema-log-v3"], 0, 1),
            ([&one, &THEIRS.to_uppercase()], 0, 1),
            ([&one, &THEIRS[..60]], 0, 1),
            ([&one, &THEIRS.replace("sha256", "sha512")], 0, 1),
            ([&format!("{THEIRS}\n"), THEIRS], 0, 1),
            ([&one, ""], 0, 1),
            (["", ""], 0, 1),
            ([&one, "sema-log-v3.jsonl"], 2, 2),
            ([&one, folder.path().to_str().expect("text")], 2, 2),
            (["-", "-"], 2, 2),
        ] {
            let (found, out, err) = ran(&arguments);
            assert_eq!((found, out.is_empty(), err.is_empty()), (code, code == 2, code != 2), "{arguments:?}");
            let (found, out, err) = ran(&[&arguments[..], &["--exit-code", "--json"]].concat());
            assert_eq!((found, err.is_empty()), (asked, asked != 2), "{arguments:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), asked != 2, "{arguments:?}");
        }
        assert_eq!(ran(&[&bad]).0, 0);
        assert_eq!(ran(&[&one, "--entries"]).1.lines().count(), 3);
        for arguments in [
            &[][..],
            &[""],
            &["sema-log-v3"],
            &["--json"],
            &[&one, &two, &one],
            &[&one, "--exit-code"],
            &[&one, "--format", "x"],
        ] {
            assert_eq!(ran(arguments).0, 2, "{arguments:?}");
        }
    }

    #[test]
    fn an_argument_that_could_be_a_digest_is_a_path_if_there_is_such_a_file() {
        // A digest of its own: tests run side by side, in one folder.
        let name = THEIRS.replace('7', "5");
        let file = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempfile_in(".").expect("a file");
        std::fs::write(file.path(), "1\n").expect("a file can be written");
        let (code, out, _) = ran(&[name.as_str()]);
        assert_eq!((code, out.contains("1 entry")), (0, true));
        drop(file);
        let (code, out, _) = ran(&[name.as_str()]);
        assert_eq!((code, out.lines().next()), (0, Some(name.as_str())));
    }

    #[test]
    fn the_format_can_be_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "{\"type\":\"session\",\"timestamp\":\"t\"}\n").expect("a file can be written");
        let path = file.path().to_str().expect("text");
        for (format, entries) in [("auto", 0), ("pi-jsonl", 0), ("claude-code-jsonl", 1)] {
            let (_, out, _) = ran(&[path, "--format", format, "--json"]);
            assert!(out.contains(&format!("\"entries\": {entries}")), "{format}: {out}");
        }
    }
}
