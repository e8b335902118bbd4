//! Applies a patch as strictly as can be: every byte of it must be of the form that proposals write, every line it
//! states must stand where it says. It shares no code with the writer of patches.

use std::collections::BTreeMap;
use std::io;

use super::place::git_blob;

/// Reads a file of the base; none when it is not there.
pub(super) type Base<'a> = dyn FnMut(&str) -> io::Result<Option<Vec<u8>>> + 'a;

/// Every file that the patch touches, as it is afterwards.
///
/// # Errors
/// What is wrong with the patch, in words without content.
pub(super) fn apply(patch: &[u8], base: &mut Base<'_>) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut lines = Lines { rest: patch, number: 0 };
    let mut files = BTreeMap::new();
    while !lines.rest.is_empty() {
        let name = header(&mut lines)?;
        let new_file = lines.pass(b"new file mode 100644\n");
        let Some((from, to)) = lines.text("index ")?.split_once("..") else { return Err(lines.wrong("an index line")) };
        let old = base(&name).map_err(|error| format!("{name}: {error}"))?;
        match (&old, new_file) {
            (Some(_), true) => return Err(format!("{name}: the patch makes it, but it exists")),
            (None, false) => return Err(format!("{name}: the patch changes it, but it does not exist")),
            _ => {}
        }
        let expected = old.as_deref().map_or_else(|| "0".repeat(40), git_blob);
        if from != expected {
            return Err(format!("{name}: the patch is for another state of it"));
        }
        let minus = lines.text("--- ")?;
        let plus = lines.text("+++ ")?;
        if unquoted(plus.trim_end_matches('\t'), "b/").as_deref() != Some(&name)
            || !new_file && unquoted(minus.trim_end_matches('\t'), "a/").as_deref() != Some(&name)
            || new_file && minus != "/dev/null"
        {
            return Err(lines.wrong("the same name four times"));
        }
        let new = hunks(&mut lines, &old.unwrap_or_default())?;
        if git_blob(&new) != to {
            return Err(format!("{name}: the patch does not give what it says"));
        }
        if files.insert(name.clone(), new).is_some() {
            return Err(format!("{name}: stands twice in the patch"));
        }
    }
    Ok(files)
}

fn header(lines: &mut Lines<'_>) -> Result<String, String> {
    let text = lines.text("diff --git ")?;
    // Both names are one and the same, so the blank in the middle parts them.
    let middle = text.len() / 2;
    let names = text.is_char_boundary(middle).then(|| text.split_at(middle)).and_then(|(a, b)| {
        let b = b.strip_prefix(' ')?;
        let name = unquoted(a, "a/")?;
        (unquoted(b, "b/")? == name).then_some(name)
    });
    names.ok_or_else(|| lines.wrong("one name twice"))
}

fn unquoted(text: &str, prefix: &str) -> Option<String> {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inner) => inner.strip_prefix(prefix).map(|name| name.replace("\\\"", "\"")),
        None => text.strip_prefix(prefix).map(str::to_owned),
    }
}

fn hunks(lines: &mut Lines<'_>, old: &[u8]) -> Result<Vec<u8>, String> {
    let old: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut new, mut at) = (Vec::new(), 0);
    let mut new_lines = 0;
    while lines.rest.starts_with(b"@@ ") {
        let wrong = lines.wrong("a hunk that fits");
        let Some([old_at, old_count, new_at, new_count]) = places(lines.text("@@ ")?) else { return Err(wrong) };
        let start = |at: usize, count: usize| if count == 0 { Some(at) } else { at.checked_sub(1) };
        let Some(start_at) = start(old_at, old_count).filter(|s| (at..=old.len()).contains(s)) else {
            return Err(wrong);
        };
        for line in &old[at..start_at] {
            new.extend_from_slice(line);
        }
        new_lines += start_at - at;
        at = start_at;
        if start(new_at, new_count) != Some(new_lines) {
            return Err(wrong);
        }
        let (end, new_end) = (at + old_count, new_lines + new_count);
        while at < end || new_lines < new_end {
            let Some((sign, line)) = lines.content() else { return Err(wrong) };
            if sign != b'+' {
                if at >= end || old[..].get(at) != Some(&line.as_slice()) {
                    return Err(wrong);
                }
                at += 1;
            }
            if sign != b'-' {
                if new_lines >= new_end {
                    return Err(wrong);
                }
                new.extend_from_slice(&line);
                new_lines += 1;
            }
        }
    }
    for line in &old[at..] {
        new.extend_from_slice(line);
    }
    Ok(new)
}

/// The four numbers of `-1,2 +3,4 @@`.
fn places(text: &str) -> Option<[usize; 4]> {
    let (old, new) = text.strip_prefix('-')?.strip_suffix(" @@")?.split_once(" +")?;
    let pair = |text: &str| text.split_once(',').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let ((a, b), (c, d)) = (pair(old)?, pair(new)?);
    Some([a, b, c, d])
}

struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    fn wrong(&self, expected: &str) -> String {
        format!("line {} of the patch: expected {expected}", self.number + 1)
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest)? + 1;
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.number += 1;
        Some(line)
    }

    fn pass(&mut self, line: &[u8]) -> bool {
        let there = self.rest.starts_with(line);
        if there {
            self.next();
        }
        there
    }

    /// What follows a word, without the line end.
    fn text(&mut self, word: &str) -> Result<&'a str, String> {
        let wrong = self.wrong(word.trim_end());
        let line = self.next().and_then(|line| std::str::from_utf8(line).ok());
        line.and_then(|line| line.strip_prefix(word)?.strip_suffix('\n')).ok_or(wrong)
    }

    /// A line of a hunk: its sign and the line itself.
    fn content(&mut self) -> Option<(u8, Vec<u8>)> {
        let (sign, line) = self.next()?.split_first()?;
        let mut line = line.to_vec();
        if self.pass(b"\\ No newline at end of file\n") {
            line.pop();
        }
        matches!(sign, b' ' | b'-' | b'+').then_some((*sign, line))
    }
}

#[cfg(test)]
mod tests {
    use super::super::diff::diff;
    use super::*;

    #[test]
    fn only_the_exact_patch_on_the_exact_base_applies() {
        let old = b"a\nb\nc\nd\ne\nf\ng\nh";
        let patch = diff("x", Some(old), b"a\nb\nc\nD\ne\nf\ng\nh").patch;
        let on = |patch: &[u8], base: &[u8]| apply(patch, &mut |_| Ok(Some(base.to_vec())));
        assert!(on(&patch, old).is_ok());
        for at in 0..patch.len() {
            let mut other = patch.clone();
            other[at] ^= 1;
            assert!(on(&other, old).is_err(), "byte {at}");
            if at > 0 {
                assert!(on(&patch[..at], old).is_err(), "cut at {at}");
            }
        }
        assert!(on(&patch, b"a\nb\nc\nd\ne\nf\ng\n").is_err());
        assert!(on(&[&b"garbage\n"[..], &patch].concat(), old).is_err());
        assert!(on(&[&patch[..], &patch].concat(), old).is_err());
    }
}
