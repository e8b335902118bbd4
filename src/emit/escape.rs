//! Escaping for every place where text that came from an input meets a reader: terminals, logs that a runner scans for
//! commands, Markdown, HTML, XML, URIs and shells. Each function takes the plain text and returns what is safe there.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character could move, hide or reorder what a reader sees.
const fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        // Tags: text that only machines read.
        | '\u{e0000}'..='\u{e007f}')
}

/// Text for terminals and logs: what could move or hide is shown as an escape (`\n`, `\u{202e}`).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// [`visible`] text that no runner takes for a command: a leading `::` and every `##[` are broken.
#[must_use]
pub fn inert(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if !shown.trim_start().starts_with("::") && !shown.contains("##[") {
        return shown;
    }
    let broken = shown.replace("##[", "#\\#[");
    Cow::Owned(if broken.trim_start().starts_with("::") { broken.replacen(':', "\\x3a", 1) } else { broken })
}

/// The data part of a workflow command. `%` goes first, as the runner undoes it last.
#[must_use]
pub fn command_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
#[must_use]
pub fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Plain text in a Markdown table cell: no markup, no mention, no link, one line.
#[must_use]
pub fn markdown_cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in inert(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A backslash would not keep these from becoming a mention or an issue link.
            '@' | '#' => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            '|' | '\\' | '`' | '[' | ']' | '*' | '_' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Length of the longest run of backticks: a code fence must be longer.
#[must_use]
pub fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A code span in a Markdown table cell, fenced longer than any run of backticks inside.
///
/// Text with a pipe becomes a `code` element: a table splits at pipes before it sees code spans, and a backslash
/// in front of one cannot be told from one that belongs to the text.
#[must_use]
pub fn markdown_code(text: &str) -> String {
    let text = inert(text);
    if text.contains('|') {
        let mut out = String::from("<code>");
        for c in text.chars() {
            if c.is_ascii_punctuation() && !matches!(c, '/' | '.' | '-' | ',') {
                let _ = write!(out, "&#{};", u32::from(c));
            } else {
                out.push(c);
            }
        }
        return out + "</code>";
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Text in HTML and XML, in elements and in quoted attributes; no runner takes it for a command either.
#[must_use]
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in visible(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '#' => out.push_str("&#35;"),
            ':' if out.trim_start().is_empty() => out.push_str("&#58;"),
            c => out.push(c),
        }
    }
    out
}

/// A relative path as a URI reference: each part percent-encoded, `/` kept.
#[must_use]
pub fn uri_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || b"/-._~".contains(&b) {
            out.push(char::from(b));
        } else {
            let _ = write!(out, "%{b:02X}");
        }
    }
    out
}

/// One word of a POSIX shell command line, quoted only when it must be and never starting with a dash.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let text = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    let plain = |c: char| c.is_alphanumeric() || "/-._+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    if !text.chars().any(is_unsafe) && !text.contains("##[") {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut out = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '[' => out.push_str("\\x5b"),
            c if is_unsafe(c) => c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| {
                let _ = write!(out, "\\x{b:02x}");
            }),
            c => out.push(c),
        }
    }
    out + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names an attacker would choose.
    const HOSTILE: [&str; 11] = [
        "\u{180e}::error::x",
        "a\u{e0061}\u{e0062}b",
        "x\n::error::y",
        "##[error]z",
        "::set-output name=a::b",
        "a,b:c%0A",
        "p|q\\|r",
        "``tick`",
        "<script>alert(1)</script>",
        "\u{202e}txt.exe\u{2066}",
        "@user #12 [x](y) *b* _c_ ~d~ &amp; 'q' \"r\" \u{1b}[31m",
    ];

    #[test]
    fn nothing_hidden_survives_and_no_command_is_left() {
        for text in HOSTILE {
            for line in
                [inert(text).as_ref(), &markdown_cell(text), &markdown_code(text), &shell_word(text), &markup(text)]
            {
                assert!(!line.chars().any(is_unsafe), "{line:?}");
                assert!(!line.trim_start().starts_with("::"), "{line:?}");
                assert!(!line.contains("##["), "{line:?}");
            }
            assert!(!markup(text).chars().any(|c| is_unsafe(c) || "<>\"'".contains(c)));
        }
        assert_eq!(inert(" ::error::"), " \\x3a:error::");
        assert_eq!(inert("a ::b"), "a ::b");
        assert_eq!(inert("###[x"), "##\\#[x");
        assert_eq!(visible("a\u{85}b\u{2028}"), "a\\u{85}b\\u{2028}");
    }

    #[test]
    fn commands_are_escaped_as_the_runner_undoes_them() {
        assert_eq!(command_data("100%\r\n: ,"), "100%25%0D%0A: ,");
        assert_eq!(command_property("a,b:c%0A"), "a%2Cb%3Ac%250A");
    }

    #[test]
    fn cells_keep_the_number_of_columns() {
        for text in HOSTILE {
            for cell in [markdown_cell(text), markdown_code(text)] {
                let pipes = cell.replace("\\\\", "").replace("\\|", "").matches('|').count();
                assert_eq!(pipes, 0, "{cell}");
            }
        }
        assert_eq!(markdown_cell("@a #1 a_b"), "@<!-- -->a #<!-- -->1 a\\_b");
        assert_eq!(markdown_code("a``b`"), "``` a``b` ```");
        assert_eq!(markdown_code("a\\|b"), "<code>a&#92;&#124;b</code>");
    }

    #[test]
    fn uris_and_shell_words() {
        assert_eq!(uri_path("a b/ü:#?%|.jsonl"), "a%20b/%C3%BC%3A%23%3F%25%7C.jsonl");
        for (text, word) in [
            ("logs/a-1.jsonl", "logs/a-1.jsonl"),
            ("a b.jsonl", "'a b.jsonl'"),
            ("it's", "'it'\\''s'"),
            ("-rf", "./-rf"),
            ("", "''"),
            ("a\nb'\u{202e}", "$'a\\x0ab\\'\\xe2\\x80\\xae'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }
}
