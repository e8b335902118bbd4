//! Pages that come from the code are what the code says. `SESSLINT_BLESS=1 cargo test` writes them anew.

use std::path::Path;

use sesslint::rule::{RULES, page};

/// Compares a file of the repository with what it should hold.
fn same(path: &str, expected: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("SESSLINT_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, expected).unwrap();
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    if held == expected {
        Ok(())
    } else {
        Err(format!("{} is stale: SESSLINT_BLESS=1 cargo test writes it", path.display()))
    }
}

#[test]
fn every_code_has_its_page() {
    let mut wrong = Vec::new();
    wrong.extend(same("docs/codes/README.md", &page::index()).err());
    for rule in RULES {
        assert!(rule.doc.len() > 80, "{}: the page says too little", rule.code);
        wrong.extend(same(&format!("docs/codes/{}.md", rule.code), &page::page(rule)).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn codes_are_sorted_and_unique() {
    assert!(RULES.windows(2).all(|w| w[0].code < w[1].code));
}
