//! A sample can be taken of anything; the decision stays within what it states.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::adapter::FORMATS;
use sesslint::adapter::detect::{Sample, decide};
use sesslint::rule::profile::PROFILES;

fuzz_target!(|text: &[u8]| {
    let sample = Sample::read(text).expect("memory");
    for format in FORMATS {
        let score = (format.score)(&sample);
        assert!((0.0..=1.0).contains(&score), "{}: {score}", format.id);
    }
    for profile in PROFILES {
        let decision = decide(&sample, profile, None, None);
        assert_eq!(decision.format.is_none(), decision.reason != "clear-winner", "{}", decision.reason);
    }
});
