//! Items as events: families of calls, made-up ids, what is told about types, versions and keys.

use serde_json::json;

use super::*;
use crate::adapter::testing::{judge, score};
use crate::model::{Actor, Kind, Session};
use crate::reader::{self, Builder};

fn read(text: &str) -> (Session, Vec<Finding>) {
    let mut builder = Builder::new(&FORMAT);
    let source = reader::read(std::io::Cursor::new(text), &FORMAT, "s.json", &mut builder).expect("readable");
    builder.finish(&source)
}

fn events(session: &Session) -> Vec<(&str, Kind, Actor, &str)> {
    session.events.iter().map(|e| (session.text(e.id), e.kind, e.actor, session.text(e.correlation))).collect()
}

#[test]
fn calls_and_outputs_of_every_family_pair_by_their_call_id() {
    for family in ["function", "custom_tool", "computer", "local_shell", "shell", "apply_patch"] {
        let text = format!(
            r#"[{{"type":"{family}_call","id":"i1","call_id":"k","name":"t"}},{{"type":"{family}_call_output","id":"i2","call_id":"k","output":"x"}}]"#
        );
        let (session, findings) = read(&text);
        let expected = [("i1", Kind::ToolCall, Actor::Assistant, "k"), ("i2", Kind::ToolResult, Actor::Tool, "k")];
        assert_eq!(events(&session), expected, "{family}");
        assert!(findings.is_empty());
    }
    let (session, _) =
        read(r#"[{"type":"local_shell_call_output","id":"k","output":"x"},{"type":"function_call","id":"f"}]"#);
    let correlations: Vec<_> = events(&session).iter().map(|e| e.3.to_owned()).collect();
    assert_eq!(correlations, ["k", "f"]);
}

#[test]
fn actors_and_kinds_follow_type_and_role() {
    for (item, actor, kind) in [
        (r#""role":"user","content":"x""#, Actor::User, Kind::Message),
        (r#""role":"developer","content":"x""#, Actor::System, Kind::Message),
        (r#""role":"tool","content":"x""#, Actor::Tool, Kind::ToolResult),
        (r#""type":"message","role":"assistant","content":[]"#, Actor::Assistant, Kind::Message),
        (r#""type":"message","role":"user","content":null"#, Actor::User, Kind::Message),
        (r#""type":"reasoning","summary":[]"#, Actor::Assistant, Kind::Opaque),
        (r#""type":"web_search_call","status":"completed""#, Actor::Assistant, Kind::Opaque),
        (r#""type":"item_reference""#, Actor::Assistant, Kind::Opaque),
        (r#""type":"mcp_approval_request""#, Actor::Assistant, Kind::Approval),
        (r#""type":"mcp_approval_response""#, Actor::User, Kind::Approval),
        (r#""type":"handoff","target":"b""#, Actor::Assistant, Kind::Handoff),
        (r#""type":"compaction","encrypted_content":"x""#, Actor::System, Kind::CompactionBoundary),
        (r#""role":"critic""#, Actor::System, Kind::Unknown),
    ] {
        let (session, findings) = read(&format!(r#"[{{"id":"i",{item}}}]"#));
        assert_eq!(events(&session), [("i", kind, actor, "")], "{item}");
        assert!(findings.is_empty(), "{item}");
    }
}

#[test]
fn ids_that_say_nothing_are_made_up() {
    for id in ["", r#""id":null,"#, r#""id":"  ","#, r#""id":"__fake_id__","#] {
        let (session, _) =
            read(&format!(r#"[{{{id}"role":"user","content":"a"}},{{{id}"role":"user","content":"a"}}]"#));
        let ids: Vec<_> = events(&session).iter().map(|e| e.0.to_owned()).collect();
        assert!(ids[0].starts_with("sesslint:synthetic:openai_agents:0:") && ids[1].contains(":1:"), "{ids:?}");
        assert!(session.events.iter().all(|e| e.flags.synthetic_id));
    }
}

#[test]
fn exports_have_no_tree_and_wrapped_sessions_one() {
    let (export, _) = read(r#"[{"role":"user","content":"a"},{"type":"function_call","call_id":"k","name":"t"}]"#);
    assert!(!export.conventions.tree && !export.conventions.checkpoints);
    assert_eq!(export.conventions.adjacency, Adjacency::Free);
    assert_eq!(export.conventions.open_tail, Severity::Warning);
    let items =
        r#""items":[{"id":"a","role":"user","content":"a"},{"id":"b","parent_id":"a","role":"user","content":"a"}]"#;
    for (rest, checkpoints) in
        [("", false), (r#","run_state":{"step":1}"#, true), (r#","checkpoints":[{"id":"c"}]"#, true)]
    {
        let (session, _) = read(&format!("{{{items}{rest}}}"));
        assert!(session.conventions.one_tree && session.conventions.tree);
        assert_eq!(session.conventions.checkpoints, checkpoints, "{rest}");
    }
}

#[test]
fn unknown_types_are_told_once_and_versions_each_time() {
    let text = r#"[{"id":"a","type":"dream"},{"id":"b","type":"dream"},{"id":"c"},{"id":"d","role":"user","content":"","version":"9"},{"id":"e","role":"user","content":"","sdk_version":"9"}]"#;
    let (session, findings) = read(text);
    assert_eq!(session.events.len(), 5);
    let told: Vec<_> = findings.iter().map(|f| (f.code(), f.severity, f.line, f.evidence.clone().into())).collect();
    let supported = json!(VERSIONS);
    let expected: [(&str, Severity, Option<u64>, serde_json::Value); 4] = [
        (
            "SL302",
            Severity::Info,
            Some(1),
            json!({"field_path": "type", "type_value": "dream", "record_id": "a", "record_ordinal": 1}),
        ),
        (
            "SL302",
            Severity::Error,
            Some(3),
            json!({"field_path": "type", "type_value": "<NoneType>", "type_truncated": true, "record_id": "c", "record_ordinal": 3}),
        ),
        (
            "SL301",
            Severity::Error,
            Some(4),
            json!({"version_raw": "9", "supported_set": supported, "record_ordinal": 4}),
        ),
        (
            "SL301",
            Severity::Error,
            Some(5),
            json!({"version_raw": "9", "supported_set": supported, "record_ordinal": 5}),
        ),
    ];
    assert_eq!(told, expected);
}

#[test]
fn the_version_of_a_document_speaks_for_its_items() {
    let (_, findings) = read(r#"{"sdk_version":"3.1","items":[{"id":"a","role":"user","content":"","version":"9"}]}"#);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].evidence["version_raw"], "3.1");
    assert!(!findings[0].evidence.contains_key("record_ordinal"));
    assert!(read(r#"{"sdk_version":" V0.2 ","items":[{"id":"a","role":"user","content":""}]}"#).1.is_empty());
}

#[test]
fn keys_that_claim_to_be_critical_are_errors() {
    let (_, findings) =
        read(r#"[{"id":"a","role":"user","content":"","unknown_critical":1,"critical_x":"words of someone"}]"#);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].code(), findings[0].severity), ("SL302", Severity::Error));
    assert_eq!(findings[0].evidence["field_path"], "critical_x");
    assert_eq!(findings[0].evidence["type_value"], "<str:len=16>");
}

#[test]
fn items_of_requests_and_named_sessions_are_read_like_those_of_exports() {
    let items = r#"[{"id":"a","role":"user","content":""},{"type":"function_call","call_id":"k","name":"t"}]"#;
    for text in [
        format!("{{\"input\":{items}}}"),
        format!("{{\"model\":\"m\",\n\"input\":{items},\"tools\":[]}}"),
        format!("{{\"session_id\":\"s\",\"items\":{items}}}"),
    ] {
        assert!(score(&FORMAT, &text) > 0.9, "{text}");
        let (session, findings) = read(&text);
        assert!(session.events.len() == 2 && findings.is_empty(), "{text}");
    }
    let chat = r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]}]"#;
    for text in [chat, r#"{"session_id":"s","items":[{"x":1}]}"#, r#"{"input":"words"}"#, r#"{"input":[],"uuid":"u"}"#]
    {
        assert!(score(&FORMAT, text) < 0.5, "{text}");
    }
}

#[test]
fn reasoning_needs_what_it_led_to() {
    let reasoning = r#"{"type":"reasoning","id":"r","summary":[]}"#;
    for (items, expected) in [
        (format!(r#"{reasoning},{{"type":"message","role":"assistant","content":[]}}"#), vec![]),
        (format!(r#"{reasoning},{{"type":"dream"}}"#), vec!["SL302 info 2 unknown-type"]),
        (format!(r#"{reasoning},{{"role":"user","content":"x"}}"#), vec!["SL516 warning 1 unfollowed"]),
        (format!(r#"{reasoning},{{"type":"compaction","encrypted_content":"x"}}"#), vec![]),
        (
            format!(r#"{reasoning},{{"type":"function_call_output","call_id":"k","output":"x"}}"#),
            vec!["SL516 warning 1 unfollowed", "SL101 error 2"],
        ),
        (reasoning.to_owned(), vec!["SL516 warning 1 unfollowed"]),
    ] {
        judge(&FORMAT, &[("reasoning", &[&*format!("[{items}]")], &expected)]);
    }
}

#[test]
fn a_run_state_is_no_list_of_items() {
    for text in [
        r#"{"$schemaVersion":"1.21","original_input":"a","generated_items":[{"type":"dream"}],"current_step":null}"#,
        "{\n \"$schemaVersion\": \"1.21\",\n \"generated_items\": [],\n \"items\": {\"type\": \"dream\"}\n}",
    ] {
        let (session, findings) = read(text);
        let told: Vec<_> = findings.iter().map(|f| (f.code(), f.variant, f.severity, f.line)).collect();
        assert!(session.events.is_empty(), "{text}");
        assert_eq!(told, [("SL302", "run-state", Severity::Info, Some(1))], "{text}");
    }
}

#[test]
fn items_may_be_one_object_or_missing() {
    for (text, ids) in [
        (r#"{"items":{"id":"a","role":"user","content":""},"run_state":{}}"#, vec!["a"]),
        (r#"{"items":"none","run_state":{}}"#, vec![]),
        (r#"{"items":[],"run_state":{}}"#, vec![]),
        ("{\"run_state\":{},\n\"id\":\"a\",\"role\":\"user\",\"content\":\"\"}", vec!["a"]),
    ] {
        let (session, _) = read(text);
        assert_eq!(events(&session).iter().map(|e| e.0).collect::<Vec<_>>(), ids, "{text}");
    }
}

#[test]
fn reasoning_needs_the_item_that_it_led_to() {
    let thought = r#"{"id":"rs1","type":"reasoning","summary":[]}"#;
    let said = r#"{"id":"m1","type":"message","role":"assistant","content":[]}"#;
    let [go, on] = ["go", "on"].map(|text| format!(r#"{{"role":"user","content":"{text}"}}"#));
    let unfollowed = |items: &[&str]| {
        let (session, _) = read(&format!("[{}]", items.join(",")));
        let text = format!("[{}]", items.join(","));
        let recall = crate::reader::builder::FileRecall::new(std::io::Cursor::new(text), &super::FORMAT, "log.json");
        let found = crate::check::run(&session, &recall, &crate::rule::profile::NEUTRAL, "log.json");
        found.iter().map(|f| format!("{} {} {}", f.code(), f.severity.as_str(), f.variant)).collect::<Vec<_>>()
    };
    assert!(unfollowed(&[&go, thought, said, &on]).is_empty());
    assert!(unfollowed(&[&go, thought, thought.replace("rs1", "rs2").as_str(), said, &on]).is_empty());
    assert_eq!(unfollowed(&[&go, thought, &on, said]), ["SL516 warning unfollowed"]);
}
