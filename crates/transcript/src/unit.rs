//! The parts of a request, and where in a file they come from.

use interlingua::wire::Node;
use interlingua::wire::json::Object;
use interlingua::{Dialect, Doc, Json};

/// A part of a request that a file can hold on its own: a block of a message, or an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its place in the list of turns.
    pub turn: usize,
    /// Its place in the turn; none where the turn is the part.
    pub block: Option<usize>,
    /// The word of the dialect.
    pub role: String,
    pub json: Json,
    /// Where in the request's text it begins.
    pub at: usize,
    /// Where in the file it stands; none for what was put in to make the request whole.
    pub origin: Option<Origin>,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The number of the line, from 1.
    pub line: usize,
    /// Which of the file's records: a line, or a message.
    pub record: usize,
    /// Which part of the record.
    pub slot: usize,
}

/// The parts of a request body. They have no origin.
pub fn units(dialect: &dyn Dialect, body: &Doc) -> Vec<Unit> {
    let inside = inside(dialect);
    let key = if dialect.id().0 == SESSION { "turns" } else { dialect.turns_key() };
    let turns = body.root().get(key).into_iter().flat_map(Node::items);
    let mut units = Vec::new();
    for (at, turn) in turns.enumerate() {
        let role = turn.get("role").map(|role| role.word().into_owned()).unwrap_or_default();
        let content = inside.and_then(|key| turn.get(key));
        let unit = |block, json, node: Node<'_>| {
            let (role, start) = (role.clone(), node.range().start);
            Unit { turn: at, block, role, json, at: start, origin: None }
        };
        match content {
            Some(content) if content.is_array() && !content.is_empty() => {
                let blocks = content.items().enumerate();
                units.extend(blocks.map(|(of, block)| unit(Some(of), block.json(), block)));
            }
            Some(content) if content.is_string() => {
                units.push(unit(Some(0), text_block(content), content));
            }
            _ => units.push(unit(None, turn.json(), turn)),
        }
    }
    units
}

/// A text that stands for its only block.
pub(crate) fn text_block(text: Node<'_>) -> Json {
    let text = text.text().unwrap_or_default();
    Json::object(|o| {
        o.word("type", "text");
        o.text("text", &text);
    })
}

/// Tools of which only the names are known, as blocks have them.
pub(crate) fn write_tools<'n>(names: impl Iterator<Item = &'n String>, o: &mut Object<'_>) {
    o.array("tools", |a| {
        for name in names {
            a.object(|o| {
                o.word("name", name);
                o.object("input_schema", |o| o.word("type", "object"));
            });
        }
    });
}

/// Whether a tool may be called so.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(fits)
}

/// The field of a turn that lists its blocks; none where a turn is one part.
fn inside(dialect: &dyn Dialect) -> Option<&'static str> {
    INSIDE.iter().find(|(name, _)| *name == dialect.id().0).map(|(_, key)| *key)
}

/// The turn and block that a path in a request names, such as `messages.3.content.1.text` or
/// `contents[3].parts[1]`.
pub fn place(path: &str) -> Option<(usize, Option<usize>)> {
    let mut parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty());
    parts.by_ref().find(|part| TURNS.contains(part))?;
    let turn = parts.next()?.parse().ok()?;
    let block = match parts.next() {
        Some(key) if BLOCKS.contains(&key) => parts.next().and_then(|at| at.parse().ok()),
        _ => None,
    };
    Some((turn, block))
}

const INSIDE: &[(&str, &str)] =
    &[("anthropic", "content"), ("gemini", "parts"), ("bedrock", "content")];

/// The dialect of stored sessions, which is nobody's wire format.
pub(crate) const SESSION: &str = "native";

const TURNS: &[&str] = &["messages", "input", "contents", "turns"];
const BLOCKS: &[&str] = &["content", "parts", "blocks"];
