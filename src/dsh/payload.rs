//! The payload of an event, as far as a reader of many event types needs it.
//!
//! Read in the same pass as the record around it. Of a repeated name the last value counts, with all that is in it.

use super::js_text::JsText;
use super::json::{Cursor, Malformed};
use super::packed::{Gaps, Pieces};
use super::raw::Raw;

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
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self, Malformed> {
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
