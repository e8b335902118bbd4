//! Unified diffs that `git apply` takes, whatever the bytes: lines end at a line feed and at nothing else.

use std::collections::VecDeque;

use super::place::git_blob;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Changed lines after which the rest is replaced whole: the search is quadratic in them.
const MAX_DISTANCE: usize = 1500;

/// One file's part of a patch.
#[derive(Debug)]
pub(super) struct Diff {
    pub patch: Vec<u8>,
    /// Lines taken out.
    pub removed: u64,
    /// Lines put in.
    pub added: u64,
}

/// What turns `old`, none for a new file, into `new`.
pub(super) fn diff(name: &str, old: Option<&[u8]>, new: &[u8]) -> Diff {
    let (a, b) = (quoted("a/", name), quoted("b/", name));
    let mut patch = format!("diff --git {a} {b}\n").into_bytes();
    let before = match old {
        Some(bytes) => git_blob(bytes),
        None => {
            patch.extend_from_slice(b"new file mode 100644\n");
            "0".repeat(40)
        }
    };
    patch.extend_from_slice(format!("index {before}..{}\n", git_blob(new)).as_bytes());
    // Behind a name with blanks git expects a tab, as it cannot tell the name's end otherwise.
    let tab = if name.contains(' ') { "\t" } else { "" };
    let from = if old.is_some() { format!("{a}{tab}") } else { "/dev/null".to_owned() };
    patch.extend_from_slice(format!("--- {from}\n+++ {b}{tab}\n").as_bytes());
    let (old, new) = (lines(old.unwrap_or_default()), lines(new));
    let runs = changes(&old, &new);
    let mut diff = Diff { patch, removed: 0, added: 0 };
    for group in grouped(&runs) {
        hunk(group, &old, &new, &mut diff.patch);
    }
    for run in &runs {
        diff.removed += run.old.len() as u64;
        diff.added += run.new.len() as u64;
    }
    diff
}

fn quoted(prefix: &str, name: &str) -> String {
    if name.contains('"') { format!("\"{prefix}{}\"", name.replace('"', "\\\"")) } else { format!("{prefix}{name}") }
}

/// Lines with their line ends.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Lines of one side that are replaced by lines of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

/// What differs, in order.
fn changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<Run> {
    let same = |(a, b): &(&&[u8], &&[u8])| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let pairs = matches(a, b).unwrap_or_default();
    let mut runs = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (i, j) in pairs.into_iter().chain([(a.len(), b.len())]) {
        if (x, y) != (i, j) {
            runs.push(Run { old: head + x..head + i, new: head + y..head + j });
        }
        (x, y) = (i + 1, j + 1);
    }
    runs
}

/// Pairs of equal lines along a shortest edit script (Myers); none when it is too long to look for.
fn matches(a: &[&[u8]], b: &[&[u8]]) -> Option<Vec<(usize, usize)>> {
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 {
        return Some(Vec::new());
    }
    if n.abs_diff(m) > MAX_DISTANCE {
        return None;
    }
    // For each distance the furthest places on the diagonals -d, -d+2, ... d.
    let mut trace: Vec<Vec<usize>> = Vec::new();
    'search: {
        for d in 0..=MAX_DISTANCE.min(n + m) {
            let mut reached = Vec::with_capacity(d + 1);
            for i in 0..=d {
                let x = start(trace.last().map_or(&[][..], Vec::as_slice), i, d);
                let (mut x, mut y) = (x, (x + d).wrapping_sub(2 * i));
                // A diagonal may lie beside the field.
                if x <= n && y <= m {
                    while x < n && y < m && a[x] == b[y] {
                        (x, y) = (x + 1, y + 1);
                    }
                }
                reached.push(x);
                if x >= n && y >= m && y <= m {
                    trace.push(reached);
                    break 'search;
                }
            }
            trace.push(reached);
        }
        return None;
    }
    let mut pairs = VecDeque::new();
    let (mut x, mut y) = (n, m);
    for d in (0..trace.len()).rev() {
        // The diagonal x - y is 2i - d.
        let i = (x + d - y) / 2;
        let from = start(if d == 0 { &[] } else { &trace[d - 1] }, i, d);
        while x > from {
            (x, y) = (x - 1, y - 1);
            pairs.push_front((x, y));
        }
        if d > 0 {
            let down = is_down(&trace[d - 1], i, d);
            (x, y) = if down { (x, y - 1) } else { (x - 1, y) };
        }
    }
    Some(pairs.into())
}

/// Whether diagonal `i` of distance `d` is best reached by taking a line of `b` in; else one of `a` goes out.
fn is_down(before: &[usize], i: usize, d: usize) -> bool {
    i == 0 || i < d && before[i - 1] < before[i]
}

/// Where the path on diagonal `i` of distance `d` begins.
fn start(before: &[usize], i: usize, d: usize) -> usize {
    match d {
        0 => 0,
        _ if is_down(before, i, d) => before[i],
        _ => before[i - 1] + 1,
    }
}

/// Runs that are so close that their context would meet.
fn grouped(runs: &[Run]) -> impl Iterator<Item = &[Run]> {
    runs.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT)
}

fn hunk(runs: &[Run], old: &[&[u8]], new: &[&[u8]], out: &mut Vec<u8>) {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return };
    let above = first.old.start.min(CONTEXT);
    let below = (old.len() - last.old.end).min(CONTEXT);
    let (from, to) = (first.old.start - above, last.old.end + below);
    let (new_from, new_to) = (first.new.start - above, last.new.end + below);
    let place = |from: usize, to: usize| format!("{},{}", if from == to { from } else { from + 1 }, to - from);
    out.extend_from_slice(format!("@@ -{} +{} @@\n", place(from, to), place(new_from, new_to)).as_bytes());
    let mut at = from;
    for run in runs {
        put(b' ', &old[at..run.old.start], out);
        put(b'-', &old[run.old.clone()], out);
        put(b'+', &new[run.new.clone()], out);
        at = run.old.end;
    }
    put(b' ', &old[at..to], out);
}

fn put(sign: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::apply::apply;
    use super::*;

    fn back(old: Option<&[u8]>, new: &[u8]) -> Vec<u8> {
        let patch = diff("a \"b\"", old, new).patch;
        let files = apply(&patch, &mut |name| {
            assert_eq!(name, "a \"b\"");
            Ok(old.map(<[u8]>::to_vec))
        });
        files.expect("a patch").remove("a \"b\"").expect("the file")
    }

    #[test]
    fn a_change_is_a_short_hunk() {
        let diff = diff("x", Some(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"), b"1\n2\n3\n4\n5\nsix\n7\n8\n9\n");
        let text = String::from_utf8(diff.patch).unwrap();
        assert!(text.ends_with("@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n"), "{text}");
        assert_eq!((diff.removed, diff.added), (1, 1));
    }

    #[test]
    fn ends_without_a_line_feed_are_kept() {
        for (old, new) in
            [("a\nb", "a\n"), ("a\n", "a\nb"), ("a", "a\n"), ("a\nb", "b"), ("", "a"), ("x\0\r\ny", "x\0\r\n")]
        {
            assert_eq!(back(Some(old.as_bytes()), new.as_bytes()), new.as_bytes(), "{old:?} {new:?}");
        }
        assert_eq!(back(None, b"{}\n"), b"{}\n");
    }

    #[test]
    fn files_that_have_nothing_in_common_are_replaced() {
        let old: String = (0..5000).map(|n| format!("{n}\n")).collect();
        let new: String = (0..5000).map(|n| format!("{n}x\n")).collect();
        assert_eq!(back(Some(old.as_bytes()), new.as_bytes()), new.as_bytes());
    }

    proptest! {
        #[test]
        fn applied_a_diff_gives_the_new_file(
            old in prop::collection::vec("[ab]{0,1}\n", 0..40),
            new in prop::collection::vec("[ab]{0,1}\n", 0..40),
            ends in prop::array::uniform2(any::<bool>()),
        ) {
            let text = |lines: Vec<String>, end| lines.concat() + if end { "" } else { "z" };
            let (old, new) = (text(old, ends[0]), text(new, ends[1]));
            prop_assume!(old != new);
            prop_assert_eq!(back(Some(old.as_bytes()), new.as_bytes()), new.as_bytes());
        }
    }
}
