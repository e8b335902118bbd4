//! SL502: half of a surrogate pair becomes the replacement character. It stood for no character, so no text is lost.

use std::collections::BTreeSet;

use super::{Audience, Case, Change, Proposal, Recipe, Unmet};
use crate::finding::Finding;
use crate::repair::script::{Insert, Splice};

pub(super) static RECIPE: Recipe = Recipe {
    name: "lone-surrogate-replace",
    codes: &["SL502"],
    salvage: false,
    audience: Audience::Every,
    shared: false,
    propose,
};

fn propose(case: &Case<'_>, finding: &Finding) -> Result<Proposal, Unmet> {
    const UNMET: Unmet = Unmet::Condition("lone_surrogate");
    let (Some(start), Some(end)) = (finding.location.byte_start, finding.location.byte_end) else { return Err(UNMET) };
    let text = case.bench.bytes(start..end)?;
    let changes: Vec<Change> = lone_escapes(&text)
        .into_iter()
        .map(|at| start + at as u64..start + at as u64 + 6)
        .map(|at| Change::Replace(Splice { at, with: Insert::Text(br"\ufffd".to_vec()) }))
        .collect();
    Case::require(!changes.is_empty(), "lone_surrogate")?;
    Ok(Proposal { changes, region: Some(BTreeSet::new()), loss: None })
}

/// Offsets of escapes of surrogates without partner, in a valid JSON text.
fn lone_escapes(text: &[u8]) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        at += found;
        match unit(text, at) {
            Some(0xD800..=0xDBFF) if matches!(unit(text, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                lone.push(at);
                at += 6;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
        if at >= text.len() {
            break;
        }
    }
    lone
}

/// The code unit of a `\\uXXXX` escape.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let escape = text.get(at..at + 6)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_found() {
        for (text, lone) in [
            (r#"{"a":"\ud83d\ude00"}"#, vec![]),
            (r#"{"a":"\ud83dx\ude00"}"#, vec![6, 13]),
            (r#"{"a":"\\ud83d"}"#, vec![]),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, vec![6]),
            (r#"{"a":"\n\uD83D"}"#, vec![8]),
        ] {
            assert_eq!(lone_escapes(text.as_bytes()), lone, "{text}");
        }
    }
}
