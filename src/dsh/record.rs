//! What one line of a log says: the header, an event, or a packed row of chunk events.
//!
//! A line is read once, from left to right; only the fields that the audit and the adapter need are kept, as slices
//! of the line. Whether the values make sense together is not judged here.

use super::js_text::JsText;
use super::json::{Cursor, Malformed, Raw};
use super::packed::{Gaps, PackedKind, PackedRow, Pieces};

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
#[expect(clippy::large_enum_variant, reason = "one at a time, never stored")]
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
        if let Some(packed) = PackedKind::of(&kind) {
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
}

/// The members of a payload that mean something to a reader of many event types. Absent ones are none; a payload
/// that is missing or no object has none at all.
#[derive(Clone, Debug, Default)]
pub struct Data<'a> {
    /// `turn`
    pub turn: Option<Raw<'a>>,
    /// `step`
    pub step: Option<Raw<'a>>,
    /// `index`
    pub index: Option<Raw<'a>>,
    /// `id`
    pub id: Option<Raw<'a>>,
    /// `name`
    pub name: Option<Raw<'a>>,
    /// `callId`
    pub call_id: Option<Raw<'a>>,
    /// `text`
    pub text: Option<Raw<'a>>,
    /// `dt`
    pub dt: Option<Gaps<'a>>,
    /// `texts`
    pub texts: Option<Pieces<'a>>,
    /// `args`
    pub args: Option<Pieces<'a>>,
    /// `chunk`
    pub chunk: Chunk<'a>,
    /// `message`
    pub message: Message<'a>,
    /// There are members besides those of packed rows (all of the above but `callId`, `text`, `chunk`, `message`).
    pub has_more: bool,
}

/// A piece of a streamed answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chunk<'a> {
    /// `text`
    pub text: Option<Raw<'a>>,
    /// `argumentsDelta`
    pub arguments: Option<Raw<'a>>,
}

/// The parts of a message that identities and blank texts are read from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// `content[0].toolCallId`
    pub first_call_id: Option<Raw<'a>>,
    /// `source.callId`
    pub source_call_id: Option<Raw<'a>>,
    /// Some block of `content` is a text block with blank text.
    pub has_blank_text: bool,
}

impl<'a> Data<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let mut data = Self::default();
        if cursor.peek()? != b'{' {
            cursor.value()?;
            return Ok(data);
        }
        cursor.object(|name, at| {
            let slot = match name {
                b"turn" => &mut data.turn,
                b"step" => &mut data.step,
                b"index" => &mut data.index,
                b"id" => &mut data.id,
                b"name" => &mut data.name,
                b"dt" => {
                    data.dt = Some(Gaps::read(at)?);
                    return Ok(());
                }
                b"texts" => {
                    data.texts = Some(Pieces::read(at)?);
                    return Ok(());
                }
                b"args" => {
                    data.args = Some(Pieces::read(at)?);
                    return Ok(());
                }
                other => {
                    data.has_more = true;
                    match other {
                        b"callId" => &mut data.call_id,
                        b"text" => &mut data.text,
                        b"chunk" => {
                            data.chunk = Chunk::read(at)?;
                            return Ok(());
                        }
                        b"message" => {
                            data.message = Message::read(at)?;
                            return Ok(());
                        }
                        _ => return at.value().map(|_| ()),
                    }
                }
            };
            *slot = Some(at.value()?);
            Ok(())
        })?;
        Ok(data)
    }

    /// The text that a chunk event adds to the stream; empty when it adds none.
    #[must_use]
    pub fn delta(&self) -> JsText<'a> {
        let texts = [self.chunk.text, self.chunk.arguments, self.text];
        texts.into_iter().flatten().find_map(Raw::text).unwrap_or_default()
    }

    /// The id of the call that a result answers. The first place that has any value decides, even if it is unusable.
    #[must_use]
    pub fn answered_call(&self) -> Option<JsText<'a>> {
        let places = [self.message.first_call_id, self.message.source_call_id, self.call_id];
        places.into_iter().flatten().find(|value| !value.is_null()).and_then(usable_id)
    }

    /// The id of the call that a call event starts.
    #[must_use]
    pub fn started_call(&self) -> Option<JsText<'a>> {
        self.call_id.and_then(usable_id)
    }
}

fn usable_id(value: Raw<'_>) -> Option<JsText<'_>> {
    value.text().filter(|id| !id.is_empty())
}

impl<'a> Chunk<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let mut chunk = Self::default();
        each_member(cursor, |name, at| {
            let value = Some(at.value()?);
            match name {
                b"text" => chunk.text = value,
                b"argumentsDelta" => chunk.arguments = value,
                _ => {}
            }
            Ok(())
        })?;
        Ok(chunk)
    }
}

impl<'a> Message<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let mut message = Self::default();
        each_member(cursor, |name, at| match name {
            b"content" => {
                message.first_call_id = None;
                message.has_blank_text = false;
                if at.peek()? != b'[' {
                    return at.value().map(|_| ());
                }
                at.array(|index, at| {
                    let block = Block::read(at)?;
                    if index == 0 {
                        message.first_call_id = block.tool_call_id;
                    }
                    message.has_blank_text |= block.is_blank_text();
                    Ok(())
                })
            }
            b"source" => {
                message.source_call_id = None;
                each_member(at, |name, at| {
                    let value = Some(at.value()?);
                    if name == b"callId" {
                        message.source_call_id = value;
                    }
                    Ok(())
                })
            }
            _ => at.value().map(|_| ()),
        })?;
        Ok(message)
    }
}

/// One block of a message's content.
#[derive(Default)]
struct Block<'a> {
    tag: Option<Raw<'a>>,
    text: Option<Raw<'a>>,
    tool_call_id: Option<Raw<'a>>,
}

impl<'a> Block<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
        let mut block = Self::default();
        each_member(cursor, |name, at| {
            let value = Some(at.value()?);
            match name {
                b"type" => block.tag = value,
                b"text" => block.text = value,
                b"toolCallId" => block.tool_call_id = value,
                _ => {}
            }
            Ok(())
        })?;
        Ok(block)
    }

    fn is_blank_text(&self) -> bool {
        let is = |tag: JsText<'_>| tag.as_bytes() == b"text";
        self.tag.and_then(Raw::text).is_some_and(is) && self.text.and_then(Raw::text).is_some_and(|t| t.is_blank())
    }
}

/// Reads the members of an object; any other value has none and is passed over.
fn each_member<'a>(
    cursor: &mut Cursor<'a>,
    member: impl FnMut(&[u8], &mut Cursor<'a>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    if cursor.peek()? == b'{' { cursor.object(member) } else { cursor.value().map(|_| ()) }
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
