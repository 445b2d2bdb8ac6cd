//! Turns and blocks, read.

use std::borrow::Cow;

use interlingua_model::{
    Args, Block, Body, Cache, Citation, Form, Ledger, Place, Role, Seal, Thinking, ToolCall,
    ToolResult, Turn, Verbatim, derive_id,
};
use interlingua_wire::{Field, Json, Kind, Node, Text};

use super::{ID, ISSUER, chat_like, media};
use crate::{body, note};

/// The list of messages; what stands in its place is read as one message.
pub(super) fn turns(list: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Turn>> {
    match list.kind() {
        Kind::Array => {
            let mut turns = Vec::with_capacity(list.len());
            let messages = body::messages(list, ledger).enumerate();
            turns.extend(messages.map(|(at, item)| turn(item, at, ledger)));
            turns
        }
        Kind::Null => Vec::new(),
        Kind::Bool | Kind::Number | Kind::String | Kind::Object => {
            odd(ledger, Place::BODY, "`messages` is not a list: read as one message");
            vec![turn(list, 0, ledger)]
        }
    }
}

pub(super) fn turn(node: Node<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Turn> {
    let place = Place::turn(at);
    let mut turn = Turn::new(Role::User);
    if node.is_object() {
        let (mut role_node, mut content_node) = (None, None);
        let (mut calls, mut answered) = (None, None);
        for field in node.fields() {
            match &*field.name() {
                "role" => role_node = Some(field.value),
                "content" => content_node = Some(field.value),
                "tool_calls" if field.value.is_array() => calls = Some(field.value),
                "tool_call_id" if field.value.is_string() => answered = Some(field.value),
                _ => turn.extras.keep(ID, field),
            }
        }
        turn.role = role(role_node, place, ledger);
        let needed = calls.is_none() || content_node.is_some_and(|content| !content.is_null());
        if needed {
            // What a message of a tool says stands inside the result that it becomes.
            let block = answered.map(|_| 0);
            turn.blocks = content(content_node, Place { block, ..place }, ledger);
        }
        if let Some(calls) = calls {
            chat_like::calls(calls, place, &mut turn.blocks, ledger);
        }
        if let Some(call) = answered {
            turn.blocks = chat_like::result(call, place, turn.blocks, ledger);
        }
    } else {
        odd(ledger, place, "a message is not an object: read as the user's");
        turn.blocks = content(Some(node), place, ledger);
    }
    note_duplicates(node, place, ledger);
    Verbatim::read(turn, ID, node.json())
}

fn role(node: Option<Node<'_>>, place: Place, ledger: &mut Ledger) -> Role {
    let word = node.map(Node::word).unwrap_or_default();
    match &*word {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        other => {
            let role = match other {
                "developer" => Role::Developer,
                "model" | "ai" | "bot" => Role::Assistant,
                _ => Role::User,
            };
            odd(ledger, place, format!("the role `{other}` is read as {role:?}"));
            role
        }
    }
}

/// The content of a message, of a tool's result or of the instructions.
pub(super) fn content(
    node: Option<Node<'_>>,
    place: Place,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut blocks = Vec::new();
    match node {
        Some(node) if node.is_array() => {
            blocks.reserve_exact(node.len());
            for item in node.items() {
                push(item, place, &mut blocks, ledger);
            }
        }
        Some(node) if node.is_string() => {
            blocks = vec![Verbatim::new(Block::text(node.text().unwrap_or_default()))];
        }
        Some(node) => {
            if node.is_object() {
                odd(ledger, place, "the content is one block and not a list");
            }
            push(node, place, &mut blocks, ledger);
        }
        None => odd(ledger, place, "the content is missing"),
    }
    blocks
}

/// Adds one element of a content list, whatever it is.
fn push(item: Node<'_>, place: Place, blocks: &mut Vec<Verbatim<Block>>, ledger: &mut Ledger) {
    // Blocks inside a result are told apart no further than the result.
    let here = Place { block: place.block.or(Some(blocks.len() as u32)), ..place };
    match item.kind() {
        Kind::Object => blocks.push(block(item, here, ledger)),
        Kind::Array => {
            odd(ledger, here, "a list inside the content is read as part of it");
            item.items().for_each(|inner| push(inner, place, blocks, ledger));
        }
        Kind::String => {
            odd(ledger, here, "a bare string is read as text");
            blocks.push(Verbatim::new(Block::text(item.text().unwrap_or_default())));
        }
        Kind::Bool | Kind::Number => {
            odd(ledger, here, format!("`{}` is read as text", item.raw()));
            blocks.push(Verbatim::new(Block::text(Text::new(item.raw()))));
        }
        Kind::Null => odd(ledger, here, "null is no content"),
    }
}

pub(super) fn block(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Block> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    let block = match &*kind {
        "text" => text(node, place, ledger),
        "thinking" => thinking(node, place, ledger),
        "redacted_thinking" => redacted(node, place, ledger),
        "tool_use" => call(node, place, ledger),
        "tool_result" => result(node, place, ledger),
        "image" | "document" => media::decode(node, &kind, place, ledger),
        "" if node.get("text").is_some_and(Node::is_string) => {
            odd(ledger, place, "a block without a type that has text is read as text");
            text(node, place, ledger)
        }
        other => media::spelled(node, place, ledger).unwrap_or_else(|| {
            if other.is_empty() {
                odd(ledger, place, "a block without a type is kept as it is");
            }
            foreign(node)
        }),
    };
    note_duplicates(node, place, ledger);
    Verbatim::read(block, ID, node.json())
}

fn text(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(Text::EMPTY);
    let (mut text_node, mut marks) = (None, Vec::new());
    for field in node.fields() {
        match &*field.name() {
            "text" => text_node = Some(field.value),
            "citations" if field.value.is_null() => {}
            "citations" if field.value.is_array() => {
                let (kept, odd): (Vec<_>, Vec<_>) =
                    field.value.items().partition(|one| one.is_object());
                marks = kept.into_iter().map(citation).collect();
                if !odd.is_empty() {
                    let what = "left out citations that are no objects";
                    ledger.loss(note::ODD_INPUT, place, what);
                }
            }
            _ => keep(&mut block, field),
        }
    }
    block.body = Body::Text { text: string(text_node, "text", place, ledger), citations: marks };
    block
}

pub(super) fn citation(node: Node<'_>) -> Citation {
    let text = |key| node.get(key).and_then(Node::text);
    Citation {
        url: text("url").or_else(|| text("source")),
        title: text("title").or_else(|| text("document_title")),
        quote: text("cited_text"),
        span: None,
        written: Some((ID, node.json())),
    }
}

fn thinking(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(Text::EMPTY);
    let mut text_node = None;
    for field in node.fields() {
        match &*field.name() {
            "thinking" => text_node = Some(field.value),
            "signature" if field.value.is_string() || field.value.is_null() => {
                block.seal = field.value.text().and_then(seal);
            }
            "cache_control" if field.value.is_null() => unmarked(place, ledger),
            _ => keep(&mut block, field),
        }
    }
    let text = string(text_node, "thinking", place, ledger);
    block.body = Body::Thinking(Thinking { text, form: Form::Full });
    block
}

fn redacted(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let thinking = Thinking { text: Text::EMPTY, form: Form::Redacted };
    let mut block = Block::new(Body::Thinking(thinking));
    let mut data = None;
    for field in node.fields() {
        match &*field.name() {
            "data" => data = Some(field.value),
            "cache_control" if field.value.is_null() => unmarked(place, ledger),
            _ => keep(&mut block, field),
        }
    }
    let data = data.filter(|data| data.is_string());
    // What is no string is no seal, and its spelling none either.
    block.seal = seal(string(data, "data", place, ledger));
    block
}

/// Thinking has no place for a mark, not even for none.
fn unmarked(place: Place, ledger: &mut Ledger) {
    odd(ledger, place, "thinking says that it has no mark");
}

/// An empty signature vouches for nothing.
pub(super) fn seal(data: Text) -> Option<Box<Seal>> {
    (!data.is_empty()).then(|| Box::new(Seal::new(Text::word(ISSUER), data)))
}

fn call(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(Text::EMPTY);
    let (mut id, mut name, mut input) = (None, None, None);
    for field in node.fields() {
        match &*field.name() {
            "id" => id = Some(field.value),
            "name" => name = Some(field.value),
            "input" => input = Some(field.value),
            _ => keep(&mut block, field),
        }
    }
    let name = string(name, "name", place, ledger);
    let id = id.and_then(Node::text).filter(|id| !id.is_empty()).unwrap_or_else(|| {
        odd(ledger, place, "the call has no id: one is derived");
        derive_id("call_", &name, place.block.unwrap_or_default() as usize)
    });
    let args = if let Some(input) = input {
        Args::Json(input.json())
    } else {
        odd(ledger, place, "the call has no `input`");
        Args::Malformed(Text::EMPTY)
    };
    block.body = Body::ToolCall(ToolCall { id, name, args });
    block
}

fn result(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(Text::EMPTY);
    let (mut id, mut inner, mut is_error) = (None, None, false);
    for field in node.fields() {
        match &*field.name() {
            "tool_use_id" => id = Some(field.value),
            // Left out or null, the content is empty, which is lawful here.
            "content" if field.value.is_null() => block.extras.keep(ID, field),
            "content" => inner = Some(field.value),
            "is_error" => is_error = flag(field.value, place, ledger),
            _ => keep(&mut block, field),
        }
    }
    let call = string(id, "tool_use_id", place, ledger);
    let content = match inner {
        Some(inner) => content(Some(inner), place, ledger),
        None => Vec::new(),
    };
    block.body = Body::ToolResult(ToolResult { call, name: None, content, is_error });
    block
}

fn flag(node: Node<'_>, place: Place, ledger: &mut Ledger) -> bool {
    node.boolean().unwrap_or_else(|| {
        if !node.is_null() {
            odd(ledger, place, format!("`is_error` is `{}`", node.raw()));
        }
        node.word() == "true" || node.count() == Some(1)
    })
}

/// A block that only this dialect knows, with its cache mark.
pub(super) fn foreign(node: Node<'_>) -> Block {
    let kind = node.get("type").and_then(Node::text).unwrap_or_default();
    let mut block = Block::new(Body::Foreign { dialect: ID, kind, json: node.json() });
    block.cache = node.get("cache_control").and_then(cache);
    block
}

/// Keeps a field that belongs to any kind of block, or to none that is known.
pub(super) fn keep(block: &mut Block, field: Field<'_>) {
    match &*field.name() {
        "type" => {}
        "cache_control" => {
            block.cache = cache(field.value);
            if !is_plain_cache(field.value) {
                block.extras.keep(ID, field);
            }
        }
        _ => block.extras.keep(ID, field),
    }
}

pub(super) fn cache(node: Node<'_>) -> Option<Box<Cache>> {
    node.is_object().then(|| Box::new(Cache { ttl: node.get("ttl").and_then(Node::text) }))
}

/// A cache mark that the model holds whole.
pub(super) fn is_plain_cache(node: Node<'_>) -> bool {
    node.is_null()
        || node.get("type").is_some()
            && node.fields().all(|field| match &*field.name() {
                "type" => field.value.word() == "ephemeral",
                "ttl" => field.value.is_string(),
                _ => false,
            })
}

/// A string; of anything else its spelling, so that nothing is lost.
pub(super) fn string(node: Option<Node<'_>>, key: &str, place: Place, ledger: &mut Ledger) -> Text {
    match node {
        Some(node) if node.is_string() => node.text().unwrap_or_default(),
        Some(node) if !node.is_null() => {
            odd(ledger, place, format!("`{key}` is not a string"));
            Text::new(node.raw())
        }
        _ => {
            odd(ledger, place, format!("`{key}` is missing"));
            Text::EMPTY
        }
    }
}

/// A value as JSON, if it says anything.
pub(super) fn said(node: Node<'_>) -> Option<Json> {
    (!node.is_null()).then(|| node.json())
}

fn note_duplicates(node: Node<'_>, place: Place, ledger: &mut Ledger) {
    if let Some(key) = node.repeated_key() {
        let what = format!("`{key}` stands twice: the last one counts");
        ledger.loss(note::DUPLICATE_KEY, place, what);
    }
}

pub(super) fn odd(ledger: &mut Ledger, place: Place, what: impl Into<Cow<'static, str>>) {
    ledger.change(note::ODD_INPUT, place, what);
}
