//! A repair is refused, or its output is sound, verifies, and needs no second one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::inspect::{self, check_path};
use sesslint::repair::execute::{Destination, execute};
use sesslint::repair::verify::{Request, verify};
use sesslint::repair::{Emit, Options, Policy, RepairError, prepare};

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (format, way, text) = input;
    let path = sesslint_fuzz::file("log.jsonl", text);
    let format = sesslint_fuzz::format(format);
    let options = Options {
        format,
        policy: if way & 1 == 0 { Policy::Salvage } else { Policy::Conservative },
        acknowledge_side_effects: way & 2 == 0,
        emit: if way & 4 == 0 { Emit::Own } else { Emit::Canonical },
        ..Options::default()
    };
    let prepared = match prepare(&path, &options) {
        Ok(prepared) => prepared,
        Err(RepairError::Refused(refusal)) => {
            let _ = refusal.document();
            return;
        }
        Err(_) => return,
    };
    let to = Destination::beside(&sesslint_fuzz::folder().join("mended.jsonl"));
    for old in [&to.output, &to.manifest] {
        let _ = std::fs::remove_file(old);
    }
    execute(&prepared, &to).expect("a prepared repair can be written");
    assert_eq!(std::fs::read(&path).expect("the source"), text, "the source changed");
    // A canonical stream is told from its content.
    let read_as = if options.emit == Emit::Own { format } else { sesslint::adapter::find("canonical") };
    let after = check_path(&to.output, &inspect::Options { format: read_as, ..Default::default() }).expect("a report");
    assert_eq!(after.counts.failing(), 0, "errors remain: {:?}", after.findings);
    let request = Request {
        source: path,
        output: to.output.clone(),
        manifest: to.manifest.clone(),
        plan: None,
        acknowledge_side_effects: options.acknowledge_side_effects,
    };
    let verdict = verify(&request).expect("files");
    assert!(verdict.ok() || format.is_some(), "{verdict:?}");
    let again = prepare(&to.output, &Options { format: read_as, ..options }).expect("sound");
    assert!(again.plan().steps.is_empty(), "not final: {:?}", again.plan().steps);
});
