//! What one line of a log says: the header, an event, or a packed row of chunk events.
//!
//! A line is read once, from left to right; only the fields that the audit and the adapter need are kept, as slices
//! of the line. Whether the values make sense together is not judged here.

use super::js_text::JsText;
use super::json::Cursor;
use super::packed::{PackedKind, PackedRow};
use super::payload::Data;
use super::raw::Raw;

/// The first record of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Id of the session: any text.
    pub id: JsText<'static>,
    /// Format generation the log was written in.
    pub version: i64,
    /// Working directory of the session, when it was recorded as a text.
    pub cwd: Option<JsText<'static>>,
    /// Milliseconds since 1970, when valid.
    pub created_at: Option<i64>,
    /// How many leading events were inherited from a forked session; 0 when not stated.
    pub inherited_events: u64,
}

impl Header {
    /// Reads the first line of a log; none when it is no header.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(line);
        let [mut tag, mut id, mut version, mut cwd, mut created_at, mut seed] = [None; 6];
        let members = cursor.object(|name, at| {
            let value = Some(at.value()?);
            match name {
                b"type" => tag = value,
                b"id" => id = value,
                b"version" => version = value,
                b"cwd" => cwd = value,
                b"createdAt" => created_at = value,
                b"seedLength" => seed = value,
                _ => {}
            }
            Ok(())
        });
        members.and_then(|()| cursor.end()).ok()?;
        if tag?.text()?.as_bytes() != b"session" {
            return None;
        }
        Some(Self {
            id: id?.text()?.into_owned(),
            version: version?.safe_integer()?,
            cwd: cwd.and_then(Raw::text).map(JsText::into_owned),
            created_at: created_at.and_then(Raw::safe_integer).filter(|at| *at >= 0),
            inherited_events: seed.and_then(Raw::safe_integer).and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
        })
    }
}

/// One further line of a log.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time on the stack, never stored")]
pub enum Record<'a> {
    /// A single event.
    Event(Event<'a>),
    /// A run of chunk events in one row.
    Packed(PackedRow<'a>),
}

/// One event as it stands in the log.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Its type, such as `turn/start`.
    pub kind: JsText<'a>,
    /// Its place in the log, from 0.
    pub seq: i64,
    /// Milliseconds since 1970.
    pub time: i64,
    /// A reader that does not know the type may skip it.
    pub ignorable: bool,
    /// Its payload.
    pub data: Data<'a>,
}

impl<'a> Record<'a> {
    /// Reads a line behind the header; none when it is no record.
    #[must_use]
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(line);
        let [mut tag, mut seq, mut time, mut ignorable, mut seq0, mut time0] = [None; 6];
        let mut data = Data::default();
        let mut has_more = false;
        let members = cursor.object(|name, at| {
            let slot = match name {
                b"type" => &mut tag,
                b"seq" => &mut seq,
                b"time" => &mut time,
                b"ignorable" => &mut ignorable,
                b"seq0" => &mut seq0,
                b"time0" => &mut time0,
                b"data" => {
                    data = Data::read(at)?;
                    return Ok(());
                }
                _ => {
                    has_more = true;
                    return at.value().map(|_| ());
                }
            };
            *slot = Some(at.value()?);
            Ok(())
        });
        members.and_then(|()| cursor.end()).ok()?;
        let kind = tag?.text()?;
        if let Some(packed) = PackedKind::named(kind.as_bytes()) {
            let exact = !has_more && seq.is_none() && time.is_none() && ignorable.is_none();
            return if exact { PackedRow::new(packed, seq0?, time0?, &data).map(Self::Packed) } else { None };
        }
        Some(Self::Event(Event {
            kind,
            seq: seq?.safe_integer()?,
            time: time?.safe_integer()?,
            ignorable: ignorable.is_some_and(Raw::is_true),
            data,
        }))
    }

    /// The number that is due behind this record; none when it is not the one that was `due` before it.
    #[must_use]
    pub fn following(&self, due: Option<i64>) -> Option<i64> {
        let (first, count) = match self {
            Self::Event(event) => (event.seq, 1),
            Self::Packed(row) => (row.first_seq, row.count),
        };
        due.is_none_or(|due| due == first).then(|| first.saturating_add_unsigned(count))
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Header, Record};

    fn event(line: &str) -> Option<Event<'_>> {
        match Record::read(line.as_bytes())? {
            Record::Event(event) => Some(event),
            Record::Packed(_) => None,
        }
    }

    #[test]
    fn a_header_needs_tag_id_and_version_only() {
        let header =
            Header::read(br#"{"id":"a","version":1e0,"type":"session","seedLength":3,"cwd":5}"#).expect("valid");
        assert_eq!((header.version, header.inherited_events, header.cwd), (1, 3, None));
        for line in [
            r#"{"id":"a","version":1.5,"type":"session"}"#,
            r#"{"id":7,"version":1,"type":"session"}"#,
            r#"{"id":"a","type":"session"}"#,
            r#"{"id":"a","version":1,"type":"sessions"}"#,
            r#"[{"id":"a","version":1,"type":"session"}]"#,
            "\u{feff}{\"id\":\"a\",\"version\":1,\"type\":\"session\"}",
            "",
        ] {
            assert_eq!(Header::read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn the_last_of_repeated_names_wins() {
        let read = event(r#"{"type":5,"type":"a\/b","seq":9,"seq":1.0,"time":-0,"data":{"callId":"x"},"data":7}"#);
        let read = read.expect("a record");
        assert_eq!((read.kind.as_bytes(), read.seq, read.time), (b"a/b".as_slice(), 1, 0));
        assert_eq!(read.data.started_call(), None);
        let read = event(
            r#"{"t\u0079pe":"x","seq":0,"time":0,"data":{"message":{"content":[{"toolCallId":"a"}],"content":3}}}"#,
        );
        assert_eq!(read.expect("a record").data.answered_call(), None);
    }

    #[test]
    fn only_a_plain_true_is_ignorable() {
        let ignorable = |value: &str| {
            event(&format!(r#"{{"type":"x","seq":0,"time":0,"ignorable":{value}}}"#)).map(|e| e.ignorable)
        };
        assert_eq!(ignorable("true"), Some(true));
        for value in ["false", "1", "\"true\"", "null", "[true]"] {
            assert_eq!(ignorable(value), Some(false), "{value}");
        }
    }

    #[test]
    fn the_first_place_with_a_value_names_the_answered_call() {
        let answered = |data: &str| {
            let line = format!(r#"{{"type":"tool/result","seq":0,"time":0,"data":{data}}}"#);
            event(&line).expect("a record").data.answered_call().map(|id| id.lossy().into_owned())
        };
        for (data, id) in [
            (r#"{"callId":"c","message":{"content":[{"toolCallId":"a"}],"source":{"callId":"b"}}}"#, Some("a")),
            (r#"{"callId":"c","message":{"content":[{"toolCallId":null}],"source":{"callId":"b"}}}"#, Some("b")),
            (r#"{"callId":"c","message":{"content":[],"source":null}}"#, Some("c")),
            (r#"{"callId":"c","message":{"content":[{"toolCallId":""}]}}"#, None),
            (r#"{"callId":"c","message":{"content":[{"x":1},{"toolCallId":"a"}]}}"#, Some("c")),
            (r#"{"callId":"c","message":{"source":{"callId":4}}}"#, None),
            ("{}", None),
        ] {
            assert_eq!(answered(data).as_deref(), id, "{data}");
        }
    }

    #[test]
    fn the_first_text_of_a_chunk_is_its_delta() {
        let delta = |data: &str| {
            let line = format!(r#"{{"type":"assistant/chunk","seq":0,"time":0,"data":{data}}}"#);
            event(&line).expect("a record").data.delta().lossy().into_owned()
        };
        assert_eq!(delta(r#"{"chunk":{"text":"a","argumentsDelta":"b"},"text":"c"}"#), "a");
        assert_eq!(delta(r#"{"chunk":{"text":1,"argumentsDelta":"b"},"text":"c"}"#), "b");
        assert_eq!(delta(r#"{"chunk":"x","text":"c"}"#), "c");
        assert_eq!(delta(r#"{"chunk":{"text":""},"text":"c"}"#), "");
        assert_eq!(delta("{}"), "");
    }
}
