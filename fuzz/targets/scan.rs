//! The scanner accepts what serde_json accepts, save for numbers nobody can hold, and values read alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value as Theirs;
use sesslint::model::Value as Ours;
use sesslint::model::canonical_json;
use sesslint::record::{Json, JsonFault, NodeKind, Scanner};

fn same(ours: &Ours, theirs: &Theirs) -> bool {
    match (ours, theirs) {
        (Ours::Null, Theirs::Null) => true,
        (Ours::Bool(a), Theirs::Bool(b)) => a == b,
        (Ours::String(a), Theirs::String(b)) => a == b,
        // Larger integers are doubles to serde_json; its doubles may be off by a last bit.
        (Ours::Int(a), Theirs::Number(b)) => {
            b.is_f64() && a.len() > 15 || *a == b.to_string() || a == "0" && b.as_f64() == Some(0.0)
        }
        (Ours::Float(a), Theirs::Number(b)) => {
            b.as_f64().is_some_and(|b| (a - b).abs() <= a.abs() * 1e-12 + f64::MIN_POSITIVE)
        }
        (Ours::Array(a), Theirs::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Ours::Object(a), Theirs::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => false,
    }
}

fuzz_target!(|text: &str| {
    let mut scanner = Scanner::default();
    let theirs = serde_json::from_str::<serde::de::IgnoredAny>(text);
    match scanner.scan(text.as_bytes(), 200) {
        Err(error) => {
            assert!(error.offset <= text.len());
            assert!(theirs.is_err() || error.fault == JsonFault::NumberTooLarge, "refused at {}", error.offset);
        }
        Ok(scan) => {
            assert!(theirs.is_ok(), "accepted");
            let tape = scanner.tape().to_vec();
            let json = Json::new(text.as_bytes(), &tape);
            assert_eq!(json.end(), scan.end);
            for node in &tape {
                let raw = &text.as_bytes()[node.start as usize..node.end as usize];
                assert!(node.next as usize <= tape.len());
                let (first, last) = (raw[0], raw[raw.len() - 1]);
                match node.kind {
                    NodeKind::Object => assert_eq!((first, last), (b'{', b'}')),
                    NodeKind::Array => assert_eq!((first, last), (b'[', b']')),
                    NodeKind::String | NodeKind::Key => {
                        assert_eq!((first, last, node.escaped), (b'"', b'"', raw.contains(&b'\\')));
                    }
                    _ => {}
                }
            }
            for offset in [scan.lone_surrogate, scan.duplicate_name].into_iter().flatten() {
                assert!(matches!(text.as_bytes()[offset], b'\\' | b'"'));
            }
            // A tape of fewer levels is the same tape, cut.
            let shallow = scanner.scan(text.as_bytes(), 2).expect("as before");
            assert_eq!(shallow, scan);
            if let Ok(theirs) = serde_json::from_str::<Theirs>(text) {
                assert_eq!(scan.lone_surrogate, None);
                let ours = json.to_value();
                assert!(same(&ours, &theirs), "{ours:?} is not {theirs:?}");
                let mut direct = String::new();
                canonical_json::write_json(json, &mut direct);
                assert_eq!(direct, canonical_json::to_string(&ours));
                // What counts as canonical is what writing gives.
                if canonical_json::is_canonical(json) {
                    assert_eq!(direct.as_bytes(), json.raw());
                }
            }
        }
    }
});
