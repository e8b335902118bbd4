//! One row per finding of canonical files, and the event that is kept all the same.

use serde_json::{Value as Evidence, json};

use super::*;
use crate::model::{Actor, Kind, Session};
use crate::reader::{self, Builder};

const HEADER: &str =
    r#"{"schema_version":"sesslint.session/v1","session_id":"s","created_at":"2025-01-01T00:00:00Z","version":1}"#;
const EVENT: &str =
    r#"{"id":"a","parent_id":null,"seq":3,"ts":"2025-01-01T00:00:00Z","actor":"user","kind":"message","payload":{}}"#;

fn read(text: &str) -> (Session, Vec<Finding>, Metadata) {
    let mut builder = Builder::new(&FORMAT);
    let source = reader::read(std::io::Cursor::new(text), &FORMAT, "s.jsonl", &mut builder).expect("readable");
    let metadata = source.metadata.clone();
    let (session, findings) = builder.finish(&source);
    (session, findings, metadata)
}

/// Code, line and evidence without the coordinates.
fn rows(findings: &[Finding]) -> Vec<(&'static str, u64, Evidence)> {
    let own = |f: &Finding| {
        let coordinates = ["byte_offset", "byte_end", "record_ordinal"];
        f.evidence
            .iter()
            .filter(|(name, _)| !coordinates.contains(&name.as_str()))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect()
    };
    findings.iter().map(|f| (f.code(), f.line.unwrap_or(0), Evidence::Object(own(f)))).collect()
}

fn field(reason: &str, name: &str, id: Evidence) -> Evidence {
    json!({"reason": reason, "field": name, "record_id": id})
}

#[test]
fn every_defect_of_an_event_has_its_finding() {
    let cases = [
        (r#""id":"a","#, "", field("missing_id_key", "id", json!(null))),
        (r#""a""#, r#"" a""#, field("invalid_id", "id", json!(" a"))),
        (r#""a""#, r#""""#, field("invalid_id", "id", json!(""))),
        (r#""a""#, "7", field("invalid_id", "id", json!("7"))),
        (r#""a""#, "null", field("invalid_id", "id", json!(null))),
        (r#""a""#, r#""x@example.org""#, field("invalid_id", "id", json!("<sanitized_control_chars>"))),
        (r#""parent_id":null,"#, "", field("missing_parent_id_key", "parent_id", json!("a"))),
        ("null", r#"" ""#, field("invalid_parent_id", "parent_id", json!("a"))),
        ("null", "[]", field("invalid_parent_id", "parent_id", json!("a"))),
        (r#","kind":"message""#, "", field("missing_kind_key", "kind", json!("a"))),
        (r#""message""#, r#""Message""#, json!({"reason": "invalid_kind", "kind": "Message", "record_id": "a"})),
        (r#""message""#, "[1]", json!({"reason": "invalid_kind", "kind": "<list:len=1>", "record_id": "a"})),
        (r#""ts":"2025-01-01T00:00:00Z","#, "", field("missing_ts_key", "ts", json!("a"))),
        (
            "2025-01-01",
            "2025-02-30",
            json!({"reason": "invalid_timestamp", "ts": "2025-02-30T00:00:00Z", "record_id": "a"}),
        ),
        (r#""user""#, r#""robot""#, json!({"reason": "invalid_actor", "actor": "robot"})),
        (r#""user""#, r#"{"k":[true,null]}"#, json!({"reason": "invalid_actor", "actor": "{'k': [True, None]}"})),
        (r#""user""#, r#""token=abc""#, json!({"reason": "invalid_actor", "actor": "<str:len=9>"})),
        ("{}", "[]", json!({"reason": "invalid_payload_type", "type": "list", "record_id": "a"})),
        ("{}", "null", json!({"reason": "invalid_payload_type", "type": "NoneType", "record_id": "a"})),
        (":3", ":-1", json!({"reason": "invalid_seq", "seq": "-1", "record_id": "a"})),
        (":3", ":true", json!({"reason": "invalid_seq", "seq": "True", "record_id": "a"})),
        (":3", ":1.5", json!({"reason": "invalid_seq", "seq": "1.5", "record_id": "a"})),
    ];
    for (from, to, evidence) in cases {
        assert!(EVENT.contains(from), "{from}");
        let event = EVENT.replacen(from, to, 1);
        for (text, line) in [
            (format!("{HEADER}\n{event}\n"), 2),
            (format!("{},\"events\":[{event}]}}", &HEADER[..HEADER.len() - 1]), 1),
        ] {
            let (session, findings, _) = read(&text);
            assert_eq!(rows(&findings), [("SL001", line, evidence.clone())], "{text}");
            assert_eq!(session.events.len(), 1);
            let coordinates = findings[0].evidence.contains_key("byte_offset");
            assert_eq!(coordinates, line == 2, "only lines have coordinates");
        }
    }
    assert!(read(&format!("{HEADER}\n{EVENT}\n")).1.is_empty());
}

#[test]
fn long_values_are_shown_as_their_shape() {
    let words = "some words that someone wrote and that no report may hold ".repeat(2);
    let (_, findings, _) = read(&format!("{HEADER}\n{}\n", EVENT.replace("2025-01-01T00:00:00Z", &words)));
    assert_eq!(findings[0].evidence["ts"], format!("<str:len={}>", words.len()));
}

#[test]
fn stand_ins_are_kept() {
    let (session, _, _) =
        read(&format!("{HEADER}\n{EVENT}\n7\n{{}}\n{{\"seq\":\"x\",\"actor\":1,\"kind\":2,\"source_line\":9}}\n"));
    let events: Vec<_> = session.events.iter().map(|e| (session.text(e.id), e.kind, e.actor, e.seq, e.line)).collect();
    assert_eq!(
        events,
        [
            ("a", Kind::Message, Actor::User, 3, 0),
            ("<missing:2>", Kind::Unknown, Actor::User, 2, 0),
            ("<missing:3>", Kind::Unknown, Actor::System, 3, 9),
        ]
    );
}

#[test]
fn unknown_keys_are_errors_only_when_critical() {
    for (key, evidence) in [
        (r#""colour":1"#, None),
        (r#""type":"message""#, Some(json!({"field_path": "type", "type_value": "message", "record_id": "a"}))),
        (
            r#""type":"a b""#,
            Some(json!({"field_path": "type", "type_value": "<str:len=3>", "type_truncated": true, "record_id": "a"})),
        ),
        (
            r#""zz":1,"prev_id":"p","call_id":"c""#,
            Some(json!({"field_path": "prev_id", "type_value": "<str:len=1>", "record_id": "a"})),
        ),
        (
            r#""critical_é":null"#,
            Some(json!({"field_path": "<str:len=10>", "type_value": "<NoneType>", "record_id": "a"})),
        ),
    ] {
        let (_, findings, _) = read(&format!("{HEADER}\n{}\n", EVENT.replace("{}", &format!("{{}},{key}"))));
        assert_eq!(rows(&findings), evidence.map(|e| ("SL302", 2, e)).into_iter().collect::<Vec<_>>(), "{key}");
    }
}

#[test]
fn headers_are_judged() {
    let stopped = |findings: Vec<(&'static str, u64, Evidence)>| (0, findings);
    let cases = [
        (
            r#"{"session_id":"s"}"#,
            stopped(vec![("SL001", 1, json!({"reason": "missing_schema_version_key", "field": "schema_version"}))]),
        ),
        (
            r#"{"schema_version":"sesslint.session/v9"}"#,
            stopped(vec![("SL001", 1, json!({"reason": "invalid_schema", "schema": "sesslint.session/v9"}))]),
        ),
        (
            "[1]x",
            stopped(vec![(
                "SL001",
                1,
                json!({"reason": "malformed_json", "detail": "Extra data: line 1 column 4 (char 3)"}),
            )]),
        ),
        ("7", stopped(vec![("SL001", 1, json!({"reason": "invalid_document_type"}))])),
        (r#"{"schema":"sesslint.session/v1","version":1}"#, (1, vec![])),
        (
            r#"{"schema_version":"sesslint.session/v1","version":" V2 "}"#,
            (1, vec![("SL301", 1, json!({"version_raw": "<str:len=4>", "supported_set": ["1", "1.0", "1.0.0"]}))]),
        ),
        (r#"{"schema_version":"sesslint.session/v1","version":"v1.0"}"#, (1, vec![])),
        (r#"{"schema_version":"sesslint.session/v1","version":true}"#, (1, vec![])),
        (
            r#"{"schema_version":"sesslint.session/v1","kind":1,"checkpoints":[]}"#,
            (1, vec![("SL302", 1, json!({"field_path": "checkpoints", "type_value": "<list:len=0>"}))]),
        ),
    ];
    for (header, (events, expected)) in cases {
        let (session, findings, _) = read(&format!("{header}\n{EVENT}\n{{\n"));
        let mut expected = expected;
        if events > 0 {
            let detail = "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)";
            expected.push(("SL002", 3, json!({"reason": "malformed_json", "detail": detail})));
        }
        assert_eq!(rows(&findings), expected, "{header}");
        assert_eq!(session.events.len(), events, "{header}");
    }
}

#[test]
fn documents_are_judged() {
    let reason = |reason: &str| json!({"reason": reason});
    let field = |reason: &str, field: &str| json!({"reason": reason, "field": field});
    let head = &HEADER[1..HEADER.len() - 1];
    for (text, expected) in [
        (String::new(), reason("empty_input")),
        ("\u{feff} \n".into(), reason("empty_input")),
        (format!("[{HEADER},{EVENT}]"), reason("invalid_document_type")),
        (format!("{{\"events\":[{EVENT}]}}"), field("missing_schema_key", "schema")),
        (format!("{{\"schema\":\"{SCHEMA}\",\"events\":[]}}"), field("missing_version_key", "version")),
        (format!("{{\"schema\":\"{SCHEMA}\",\"version\":1}}"), field("missing_events_key", "events")),
        ("{\"schema_version\":\"v9\",\"events\":[3]}".into(), json!({"reason": "invalid_schema", "schema": "v9"})),
        (format!("{{{head},\"events\":{{}}}}"), reason("invalid_events_type")),
        (format!("{{{head},\"source\":5,\"events\":[]}}"), json!({"reason": "invalid_source_type", "type": "int"})),
        (format!("{{{head},\"events\":[7]}}"), reason("event_not_dict")),
        (format!("{{{head},\"events\":["), reason("malformed_json")),
    ] {
        let (_, findings, _) = read(&text);
        assert_eq!(rows(&findings), [("SL001", 1, expected)], "{text}");
    }
}

#[test]
fn broken_lines_have_their_reason_and_only_the_last_is_torn() {
    let (session, findings, _) = read(&format!("{HEADER}\n{{\"a\":x}}\n7\n\0\n\0\n{EVENT}\n[\n\n"));
    let rows = rows(&findings);
    let expected = [
        ("SL001", 2, json!({"reason": "malformed_json", "detail": "Expecting value: line 1 column 6 (char 5)"})),
        ("SL001", 3, json!({"reason": "event_not_dict"})),
        ("SL001", 1, json!({"reason": "forbidden_nul_byte"})),
        ("SL001", 5, json!({"reason": "forbidden_nul_byte"})),
        ("SL002", 7, json!({"reason": "malformed_json", "detail": "Expecting value: line 1 column 2 (char 1)"})),
    ];
    assert_eq!(rows, expected);
    assert!(findings.iter().all(|f| f.record_id.is_none()));
    assert_eq!(session.events.len(), 1);
    // Nothing is saved from a broken line, and depth is never what a cut leaves.
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(101), "]".repeat(101));
    let (session, findings, _) = read(&format!("{HEADER}\n{EVENT}{EVENT}\n{deep}"));
    assert_eq!(session.events.len(), 0);
    assert_eq!(findings.iter().map(Finding::code).collect::<Vec<_>>(), ["SL001", "SL001"]);
}

#[test]
fn checkpoints_and_source_are_remembered() {
    let header = r#"{"schema_version":"sesslint.session/v1","session_id":"s","title":"t","source":{"format":"x","checkpoints":[{"id":"c","seq":"4","hash":" h "},{"hash":"None"}]}}"#;
    let checkpoint = |payload: &str| EVENT.replace("message", "checkpoint").replace("{}", payload);
    let text = format!(
        "{header}\n{}\n{}\n{}\n",
        checkpoint(r#"{"seq":7,"checkpoint_seq":1,"state_hash":" ","hash":"h"}"#),
        checkpoint(r#"{"checkpoint_seq":2,"hash":12}"#),
        checkpoint(r#"{"seq":"x"}"#),
    );
    let (session, _, metadata) = read(&text);
    let events: Vec<_> = session.checkpoints.iter().map(|c| (c.index, c.seq, c.hash.as_deref())).collect();
    assert_eq!(events, [(0, Some(7), None), (1, Some(2), Some("12")), (2, None, None)]);
    let run_state: Vec<_> = session.run_state.iter().map(|c| (&*c.id, c.seq, c.hash.as_deref())).collect();
    assert_eq!(run_state, [("c", Some(4), Some("h")), ("chk-runstate-1", None, None)]);
    assert_eq!((metadata.session_id.as_deref(), metadata.title.as_deref()), (Some("s"), Some("t")));
    assert_eq!(metadata.source.and_then(|s| s.get("format").cloned()), Some(Value::from("x")));
}
