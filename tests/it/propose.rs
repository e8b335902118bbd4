//! Proposals: the same bytes from anywhere, a patch that git takes, and no tampering that goes unnoticed.

use std::path::{Path, PathBuf};
use std::process::Command;

use sesslint::propose::{Proposal, pull_request, verify};

/// A repository with broken logs of several formats; some can be mended without loss.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/examples");
    let logs = folder.path().join("logs/deep er");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    let read = |name: &str| std::fs::read(examples.join(name)).unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(logs.join(name), bytes).unwrap();
    for name in ["claude-code-healthy.jsonl", "claude-code-broken.jsonl", "canonical-broken.jsonl"] {
        put(name, &read(name));
    }
    let healthy = read("claude-code-healthy.jsonl");
    put("torn \"é\".jsonl", &healthy[..healthy.len() - 25]);
    put("not a log.jsonl", b"{\"a\":1}\n");
    let crlf = String::from_utf8(healthy.clone()).unwrap().replace('\n', "\r\n");
    put("crlf.jsonl", &crlf.as_bytes()[..crlf.len() - 25]);
    let canonical = read("canonical-healthy.jsonl");
    put("canonical-torn.jsonl", &canonical[..canonical.len() - 9]);
    folder
}

/// Exit code and standard output of `sesslint ARGUMENTS` in a folder.
fn sesslint(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesslint"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GITHUB_")) {
        command.env_remove(name);
    }
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| (entry.path().strip_prefix(folder).unwrap().to_owned(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

const SALVAGE: [&str; 3] = ["--policy", "salvage", "--acknowledge-side-effects"];

fn proposed(repository: &Path, name: &str) -> PathBuf {
    let folder = repository.parent().unwrap().join(format!("{}-{name}", repository.file_name().unwrap().display()));
    let shown = folder.to_str().unwrap();
    let (code, _, err) = sesslint(repository, &[&["propose", ".", "--out-dir", shown][..], &SALVAGE].concat());
    assert_eq!(code, 0, "{err}");
    folder
}

#[test]
fn the_same_logs_give_the_same_bytes_wherever_they_are() {
    let (one, two) = (repository(), repository());
    let (a, b) = (proposed(one.path(), "a"), proposed(two.path(), "b"));
    let nested = two.path().join("logs");
    let c = two.path().with_extension("c");
    let arguments = ["propose", "deep er", "deep er/crlf.jsonl", "--jobs", "1", "--out-dir", c.to_str().unwrap()];
    assert_eq!(sesslint(&nested, &[&arguments[..], &SALVAGE].concat()).0, 0);
    assert!(files(&a).len() > 15);
    assert_eq!(files(&a), files(&b));
    assert_eq!(files(&a), files(&c));
    for folder in [a, b, c] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn git_applies_the_patch_and_nothing_else_changes() {
    let repository = repository();
    std::fs::remove_dir(repository.path().join(".git")).unwrap();
    let git = |arguments: &[&str]| {
        let fixed = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "core.autocrlf=false"];
        let output = Command::new("git").args(fixed).args(arguments).current_dir(repository.path()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("note: there is no git; the patch was not applied");
        return;
    }
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "base"]);
    let base = files(repository.path());
    let folder = proposed(repository.path(), "patch");
    let proposal: Proposal = serde_json::from_slice(&std::fs::read(folder.join("proposal.json")).unwrap()).unwrap();
    assert_eq!(proposal.base_commit.as_deref(), Some(git(&["rev-parse", "HEAD"]).trim()));
    git(&["apply", "--binary", "--index", folder.join("changes.patch").to_str().unwrap()]);
    let expected = files(&folder.join("files"));
    assert_eq!(expected.len(), 2 * proposal.files.len());
    assert!(proposal.files.len() >= 4, "{:?}", proposal.files.iter().map(|f| &f.path).collect::<Vec<_>>());
    let own = |file: &&(PathBuf, Vec<u8>)| !file.0.starts_with(".git");
    for (path, bytes) in files(repository.path()).iter().filter(own) {
        let proposed = expected.iter().find(|file| file.0 == *path);
        let kept = base.iter().find(|file| file.0 == *path);
        assert_eq!(Some(bytes), proposed.or(kept).map(|file| &file.1), "{}", path.display());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn any_change_to_a_proposal_or_its_base_is_noticed() {
    let repository = repository();
    let folder = proposed(repository.path(), "tamper");
    let root = repository.path();
    let problems = || verify(&folder, root).unwrap().problems;
    assert_eq!(problems(), []);
    for (path, bytes) in files(&folder) {
        let path = folder.join(path);
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut other = bytes.clone();
            other[at] ^= 1;
            std::fs::write(&path, other).unwrap();
            assert!(!problems().is_empty(), "{} byte {at}", path.display());
        }
        std::fs::remove_file(&path).unwrap();
        assert!(!problems().is_empty(), "{} gone", path.display());
        std::fs::write(&path, bytes).unwrap();
    }
    for name in ["more", "files/logs/more.jsonl", "attestations/more"] {
        std::fs::write(folder.join(name), b"x").unwrap();
        assert!(!problems().is_empty(), "{name}");
        std::fs::remove_file(folder.join(name)).unwrap();
    }
    for (path, bytes) in
        files(&folder.join("files")).iter().filter(|(path, _)| path.extension() == Some("jsonl".as_ref()))
    {
        let source = root.join(path);
        let was = std::fs::read(&source).unwrap();
        for other in [&[&was[..], b"\n"].concat(), bytes] {
            std::fs::write(&source, other).unwrap();
            assert!(!problems().is_empty(), "{} at the base", path.display());
        }
        std::fs::write(&source, was).unwrap();
    }
    assert_eq!(problems(), []);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Whoever rewrites the hashes too is found out by what follows from the base.
#[test]
fn a_consistent_forgery_is_noticed() {
    let repository = repository();
    let folder = proposed(repository.path(), "forged");
    let index = folder.join("proposal.json");
    let honest: Proposal = serde_json::from_slice(&std::fs::read(&index).unwrap()).unwrap();
    let forgeries: [fn(&mut Proposal); 7] = [
        |p| p.files[0].declared_loss.clear(),
        |p| p.files[0].assurance.after = "A0".into(),
        |p| p.files[0].edits.steps.clear(),
        |p| p.files[0].source.log_digest = None,
        |p| p.files[0].path = "../out.jsonl".into(),
        |p| drop(p.files.remove(0)),
        |p| p.policy = "conservative".into(),
    ];
    for (number, forge) in forgeries.into_iter().enumerate() {
        let mut proposal = honest.clone();
        forge(&mut proposal);
        proposal.fingerprint = proposal.computed_fingerprint();
        std::fs::write(&index, proposal.bytes()).unwrap();
        std::fs::write(folder.join("PULL_REQUEST.md"), pull_request::body(&proposal)).unwrap();
        rewrite_sums(&folder);
        assert!(!verify(&folder, repository.path()).unwrap().problems.is_empty(), "forgery {number}");
    }
    std::fs::write(&index, honest.bytes()).unwrap();
    std::fs::write(folder.join("PULL_REQUEST.md"), pull_request::body(&honest)).unwrap();
    rewrite_sums(&folder);
    assert_eq!(verify(&folder, repository.path()).unwrap().problems, []);
    std::fs::remove_dir_all(folder).unwrap();
}

fn rewrite_sums(folder: &Path) {
    use sha2::Digest as _;
    let text: String = files(folder)
        .iter()
        .filter(|(path, _)| path != Path::new("SHA256SUMS"))
        .map(|(path, bytes)| {
            let sum: String = sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            (path.to_str().unwrap().replace('\\', "/"), sum)
        })
        .collect::<std::collections::BTreeMap<_, _>>()
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"))
        .collect();
    std::fs::write(folder.join("SHA256SUMS"), text).unwrap();
}

#[test]
fn nothing_to_do_is_said_and_is_no_error() {
    let repository = repository();
    let healthy = "logs/deep er/claude-code-healthy.jsonl";
    let (code, out, _) = sesslint(repository.path(), &["propose", healthy, "--out-dir", "out"]);
    assert_eq!((code, out.as_str()), (0, "Nothing to propose: no log is in need of repair.\n"));
    let (code, out, _) =
        sesslint(repository.path(), &["propose", "logs/deep er/canonical-broken.jsonl", "--out-dir", "out"]);
    assert_eq!(code, 1);
    assert!(out.contains("refused") && out.contains("Nothing to propose: no log can be repaired."), "{out}");
    assert!(!repository.path().join("out").exists());
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_written() {
    let repository = repository();
    let run = |more: &[&str]| sesslint(repository.path(), &[&["propose", "logs", "--out-dir", "out"], more].concat());
    std::fs::create_dir(repository.path().join("out")).unwrap();
    std::fs::write(repository.path().join("out/mine"), b"x").unwrap();
    let (code, _, err) = run(&[]);
    assert!(code == 2 && err.contains("exists"), "{err}");
    if !cfg!(feature = "github") {
        let (code, _, err) = run(&["--open-pr"]);
        assert!(code == 2 && err.contains("this build"), "{err}");
    }
    assert_eq!(std::fs::read_dir(repository.path().join("out")).unwrap().count(), 1);
    assert_eq!(sesslint(repository.path(), &["verify", "--proposal", "out"]).0, 1);
    assert_eq!(sesslint(repository.path(), &["verify", "--proposal", "none"]).0, 2);
}

#[test]
fn a_file_too_large_for_the_commit_says_so() {
    let repository = repository();
    let folder = repository.path().join("out");
    let arguments = ["propose", "logs", "--out-dir", "out", "--max-committed-bytes", "1000"];
    let (code, out, _) = sesslint(repository.path(), &arguments);
    assert!(code == 0 && out.contains("not committed: larger than 1000 bytes"), "{out}");
    let text = std::fs::read_to_string(folder.join("PULL_REQUEST.md")).unwrap();
    assert!(text.contains("**Not in the commit**"), "{text}");
    assert_eq!(verify(&folder, repository.path()).unwrap().problems, []);
}
