//! The nearest known name to one that was mistyped.

/// Names this many single-letter changes away are suggested.
const NEAR: usize = 2;

/// The known name that was probably meant.
pub(super) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase().replace('_', "-");
    let distances = known.into_iter().map(|name| (distance(&typed, name), name));
    distances.filter(|(distance, _)| *distance <= NEAR).min().map(|(_, name)| name)
}

/// Single letters to add, drop or replace; long words are cut, since they are no typing slip.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().take(40).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_strangers_are_not() {
        let known = ["fail-on", "format", "exclude"];
        for (typed, meant) in [
            ("fail_on", Some("fail-on")),
            ("Failon", Some("fail-on")),
            ("exlcude", Some("exclude")),
            ("formats", Some("format")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
