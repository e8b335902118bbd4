//! What people read of `repair` and `verify`: previews, the eight steps, refusals, verdicts, a batch.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const LOG: &str = r#"{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"tidy the shed"},"uuid":"u1","timestamp":"2026-03-01T10:00:00.000Z"}
{"parentUuid":"u1","sessionId":"s","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"looking"},{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}}]},"uuid":"a2","timestamp":"2026-03-01T10:00:01.000Z"}
{"parentUuid":"a2","sessionId":"s","type":"user","message":{"role":"user","content":"well?"},"uuid":"u3","timestamp":"2026-03-01T10:00:02.000Z"}
{"parentUuid":"gone","sessionId":"s","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"uuid":"a4","timestamp":"2026-03-01T10:00:03.000Z"}
{"parentUuid":"a4","sessionId":"s","type":"us"#;
const SALVAGE: [&str; 3] = ["--policy", "salvage", "--acknowledge-side-effects"];

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, args: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_sesslint"))
        .args(args)
        .current_dir(folder)
        .env_remove("GITHUB_WORKSPACE")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

fn bed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shed.jsonl"), LOG).unwrap();
    folder
}

fn with<'a>(args: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(SALVAGE).collect()
}

#[test]
fn a_preview_says_what_changes_and_why_without_content() {
    let bed = bed();
    let run = run(bed.path(), &with(&["repair", "shed.jsonl", "--preview"]));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.out.contains("tidy") && !run.out.contains("looking"));
    insta::assert_snapshot!("preview", run.out);
    assert_eq!(std::fs::read_dir(bed.path()).unwrap().count(), 1);
}

#[test]
fn a_preview_with_content_shows_the_lines() {
    let run = run(bed().path(), &with(&["repair", "shed.jsonl", "--preview", "--include-content"]));
    assert!(run.out.contains("+{\"parentUuid\":\"u3\"") && run.out.contains("looking"), "{}", run.out);
    assert!(run.err.contains("do not share"));
}

#[test]
fn a_repair_tells_its_steps_and_verifies() {
    let bed = bed();
    let made = run(bed.path(), &with(&["repair", "shed.jsonl", "-o", "mended.jsonl", "--attestation"]));
    assert_eq!(made.code, 0, "{}", made.err);
    insta::assert_snapshot!("repaired", made.out);
    let verify = |json: &[&str]| {
        let args = ["verify", "shed.jsonl", "mended.jsonl", "--manifest", "mended.jsonl.manifest.json"];
        let args: Vec<&str> = args.iter().chain(json).copied().chain(["--acknowledge-side-effects"]).collect();
        run(bed.path(), &args)
    };
    let passed = verify(&[]);
    assert_eq!(passed.code, 0, "{}", passed.out);
    insta::assert_snapshot!("verified", passed.out);

    let statement = std::fs::read(bed.path().join("mended.jsonl.attestation.json")).unwrap();
    let statement: Value = serde_json::from_slice(&statement).unwrap();
    let receipt = std::fs::read(bed.path().join("mended.jsonl.manifest.json")).unwrap();
    let receipt: Value = serde_json::from_slice(&receipt).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["subject"][0]["digest"]["sha256"], receipt["output_fingerprint"]);
    assert_eq!(statement["predicate"]["edits"], receipt["edits"]);

    let path = bed.path().join("mended.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("well?", "hello")).unwrap();
    let failed = verify(&["--json"]);
    assert_eq!(failed.code, 1);
    let verdict: Value = serde_json::from_str(&failed.out).unwrap();
    let wrong: Vec<_> = verdict["checks"].as_array().unwrap().iter().filter(|c| c["ok"] == false).collect();
    assert_eq!(
        wrong.iter().map(|c| c["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["output_hash", "transformation_audit"]
    );
}

#[test]
fn a_refusal_says_what_stands_in_the_way() {
    let bed = bed();
    let refused = run(bed.path(), &["repair", "shed.jsonl", "-o", "mended.jsonl", "--json"]);
    assert_eq!(refused.code, 1);
    insta::assert_snapshot!("refused", refused.err);
    let document: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!(document["schema_version"], "sesslint.refusal/v1");
    assert_eq!(document["blocking"].as_array().map(Vec::len), Some(2));
    assert_eq!(std::fs::read_dir(bed.path()).unwrap().count(), 1);
}

#[test]
fn what_a_repair_leaves_is_told() {
    let bed = bed();
    let lines: Vec<&str> = LOG.lines().collect();
    std::fs::write(bed.path().join("twice.jsonl"), format!("{0}\n{1}\n{1}\n", lines[0], lines[1])).unwrap();
    let made = run(bed.path(), &["repair", "twice.jsonl", "-o", "mended.jsonl"]);
    assert_eq!(made.code, 0, "{}", made.err);
    insta::assert_snapshot!("left", made.out);
    let folder = run(bed.path(), &["repair", ".", "-o", "other.jsonl"]);
    assert_eq!((folder.code, folder.err.trim()), (2, ".: a folder; `repair --batch` mends what is below one"));
}

#[test]
fn a_batch_mends_what_is_broken_and_sums_up() {
    let bed = bed();
    let folder = bed.path();
    let logs = folder.join("logs/deep");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::rename(folder.join("shed.jsonl"), logs.join("shed.jsonl")).unwrap();
    let healthy: String = LOG.lines().take(1).map(|l| format!("{l}\n")).collect();
    std::fs::write(folder.join("logs/healthy.jsonl"), healthy).unwrap();
    std::fs::write(folder.join("logs/notes.txt"), "no session").unwrap();
    let args =
        ["repair", "logs", "--batch", "--output-dir", "out", "--manifest-dir", "receipts", "--summary", "sum.json"];
    let made = run(folder, &with(&args));
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    insta::assert_snapshot!("batch", made.out);
    let manifest = "receipts/deep/shed.jsonl.manifest.json";
    let args = ["verify", "logs/deep/shed.jsonl", "out/deep/shed.jsonl", "--manifest", manifest, SALVAGE[2]];
    assert_eq!(run(folder, &args).code, 0);
    let summary: Value = serde_json::from_slice(&std::fs::read(folder.join("sum.json")).unwrap()).unwrap();
    assert_eq!(summary["totals"]["repaired"], 1);
    assert_eq!(summary["files"][0]["path"], "deep/shed.jsonl");
    // Conservative: refused, and nothing is written.
    let refused = run(folder, &["repair", "logs", "--batch", "--output-dir", "again", "--json"]);
    assert_eq!(refused.code, 1);
    let summary: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!((&summary["totals"]["refused"], &summary["totals"]["skipped"]), (&1.into(), &1.into()));
    assert!(!folder.join("again").exists());
}

#[test]
fn plans_go_to_a_file_and_come_back() {
    let bed = bed();
    let planned = run(bed.path(), &with(&["repair", "shed.jsonl", "--dry-run", "--plan-out", "plan.json"]));
    assert_eq!(planned.code, 0, "{}", planned.err);
    let made = run(bed.path(), &with(&["repair", "shed.jsonl", "--plan", "plan.json", "-o", "mended.jsonl"]));
    assert_eq!(made.code, 0, "{}", made.err);
    let plan = std::fs::read_to_string(bed.path().join("plan.json")).unwrap();
    std::fs::write(bed.path().join("plan.json"), plan.replace("unanswered-call-removal", "orphan-result-drop"))
        .unwrap();
    let refused = run(bed.path(), &with(&["repair", "shed.jsonl", "--plan", "plan.json", "-o", "other.jsonl"]));
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("PLAN_TAMPERED"), "{}", refused.err);
}
