//! Trees in a few lines each, and what is said about them.

use super::FORMAT;
use crate::adapter::testing::{judge, read, score};

const HEAD: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/p"}"#;

/// An entry from `id parent role rest`, the rest being further members of the message.
fn entry(id: &str, parent: &str, role: &str, rest: &str) -> String {
    let parent = if parent == "-" { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"{role}",{rest}}}}}"#)
}

/// A line from words: `user id parent`, `said id parent`, `call id parent key [stop]`, `result id parent key`,
/// `compaction id parent kept`, `other id parent`.
fn line(words: &str) -> String {
    let w: Vec<&str> = words.split(' ').collect();
    let text = r#""content":[{"type":"text","text":"x"}]"#;
    match w[0] {
        "user" => entry(w[1], w[2], "user", text),
        "said" => entry(w[1], w[2], "assistant", text),
        "result" => entry(w[1], w[2], "toolResult", &format!(r#""toolCallId":"{}","content":[]"#, w[3])),
        "call" => {
            let calls: Vec<String> = w[3]
                .split('+')
                .map(|key| format!(r#"{{"type":"toolCall","id":"{key}","name":"bash","arguments":{{}}}}"#))
                .collect();
            let stop = w.get(4).unwrap_or(&"toolUse");
            entry(w[1], w[2], "assistant", &format!(r#""content":[{}],"stopReason":"{stop}""#, calls.join(",")))
        }
        "compaction" => format!(
            r#"{{"type":"compaction","id":"{}","parentId":"{}","summary":"s","firstKeptEntryId":"{}"}}"#,
            w[1], w[2], w[3]
        ),
        "other" => format!(r#"{{"type":"model_change","id":"{}","parentId":"{}"}}"#, w[1], w[2]),
        _ => words.to_owned(),
    }
}

fn judge_words(rows: &[(&str, &[&str], &[&str])]) {
    for (title, words, expected) in rows {
        let lines: Vec<String> = std::iter::once(HEAD.to_owned()).chain(words.iter().map(|w| line(w))).collect();
        judge(&FORMAT, &[(title, &lines.iter().map(String::as_str).collect::<Vec<_>>(), expected)]);
    }
}

#[test]
fn entries_of_version_1_are_known_without_their_header() {
    let entry = r#"{"type":"message","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"x"}}"#;
    assert!(score(&FORMAT, entry) > 0.9);
    judge(&FORMAT, &[("no header", &[entry, entry], &["SL001 error 1 missing-header"])]);
    let other = entry.replace("\"timestamp\"", "\"sessionId\":\"s\",\"timestamp\"");
    assert_eq!(score(&FORMAT, &other), 0.0);
}

#[test]
fn calls_and_results_pair_along_paths() {
    judge_words(&[
        ("a turn", &["user a -", "call b a k+l", "result c b k", "result d c l", "said e d"], &[]),
        ("open at the end", &["user a -", "call b a k", "other x b"], &["SL102 warning 3 open-tail"]),
        ("open, then the user goes on", &["user a -", "call b a k", "user c b"], &["SL102 error 3"]),
        ("two branches each answer", &["call a - k", "result b a k", "said c b", "result d a k", "said e d"], &[]),
        (
            "the resumed branch has no answer",
            &["call a - k", "result b a k", "user c a"],
            &["SL102 info 2 answered-elsewhere"],
        ),
        (
            "a call of one id on each branch",
            &["user a -", "call b a k", "result c b k", "call d a k", "result e d k"],
            &[],
        ),
        ("a result alone", &["user a -", "result b a k", "said c b"], &["SL101 error 3"]),
        ("answered twice", &["call a - k", "result b a k", "result c b k"], &["SL104 error 4 identical-results"]),
        ("one id twice", &["call a - k", "result b a k", "call c b k", "result d c k"], &["SL103 error 4"]),
        ("above its call", &["result a - k", "call b a k"], &["SL105 error 2"]),
        ("on another branch", &["user a -", "call b a k", "result c a k"], &["SL106 error 4"]),
        ("behind another turn", &["call a - k", "user b a", "said c b", "result d c k"], &["SL107 error 5"]),
        (
            "parted by a lost parent",
            &["user a -", "call b a k", "result c x k"],
            &["SL004 error 4 [SL006 warning 4] [SL007 warning 3]"],
        ),
        (
            "lost with its call",
            &["user a -", "result c x k"],
            &["SL004 error 3 [SL006 warning 3] [SL007 warning 2] [SL101 error 3]"],
        ),
    ]);
}

#[test]
fn messages_that_failed_are_left_out_with_their_calls() {
    judge_words(&[
        ("aborted", &["user a -", "call b a k aborted", "user c b"], &[]),
        ("failed", &["user a -", "call b a k error", "user c b"], &[]),
        ("cut by length", &["user a -", "call b a k length", "user c b"], &["SL102 error 3"]),
        ("their results are not", &["call a - k aborted", "result b a k"], &["SL101 error 3 call-left-out"]),
    ]);
}

#[test]
fn trees() {
    judge_words(&[
        ("branches and a new root", &["user a -", "said b a", "said c a", "user d -"], &[]),
        ("the first entry hangs on the header", &["user a s", "said b a"], &[]),
        ("stored in another order", &["said b a", "user a -"], &[]),
        ("a lost parent", &["user a -", "said c b"], &["SL004 error 3 [SL006 warning 3] [SL007 warning 2]"]),
        ("a cycle", &["user a b", "said b a"], &["SL005 fatal 3"]),
        ("the same line twice", &["user a -", "user a -"], &["SL003 warning 3 identical-duplicate"]),
        ("another line under one id", &["user a -", "said a -"], &["SL003 error 3 conflicting-duplicate"]),
        ("no parent", &[r#"{"type":"label","id":"a"}"#], &["SL302 error 2 cut-history"]),
        ("no id", &[r#"{"type":"label","parentId":null}"#], &["SL302 error 2 dropped-record"]),
        ("a type nobody knows", &[r#"{"type":"novel","id":"a","parentId":null}"#], &["SL302 info 2 unknown-type"]),
        ("no message", &[r#"{"type":"message","id":"a","parentId":null}"#], &["SL302 error 2 stops-loader"]),
        ("no content", &[&entry("a", "-", "user", r#""content":null"#)], &["SL302 error 2 stops-loader"]),
        ("a role nobody knows", &[&entry("a", "-", "novel", r#""content":"""#)], &["SL302 warning 2 unknown-role"]),
    ]);
}

#[test]
fn compactions_keep_from_an_entry_on() {
    judge_words(&[
        ("a pair on both sides", &["call a - k", "compaction c a a", "result b c k"], &[]),
        ("from a result on", &["call a - k", "result b a k", "compaction c b b"], &["SL108 error 3 kept-result"]),
        ("nothing", &["user a -", "compaction c a c", "user d c"], &[]),
        ("an unknown entry", &["user a -", "compaction c a z"], &["SL108 error 3 nothing-kept"]),
        ("an entry of another branch", &["user a -", "user b -", "compaction c a b"], &["SL108 error 4 nothing-kept"]),
        (
            "an entry above a lost parent",
            &["user a -", "user c b", "compaction d c a"],
            &["SL004 error 3 [SL006 warning 2] [SL007 warning 2] [SL108 error 4 nothing-kept]"],
        ),
        (
            "a later one hides it",
            &["user a -", "compaction c a z", "user d c", "compaction e d d"],
            &["SL108 info 3 nothing-kept"],
        ),
    ]);
}

#[test]
fn headers() {
    let user = line("user a -");
    judge(
        &FORMAT,
        &[
            ("none", &[&user], &["SL001 error 1 missing-header"]),
            ("second", &[&user, HEAD], &["SL001 error 1 missing-header"]),
            ("broken", &[&HEAD[..30], &user], &["SL001 error 1 malformed-line"]),
            ("again", &[HEAD, &user, HEAD], &[]),
            ("behind a mark", &[&format!("\u{feff}{HEAD}"), &user], &["SL001 error 1 byte-order-mark"]),
            ("half a surrogate", &[HEAD, &user.replace('x', r"\ud83d")], &["SL502 warning 2 replaced"]),
            ("newer", &[&HEAD.replace(":3", ":4"), &user], &["SL301 info 1 newer"]),
            ("without id", &[&HEAD.replace(r#""id":"s","#, ""), &user], &["SL302 error 1 refused-header"]),
        ],
    );
}

#[test]
fn the_first_version_is_a_line() {
    let head = r#"{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00Z","provider":"p"}"#;
    let call =
        r#"{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"read"}]}}"#;
    let result = r#"{"type":"message","message":{"role":"toolResult","toolCallId":"k","content":[]}}"#;
    let user = r#"{"type":"message","message":{"role":"user","content":"x"}}"#;
    let compaction = r#"{"type":"compaction","summary":"s","firstKeptEntryIndex":2}"#;
    judge(
        &FORMAT,
        &[
            ("a turn", &[head, call, result, user], &[]),
            ("open in the middle", &[head, call, user], &["SL102 error 2"]),
            ("kept from a result on", &[head, call, result, compaction], &["SL108 error 3 kept-result"]),
        ],
    );
    let (session, _) = read(&FORMAT, [head, user, user].join("\n").as_bytes());
    assert_eq!(session.text(session.events[1].parent), session.text(session.events[0].id));
}

#[test]
fn recognised_by_header_or_links() {
    let copilot = r#"{"type":"session.start","data":{},"id":"1","timestamp":"t","parentId":null}"#;
    let harness = r#"{"type":"session","version":0,"id":"d","createdAt":1}"#;
    for (text, expected) in [(HEAD, 1.0), (&*line("user a -"), 1.0), (copilot, 0.0), (harness, 0.0)] {
        assert_eq!(score(&FORMAT, text), expected, "{text}");
    }
}
