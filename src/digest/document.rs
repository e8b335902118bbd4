//! A JSON document taken apart on the way: its list of items one by one, its other members, and how it ends.
//!
//! Values are cut out here by their brackets and quotes alone; whether they are JSON is for the caller to see.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use super::canonical::Canonicaliser;
use super::scalar;

/// Which list of a document holds the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The document itself.
    Root,
    /// Its member `items`.
    Items,
    /// Its member `events`.
    Events,
}

/// What a walk meets, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// One of the lists begins.
    List(List),
    /// An item of the list that began last.
    Item(&'a [u8]),
    /// A member of the document that is not one of the lists, its name in canonical spelling without quotes.
    Member(&'a [u8], &'a [u8]),
}

/// How the document ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its last bracket, and only blanks follow.
    Whole,
    /// As before, but something follows.
    More,
    /// With the end of the text, somewhere before its last bracket.
    Cut,
    /// It is no JSON from here on, or no document.
    Broken,
    /// The visitor had enough.
    Stopped,
}

/// Walks the first value of a text. Of each value and name at most `limit` bytes are kept, the rest is passed over.
pub(super) fn walk(
    input: impl BufRead,
    limit: usize,
    visit: &mut dyn FnMut(Part<'_>) -> ControlFlow<()>,
) -> io::Result<End> {
    let mut walk = Walk { input, limit, value: Vec::new(), names: Canonicaliser::default() };
    let result = match walk.peek()? {
        Some(b'[') => walk.list(List::Root, visit),
        Some(b'{') => walk.object(visit),
        _ => return Ok(End::Broken),
    };
    match result {
        Ok(()) => Ok(if walk.peek()?.is_some() { End::More } else { End::Whole }),
        Err(Leave::Io(e)) => Err(e),
        Err(Leave::Early(end)) => Ok(end),
    }
}

struct Walk<R> {
    input: R,
    limit: usize,
    /// The value or name met last, as far as it is kept.
    value: Vec<u8>,
    names: Canonicaliser,
}

/// Why a walk ends before the document does.
enum Leave {
    Io(io::Error),
    Early(End),
}

impl From<io::Error> for Leave {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

impl<R: BufRead> Walk<R> {
    /// The next byte that is no blank.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = self.input.fill_buf()?;
            let blanks = buffer.iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t')).count();
            let next = buffer.get(blanks).copied();
            let ended = buffer.is_empty();
            self.input.consume(blanks);
            if next.is_some() || ended {
                return Ok(next);
            }
        }
    }

    /// Passes the next byte that is no blank if it is `byte`.
    fn pass(&mut self, byte: u8) -> Result<bool, Leave> {
        match self.peek()? {
            None => Err(Leave::Early(End::Cut)),
            Some(next) if next == byte => {
                self.input.consume(1);
                Ok(true)
            }
            Some(_) => Ok(false),
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Leave> {
        if self.pass(byte)? { Ok(()) } else { Err(Leave::Early(End::Broken)) }
    }

    fn list(&mut self, list: List, visit: &mut dyn FnMut(Part<'_>) -> ControlFlow<()>) -> Result<(), Leave> {
        self.expect(b'[')?;
        meet(visit, Part::List(list))?;
        if self.pass(b']')? {
            return Ok(());
        }
        loop {
            self.value()?;
            meet(visit, Part::Item(&self.value))?;
            if !self.pass(b',')? {
                return self.expect(b']');
            }
        }
    }

    fn object(&mut self, visit: &mut dyn FnMut(Part<'_>) -> ControlFlow<()>) -> Result<(), Leave> {
        self.expect(b'{')?;
        if self.pass(b'}')? {
            return Ok(());
        }
        loop {
            if self.peek()? != Some(b'"') {
                return Err(Leave::Early(if self.peek()?.is_none() { End::Cut } else { End::Broken }));
            }
            self.value()?;
            let name = match self.names.read(&self.value) {
                Ok(name) => name.bytes().to_vec(),
                // A long name that was not kept whole is none of those that matter.
                Err(_) if self.value.len() == self.limit => b"\"\"".to_vec(),
                Err(_) => return Err(Leave::Early(End::Broken)),
            };
            self.expect(b':')?;
            match (name.as_slice(), self.peek()?) {
                (b"\"items\"", Some(b'[')) => self.list(List::Items, visit)?,
                (b"\"events\"", Some(b'[')) => self.list(List::Events, visit)?,
                _ => {
                    self.value()?;
                    meet(visit, Part::Member(&name[1..name.len() - 1], &self.value))?;
                }
            }
            if !self.pass(b',')? {
                return self.expect(b'}');
            }
        }
    }

    /// Takes the next value into `value`.
    fn value(&mut self) -> Result<(), Leave> {
        self.value.clear();
        self.peek()?;
        let mut extent = Extent::default();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                let ended = extent.depth == 0 && !extent.quoted && !self.value.is_empty();
                return if ended { Ok(()) } else { Err(Leave::Early(End::Cut)) };
            }
            let (taken, reach) = extent.advance(buffer);
            let kept = taken.min(self.limit - self.value.len());
            self.value.extend_from_slice(&buffer[..kept]);
            self.input.consume(taken);
            match reach {
                Reach::On => {}
                Reach::End if !self.value.is_empty() => return Ok(()),
                Reach::End | Reach::Broken => return Err(Leave::Early(End::Broken)),
            }
        }
    }
}

/// Finds the end of one value.
#[derive(Default)]
struct Extent {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

enum Reach {
    /// The value goes on behind the buffer.
    On,
    /// It ends here.
    End,
    /// A control stands in a string.
    Broken,
}

impl Extent {
    /// How many bytes of the buffer belong to the value, and what comes then.
    fn advance(&mut self, buffer: &[u8]) -> (usize, Reach) {
        let mut at = 0;
        while let Some(byte) = buffer.get(at) {
            if self.escaped {
                self.escaped = false;
            } else if self.quoted {
                at += scalar::plain_run(&buffer[at..]);
                match buffer.get(at) {
                    None => break,
                    Some(b'\\') => self.escaped = true,
                    Some(b'"') if self.depth == 0 => return (at + 1, Reach::End),
                    Some(b'"') => self.quoted = false,
                    Some(_) => return (at, Reach::Broken),
                }
            } else {
                match byte {
                    b'"' => self.quoted = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' | b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if self.depth == 0 => {
                        return (at, Reach::End);
                    }
                    b'}' | b']' if self.depth == 1 => return (at + 1, Reach::End),
                    b'}' | b']' => self.depth -= 1,
                    _ => {}
                }
            }
            at += 1;
        }
        (buffer.len(), Reach::On)
    }
}

fn meet(visit: &mut dyn FnMut(Part<'_>) -> ControlFlow<()>, part: Part<'_>) -> Result<(), Leave> {
    match visit(part) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Leave::Early(End::Stopped)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn walked(text: &str, limit: usize) -> (String, End) {
        let mut met = String::new();
        let end = walk(BufReader::with_capacity(1, text.as_bytes()), limit, &mut |part| {
            let text = |bytes| str::from_utf8(bytes).expect("text");
            match part {
                Part::List(list) => met += &format!("{list:?}:"),
                Part::Item(item) => met += &format!("{} ", text(item)),
                Part::Member(name, value) => met += &format!("{}={} ", text(name), text(value)),
            }
            ControlFlow::Continue(())
        });
        (met, end.expect("memory can be read"))
    }

    #[test]
    fn documents_are_taken_apart() {
        use End::{Broken, Cut, More, Whole};
        for (text, met, end) in [
            ("[]", "Root:", Whole),
            (" [ ] \n", "Root:", Whole),
            ("[1, {\"a\":[2]} ,\"x]\\\"\",null]", "Root:1 {\"a\":[2]} \"x]\\\"\" null ", Whole),
            ("{}", "", Whole),
            ("{\"a\":1,\"items\":[1,2],\"b\":{\"items\":[3]}}", "a=1 Items:1 2 b={\"items\":[3]} ", Whole),
            ("{\"\\u0069tems\" : [ ], \"events\":[{}],\"items\":null}", "Items:Events:{} items=null ", Whole),
            ("{\"a\":1}\n{\"a\":2}", "a=1 ", More),
            ("[1][2]", "Root:1 ", More),
            ("[{},{\"a\"", "Root:{} ", Cut),
            ("[{},", "Root:{} ", Cut),
            ("{\"items\":[1,\"x", "Items:1 ", Cut),
            ("{\"items\"", "", Cut),
            ("{", "", Cut),
            ("[1 2]", "Root:1 ", Broken),
            ("[1,]", "Root:1 ", Broken),
            ("{\"a\":\"line\nfeed\"}", "", Broken),
            ("{a:1}", "", Broken),
            ("{\"a\" 1}", "", Broken),
            ("{\"a\":}", "", Broken),
            ("", "", Broken),
            ("null", "", Broken),
            ("]", "", Broken),
        ] {
            assert_eq!(walked(text, usize::MAX), (met.to_owned(), end), "{text}");
        }
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let text = "{\"a\":\"0123456789\",\"a long name here\":1,\"items\":[\"0123456789\",2]}";
        assert_eq!(walked(text, 8), ("a=\"0123456 =1 Items:\"0123456 2 ".to_owned(), End::Whole));
    }

    #[test]
    fn the_visitor_can_end_the_walk() {
        let end = walk(&b"[1,2"[..], 9, &mut |part| match part {
            Part::Item(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        assert_eq!(end.expect("memory can be read"), End::Stopped);
    }
}
