//! Decodes blocks.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, MediaKind, Reasoning, ReasoningForm, Seal, ToolArgs,
    ToolCall, ToolResult, Verbatim, derive_id,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use super::fields::{
    decode_cache_point, find_cache_point, keep_unknown_fields, single_field_object, text_or_raw,
};
use super::media;
use crate::bedrock::citation::{decode_citation, decode_texts};
use crate::bedrock::id::{ID, ISSUER};
use crate::common::tool_output;
use crate::note;

/// Decodes a list of blocks. A cache point becomes the cache breakpoint of the block before it;
/// without such a block it is kept as a block.
pub(crate) fn decode_blocks(
    content: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut list = Vec::with_capacity(content.len());
    match content.kind() {
        JsonKind::Array => {
            content.items().for_each(|item| decode_content_item(item, path, &mut list, ledger));
        }
        JsonKind::Null => {
            ledger.record_change(note::ODD_INPUT, path, "null content is read as none");
        }
        JsonKind::Object => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "content that is one block is read as a list",
            );
            decode_content_item(content, path, &mut list, ledger);
        }
        JsonKind::String | JsonKind::Number | JsonKind::Bool => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "content that is not a list is read as text",
            );
            list.push(Verbatim::new(Block::text(text_or_raw(content))));
        }
    }
    list
}

fn decode_content_item(
    item: JsonNode<'_>,
    path: LedgerPath,
    list: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    if item.is_array() {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "a list inside the content is read as part of it",
        );
        item.items().for_each(|inner| decode_content_item(inner, path, list, ledger));
        return;
    }
    if list.last().is_some_and(|last| can_have_cache_point(last))
        && let Some(point) = find_cache_point(item, BLOCK_KEYS, path, ledger)
        && let Some(cached_block) = list.pop()
    {
        let cache = decode_cache_point(point, path, ledger);
        // The breakpoint is stored outside the block's original text, so that text stays valid.
        list.push(
            cached_block.map_keeping_text(|block| block.cache_breakpoint = Some(Box::new(cache))),
        );
        return;
    }
    let path = LedgerPath { block: Some(path.block.unwrap_or(list.len() as u32)), ..path };
    list.push(decode_block(item, path, ledger));
}

/// A later cache point on the same block replaces the earlier one.
fn can_have_cache_point(block: &Block) -> bool {
    !matches!(&block.content, BlockContent::Foreign { kind, .. } if kind == "cachePoint")
}

pub(crate) fn decode_block(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let block = match node.kind() {
        JsonKind::Object => decode_block_object(node, path, ledger),
        JsonKind::String => {
            ledger.record_change(note::ODD_INPUT, path, "a string is read as a block of text");
            return Verbatim::new(Block::text(text_or_raw(node)));
        }
        JsonKind::Array | JsonKind::Null | JsonKind::Number | JsonKind::Bool => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a value that is not a block is read as text",
            );
            Block::text(text_or_raw(node))
        }
    };
    Verbatim::with_text(block, ID, node.json())
}

/// A block is a union: its one key determines the kind.
fn decode_block_object(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let mut fields = node.fields().filter(|field| !field.value.is_null());
    let union_field = node
        .fields()
        .find(|field| BLOCK_KEYS.contains(&&*field.key()) && !field.value.is_null())
        .or_else(|| fields.next());
    let Some(union_field) = union_field else {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "a block without a kind is read as an empty text",
        );
        return Block::text(JsonString::EMPTY);
    };
    // The provider ignores unknown keys.
    let kinds = node.fields().filter(|field| !field.value.is_null());
    let has_several_kinds = kinds.filter(|field| BLOCK_KEYS.contains(&&*field.key())).count() > 1;
    if has_several_kinds {
        let message = format!("a block of several kinds is read as `{}`", union_field.key());
        ledger.record_loss(note::ODD_INPUT, path, message);
    }
    let value = union_field.value;
    let decoded = match &*union_field.key() {
        "text" => Some(Block::text(decode_text(value, path, ledger))),
        "json" => Some(Block::new(BlockContent::Json(value.json()))),
        "image" => media::decode_media(MediaKind::Image, value, path, ledger, decode_blocks),
        "document" => media::decode_media(MediaKind::Document, value, path, ledger, decode_blocks),
        "video" => media::decode_media(MediaKind::Video, value, path, ledger, decode_blocks),
        "audio" => media::decode_media(MediaKind::Audio, value, path, ledger, decode_blocks),
        "toolUse" => decode_tool_use(value, path, ledger),
        "toolResult" => decode_tool_result(value, path, ledger),
        "reasoningContent" => Some(decode_reasoning_content(value, path, ledger)),
        "citationsContent" => decode_citations_content(value),
        _ => None,
    };
    decoded.unwrap_or_else(|| {
        let json = if has_several_kinds { single_field_object(union_field) } else { node.json() };
        Block::new(BlockContent::Foreign { dialect: ID, kind: union_field.key_json_string(), json })
    })
}

/// Returns whether a call is one of the provider's own tools. Only the provider can run those, so
/// they stay foreign blocks. Client calls may have a type too: Claude 4.5 writes `tool_use`.
pub(crate) fn is_server_tool_use(call: JsonNode<'_>) -> bool {
    call.get("type").is_some_and(|kind| kind.str_or_empty() == "server_tool_use")
}

/// Returns whether a result is one of the provider's own tools. Its type names the tool:
/// `nova_grounding_result`.
fn is_server_tool_result(result: JsonNode<'_>) -> bool {
    let kind = result.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    kind.ends_with("_result") && kind != "tool_result"
}

fn decode_tool_use(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Option<Block> {
    if is_server_tool_use(node) {
        return None;
    }
    note_odd_tool_object(node, path, ledger);
    let name = node.get("name").map(|name| decode_text(name, path, ledger)).unwrap_or_default();
    let id = node.get("toolUseId").filter(|id| !id.is_null());
    let id = id.map(|id| decode_text(id, path, ledger));
    let id = id.unwrap_or_else(|| {
        ledger.record_change(note::ODD_INPUT, path, "a call without an id gets one");
        let [turn, block] = [path.index, path.block].map(|at| at.unwrap_or(0) as usize);
        derive_id("call_", &name, (turn << 20) + block)
    });
    let args = match node.get("input") {
        Some(input) if input.is_string() => {
            ledger.record_change(note::ODD_INPUT, path, "arguments in a string are parsed as JSON");
            ToolArgs::from_json_string(&text_or_raw(input))
        }
        Some(input) if !input.is_null() => ToolArgs::Json(input.json()),
        _ => {
            ledger.record_change(note::ODD_INPUT, path, "a call without arguments");
            ToolArgs::Malformed(JsonString::EMPTY)
        }
    };
    let mut block = Block::new(BlockContent::ToolCall(ToolCall { id, name, args }));
    keep_unknown_fields(node, &["toolUseId", "name", "input", "type"], &mut block);
    Some(block)
}

/// A value that is not an object still becomes the call or result that its key names, so that the
/// blocks around it keep their positions.
fn note_odd_tool_object(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) {
    if !node.is_object() {
        ledger.record_loss(
            note::ODD_INPUT,
            path,
            "a call or a result that is not an object is empty",
        );
    }
    if node.get("type").is_some_and(|kind| !kind.is_null() && !kind.is_string()) {
        ledger.record_change(note::ODD_INPUT, path, "a `type` that is not a string is ignored");
    }
}

fn decode_tool_result(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Option<Block> {
    if is_server_tool_result(node) {
        return None;
    }
    note_odd_tool_object(node, path, ledger);
    let call_id = node.get("toolUseId").filter(|id| !id.is_null());
    let call_id = call_id.map(|id| decode_text(id, path, ledger));
    if call_id.is_none() {
        ledger.record_change(note::ODD_INPUT, path, "a result has no `toolUseId`");
    }
    if node.get("content").is_none_or(JsonNode::is_null) {
        ledger.record_change(note::ODD_INPUT, path, "a result without content is empty");
    }
    let status = node.get("status");
    let result = ToolResult {
        call_id: call_id.unwrap_or_default(),
        name: None,
        content: node
            .get("content")
            .map(|node| decode_tool_result_content(node, path, ledger))
            .unwrap_or_default(),
        is_error: status.is_some_and(|status| status.str_or_empty() == "error"),
    };
    let mut block = Block::new(BlockContent::ToolResult(result));
    keep_unknown_fields(node, &["toolUseId", "content", "type", "status"], &mut block);
    let is_known_status =
        |status: &JsonNode<'_>| ["error", "success"].contains(&&*status.str_or_empty());
    if status.is_some_and(|status| !status.is_null() && !is_known_status(&status)) {
        ledger.record_change(note::ODD_INPUT, path, "an unknown status is read as success");
    }
    Some(block)
}

/// Decodes the content of a tool result: plain text, JSON and media, without cache points.
fn decode_tool_result_content(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    let mut list = decode_blocks(node, path, ledger);
    list.iter_mut().for_each(keep_unknown_output_fields);
    let mut note_odd_input =
        |message: &'static str| ledger.record_change(note::ODD_INPUT, path, message);
    for block in &list {
        if block.cache_breakpoint.is_some() {
            note_odd_input("a cache point inside a result is not supported");
        }
        let original =
            block.text_for(ID).filter(|_| matches!(block.content, BlockContent::Text { .. }));
        if original.is_some_and(|json| !has_plain_text_key(json)) {
            note_odd_input("text inside a result must be plain");
        }
    }
    list
}

/// The provider ignores unknown fields next to a text; for other targets they are data of the tool.
fn keep_unknown_output_fields(block: &mut Verbatim<Block>) {
    let (Some(original), BlockContent::Text { text, .. }) = (block.text_for(ID), &block.content)
    else {
        return;
    };
    let is_text_alone = original.as_str().len() == r#"{"text":""}"#.len() + text.raw().len();
    if !is_text_alone && has_plain_text_key(original) {
        let doc = original.to_doc();
        let kinds = doc.root().fields().filter(|field| BLOCK_KEYS.contains(&&*field.key()));
        if kinds.count() > 1 || !tool_output::has_other_fields(doc.root()) {
            return;
        }
        let data = BlockContent::Json(original.clone());
        block.edit_keeping_text(|block| block.content = data);
    }
}

/// Returns whether a block has its text under `text`. The prefix test avoids parsing in the usual
/// case.
fn has_plain_text_key(block: &RawJson) -> bool {
    block.as_str().starts_with("{\"text\"") || block.to_doc().root().get("text").is_some()
}

fn decode_reasoning_content(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Block {
    let non_null = |key: &str| node.get(key).filter(|value| !value.is_null());
    let reasoning = non_null("reasoningText");
    let is_text = |key: &str, is_required: bool| {
        let value = reasoning.and_then(|reasoning| reasoning.get(key));
        value.filter(|value| !value.is_null()).map_or(!is_required, JsonNode::is_string)
    };
    let is_well_formed = match (reasoning, non_null("redactedContent")) {
        (Some(_), None) => is_text("text", true) && is_text("signature", false),
        (None, Some(redacted)) => redacted.is_string(),
        _ => false,
    };
    if !is_well_formed {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "malformed reasoning is decoded as far as possible",
        );
    }
    if let Some(redacted) = node.get("redactedContent").and_then(JsonNode::json_string) {
        let body = BlockContent::Reasoning(Reasoning {
            text: JsonString::EMPTY,
            form: ReasoningForm::Redacted,
        });
        return Block::new(body).with_seal(Some(Seal::new(ISSUER, redacted)));
    }
    let Some(reasoning) = node.get("reasoningText").filter(|node| node.is_object()) else {
        let body = BlockContent::Reasoning(Reasoning {
            text: JsonString::EMPTY,
            form: ReasoningForm::Full,
        });
        return Block::new(body);
    };
    let text =
        reasoning.get("text").filter(|text| !text.is_null()).map(text_or_raw).unwrap_or_default();
    let signature = reasoning.get("signature").and_then(JsonNode::json_string);
    let seal = signature.filter(|data| !data.is_empty()).map(|data| Seal::new(ISSUER, data));
    let body = BlockContent::Reasoning(Reasoning { text, form: ReasoningForm::Full });
    let mut block = Block::new(body).with_seal(seal);
    keep_unknown_fields(reasoning, &["text", "signature"], &mut block);
    block
}

/// Like [`text_or_raw`], and notes a value that is not a string.
fn decode_text(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> JsonString {
    if !node.is_string() {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "a text is not a string: its JSON is read as text",
        );
    }
    text_or_raw(node)
}

/// Decodes `citationsContent`: text and the sources it cites.
fn decode_citations_content(node: JsonNode<'_>) -> Option<Block> {
    if !node.is_object() {
        return None;
    }
    let parts: Vec<JsonString> = decode_texts(node.get("content"));
    // Without text the object is kept as a foreign block.
    if parts.iter().all(JsonString::is_blank) {
        return None;
    }
    let list = node.get("citations").into_iter().flat_map(JsonNode::items);
    let body = BlockContent::Text {
        text: JsonString::concat(&parts),
        citations: list.map(decode_citation).collect(),
    };
    let mut block = Block::new(body);
    keep_unknown_fields(node, &["content", "citations"], &mut block);
    Some(block)
}

/// Union keys of a block, for blocks with several keys.
const BLOCK_KEYS: &[&str] = &[
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
