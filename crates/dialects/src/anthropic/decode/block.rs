//! Decodes blocks.

use interlingua_model::{
    Block, BlockContent, Citation, Ledger, LedgerPath, Reasoning, ReasoningForm, Seal, ToolArgs,
    ToolCall, ToolResult, Verbatim, derive_id,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::fields::{decode_foreign, decode_string, keep_common_field, note_odd_input};
use super::media;
use crate::anthropic::id::{ID, ISSUER};
use crate::common::tool_output;
use crate::note;

/// Decodes the content of a message, a tool result or the system prompt.
pub(crate) fn decode_content(
    node: Option<JsonNode<'_>>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut blocks = Vec::new();
    match node {
        Some(node) if node.is_array() => {
            blocks.reserve_exact(node.len());
            for item in node.items() {
                decode_content_item(item, path, &mut blocks, ledger);
            }
        }
        Some(node) if node.is_string() => {
            blocks = vec![Verbatim::new(Block::text(node.json_string().unwrap_or_default()))];
        }
        Some(node) => {
            if node.is_object() {
                note_odd_input(ledger, path, "the content is one block and not a list");
            }
            decode_content_item(node, path, &mut blocks, ledger);
        }
        None => note_odd_input(ledger, path, "the content is missing"),
    }
    blocks
}

/// Appends one element of a content list, whatever its JSON type.
fn decode_content_item(
    item: JsonNode<'_>,
    path: LedgerPath,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    // Ledger paths do not address blocks inside a tool result: they all get the result's path.
    let item_path = LedgerPath { block: path.block.or(Some(blocks.len() as u32)), ..path };
    match item.kind() {
        // Only the content of a result or document has the path of a block.
        JsonKind::Object if path.block.is_some() && tool_output::is_data(item) => {
            note_odd_input(ledger, item_path, "an object that is no content block is data");
            blocks.push(Verbatim::with_text(decode_foreign(item), ID, item.json()));
        }
        JsonKind::Object => blocks.push(decode_block(item, item_path, ledger)),
        JsonKind::Array => {
            note_odd_input(ledger, item_path, "a list inside the content is read as part of it");
            item.items().for_each(|inner| decode_content_item(inner, path, blocks, ledger));
        }
        JsonKind::String => {
            note_odd_input(ledger, item_path, "a bare string is read as text");
            blocks.push(Verbatim::new(Block::text(item.json_string().unwrap_or_default())));
        }
        JsonKind::Bool | JsonKind::Number => {
            note_odd_input(ledger, item_path, format!("`{}` is read as text", item.raw()));
            blocks.push(Verbatim::new(Block::text(JsonString::new(item.raw()))));
        }
        JsonKind::Null => note_odd_input(ledger, item_path, "null is no content"),
    }
}

pub(crate) fn decode_block(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let block = match &*kind {
        "text" => decode_text(node, path, ledger),
        "thinking" => decode_thinking(node, path, ledger),
        "redacted_thinking" => decode_redacted_thinking(node, path, ledger),
        "tool_use" => decode_tool_use(node, path, ledger),
        "tool_result" => decode_tool_result(node, path, ledger),
        "image" | "document" => media::decode_media(node, &kind, path, ledger, decode_content),
        "" if node.get("text").is_some_and(JsonNode::is_string) => {
            note_odd_input(ledger, path, "a block without a type that has text is read as text");
            decode_text(node, path, ledger)
        }
        other => media::decode_lenient_media(node, path, ledger).unwrap_or_else(|| {
            if other.is_empty() {
                note_odd_input(ledger, path, "a block without a type is kept as it is");
            }
            decode_foreign(node)
        }),
    };
    note_duplicate_keys(node, path, ledger);
    Verbatim::with_text(block, ID, node.json())
}

fn decode_text(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(JsonString::EMPTY);
    let (mut text_node, mut citations) = (None, Vec::new());
    for field in node.fields() {
        match &*field.key() {
            "text" => text_node = Some(field.value),
            "citations" if field.value.is_null() => {}
            "citations" if field.value.is_array() => {
                let (objects, non_objects): (Vec<_>, Vec<_>) =
                    field.value.items().partition(|item| item.is_object());
                citations = objects.into_iter().map(decode_citation).collect();
                if !non_objects.is_empty() {
                    let message = "left out citations that are not objects";
                    ledger.record_loss(note::ODD_INPUT, path, message);
                }
            }
            _ => keep_common_field(&mut block, field),
        }
    }
    block.content =
        BlockContent::Text { text: decode_string(text_node, "text", path, ledger), citations };
    block
}

pub(crate) fn decode_citation(node: JsonNode<'_>) -> Citation {
    let text = |key| node.get(key).and_then(JsonNode::json_string);
    Citation {
        url: text("url").or_else(|| text("source")),
        title: text("title").or_else(|| text("document_title")),
        quote: text("cited_text"),
        span: None,
        original: Some((ID, node.json())),
    }
}

fn decode_thinking(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(JsonString::EMPTY);
    let mut text_node = None;
    for field in node.fields() {
        match &*field.key() {
            "thinking" => text_node = Some(field.value),
            "signature" if field.value.is_string() || field.value.is_null() => {
                block.seal = field.value.json_string().and_then(seal_from_signature);
            }
            "cache_control" if field.value.is_null() => note_null_cache_control(path, ledger),
            _ => keep_common_field(&mut block, field),
        }
    }
    let text = decode_string(text_node, "thinking", path, ledger);
    block.content = BlockContent::Reasoning(Reasoning { text, form: ReasoningForm::Full });
    block
}

fn decode_redacted_thinking(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let thinking = Reasoning { text: JsonString::EMPTY, form: ReasoningForm::Redacted };
    let mut block = Block::new(BlockContent::Reasoning(thinking));
    let mut data = None;
    for field in node.fields() {
        match &*field.key() {
            "data" => data = Some(field.value),
            "cache_control" if field.value.is_null() => note_null_cache_control(path, ledger),
            _ => keep_common_field(&mut block, field),
        }
    }
    let data = data.filter(|data| data.is_string());
    // Data that is not a string cannot be a seal, and neither can its JSON text.
    block.seal = seal_from_signature(decode_string(data, "data", path, ledger));
    block
}

/// The API rejects `cache_control` on thinking blocks, even null.
fn note_null_cache_control(path: LedgerPath, ledger: &mut Ledger) {
    note_odd_input(ledger, path, "thinking has a null `cache_control`");
}

/// An empty signature is not a seal.
pub(crate) fn seal_from_signature(data: JsonString) -> Option<Box<Seal>> {
    (!data.is_empty()).then(|| Box::new(Seal::new(JsonString::from_static(ISSUER), data)))
}

fn decode_tool_use(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(JsonString::EMPTY);
    let (mut id, mut name, mut input) = (None, None, None);
    for field in node.fields() {
        match &*field.key() {
            "id" => id = Some(field.value),
            "name" => name = Some(field.value),
            "input" => input = Some(field.value),
            _ => keep_common_field(&mut block, field),
        }
    }
    let name = decode_string(name, "name", path, ledger);
    let id = id.and_then(JsonNode::json_string).filter(|id| !id.is_empty()).unwrap_or_else(|| {
        note_odd_input(ledger, path, "the call has no id: one is derived");
        derive_id("call_", &name, path.block.unwrap_or_default() as usize)
    });
    let args = if let Some(input) = input {
        ToolArgs::Json(input.json())
    } else {
        note_odd_input(ledger, path, "the call has no `input`");
        ToolArgs::Malformed(JsonString::EMPTY)
    };
    block.content = BlockContent::ToolCall(ToolCall { id, name, args });
    block
}

fn decode_tool_result(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let mut block = Block::text(JsonString::EMPTY);
    let (mut id, mut content_node, mut is_error) = (None, None, false);
    for field in node.fields() {
        match &*field.key() {
            "tool_use_id" => id = Some(field.value),
            // A missing or null `content` is valid here: the result is empty.
            "content" if field.value.is_null() => block.extras.push_field(ID, field),
            "content" => content_node = Some(field.value),
            "is_error" => is_error = decode_is_error(field.value, path, ledger),
            _ => keep_common_field(&mut block, field),
        }
    }
    let call_id = decode_string(id, "tool_use_id", path, ledger);
    let content = match content_node {
        Some(content_node) => decode_content(Some(content_node), path, ledger),
        None => Vec::new(),
    };
    block.content = BlockContent::ToolResult(ToolResult { call_id, name: None, content, is_error });
    block
}

fn decode_is_error(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> bool {
    node.as_bool().unwrap_or_else(|| {
        if !node.is_null() {
            note_odd_input(ledger, path, format!("`is_error` is `{}`", node.raw()));
        }
        node.str_or_empty() == "true" || node.as_u64() == Some(1)
    })
}

pub(super) fn note_duplicate_keys(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) {
    if let Some(key) = node.duplicate_key() {
        let message = format!("`{key}` appears twice: the last one counts");
        ledger.record_loss(note::DUPLICATE_KEY, path, message);
    }
}
