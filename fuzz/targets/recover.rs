//! What is saved of a broken line are whole objects, in order, none inside another.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sesslint::record::Scanner;
use sesslint::record::outline::{begins_list, outline};
use sesslint::record::recover::recover;

fuzz_target!(|line: &[u8]| {
    let mut scanner = Scanner::default();
    let salvage = recover(line, &mut scanner);
    let mut behind = 0;
    for range in salvage.records {
        assert!(behind <= range.start && range.start < range.end && range.end <= line.len());
        behind = range.end;
        let record = std::str::from_utf8(&line[range]).expect("text");
        assert!(record.starts_with('{') && scanner.scan(record.as_bytes(), 1).is_ok(), "{record}");
    }
    let _ = begins_list(line, &mut scanner);
    if let Some(outline) = outline(line, &mut scanner) {
        let text = outline.text;
        assert!(scanner.scan(&text, 1).is_ok(), "{}", String::from_utf8_lossy(&text));
    }
});
