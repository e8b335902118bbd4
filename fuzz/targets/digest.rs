//! The canonical form of a JSON text is canonical, and any bytes have a digest or none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::digest::{Canonicaliser, Framing, Operand, Pair, Single, Source};

fuzz_target!(|input: (usize, &[u8])| {
    let (cut, text) = input;
    let canonical = Canonicaliser::default().read(text).map(|c| c.bytes().to_vec());
    // The oracle knows syntax only and takes any bytes inside strings.
    if let Ok(text) = std::str::from_utf8(text) {
        assert_eq!(canonical.is_ok(), serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
    }
    if let Ok(canonical) = canonical {
        let mut again = Canonicaliser::default();
        assert_eq!(again.read(&canonical).expect("canonical").bytes(), canonical);
    }
    let (left, right) = text.split_at(cut % (text.len() + 1));
    let log = |bytes: &[u8], framing| {
        let source = Source::memory(bytes.to_vec()).expect("memory");
        Operand::log("log".to_owned(), source, framing).expect("memory")
    };
    let mut out = Vec::new();
    for framing in [Framing::Unknown, Framing::Lines, Framing::Headed, Framing::Packed] {
        let (whole, same) = (log(text, framing), log(text, framing));
        if let Ok(single) = Single::of(&whole, true) {
            single.write_text(&mut out).expect("memory");
        }
        for other in [same, log(left, framing), log(right, framing)] {
            if let Ok(pair) = Pair::of(&whole, &other) {
                pair.write_text(&mut out).expect("memory");
            }
        }
    }
});
