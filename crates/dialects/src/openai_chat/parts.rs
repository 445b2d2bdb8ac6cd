//! The content of a message, decoded: a string, or a list of parts.

use interlingua_model::{
    Block, Body, Cache, Extras, Form, Ledger, Media, MediaKind, Place, Seal, Source, Thinking,
    Verbatim,
};
use interlingua_wire::{Json, Kind, Node, Text};

use super::{ID, mark, paired};
use crate::{media, note, spellings};

/// Whatever stands where content should: read as what it most likely means.
pub(super) fn content(
    node: Option<Node<'_>>,
    blocks: &mut Vec<Verbatim<Block>>,
    place: Place,
    ledger: &mut Ledger,
) {
    let Some(node) = node else { return };
    match node.kind() {
        Kind::Null => {}
        Kind::String => {
            blocks.reserve_exact(1);
            if let Some(text) = node.text() {
                blocks.push(Verbatim::new(Block::text(text)));
            }
        }
        Kind::Array => {
            blocks.reserve_exact(node.len());
            node.items().for_each(|item| push(item, blocks, place, ledger));
        }
        Kind::Object => {
            odd(ledger, place, "content that is an object is read as one part");
            push(node, blocks, place, ledger);
        }
        Kind::Bool | Kind::Number => {
            odd(ledger, place, "content that is no string is read as its text");
            blocks.push(Block::text(Text::new(node.raw())).into());
        }
    }
}

fn push(node: Node<'_>, blocks: &mut Vec<Verbatim<Block>>, place: Place, ledger: &mut Ledger) {
    // What stands inside a result is where the result is.
    let here = Place { block: place.block.or(Some(blocks.len() as u32)), ..place };
    match node.kind() {
        Kind::Object => blocks.push(part(node, here, ledger)),
        Kind::String => {
            odd(ledger, here, "a string among the parts is read as text");
            blocks.extend(node.text().map(Block::text).map(Verbatim::new));
        }
        Kind::Array => {
            odd(ledger, here, "a list among the parts is read as if its parts stood there");
            node.items().for_each(|item| push(item, blocks, place, ledger));
        }
        Kind::Null => odd(ledger, here, "a null among the parts is nothing"),
        Kind::Bool | Kind::Number => {
            odd(ledger, here, "a bare value among the parts is read as its text");
            blocks.push(Block::text(Text::new(node.raw())).into());
        }
    }
}

/// One part.
pub(super) fn part(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Block> {
    let written = node.get("type").filter(|kind| kind.is_string());
    let kind = written.map(Node::word).unwrap_or_default();
    if written.is_none() && node.get("type").is_some() {
        odd(ledger, place, "a part whose type is no string is read as one without");
    }
    if let Some(block) = paired::decode(node, &kind, place, ledger) {
        return Verbatim::new(block);
    }
    let misshapen = misshapen(node);
    if !misshapen.is_empty() {
        odd(ledger, place, "a part that holds something of another type is written anew");
    }
    let read = match &*kind {
        "text" | "input_text" | "output_text" => text(node, place, ledger),
        "" if node.get("text").is_some_and(Node::is_string) => text(node, place, ledger),
        "image_url" => url(node, "image_url", MediaKind::Image),
        "video_url" => url(node, "video_url", MediaKind::Video),
        "document_url" => url(node, "document_url", MediaKind::Document),
        "input_audio" => audio(node),
        "file" => file(node),
        "refusal" => refusal(node),
        "thinking" => thinking(node),
        // Whatever it is called, what was thought is not said.
        "" if node.get("thinking").is_some_and(|it| it.is_string() || it.is_array()) => {
            thinking(node)
        }
        "" if node.get("text").is_none() => {
            spelled(node).or_else(|| Some((Block::new(Body::Data(node.json())), "")))
        }
        _ => spelled(node),
    };
    let block = match read {
        Some((mut block, payload)) => {
            if !matches!(block.body, Body::Data(_)) {
                block.cache = cache(node);
                block.extras = extras(node, payload);
            }
            block.extras.retain(ID, |key, _| !misshapen.iter().any(|odd| key == odd));
            if kind == "image_url" && node.get("image_url").is_some_and(Node::is_string) {
                mark::part(&mut block.extras, BARE_ADDRESS);
            }
            if !EVERYWHERE.contains(&&*kind) || is_other_file(&kind, &block) {
                // An empty type is a type, if an odd one.
                mark::part(
                    &mut block.extras,
                    if written.is_some() && kind.is_empty() { EMPTY } else { &kind },
                );
            }
            block
        }
        // No server takes a text that is no string, whatever the part.
        None if !misshapen.is_empty() => Block::new(Body::Data(node.json())),
        // Entries of a list of reasoning have such names; this is none.
        None if kind.starts_with("reasoning") => {
            foreign(node, Text::new(&format!("{CONTENT}{kind}")))
        }
        None => foreign(node, Text::new(&kind)),
    };
    Verbatim::read(block, ID, node.json())
}

/// Whether a file is something that has a part of its own.
fn is_other_file(kind: &str, block: &Block) -> bool {
    kind == "file" && matches!(&block.body, Body::Media(media) if media.kind != MediaKind::Document)
}

/// The fields of a part that are of another type than they must be, for any server.
fn misshapen(node: Node<'_>) -> Vec<&'static str> {
    let is_odd = |(key, kinds): &&(&str, &[Kind])| {
        node.get(key).is_some_and(|value| !kinds.contains(&value.kind()))
    };
    SHAPES.iter().filter(is_odd).map(|(key, _)| *key).collect()
}

/// A part, entry or item only this dialect understands.
pub(super) fn foreign(node: Node<'_>, kind: Text) -> Block {
    Block::new(Body::Foreign { dialect: ID, kind, json: node.json() })
}

/// The block and the key that held its meaning.
type Read = Option<(Block, &'static str)>;

fn text(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Read {
    let value = node.get("text")?;
    let text = value.text().unwrap_or_else(|| {
        odd(ledger, place, "a text that is no string is read as its JSON");
        if value.is_null() { Text::EMPTY } else { Text::new(value.raw()) }
    });
    Some((Block::text(text), "text"))
}

fn refusal(node: Node<'_>) -> Read {
    Some((Block::new(Body::Refusal(node.get("refusal")?.text()?)), "refusal"))
}

fn url(node: Node<'_>, key: &'static str, kind: MediaKind) -> Read {
    let value = node.get(key)?;
    let url = value.text().or_else(|| value.get("url")?.text())?;
    let source = media::source_of_url(&url);
    let detail = value.get("detail").and_then(Node::text);
    let name = node.get("document_name").and_then(Node::text);
    Some((Block::new(Body::Media(Box::new(Media { kind, source, name, detail }))), key))
}

/// An image that is spelled as elsewhere.
fn spelled(node: Node<'_>) -> Read {
    Some((Block::new(Body::Media(Box::new(spellings::media(node)?))), EVERYTHING))
}

fn audio(node: Node<'_>) -> Read {
    let audio = node.get("input_audio")?;
    let data = audio.get("data")?.text()?;
    let format = audio.get("format")?.word();
    let mime = media::mime_of_format(MediaKind::Audio, &format).map(Text::word);
    let source = match media::source_of_url(&data) {
        Source::Base64 { mime: told, data } => Source::Base64 { mime: told.or(mime), data },
        _ if data.raw().starts_with("http") => Source::Url { mime, url: data },
        _ => Source::Base64 { mime, data },
    };
    let media = Media { kind: MediaKind::Audio, source, name: None, detail: None };
    Some((Block::new(Body::Media(Box::new(media))), "input_audio"))
}

fn file(node: Node<'_>) -> Read {
    let file = node.get("file")?;
    let name = file.get("filename").and_then(Node::text);
    let source = if let Some(data) = file.get("file_data").and_then(Node::text) {
        match media::source_of_url(&data) {
            Source::Url { .. } if !data.raw().starts_with("http") => {
                let mime = media::type_of_file(data.raw(), name.as_ref()).map(Text::word);
                Source::Base64 { mime, data }
            }
            source => source,
        }
    } else {
        Source::File { mime: None, id: file.get("file_id")?.text()? }
    };
    let kind = match &source {
        Source::Base64 { mime: Some(mime), .. } => match media::kind_of_mime(&mime.contents()) {
            // A film has a part of its own; as a file it is one.
            MediaKind::Video => MediaKind::Document,
            kind => kind,
        },
        _ => MediaKind::Document,
    };
    let media = Media { kind, source, name, detail: None };
    Some((Block::new(Body::Media(Box::new(media))), "file"))
}

/// Reasoning as a chunk of content: a list of text parts, or a string.
fn thinking(node: Node<'_>) -> Read {
    let value = node.get("thinking")?;
    let texts: Vec<Text> = match value.text() {
        Some(text) => vec![text],
        None if value.is_array() => value.items().map(thought).collect(),
        None => (!value.is_null()).then(|| thought(value)).into_iter().collect(),
    };
    let body = Body::Thinking(Thinking { text: Text::concat(&texts), form: Form::Full });
    let signature = node.get("signature").and_then(Node::text);
    let seal = signature.map(|data| Seal::new(Text::word(super::reasoning::UNKNOWN), data));
    Some((Block::new(body).sealed(seal), "thinking"))
}

fn thought(part: Node<'_>) -> Text {
    part.get("text").map_or_else(|| text_of(part), text_of)
}

/// A breakpoint in either of the dialect's two spellings.
pub(super) fn cache(node: Node<'_>) -> Option<Box<Cache>> {
    let marks = node.pick(["cache_control", "prompt_cache_breakpoint"]);
    let mark = marks.into_iter().flatten().find(|mark| mark.is_object())?;
    Some(Box::new(Cache { ttl: mark.get("ttl").and_then(Node::text) }))
}

fn extras(node: Node<'_>, payload: &str) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields() {
        let name = field.name();
        let known = matches!(&*name, "type" | "cache_control" | "prompt_cache_breakpoint")
            || *name == *payload
            || payload == EVERYTHING
            || (*name == *"signature" && payload == "thinking");
        if !known {
            extras.keep(ID, field);
        } else if name.contains("cache") {
            mark::hold(&mut extras, &name);
        }
    }
    extras
}

/// The text of a field that should hold a string.
pub(super) fn text_of(node: Node<'_>) -> Text {
    node.text().unwrap_or_else(|| Text::new(node.raw()))
}

pub(super) fn odd(ledger: &mut Ledger, place: Place, what: &'static str) {
    ledger.change(note::ODD_INPUT, place, what);
}

/// The value of a field unless it is null.
pub(super) fn some(node: Option<Node<'_>>) -> Option<Json> {
    node.filter(|node| !node.is_null()).map(Node::json)
}

/// What parts hold, by the name of the field.
const SHAPES: &[(&str, &[Kind])] = &[
    ("text", &[Kind::String]),
    ("image_url", &[Kind::Object, Kind::String]),
    ("input_audio", &[Kind::Object]),
    ("file", &[Kind::Object]),
];

/// What stands before the type of a part that could be taken for something else.
const CONTENT: &str = "content ";

/// Stands for the keys of a part of which nothing is left to keep.
const EVERYTHING: &str = "*";

/// What a part is said to be whose type is there, and empty.
const EMPTY: &str = "(empty)";

/// What a part is said to be whose image has its address alone, without the object around it.
const BARE_ADDRESS: &str = "image_url string";

/// Parts that every server knows, or that other rules look at.
const EVERYWHERE: &[&str] = &["text", "image_url", "video_url", "input_audio", "file"];
