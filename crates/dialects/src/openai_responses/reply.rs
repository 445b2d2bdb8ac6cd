//! Decodes and encodes complete replies.

use interlingua_model::{
    ApiError, BlockContent, Ledger, LedgerPath, Reply, ReplyContext, for_each_event,
};
use interlingua_wire::{JsonDoc, JsonNode};

use super::decode::output_item::{self, ItemPosition};
use super::id::ID;
use super::write::Writer;
use super::{error, response_object, stop, usage};
use crate::dialect::StreamWriter as _;
use crate::note;

pub(super) fn decode(
    doc: &JsonDoc,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Reply, ApiError> {
    let root = doc.root();
    let status = root.get("status").map(JsonNode::str_or_empty).unwrap_or_default();
    let error = root.get("error").filter(|error| !error.is_null());
    if status == stop::FAILED || (error.is_some() && root.get("output").is_none()) {
        return Err(error::decode_failed_response(root));
    }
    let output = root.get("output").filter(|list| list.is_array());
    if output.is_none() && status.is_empty() {
        return Err(ApiError::empty_reply());
    }
    let mut reply = Reply::new();
    reply.id = root.get("id").and_then(JsonNode::json_string).or_else(|| cx.fallback_id.clone());
    reply.model =
        root.get("model").and_then(JsonNode::json_string).or_else(|| cx.client_model.clone());
    match output {
        Some(output) => {
            let id = reply.id.clone().unwrap_or_default();
            for (index, item) in output.items().enumerate() {
                let position = ItemPosition { reply_id: &id, index };
                output_item::decode_output_item(item, position, &mut reply.turn.blocks, ledger);
            }
        }
        None => ledger.record_change(
            note::ODD_INPUT,
            LedgerPath::REPLY,
            "the reply has no `output` list",
        ),
    }
    reply.usage = root.get("usage").and_then(usage::decode).unwrap_or_default();
    let has_refusal =
        reply.turn.blocks.iter().any(|block| matches!(block.content, BlockContent::Refusal(_)));
    reply.stop = stop::decode(root, reply.has_tool_calls(), has_refusal);
    for field in root.fields() {
        let is_known = KNOWN_FIELDS.iter().any(|name| field.key_is(name));
        if !is_known && !response_object::is_default(&field.key(), &field.value.json()) {
            reply.extras.push_field(ID, field);
        }
    }
    Ok(reply)
}

/// Encodes a complete reply with the stream writer, without events.
pub(super) fn encode(reply: &Reply, cx: &ReplyContext, ledger: &mut Ledger) -> Vec<u8> {
    let mut writer = Writer::for_complete_reply(cx, reply.extras.clone());
    let mut out = Vec::new();
    for_each_event(reply, |event| writer.write(&event, &mut out, ledger));
    out
}

/// Fields that are decoded, and those that are always the same.
const KNOWN_FIELDS: &[&str] =
    &["id", "object", "status", "error", "incomplete_details", "model", "output", "usage"];
