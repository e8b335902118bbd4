//! Every JSON document that is printed satisfies its published schema, and the schema names every member there is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

use crate::support::{entries, shared};

/// Schemas may be added to; a member that none of them names is a mistake all the same. So they are closed here.
struct Schemas(BTreeMap<String, Validator>);

impl Schemas {
    fn load() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        let mut all: BTreeMap<String, Value> = BTreeMap::new();
        for path in entries(&folder) {
            let mut schema: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            jsonschema::meta::validate(&schema).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            close(&mut schema, "");
            all.insert(path.file_name().unwrap().to_str().unwrap().replace(".v1.schema.json", ""), schema);
        }
        let mut registry = Registry::new();
        for schema in all.values() {
            registry = registry.add(schema["$id"].as_str().unwrap(), schema.clone()).unwrap();
        }
        let registry = registry.prepare().unwrap();
        let build = |schema: &Value| jsonschema::options().with_registry(&registry).build(schema).unwrap();
        Self(all.iter().map(|(name, schema)| (name.clone(), build(schema))).collect())
    }

    /// Says where a document breaks its schema.
    fn check(&self, name: &str, document: &Value, about: &str) {
        let errors: Vec<String> =
            self.0[name].iter_errors(document).take(3).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {about}: {errors:#?}");
    }
}

/// Forbids members that are not named. What other schemas build upon stays open.
fn close(schema: &mut Value, name: &str) {
    let Some(object) = schema.as_object_mut() else {
        if let Some(list) = schema.as_array_mut() {
            list.iter_mut().for_each(|element| close(element, ""));
        }
        return;
    };
    let is_schema = |key: &str| name != "properties" && object.contains_key(key);
    if is_schema("$ref") || is_schema("allOf") {
        object.insert("unevaluatedProperties".into(), false.into());
    } else if is_schema("properties") && name != "single" && !object.contains_key("additionalProperties") {
        object.insert("additionalProperties".into(), false.into());
    }
    for (name, value) in object.iter_mut() {
        close(value, name);
    }
}

/// Standard output of a call. Exit codes 0 and 1 are both good.
fn printed(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sesslint"))
        .args(args)
        .env_remove("GITHUB_WORKSPACE")
        .env_remove("GITHUB_ACTIONS")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn document(args: &[&str]) -> Value {
    serde_json::from_str(&printed(args)).unwrap_or_else(|e| panic!("{args:?}: {e}"))
}

/// The examples of the repository, and where they are at hand, some real logs of every kind.
fn logs() -> Vec<PathBuf> {
    let mut logs = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/examples"));
    if let Some(corpus) = shared("corpus") {
        for folder in entries(&corpus).into_iter().filter(|path| path.is_dir()) {
            let most = if folder.ends_with("bugs") { 100 } else { 4 };
            let is_log = |path: &PathBuf| {
                let name = path.file_name().unwrap().to_string_lossy();
                path.is_file() && !name.ends_with(".md") && !name.ends_with("expected.json") && name != "truth.json"
            };
            logs.extend(entries(&folder).into_iter().filter(is_log).take(most));
        }
    }
    logs
}

#[test]
fn reports_of_single_files() {
    let schemas = Schemas::load();
    for log in logs() {
        let path = log.to_str().unwrap();
        schemas.check("report", &document(&["check", path, "--json"]), path);
        schemas.check("bundle", &document(&["bundle", path, "--json"]), path);
        schemas.check("digest", &document(&["digest", path, "--json"]), path);
        for line in printed(&["check", path, "--output", "jsonl"]).lines() {
            schemas.check("report-line", &serde_json::from_str(line).unwrap(), path);
        }
    }
    let broken = "fixtures/examples/claude-code-broken.jsonl";
    for args in [&["--include-content"][..], &["--profile", "claude-strict"], &["--format", "claude-code-jsonl"]] {
        schemas.check("report", &document(&[&["check", broken, "--json"], args].concat()), broken);
    }
}

#[test]
fn reports_of_many_files() {
    let schemas = Schemas::load();
    let examples = "fixtures/examples";
    let list = ["check", "fixtures/examples/pi-broken.jsonl", "fixtures/examples/pi-healthy.jsonl", "--json"];
    schemas.check("report-list", &document(&list), "two files");
    schemas.check("scan-report", &document(&["scan", examples, "--json"]), examples);
    schemas.check("scan-report", &document(&["scan", examples, "--json", "--include-content"]), examples);
    schemas.check("scan-report", &document(&["scan", ".", "--json", "--exclude", "target", "--max-files", "50"]), ".");
    if let Some(trees) = shared("conformance/checks") {
        for tree in entries(&trees).iter().map(|case| case.join("tree")).filter(|tree| tree.is_dir()) {
            let path = tree.to_str().unwrap();
            schemas.check("scan-report", &document(&["scan", path, "--json"]), path);
        }
    }
}

#[test]
fn other_documents() {
    let schemas = Schemas::load();
    schemas.check("version", &document(&["version", "--json"]), "version");
    schemas.check("formats", &document(&["formats", "--json"]), "formats");
    let (healthy, broken) = ("fixtures/examples/pi-healthy.jsonl", "fixtures/examples/pi-broken.jsonl");
    schemas.check("digest", &document(&["digest", healthy, "--json", "--entries"]), "entries");
    let digest = document(&["digest", healthy, "--json"])["a"]["digest"].as_str().unwrap().to_owned();
    for pair in [[healthy, broken], [healthy, healthy], [healthy, &digest]] {
        schemas.check("digest", &document(&["digest", pair[0], pair[1], "--json"]), pair[1]);
    }
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.jsonl");
    let export = ["export", healthy, "--output", target.to_str().unwrap(), "--json"];
    schemas.check("export-summary", &document(&export), healthy);
    let baseline = folder.path().join("known.jsonl");
    printed(&["baseline", "write", "--baseline", baseline.to_str().unwrap(), broken]);
    for line in std::fs::read_to_string(&baseline).unwrap().lines() {
        schemas.check("baseline", &serde_json::from_str(line).unwrap(), broken);
    }
    let proposal = folder.path().join("proposal");
    let propose = ["propose", "--out-dir", proposal.to_str().unwrap(), "--json", "fixtures/examples"];
    schemas.check("proposal", &document(&propose), "fixtures/examples");
    let repository = tempfile::tempdir().unwrap();
    let torn = std::fs::read(healthy).unwrap();
    std::fs::write(repository.path().join("torn.jsonl"), &torn[..torn.len() - 9]).unwrap();
    let root = repository.path().to_str().unwrap();
    let propose = ["propose", "--out-dir", proposal.to_str().unwrap(), "--json", "--repo", root, root];
    schemas.check("proposal", &document(&propose), "a torn log");
    let verify = ["verify", "--proposal", proposal.to_str().unwrap(), "--repo", root, "--json"];
    let sound = document(&verify);
    schemas.check("verify-proposal", &sound, "sound");
    std::fs::write(proposal.join("PULL_REQUEST.md"), "changed").unwrap();
    let changed = document(&verify);
    schemas.check("verify-proposal", &changed, "changed");
    assert_eq!((&sound["ok"], &changed["ok"]), (&json!(true), &json!(false)));
    if let Some(trees) = shared("conformance/dsh") {
        for tree in entries(&trees).iter().map(|case| case.join("input")).filter(|tree| tree.is_dir()) {
            let path = tree.to_str().unwrap();
            schemas.check("dsh-audit", &document(&["dsh-audit", path, "--json"]), path);
        }
    }
}

#[test]
fn a_member_that_no_schema_names_is_found() {
    let schemas = Schemas::load();
    let mut report = document(&["check", "fixtures/examples/pi-broken.jsonl", "--json"]);
    for place in ["", "/source", "/findings/0", "/findings/0/span", "/coverage/adapter"] {
        let mut changed = report.clone();
        changed.pointer_mut(place).unwrap()["invented"] = json!(1);
        assert!(!schemas.0["report"].is_valid(&changed), "{place}");
    }
    report["counts"]["total"] = json!(-1);
    assert!(!schemas.0["report"].is_valid(&report));
}

#[test]
fn repairs() {
    let schemas = Schemas::load();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let salvage = ["--policy", "salvage", "--acknowledge-side-effects"];
    let (mut made, mut refused) = (0, 0);
    for log in logs() {
        let source = log.to_str().unwrap();
        let name = source.replace('/', "_");
        let (output, plan) = (at(&name), at(&format!("{name}.plan")));
        let plain = ["repair", source, "--output", &output, "--plan-out", &plan, "--json"];
        for args in [&plain[..], &[&plain[..], &salvage].concat()] {
            let run = Command::new(env!("CARGO_BIN_EXE_sesslint")).args(args).output().unwrap();
            let Ok(document) = serde_json::from_slice::<Value>(&run.stdout) else { continue };
            if document["verdict"] == "refused" {
                schemas.check("repair-refusal", &document, source);
                refused += 1;
                continue;
            }
            schemas.check("repair-manifest", &document, source);
            made += 1;
            let receipt = format!("{output}.manifest.json");
            let verify = ["verify", source, &output, "--manifest", &receipt, "--json"];
            for args in [&verify[..], &[&verify[..], &["--acknowledge-side-effects"]].concat()] {
                schemas.check("verify", &self::document(args), source);
            }
        }
        if let Ok(plan) = std::fs::read(&plan) {
            schemas.check("repair-plan", &serde_json::from_slice(&plan).unwrap(), source);
        }
    }
    assert!(made > 2 && refused > 2, "{made} made, {refused} refused");
    for args in [&[][..], &salvage] {
        let batch = ["repair", "fixtures/examples", "--batch", "--dry-run", "--json"];
        schemas.check("repair-summary", &document(&[&batch, args].concat()), "fixtures/examples");
    }
}
