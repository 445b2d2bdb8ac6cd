//! Decodes the content of messages.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, MediaKind, Reasoning, ReasoningForm, Seal,
    Spelling, SpellingSet, ToolArgs, ToolCall, ToolResult, Verbatim, WrittenForm,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::fields::{self, decode_cache_breakpoint, foreign_block, note_odd_input, text_or_raw};
use super::media::{
    ALL_KEYS, DecodedPart, decode_audio, decode_file, decode_lenient_media, decode_url_media,
    is_non_document_file,
};
use crate::common::tool_output;
use crate::openai_chat::id::ID;
use crate::openai_chat::reasoning_details;

/// Decodes a part that is a call or a result.
fn decode_tool_part(
    node: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<Block> {
    let text = |key: &str| node.get(key).map(fields::text_or_raw).unwrap_or_default();
    let body = match kind {
        "tool_use" => {
            note_odd_input(ledger, path, "a `tool_use` part is decoded as a call");
            let args = match node.get("input").map(|input| (input, input.kind())) {
                Some((input, JsonKind::String)) => {
                    ToolArgs::from_json_string(&fields::text_or_raw(input))
                }
                Some((input, _)) => ToolArgs::Json(input.json()),
                None => ToolArgs::Malformed(text("arguments")),
            };
            BlockContent::ToolCall(ToolCall { id: text("id"), name: text("name"), args })
        }
        "tool_result" => {
            note_odd_input(ledger, path, "a `tool_result` part is decoded as a result");
            let mut content = Vec::new();
            decode_content(node.get("content"), &mut content, path, ledger);
            let is_error = node.get("is_error").and_then(JsonNode::as_bool) == Some(true);
            BlockContent::ToolResult(ToolResult {
                call_id: text("tool_use_id"),
                name: None,
                content,
                is_error,
            })
        }
        _ => return None,
    };
    Some(Block::new(body))
}

/// Decodes what another dialect would have as its system prompt.
pub(crate) fn decode_system(
    system: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Block>>> {
    let mut blocks = Vec::new();
    decode_content(Some(system), &mut blocks, LedgerPath::SYSTEM, ledger);
    Verbatim::with_text(blocks, ID, system.json())
}

/// Decodes a content of any type as its most likely meaning.
pub(crate) fn decode_content(
    node: Option<JsonNode<'_>>,
    blocks: &mut Vec<Verbatim<Block>>,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    let Some(node) = node else { return };
    match node.kind() {
        JsonKind::Null => {}
        JsonKind::String => {
            blocks.reserve_exact(1);
            if let Some(text) = node.json_string() {
                blocks.push(Verbatim::new(Block::text(text)));
            }
        }
        JsonKind::Array => {
            blocks.reserve_exact(node.len());
            node.items().for_each(|item| decode_content_item(item, blocks, path, ledger));
        }
        JsonKind::Object => {
            note_odd_input(ledger, path, "`content` is an object: read as one part");
            decode_content_item(node, blocks, path, ledger);
        }
        JsonKind::Bool | JsonKind::Number => {
            note_odd_input(ledger, path, "`content` is not a string: its JSON is read as text");
            blocks.push(Block::text(JsonString::new(node.raw())).into());
        }
    }
}

fn decode_content_item(
    node: JsonNode<'_>,
    blocks: &mut Vec<Verbatim<Block>>,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    // Ledger paths do not address parts inside a tool result: they all get the result's path.
    let item_path = LedgerPath { block: path.block.or(Some(blocks.len() as u32)), ..path };
    match node.kind() {
        // Only the content of a result has the path of a block.
        JsonKind::Object
            if path.block.is_some() && node.get("type").is_none() && tool_output::is_data(node) =>
        {
            let mut block = Block::new(BlockContent::Json(node.json()));
            block.extras.set_written(ID, WrittenForm::UntypedPart);
            blocks.push(Verbatim::with_text(block, ID, node.json()));
        }
        JsonKind::Object => blocks.push(decode_part(node, item_path, ledger)),
        JsonKind::String => {
            note_odd_input(ledger, item_path, "a string among the parts is read as text");
            blocks.extend(node.json_string().map(Block::text).map(Verbatim::new));
        }
        JsonKind::Array => {
            note_odd_input(
                ledger,
                item_path,
                "a list among the parts is read as part of the content",
            );
            node.items().for_each(|item| decode_content_item(item, blocks, path, ledger));
        }
        JsonKind::Null => note_odd_input(ledger, item_path, "a null among the parts is skipped"),
        JsonKind::Bool | JsonKind::Number => {
            note_odd_input(ledger, item_path, "a bare value among the parts is read as text");
            blocks.push(Block::text(JsonString::new(node.raw())).into());
        }
    }
}

pub(crate) fn decode_part(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let type_node = node.get("type").filter(|kind| kind.is_string());
    let kind = type_node.map(JsonNode::str_or_empty).unwrap_or_default();
    if type_node.is_none() && node.get("type").is_some() {
        note_odd_input(ledger, path, "a part has a `type` that is not a string: it is ignored");
    }
    if let Some(block) = decode_tool_part(node, &kind, path, ledger) {
        return Verbatim::new(block);
    }
    let wrong_fields = wrong_type_fields(node);
    if !wrong_fields.is_empty() {
        note_odd_input(ledger, path, "a part with a field of the wrong type is rewritten");
    }
    let decoded = match &*kind {
        "text" | "input_text" | "output_text" => decode_text(node, path, ledger),
        "" if node.get("text").is_some_and(JsonNode::is_string) => decode_text(node, path, ledger),
        "image_url" => decode_url_media(node, "image_url", MediaKind::Image),
        "video_url" => decode_url_media(node, "video_url", MediaKind::Video),
        "document_url" => decode_url_media(node, "document_url", MediaKind::Document),
        "input_audio" => decode_audio(node),
        "file" => decode_file(node),
        "refusal" => decode_refusal(node),
        "thinking" => decode_thinking(node),
        // Reasoning must not become text, even if the part's type is missing.
        "" if node.get("thinking").is_some_and(|value| value.is_string() || value.is_array()) => {
            decode_thinking(node)
        }
        "" if node.get("text").is_none() => decode_lenient_media(node)
            .or_else(|| Some((Block::new(BlockContent::Json(node.json())), ""))),
        _ => decode_lenient_media(node),
    };
    let block = match decoded {
        Some((mut block, payload)) => {
            if !matches!(block.content, BlockContent::Json(_)) {
                block.cache_breakpoint = decode_cache_breakpoint(node);
                block.extras = decode_extras(node, payload);
            }
            block.extras.retain(ID, |key, _| !wrong_fields.iter().any(|field| key == field));
            if kind == "image_url" && node.get("image_url").is_some_and(JsonNode::is_string) {
                block.extras.add_spellings(ID, Spelling::BareImageUrl);
            }
            if !UNIVERSAL_PART_TYPES.contains(&&*kind) || is_non_document_file(&kind, &block) {
                block.extras.set_written(
                    ID,
                    type_node.map_or(WrittenForm::UntypedPart, |_| {
                        WrittenForm::PartType(JsonString::new(&kind))
                    }),
                );
            }
            block
        }
        // No server accepts a part with a field of the wrong type.
        None if !wrong_fields.is_empty() => Block::new(BlockContent::Json(node.json())),
        // The prefix avoids confusion with `reasoning_details` entries of the same name.
        None if kind.starts_with("reasoning") => {
            foreign_block(node, JsonString::new(&format!("{CONTENT_PREFIX}{kind}")))
        }
        None => foreign_block(node, JsonString::new(&kind)),
    };
    Verbatim::with_text(block, ID, node.json())
}

/// The fields of a part that have a type which every server rejects.
fn wrong_type_fields(node: JsonNode<'_>) -> Vec<&'static str> {
    let has_wrong_type = |(key, kinds): &&(&str, &[JsonKind])| {
        node.get(key).is_some_and(|value| !kinds.contains(&value.kind()))
    };
    FIELD_TYPES.iter().filter(has_wrong_type).map(|(key, _)| *key).collect()
}

fn decode_text(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> DecodedPart {
    let value = node.get("text")?;
    let text = value.json_string().unwrap_or_else(|| {
        note_odd_input(ledger, path, "a text is not a string: its JSON is read as text");
        if value.is_null() { JsonString::EMPTY } else { JsonString::new(value.raw()) }
    });
    Some((Block::text(text), "text"))
}

fn decode_refusal(node: JsonNode<'_>) -> DecodedPart {
    Some((Block::new(BlockContent::Refusal(node.get("refusal")?.json_string()?)), "refusal"))
}

/// Decodes a `thinking` part: a list of text parts, or a string.
fn decode_thinking(node: JsonNode<'_>) -> DecodedPart {
    let value = node.get("thinking")?;
    let texts: Vec<JsonString> = match value.json_string() {
        Some(text) => vec![text],
        None if value.is_array() => value.items().map(thinking_text).collect(),
        None => (!value.is_null()).then(|| thinking_text(value)).into_iter().collect(),
    };
    let body = BlockContent::Reasoning(Reasoning {
        text: JsonString::concat(&texts),
        form: ReasoningForm::Full,
    });
    let signature = node.get("signature").and_then(JsonNode::json_string);
    let seal = signature
        .map(|data| Seal::new(JsonString::from_static(reasoning_details::UNKNOWN_ISSUER), data));
    Some((Block::new(body).with_seal(seal), "thinking"))
}

fn thinking_text(part: JsonNode<'_>) -> JsonString {
    part.get("text").map_or_else(|| text_or_raw(part), text_or_raw)
}

fn decode_extras(node: JsonNode<'_>, payload: &str) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields() {
        let name = field.key();
        let is_known = matches!(&*name, "type" | "cache_control" | "prompt_cache_breakpoint")
            || *name == *payload
            || payload == ALL_KEYS
            || (*name == *"signature" && payload == "thinking");
        if !is_known {
            extras.push_field(ID, field);
        } else if let Some(spelling) = Spelling::from_field(&name) {
            extras.add_spellings(ID, SpellingSet::from(spelling).intersection(CACHE_FIELDS));
        }
    }
    extras
}

/// Both spellings of a cache breakpoint.
const CACHE_FIELDS: SpellingSet =
    SpellingSet::new(&[Spelling::CacheControlField, Spelling::PromptCacheBreakpointField]);

/// The allowed types of part fields.
const FIELD_TYPES: &[(&str, &[JsonKind])] = &[
    ("text", &[JsonKind::String]),
    ("image_url", &[JsonKind::Object, JsonKind::String]),
    ("input_audio", &[JsonKind::Object]),
    ("file", &[JsonKind::Object]),
];

/// Prefix for part types that could be confused with entry types.
const CONTENT_PREFIX: &str = "content ";

/// Part types that every server has, or that other rules check.
const UNIVERSAL_PART_TYPES: &[&str] = &["text", "image_url", "video_url", "input_audio", "file"];
