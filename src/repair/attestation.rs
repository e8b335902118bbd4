//! The repair as an in-toto Statement: what was made, from what, by which plan and edits, and what the check of it said.
//!
//! It is not signed here; signing tools take it as it is. It holds no clock and no path of the machine.

use serde_json::{Value as Json, json};

use super::manifest::LineEdit;
use super::prepare::Prepared;
use crate::model::canonical_json;

/// Type of the predicate.
pub const PREDICATE: &str = "https://github.com/sesslint/sesslint/blob/main/docs/repair.md#attestation";

/// The statement about an output, named without folders, whose receipt has this SHA-256.
#[must_use]
pub fn statement(prepared: &Prepared, output_name: &str, receipt_sha256: &str) -> Json {
    let receipt = prepared.manifest();
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": output_name, "digest": {"sha256": receipt["output_fingerprint"]}}],
        "predicateType": PREDICATE,
        "predicate": {
            "source": {"name": prepared.source().name(), "digest": {"sha256": receipt["input_fingerprint"]}},
            "receipt": {"digest": {"sha256": receipt_sha256}},
            "format": prepared.format().id,
            "plan": prepared.plan().document(),
            "edits": prepared.edits().iter().map(LineEdit::document).collect::<Vec<_>>(),
            "declared_loss": receipt["declared_loss"],
            "assurance": receipt["assurance"],
            "assurance_ceiling": receipt["assurance_ceiling"],
            "revalidation": receipt["revalidation"],
        },
    })
}

/// The bytes of a statement.
#[must_use]
pub fn bytes(statement: &Json) -> Vec<u8> {
    let mut text = String::new();
    canonical_json::write_document(statement, &mut text);
    text.push('\n');
    text.into_bytes()
}
