//! Packed rows: one line that stands for a run of chunk events.
//!
//! A row is valid only when it has exactly the members its tag asks for; anything else is no record at all, as the
//! harness refuses it.

use super::js_text::JsText;
use super::json::{Elements, MAX_SAFE_INTEGER, Raw};
use super::record::Data;

/// Which stream a packed row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedKind {
    /// Pieces of the answer.
    Text,
    /// Pieces of the reasoning.
    Reasoning,
    /// Pieces of a tool call's arguments.
    ToolCall,
}

impl PackedKind {
    /// The kind that a record's tag names, if it is one of the three.
    #[must_use]
    pub fn of(tag: &JsText<'_>) -> Option<Self> {
        match tag.as_bytes() {
            b"text-chunks" => Some(Self::Text),
            b"reasoning-chunks" => Some(Self::Reasoning),
            b"tool-call-chunks" => Some(Self::ToolCall),
            _ => None,
        }
    }
}

/// The type of the events that packed rows stand for.
pub const CHUNK: &str = "assistant/chunk";

/// A valid packed row.
#[derive(Clone, Debug)]
pub struct PackedRow<'a> {
    /// Which stream.
    pub kind: PackedKind,
    /// Sequence number of the first event.
    pub first_seq: i64,
    /// Number of events, at least 1.
    pub count: u64,
    first_time: i64,
    gaps: Elements<'a>,
    pieces: Elements<'a>,
}

/// One event of a packed row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// Sequence number.
    pub seq: i64,
    /// Milliseconds since 1970.
    pub time: i64,
    /// What it adds to the stream.
    pub delta: JsText<'a>,
}

impl<'a> PackedRow<'a> {
    /// Checks a row's envelope numbers and payload; none when anything is missing, surplus or of the wrong shape.
    pub(super) fn new(kind: PackedKind, seq0: Raw<'a>, time0: Raw<'a>, data: &Data<'a>) -> Option<Self> {
        let numbers = [data.turn, data.step, data.index];
        if data.has_more || !numbers.iter().all(|value| value.is_some_and(|v| v.number().is_some())) {
            return None;
        }
        let pieces = match (kind, data.texts, data.args) {
            (PackedKind::Text | PackedKind::Reasoning, Some(texts), None)
                if data.id.is_none() && data.name.is_none() =>
            {
                texts
            }
            (PackedKind::ToolCall, None, Some(args)) => {
                let named = data.name.is_none_or(|name| name.text().is_some());
                if !named || data.id?.text().is_none() {
                    return None;
                }
                args
            }
            _ => return None,
        };
        let row = Self {
            kind,
            first_seq: seq0.safe_integer().filter(|seq| *seq >= 0)?,
            count: 0,
            first_time: time0.safe_integer()?,
            gaps: data.dt?.elements()?,
            pieces: pieces.elements()?,
        };
        row.counted()
    }

    /// The row with its number of members, when they are well-formed and all sums stay exact.
    fn counted(mut self) -> Option<Self> {
        let mut gaps = self.gaps.clone();
        let mut time = self.first_time;
        for piece in self.pieces.clone() {
            piece.text()?;
            if self.count > 0 {
                time += gaps.next()?.safe_integer()?;
                if time.abs() > MAX_SAFE_INTEGER {
                    return None;
                }
            }
            self.count += 1;
        }
        let last = self.first_seq.checked_add_unsigned(self.count.checked_sub(1)?)?;
        (gaps.next().is_none() && last <= MAX_SAFE_INTEGER).then_some(self)
    }

    /// The events the row stands for, in order.
    pub fn members(&self) -> impl Iterator<Item = Member<'a>> + use<'a> {
        let mut gaps = self.gaps.clone();
        let (mut seq, mut time) = (self.first_seq, self.first_time);
        self.pieces.clone().enumerate().map(move |(index, piece)| {
            if index > 0 {
                seq += 1;
                time += gaps.next().and_then(Raw::safe_integer).unwrap_or(0);
            }
            Member { seq, time, delta: piece.text().unwrap_or_default() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Record;

    fn members(line: &str) -> Option<Vec<(i64, i64, String)>> {
        match Record::read(line.as_bytes())? {
            Record::Packed(row) => {
                let members: Vec<_> = row.members().map(|m| (m.seq, m.time, m.delta.lossy().into_owned())).collect();
                assert_eq!(members.len() as u64, row.count);
                Some(members)
            }
            Record::Event(_) => None,
        }
    }

    fn text_row(seq0: &str, time0: &str, dt: &str, texts: &str) -> String {
        format!(
            r#"{{"type":"text-chunks","seq0":{seq0},"time0":{time0},"data":{{"turn":1,"step":2,"index":0,"dt":{dt},"texts":{texts}}}}}"#
        )
    }

    #[test]
    fn members_continue_sequence_and_time() {
        let row = text_row("4", "100", "[5,-9]", r#"["a","\n",""]"#);
        let expected = [(4, 100, "a".into()), (5, 105, "\n".into()), (6, 96, String::new())];
        assert_eq!(members(&row), Some(expected.to_vec()));
        let row = r#"{"data":{"args":["{"],"dt":[],"id":"c","step":1.5,"turn":1e400,"index":0},"time0":0,"seq0":0,"type":"tool-call-chunks"}"#;
        assert_eq!(members(row), Some(vec![(0, 0, "{".into())]));
    }

    #[test]
    fn anything_surplus_missing_or_unsafe_is_no_record() {
        let safe = "9007199254740991";
        for row in [
            text_row("1", "0", "[]", "[]"),
            text_row("1", "0", "[1]", r#"["a"]"#),
            text_row("1", "0", "[]", r#"["a","b"]"#),
            text_row("1", "0", "[1]", r#"["a",null]"#),
            text_row("1", "0", "[0.5]", r#"["a","b"]"#),
            text_row("-1", "0", "[1]", r#"["a","b"]"#),
            text_row("1", "1.5", "[1]", r#"["a","b"]"#),
            text_row(safe, "0", "[1]", r#"["a","b"]"#),
            text_row("1", safe, "[1]", r#"["a","b"]"#),
            text_row("1", "0", "[1]", r#"{"a":"b"}"#),
            text_row("1", "0", "[1]", r#"["a","b"],"note":1"#),
            text_row("1", "0", "[1]", r#"["a","b"],"id":"c""#),
            text_row("1", "0", "[1]", r#"["a","b"],"args":[]"#),
            text_row("1", r#"0,"ignorable":true"#, "[1]", r#"["a","b"]"#),
            text_row("1", r#"0,"seq":1,"time":1"#, "[1]", r#"["a","b"]"#),
            text_row("1", "0", "[1]", r#"["a","b"]"#).replace(r#""step":2,"#, ""),
            text_row("1", "0", "[1]", r#"["a","b"]"#).replace(r#""step":2,"#, r#""step":"2","#),
            text_row("1", "0", "[1]", r#"["a","b"]"#).replace("text-chunks", "tool-call-chunks"),
        ] {
            assert_eq!(members(&row), None, "{row}");
        }
        assert!(members(&text_row("1", safe, "[-1]", r#"["a","b"]"#)).is_some());
    }
}
