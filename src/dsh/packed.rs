//! Packed rows: one line that stands for a run of chunk events.
//!
//! A row is valid only when it has exactly the members its tag asks for; anything else is no record at all, as the
//! harness refuses it.

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
    /// The kind that a record's `type` names, if it is one of the three.
    #[must_use]
    pub fn named(tag: &[u8]) -> Option<Self> {
        match tag {
            b"text-chunks" => Some(Self::Text),
            b"reasoning-chunks" => Some(Self::Reasoning),
            b"tool-call-chunks" => Some(Self::ToolCall),
            _ => None,
        }
    }

    /// The `type` of a chunk, and the member of it that holds what it adds.
    const fn chunk(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("text-delta", "text"),
            Self::Reasoning => ("reasoning-delta", "text"),
            Self::ToolCall => ("tool-call-delta", "argumentsDelta"),
        }
    }
}

/// The type of the events that packed rows stand for.
const CHUNK: &str = "assistant/chunk";

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
    turn: Raw<'a>,
    step: Raw<'a>,
    /// What all chunks share: name and value, in the order of their events.
    shared: [(&'static str, Option<Raw<'a>>); 3],
}

impl<'a> PackedRow<'a> {
    /// Checks a row's envelope numbers and payload; none when anything is missing, surplus or of the wrong shape.
    pub(super) fn new(kind: PackedKind, seq0: Raw<'a>, time0: Raw<'a>, data: &Data<'a>) -> Option<Self> {
        let (turn, step, index) = (data.turn?, data.step?, data.index?);
        if data.has_more || ![turn, step, index].iter().all(|value| value.number().is_some()) {
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
        let runs = pieces.runs;
        is_valid.then_some(Self {
            kind,
            first_seq,
            count,
            first_time,
            runs,
            gaps: gaps.array,
            pieces: pieces.array,
            turn,
            step,
            shared: [("index", Some(index)), ("id", data.id), ("name", data.name)],
        })
    }

    /// The events the row stands for, in order, as its writer would have written them one by one.
    pub fn events(&self) -> impl Iterator<Item = Vec<u8>> + use<'a> {
        let (kind, delta) = self.kind.chunk();
        let mut common = Vec::new();
        for (name, value) in [("{\"turn\":", self.turn), (",\"step\":", self.step)] {
            common.extend([name.as_bytes(), value.bytes()].concat());
        }
        common.extend(format!(",\"chunk\":{{\"type\":\"{kind}\"").bytes());
        for (name, value) in self.shared {
            let member = value.map(|value| [format!(",\"{name}\":").as_bytes(), value.bytes()].concat());
            common.extend(member.unwrap_or_default());
        }
        common.extend(format!(",\"{delta}\":").bytes());
        let mut time = self.first_time;
        let gaps = std::iter::once(0).chain(self.gaps.elements().filter_map(Raw::safe_integer));
        (self.first_seq..).zip(gaps).zip(self.pieces.elements()).map(move |((seq, gap), piece)| {
            time += gap;
            let head = format!("{{\"type\":\"{CHUNK}\",\"seq\":{seq},\"time\":{time},\"data\":");
            [head.as_bytes(), &common, piece.bytes(), b"}}}"].concat()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Record;

    fn events(line: &str) -> Option<Vec<String>> {
        match Record::read(line.as_bytes())? {
            Record::Packed(row) => {
                let events: Vec<_> = row.events().map(|event| String::from_utf8(event).expect("UTF-8")).collect();
                let texts = row.pieces.elements().map(|piece| piece.text().unwrap_or_default().lossy().into_owned());
                let deltas: Vec<_> = texts.collect();
                assert_eq!((events.len(), deltas.len()), (row.count as usize, row.count as usize));
                for (event, delta) in events.iter().zip(deltas) {
                    let Some(Record::Event(event)) = Record::read(event.as_bytes()) else {
                        panic!("no event: {event}")
                    };
                    assert_eq!(event.data.delta().lossy(), delta);
                }
                Some(events)
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
    fn a_row_stands_for_the_events_it_was_made_of() {
        let event = |seq: u64, time: u64, chunk: &str| {
            format!(
                r#"{{"type":"assistant/chunk","seq":{seq},"time":{time},"data":{{"turn":1,"step":2,"chunk":{{{chunk}}}}}}}"#
            )
        };
        let row = text_row("4", "1e2", "[5,-9]", r#"["a,\"]", "\n",""]"#);
        let text =
            |seq, time, text: &str| event(seq, time, &format!(r#""type":"text-delta","index":0,"text":"{text}""#));
        let expected = [text(4, 100, r#"a,\"]"#), text(5, 105, r"\n"), text(6, 96, "")];
        assert_eq!(events(&row).as_deref(), Some(expected.as_slice()));
        let reasoning = events(&row.replace("text-chunks", "reasoning-chunks")).expect("a row");
        assert!(reasoning[0].contains("\"reasoning-delta\""));
        let row = r#"{"data":{"args":["{"],"dt":[],"name":"n","id":"c","step":2,"turn":1,"index":3},"time0":0,"seq0":0,"type":"tool-call-chunks"}"#;
        let call = event(0, 0, r#""type":"tool-call-delta","index":3,"id":"c","name":"n","argumentsDelta":"{""#);
        assert_eq!(events(row), Some(vec![call.clone()]));
        let nameless = row.replace(r#""name":"n","#, "");
        assert_eq!(events(&nameless), Some(vec![call.replace(r#","name":"n""#, "")]));
        assert!(events(&nameless.replace(r#""step":2"#, r#""step":1e400"#)).is_some());
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
            assert_eq!(events(&row), None, "{row}");
        }
        assert!(events(&text_row("1", safe, "[-1]", r#"["a","b"]"#)).is_some());
    }
}
