//! Decodes parts of a message or of a tool's output.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, Citation, Ledger, LedgerPath, Media, MediaKind,
    MediaSource, Reasoning, ReasoningForm, Verbatim,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::{ID, items};
use crate::{media, note, spellings, tool_output};

/// Parent of a list of parts.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockParent {
    /// A message of this turn.
    Message(usize, Author),
    /// The output of a call, in this turn.
    ToolOutput(usize),
    Instructions,
}

/// Author of a part: client and assistant have different part types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    Assistant,
    Client,
    Unknown,
}

impl BlockParent {
    /// The path of one of several parts.
    fn part_path(self, part: usize) -> LedgerPath {
        match self {
            Self::Message(turn, _) => LedgerPath::block(turn, part),
            Self::ToolOutput(turn) => LedgerPath::block(turn, 0),
            Self::Instructions => LedgerPath::system(part),
        }
    }

    fn path(self) -> LedgerPath {
        match self {
            Self::Message(turn, _) => LedgerPath::turn(turn),
            Self::ToolOutput(turn) => LedgerPath::block(turn, 0),
            Self::Instructions => LedgerPath::SYSTEM,
        }
    }

    fn author(self) -> Author {
        match self {
            Self::Message(_, author) => author,
            Self::ToolOutput(_) | Self::Instructions => Author::Client,
        }
    }
}

/// Decodes a content: a string, a list of parts, or any other value.
pub(super) fn decode_content(
    content: JsonNode<'_>,
    parent: BlockParent,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut blocks = Vec::new();
    match content.kind() {
        JsonKind::String => {
            blocks.reserve_exact(1);
            blocks.extend(content.json_string().map(|text| Verbatim::new(Block::text(text))));
        }
        JsonKind::Array => {
            blocks.reserve_exact(content.len());
            for part in content.items() {
                decode_content_item(part, parent, &mut blocks, ledger);
            }
        }
        JsonKind::Object | JsonKind::Null | JsonKind::Number | JsonKind::Bool => {
            let message = "content is neither a string nor a list";
            ledger.record_change(note::ODD_INPUT, parent.path(), message);
            decode_content_item(content, parent, &mut blocks, ledger);
        }
    }
    blocks
}

fn decode_content_item(
    part: JsonNode<'_>,
    parent: BlockParent,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    let path = parent.part_path(blocks.len());
    match part.kind() {
        JsonKind::Object => {
            let is_data =
                matches!(parent, BlockParent::ToolOutput(_)) && tool_output::is_data(part);
            let block = if is_data {
                foreign_part(part)
            } else {
                decode_part(part, path, parent.author(), ledger)
            };
            let is_unknown = matches!(block.content, BlockContent::Foreign { .. });
            // Outside its message, an unknown part would be confused with an item.
            blocks.push(if is_unknown {
                block.into()
            } else {
                Verbatim::with_text(block, ID, part.json())
            });
        }
        JsonKind::Array => {
            // The outer list is noted, because it is decoded differently than written.
            let message = "a nested list is flattened";
            ledger.record_change(note::ODD_INPUT, parent.path(), message);
            for inner in part.items() {
                decode_content_item(inner, parent, blocks, ledger);
            }
        }
        JsonKind::Null => ledger.record_change(note::ODD_INPUT, parent.path(), "a part is null"),
        JsonKind::String | JsonKind::Number | JsonKind::Bool => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a part that is not an object is read as text",
            );
            let text = part.json_string().unwrap_or_else(|| JsonString::new(part.raw()));
            blocks.push(Verbatim::new(Block::text(text)));
        }
    }
}

/// Decodes one part that is an object.
pub(super) fn decode_part(
    part: JsonNode<'_>,
    path: LedgerPath,
    author: Author,
    ledger: &mut Ledger,
) -> Block {
    if let Some(text) = decode_plain_text(part, author) {
        return Block::text(text);
    }
    let kind = part.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let mut block = match &*kind {
        "input_text" | "output_text" => decode_text(part),
        items::SUMMARY_TEXT | items::REASONING_TEXT
            if author != Author::Client && part.get("text").is_some() =>
        {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                format!("a part of type `{kind}` is read as reasoning"),
            );
            decode_reasoning_text(part, &kind)
        }
        "text" | "summary_text" | "reasoning_text" | "" if part.get("text").is_some() => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                format!("a part of type `{kind}` is read as text"),
            );
            decode_text(part)
        }
        "refusal" => part
            .get("refusal")
            .and_then(JsonNode::json_string)
            .map(|text| block_with_extras(BlockContent::Refusal(text), part, &["type", "refusal"])),
        "input_image" => decode_image(part),
        "image_url" => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a part of type `image_url` is read as an image",
            );
            decode_image(part)
        }
        "input_file" => decode_file(part),
        "input_audio" => decode_audio(part),
        _ => decode_lenient_media(part, path, ledger),
    }
    .unwrap_or_else(|| foreign_part(part));
    if !matches!(block.content, BlockContent::Foreign { .. }) {
        let breakpoint = part.get(CACHE_BREAKPOINT_KEY).filter(|breakpoint| breakpoint.is_object());
        block.cache_breakpoint = breakpoint.map(|_| Box::new(CacheBreakpoint { ttl: None }));
        note_odd_part(part, &kind, path, author, ledger);
    }
    block
}

fn foreign_part(part: JsonNode<'_>) -> Block {
    let kind = part.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let kind = JsonString::new(&format!("{PART_KIND_PREFIX}{kind}"));
    Block::new(BlockContent::Foreign { dialect: ID, kind, json: part.json() })
}

/// Fast path: the text of a part that has only the text and the author's usual type.
fn decode_plain_text(part: JsonNode<'_>, author: Author) -> Option<JsonString> {
    let mut fields = part.fields();
    let (kind, text) = (fields.next()?, fields.next()?);
    let expected_type = if author == Author::Assistant { "output_text" } else { "input_text" };
    let is_plain = fields.next().is_none()
        && kind.key_is("type")
        && kind.value.str_or_empty() == expected_type
        && text.key_is("text");
    text.value.json_string().filter(|_| is_plain)
}

/// Notes fields that the part's type does not have, or not for this author.
fn note_odd_part(
    part: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    author: Author,
    ledger: &mut Ledger,
) {
    let is_assistant_type = match kind {
        "output_text" | "refusal" => true,
        "input_text" => false,
        _ if ["input_image", "input_file"].contains(&kind) => {
            return note_odd_values(part, kind, path, ledger);
        }
        _ => return,
    };
    if author != Author::Unknown && is_assistant_type != (author == Author::Assistant) {
        let message = "a part type of the other author is read as text";
        return ledger.record_change(note::ODD_INPUT, path, message);
    }
    let unknown_fields: &[&str] =
        if is_assistant_type { &[CACHE_BREAKPOINT_KEY] } else { &["annotations", "logprobs"] };
    for field in part.fields().filter(|field| unknown_fields.iter().any(|name| field.key_is(name)))
    {
        let message = format!("left out `{}`: `{kind}` does not have this field", field.key());
        ledger.record_loss(note::ODD_INPUT, path, message);
    }
}

/// Notes invalid values of an image or file part.
fn note_odd_values(part: JsonNode<'_>, kind: &str, path: LedgerPath, ledger: &mut Ledger) {
    for field in part.fields().filter(|field| !field.value.is_null()) {
        let is_odd = match &*field.key() {
            "image_url" | "filename" | "file_id" | "file_data" | "file_url" => {
                !field.value.is_string()
            }
            "detail" if kind == "input_image" => {
                !IMAGE_DETAILS.contains(&&*field.value.str_or_empty())
            }
            "detail" => !field.value.is_string(),
            _ => false,
        };
        if is_odd {
            let message = format!("`{}` of a part has an invalid value", field.key());
            ledger.record_change(note::ODD_INPUT, path, message);
        }
    }
}

fn block_with_extras(body: BlockContent, part: JsonNode<'_>, known: &[&str]) -> Block {
    let mut block = Block::new(body);
    let is_default = |breakpoint: JsonNode<'_>| {
        breakpoint
            .fields()
            .all(|field| field.key_is("mode") && field.value.str_or_empty() == "explicit")
    };
    for field in part.fields().filter(|field| !known.iter().any(|name| field.key_is(name))) {
        // A default breakpoint is fully held by the model.
        if !(field.key_is(CACHE_BREAKPOINT_KEY)
            && field.value.is_object()
            && is_default(field.value))
        {
            block.extras.push_field(ID, field);
        }
    }
    block
}

fn decode_text(part: JsonNode<'_>) -> Option<Block> {
    let [text, annotations, logprobs] = part.get_many(["text", "annotations", "logprobs"]);
    let text = text?.json_string()?;
    let list = annotations.filter(|list| list.is_array());
    let citations = list.into_iter().flat_map(JsonNode::items).map(decode_citation).collect();
    // An empty list carries no information, so it is treated as known.
    let known = [
        "type",
        "text",
        if list.is_some() { "annotations" } else { "type" },
        if logprobs.is_some_and(JsonNode::is_empty) { "logprobs" } else { "type" },
    ];
    Some(block_with_extras(BlockContent::Text { text, citations }, part, &known))
}

/// Reasoning must not become text, wherever it appears.
fn decode_reasoning_text(part: JsonNode<'_>, kind: &str) -> Option<Block> {
    let text = part.get("text")?.json_string()?;
    let form =
        if kind == items::SUMMARY_TEXT { ReasoningForm::Summary } else { ReasoningForm::Full };
    Some(block_with_extras(
        BlockContent::Reasoning(Reasoning { text, form }),
        part,
        &["type", "text"],
    ))
}

pub(super) fn decode_citation(annotation: JsonNode<'_>) -> Citation {
    let text = |key: &str| annotation.get(key).and_then(JsonNode::json_string);
    let count = |key: &str| annotation.get(key).and_then(JsonNode::as_u64);
    Citation {
        url: text("url"),
        title: text("title").or_else(|| text("filename")),
        quote: None,
        span: count("start_index").zip(count("end_index")),
        original: Some((ID, annotation.json())),
    }
}

fn decode_image(part: JsonNode<'_>) -> Option<Block> {
    let image_url = part.get("image_url");
    let object = image_url.filter(|url| url.is_object());
    let url = image_url.and_then(|url| url.json_string().or_else(|| url.get("url")?.json_string()));
    let (source, key) = match (url, part.get("file_id").and_then(JsonNode::json_string)) {
        (Some(url), _) => (media::source_from_url(&url), "image_url"),
        (None, Some(id)) => (MediaSource::File { mime: None, id }, "file_id"),
        (None, None) => return None,
    };
    let detail =
        part.get("detail").or_else(|| object?.get("detail")).and_then(JsonNode::json_string);
    let detail = detail.filter(|detail| IMAGE_DETAILS.iter().any(|supported| detail == supported));
    let media = Media { kind: MediaKind::Image, source, name: None, detail };
    Some(block_with_extras(BlockContent::Media(Box::new(media)), part, &["type", key, "detail"]))
}

/// Decodes an image in another dialect's form. It is encoded in this dialect's form.
fn decode_lenient_media(
    part: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<Block> {
    let media = spellings::decode(part)?;
    ledger.record_change(
        note::ODD_INPUT,
        path,
        "an image in another dialect's form is decoded as an image",
    );
    Some(Block::new(BlockContent::Media(Box::new(media))))
}

fn decode_file(part: JsonNode<'_>) -> Option<Block> {
    let text = |key: &str| part.get(key).and_then(JsonNode::json_string);
    let name = text("filename");
    let (source, key) = if let Some(data) = text("file_data") {
        (decode_file_data(&data, name.as_ref()), "file_data")
    } else if let Some(url) = text("file_url") {
        (MediaSource::Url { mime: None, url }, "file_url")
    } else {
        (MediaSource::File { mime: None, id: text("file_id")? }, "file_id")
    };
    let media = Media { kind: MediaKind::Document, source, name, detail: text("detail") };
    Some(block_with_extras(
        BlockContent::Media(Box::new(media)),
        part,
        &["type", key, "filename", "detail"],
    ))
}

/// Decodes a data URL, or base64 with a type detected from its first bytes or the file name.
fn decode_file_data(data: &JsonString, name: Option<&JsonString>) -> MediaSource {
    if data.raw().starts_with("data:") {
        return media::source_from_url(data);
    }
    let mime = media::mime_of_file(data.raw(), name).map(JsonString::from_static);
    MediaSource::Base64 { mime, data: data.clone() }
}

fn decode_audio(part: JsonNode<'_>) -> Option<Block> {
    let (source, key) = if let Some(url) = part.get("audio_url").and_then(JsonNode::json_string) {
        (media::source_from_url(&url), "audio_url")
    } else {
        let audio = part.get("input_audio")?;
        let format = audio.get("format").map(JsonNode::str_or_empty).unwrap_or_default();
        let mime = media::mime_of_format(MediaKind::Audio, &format).map(JsonString::from_static);
        (MediaSource::Base64 { mime, data: audio.get("data")?.json_string()? }, "input_audio")
    };
    let media = Media { kind: MediaKind::Audio, source, name: None, detail: None };
    Some(block_with_extras(BlockContent::Media(Box::new(media)), part, &["type", key]))
}

/// Decodes a single object as a part, or as an item that is one block.
pub(super) fn decode_block(node: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Block> {
    if !node.is_object() {
        let mut blocks = Vec::new();
        decode_content_item(node, BlockParent::Message(0, Author::Unknown), &mut blocks, ledger);
        return blocks.into_iter().next().unwrap_or_else(|| Block::text(JsonString::EMPTY).into());
    }
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let block = if PART_TYPES.contains(&&*kind) || kind.is_empty() {
        decode_part(node, LedgerPath::block(0, 0), Author::Unknown, ledger)
    } else {
        items::decode_item(node, 0, ledger)
    };
    Verbatim::with_text(block, ID, node.json())
}

/// Prefix for the kind of an unknown part: it belongs inside a message, not next to one.
pub(super) const PART_KIND_PREFIX: &str = "message.";

pub(super) const CACHE_BREAKPOINT_KEY: &str = "prompt_cache_breakpoint";

/// Valid values of an image's `detail`.
pub(super) const IMAGE_DETAILS: &[&str] = &["low", "high", "auto", "original"];

const PART_TYPES: &[&str] = &[
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
