//! Blocks, read.

use interlingua_model::{
    Args, Block, Body, Cache, Citation, DialectId, Extras, Form, Ledger, Media, MediaKind, Origin,
    Place, Role, Seal, Section, Source, Thinking, ToolCall, ToolResult, Verbatim,
};
use interlingua_wire::{Json, Kind, Node, Text};

use super::{ID, names, unread};
use crate::Dialect;

/// A list of blocks; a string stands for one block of text.
pub(super) fn blocks(
    list: Option<Node<'_>>,
    role: Role,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    match list {
        Some(list) if list.is_array() => {
            let mut blocks = Vec::with_capacity(list.len());
            for (at, item) in list.items().enumerate() {
                let noted = ledger.entries.len();
                blocks.push(block(item, role, ledger));
                place(ledger, noted, |place| place.block = Some(at as u32));
            }
            blocks
        }
        Some(one) if !one.is_null() => vec![block(one, role, ledger)],
        _ => Vec::new(),
    }
}

/// Says of the entries from `noted` on where their subject stands. What is read from its own text
/// knows nothing of the conversation around it.
pub(super) fn place(ledger: &mut Ledger, noted: usize, change: impl Fn(&mut Place)) {
    for entry in ledger.entries.iter_mut().skip(noted) {
        if matches!(entry.place.section, Section::Turns | Section::System) {
            change(&mut entry.place);
            entry.after = Some(entry.place);
        }
    }
}

pub(super) fn block(node: Node<'_>, role: Role, ledger: &mut Ledger) -> Verbatim<Block> {
    if let Some((dialect, raw)) = raw(node) {
        let block = dialect.decode_block(raw.doc().root(), role, ledger);
        // Where a dialect marks a block beside it, the block's own text does not say so.
        return block.beside(|block| {
            block.cache = cache(node);
            restore_id(block, node, &raw);
        });
    }
    if let Some(text) = node.text() {
        return Verbatim::new(Block::text(text));
    }
    let body = body(node, role, ledger);
    unread::block(node, &body, ledger);
    let mut block = Block::new(body);
    block.seal = node.get("seal").map(|node| Box::new(seal(node)));
    block.cache = cache(node);
    block.extras = extras(node);
    Verbatim::read(block, ID, node.json())
}

/// Gives a call or result the id it has here, if its text holds none: such an id is made from its
/// place in the whole conversation, which a turn alone does not know.
pub(super) fn restore_id(block: &mut Block, node: Node<'_>, raw: &Json) {
    let (id, here) = match &mut block.body {
        Body::ToolCall(call) => (&mut call.id, node.get("call").and_then(|call| call.get("id"))),
        Body::ToolResult(result) => {
            (&mut result.call, node.get("result").and_then(|result| result.get("call")))
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Thinking(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::Foreign { .. } => return,
    };
    if let Some(here) = here.and_then(Node::text).filter(|_| !raw.as_str().contains(id.raw())) {
        *id = here;
    }
}

/// The text a value had in another dialect, and that dialect.
pub(super) fn raw(node: Node<'_>) -> Option<(&'static dyn Dialect, Json)> {
    let field = node.get("raw")?.fields().last()?;
    let dialect = crate::find(&field.name()).filter(|dialect| dialect.id() != ID)?;
    Some((dialect, field.value.json()))
}

fn body(node: Node<'_>, role: Role, ledger: &mut Ledger) -> Body {
    for field in node.fields() {
        let inner = field.value;
        match &*field.name() {
            "text" => {
                let citations =
                    node.get("citations").into_iter().flat_map(Node::items).map(citation);
                return Body::Text { text: text(Some(inner)), citations: citations.collect() };
            }
            "refusal" => return Body::Refusal(text(Some(inner))),
            "thinking" => {
                let form = names::value(names::FORMS, node.get("form")).unwrap_or(Form::Full);
                return Body::Thinking(Thinking { text: text(Some(inner)), form });
            }
            "data" => return Body::Data(inner.json()),
            "call" => return Body::ToolCall(call(inner)),
            "result" => return Body::ToolResult(result(inner, role, ledger)),
            "foreign" => return foreign(inner, role),
            name => {
                if let Some((kind, _)) = names::MEDIA.iter().find(|(_, word)| *word == name) {
                    return Body::Media(Box::new(media(*kind, inner, role, ledger)));
                }
            }
        }
    }
    Body::Foreign { dialect: ID, kind: Text::EMPTY, json: node.json() }
}

/// What only one dialect knows is of the kind that this dialect reads there.
fn foreign(node: Node<'_>, role: Role) -> Body {
    let dialect = node.get("dialect").and_then(|name| names::dialect(&name.word())).unwrap_or(ID);
    let json = node.get("json").map_or(Json::NULL, Node::json);
    let reader = crate::find(dialect.0).filter(|_| dialect != ID && json.is_object());
    let read = reader.map(|reader| {
        reader.decode_block(json.doc().root(), role, &mut Ledger::default()).into_value()
    });
    let kind = match read.map(|block| block.body) {
        Some(Body::Foreign { kind, .. }) => kind,
        _ => text(node.get("kind")),
    };
    Body::Foreign { dialect, kind, json }
}

fn call(node: Node<'_>) -> ToolCall {
    let args = match (node.get("args"), node.get("freeform")) {
        (Some(args), _) => Args::Json(args.json()),
        (None, Some(freeform)) => Args::Freeform(text(Some(freeform))),
        (None, None) => Args::Malformed(text(node.get("malformed"))),
    };
    ToolCall { id: text(node.get("id")), name: text(node.get("name")), args }
}

fn result(node: Node<'_>, role: Role, ledger: &mut Ledger) -> ToolResult {
    ToolResult {
        call: text(node.get("call")),
        name: node.get("name").and_then(Node::text),
        content: blocks(node.get("content"), role, ledger),
        is_error: node.get("is_error").and_then(Node::boolean).unwrap_or(false),
    }
}

fn media(kind: MediaKind, node: Node<'_>, role: Role, ledger: &mut Ledger) -> Media {
    let mime = node.get("mime").and_then(Node::text);
    let source = if let Some(data) = node.get("base64").and_then(Node::text) {
        Source::Base64 { mime, data }
    } else if let Some(url) = node.get("url").and_then(Node::text) {
        Source::Url { mime, url }
    } else if let Some(id) = node.get("file").and_then(Node::text) {
        Source::File { mime, id }
    } else if let Some(inner) = node.get("blocks") {
        Source::Blocks(blocks(Some(inner), role, ledger))
    } else {
        Source::Text(text(node.get("plain")))
    };
    let name = node.get("name").and_then(Node::text);
    Media { kind, source, name, detail: node.get("detail").and_then(Node::text) }
}

pub(super) fn citation(node: Node<'_>) -> Citation {
    let mut span = node.get("span").into_iter().flat_map(Node::items).filter_map(Node::count);
    Citation {
        url: node.get("url").and_then(Node::text),
        title: node.get("title").and_then(Node::text),
        quote: node.get("quote").and_then(Node::text),
        span: span.next().zip(span.next()),
        written: node.get("written").and_then(written),
    }
}

/// `{"dialect": value}`.
pub(super) fn written(node: Node<'_>) -> Option<(DialectId, Json)> {
    let field = node.fields().last()?;
    Some((names::dialect(&field.name())?, field.value.json()))
}

pub(super) fn seal(node: Node<'_>) -> Seal {
    let model = node.get("model").and_then(Node::text);
    Seal {
        origin: Origin { issuer: text(node.get("issuer")), model },
        data: text(node.get("data")),
        id: node.get("id").and_then(Node::text),
    }
}

pub(super) fn cache(node: Node<'_>) -> Option<Box<Cache>> {
    let cache = node.get("cache").filter(|cache| cache.is_object())?;
    Some(Box::new(Cache { ttl: cache.get("ttl").and_then(Node::text) }))
}

pub(super) fn extras(node: Node<'_>) -> Extras {
    let mut extras = Extras::default();
    let dialect = node.get("extras_of").and_then(|name| names::dialect(&name.word()));
    for field in node.get("extras").into_iter().flat_map(Node::fields) {
        extras.keep(dialect.unwrap_or(ID), field);
    }
    for field in node.get("remembered").into_iter().flat_map(Node::fields) {
        let Some(dialect) = names::dialect(&field.name()) else { continue };
        let keys = field.value.items().filter_map(Node::text);
        for key in keys.filter(Extras::is_memory) {
            extras.put(dialect, key, Json::NULL);
        }
    }
    extras
}

/// A string; of any other value its JSON, so that nothing is lost.
pub(super) fn text(node: Option<Node<'_>>) -> Text {
    match node {
        Some(node) if node.is_string() => node.text().unwrap_or_default(),
        Some(node) if node.kind() != Kind::Null => Text::new(node.raw()),
        _ => Text::EMPTY,
    }
}
