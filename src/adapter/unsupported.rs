//! Session logs of programs that are not read yet: recognised, so that they are never taken for another format.

use super::detect::Sample;
use crate::record::Json;

/// A format that is known by sight only.
#[derive(Debug)]
pub struct Unsupported {
    /// A stable word for it.
    pub id: &'static str,
    /// The name people use.
    pub name: &'static str,
    /// Variant of the finding that says so.
    pub variant: &'static str,
    /// Whether a sample is of this format.
    pub matches: fn(&Sample) -> bool,
}

/// All of them; the first that matches names the file.
pub static UNSUPPORTED: &[Unsupported] = &[
    by_record("copilot-jsonl", "Copilot CLI", |s| s.any(is_copilot)),
    by_record("cursor-stream", "Cursor agent stream", |s| s.any(is_cursor)),
    by_record("gemini-chat", "Gemini CLI chat", |s| s.any(is_gemini_chat)),
    by_record("gemini-stream", "Gemini CLI stream", |s| s.any(is_gemini_stream)),
    by_record("langgraph", "LangGraph messages", |s| s.any(is_langgraph)),
    by_record("openai-agents-rows", "OpenAI Agents session table", |s| s.any(is_row)),
    by_record("opencode", "opencode", |s| s.any(is_opencode)),
    Unsupported { id: "job-log", name: "job log", variant: "job-log", matches: is_job_log },
];

const fn by_record(id: &'static str, name: &'static str, matches: fn(&Sample) -> bool) -> Unsupported {
    Unsupported { id, name, variant: "unsupported-format", matches }
}

/// The format of a sample, if it is one of these.
#[must_use]
pub fn recognise(sample: &Sample) -> Option<&'static Unsupported> {
    UNSUPPORTED.iter().find(|format| (format.matches)(sample))
}

/// A job log: the records of a printed stream, each behind a time stamp or level. Joining such logs loses records, so
/// nothing may be judged by them.
fn is_job_log(sample: &Sample) -> bool {
    let printed = |r: Json<'_>| super::codex_exec::is_exec(r) || super::claude_stream::is_decisive(r);
    sample.records.is_empty() && sample.embedded.iter().any(|record| printed(record.json()))
}

fn word_is(record: Json<'_>, name: &str, words: &[&str]) -> bool {
    record.str(name).is_some_and(|word| words.contains(&&*word))
}

/// Events with dotted types and everything else under `data`.
fn is_copilot(record: Json<'_>) -> bool {
    let family = |word: &str| {
        word.split_once('.')
            .is_some_and(|(family, _)| matches!(family, "assistant" | "hook" | "session" | "system" | "tool" | "user"))
    };
    record.get("data").is_some_and(Json::is_object) && record.str("type").is_some_and(|word| family(&word))
}

/// Tool records of its own between records that others print as well.
fn is_cursor(record: Json<'_>) -> bool {
    let tool = word_is(record, "type", &["tool_call"]) && record.get("call_id").is_some();
    let thought = word_is(record, "type", &["thinking"]) && record.get("timestamp_ms").is_some();
    record.get("session_id").is_some() && record.get("subtype").is_some() && (tool || thought)
}

/// One document, or lines with the same entries; calls and results live in one entry.
fn is_gemini_chat(record: Json<'_>) -> bool {
    let header = record.get("projectHash").is_some() && record.get("sessionId").is_some();
    let answer = word_is(record, "type", &["gemini"]) && record.get("content").is_some();
    let turns = record.get("history").is_some_and(|list| list.elements().any(|turn| turn.get("parts").is_some()));
    let turn = word_is(record, "role", &["model"]) && record.get("parts").is_some_and(Json::is_array);
    let prompt = ["sessionId", "messageId", "timestamp"].iter().all(|name| record.get(name).is_some())
        && record.str("message").is_some();
    header || answer || turns || turn || prompt
}

fn is_gemini_stream(record: Json<'_>) -> bool {
    let has = |name: &str| record.get(name).is_some();
    word_is(record, "type", &["init"]) && has("session_id") && has("model")
        || word_is(record, "type", &["tool_use", "tool_result"]) && has("tool_id")
}

/// Messages by who speaks: `human`, `ai`; alone, in a state, or as serialised constructors.
fn is_langgraph(record: Json<'_>) -> bool {
    let message = |m: Json<'_>| {
        word_is(m, "type", &["ai", "human"]) && m.get("content").is_some()
            || word_is(m, "type", &["constructor"]) && m.get("lc").is_some()
    };
    let state = |s: Json<'_>| s.get("messages").is_some_and(|list| list.elements().any(message));
    let states = ["values", "channel_values"].into_iter().filter_map(|name| record.get(name));
    message(record) || std::iter::once(record).chain(states).any(state)
}

/// A row of the table in which the SDK keeps sessions: its items are texts within texts.
fn is_row(record: Json<'_>) -> bool {
    record.get("session_id").is_some() && record.str("message_data").is_some_and(|text| text.starts_with('{'))
}

fn is_opencode(record: Json<'_>) -> bool {
    let has = |name: &str| record.get(name).is_some();
    let exported = |m: Json<'_>| m.get("info").is_some() && m.get("parts").is_some();
    has("sessionID") && (has("part") || has("role") || has("messageID"))
        || record.get("messages").is_some_and(|list| list.elements().any(exported))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::FORMATS;

    #[test]
    fn each_is_known_by_sight_and_by_no_other_name() {
        for (text, expected) in [
            (r#"{"type":"session.start","data":{"copilotVersion":"1"},"id":"1","parentId":null}"#, "copilot-jsonl"),
            (r#"{"type":"assistant.message_delta","data":{"delta":"x"}}"#, "copilot-jsonl"),
            (r#"{"type":"tool_call","subtype":"started","call_id":"c","session_id":"s"}"#, "cursor-stream"),
            (r#"{"sessionId":"s","projectHash":"h","messages":[]}"#, "gemini-chat"),
            (r#"{"id":"1","type":"gemini","content":"x","tokens":{}}"#, "gemini-chat"),
            ("{\n\"history\":[{\"role\":\"user\",\"parts\":[]}]}", "gemini-chat"),
            (r#"[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"a"}]}]"#, "gemini-chat"),
            (r#"[{"sessionId":"s","messageId":0,"type":"user","message":"q","timestamp":"t"}]"#, "gemini-chat"),
            (r#"{"type":"init","session_id":"s","model":"m"}"#, "gemini-stream"),
            (r#"{"type":"tool_result","tool_id":"t","status":"success"}"#, "gemini-stream"),
            (r#"[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[]}]"#, "langgraph"),
            (r#"{"values":{"messages":[{"type":"human","content":"q"}]},"next":[]}"#, "langgraph"),
            (r#"{"messages":[{"lc":1,"type":"constructor","id":["x"]}]}"#, "langgraph"),
            (
                r#"[{"id":1,"session_id":"s","message_data":"{\"role\":\"user\",\"content\":\"q\"}"}]"#,
                "openai-agents-rows",
            ),
            (r#"{"type":"step_start","timestamp":1,"sessionID":"s","part":{}}"#, "opencode"),
            (r#"{"info":{},"messages":[{"info":{"sessionID":"s"},"parts":[]}]}"#, "opencode"),
        ] {
            let sample = Sample::read(text.as_bytes()).unwrap();
            assert_eq!(recognise(&sample).map(|u| u.id), Some(expected), "{text}");
            for format in FORMATS {
                assert!((format.score)(&sample) < 0.55, "{text} looks like {}", format.id);
            }
        }
    }

    #[test]
    fn a_job_log_is_no_stream() {
        let line = r#"{"type":"thread.started","thread_id":"t"}"#;
        for (text, expected) in [
            (format!("Run the agent\n2026-01-01T00:00:00Z {line}\n"), Some("job-log")),
            (format!("npm warn\n{line}\n"), None),
            ("2026-01-01T00:00:00Z {\"level\":\"info\"}\n".to_owned(), None),
        ] {
            let sample = Sample::read(text.as_bytes()).unwrap();
            assert_eq!(recognise(&sample).map(|u| u.id), expected, "{text}");
        }
    }

    #[test]
    fn supported_formats_are_not_among_them() {
        for text in [
            r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}"#,
            r#"{"type":"system","subtype":"init","session_id":"s","uuid":"u","model":"m"}"#,
            r#"{"type":"session","id":"s","timestamp":"t"}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{}}"#,
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"[{"role":"user","content":"x"},{"type":"function_call","call_id":"c"}]"#,
        ] {
            assert!(recognise(&Sample::read(text.as_bytes()).unwrap()).is_none(), "{text}");
        }
    }
}
