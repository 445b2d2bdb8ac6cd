//! Messages and their blocks, read.

use interlingua_model::{
    Args, Block, Body, Cache, Form, Ledger, MediaKind, Place, Role, Seal, Thinking, ToolCall,
    ToolResult, Turn, Verbatim, derive_id,
};
use interlingua_wire::{Field, Json, Kind, Node, Text};

use super::{ID, ISSUER, cite, media};
use crate::note;

/// One message; `index` is its place in the list.
pub(super) fn turn(node: Node<'_>, index: usize, ledger: &mut Ledger) -> Verbatim<Turn> {
    let place = Place::turn(index);
    let mut turn = Turn::new(role(node.get("role"), place, ledger));
    if node.is_object() {
        if let Some(content) = node.get("content") {
            turn.blocks = blocks(content, place, ledger);
        }
        for field in node.fields().filter(|field| !field.is("role") && !field.is("content")) {
            turn.extras.keep(ID, field);
        }
    } else {
        ledger.change(note::ODD_INPUT, place, "a message that is not an object is read as text");
        turn.blocks = blocks(node, place, ledger);
    }
    for (at, block) in turn.blocks.iter().enumerate() {
        if matches!(block.body, Body::Data(_)) {
            let what = "data outside a result have no place";
            ledger.change(note::ODD_INPUT, Place::block(index, at), what);
        }
    }
    Verbatim::read(turn, ID, node.json())
}

fn role(node: Option<Node<'_>>, place: Place, ledger: &mut Ledger) -> Role {
    let word = node.map(Node::word).unwrap_or_default();
    match &*word {
        "user" => return Role::User,
        "assistant" => return Role::Assistant,
        "system" => return Role::System,
        _ => {}
    }
    let role = match &*word {
        "developer" => Role::Developer,
        "model" => Role::Assistant,
        _ => Role::User,
    };
    let what = format!("the role `{word}` is read as {}", super::role_word(role));
    ledger.change(note::ODD_INPUT, place, what);
    role
}

/// A list of blocks. A cache point marks the block before it and is no block of its own, unless
/// nothing is there to be marked.
pub(super) fn blocks(content: Node<'_>, place: Place, ledger: &mut Ledger) -> Vec<Verbatim<Block>> {
    let mut list = Vec::with_capacity(content.len());
    match content.kind() {
        Kind::Array => content.items().for_each(|item| push(item, place, &mut list, ledger)),
        Kind::Null => ledger.change(note::ODD_INPUT, place, "null content is read as none"),
        Kind::Object => {
            ledger.change(note::ODD_INPUT, place, "content that is one block is read as a list");
            push(content, place, &mut list, ledger);
        }
        Kind::String | Kind::Number | Kind::Bool => {
            ledger.change(note::ODD_INPUT, place, "content that is no list is read as text");
            list.push(Verbatim::new(Block::text(text(content))));
        }
    }
    list
}

fn push(item: Node<'_>, place: Place, list: &mut Vec<Verbatim<Block>>, ledger: &mut Ledger) {
    if item.is_array() {
        ledger.change(note::ODD_INPUT, place, "a list within the content is read as part of it");
        item.items().for_each(|inner| push(inner, place, list, ledger));
        return;
    }
    if list.last().is_some_and(|last| can_be_marked(last))
        && let Some(point) = cache_point(item, KNOWN, place, ledger)
        && let Some(marked) = list.pop()
    {
        let cache = mark(point, place, ledger);
        // The mark stands beside the block, so the block's own text stays true.
        list.push(marked.beside(|block| block.cache = Some(Box::new(cache))));
        return;
    }
    let place = Place { block: Some(place.block.unwrap_or(list.len() as u32)), ..place };
    list.push(block(item, place, ledger));
}

/// What a cache point holds, of what is that before anything else of these kinds.
pub(super) fn cache_point<'d>(
    item: Node<'d>,
    kinds: &[&str],
    place: Place,
    ledger: &mut Ledger,
) -> Option<Node<'d>> {
    let set = |field: &Field<'_>| !field.value.is_null() && kinds.contains(&&*field.name());
    let mut fields = item.fields().filter(set);
    let field = fields.next().filter(|field| field.is("cachePoint"))?;
    if fields.next().is_some() {
        ledger.loss(note::ODD_INPUT, place, "a block of several kinds is read as `cachePoint`");
    }
    Some(field.value)
}

/// A cache point as a mark. There is one type; a lifetime that there is not is none.
pub(super) fn mark(point: Node<'_>, place: Place, ledger: &mut Ledger) -> Cache {
    if point.get("type").map(Node::word).as_deref() != Some("default") {
        ledger.change(note::ODD_INPUT, place, "a cache point of a type that there is not");
    }
    let ttl = point.get("ttl").filter(|ttl| !ttl.is_null());
    let known = ttl.and_then(Node::text).filter(|ttl| *ttl == "5m" || *ttl == "1h");
    if ttl.is_some() && known.is_none() {
        ledger.change(note::ODD_INPUT, place, "a cache point of a lifetime that there is not");
    }
    Cache { ttl: known }
}

/// Of several marks on one block, the last counts.
fn can_be_marked(block: &Block) -> bool {
    !matches!(&block.body, Body::Foreign { kind, .. } if kind == "cachePoint")
}

pub(super) fn block(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Block> {
    let block = match node.kind() {
        Kind::Object => object(node, place, ledger),
        Kind::String => {
            ledger.change(note::ODD_INPUT, place, "a string is read as a block of text");
            return Verbatim::new(Block::text(text(node)));
        }
        Kind::Array | Kind::Null | Kind::Number | Kind::Bool => {
            ledger.change(note::ODD_INPUT, place, "a value that is no block is read as text");
            Block::text(text(node))
        }
    };
    Verbatim::read(block, ID, node.json())
}

/// A block is a union: one key says what it is.
fn object(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let mut fields = node.fields().filter(|field| !field.value.is_null());
    let named = node
        .fields()
        .find(|field| KNOWN.contains(&&*field.name()) && !field.value.is_null())
        .or_else(|| fields.next());
    let Some(named) = named else {
        ledger.change(note::ODD_INPUT, place, "a block without a kind is read as an empty text");
        return Block::text(Text::EMPTY);
    };
    // What the provider does not know it does not look at.
    let kinds = node.fields().filter(|field| !field.value.is_null());
    let several = kinds.filter(|field| KNOWN.contains(&&*field.name())).count() > 1;
    if several {
        let what = format!("a block of several kinds is read as `{}`", named.name());
        ledger.loss(note::ODD_INPUT, place, what);
    }
    let value = named.value;
    let known = match &*named.name() {
        "text" => Some(Block::text(said(value, place, ledger))),
        "json" => Some(Block::new(Body::Data(value.json()))),
        "image" => media::decode(MediaKind::Image, value, place, ledger),
        "document" => media::decode(MediaKind::Document, value, place, ledger),
        "video" => media::decode(MediaKind::Video, value, place, ledger),
        "audio" => media::decode(MediaKind::Audio, value, place, ledger),
        "toolUse" => call(value, place, ledger),
        "toolResult" => result(value, place, ledger),
        "reasoningContent" => Some(thinking(value, place, ledger)),
        "citationsContent" => cite::decode(value),
        _ => None,
    };
    known.unwrap_or_else(|| {
        let json = if several { only(named) } else { node.json() };
        Block::new(Body::Foreign { dialect: ID, kind: named.key(), json })
    })
}

/// Of several keys, this one.
pub(super) fn only(field: Field<'_>) -> Json {
    Json::object(|o| o.key_text(&field.key()).json(&field.value.json()))
}

/// A call of the provider's own tools has a type; nobody else can answer it.
fn call(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Option<Block> {
    if node.get("type").is_some_and(Node::is_string) {
        return None;
    }
    note_other(node, place, ledger);
    let name = node.get("name").map(|name| said(name, place, ledger)).unwrap_or_default();
    let id = node.get("toolUseId").filter(|id| !id.is_null());
    let id = id.map(|id| said(id, place, ledger));
    let id = id.unwrap_or_else(|| {
        ledger.change(note::ODD_INPUT, place, "a call without an id gets one");
        let [turn, block] = [place.index, place.block].map(|at| at.unwrap_or(0) as usize);
        derive_id("call_", &name, (turn << 20) + block)
    });
    let args = match node.get("input") {
        Some(input) if input.is_string() => {
            ledger.change(
                note::ODD_INPUT,
                place,
                "arguments in a string are read as what it holds",
            );
            Args::from_text(&text(input))
        }
        Some(input) if !input.is_null() => Args::Json(input.json()),
        _ => {
            ledger.change(note::ODD_INPUT, place, "a call without arguments");
            Args::Malformed(Text::EMPTY)
        }
    };
    let mut block = Block::new(Body::ToolCall(ToolCall { id, name, args }));
    keep_unknown(node, &["toolUseId", "name", "input", "type"], &mut block);
    Some(block)
}

/// What is no object is the call or the result that its key says, so that what stands around it keeps
/// its place.
fn note_other(node: Node<'_>, place: Place, ledger: &mut Ledger) {
    if !node.is_object() {
        ledger.loss(note::ODD_INPUT, place, "a call or a result that is no object says nothing");
    }
    if node.get("type").is_some_and(|kind| !kind.is_null()) {
        ledger.change(note::ODD_INPUT, place, "a type that is not a word is none");
    }
}

fn result(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Option<Block> {
    if node.get("type").is_some_and(Node::is_string) {
        return None;
    }
    note_other(node, place, ledger);
    let call = node.get("toolUseId").filter(|id| !id.is_null());
    let call = call.map(|id| said(id, place, ledger));
    if call.is_none() {
        ledger.change(note::ODD_INPUT, place, "a result does not say which call it answers");
    }
    if node.get("content").is_none_or(Node::is_null) {
        ledger.change(note::ODD_INPUT, place, "a result without content is empty");
    }
    let status = node.get("status");
    let result = ToolResult {
        call: call.unwrap_or_default(),
        name: None,
        content: node.get("content").map(|node| given(node, place, ledger)).unwrap_or_default(),
        is_error: status.is_some_and(|status| status.word() == "error"),
    };
    let mut block = Block::new(Body::ToolResult(result));
    keep_unknown(node, &["toolUseId", "content", "type", "status"], &mut block);
    let known = |status: &Node<'_>| ["error", "success"].contains(&&*status.word());
    if status.is_some_and(|status| !status.is_null() && !known(&status)) {
        ledger.change(note::ODD_INPUT, place, "a status that there is not is read as success");
    }
    Some(block)
}

/// What a tool gave: plain text, data and media, and none of it is marked.
fn given(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Vec<Verbatim<Block>> {
    let list = blocks(node, place, ledger);
    let mut odd = |what: &'static str| ledger.change(note::ODD_INPUT, place, what);
    for block in &list {
        if block.cache.is_some() {
            odd("a cache point inside a result has no place");
        }
        let said = block.text_for(ID).filter(|_| matches!(block.body, Body::Text { .. }));
        if said.is_some_and(|json| !is_plain(json)) {
            odd("a text inside a result is plain");
        }
    }
    list
}

/// Whether a block holds its text under the plain key. How it begins mostly shows it.
fn is_plain(block: &Json) -> bool {
    block.as_str().starts_with("{\"text\"") || block.doc().root().get("text").is_some()
}

fn thinking(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Block {
    let set = |key: &str| node.get(key).filter(|value| !value.is_null());
    let reasoning = set("reasoningText");
    let is_text = |key: &str, needed: bool| {
        let value = reasoning.and_then(|reasoning| reasoning.get(key));
        value.filter(|value| !value.is_null()).map_or(!needed, Node::is_string)
    };
    let fits = match (reasoning, set("redactedContent")) {
        (Some(_), None) => is_text("text", true) && is_text("signature", false),
        (None, Some(redacted)) => redacted.is_string(),
        _ => false,
    };
    if !fits {
        ledger.change(
            note::ODD_INPUT,
            place,
            "reasoning of another form is read as far as it goes",
        );
    }
    if let Some(redacted) = node.get("redactedContent").and_then(Node::text) {
        let body = Body::Thinking(Thinking { text: Text::EMPTY, form: Form::Redacted });
        return Block::new(body).sealed(Some(Seal::new(ISSUER, redacted)));
    }
    let Some(reasoning) = node.get("reasoningText").filter(|node| node.is_object()) else {
        let body = Body::Thinking(Thinking { text: Text::EMPTY, form: Form::Full });
        return Block::new(body);
    };
    let text = reasoning.get("text").filter(|text| !text.is_null()).map(text).unwrap_or_default();
    let signature = reasoning.get("signature").and_then(Node::text);
    let seal = signature.filter(|data| !data.is_empty()).map(|data| Seal::new(ISSUER, data));
    let body = Body::Thinking(Thinking { text, form: Form::Full });
    let mut block = Block::new(body).sealed(seal);
    keep_unknown(reasoning, &["text", "signature"], &mut block);
    block
}

pub(super) fn keep_unknown(node: Node<'_>, known: &[&str], block: &mut Block) {
    for field in node.fields().filter(|field| !known.contains(&&*field.name())) {
        block.extras.keep(ID, field);
    }
}

/// As [`text`]; what is no string is noted.
pub(super) fn said(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Text {
    if !node.is_string() {
        ledger.change(note::ODD_INPUT, place, "a text is not a string: read as its JSON");
    }
    text(node)
}

/// A string, or the JSON of what stands in its place.
pub(super) fn text(node: Node<'_>) -> Text {
    node.text().unwrap_or_else(|| Text::new(node.raw()))
}

/// What decides where several keys stand in one block.
const KNOWN: &[&str] = &[
    "text",
    "json",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "citationsContent",
    "cachePoint",
    "guardContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
];
