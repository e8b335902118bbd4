//! One small log of each format, with a word in every text that must never stand in a report.

/// The word.
pub(crate) const CANARY: &str = "qzcanary";

/// Format and log.
pub(crate) const LOGS: [(&str, &[u8]); 8] = [
    (
        "canonical",
        br#"{"schema_version":"sesslint.session/v1","session_id":"example","created_at":"2026-05-04T10:00:00Z","version":1,"title":"qzcanary title"}
{"id":"e1","parent_id":null,"seq":0,"ts":"2026-05-04T10:00:00Z","actor":"user","kind":"message","payload":{"text":"qzcanary one"}}
{"id":"e2","parent_id":"e1","seq":1,"ts":"2026-05-04T10:00:01Z","actor":"assistant","kind":"tool_call","payload":{"name":"ls","input":{"qzcanary":"qzcanary two"}},"correlation_id":"c1"}
{"id":"e3","parent_id":"e2","seq":2,"ts":"2026-05-04T10:00:02Z","actor":"tool","kind":"tool_result","payload":{"content":"qzcanary three"},"correlation_id":"c1"}
{"id":"e4","parent_id":"e3","seq":3,"ts":"2026-05-04T10:00:03Z","actor":"runtime","kind":"checkpoint","payload":{"note":"qzcanary"},"checkpoint":{"seq":2,"state_hash":"00"}}
{"id":"e5","parent_id":"e4","seq":4,"ts":"2026-05-04T10:00:04Z","actor":"assistant","kind":"message","payload":{"text":"qzcanary \"id\": \"qzcanary\""}}
"#,
    ),
    (
        "claude-code-jsonl",
        br#"{"type":"summary","summary":"qzcanary title","leafUuid":"u6"}
{"parentUuid":null,"sessionId":"s","cwd":"/qzcanary","version":"2.1.0","gitBranch":"qzcanary","type":"user","message":{"role":"user","content":"qzcanary one"},"uuid":"u1","timestamp":"2026-05-04T09:00:01.000Z"}
{"parentUuid":"u1","sessionId":"s","type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"qzcanary","signature":"qzcanary"}]},"uuid":"u2","timestamp":"2026-05-04T09:00:02.000Z"}
{"parentUuid":"u2","sessionId":"s","type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"qzcanary two"}}]},"uuid":"u3","timestamp":"2026-05-04T09:00:03.000Z"}
{"parentUuid":"u3","sessionId":"s","type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"qzcanary three"}]},"toolUseResult":{"stdout":"qzcanary"},"uuid":"u4","timestamp":"2026-05-04T09:00:04.000Z"}
{"parentUuid":null,"logicalParentUuid":"u4","sessionId":"s","type":"system","subtype":"compact_boundary","content":"qzcanary","uuid":"u5","timestamp":"2026-05-04T09:00:05.000Z","compactMetadata":{"trigger":"auto","preTokens":1}}
{"parentUuid":"u5","sessionId":"s","type":"user","isCompactSummary":true,"message":{"role":"user","content":"qzcanary \"id\": \"qzcanary\""},"uuid":"u6","timestamp":"2026-05-04T09:00:06.000Z"}
"#,
    ),
    (
        "claude-stream",
        br#"{"type":"system","subtype":"init","cwd":"/qzcanary","session_id":"s","tools":["Bash"],"mcp_servers":[],"model":"m","permissionMode":"default","uuid":"u0"}
{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"qzcanary one"}]},"parent_tool_use_id":null,"session_id":"s","uuid":"u1"}
{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"qzcanary two"}}]},"parent_tool_use_id":null,"session_id":"s","uuid":"u2"}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"qzcanary three"}]},"parent_tool_use_id":null,"session_id":"s","uuid":"u3"}
{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"qzcanary four","session_id":"s","uuid":"u4"}
"#,
    ),
    (
        "codex-exec",
        br#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"qzcanary one"}}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"qzcanary two","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"qzcanary two","aggregated_output":"qzcanary three","exit_code":0,"status":"completed"}}
{"type":"error","message":"qzcanary four"}
{"type":"turn.failed","error":{"message":"qzcanary five"}}
"#,
    ),
    (
        "codex-rollout",
        br#"{"timestamp":"2026-05-04T10:00:00.000Z","type":"session_meta","payload":{"id":"s","timestamp":"2026-05-04T10:00:00.000Z","cwd":"/qzcanary","originator":"codex_exec","cli_version":"0.144.6","instructions":"qzcanary"}}
{"timestamp":"2026-05-04T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"qzcanary one"}]}}
{"timestamp":"2026-05-04T10:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"qzcanary"}}
{"timestamp":"2026-05-04T10:00:03.000Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"qzcanary"}],"encrypted_content":"qzcanary"}}
{"timestamp":"2026-05-04T10:00:04.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":\"qzcanary two\"}","call_id":"c1"}}
{"timestamp":"2026-05-04T10:00:05.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"qzcanary three"}}
{"timestamp":"2026-05-04T10:00:06.000Z","type":"compacted","payload":{"message":"qzcanary","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"qzcanary"}]}]}}
"#,
    ),
    (
        "dsh-jsonl",
        br#"{"type":"session","version":0,"id":"s","createdAt":1785421232654,"cwd":"/qzcanary"}
{"type":"turn/start","seq":0,"time":1785421232753,"data":{"turn":1,"trigger":{"kind":"message","source":{"kind":"user","rpcId":"r"}}}}
{"type":"user/message","seq":1,"time":1785421232754,"data":{"content":[{"type":"text","text":"qzcanary one"}],"source":{"kind":"user","rpcId":"r"},"role":"user","id":"m1"},"surfaceOp":"append"}
{"type":"session/title","seq":2,"time":1785421232754,"data":{"title":"qzcanary title","messageSeqs":[1],"source":{"kind":"fallback"}}}
{"type":"command/run","seq":3,"time":1785421232755,"data":{"commandId":"c1","name":"tool","args":"qzcanary two","source":{"kind":"user"}}}
{"type":"command/done","seq":4,"time":1785421232756,"data":{"commandId":"c1","kind":"success","text":"qzcanary three"}}
"#,
    ),
    (
        "openai-agents-json",
        br#"[
{"role":"user","content":"qzcanary one"},
{"type":"reasoning","id":"r1","summary":[{"type":"summary_text","text":"qzcanary"}]},
{"type":"function_call","call_id":"c1","id":"f1","name":"lookup","arguments":"{\"order\":\"qzcanary two\"}"},
{"type":"function_call_output","call_id":"c1","output":"qzcanary three"},
{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"qzcanary four","annotations":[]}]},
{"role":"user","content":"qzcanary \"id\": \"qzcanary\""}
]
"#,
    ),
    (
        "pi-jsonl",
        br#"{"type":"session","version":3,"id":"s","timestamp":"2026-05-04T10:00:00.000Z","cwd":"/qzcanary"}
{"type":"message","id":"p1","parentId":null,"timestamp":"2026-05-04T10:00:01.000Z","message":{"role":"user","content":"qzcanary one","timestamp":1}}
{"type":"message","id":"p2","parentId":"p1","timestamp":"2026-05-04T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"qzcanary"},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"qzcanary two"}}],"provider":"x","model":"m","stopReason":"toolUse","timestamp":2}}
{"type":"message","id":"p3","parentId":"p2","timestamp":"2026-05-04T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"qzcanary three"}],"isError":false,"timestamp":3}}
{"type":"compaction","id":"p4","parentId":"p3","timestamp":"2026-05-04T10:00:04.000Z","summary":"qzcanary","firstKeptEntryId":"p1","tokensBefore":1}
{"type":"session_info","id":"p5","parentId":"p4","timestamp":"2026-05-04T10:00:05.000Z","name":"qzcanary title"}
{"type":"message","id":"p6","parentId":"p5","timestamp":"2026-05-04T10:00:06.000Z","message":{"role":"user","content":"qzcanary \"id\": \"qzcanary\"","timestamp":4}}
"#,
    ),
];

/// Lines that a program appends to a log of this format; none for documents.
pub(crate) fn grown(format: &str, count: usize) -> Option<String> {
    let line = |n: usize| {
        match format {
        "canonical" => format!(
            r#"{{"id":"n{n}","parent_id":null,"seq":{},"ts":"2026-05-04T11:00:00Z","actor":"user","kind":"message","payload":{{"text":"go on"}}}}"#,
            n + 5
        ),
        "claude-code-jsonl" => format!(
            r#"{{"parentUuid":"u6","sessionId":"s","type":"user","message":{{"role":"user","content":"go on"}},"uuid":"n{n}","timestamp":"2026-05-04T11:00:00.000Z"}}"#
        ),
        "claude-stream" => format!(
            r#"{{"type":"assistant","message":{{"id":"n{n}","type":"message","role":"assistant","content":[{{"type":"text","text":"go on"}}]}},"session_id":"s","uuid":"n{n}"}}"#
        ),
        "codex-exec" => {
            format!(r#"{{"type":"item.completed","item":{{"id":"n{n}","type":"agent_message","text":"go on"}}}}"#)
        }
        "codex-rollout" => r#"{"timestamp":"2026-05-04T11:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}"#.to_owned(),
        "dsh-jsonl" => format!(
            r#"{{"type":"command/done","seq":{},"time":1785421232799,"data":{{"commandId":"n{n}","kind":"success","text":"go on"}}}}"#,
            n + 5
        ),
        _ => format!(
            r#"{{"type":"message","id":"n{n}","parentId":"p6","timestamp":"2026-05-04T11:00:00.000Z","message":{{"role":"user","content":"go on","timestamp":9}}}}"#
        ),
    }
    };
    let lines = (0..count).map(|n| line(n) + "\n");
    (format != "openai-agents-json").then(|| lines.collect())
}
