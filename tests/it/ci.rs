//! `sesslint ci`, `merge` and `baseline` as a job sees them: a repository, a runner's files, outputs, exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A repository with session logs, and the files of a runner beside it.
struct Job {
    folder: tempfile::TempDir,
}

fn example(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/examples").join(name)).unwrap()
}

impl Job {
    fn new() -> Self {
        let job = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(job.path("repo")).unwrap();
        job.git(&["init", "-q", "-b", "main", "."]);
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path("repo").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn broken(self) -> Self {
        self.write("logs/broken.jsonl", &example("claude-code-broken.jsonl"));
        self
    }

    fn healthy(self) -> Self {
        self.write("logs/healthy.jsonl", &example("claude-code-healthy.jsonl"));
        self
    }

    fn git(&self, arguments: &[&str]) {
        let config = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let git = Command::new("git").args(config).args(arguments).current_dir(self.path("repo")).output().unwrap();
        assert!(git.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&git.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "state"]);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesslint"));
        command.args(arguments).current_dir(self.path("repo")).env("NO_COLOR", "1");
        for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_WORKSPACE"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The same on a runner of GitHub Actions.
    fn run_hosted(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", self.path("repo"));
        command.env("GITHUB_STEP_SUMMARY", self.path("summary")).env("GITHUB_OUTPUT", self.path("outputs"));
        command.output().unwrap()
    }

    fn code(&self, arguments: &[&str]) -> i32 {
        self.run(arguments).status.code().unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path("repo").join(name)).unwrap()).unwrap()
    }

    fn outputs(&self) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(self.path("outputs")).unwrap();
        text.lines().filter_map(|line| line.split_once('=')).map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The lines that a runner would obey: nothing between `stop-commands` and its token counts.
fn commands(text: &str) -> Vec<String> {
    let mut stopped: Option<String> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        match &stopped {
            Some(token) if line == format!("::{token}::") => stopped = None,
            Some(_) => {}
            None => {
                if let Some(token) = line.strip_prefix("::stop-commands::") {
                    stopped = Some(token.to_owned());
                } else if line.starts_with("::") || line.contains("##[") {
                    found.push(line.to_owned());
                }
            }
        }
    }
    assert_eq!(stopped, None, "commands are on again at the end");
    found
}

#[test]
fn a_job_reports_everywhere_and_then_fails() {
    let job = Job::new().broken().healthy();
    let output = job.run_hosted(&["ci", "--output", "sarif=out/r.sarif", "--also", "json=out/r.json"]);
    assert_eq!(output.status.code(), Some(1));
    let found = commands(&stdout(&output));
    assert!(
        !found.is_empty() && found.iter().all(|c| c.starts_with("::error file=logs/broken.jsonl,line=")),
        "{found:?}"
    );
    assert!(stdout(&output).contains("[INVALID]            logs/broken.jsonl"));
    let summary = std::fs::read_to_string(job.path("summary")).unwrap();
    assert!(summary.starts_with("## sesslint: ❌ 1 of 2 session files will not replay"));
    let outputs = job.outputs();
    let of = |name: &str| outputs.iter().find(|o| o.0 == name).map(|o| o.1.clone());
    assert_eq!(of("exit-code").as_deref(), Some("1"));
    assert_eq!(of("verdict").as_deref(), Some("fail"));
    assert_eq!(of("files-checked").as_deref(), Some("2"));
    assert_eq!(of("sarif-file").as_deref(), Some("out/r.sarif"));
    assert_eq!(of("report-file").as_deref(), Some("out/r.json"));
    assert_eq!(of("errors"), of("new-findings"));
    let results = job.json("out/r.sarif")["runs"][0]["results"].as_array().unwrap().clone();
    assert_eq!(results.len(), found.len());
    assert!(results.iter().all(|r| r["partialFingerprints"]["primaryLocationLineHash"].is_string()));
}

#[test]
fn a_document_on_standard_output_is_alone_there() {
    let job = Job::new().broken();
    for format in ["json", "sarif", "gitlab"] {
        let output = job.run_hosted(&["ci", "--output", format]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap();
        assert!(commands(&stderr(&output)).iter().any(|c| c.starts_with("::error file=logs/broken.jsonl")));
    }
    let output = job.run_hosted(&["ci", "--output", "github"]);
    assert_eq!(commands(&stdout(&output)).len(), 4);
    assert_eq!(commands(&stderr(&output)), Vec::<String>::new(), "annotations are written once");
}

#[test]
fn the_gate_depends_on_severity_alone() {
    let job = Job::new().broken();
    for format in ["human", "json", "jsonl", "sarif", "markdown", "github", "gitlab", "junit", "html"] {
        for (fail_on, code) in [("never", 0), ("info", 1), ("error", 1), ("fatal", 0)] {
            assert_eq!(job.code(&["ci", "--output", format, "--fail-on", fail_on]), code, "{format} {fail_on}");
        }
    }
    assert_eq!(job.code(&["ci", "--fail-on", "never", "--max-findings", "3"]), 1);
    assert_eq!(job.code(&["ci", "--fail-on", "never", "--max-findings", "100"]), 0);
    assert_eq!(job.code(&["ci", "--select", "SL2"]), 0);
    assert_eq!(job.code(&["ci", "--ignore", "SL"]), 0);
    assert_eq!(job.code(&["ci", "--select", "SL002"]), 1);
    assert_eq!(job.code(&["ci", "--select", "XX"]), 2);
}

#[test]
fn an_ignored_cause_does_not_hide_what_follows_from_it() {
    let job = Job::new().broken();
    job.run(&["ci", "--ignore", "SL004", "--output", "json=r.json"]);
    let document = job.json("r.json");
    let codes: Vec<&str> =
        document["files"][0]["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert!(!codes.contains(&"SL004") && codes.contains(&"SL006") && codes.contains(&"SL102"), "{codes:?}");
}

#[test]
fn nothing_found_is_an_error_unless_allowed() {
    let job = Job::new();
    job.write("package.json", "{\"name\": \"x\"}");
    let output = job.run_hosted(&["ci"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no session log was found"));
    assert!(stdout(&output).contains("Gate: not decided (--fail-on error)\n"), "{}", stdout(&output));
    assert_eq!(commands(&stdout(&output)), ["::warning title=sesslint::No session file was checked."]);
    assert!(job.outputs().contains(&("verdict".into(), "error".into())));
    assert_eq!(job.code(&["ci", "--allow-empty"]), 0);
    assert_eq!(job.code(&["ci", "*.none", "--allow-empty"]), 0);
    assert_eq!(job.code(&["ci", "none", "--allow-empty"]), 2);
    let job = job.healthy();
    job.write("logs/second.jsonl", &example("claude-code-healthy.jsonl"));
    assert_eq!(job.code(&["ci"]), 0);
    assert_eq!(job.code(&["ci", "--max-files", "1"]), 2, "a gate that did not look at everything is not green");
}

#[cfg(unix)]
#[test]
fn names_cannot_speak_to_the_runner() {
    let job = Job::new();
    for name in ["x\n::error::y", "##[error]z", "a,b:c%0A", "::warning::w", "p|q`r", "\u{202e}txt"] {
        job.write(&format!("logs/{name}.jsonl"), &example("claude-code-broken.jsonl"));
    }
    let output = job.run_hosted(&["ci", "--output", "human", "--also", "junit=j.xml", "--also", "markdown=m.md"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(commands(&stderr(&output)), Vec::<String>::new());
    let text = stdout(&output);
    let found = commands(&text);
    assert_eq!(found.len(), 11, "{found:?}");
    assert!(found.iter().all(|c| c.starts_with("::error ") || c.starts_with("::notice title=More findings::")));
    // The text between the brackets is inert by itself too.
    let human: Vec<&str> = text.lines().filter(|l| !l.starts_with("::")).collect();
    assert!(human.iter().all(|l| !l.contains("##[") && !l.trim_start().starts_with("::")));
    for usage in
        [&["ci", "::error::gone\n::error::x"][..], &["ci", "--select", "x\n::error::y"], &["check", "a\n::error::b"]]
    {
        let output = job.run_hosted(usage);
        assert_eq!(output.status.code(), Some(2));
        let found = commands(&stderr(&output));
        assert!(found.len() <= 1 && found.iter().all(|c| c.starts_with("::error title=sesslint could not run::")));
    }
}

#[test]
fn why_a_job_could_not_run_is_shown_beside_its_log() {
    let job = Job::new().broken();
    let shown = |arguments: &[&str]| {
        let output = job.run_hosted(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let log = stdout(&output) + &stderr(&output);
        assert!(log.contains("could not run::") == commands(&log).iter().any(|c| c.contains("could not run::")));
        log.lines().filter(|line| line.starts_with("::error ")).map(str::to_owned).collect::<Vec<_>>()
    };
    job.write("bad.toml", "fail_on = \"error\"\n");
    assert!(shown(&["ci", "--config", "bad.toml"])[0].ends_with("bad.toml:1:1: unknown key `fail_on`"));
    assert!(shown(&["ci", "--config", "bad.toml", "--annotations=false"]).is_empty());
    assert!(shown(&["merge", "part-*.json"])[0].ends_with("part-*.json: no report matches this pattern"));
    // Ten of a kind are shown, and this is one of them.
    for n in 0..12 {
        job.write(
            &format!("logs/{n}.jsonl"),
            &example("claude-code-broken.jsonl").replace("0000-4000", &format!("00{n:02}-4000")),
        );
    }
    let errors = shown(&["ci", "--max-files", "11"]);
    assert_eq!(errors.len(), 10);
    assert!(errors[9].starts_with("::error title=sesslint could not run::files were left out"));
    assert!(!stderr(&job.run(&["ci", "none"])).contains("::error"));
}

#[test]
fn reports_take_the_place_of_nothing_else() {
    let job = Job::new().broken();
    let log = job.path("repo").join("logs/broken.jsonl");
    let before = std::fs::read(&log).unwrap();
    for command in ["ci", "scan", "check"] {
        let path = if command == "check" { "logs/broken.jsonl" } else { "logs" };
        let refused = |output: &str, what: &str| {
            let result = job.run(&[command, path, "--output", "jsonl=x", "--output", output]);
            assert_eq!(result.status.code(), Some(2), "{command} {output}");
            assert!(stderr(&result).contains(what), "{}", stderr(&result));
        };
        refused("json=logs/../logs/broken.jsonl", "is a file that was checked");
        refused("json=./x", "two reports go to ./x");
    }
    assert_eq!(job.code(&["baseline", "write", "--baseline", "logs/broken.jsonl"]), 2);
    assert_eq!(std::fs::read(&log).unwrap(), before);
    assert!(!job.path("repo").join("x").exists());
    assert_eq!(job.code(&["ci", "--output", "json=new.json"]), 1);
    assert_eq!(job.code(&["ci", "--output", "json=new.json"]), 1, "a report of its own is replaced");
}

#[test]
fn a_file_that_cannot_be_read_hides_nothing() {
    let job = Job::new().broken();
    let output = job.run(&["check", "gone.jsonl", "logs/broken.jsonl", "logs"]);
    assert_eq!(output.status.code(), Some(2), "a folder among files is wrong use");
    let output = job.run(&["check", "gone.jsonl", "logs/broken.jsonl", "gone-too.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("[SL002]"));
    assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
}

#[test]
fn ten_thousand_findings_stay_within_every_limit() {
    let job = Job::new();
    let healthy = example("claude-code-healthy.jsonl");
    let start: String = healthy.lines().take(3).map(|l| format!("{l}\n")).collect();
    for n in 0..2 {
        job.write(&format!("logs/{n}.jsonl"), &format!("{start}{}", "{\"broken\": \n".repeat(5_001)));
    }
    std::fs::write(job.path("summary"), "x".repeat(100_000)).unwrap();
    let output = job.run_hosted(&["ci", "--output", "sarif=r.sarif", "--spare-notices", "2"]);
    assert_eq!(output.status.code(), Some(1));
    let found = commands(&stdout(&output));
    assert_eq!(found.len(), 11);
    assert!(found[10].contains("Not annotated"), "{}", found[10]);
    assert!(std::fs::metadata(job.path("summary")).unwrap().len() < 1_048_576);
    let log = job.json("r.sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 5_000);
    assert!(results[4_999]["message"]["text"].as_str().unwrap().contains("findings beyond the limit"));
}

#[test]
fn what_is_missing_of_a_runner_is_a_notice() {
    let job = Job::new().broken();
    let mut command = job.command(&["ci"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", "/no/such/summary");
    command.env("GITHUB_OUTPUT", "/no/such/output");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "findings are not hidden");
    let found = commands(&stdout(&output));
    let notices = found.iter().filter(|c| c.starts_with("::notice title=sesslint::The ")).count();
    assert_eq!(notices, 2, "{found:?}");
    assert!(found.iter().any(|c| c.starts_with("::error file=logs/broken.jsonl")));
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_on_every_surface() {
    let job = Job::new().healthy();
    std::os::unix::fs::symlink("nowhere", job.path("repo/logs/gone.jsonl")).unwrap();
    let arguments =
        ["ci", "--follow-symlinks", "--also", "json=r.json", "--also", "sarif=r.sarif", "--also", "junit=r.xml"];
    let output = job.run_hosted(&arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(commands(&stdout(&output))[0].starts_with("::error file=logs/gone.jsonl,title=SL001"));
    assert!(stdout(&output).contains("the link leads nowhere"));
    let results = job.json("r.sarif")["runs"][0]["results"].clone();
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "logs/gone.jsonl");
    assert!(std::fs::read_to_string(job.path("repo/r.xml")).unwrap().contains("failures=\"0\" errors=\"1\""));
    assert_eq!(job.json("r.json")["totals"]["unreadable"], 1);
    assert_eq!(job.code(&["ci", "--follow-symlinks", "--fail-on", "never"]), 0);
}

#[test]
fn a_named_file_that_is_no_session_is_an_error_on_every_surface() {
    let job = Job::new();
    job.write("notes.jsonl", "{\"level\": 30}\n{\"level\": 40}\n");
    assert_eq!(job.code(&["ci"]), 2, "found by itself it is nothing");
    for format in ["human", "json", "jsonl", "sarif", "markdown", "github", "gitlab", "junit", "html"] {
        let output = job.run(&["ci", "notes.jsonl", "--output", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(stdout(&output).contains("SL302"), "{format}: {}", stdout(&output));
    }
    assert_eq!(job.code(&["ci", "notes.jsonl", "--skip-undetected", "--allow-empty"]), 0);
}

#[test]
fn a_baseline_lets_known_findings_pass() {
    let job = Job::new().broken().healthy();
    assert_eq!(job.code(&["ci", "--only-new"]), 2, "there is nothing to compare with");
    assert_eq!(job.code(&["ci", "--baseline", "none.jsonl"]), 2);
    assert_eq!(job.code(&["baseline", "show"]), 2);
    assert_eq!(job.code(&["baseline", "write"]), 0);
    let first = std::fs::read_to_string(job.path("repo/sesslint-baseline.jsonl")).unwrap();
    assert_eq!(job.code(&["ci"]), 1, "a baseline alone changes no verdict");
    assert_eq!(job.code(&["ci", "--only-new"]), 0);
    // Moved into another folder, and grown by whole records: still known.
    let grown = example("claude-code-healthy.jsonl")
        .replace("-8000-", "-9000-")
        .replace("toolu_", "toolu_9")
        .replace("msg_", "msg_9");
    let torn = example("claude-code-broken.jsonl");
    std::fs::remove_file(job.path("repo/logs/broken.jsonl")).unwrap();
    job.write("moved/renamed.jsonl", &torn);
    assert_eq!(job.code(&["ci", "--only-new"]), 0);
    assert_eq!(job.code(&["baseline", "update"]), 0);
    let moved = std::fs::read_to_string(job.path("repo/sesslint-baseline.jsonl")).unwrap();
    assert_eq!(moved, first.replace("logs/broken.jsonl", "moved/renamed.jsonl"));
    job.write("moved/renamed.jsonl", &format!("{}\n{grown}", torn.trim_end()));
    let output = job.run(&["ci", "--only-new", "--output", "json=r.json"]);
    assert_eq!(output.status.code(), Some(1), "a torn tail that was appended to is a new defect");
    let files = job.json("r.json")["files"].as_array().unwrap().clone();
    let renamed = files.iter().find(|f| f["source_path"] == "moved/renamed.jsonl").unwrap();
    let new: Vec<&Value> = renamed["findings"].as_array().unwrap().iter().filter(|f| f["standing"] == "new").collect();
    assert!(new.len() == 1 && new[0]["code"] == "SL001", "{new:?}");
    // Mended: stale.
    job.write("moved/renamed.jsonl", &example("claude-code-healthy.jsonl"));
    let output = job.run(&["ci", "--only-new"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("findings of the baseline are no longer there"), "{}", stderr(&output));
    let shown = stdout(&job.run(&["baseline", "show"]));
    assert!(shown.lines().all(|l| l.ends_with(" - stale") || l.ends_with(" stale")), "{shown}");
    assert_eq!(job.code(&["baseline", "update"]), 0);
    assert_eq!(std::fs::read_to_string(job.path("repo/sesslint-baseline.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn a_revision_lets_old_findings_pass() {
    let job = Job::new().broken();
    job.commit();
    assert_eq!(job.code(&["ci", "--since", "HEAD"]), 1);
    assert_eq!(job.code(&["ci", "--since", "HEAD", "--only-new"]), 0);
    // Renamed by git: still known. From a sub-folder too.
    job.git(&["mv", "logs/broken.jsonl", "logs/other.jsonl"]);
    assert_eq!(job.code(&["ci", "--since", "HEAD", "--only-new"]), 0);
    let below =
        job.command(&["ci", "--since", "HEAD", "--only-new"]).current_dir(job.path("repo/logs")).output().unwrap();
    assert_eq!(below.status.code(), Some(0), "{}", stderr(&below));
    // A copy is not.
    job.write("logs/copy.jsonl", &example("claude-code-broken.jsonl"));
    assert_eq!(job.code(&["ci", "--since", "HEAD", "--only-new"]), 1);
    let output = job.run_hosted(&["ci", "--since", "gone", "--only-new"]);
    assert_eq!(output.status.code(), Some(1), "what cannot be compared is new");
    assert!(commands(&stdout(&output)).iter().any(|c| c.starts_with("::notice title=sesslint::--since gone: ")));
    let option = job.run(&["ci", "--since=--output=pwned", "--only-new"]);
    assert_eq!(option.status.code(), Some(1));
    assert!(!job.path("repo/pwned").exists());
}

#[test]
fn settings_come_from_flag_environment_and_file() {
    let job = Job::new().broken();
    job.write(
        "sesslint.toml",
        "paths = ['logs']\nfail-on = 'never'\noutput = ['json=out/r.json']\n[[override]]\npaths = ['logs/b*']\nignore = ['SL5']\n",
    );
    assert_eq!(job.code(&["ci"]), 0);
    let document = job.json("out/r.json");
    let codes = document["files"][0]["findings"].as_array().unwrap().iter().map(|f| f["code"].clone());
    assert!(codes.clone().count() > 0 && !codes.clone().any(|c| c == "SL501"));
    assert_eq!(job.code(&["ci", "--fail-on", "error"]), 1);
    assert_eq!(job.code(&["ci", "--no-config"]), 1);
    let run = |name: &str, value: &str| job.command(&["ci"]).env(name, value).output().unwrap().status.code();
    assert_eq!(run("SESSLINT_FAIL_ON", "error"), Some(1));
    assert_eq!(run("SESSLINT_FAIL_ON", ""), Some(0));
    assert_eq!(run("SESSLINT_FAIL_ON", "bad"), Some(2));
    assert_eq!(run("SESSLINT_CONFIG", "none.toml"), Some(2));
    // Reports that only the file asks for leave no command without an answer.
    let check = |more: &[&str]| stdout(&job.run(&[&["check", "logs/broken.jsonl"][..], more].concat()));
    assert!(check(&[]).contains("[read-only] The session will not replay"), "{}", check(&[]));
    assert!(serde_json::from_str::<Value>(&check(&["--json"])).is_ok());
    assert_eq!(check(&["--output", "json=out/only.json"]), "");
    // From below, paths of the file still count from its folder.
    std::fs::remove_dir_all(job.path("repo/out")).unwrap();
    let below = job.command(&["ci"]).current_dir(job.path("repo/logs")).output().unwrap();
    assert_eq!(below.status.code(), Some(0), "{}", stderr(&below));
    assert_eq!(job.json("out/r.json")["files"][0]["source_path"], "../logs/broken.jsonl");
    job.write("sesslint.toml", "\nfail_on = 'never'\n");
    let output = job.run(&["ci"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("sesslint.toml:2:1: unknown key `fail_on`\nhint: did you mean `fail-on`?"));
    assert_eq!(job.code(&["check", "logs/broken.jsonl"]), 2, "every command reads the same settings");
}

#[test]
fn exclusion_holds_for_named_files_when_forced() {
    let job = Job::new().broken().healthy();
    job.write("sesslint.toml", "exclude = ['broken.jsonl', 'vendor']\n");
    job.write("vendor/deep/x.jsonl", &example("claude-code-broken.jsonl"));
    job.write("node_modules/x.jsonl", &example("claude-code-broken.jsonl"));
    assert_eq!(job.code(&["ci"]), 0);
    assert_eq!(job.code(&["ci", "logs/broken.jsonl"]), 1);
    assert_eq!(job.code(&["ci", "logs/broken.jsonl", "logs/healthy.jsonl", "--force-exclude"]), 0);
    assert_eq!(job.code(&["check", "logs/broken.jsonl", "--force-exclude"]), 0);
    assert_eq!(job.code(&["check", "vendor/deep/x.jsonl", "--force-exclude"]), 0);
}

#[test]
fn shards_joined_are_what_one_run_finds() {
    let job = Job::new().broken().healthy();
    for n in 0..12 {
        job.write(
            &format!("logs/{n}.jsonl"),
            &example(["claude-code-broken.jsonl", "claude-code-healthy.jsonl"][n % 2]),
        );
    }
    job.write("logs/other.json", "{}");
    let whole = ["human", "json", "jsonl", "sarif", "markdown", "github", "gitlab", "junit", "html"];
    let paths = |from: &str| whole.iter().map(|f| format!("--output={f}=../{from}.{f}")).collect::<Vec<_>>();
    let outputs = paths("one");
    let mut arguments = vec!["ci", "logs"];
    arguments.extend(outputs.iter().map(String::as_str));
    assert_eq!(job.code(&arguments), 1);
    for shard in ["1/3", "2/3", "3/3"] {
        let output = format!("--output=json=../part-{}.json", &shard[..1]);
        job.run(&["ci", "logs", "--shard", shard, "--fail-on", "never", "--allow-empty", &output]);
    }
    let outputs = paths("merged");
    let mut arguments = vec!["merge", "../part-*.json"];
    arguments.extend(outputs.iter().map(String::as_str));
    let merged = job.run(&arguments);
    assert_eq!(merged.status.code(), Some(1), "{}", stderr(&merged));
    // Long record ids stand shortened in JSON, so texts made from it show the short form.
    let plain = |from: &str, format: &str| {
        let text = std::fs::read_to_string(job.path(&format!("{from}.{format}"))).unwrap();
        let mut parts = text.split("(record ");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |out, rest| out + rest.split_once(')').map_or(rest, |(_, rest)| rest))
    };
    for format in whole {
        assert_eq!(plain("merged", format), plain("one", format), "{format}");
    }
    let missing = job.run(&["merge", "../part-1.json", "../part-3.json"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("part 2 of 3 is missing"));
    assert_eq!(job.code(&["merge", "logs/other.json"]), 2);
    assert_eq!(job.code(&["merge", "../part-*.json", "--fail-on", "never"]), 0);
    assert_eq!(job.run_hosted(&["merge", "../part-*.json"]).status.code(), Some(1));
    assert!(job.outputs().contains(&("files-checked".into(), "14".into())));
}

#[test]
fn equal_runs_give_equal_bytes() {
    let job = Job::new().broken().healthy();
    let all = |tag: &str, jobs: &str| {
        let mut bytes = Vec::new();
        for format in ["json", "jsonl", "sarif", "markdown", "github", "gitlab", "junit", "html", "human"] {
            let output = format!("{format}=../{tag}");
            job.run(&["ci", "logs", "--jobs", jobs, "--output", &output]);
            let text = std::fs::read_to_string(job.path(tag)).unwrap();
            assert!(!text.contains(&*job.folder.path().to_string_lossy()), "{format} tells where it ran");
            bytes.push(text);
        }
        bytes
    };
    assert_eq!(all("a", "1"), all("b", "7"));
}

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_documented_configuration_is_the_real_one() {
    let text = read("docs/config.md");
    for setting in sesslint::config::SETTINGS {
        assert!(text.contains(&format!("\n| `{}` |", setting.name)), "{} is not in docs/config.md", setting.name);
    }
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let config = sesslint::config::file::parse(example, "docs/config.md").unwrap();
    assert_eq!(config.overrides.len(), 2);
}

#[test]
fn the_action_offers_every_setting_and_invents_none() {
    let text = read("action.yml");
    let mut offered: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("SESSLINT_")?.split(':').next()).collect();
    offered.sort_unstable();
    // Checking and proposing are steps of their own.
    offered.dedup();
    let mut settings: Vec<String> = sesslint::config::SETTINGS.iter().map(|s| s.variable()).collect();
    settings.sort_unstable();
    assert_eq!(offered.iter().map(|name| format!("SESSLINT_{name}")).collect::<Vec<_>>(), settings);
    for input in sesslint::config::SETTINGS.iter().map(|s| s.name) {
        assert!(
            text.contains(&format!("\n  {input}:\n")) && text.contains(&format!("${{{{ inputs.{input} }}}}")),
            "{input}"
        );
    }
}

#[test]
fn the_text_ends_with_the_outcome_and_the_gate() {
    let job = Job::new().broken().healthy();
    let end = |arguments: &[&str]| {
        let text = stdout(&job.run(&[&["ci"][..], arguments].concat()));
        text.lines().rev().take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let found = "1 of 2 session files will not replay: 4 errors, 0 warnings, 0 informational.";
    assert_eq!(end(&[]), ["Gate: failed (--fail-on error)", found]);
    assert_eq!(end(&["--fail-on", "never"]), ["Gate: passed (--fail-on never)", found]);
    assert_eq!(
        end(&["--max-findings", "3", "--fail-on", "fatal"])[0],
        "Gate: failed (--fail-on fatal --max-findings 3)"
    );
    assert_eq!(job.code(&["baseline", "write"]), 0);
    assert_eq!(end(&["--only-new"])[0], "Gate: passed (--fail-on error --only-new, 0 new findings)");
}

#[test]
fn options_of_one_command_stand_apart_from_those_of_all() {
    let job = Job::new();
    for command in ["ci", "check", "repair", "propose", "baseline"] {
        let help = stdout(&job.run(&[command, "-h"]));
        let (own, global) = help.split_once("\nGlobal options:\n").unwrap();
        assert!(global.contains("--config") && !global.contains("--policy") && !own.contains("--config"), "{help}");
        let (_, behind) = own.split_once("Pull request:").unwrap_or_default();
        assert!(!behind.contains("--exclude"), "{help}");
    }
}
