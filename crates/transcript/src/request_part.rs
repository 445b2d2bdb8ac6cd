//! The parts of a request and their locations in a file.

use interlingua::{Dialect, JsonDoc, RawJson};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

/// A part of a request that a file stores separately: a block of a message, or an item.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestPart {
    /// Index of its turn.
    pub turn: usize,
    /// Index in the turn; `None` if the part is the whole turn.
    pub block: Option<usize>,
    /// The role in the dialect's spelling.
    pub role: String,
    pub json: RawJson,
    /// Byte offset in the request.
    pub offset: usize,
    /// Location in the file; `None` for parts added to complete the request.
    pub location: Option<FileLocation>,
}

/// A location in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLocation {
    /// Line number from 1.
    pub line: usize,
    /// Index of the record: a line, or a message.
    pub record: usize,
    /// Index of the part in the record.
    pub index: usize,
}

/// Splits a request body into parts, without locations.
pub fn request_parts(dialect: &dyn Dialect, body: &JsonDoc) -> Vec<RequestPart> {
    let content_field = content_key(dialect);
    let key = if dialect.id().0 == NATIVE_DIALECT { "turns" } else { dialect.turns_key() };
    let turns = body.root().get(key).into_iter().flat_map(JsonNode::items);
    let mut parts = Vec::new();
    for (turn_index, turn) in turns.enumerate() {
        let role =
            turn.get("role").map(|role| role.str_or_empty().into_owned()).unwrap_or_default();
        let content = content_field.and_then(|key| turn.get(key));
        let part = |block, json, node: JsonNode<'_>| {
            let (role, start) = (role.clone(), node.range().start);
            RequestPart { turn: turn_index, block, role, json, offset: start, location: None }
        };
        match content {
            Some(content) if content.is_array() && !content.is_empty() => {
                let blocks = content.items().enumerate();
                parts.extend(blocks.map(|(index, block)| part(Some(index), block.json(), block)));
            }
            Some(content) if content.is_string() => {
                parts.push(part(Some(0), text_block(content), content));
            }
            _ => parts.push(part(None, turn.json(), turn)),
        }
    }
    parts
}

/// Converts content that is a string to a text block.
pub(crate) fn text_block(text: JsonNode<'_>) -> RawJson {
    let text = text.json_string().unwrap_or_default();
    RawJson::object(|o| {
        o.str("type", "text");
        o.json_string("text", &text);
    })
}

/// Writes tools with these names and an empty schema.
pub(crate) fn write_tools<'n>(names: impl Iterator<Item = &'n String>, o: &mut ObjectWriter<'_>) {
    o.array("tools", |a| {
        for name in names {
            a.object(|o| {
                o.str("name", name);
                o.object("input_schema", |o| o.str("type", "object"));
            });
        }
    });
}

pub(crate) fn is_valid_tool_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// The field with the blocks of a turn; `None` if a turn is one part.
fn content_key(dialect: &dyn Dialect) -> Option<&'static str> {
    CONTENT_KEYS.iter().find(|(name, _)| *name == dialect.id().0).map(|(_, key)| *key)
}

/// Parses turn and block from a path such as `messages.3.content.1.text` or `contents[3].parts[1]`.
pub fn parse_part_path(path: &str) -> Option<(usize, Option<usize>)> {
    let mut segments = path.split(['.', '[', ']']).filter(|part| !part.is_empty());
    segments.by_ref().find(|part| TURN_LIST_KEYS.contains(part))?;
    let turn = segments.next()?.parse().ok()?;
    let block = match segments.next() {
        Some(key) if BLOCK_LIST_KEYS.contains(&key) => {
            segments.next().and_then(|at| at.parse().ok())
        }
        _ => None,
    };
    Some((turn, block))
}

const CONTENT_KEYS: &[(&str, &str)] =
    &[("anthropic", "content"), ("gemini", "parts"), ("bedrock", "content")];

/// The dialect of stored sessions.
pub(crate) const NATIVE_DIALECT: &str = "native";

const TURN_LIST_KEYS: &[&str] = &["messages", "input", "contents", "turns"];
const BLOCK_LIST_KEYS: &[&str] = &["content", "parts", "blocks"];
