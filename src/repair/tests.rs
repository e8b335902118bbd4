//! Tests: each kind of damage in a small log of its own, and what always holds whatever the damage.
#![allow(clippy::unwrap_used)]

mod cases;

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::execute::{Destination, execute};
use super::verify::{Request, Verdict, verify};
use super::{Options, Policy, Prepared, RepairError, prepare};
use crate::inspect;

/// A scratch folder with a source in it.
pub(super) struct Bed {
    folder: tempfile::TempDir,
    source: PathBuf,
}

impl Bed {
    pub(super) fn new(text: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("log.jsonl");
        std::fs::write(&source, text).unwrap();
        Self { folder, source }
    }

    pub(super) fn prepare(&self, policy: Policy) -> Result<Prepared, RepairError> {
        let options = Options { policy, acknowledge_side_effects: policy == Policy::Salvage, ..Options::default() };
        prepare(&self.source, &options)
    }

    /// Writes a repair and gives its destination.
    pub(super) fn write(&self, prepared: &Prepared) -> Destination {
        let to = Destination::beside(&self.folder.path().join("out.jsonl"));
        execute(prepared, &to).unwrap();
        to
    }

    pub(super) fn verify(&self, to: &Destination, policy: Policy) -> Verdict {
        verify(&Request {
            source: self.source.clone(),
            output: to.output.clone(),
            manifest: to.manifest.clone(),
            plan: None,
            acknowledge_side_effects: policy == Policy::Salvage,
        })
        .unwrap()
    }
}

pub(super) fn output(prepared: &Prepared) -> String {
    let mut bytes = Vec::new();
    prepared.write_output(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A record of the conversation: `NAME<PARENT` and what it says; `call:ID`, `result:ID`, `text` or `""`.
pub(super) fn record(name: &str, says: &[&str]) -> String {
    let (id, parent) = name.split_once('<').unwrap_or((name, ""));
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    let result = says.iter().any(|s| s.starts_with("result:"));
    let role = if id.starts_with('u') || result { "user" } else { "assistant" };
    let blocks: Vec<String> = says
        .iter()
        .map(|s| match s.split_once(':') {
            Some(("call", id)) => format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{}}}}"#),
            Some(("bash", id)) => format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#),
            Some(("result", id)) => format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}"#),
            _ => format!(r#"{{"type":"text","text":"{s}"}}"#),
        })
        .collect();
    format!(
        r#"{{"parentUuid":{parent},"sessionId":"s","type":"{role}","message":{{"role":"{role}","content":[{}]}},"uuid":"{id}","timestamp":"2026-03-01T10:00:00.000Z"}}"#,
        blocks.join(",")
    )
}

fn log(records: &[(&str, &[&str])]) -> String {
    records.iter().map(|(name, says)| record(name, says) + "\n").collect()
}

#[test]
fn an_unanswered_call_goes_alone_or_with_its_record() {
    let bed = Bed::new(
        log(&[
            ("u1", &["go"]),
            ("a2<u1", &["look", "call:c1"]),
            ("a3<a2", &["call:c2"]),
            ("u4<a3", &["next"]),
            ("a5<u4", &["done"]),
        ])
        .as_bytes(),
    );
    assert!(matches!(bed.prepare(Policy::Conservative), Err(RepairError::Refused(_))));
    let prepared = bed.prepare(Policy::Salvage).unwrap();
    let expected = log(&[("u1", &["go"]), ("a2<u1", &["look"]), ("u4<a2", &["next"]), ("a5<u4", &["done"])]);
    assert_eq!(output(&prepared), expected);
    assert_eq!(prepared.manifest()["declared_loss"], serde_json::json!(["unanswered-call:1", "unanswered-call:1"]));
}

#[test]
fn copies_go_wherever_they_stand() {
    let whole = log(&[("u1", &["go"]), ("a2<u1", &["one"]), ("u3<a2", &["two"])]);
    let first = record("u1", &["go"]) + "\n";
    let bed = Bed::new((whole.clone() + &first + &first).as_bytes());
    let prepared = bed.prepare(Policy::Conservative).unwrap();
    assert_eq!(output(&prepared), whole);
    assert_eq!(prepared.manifest()["assurance"], "repaired-lossless");
}

#[test]
fn a_refusal_counts_the_lines_of_the_source() {
    let copy = record("u1", &["go"]);
    let whole = log(&[("u1", &["go"]), ("a2<u1", &["one"]), ("a3<a2", &["call:c1"]), ("u4<a3", &["on"])]);
    let bed = Bed::new(format!("{copy}\n{copy}\n{whole}{copy}\n").as_bytes());
    let Err(RepairError::Refused(refusal)) = bed.prepare(Policy::Conservative) else { panic!("not refused") };
    let lines: Vec<_> = refusal.blocking.iter().map(|b| (b.code, b.line)).collect();
    assert_eq!(lines, [("SL102", Some(5))]);
}

#[test]
fn copies_of_items_go_and_refusals_count_the_items_of_the_source() {
    let said = r#"{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"one"}]}"#;
    let call = r#"{"type":"function_call","id":"f1","call_id":"c1","name":"read","arguments":"{}"}"#;
    let [go, on] = ["go", "on"].map(|text| format!(r#"{{"role":"user","content":"{text}"}}"#));
    let bed = Bed::new(format!("[{go}, {said}, {said}, {on}]").as_bytes());
    assert_eq!(output(&bed.prepare(Policy::Conservative).unwrap()), format!("[{go}, {said}, {on}]"));
    let bed = Bed::new(format!("[{go}, {said}, {said}, {call}, {on}]").as_bytes());
    let Err(RepairError::Refused(refusal)) = bed.prepare(Policy::Conservative) else { panic!("not refused") };
    let lines: Vec<_> = refusal.blocking.iter().map(|b| (b.code, b.line)).collect();
    assert_eq!(lines, [("SL102", Some(4))]);
}

#[test]
fn records_on_one_line_are_put_apart() {
    let (a, b, c) = (record("u1", &["go"]), record("a2<u1", &["one"]), record("u3<a2", &["two"]));
    let whole = format!("{a}\n{b}\n{c}\n");
    for (damaged, policy, loss) in [
        (format!("{a}{b}\n{c}\n"), Policy::Conservative, 0),
        (format!("{a}\n\0\0\0{b}\0\n{c}\n"), Policy::Conservative, 0),
        (format!("{a}\n\0\0\0\0\n{b}\n{c}\n"), Policy::Conservative, 0),
        (format!("{a}\n{}{b}\n{c}\n", &b[..40]), Policy::Conservative, 0),
        (format!("{a}\n{{\"other\":\"cu{b}\n{c}\n"), Policy::Salvage, 1),
        (format!("{a}\n{b}\nwords\n{c}\n"), Policy::Salvage, 1),
        (format!("{a}\n{b}\n{c}\n{}", &b[..60]), Policy::Conservative, 0),
    ] {
        let bed = Bed::new(damaged.as_bytes());
        if policy == Policy::Salvage {
            assert!(bed.prepare(Policy::Conservative).is_err(), "{damaged}");
        }
        let prepared = bed.prepare(policy).unwrap();
        assert_eq!(output(&prepared), whole, "{damaged}");
        assert_eq!(prepared.plan().losses().values().sum::<u64>(), loss, "{damaged}");
    }
}

#[test]
fn a_lost_parent_is_proven_by_its_rest_or_guessed() {
    let lost = record("a3<u2", &["gone"]);
    let rest = &lost[..lost.len() - 60];
    let (head, tail) = (log(&[("u1", &["go"]), ("u2<u1", &["more"])]), record("u4<a3", &["on"]));
    let bed = Bed::new(format!("{head}{rest}\n{tail}\n").as_bytes());
    let prepared = bed.prepare(Policy::Salvage).unwrap();
    let recipes: Vec<_> = prepared.plan().steps.iter().map(|s| s.recipe.as_str()).collect();
    assert_eq!(recipes, ["malformed-line-drop", "nearest-parent-relink"]);
    assert_eq!(output(&prepared), head.clone() + &record("u4<u2", &["on"]) + "\n");
    let bed = Bed::new(format!("{head}{tail}\n").as_bytes());
    let prepared = bed.prepare(Policy::Salvage).unwrap();
    assert_eq!(output(&prepared), head + &record("u4<u2", &["on"]) + "\n");
    assert_eq!(prepared.manifest()["declared_loss"], serde_json::json!(["guessed-parent:1"]));
}

#[test]
fn orphans_rings_and_empty_texts() {
    for (records, mended) in [
        (
            log(&[
                ("u1", &["go"]),
                ("a2<u1", &["call:c1"]),
                ("u3<a2", &["result:c1", "result:no"]),
                ("a4<u3", &["ok"]),
            ]),
            log(&[("u1", &["go"]), ("a2<u1", &["call:c1"]), ("u3<a2", &["result:c1"]), ("a4<u3", &["ok"])]),
        ),
        (
            log(&[("u1<a2", &["go"]), ("a2<u1", &["one"]), ("u3<a2", &["two"])]),
            log(&[("u1", &["go"]), ("a2<u1", &["one"]), ("u3<a2", &["two"])]),
        ),
        (
            log(&[("u1", &["go"]), ("a2<u1", &[""]), ("u3<a2", &["two", ""])]),
            log(&[("u1", &["go"]), ("u3<u1", &["two"])]),
        ),
    ] {
        let prepared = Bed::new(records.as_bytes()).prepare(Policy::Salvage).unwrap();
        assert_eq!(output(&prepared), mended);
    }
}

#[test]
fn open_side_effects_stop_a_conservative_repair() {
    let torn = log(&[("u1", &["go"]), ("a2<u1", &["bash:c1"])]) + &record("u3<a2", &["result:c1"])[..50];
    let bed = Bed::new(torn.as_bytes());
    let Err(RepairError::Refused(refusal)) = bed.prepare(Policy::Conservative) else { panic!("not refused") };
    assert!(refusal.blocking.iter().any(|b| b.reason == "side-effect-scope-unproven" && b.code == "SL002"));
    let document = refusal.document();
    assert!(
        document["blocking"].as_array().unwrap().iter().all(|b| b["unblock"].as_str().is_some_and(|u| u.len() > 10))
    );
    let unaware = Options { policy: Policy::Salvage, ..Options::default() };
    let Err(RepairError::Refused(refusal)) = prepare(&bed.source, &unaware) else { panic!("not refused") };
    assert_eq!(refusal.code, super::RefusalCode::Abstained);
    assert_eq!(output(&bed.prepare(Policy::Salvage).unwrap()), log(&[("u1", &["go"])]));
}

#[test]
fn a_part_of_a_plan_is_carried_out_and_nothing_else() {
    let (rest, whole) = (&record("a9<u1", &["x"])[..50], record("a2<u1", &["one", ""]));
    let bed = Bed::new(format!("{}{rest}\n{whole}\n", log(&[("u1", &["go", ""])])).as_bytes());
    let full = bed.prepare(Policy::Salvage).unwrap();
    let mut document = full.plan().document();
    let steps = document["steps"].as_array_mut().unwrap();
    assert_eq!(steps.len(), 3);
    let claim = |document: &serde_json::Value, remove: &str| {
        let mut document = document.clone();
        document.as_object_mut().unwrap().remove("fingerprint");
        document["steps"].as_array_mut().unwrap().retain(|s| s["recipe"] != remove);
        super::plan::Claimed::parse(document.to_string().as_bytes()).unwrap()
    };
    let with = |plan| {
        let options = Options { policy: Policy::Salvage, acknowledge_side_effects: true, ..Options::default() };
        prepare(&bed.source, &Options { plan: Some(plan), ..options })
    };
    assert_eq!(output(&with(claim(&document, "none")).unwrap()), output(&full));
    // What is left would still be refused by a provider.
    assert!(with(claim(&document, "empty-text-drop")).is_err());
    document["steps"][0]["recipe"] = "empty-text-drop".into();
    let Err(RepairError::Refused(refusal)) = with(claim(&document, "none")) else { panic!("not refused") };
    assert_eq!(refusal.code, super::RefusalCode::PlanTampered);

    let copies = log(&[("u1", &["go"]), ("u1", &["go"]), ("a2<u1", &["one"]), ("a2<u1", &["one"])]);
    let bed = Bed::new(copies.as_bytes());
    let full = bed.prepare(Policy::Conservative).unwrap();
    let mut document = full.plan().document();
    document.as_object_mut().unwrap().remove("fingerprint");
    document["steps"].as_array_mut().unwrap().remove(0);
    let plan = super::plan::Claimed::parse(document.to_string().as_bytes()).unwrap();
    let part = prepare(&bed.source, &Options { plan: Some(plan), ..Options::default() }).unwrap();
    let expected = log(&[("u1", &["go"]), ("u1", &["go"]), ("a2<u1", &["one"])]);
    assert_eq!(output(&part), expected);
    let to = bed.write(&part);
    assert!(bed.verify(&to, Policy::Conservative).ok());
}

#[test]
fn what_changed_meanwhile_is_never_published() {
    let bed = Bed::new((log(&[("u1", &["go"])]) + "{\"torn").as_bytes());
    let prepared = bed.prepare(Policy::Conservative).unwrap();
    std::fs::write(&bed.source, log(&[("u1", &["gone"])])).unwrap();
    let to = Destination::beside(&bed.folder.path().join("out.jsonl"));
    assert!(execute(&prepared, &to).is_err());
    assert_eq!(std::fs::read_dir(bed.folder.path()).unwrap().count(), 1);
}

#[test]
fn destinations_that_stand_for_something_are_refused() {
    let bed = Bed::new((log(&[("u1", &["go"])]) + "{\"torn").as_bytes());
    let prepared = bed.prepare(Policy::Conservative).unwrap();
    let path = |name: &str| bed.folder.path().join(name);
    std::fs::write(path("there.jsonl"), b"x").unwrap();
    std::fs::write(path("store.log"), b"SQLite format 3\0").unwrap();
    for name in ["there.jsonl", "log.jsonl", "new.db", "store.log", "none/new.jsonl", "sub/../log.jsonl"] {
        let to = Destination::beside(&path(name));
        let Err(RepairError::Refused(_)) = execute(&prepared, &to) else { panic!("{name} was written") };
    }
    let to = bed.write(&prepared);
    assert!(matches!(execute(&prepared, &to), Err(RepairError::Refused(_))));
}

/// One way to damage a log.
#[derive(Clone, Debug)]
enum Damage {
    Lose(usize),
    Copy(usize, usize),
    Cut(usize, usize),
    Join(usize),
    Nul(usize, usize),
    Swap(usize),
    Byte(usize, u8),
    Rename(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let n = 0usize..40;
    prop_oneof![
        n.clone().prop_map(Damage::Lose),
        (n.clone(), n.clone()).prop_map(|(a, b)| Damage::Copy(a, b)),
        (n.clone(), 0usize..200).prop_map(|(a, b)| Damage::Cut(a, b)),
        n.clone().prop_map(Damage::Join),
        (n.clone(), 1usize..5).prop_map(|(a, b)| Damage::Nul(a, b)),
        n.clone().prop_map(Damage::Swap),
        (0usize..4000, any::<u8>()).prop_map(|(a, b)| Damage::Byte(a, b)),
        (n.clone(), n).prop_map(|(a, b)| Damage::Rename(a, b)),
    ]
}

/// Whose log a test is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    Claude,
    Pi,
    Codex,
    Canonical,
}

/// A healthy log of some turns, each with a call.
fn healthy(family: Family, turns: usize) -> Vec<Vec<u8>> {
    let mut lines: Vec<String> = match family {
        Family::Claude => vec![],
        Family::Pi => {
            vec![r#"{"type":"session","version":3,"id":"p","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}"#.into()]
        }
        Family::Codex => vec![
            r#"{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"c","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.142.0","source":"cli","model_provider":"openai"}}"#.into(),
        ],
        Family::Canonical => {
            vec![r#"{"created_at":"2026-03-01T10:00:00Z","schema_version":"sesslint.session/v1","session_id":"c"}"#.into()]
        }
    };
    let mut parent = String::new();
    for turn in 0..turns {
        for (kind, says) in [("u", "go"), ("a", "call"), ("u", "result"), ("a", "done")] {
            let number = lines.len();
            let id = format!("{kind}{number}");
            let tool = if turn % 2 == 0 { "Read" } else { "Bash" };
            lines.push(match family {
                Family::Claude => claude(&id, &parent, says, turn, tool),
                Family::Pi => pi(&id, &parent, says, turn, tool),
                Family::Codex => codex(says, turn, tool),
                Family::Canonical => canonical(&id, &parent, says, turn, tool, number),
            });
            parent = id;
        }
    }
    lines.into_iter().map(String::into_bytes).collect()
}

fn quoted(parent: &str) -> String {
    if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") }
}

fn claude(id: &str, parent: &str, says: &str, turn: usize, tool: &str) -> String {
    let said = match (says, tool) {
        ("call", "Read") => format!("call:c{turn}"),
        ("call", _) => format!("bash:c{turn}"),
        ("result", _) => format!("result:c{turn}"),
        (text, _) => text.to_owned(),
    };
    let name = if parent.is_empty() { id.to_owned() } else { format!("{id}<{parent}") };
    record(&name, &[&said])
}

fn pi(id: &str, parent: &str, says: &str, turn: usize, tool: &str) -> String {
    let message = match says {
        "call" => format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c{turn}","name":"{tool}","arguments":{{}}}}],"api":"x","provider":"x","model":"x","stopReason":"toolUse"}}"#
        ),
        "result" => format!(
            r#"{{"role":"toolResult","toolCallId":"c{turn}","toolName":"{tool}","content":[{{"type":"text","text":"ok"}}],"isError":false}}"#
        ),
        "go" => r#"{"role":"user","content":[{"type":"text","text":"go"}]}"#.into(),
        text => format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"api":"x","provider":"x","model":"x","stopReason":"stop"}}"#
        ),
    };
    let parent = quoted(parent);
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-03-01T10:00:01.000Z","message":{message}}}"#
    )
}

fn codex(says: &str, turn: usize, tool: &str) -> String {
    let payload = match says {
        "call" => format!(r#"{{"type":"function_call","name":"{tool}","arguments":"{{}}","call_id":"c{turn}"}}"#),
        "result" => format!(r#"{{"type":"function_call_output","call_id":"c{turn}","output":"ok"}}"#),
        "go" => {
            format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"go {turn}"}}]}}"#)
        }
        text => format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text} {turn}"}}]}}"#
        ),
    };
    format!(r#"{{"timestamp":"2026-03-01T10:00:01.000Z","type":"response_item","payload":{payload}}}"#)
}

fn canonical(id: &str, parent: &str, says: &str, turn: usize, tool: &str, seq: usize) -> String {
    let parent = quoted(parent);
    let (actor, kind, more) = match says {
        "call" => {
            ("assistant", "tool_call", format!(r#""correlation_id":"c{turn}","payload":{{"tool_name":"{tool}"}}"#))
        }
        "result" => ("tool", "tool_result", format!(r#""correlation_id":"c{turn}","payload":{{"output":"ok"}}"#)),
        "go" => ("user", "message", format!(r#""payload":{{"text":"go {turn}"}}"#)),
        text => ("assistant", "message", format!(r#""payload":{{"text":"{text} {turn}"}}"#)),
    };
    format!(
        r#"{{"actor":"{actor}","id":"{id}","kind":"{kind}","parent_id":{parent},{more},"seq":{seq},"ts":"2026-03-01T10:00:01Z"}}"#
    )
}

fn damaged(family: Family, turns: usize, damages: &[Damage]) -> Vec<u8> {
    let mut lines = healthy(family, turns);
    let mut joined = Vec::new();
    for damage in damages {
        let count = lines.len().max(1);
        if lines.is_empty() {
            break;
        }
        match damage {
            Damage::Lose(i) => {
                lines.remove(i % count);
            }
            Damage::Copy(i, to) => {
                let line = lines[i % count].clone();
                lines.insert(to % count, line);
            }
            Damage::Cut(i, at) => {
                let line = &mut lines[i % count];
                line.truncate(at % line.len().max(1));
            }
            Damage::Join(i) => joined.push(i % count),
            Damage::Nul(i, n) => {
                let line = &mut lines[i % count];
                line.splice(0..0, std::iter::repeat_n(0, *n));
            }
            Damage::Swap(i) => lines.swap(i % count, (i + 1) % count),
            Damage::Byte(at, byte) => {
                let line = &mut lines[at % count];
                let len = line.len().max(1);
                if let Some(b) = line.get_mut(at % len) {
                    *b = *byte;
                }
            }
            Damage::Rename(i, j) => {
                let text = String::from_utf8_lossy(&lines[i % count]).replace(&format!("\"a{j}\""), "\"a1\"");
                lines[i % count] = text.into_bytes();
            }
        }
    }
    let mut text = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        text.extend_from_slice(line);
        if !joined.contains(&i) {
            text.push(b'\n');
        }
    }
    text
}

/// The output as receipt and edits tell it.
fn rebuilt(source: &[u8], prepared: &Prepared) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for edit in prepared.edits() {
        out.extend_from_slice(&source[at..edit.edit.source.start as usize]);
        for piece in &edit.edit.with {
            match piece {
                super::script::Piece::Text(text) => out.extend_from_slice(text),
                super::script::Piece::Source { range, .. } => {
                    out.extend_from_slice(&source[range.start as usize..range.end as usize]);
                }
            }
        }
        at = edit.edit.source.end as usize;
    }
    out.extend_from_slice(&source[at..]);
    out
}

fn failing(path: &Path) -> usize {
    inspect::check_path(path, &inspect::Options::default()).unwrap().counts.failing()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_repair_is_sound_accounted_for_final_and_verifiable(
        family in prop_oneof![Just(Family::Claude), Just(Family::Pi), Just(Family::Codex), Just(Family::Canonical)],
        turns in 1usize..4,
        damages in proptest::collection::vec(damage(), 0..5),
        salvage in any::<bool>(),
        flip in (any::<prop::sample::Index>(), 1u8..=255, 0usize..3),
    ) {
        let policy = if salvage { Policy::Salvage } else { Policy::Conservative };
        let source = damaged(family, turns, &damages);
        let bed = Bed::new(&source);
        let Ok(prepared) = bed.prepare(policy) else { return Ok(()) };
        let text = { let mut bytes = Vec::new(); prepared.write_output(&mut bytes).unwrap(); bytes };
        // Every byte of the source is kept or named.
        if family != Family::Canonical {
            prop_assert_eq!(&rebuilt(&source, &prepared), &text);
        }
        if policy == Policy::Conservative {
            prop_assert!(prepared.plan().losses().is_empty());
        }
        prop_assert!(prepared.edits().iter().all(|e| !e.steps.is_empty()));
        let to = bed.write(&prepared);
        prop_assert_eq!(failing(&to.output), 0);
        prop_assert_eq!(std::fs::read(&bed.source).unwrap(), source);
        // Repairing the result changes nothing.
        let options = Options { policy, acknowledge_side_effects: salvage, ..Options::default() };
        let again = prepare(&to.output, &options).unwrap();
        prop_assert!(again.plan().steps.is_empty());
        let verdict = bed.verify(&to, policy);
        prop_assert!(verdict.ok(), "{:?}", verdict);
        // Any changed byte is seen.
        let file = [&bed.source, &to.output, &to.manifest][flip.2];
        let mut bytes = std::fs::read(file).unwrap();
        if !bytes.is_empty() {
            let at = flip.0.index(bytes.len());
            bytes[at] ^= flip.1;
            std::fs::write(file, bytes).unwrap();
            prop_assert!(!bed.verify(&to, policy).ok(), "byte {at} of {}", file.display());
        }
    }
}
