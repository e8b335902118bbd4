//! Tests: lists of items and trees of entries, each damage in a log of its own, and the exact bytes of what is made of it.

use crate::inspect;
use crate::repair::execute::{Destination, execute};
use crate::repair::verify::{Request, verify};
use crate::repair::{Options, Policy, RepairError, prepare};

/// Mends a log, checks and verifies what comes out, and gives it with the recipes and losses of its plan.
fn mended(name: &str, text: &str, policy: Policy) -> Result<(String, Vec<String>, u64), RepairError> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join(name);
    std::fs::write(&source, text).unwrap();
    let acknowledge = policy == Policy::Salvage;
    let options = Options { policy, acknowledge_side_effects: acknowledge, ..Options::default() };
    let prepared = prepare(&source, &options)?;
    let to = Destination::beside(&folder.path().join(format!("out-{name}")));
    execute(&prepared, &to).unwrap();
    let report = inspect::check_path(&to.output, &inspect::Options::default()).unwrap();
    assert_eq!(report.counts.failing() + report.counts.warning, 0, "{text}: {:?}", report.findings);
    let request = Request {
        source,
        output: to.output.clone(),
        manifest: to.manifest.clone(),
        plan: None,
        acknowledge_side_effects: acknowledge,
    };
    assert!(verify(&request).unwrap().ok(), "{text}");
    let steps = &prepared.plan().steps;
    let lost = steps.iter().flat_map(|s| s.loss.values()).sum();
    let mut recipes: Vec<String> = steps.iter().map(|s| s.recipe.clone()).collect();
    recipes.dedup();
    Ok((std::fs::read_to_string(&to.output).unwrap(), recipes, lost))
}

fn assert_mended(name: &str, rows: &[(&str, &str, Policy, &str, u64)]) {
    for (text, expected, policy, recipe, lost) in rows {
        let (out, recipes, count) = mended(name, text, *policy).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!((out.as_str(), count), (*expected, *lost), "{text}");
        assert_eq!(recipes, [*recipe], "{text}");
        if *policy == Policy::Salvage {
            assert!(mended(name, text, Policy::Conservative).is_err(), "{text}: needs no leave");
        }
    }
}

const ASK: &str = r#"{"role":"user","content":"a"}"#;
const CALL: &str = r#"{"type":"function_call","call_id":"k","name":"read_file","arguments":"{}"}"#;
const OUT: &str = r#"{"type":"function_call_output","call_id":"k","output":"x"}"#;

/// Puts the named items in place of their letters.
fn items(text: &str) -> String {
    text.replace('A', ASK).replace('C', CALL).replace('O', OUT)
}

#[test]
fn lists_that_are_cut_or_badly_joined_are_closed() {
    use Policy::{Conservative, Salvage};
    let rows: Vec<(String, String, Policy, u64)> = [
        ("[A,C,O,]", "[A,C,O]", Conservative, 0),
        ("[\n  A,\n  C,\n  O,\n]\n", "[\n  A,\n  C,\n  O\n]\n", Conservative, 0),
        ("[A,C,O", "[A,C,O]", Conservative, 0),
        ("[\n  A,\n  C,\n  O", "[\n  A,\n  C,\n  O\n]", Conservative, 0),
        ("[A,C,O,{\"role\":\"us", "[A,C,O]", Conservative, 0),
        ("[A,,C O]", "[A,C, O]", Conservative, 0),
        ("[A][C,O]", "[A,C,O]", Conservative, 0),
        ("[A,C,O]\0\0\0", "[A,C,O]", Conservative, 0),
        ("{\"items\":[A,C,O", "{\"items\":[A,C,O]}", Conservative, 0),
        ("{\"items\":[A,C,O,],\"sdk_version\":\"1\"}", "{\"items\":[A,C,O],\"sdk_version\":\"1\"}", Conservative, 0),
        ("[A,7,C,O]", "[A,C,O]", Salvage, 1),
        ("[A,{\"role\":nothing},C,O]", "[A,C,O]", Salvage, 1),
    ]
    .into_iter()
    .map(|(text, expected, policy, lost)| (items(text), items(expected), policy, lost))
    .collect();
    let rows: Vec<_> = rows.iter().map(|(a, b, policy, lost)| (&**a, &**b, *policy, "item-list-mend", *lost)).collect();
    assert_mended("s.json", &rows);
}

#[test]
fn items_are_put_right_as_their_loader_takes_them() {
    use Policy::Salvage;
    let said = |id: &str, text: &str| {
        format!(r#"{{{id}"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#)
    };
    let named = r#""id":"m1","#;
    let other = OUT.replace("\"x\"", "\"y\"");
    let reasoning = r#"{"type":"reasoning","id":"r1","summary":[]}"#;
    for (text, expected, policy, recipe, lost) in [
        (format!("[A,O,C,{}]", said("", "b")), format!("[A,C,O,{}]", said("", "b")), Salvage, "early-result-move", 0),
        (format!("[A,C,O,{other}]"), format!("[A,C,{other}]"), Salvage, "superseded-copy-drop", 1),
        (
            format!("[A,{},{}]", said(named, "b"), said(named, "c")),
            format!("[A,{},{}]", said(named, "b"), said("", "c")),
            Salvage,
            "repeated-id-removal",
            1,
        ),
        (format!("[A,C,O,{reasoning}]"), "[A,C,O]".to_owned(), Salvage, "", 1),
    ] {
        let (text, expected) = (items(&text), items(&expected));
        if recipe.is_empty() {
            let (out, recipes, count) = mended("s.json", &text, policy).unwrap();
            assert_eq!((out, recipes, count), (expected, vec!["unfollowed-reasoning-drop".to_owned()], lost));
        } else {
            assert_mended("s.json", &[(&text, &expected, policy, recipe, lost)]);
        }
    }
}

#[test]
fn several_lines_of_one_removal_belong_to_its_steps() {
    let text = items("[\n  A,\n  C,\n  O,\n  C,\n  O\n]\n");
    let (out, recipes, _) = mended("s.json", &text, Policy::Salvage).unwrap();
    assert_eq!(out, items("[\n  A,\n  C,\n  O\n]\n"));
    assert!(recipes.contains(&"identical-call-collapse".to_owned()), "{recipes:?}");
}

const HEAD: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/p"}"#;

fn entry(id: &str, parent: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!("\"id\":\"{id}\",") };
    format!(r#"{{"type":"message",{id}"parentId":{parent},"message":{{"role":"user","content":"x"}}}}"#) + "\n"
}

fn compaction(kept: &str) -> String {
    format!(r#"{{"type":"compaction","id":"c","parentId":"b","summary":"s","firstKeptEntryId":"{kept}"}}"#) + "\n"
}

#[test]
fn entries_get_back_what_links_prove_and_say_what_their_loader_does() {
    let tree = |lines: &[String]| format!("{HEAD}\n{}", lines.concat());
    let (a, b, c) = (entry("a", "null"), entry("b", "\"a\""), entry("c", "\"b\""));
    let lost = entry("", "\"a\"");
    for (lines, expected, recipe) in [
        (vec![a.clone(), lost, c.clone()], vec![a.clone(), b.clone(), c], "lost-id-restore"),
        (
            vec![a.clone(), b.clone(), compaction("gone")],
            vec![a.clone(), b.clone(), compaction("c")],
            "lost-kept-record",
        ),
    ] {
        assert_mended("s.jsonl", &[(&tree(&lines), &tree(&expected), Policy::Conservative, recipe, 0)]);
    }
    let kept = [a.clone(), entry("c0", "\"lost\""), entry("b", "\"c0\""), compaction("lost")];
    let found = [a.clone(), entry("c0", "\"a\""), entry("b", "\"c0\""), compaction("c0")];
    assert_mended("s.jsonl", &[(&tree(&kept), &tree(&found), Policy::Salvage, "nearest-parent-relink", 1)]);
    let last = [a.clone(), b.clone(), entry("", "\"b\"")];
    assert_mended("s.jsonl", &[(&tree(&last), &tree(&[a, b]), Policy::Salvage, "lost-id-restore", 1)]);
}
