//! Tool calls and their results, paired by call id over a whole log, whichever comes first.

use hashbrown::HashMap;
use sha2::{Digest, Sha256};

use super::js_text::JsText;

/// A call without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// Order of the id's first use among all ids.
    order: u64,
    /// Sequence number of the last call with this id.
    pub seq: i64,
    /// Line of the last call with this id, from 1.
    pub line: u64,
}

/// Every call id seen so far. Ids are kept as hashes, so that memory does not depend on their length.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// None once a result was seen.
    by_id: HashMap<[u8; 16], Option<OpenCall>>,
}

impl Calls {
    /// Takes a call.
    pub fn started(&mut self, id: &JsText<'_>, seq: i64, line: u64) {
        let order = self.by_id.len() as u64;
        if let Some(call) = self.by_id.entry(key(id)).or_insert(Some(OpenCall { order, seq, line })) {
            (call.seq, call.line) = (seq, line);
        }
    }

    /// Takes a result.
    pub fn answered(&mut self, id: &JsText<'_>) {
        self.by_id.insert(key(id), None);
    }

    /// The ids without a result, in order of first use.
    #[must_use]
    pub fn open(self) -> Vec<OpenCall> {
        let mut open: Vec<_> = self.by_id.into_values().flatten().collect();
        open.sort_unstable_by_key(|call| call.order);
        open
    }
}

fn key(id: &JsText<'_>) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(id.as_bytes())[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::{Calls, JsText};

    #[test]
    fn open_ids_come_in_order_of_first_use_with_their_last_place() {
        let id = |name: &'static str| JsText::unescape(name.as_bytes());
        let mut calls = Calls::default();
        calls.answered(&id("early"));
        for (line, name) in ["a", "b", "done", "early", "a"].into_iter().enumerate() {
            calls.started(&id(name), 10 + line as i64, line as u64);
        }
        calls.answered(&id("done"));
        calls.started(&id("done"), 20, 9);
        let open: Vec<_> = calls.open().iter().map(|call| (call.seq, call.line)).collect();
        assert_eq!(open, [(14, 4), (11, 1)]);
    }
}
