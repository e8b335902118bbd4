//! Random JSON against an independent implementation: Node's own parser and printer. Skipped where there is no Node.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use sesslint::digest::{Canonicaliser, entry_digest};

const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digest_oracle.mjs");

/// What the oracle answers to each text: canonical form in hex and digest, or `!`.
fn oracle(texts: &[Vec<u8>]) -> Vec<String> {
    let mut node =
        Command::new("node").arg(ORACLE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node starts");
    let input: String = texts.iter().map(|text| hex(text) + "\n").collect();
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("node reads");
    let output = node.wait_with_output().expect("node ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}

fn ours(text: &[u8], canonicaliser: &mut Canonicaliser) -> String {
    match canonicaliser.read(text) {
        Ok(canonical) => format!("{} {}", hex(canonical.bytes()), entry_digest(text).expect("it was read")),
        Err(_) => "!".to_owned(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn blank() -> impl Strategy<Value = String> {
    prop_oneof![8 => Just(String::new()), 1 => "[ \t\r\n]{1,3}"]
}

fn number() -> impl Strategy<Value = String> {
    let double = any::<f64>().prop_filter("JSON has finite numbers only", |x| x.is_finite());
    prop_oneof![
        9 => prop_oneof![
        double.clone().prop_map(|x| format!("{x:e}")),
        double.clone().prop_map(|x| format!("{x:.17e}")),
        double.prop_map(|x| format!("{x}")),
        // Around the borders between plain and exponent spelling, and of the exact integers.
        (0.5_f64..2.0, -9..25).prop_map(|(x, power)| format!("{}", x * 10_f64.powi(power))),
        ((1_u64 << 53) - 64..(1 << 53) + 64).prop_map(|n| format!("{n}.5")),
        any::<u128>().prop_map(|n| n.to_string()),
        "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?",
        // Exactly between two doubles, or a little above or below.
        ((1_u64 << 52)..(1 << 53), -60_i32..60, prop_oneof![Just(""), Just("0001"), Just("-")]).prop_map(
            |(mantissa, power, nudge)| {
                let half = u128::from(mantissa) * 2 + 1;
                match (nudge, power) {
                    ("-", _) => format!("{}.9999999999999999999999999e0", half - 1),
                    (_, 0..) => format!("{}.{nudge}0", half << power),
                    _ => format!("{half}{nudge}e{power}"),
                }
            }
        ),
        Just("-0".to_owned()),
        Just("1e99999999999999999999".to_owned()),
        Just("1e-99999999999999999999".to_owned()),
        ],
        // Long mantissas whose exponent makes up for them.
        1 => prop_oneof![(0_usize..90_000, "[0-9]{1,900}", 0_i64..700).prop_map(|(zeros, digits, up)| {
            format!("0.{}{digits}e{}", "0".repeat(zeros), zeros as i64 + up - 350)
        }),
        (0_usize..90_000, "[1-9][0-9]{0,900}", 0_i64..700).prop_map(|(zeros, digits, up)| {
            format!("-{digits}{}e{}", "0".repeat(zeros), up - 350 - zeros as i64)
        })],
    ]
}

fn string() -> impl Strategy<Value = String> {
    let unit = prop_oneof![any::<u16>(), 0xD800_u16..0xE000, 0_u16..0x80,];
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,12}",
        2 => any::<char>().prop_filter("not raw in JSON", |c| *c >= ' ' && *c != '"' && *c != '\\').prop_map(String::from),
        2 => unit.clone().prop_map(|u| format!("\\u{u:04x}")),
        1 => unit.prop_map(|u| format!("\\u{u:04X}")),
        1 => any::<char>().prop_map(|c| {
            c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect()
        }),
        1 => "\\\\[\"\\\\/bfnrt]",
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => string(),
        2 => "\"[ab]{0,9}\"",
        1 => "\"(\\\\u0061|a|\u{e000}|\u{ffff}|\u{10000}|\u{10ffff}|\\\\ud83d|\\\\ude00|\\\\n|!|9|10){0,3}\"",
        1 => prop_oneof![Just("\"__proto__\""), Just("\"constructor\""), Just("\"toJSON\"")].prop_map(String::from),
    ]
}

fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        2 => number(),
        3 => string(),
        1 => prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(String::from),
    ];
    scalar.prop_recursive(5, 60, 8, |value| {
        let member = (blank(), name(), blank(), blank(), value.clone(), blank())
            .prop_map(|(a, name, b, c, value, d)| format!("{a}{name}{b}:{c}{value}{d}"));
        let element = (blank(), value, blank()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        prop_oneof![
            proptest::collection::vec(member, 0..9).prop_map(|members| format!("{{{}}}", members.join(","))),
            proptest::collection::vec(element, 0..6).prop_map(|elements| format!("[{}]", elements.join(","))),
        ]
    })
}

/// Mostly JSON; sometimes with bytes changed, put in or cut off.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop_oneof![
        4 => Just(Vec::new()),
        1 => proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..3),
    ];
    (json(), damage).prop_map(|(text, damage)| {
        let mut bytes = text.into_bytes();
        for (place, byte, kind) in damage {
            let at = place.index(bytes.len().max(1));
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 => bytes.truncate(at),
                _ => bytes.insert(at.min(bytes.len()), byte),
            }
        }
        // The protocol has a text a line, and no empty ones.
        if bytes.is_empty() { b" ".to_vec() } else { bytes }
    })
}

#[test]
fn canonical_forms_and_digests_are_those_of_another_engine() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: no node on this machine");
        return;
    }
    let config = ProptestConfig { cases: 8, max_shrink_iters: 40, failure_persistence: None, ..Default::default() };
    proptest!(config, |(texts in proptest::collection::vec(text(), 200..300))| {
        let mut canonicaliser = Canonicaliser::default();
        let theirs = oracle(&texts);
        prop_assert_eq!(theirs.len(), texts.len());
        for (text, theirs) in texts.iter().zip(theirs) {
            prop_assert_eq!(ours(text, &mut canonicaliser), theirs, "of {}", String::from_utf8_lossy(text));
        }
    });
}
