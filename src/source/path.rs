//! Paths as reports and fingerprints name them.

use std::path::{Component, Path, PathBuf};

use sha1::{Digest, Sha1};

use crate::finding::fingerprint::hex;

/// The text of a path after a light clean-up: no doubled slashes, no `.` parts, no trailing slash, `/` between parts. `..` stays.
#[must_use]
pub fn clean(path: &Path) -> String {
    // Elsewhere a backslash is a character of a name like any other.
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    let absolute = text.starts_with('/');
    let parts: Vec<&str> = text.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// The whole path, `.` and `..` resolved by their text alone; as it is when there is no working directory.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in std::path::absolute(path).as_deref().unwrap_or(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}

/// The path from a folder; none when it lies elsewhere.
#[must_use]
pub fn from_folder(path: &Path, folder: &Path) -> Option<PathBuf> {
    absolute(path).strip_prefix(folder).ok().map(Path::to_path_buf)
}

/// A cleaned path shortened so that it tells no folder names: `~/x` below `home`, else `.._` + hash of the folder + name.
#[must_use]
pub fn minimise(path: &str, home: Option<&str>) -> String {
    if path == "~" || path.starts_with("~/") || path.starts_with(".._") {
        return path.to_owned();
    }
    if let Some(home) = home
        && let Some(rest) = path.strip_prefix(home)
    {
        if rest.is_empty() {
            return "~".into();
        }
        if let Some(rest) = rest.strip_prefix('/') {
            return format!("~/{rest}");
        }
    }
    match path.rsplit_once('/') {
        None => path.to_owned(),
        Some((folder, name)) => {
            let folder = if folder.is_empty() { "/" } else { folder };
            format!(".._{}/{name}", hex(&Sha1::digest(folder)[..4]))
        }
    }
}

/// The file name without its last extension: the session id of reports.
#[must_use]
pub fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.') {
        Some(dot) if dot > 0 && dot + 1 < name.len() => name[..dot].to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_but_not_resolved() {
        for (given, cleaned) in [
            ("./logs//deep/../deep/s.jsonl", "logs/deep/../deep/s.jsonl"),
            ("/a//b/", "/a/b"),
            (".", ""),
            ("s.jsonl", "s.jsonl"),
            ("a\\b.jsonl", if cfg!(windows) { "a/b.jsonl" } else { "a\\b.jsonl" }),
        ] {
            assert_eq!(clean(Path::new(given)), cleaned);
        }
    }

    #[test]
    fn folders_are_hashed_and_home_is_a_tilde() {
        for (path, home, shown) in [
            ("s.jsonl", None, "s.jsonl"),
            ("logs/deep/session.jsonl", None, ".._c91ccbbd/session.jsonl"),
            ("tree/b", None, ".._80655da8/b"),
            ("/home/x/a/s.jsonl", Some("/home/x"), "~/a/s.jsonl"),
            ("/home/x", Some("/home/x"), "~"),
            ("~/s", None, "~/s"),
        ] {
            assert_eq!(minimise(path, home), shown);
        }
        assert_ne!(minimise("/home/xy/s", Some("/home/x")), "~/y/s");
    }

    #[test]
    fn paths_count_from_a_folder() {
        let folder = absolute(Path::new("here"));
        for (path, expected) in
            [("here/a/b", Some("a/b")), ("here/../here/./a", Some("a")), ("here", Some("")), ("there/a", None)]
        {
            assert_eq!(from_folder(Path::new(path), &folder), expected.map(PathBuf::from), "{path}");
        }
    }

    #[test]
    fn the_stem_drops_one_extension() {
        for (path, expected) in [("a/b.tar.gz", "b.tar"), (".hidden", ".hidden"), ("a", "a"), ("a/b.jsonl", "b")] {
            assert_eq!(stem(path), expected);
        }
    }
}
