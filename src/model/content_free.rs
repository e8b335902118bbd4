//! Which texts may stand in a report: no controls, no addresses, no credentials.
//!
//! Every scan is linear in the text, whatever it holds; nothing backtracks. Passing these rules does not make a text
//! harmless, failing them makes it unprintable: ids that fail are masked, other values are echoed as their shape.

use super::Value;

/// Stands wherever an id failed the rules.
pub const REDACTED: &str = "<redacted>";

/// Format characters and separators above U+009F: general categories Cf, Zl and Zp (Unicode 14). Sorted.
const INVISIBLE: [(u32, u32); 21] = [
    (0xAD, 0xAD),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x1_10BD, 0x1_10BD),
    (0x1_10CD, 0x1_10CD),
    (0x1_3430, 0x1_3438),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0001, 0xE_0001),
    (0xE_0020, 0xE_007F),
];

/// Whether a text may stand in a report as it is.
#[must_use]
pub fn is_content_free(text: &str) -> bool {
    is_keyless_word(text)
        || !text.chars().any(is_invisible)
            && !has_mail_address(text)
            && !has_private_key(text)
            && !has_bearer_token(text)
            && !has_prefixed_key(text)
            && !has_assigned_secret(text)
}

/// Most ids: words of letters, digits and `_-.` in which no key can begin, without the signs that addresses,
/// assignments and headers need.
fn is_keyless_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, &b)| match b {
        b'_' | b'-' => {
            !["sk", "ghp", "gho", "glpat", "slack_token"].iter().any(|p| bytes[..at].ends_with(p.as_bytes()))
        }
        b => b.is_ascii_alphanumeric() || b == b'.',
    })
}

/// The text itself when it passes the rules, else [`REDACTED`].
#[must_use]
pub fn mask(text: &str) -> &str {
    if is_content_free(text) { text } else { REDACTED }
}

/// The record id of a finding: none when blank, else masked and trimmed.
#[must_use]
pub fn record_id(text: &str) -> Option<String> {
    let id = trim(mask(text));
    (!id.is_empty()).then(|| id.to_owned())
}

/// The text without blanks around it, where U+001C to U+001F count as blanks too.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Kind and size of a value without its content: `<str:len=5>`, `<list:len=2>`, `<NoneType>`.
#[must_use]
pub fn shape(value: &Value) -> String {
    match value {
        Value::Null => "<NoneType>".into(),
        Value::Bool(_) => "<bool>".into(),
        Value::Int(_) => "<int>".into(),
        Value::Float(_) => "<float>".into(),
        Value::String(text) => format!("<str:len={}>", text.chars().count()),
        Value::Array(elements) => format!("<list:len={}>", elements.len()),
        Value::Object(members) => format!("<dict:len={}>", members.len()),
    }
}

/// A short plain word as it is, with `false`; the shape of anything else, with `true` for masked.
#[must_use]
pub fn echo(value: &Value) -> (String, bool) {
    match value.as_str() {
        Some(text) if is_plain_word(text) => (text.to_owned(), false),
        _ => (shape(value), true),
    }
}

fn is_plain_word(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
        && is_content_free(text)
        && !looks_like_credential(text)
}

/// For ASCII words of at most 64 bytes.
fn looks_like_credential(text: &str) -> bool {
    const STARTS: [&str; 20] = [
        "sk-", "sk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "glpat-", "akia", "asia", "aiza", "xoxb-",
        "xoxp-", "xapp-", "xoxa-", "xoxr-", "bearer-", "bearer_",
    ];
    let lower = text.to_ascii_lowercase();
    if STARTS.iter().any(|start| lower.starts_with(start)) || lower.starts_with("slack_token_") {
        return true;
    }
    let bytes = lower.as_bytes();
    (0..bytes.len())
        .filter(|&i| i == 0 || matches!(bytes[i - 1], b'_' | b'-' | b'.'))
        .any(|i| starts_like_credential(&lower[i..]))
}

fn starts_like_credential(word: &str) -> bool {
    let after = |prefix: &str| word.strip_prefix(prefix).map(str::as_bytes);
    let run = |rest: &[u8], dashes: bool| {
        rest.iter().take_while(|b| b.is_ascii_alphanumeric() || (dashes && matches!(b, b'_' | b'-'))).count()
    };
    let dash = |rest: &[u8]| matches!(rest.first(), Some(b'_' | b'-'));
    let tagged = |prefix: &str, tags: &[u8], separator: u8| {
        after(prefix).is_some_and(|rest| {
            rest.len() > 2 && tags.contains(&rest[0]) && rest[1] == separator && rest[2].is_ascii_alphanumeric()
        })
    };
    ["sk", "rk", "bearer"].iter().any(|p| after(p).is_some_and(dash))
        || tagged("gh", b"pousr", b'_')
        || tagged("xox", b"baprs", b'-')
        || after("glpat-").is_some_and(|rest| run(rest, false) > 0)
        || ["akia", "asia"].iter().any(|p| after(p).is_some_and(|rest| run(rest, false) >= 16))
        || after("aiza").is_some_and(|rest| run(rest, true) >= 20)
        || after("slack").is_some_and(|rest| dash(rest) && rest[1..].starts_with(b"token") && dash(&rest[6..]))
}

fn is_invisible(c: char) -> bool {
    let code = u32::from(c);
    if code < 0xA0 {
        return !(0x20..0x7F).contains(&code);
    }
    let at = INVISIBLE.partition_point(|range| range.1 < code);
    INVISIBLE.get(at).is_some_and(|range| range.0 <= code)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&c)
}

/// Letters, numbers and the underscore. Vowel signs of some scripts count as letters here and as marks in the
/// reference; no credential has one beside it.
fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a word begins or ends at this byte offset, which must be a character boundary.
fn is_boundary(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back().is_some_and(is_word);
    let after = text[at..].chars().next().is_some_and(is_word);
    before != after
}

/// Length of the run of bytes of a class at the start.
fn run(bytes: &[u8], class: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&b| class(b)).count()
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}

fn has_mail_address(text: &str) -> bool {
    let bytes = text.as_bytes();
    let local = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
    memchr::memchr_iter(b'@', bytes).any(|at| {
        let length = bytes[..at].iter().rev().take_while(|&&b| local(b)).count();
        (at - length..at).any(|start| is_boundary(text, start)) && starts_with_domain(&text[at + 1..])
    })
}

fn starts_with_domain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let end = run(bytes, |b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    memchr::memchr_iter(b'.', &bytes[..end]).any(|dot| {
        let letters = run(&bytes[dot + 1..end], |b| b.is_ascii_alphabetic());
        dot > 0 && letters >= 2 && is_boundary(text, dot + 1 + letters)
    })
}

fn has_private_key(text: &str) -> bool {
    const BEGIN: &str = "-----BEGIN ";
    text.match_indices(BEGIN).any(|(at, _)| {
        let rest = &text[at + BEGIN.len()..];
        let (label, end) = rest.split_at(run(rest.as_bytes(), |b| b.is_ascii_uppercase() || b == b' '));
        label.len() > 3 && label.ends_with("KEY") && end.starts_with("-----")
    })
}

fn has_bearer_token(text: &str) -> bool {
    const BEARER: &str = "Bearer";
    text.match_indices(BEARER).any(|(at, _)| {
        let rest = &text[at + BEARER.len()..];
        let token = rest.trim_start_matches(is_blank);
        let length = run(token.as_bytes(), |b| is_name_byte(b) || b == b'.');
        token.len() < rest.len() && is_boundary(text, at) && (10..=length).rev().any(|end| is_boundary(token, end))
    })
}

fn has_prefixed_key(text: &str) -> bool {
    const PREFIXES: [&[u8]; 5] = [b"sk", b"ghp", b"gho", b"glpat", b"slack_token"];
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let end = start + run(&bytes[start..], is_name_byte);
        // A key lies within one run of name characters; the last boundary in the run serves every start in it.
        if let Some(last) = (start..=end).rev().find(|&at| text.is_char_boundary(at) && is_boundary(text, at)) {
            let found = (start..end).any(|at| {
                PREFIXES.iter().any(|prefix| {
                    bytes[at..end].starts_with(prefix)
                        && matches!(bytes.get(at + prefix.len()), Some(b'_' | b'-'))
                        && at + prefix.len() + 17 <= last
                        && is_boundary(text, at)
                })
            });
            if found {
                return true;
            }
        }
        start = end + 1;
    }
    false
}

fn has_assigned_secret(text: &str) -> bool {
    const NAMES: [&str; 5] = ["password", "passwd", "api_key", "secret", "token"];
    // The long s and the Kelvin sign are the only other characters that fold to ASCII letters.
    let fold = |c: char| match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        _ => c.to_ascii_lowercase(),
    };
    let strip = |text: &str, name: &str| {
        let mut rest = text.chars();
        name.chars().all(|n| rest.next().is_some_and(|c| fold(c) == n)).then_some(rest.as_str().len())
    };
    text.char_indices().any(|(at, c)| {
        matches!(fold(c), 'p' | 'a' | 's' | 't')
            && NAMES.iter().any(|name| {
                strip(&text[at..], name).is_some_and(|left| {
                    let rest = text[text.len() - left..].trim_start_matches(is_blank);
                    let value = rest.strip_prefix([':', '=']);
                    is_boundary(text, at) && value.is_some_and(|v| v.chars().any(|c| !is_blank(c)))
                })
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_pass() {
        for text in [
            "plain",
            "a b",
            "nbsp\u{a0}x",
            "emoji😀",
            "e\u{301}",
            "\u{e000}",
            "a@b.c",
            "a@b",
            "éa@b.co",
            "a@b.co_",
            "a@b.co1",
            "@b.co",
            "Bearer abcdefghi",
            "bearer abcdefghij",
            "xBearer abcdefghij",
            "Bearer ----------",
            "sk_0123456789abcde",
            "Sk_0123456789abcdef",
            "xsk_0123456789abcdef",
            "toolu_sk_0123456789abcdef",
            "token=",
            "token= \u{a0}",
            "tokens=x",
            "mytoken=x",
            "my_token=x",
            "apikey:1",
            "-----BEGIN KEY-----",
            "-----BEGIN RSA KEY----",
            "sk-----------------------",
            "",
        ] {
            assert!(is_content_free(text), "{text:?}");
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn texts_that_fail() {
        for text in [
            "tab\there",
            "nul\u{1}x",
            "del\u{7f}",
            "zero\u{200b}w",
            "soft\u{ad}h",
            "ls\u{2028}x",
            "nel\u{85}x",
            "bom\u{feff}x",
            "\u{e0041}",
            "a@b.co",
            "x a@b.co y",
            "a@b.co.",
            "é.a@b.co",
            "-a@b-.co-",
            "a@b.c.info",
            "Bearer abcdefghij",
            "Bearer\u{a0} abcdefghij..",
            "sk_0123456789abcdef",
            "sk-0123456789abcdef",
            "gho-0123456789abcdef",
            "slack_token_0123456789abcdef",
            "x-sk-0123456789abcdef--",
            "token=x",
            "x PassWd : y",
            "API_KEY:1",
            "to\u{212a}en=x",
            "\u{17f}ecret=x",
            "-----BEGIN RSA PRIVATE KEY-----",
            "-----BEGIN  KEY-----",
        ] {
            assert!(!is_content_free(text), "{text:?}");
            assert_eq!(mask(text), REDACTED);
        }
    }

    #[test]
    fn record_ids_are_masked_then_trimmed() {
        assert_eq!(record_id(" a "), Some("a".into()));
        assert_eq!(record_id(" \u{a0}"), None);
        assert_eq!(record_id("token=1 "), Some(REDACTED.into()));
    }

    #[test]
    fn only_plain_words_are_echoed() {
        for text in ["user", "2.0.14", "a-b_c", "risk-free", "task_1", "aizawa", "desk-top"] {
            let plain = text != "aizawa";
            assert_eq!(
                echo(&Value::from(text)),
                if plain { (text.into(), false) } else { ("<str:len=6>".into(), true) }
            );
        }
        for text in ["sk-x", "a.ghp_x", "x-akia0123456789abcdef", "XOXB-1", "a-xoxs-1", "my_slack-token_x", "a_bearer-"]
        {
            assert_eq!(echo(&Value::from(text)), (format!("<str:len={}>", text.len()), true), "{text}");
        }
        assert_eq!(echo(&Value::from("é")).0, "<str:len=1>");
        assert_eq!(echo(&Value::from(&*"x".repeat(65))).0, "<str:len=65>");
        assert_eq!(echo(&Value::Array(vec![Value::Null])).0, "<list:len=1>");
        assert_eq!(echo(&Value::Null), ("<NoneType>".into(), true));
    }

    #[test]
    fn hostile_texts_are_scanned_in_linear_time() {
        // A quadratic scan of any of these would take minutes.
        for (piece, passes) in [
            ("sk-", false),
            ("afalse", true),
            ("token ", true),
            ("Bearer ", true),
            ("-----BEGIN A", true),
            ("a.bfalse", true),
            ("falsea.", true),
            ("-", true),
            (" ", true),
        ] {
            assert_eq!(is_content_free(&piece.repeat(1 << 16)), passes, "{piece}");
        }
    }
}
