//! Decodes parts of messages and of tool outputs.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, Citation, Ledger, LedgerPath, Reasoning, ReasoningForm,
    Verbatim,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::fields::{CACHE_BREAKPOINT_KEY, block_with_extras};
use super::media::{IMAGE_DETAILS, decode_audio, decode_file, decode_image, decode_lenient_media};
use crate::common::tool_output;
use crate::note;
use crate::openai_responses::id::ID;

/// Parent of a list of parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockParent {
    /// A message of this turn.
    Message(usize, Author),
    /// The output of a call, in this turn.
    ToolOutput(usize),
    Instructions,
}

/// Author of a part: client and assistant have different part types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
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
pub(crate) fn decode_content(
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

pub(super) fn decode_content_item(
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
pub(crate) fn decode_part(
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
        SUMMARY_TEXT | REASONING_TEXT if author != Author::Client && part.get("text").is_some() => {
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
    let form = if kind == SUMMARY_TEXT { ReasoningForm::Summary } else { ReasoningForm::Full };
    Some(block_with_extras(
        BlockContent::Reasoning(Reasoning { text, form }),
        part,
        &["type", "text"],
    ))
}

pub(crate) fn decode_citation(annotation: JsonNode<'_>) -> Citation {
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

/// Prefix for the kind of an unknown part: it belongs inside a message, not next to one.
pub(crate) const PART_KIND_PREFIX: &str = "message.";

pub(super) const PART_TYPES: &[&str] = &[
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

/// Part types of reasoning.
pub(crate) const SUMMARY_TEXT: &str = "summary_text";
pub(crate) const REASONING_TEXT: &str = "reasoning_text";
