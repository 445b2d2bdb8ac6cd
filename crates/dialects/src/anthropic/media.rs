//! Images and documents, both ways.

use interlingua_model::{Block, Body, Extras, Ledger, Media, MediaKind, Place, Source, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::encode::{self, Cx, Spot};
use super::{ID, decode};
use crate::{media as shared, note, spellings};

/// An image or document block. One whose source cannot be read is kept as it is.
pub(super) fn decode(node: Node<'_>, kind: &str, place: Place, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(Text::EMPTY);
    let (mut source_node, mut name) = (None, None);
    for field in node.fields() {
        match &*field.name() {
            "source" => source_node = Some(field.value),
            "title" if field.value.is_string() || field.value.is_null() => {
                name = field.value.text();
            }
            _ => decode::keep(&mut block, field),
        }
    }
    let read = source_node.and_then(|node| source(node, kind, place, ledger));
    let Some((source, others)) = read else {
        if let Some(block) = spelled(node, place, ledger) {
            return block;
        }
        decode::odd(ledger, place, format!("the source of the {kind} cannot be read"));
        return decode::foreign(node);
    };
    if others != Json::EMPTY_OBJECT {
        block.extras.put(ID, SOURCE, others);
    }
    let kind = if kind == "image" { MediaKind::Image } else { MediaKind::Document };
    block.body = Body::Media(Box::new(Media { kind, source, name, detail: None }));
    block
}

/// An image that is spelled as elsewhere: it is written anew.
pub(super) fn spelled(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Option<Block> {
    let media = spellings::media(node)?;
    decode::odd(ledger, place, "an image in the spelling of others is read as one");
    let mut block = Block::new(Body::Media(Box::new(media)));
    block.cache = node.get("cache_control").and_then(decode::cache);
    Some(block)
}

/// Where the data are, and what else is said there that no source has.
fn source(node: Node<'_>, kind: &str, place: Place, ledger: &mut Ledger) -> Option<(Source, Json)> {
    let text = |key| node.get(key).and_then(Node::text);
    let mime = text("media_type");
    let word = node.get("type").map(Node::word).unwrap_or_default();
    let (source, known) = match &*word {
        "base64" => (Source::Base64 { mime, data: text("data")? }, BYTES),
        "url" => match shared::source_of_url(&text("url")?) {
            Source::Url { url, .. } => (Source::Url { mime, url }, ADDRESS),
            data => {
                decode::odd(ledger, place, format!("the {kind} is in its address: it is data"));
                (data, ADDRESS)
            }
        },
        "file" => (Source::File { mime, id: text("file_id")? }, STORED),
        "text" if kind == "document" => {
            if mime.is_none_or(|mime| mime != "text/plain") {
                decode::odd(ledger, place, "a text that is not said to be plain is read as such");
            }
            (Source::Text(text("data")?), BYTES)
        }
        "content" if kind == "document" => (written(node.get("content"), place, ledger), WRITTEN),
        _ => return None,
    };
    let others = Json::object(|others| {
        for field in node.fields().filter(|field| !known.contains(&&*field.name())) {
            others.key_text(&field.key()).json(&field.value.json());
        }
    });
    Some((source, others))
}

/// A document that is written out: texts and images.
fn written(content: Option<Node<'_>>, place: Place, ledger: &mut Ledger) -> Source {
    let mut blocks = decode::content(content, place, ledger);
    blocks.retain(|block| {
        let stays = match &block.body {
            Body::Text { .. } => true,
            Body::Media(media) => media.kind == MediaKind::Image,
            Body::Refusal(_)
            | Body::Thinking(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => false,
        };
        if !stays {
            let what = "a document holds texts and images: left out what is neither";
            ledger.loss(note::ODD_INPUT, place, what);
        }
        stays
    });
    Source::Blocks(blocks)
}

/// Stands in the extras of media whose source says more.
pub(super) const SOURCE: Text = Text::word("source");

/// What each kind of source is made of.
const BYTES: &[&str] = &["type", "media_type", "data"];
const ADDRESS: &[&str] = &["type", "url"];
const STORED: &[&str] = &["type", "file_id"];
const WRITTEN: &[&str] = &["type", "content"];

/// Media in the words of this dialect.
pub(super) struct Said<'m> {
    media: &'m Media,
    kind: &'static str,
    source: Words<'m>,
}

enum Words<'m> {
    Base64(Text, &'m Text),
    Url(&'m Text),
    File(&'m Text),
    Plain(Text),
    Blocks(&'m [Verbatim<Block>]),
}

/// How media is said here, or why it cannot be.
pub(super) fn said<'m>(
    media: &'m Media,
    spot: Spot,
    place: Place,
    cx: &mut Cx<'_>,
) -> Result<Said<'m>, String> {
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => return Err("audio".to_owned()),
        MediaKind::Video => return Err("video".to_owned()),
    };
    if !matches!(spot, Spot::User | Spot::Result) {
        return Err(format!("the {kind} outside the user's turns"));
    }
    let is_image = media.kind == MediaKind::Image;
    let source = match &media.source {
        Source::Base64 { mime, data } if is_image => {
            Words::Base64(mime_of(mime.as_ref(), data, "image/png", place, cx), data)
        }
        Source::Base64 { mime, data } => {
            let mime = mime_of(mime.as_ref(), data, "application/pdf", place, cx);
            document(mime, data, place, cx)?
        }
        Source::Url { url, .. } => Words::Url(url),
        Source::File { id, .. } if cx.own => Words::File(id),
        Source::File { .. } => return Err(format!("the {kind} in another provider's store")),
        Source::Text(_) | Source::Blocks(_) if is_image => {
            return Err("the image given as text".to_owned());
        }
        Source::Text(text) => Words::Plain(text.clone()),
        Source::Blocks(blocks) => Words::Blocks(blocks),
    };
    if let Some(detail) = media.detail.as_ref().filter(|detail| **detail != "auto") {
        let what = format!("left out the detail `{detail}` of the {kind}");
        cx.ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
    if let Some(name) = media.name.as_ref().filter(|_| is_image) {
        let what = format!("left out the name `{name}` of the image");
        cx.ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
    Ok(Said { media, kind, source })
}

/// A document is a PDF or plain text; no other file is read here.
fn document<'m>(
    mime: Text,
    data: &'m Text,
    place: Place,
    cx: &mut Cx<'_>,
) -> Result<Words<'m>, String> {
    let name = mime.contents();
    if name == "application/pdf" {
        return Ok(Words::Base64(mime, data));
    }
    let is_text = name.starts_with("text/") || name == "application/json";
    match text_of_base64(data.raw()).filter(|_| is_text) {
        Some(text) => {
            let what = format!("the document is plain text here, its type {name} is left out");
            cx.ledger.loss(note::FORMAT_CHANGED, place, what);
            Ok(Words::Plain(Text::new(&text)))
        }
        None => Err(format!("the document of type {name}")),
    }
}

fn mime_of(
    mime: Option<&Text>,
    data: &Text,
    usual: &'static str,
    place: Place,
    cx: &mut Cx<'_>,
) -> Text {
    mime.cloned().unwrap_or_else(|| {
        let mime = shared::sniff(data.raw()).unwrap_or(usual);
        cx.ledger.change(note::REQUIRED_ADDED, place, format!("the media type is {mime}"));
        Text::word(mime)
    })
}

impl Said<'_> {
    pub(super) fn write(&self, extras: &Extras, place: Place, cx: &mut Cx<'_>, o: &mut Object<'_>) {
        o.word("type", self.kind);
        o.object("source", |o| {
            self.write_source(place, cx, o);
            let others = extras.find(ID, SOURCE.raw()).map(Json::doc);
            for field in others.iter().flat_map(|others| others.root().fields()) {
                o.key_text(&field.key()).json(&field.value.json());
            }
        });
        if self.media.kind == MediaKind::Document {
            o.text_if("title", self.media.name.as_ref());
        }
    }
}

impl Said<'_> {
    fn write_source(&self, place: Place, cx: &mut Cx<'_>, o: &mut Object<'_>) {
        match &self.source {
            Words::Base64(mime, data) => {
                o.known("type", "base64");
                o.text("media_type", mime);
                o.text("data", data);
            }
            Words::Url(url) => {
                o.known("type", "url");
                o.text("url", url);
            }
            Words::File(id) => {
                o.known("type", "file");
                o.text("file_id", id);
            }
            Words::Plain(text) => {
                o.known("type", "text");
                o.known("media_type", "text/plain");
                o.text("data", text);
            }
            Words::Blocks(blocks) => {
                o.known("type", "content");
                o.array("content", |a| {
                    for block in *blocks {
                        encode::block(block, Spot::Result, place, cx, a);
                    }
                });
            }
        }
    }
}

/// The text that base64 holds; `None` if it is not base64 or not UTF-8.
fn text_of_base64(data: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in data.bytes().filter(|byte| !matches!(byte, b'=' | b'\\')) {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}
