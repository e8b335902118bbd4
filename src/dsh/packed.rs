//! Packed rows: one line that stands for a run of chunk events.
//!
//! A row is valid only when it has exactly the members its tag asks for; anything else is no record at all, as the
//! harness refuses it.

use super::js_text::JsText;
use super::json::{Cursor, Malformed};
use super::payload::Data;
use super::raw::{MAX_SAFE_INTEGER, Raw};
use super::stream::Runs;

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

/// The texts of a packed row's members.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    array: Raw<'a>,
    /// Number of elements; none when there is anything but texts, or no array.
    count: Option<u64>,
    runs: Runs<'a>,
}

impl<'a> Pieces<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let (mut count, mut runs) = (Some(0), Runs::default());
        let array = cursor.elements(|element| {
            count = count.filter(|_| element.is_text()).map(|n| n + 1);
            runs.push(element);
        })?;
        Ok(Self { array, count: count.filter(|_| array.is_array()), runs })
    }
}

/// The distances in time between a packed row's members.
#[derive(Clone, Copy, Debug)]
pub struct Gaps<'a> {
    array: Raw<'a>,
    /// Number of elements; none when there is anything but safe integers, or no array.
    count: Option<u64>,
    /// The least and the greatest sum of the first n elements, for any n.
    span: (i64, i64),
}

impl<'a> Gaps<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let (mut count, mut sum, mut span) = (Some(0), 0_i64, (0, 0));
        let array = cursor.elements(|element| {
            let gap = element.safe_integer();
            count = count.filter(|_| gap.is_some()).map(|n| n + 1);
            // Sums that saturate are far outside of what a time may be.
            sum = sum.saturating_add(gap.unwrap_or(0));
            span = (sum.min(span.0), sum.max(span.1));
        })?;
        Ok(Self { array, count: count.filter(|_| array.is_array()), span })
    }
}

/// A valid packed row.
#[derive(Clone, Debug)]
pub struct PackedRow<'a> {
    /// Which stream.
    pub kind: PackedKind,
    /// Sequence number of the first event.
    pub first_seq: i64,
    /// Number of events, at least 1.
    pub count: u64,
    /// Time of the first event, in milliseconds since 1970.
    pub first_time: i64,
    /// Which of the pieces repeat.
    pub runs: Runs<'a>,
    gaps: Raw<'a>,
    pieces: Raw<'a>,
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
        let is_text = |value: Raw<'_>| value.is_text();
        let is_call = data.id.is_some_and(is_text) && data.name.is_none_or(is_text);
        let pieces = match (kind, data.texts, data.args) {
            (PackedKind::Text | PackedKind::Reasoning, Some(texts), None) if data.id.or(data.name).is_none() => texts,
            (PackedKind::ToolCall, None, Some(args)) if is_call => args,
            _ => return None,
        };
        let gaps = data.dt?;
        let (count, gap_count) = (pieces.count?, gaps.count?);
        let (first_seq, first_time) = (seq0.safe_integer()?, time0.safe_integer()?);
        let last_seq = first_seq.checked_add_unsigned(gap_count)?;
        let times = [gaps.span.0, gaps.span.1].map(|sum| first_time.saturating_add(sum));
        let is_valid = count == gap_count + 1
            && first_seq >= 0
            && last_seq <= MAX_SAFE_INTEGER
            && times.iter().all(|time| (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(time));
        let (gaps, runs, pieces) = (gaps.array, pieces.runs, pieces.array);
        is_valid.then_some(Self { kind, first_seq, count, first_time, runs, gaps, pieces })
    }

    /// The events the row stands for, in order.
    pub fn members(&self) -> impl Iterator<Item = Member<'a>> + use<'a> {
        let mut time = self.first_time;
        let gaps = std::iter::once(0).chain(self.gaps.elements().filter_map(Raw::safe_integer));
        (self.first_seq..).zip(gaps).zip(self.pieces.elements()).map(move |((seq, gap), piece)| {
            time += gap;
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
