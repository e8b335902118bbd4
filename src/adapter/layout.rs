//! How the records of each format are built, for repairs: where a record names its parent, and where its parts are.
//!
//! Repairs patch single values and blocks through these facts and never learn a vendor's name. A layout states what is;
//! it decides nothing.

use std::borrow::Cow;

use super::{first_truthy, text_of, trimmed};
use crate::dsh::js_text::is_blank;
use crate::dsh::record::Record;
use crate::record::Json;

/// One part of a record's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block<'a> {
    /// A call with its id.
    Call(Cow<'a, str>),
    /// The result of the call with this id.
    Result(Cow<'a, str>),
    /// A text with nothing in it.
    EmptyText,
    /// A text of nothing but blanks.
    BlankText,
    /// What the model thought: worth nothing without what follows it in the message.
    Thinking,
    /// Anything else.
    Other,
}

/// What a format counts its records by.
#[derive(Clone, Copy, Debug)]
pub struct Numbering {
    /// Top-level member that holds the number.
    pub member: &'static str,
    /// A loader refuses a gap, so that records behind one must be renumbered.
    pub gapless: bool,
    /// Every value of a record that is a record's number, its own or another's.
    pub numbers: for<'a> fn(Json<'a>) -> Vec<Json<'a>>,
}

/// See the module.
#[derive(Debug)]
pub struct Layout {
    /// Members that may name the parent: the first that is not empty counts.
    pub parent: &'static [&'static str],
    /// Further members, of any record, that name a record.
    pub references: &'static [&'static str],
    /// The member by which a compaction names the first record it keeps; its own id says that it keeps none.
    pub kept_from: Option<&'static str>,
    /// The member that holds a record's id, if the record may go without one.
    pub spare_id: for<'a> fn(Json<'a>) -> Option<&'static str>,
    /// Of calls or results under one key the loader takes the last one alone.
    pub last_copy_counts: bool,
    /// How records are numbered.
    pub numbering: Option<Numbering>,
    /// The array of a record's parts, if its content is one.
    pub blocks: for<'a> fn(Json<'a>) -> Option<Json<'a>>,
    /// What a part is.
    pub block: for<'a> fn(Json<'a>) -> Block<'a>,
    /// The number that is due behind a line; none when the line is no record, or not the one that was due before it.
    pub due_behind: fn(&[u8], Option<i64>) -> Option<i64>,
}

impl Layout {
    /// The value that names the parent of a record.
    #[must_use]
    pub fn parent_of<'a>(&self, record: Json<'a>) -> Option<Json<'a>> {
        first_truthy(record, self.parent).filter(|v| v.is_truthy())
    }
}

const fn no_blocks(_record: Json<'_>) -> Option<Json<'_>> {
    None
}

fn plain_block(_block: Json<'_>) -> Block<'_> {
    Block::Other
}

fn text_block(block: Json<'_>) -> Block<'_> {
    match block.str("text") {
        Some(text) if text.is_empty() => Block::EmptyText,
        Some(text) if text.chars().all(is_blank) => Block::BlankText,
        _ => Block::Other,
    }
}

/// Records that are events of their own, without links.
static FLAT: Layout = Layout {
    parent: &[],
    references: &[],
    kept_from: None,
    spare_id: |_| None,
    last_copy_counts: false,
    numbering: None,
    blocks: no_blocks,
    block: plain_block,
    // Without numbers any line follows on any other.
    due_behind: |_, _| Some(0),
};

static OPENAI_AGENTS: Layout = Layout {
    spare_id: |item| {
        let word = item.str("type");
        let optional = word.as_deref().is_none_or(|word| {
            let calls = ["apply_patch_call", "custom_tool_call", "function_call", "shell_call"];
            word == "message" || calls.contains(&word) || word.ends_with("_call_output")
        });
        (optional && item.get("id").is_some()).then_some("id")
    },
    last_copy_counts: true,
    ..FLAT
};

static CANONICAL: Layout = Layout { parent: &["parent_id"], ..FLAT };

static CLAUDE_CODE: Layout = Layout {
    parent: &["parentUuid", "parent_uuid", "parentId", "parent_id"],
    references: &["leafUuid", "logicalParentUuid"],
    blocks: |record| {
        let content =
            record.get_some("content").or_else(|| record.get_some("message").filter(|m| m.is_object())?.get("content"));
        content.filter(|c| c.is_array())
    },
    block: |block| {
        let id = |names: &[&str]| first_truthy(block, names).filter(|v| v.is_truthy()).map(text_of).map(trimmed);
        match block.str("type").as_deref() {
            Some("tool_use") => id(&["id"]).map_or(Block::Other, Block::Call),
            Some("tool_result") => id(&["tool_use_id", "toolUseId"]).map_or(Block::Other, Block::Result),
            Some("text") => text_block(block),
            Some("thinking" | "redacted_thinking") => Block::Thinking,
            _ => Block::Other,
        }
    },
    ..FLAT
};

static PI: Layout = Layout {
    parent: &["parentId"],
    references: &["firstKeptEntryId", "targetId", "fromId"],
    kept_from: Some("firstKeptEntryId"),
    blocks: |record| record.get_some("message")?.get("content").filter(|c| c.is_array()),
    block: |block| match block.str("type").as_deref() {
        Some("toolCall") => block.str("id").map(trimmed).map_or(Block::Other, Block::Call),
        Some("text") => text_block(block),
        Some("thinking") => Block::Thinking,
        _ => Block::Other,
    },
    ..FLAT
};

static CODEX: Layout = Layout {
    numbering: Some(Numbering {
        member: "ordinal",
        gapless: false,
        numbers: |record| record.get("ordinal").into_iter().collect(),
    }),
    ..FLAT
};

static DSH: Layout = Layout {
    numbering: Some(Numbering {
        member: "seq",
        gapless: true,
        numbers: |record| {
            let own = ["seq", "seq0"].into_iter().filter_map(|name| record.get(name));
            let sources = record.get("sourceEventSeqs").into_iter().flat_map(Json::elements);
            let replaced = record.get("surfaceOp").filter(|op| op.is_object());
            let range = ["start", "end"].into_iter().filter_map(|name| replaced?.get(name));
            own.chain(sources).chain(range).collect()
        },
    }),
    blocks: |record| record.get_some("data")?.get_some("message")?.get("content").filter(|c| c.is_array()),
    // Calls are asked for in one event and begun in another: taking one out of its message would part them.
    block: |block| if block.str("type").as_deref() == Some("text") { text_block(block) } else { Block::Other },
    due_behind: |line, due| Record::read(line)?.following(due),
    ..FLAT
};

/// The layout of a format; none where nothing is known that could be mended in place.
#[must_use]
pub fn of(format: &str) -> Option<&'static Layout> {
    Some(match format {
        "canonical" => &CANONICAL,
        "claude-code-jsonl" => &CLAUDE_CODE,
        "codex-rollout" => &CODEX,
        "dsh-jsonl" => &DSH,
        "openai-agents" => &OPENAI_AGENTS,
        "pi-jsonl" => &PI,
        _ => return None,
    })
}
