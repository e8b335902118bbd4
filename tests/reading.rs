//! Findings of reading against the recorded runs of the reference program: code, line and fingerprint.
//!
//! Runs where the recordings are at hand and skips, saying so, where they are not. Each difference is listed with its reason.
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use serde_json::Value;
use sesslint::adapter::detect::{Outcome, Sample, decide};
use sesslint::adapter::{self, Format};
use sesslint::finding::fingerprint::{Origin, fingerprint};
use sesslint::reader::{self, Builder};
use sesslint::rule::profile;

type Row = (String, u64, String);

fn read(path: &Path, name: &str, format: Option<&str>) -> Option<(&'static Format, BTreeSet<Row>)> {
    let format = match format {
        Some(id) => adapter::find(id)?,
        None => match decide(&Sample::read(File::open(path).ok()?).ok()?, &profile::NEUTRAL, None, None) {
            Outcome::Winner(format, _) => format,
            other => {
                eprintln!("{}: {other:?}", path.display());
                return None;
            }
        },
    };
    let mut builder = Builder::new(format);
    let source = reader::read(File::open(path).ok()?, format, name, &mut builder).ok()?;
    let (_, findings) = builder.finish(&source);
    let origin = Origin { format: "", format_version: "", profile: "", profile_version: "", path: name };
    let rows = findings.iter().map(|f| (f.code().to_owned(), f.line.unwrap_or(0), fingerprint(f, &origin)));
    Some((format, rows.collect()))
}

fn recorded(stdout: &Value) -> Option<BTreeSet<Row>> {
    let findings = stdout.get("findings")?.as_array()?;
    let text = |f: &Value, name: &str| f[name].as_str().unwrap_or_default().to_owned();
    let rows = findings.iter().filter(|f| matches!(f["code"].as_str(), Some("SL001" | "SL002" | "SL301" | "SL302")));
    Some(rows.map(|f| (text(f, "code"), f["span"]["line"].as_u64().unwrap_or(0), text(f, "fingerprint"))).collect())
}

#[test]
fn findings_of_reading_are_those_of_the_reference() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    if !root.is_dir() {
        eprintln!("skipped: no recordings at {}", root.display());
        return;
    }
    let mut compared = 0;
    for group in ["ingest", "checks"] {
        let mut cases: Vec<_> =
            fs::read_dir(root.join(group)).expect("folder").map(|e| e.expect("entry").path()).collect();
        cases.sort();
        for case in cases {
            let name = case.file_name().expect("name").to_string_lossy().into_owned();
            let text = fs::read_to_string(case.join("case.json")).expect("case");
            let json: Value = serde_json::from_str(&text).expect("json");
            let whole = vec![json.clone()];
            let steps = json["steps"].as_array().unwrap_or(&whole);
            for step in steps {
                let Some(args) = step["args"].as_array() else { continue };
                let args: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
                if args.first() != Some(&"check") || !args.contains(&"--json") {
                    continue;
                }
                let format = args.iter().position(|a| *a == "--format").map(|i| args[i + 1]);
                let Some(expected) = recorded(&step["stdout"]) else { continue };
                let adapter = step["stdout"]["coverage"]["adapter"]["id"].as_str().unwrap_or("");
                let file = case.join(args[1]);
                if !file.is_file() || !matches!(adapter, "canonical" | "openai-agents" | "unknown") {
                    continue;
                }
                let Some((found_format, found)) = read(&file, args[1], format) else {
                    eprintln!("{group}/{name} {}: not detected; reference {adapter}", args[1]);
                    continue;
                };
                compared += 1;
                if found != expected || found_format.id != adapter {
                    eprintln!("{group}/{name} {} {adapter}->{}", args[1], found_format.id);
                    for row in expected.difference(&found) {
                        eprintln!("   - {row:?}");
                    }
                    for row in found.difference(&expected) {
                        eprintln!("   + {row:?}");
                    }
                }
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// Formats of the corpus folders; files of the others must not be taken for ours.
#[test]
fn real_exports_are_recognised_and_silent() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !root.is_dir() {
        eprintln!("skipped: no corpus at {}", root.display());
        return;
    }
    let mut seen = 0;
    for folder in fs::read_dir(&root).expect("folder") {
        let folder = folder.expect("entry").path();
        if !folder.is_dir() {
            continue;
        }
        let ours = folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with("openai-agents"));
        for file in fs::read_dir(&folder).expect("folder") {
            let file = file.expect("entry").path();
            let name = file.file_name().expect("name").to_string_lossy().into_owned();
            if !file.is_file()
                || name.ends_with("truth.json")
                || name.ends_with(".md")
                || name.ends_with("expected.json")
            {
                continue;
            }
            let sample = Sample::read(File::open(&file).expect("open")).expect("readable");
            let outcome = decide(&sample, &profile::NEUTRAL, None, None);
            let format = if let Outcome::Winner(format, _) = outcome { format.id } else { "" };
            if ours || name.contains("agents-limit") {
                assert_eq!(format, "openai-agents", "{name}");
                let (_, rows) = read(&file, &name, None).expect("read");
                assert!(rows.is_empty(), "{name}: {rows:?}");
                seen += 1;
            } else {
                assert!(!matches!(format, "openai-agents" | "canonical"), "{name} is taken for {format}");
            }
        }
    }
    assert!(seen > 10, "{seen}");
}
