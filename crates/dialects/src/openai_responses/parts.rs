//! Parts of a message or of a tool's output, read.

use interlingua_model::{
    Block, Body, Cache, Citation, Form, Ledger, Media, MediaKind, Place, Source, Thinking, Verbatim,
};
use interlingua_wire::{Kind, Node, Text};

use super::{ID, items};
use crate::{media, note, spellings};

/// Where parts stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    /// A message of this turn.
    Message(usize, Side),
    /// What a call came to, in this turn.
    Output(usize),
    Instructions,
}

/// Who says a part: each side has types of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Assistant,
    Client,
    /// It is not known.
    Either,
}

impl Room {
    /// The place of a part that is one of several.
    fn place(self, part: usize) -> Place {
        match self {
            Self::Message(turn, _) => Place::block(turn, part),
            Self::Output(turn) => Place::block(turn, 0),
            Self::Instructions => Place::system(part),
        }
    }

    fn whole(self) -> Place {
        match self {
            Self::Message(turn, _) => Place::turn(turn),
            Self::Output(turn) => Place::block(turn, 0),
            Self::Instructions => Place::SYSTEM,
        }
    }

    fn side(self) -> Side {
        match self {
            Self::Message(_, side) => side,
            Self::Output(_) | Self::Instructions => Side::Client,
        }
    }
}

/// The content of a message: a string, a list of parts, or what else a client puts there.
pub(super) fn decode_content(
    content: Node<'_>,
    room: Room,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut blocks = Vec::new();
    match content.kind() {
        Kind::String => {
            blocks.reserve_exact(1);
            blocks.extend(content.text().map(|text| Verbatim::new(Block::text(text))));
        }
        Kind::Array => {
            blocks.reserve_exact(content.len());
            for part in content.items() {
                decode_into(part, room, &mut blocks, ledger);
            }
        }
        Kind::Object | Kind::Null | Kind::Number | Kind::Bool => {
            let what = "content is neither a string nor a list";
            ledger.change(note::ODD_INPUT, room.whole(), what);
            decode_into(content, room, &mut blocks, ledger);
        }
    }
    blocks
}

fn decode_into(part: Node<'_>, room: Room, blocks: &mut Vec<Verbatim<Block>>, ledger: &mut Ledger) {
    let place = room.place(blocks.len());
    match part.kind() {
        Kind::Object => {
            let block = decode_part(part, place, room.side(), ledger);
            let unknown = matches!(block.body, Body::Foreign { .. });
            // Out of its message, a part nobody knows would be taken for an item.
            blocks.push(if unknown {
                block.into()
            } else {
                Verbatim::read(block, ID, part.json())
            });
        }
        Kind::Array => {
            // The list that holds it is read otherwise than it is written.
            let what = "a list within a list is read as one list";
            ledger.change(note::ODD_INPUT, room.whole(), what);
            for inner in part.items() {
                decode_into(inner, room, blocks, ledger);
            }
        }
        Kind::Null => ledger.change(note::ODD_INPUT, room.whole(), "a part is null"),
        Kind::String | Kind::Number | Kind::Bool => {
            ledger.change(note::ODD_INPUT, place, "a part that is not an object is read as text");
            let text = part.text().unwrap_or_else(|| Text::new(part.raw()));
            blocks.push(Verbatim::new(Block::text(text)));
        }
    }
}

/// One part, which is an object.
pub(super) fn decode_part(part: Node<'_>, place: Place, side: Side, ledger: &mut Ledger) -> Block {
    if let Some(text) = plain_text(part, side) {
        return Block::text(text);
    }
    let kind = part.get("type").map(Node::word).unwrap_or_default();
    let mut block = match &*kind {
        "input_text" | "output_text" => text(part),
        items::SUMMARY | items::THOUGHT if side != Side::Client && part.get("text").is_some() => {
            ledger.change(note::ODD_INPUT, place, format!("a part of type `{kind}` was thought"));
            thought(part, &kind)
        }
        "text" | "summary_text" | "reasoning_text" | "" if part.get("text").is_some() => {
            ledger.change(note::ODD_INPUT, place, format!("a part of type `{kind}` is text"));
            text(part)
        }
        "refusal" => part
            .get("refusal")
            .and_then(Node::text)
            .map(|text| with_extras(Body::Refusal(text), part, &["type", "refusal"])),
        "input_image" => image(part),
        "image_url" => {
            ledger.change(note::ODD_INPUT, place, "a part of type `image_url` is an image");
            image(part)
        }
        "input_file" => file(part),
        "input_audio" => audio(part),
        _ => spelled(part, place, ledger),
    }
    .unwrap_or_else(|| {
        let kind = Text::new(&format!("{PART}{kind}"));
        Block::new(Body::Foreign { dialect: ID, kind, json: part.json() })
    });
    if !matches!(block.body, Body::Foreign { .. }) {
        let mark = part.get(MARK).filter(|mark| mark.is_object());
        block.cache = mark.map(|_| Box::new(Cache { ttl: None }));
        note_odd(part, &kind, place, side, ledger);
    }
    block
}

/// The text of a part that is nothing else, of the type that this side has for it: most are.
fn plain_text(part: Node<'_>, side: Side) -> Option<Text> {
    let mut fields = part.fields();
    let (kind, text) = (fields.next()?, fields.next()?);
    let own = if side == Side::Assistant { "output_text" } else { "input_text" };
    let is_plain =
        fields.next().is_none() && kind.is("type") && kind.value.word() == own && text.is("text");
    text.value.text().filter(|_| is_plain)
}

/// Notes what a part has that its type does not, or not on this side.
fn note_odd(part: Node<'_>, kind: &str, place: Place, side: Side, ledger: &mut Ledger) {
    let assistants = match kind {
        "output_text" | "refusal" => true,
        "input_text" => false,
        _ if ["input_image", "input_file"].contains(&kind) => {
            return note_odd_values(part, kind, place, ledger);
        }
        _ => return,
    };
    if side != Side::Either && assistants != (side == Side::Assistant) {
        let what = "a part of the other side's is read as text";
        return ledger.change(note::ODD_INPUT, place, what);
    }
    let strange: &[&str] = if assistants { &[MARK] } else { &["annotations", "logprobs"] };
    for field in part.fields().filter(|field| strange.iter().any(|name| field.is(name))) {
        let what = format!("left out `{}`: `{kind}` has no such field", field.name());
        ledger.loss(note::ODD_INPUT, place, what);
    }
}

/// Notes values that the type of an image or of a file does not have.
fn note_odd_values(part: Node<'_>, kind: &str, place: Place, ledger: &mut Ledger) {
    for field in part.fields().filter(|field| !field.value.is_null()) {
        let is_odd = match &*field.name() {
            "image_url" | "filename" | "file_id" | "file_data" | "file_url" => {
                !field.value.is_string()
            }
            "detail" if kind == "input_image" => !DETAILS.contains(&&*field.value.word()),
            "detail" => !field.value.is_string(),
            _ => false,
        };
        if is_odd {
            let what = format!("`{}` of a part has a form of its own", field.name());
            ledger.change(note::ODD_INPUT, place, what);
        }
    }
}

fn with_extras(body: Body, part: Node<'_>, known: &[&str]) -> Block {
    let mut block = Block::new(body);
    let plain = |mark: Node<'_>| {
        mark.fields().all(|field| field.is("mode") && field.value.word() == "explicit")
    };
    for field in part.fields().filter(|field| !known.iter().any(|name| field.is(name))) {
        // A mark that says no more than the model's own is said by that.
        if !(field.is(MARK) && field.value.is_object() && plain(field.value)) {
            block.extras.keep(ID, field);
        }
    }
    block
}

fn text(part: Node<'_>) -> Option<Block> {
    let [text, annotations, logprobs] = part.pick(["text", "annotations", "logprobs"]);
    let text = text?.text()?;
    let list = annotations.filter(|list| list.is_array());
    let citations = list.into_iter().flat_map(Node::items).map(citation).collect();
    // A field that says nothing more is as good as one that is named already.
    let known = [
        "type",
        "text",
        if list.is_some() { "annotations" } else { "type" },
        if logprobs.is_some_and(Node::is_empty) { "logprobs" } else { "type" },
    ];
    Some(with_extras(Body::Text { text, citations }, part, &known))
}

/// What was thought is not said, wherever it stands.
fn thought(part: Node<'_>, kind: &str) -> Option<Block> {
    let text = part.get("text")?.text()?;
    let form = if kind == items::SUMMARY { Form::Summary } else { Form::Full };
    Some(with_extras(Body::Thinking(Thinking { text, form }), part, &["type", "text"]))
}

pub(super) fn citation(mark: Node<'_>) -> Citation {
    let text = |key: &str| mark.get(key).and_then(Node::text);
    let count = |key: &str| mark.get(key).and_then(Node::count);
    Citation {
        url: text("url"),
        title: text("title").or_else(|| text("filename")),
        quote: None,
        span: count("start_index").zip(count("end_index")),
        written: Some((ID, mark.json())),
    }
}

fn image(part: Node<'_>) -> Option<Block> {
    let said = part.get("image_url");
    let inside = said.filter(|url| url.is_object());
    let url = said.and_then(|url| url.text().or_else(|| url.get("url")?.text()));
    let (source, key) = match (url, part.get("file_id").and_then(Node::text)) {
        (Some(url), _) => (media::source_of_url(&url), "image_url"),
        (None, Some(id)) => (Source::File { mime: None, id }, "file_id"),
        (None, None) => return None,
    };
    let detail = part.get("detail").or_else(|| inside?.get("detail")).and_then(Node::text);
    let detail = detail.filter(|detail| DETAILS.iter().any(|known| detail == known));
    let media = Media { kind: MediaKind::Image, source, name: None, detail };
    Some(with_extras(Body::Media(Box::new(media)), part, &["type", key, "detail"]))
}

/// An image that is spelled as elsewhere: it is written anew.
fn spelled(part: Node<'_>, place: Place, ledger: &mut Ledger) -> Option<Block> {
    let media = spellings::media(part)?;
    ledger.change(note::ODD_INPUT, place, "an image in the spelling of others is read as one");
    Some(Block::new(Body::Media(Box::new(media))))
}

fn file(part: Node<'_>) -> Option<Block> {
    let text = |key: &str| part.get(key).and_then(Node::text);
    let name = text("filename");
    let (source, key) = if let Some(data) = text("file_data") {
        (file_data(&data, name.as_ref()), "file_data")
    } else if let Some(url) = text("file_url") {
        (Source::Url { mime: None, url }, "file_url")
    } else {
        (Source::File { mime: None, id: text("file_id")? }, "file_id")
    };
    let media = Media { kind: MediaKind::Document, source, name, detail: text("detail") };
    Some(with_extras(Body::Media(Box::new(media)), part, &["type", key, "filename", "detail"]))
}

/// A data URL, or base64 whose type only its first bytes or the file's name tell.
fn file_data(data: &Text, name: Option<&Text>) -> Source {
    if data.raw().starts_with("data:") {
        return media::source_of_url(data);
    }
    let mime = media::type_of_file(data.raw(), name).map(Text::word);
    Source::Base64 { mime, data: data.clone() }
}

fn audio(part: Node<'_>) -> Option<Block> {
    let (source, key) = if let Some(url) = part.get("audio_url").and_then(Node::text) {
        (media::source_of_url(&url), "audio_url")
    } else {
        let audio = part.get("input_audio")?;
        let format = audio.get("format").map(Node::word).unwrap_or_default();
        let mime = media::mime_of_format(MediaKind::Audio, &format).map(Text::word);
        (Source::Base64 { mime, data: audio.get("data")?.text()? }, "input_audio")
    };
    let media = Media { kind: MediaKind::Audio, source, name: None, detail: None };
    Some(with_extras(Body::Media(Box::new(media)), part, &["type", key]))
}

/// One object wherever a block may stand: a part, or an item that is one block.
pub(super) fn decode_block(node: Node<'_>, ledger: &mut Ledger) -> Verbatim<Block> {
    if !node.is_object() {
        let mut blocks = Vec::new();
        decode_into(node, Room::Message(0, Side::Either), &mut blocks, ledger);
        return blocks.into_iter().next().unwrap_or_else(|| Block::text(Text::EMPTY).into());
    }
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    let block = if PARTS.contains(&&*kind) || kind.is_empty() {
        decode_part(node, Place::block(0, 0), Side::Either, ledger)
    } else {
        items::decode_item(node, 0, ledger)
    };
    Verbatim::read(block, ID, node.json())
}

/// Stands before the kind of a part nobody knows: it belongs inside a message, not beside one.
pub(super) const PART: &str = "message.";

/// The field that marks the end of what is to be cached.
pub(super) const MARK: &str = "prompt_cache_breakpoint";

/// How closely an image may be looked at.
pub(super) const DETAILS: &[&str] = &["low", "high", "auto", "original"];

const PARTS: &[&str] = &[
    "input_text",
    "output_text",
    "text",
    "summary_text",
    "reasoning_text",
    "refusal",
    "input_image",
    "image_url",
    "input_file",
    "input_audio",
];
