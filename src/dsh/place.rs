//! Names: which directory and file a session belongs in, and which files of a root are logs.
//!
//! Works on names only; what exists on disk is the caller's to know.

use super::js_text::JsText;

/// Longest project name before it is wrapped, in characters.
const PROJECT_NAME_LIMIT: usize = 251;
/// The directory of sessions that have no working directory.
const NO_PROJECT: &str = "_no-cwd";

/// The directory name of a session id, or none for the empty id, which has no directory. Never the same for two ids.
#[must_use]
pub fn session_directory(id: &JsText<'_>) -> Option<String> {
    match id.as_bytes() {
        b"" => None,
        b"." => Some("~002E".into()),
        b".." => Some("~002E~002E".into()),
        _ => Some(id.units().fold(String::new(), |mut name, unit| {
            push_escaped(&mut name, unit);
            name
        })),
    }
}

/// The directory name of the sessions of a working directory, or none for the empty text. Different directories may
/// share a name.
#[must_use]
pub fn project_directory(cwd: Option<&JsText<'_>>) -> Option<String> {
    let Some(cwd) = cwd else { return Some(NO_PROJECT.into()) };
    if cwd.is_empty() {
        return None;
    }
    let mut name = String::new();
    let mut in_separators = false;
    for unit in cwd.units() {
        let is_separator = [b'/', b'\\', b':'].map(u16::from).contains(&unit);
        if !is_separator {
            push_escaped(&mut name, unit);
        } else if !in_separators {
            name.push('-');
        }
        in_separators = is_separator;
    }
    let name = name.trim_start_matches('-');
    let name = if name.is_empty() { "root" } else { name };
    Some(format!("--{}--", &name[..name.len().min(PROJECT_NAME_LIMIT)]))
}

fn push_escaped(name: &mut String, unit: u16) {
    match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) => name.push(char::from(byte)),
        _ => name.push_str(&format!("~{unit:04X}")),
    }
}

/// Whether a file of a session directory is a log.
#[must_use]
pub fn is_log(file_name: &[u8]) -> bool {
    file_name.ends_with(b".jsonl") || is_compressed_log(file_name)
}

/// Whether a file name promises Zstandard frames.
#[must_use]
pub fn is_compressed_log(file_name: &[u8]) -> bool {
    file_name.ends_with(b".jsonl.zstd")
}

/// The format generation that a file name states; none for names that are not the harness's own, which it never reads.
#[must_use]
pub fn generation(file_name: &[u8]) -> Option<u64> {
    let stem = file_name.strip_suffix(b".zstd").unwrap_or(file_name).strip_suffix(b".jsonl")?;
    match stem.strip_prefix(b"session")? {
        b"" => Some(0),
        [b'.', b'v', digits @ ..] => {
            let canonical = digits.first()? != &b'0' && digits.iter().all(u8::is_ascii_digit);
            // More digits than fit are a generation that no header can state.
            canonical.then(|| std::str::from_utf8(digits).ok()?.parse().ok()).map(|n| n.unwrap_or(u64::MAX))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{JsText, generation, is_log, project_directory, session_directory};

    fn text(raw: &str) -> JsText<'_> {
        JsText::unescape(raw.as_bytes())
    }

    #[test]
    fn session_names_escape_all_but_portable_characters() {
        for (id, name) in [
            ("a.B_c-9", Some("a.B_c-9")),
            (".", Some("~002E")),
            ("..", Some("~002E~002E")),
            ("...", Some("...")),
            ("a/b", Some("a~002Fb")),
            ("~", Some("~007E")),
            ("\u{e9}", Some("~00E9")),
            (r"\ud800", Some("~D800")),
            ("\u{1F600}", Some("~D83D~DE00")),
            ("", None),
        ] {
            assert_eq!(session_directory(&text(id)).as_deref(), name, "{id}");
        }
    }

    #[test]
    fn project_names_join_separators_and_are_cut() {
        for (cwd, name) in [
            ("/srv/atlas", "--srv-atlas--"),
            (r"C:\\dev\\x", "--C-dev-x--"),
            ("/", "--root--"),
            ("-/-:-a-", "--a---"),
            ("/a b/-c", "--a~0020b--c--"),
            ("relative", "--relative--"),
        ] {
            assert_eq!(project_directory(Some(&text(cwd))).as_deref(), Some(name), "{cwd}");
        }
        let long = "\u{4E2D}".repeat(60);
        let name = project_directory(Some(&text(&long))).expect("a name");
        assert!(name.len() == 255 && name.ends_with("~4E2D~--"), "{name}");
        assert_eq!(project_directory(None).as_deref(), Some("_no-cwd"));
        assert_eq!(project_directory(Some(&text(""))), None);
    }

    #[test]
    fn only_canonical_names_state_a_generation() {
        for (name, expected) in [
            ("session.jsonl", Some(0)),
            ("session.jsonl.zstd", Some(0)),
            ("session.v1.jsonl", Some(1)),
            ("session.v12.jsonl.zstd", Some(12)),
            ("session.v99999999999999999999.jsonl", Some(u64::MAX)),
            ("session.v0.jsonl", None),
            ("session.v01.jsonl", None),
            ("session.V1.jsonl", None),
            ("sessions.jsonl", None),
            ("session.v.jsonl", None),
            ("session.v+1.jsonl", None),
            ("session.v1", None),
            ("session.v1.jsonl.bak", None),
        ] {
            assert_eq!(generation(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn logs_are_told_by_suffix() {
        for (name, is) in
            [("a.jsonl", true), (".jsonl", true), ("a.jsonl.zstd", true), ("a.jsonl.zst", false), ("a.zstd", false)]
        {
            assert_eq!(is_log(name.as_bytes()), is, "{name}");
        }
    }
}
