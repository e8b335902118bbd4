//! Packed rows: lines that each stand for a run of streamed chunk events.
//!
//! A row is unpacked to exactly the events its writer would have written one by one, so that packing does not
//! change a digest. A line that only looks like a row is none, and stays the entry it is.

use super::canonical::{Canonical, Canonicaliser};

/// The largest integer a double holds exactly, with all below it.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A valid row. Values are kept in canonical form.
#[derive(Debug)]
pub(super) struct Row {
    kind: &'static Kind,
    seq: i64,
    /// Time of each event.
    times: Vec<i64>,
    /// What each event adds: a JSON string.
    deltas: Vec<String>,
    turn: String,
    step: String,
    /// The chunk's members that all events share.
    chunk: String,
}

#[derive(Debug)]
struct Kind {
    /// The row's `type`.
    row: &'static str,
    /// The `type` of its chunks.
    chunk: &'static str,
    /// The member of the row that holds the deltas, and the member of a chunk that holds one.
    deltas: &'static str,
    delta: &'static str,
    /// Whether it belongs to a call, and so has an `id` and maybe a `name`.
    call: bool,
}

static KINDS: [Kind; 3] = [
    Kind { row: "text-chunks", chunk: "text-delta", deltas: "texts", delta: "text", call: false },
    Kind { row: "reasoning-chunks", chunk: "reasoning-delta", deltas: "texts", delta: "text", call: false },
    Kind { row: "tool-call-chunks", chunk: "tool-call-delta", deltas: "args", delta: "argumentsDelta", call: true },
];

impl Row {
    /// The row in a line, if the line is one.
    pub(super) fn read(line: &Canonical<'_>, scratch: &mut Canonicaliser) -> Option<Self> {
        let kind = line.member("type")?;
        let kind = KINDS.iter().find(|k| string(kind) == Some(k.row))?;
        let (seq, time, data) = (line.member("seq0")?, line.member("time0")?, line.member("data")?);
        if line.members().count() != 4 {
            return None;
        }
        let data = scratch.read(data).ok()?;
        let text = |name| str::from_utf8(data.member(name)?).ok();
        let number = |name| text(name).filter(|n| n.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
        let (turn, step, index) = (number("turn")?, number("step")?, number("index")?);
        let mut chunk = format!("\"type\":\"{}\",\"index\":{index}", kind.chunk);
        let mut members = 5;
        if kind.call {
            let id = text("id").filter(|id| id.starts_with('"'))?;
            chunk += &format!(",\"id\":{id}");
            members += 1;
            if let Some(name) = text("name") {
                string(name.as_bytes())?;
                chunk += &format!(",\"name\":{name}");
                members += 1;
            }
        }
        let deltas = elements(text(kind.deltas)?)?;
        let steps = elements(text("dt")?)?;
        let seq = safe_integer(seq).filter(|seq| *seq >= 0 && seq + (deltas.len() as i64 - 1) <= MAX_SAFE)?;
        if data.members().count() != members
            || steps.len() + 1 != deltas.len()
            || !deltas.iter().all(|delta| delta.starts_with('"'))
        {
            return None;
        }
        let mut times = vec![safe_integer(time)?];
        for step in steps {
            let next = times.last()? + safe_integer(step.as_bytes())?;
            times.push(Some(next).filter(|time| time.abs() <= MAX_SAFE)?);
        }
        Some(Self {
            kind,
            seq,
            times,
            deltas: deltas.into_iter().map(str::to_owned).collect(),
            turn: turn.to_owned(),
            step: step.to_owned(),
            chunk,
        })
    }

    /// The events as JSON texts, in order.
    pub(super) fn events(&self) -> impl Iterator<Item = String> {
        (self.seq..).zip(&self.times).zip(&self.deltas).map(|((seq, time), delta)| {
            let Self { kind, turn, step, chunk, .. } = self;
            format!(
                "{{\"type\":\"assistant/chunk\",\"seq\":{seq},\"time\":{time},\"data\":{{\"turn\":{turn},\
                 \"step\":{step},\"chunk\":{{{chunk},\"{}\":{delta}}}}}}}",
                kind.delta
            )
        })
    }
}

/// The inside of a canonical string without escapes.
fn string(value: &[u8]) -> Option<&str> {
    str::from_utf8(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?).ok()
}

fn safe_integer(value: &[u8]) -> Option<i64> {
    str::from_utf8(value).ok()?.parse().ok().filter(|n: &i64| n.abs() <= MAX_SAFE)
}

/// The elements of a canonical array of scalars; of anything else, pieces that are no scalars.
fn elements(array: &str) -> Option<Vec<&str>> {
    let inside = array.strip_prefix('[')?.strip_suffix(']')?;
    let (mut elements, mut start) = (Vec::new(), 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                elements.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inside.is_empty() {
        elements.push(&inside[start..]);
    }
    Some(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(line: &str) -> Option<Vec<String>> {
        let (mut canonicaliser, mut scratch) = (Canonicaliser::default(), Canonicaliser::default());
        let line = canonicaliser.read(line.as_bytes()).expect("a line is JSON");
        Row::read(&line, &mut scratch).map(|row| row.events().collect())
    }

    #[test]
    fn rows_stand_for_the_events_they_were_made_of() {
        let text = r#"{"seq0":7,"type":"text-chunks","time0":1e3,"data":{"step":2,"turn":1,"index":0,
            "texts":["a,\"]","","é"],"dt":[5,-2]}}"#;
        assert_eq!(
            events(text).expect("a row"),
            [
                r#"{"type":"assistant/chunk","seq":7,"time":1000,"data":{"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"a,\"]"}}}"#,
                r#"{"type":"assistant/chunk","seq":8,"time":1005,"data":{"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":""}}}"#,
                r#"{"type":"assistant/chunk","seq":9,"time":1003,"data":{"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"é"}}}"#,
            ]
        );
        let call = r#"{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":3,"id":"c","name":"n","dt":[],"args":["{"]}}"#;
        assert_eq!(
            events(call).expect("a row"),
            [
                r#"{"type":"assistant/chunk","seq":0,"time":0,"data":{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":3,"id":"c","name":"n","argumentsDelta":"{"}}}"#
            ]
        );
        let nameless = call.replace(r#""name":"n","#, "");
        assert_eq!(events(&nameless).expect("a row").len(), 1);
        assert!(
            events(&text.replace("text-chunks", "reasoning-chunks")).expect("a row")[0].contains("reasoning-delta")
        );
    }

    #[test]
    fn what_only_looks_like_a_row_is_none() {
        let row = r#"{"type":"text-chunks","seq0":1,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}}"#;
        assert!(events(row).is_some());
        for (from, to) in [
            ("text-chunks", "other-chunks"),
            ("text-chunks", "tool-call-chunks"),
            (r#""seq0":1"#, r#""seq0":-1"#),
            (r#""seq0":1"#, r#""seq0":1.5"#),
            (r#""seq0":1"#, r#""seq0":"1""#),
            (r#""seq0":1"#, r#""seq0":9007199254740991"#),
            (r#""seq0":1"#, r#""seq0":1,"id":"x""#),
            (r#""time0":1"#, r#""time0":9007199254740991"#),
            (r#""time0":1,"#, ""),
            (r#""turn":1"#, r#""turn":"1""#),
            (r#""step":1"#, r#""step":null"#),
            (r#""index":0"#, r#""index":0,"more":0"#),
            ("[1]", "[]"),
            ("[1]", "[1,2]"),
            ("[1]", "[\"1\"]"),
            ("[1]", "[1e99]"),
            (r#"["a","b"]"#, r#"["a",2]"#),
            (r#"["a","b"]"#, r#"["a",["b"]]"#),
            (r#"["a","b"]"#, r#"["a",["b","c"]]"#),
            (r#"["a","b"]"#, "[]"),
            (r#"["a","b"]"#, r#""ab""#),
        ] {
            let changed = row.replace(from, to);
            assert_ne!(changed, row);
            assert_eq!(events(&changed), None, "{changed}");
        }
        for line in ["1", "[]", "{}", r#"{"type":["text-chunks"]}"#] {
            assert_eq!(events(line), None, "{line}");
        }
    }
}
