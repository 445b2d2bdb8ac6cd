//! Decodes and encodes complete replies.

use interlingua_model::{
    ApiError, BlockContent, Ledger, LedgerPath, Reply, ReplyContext, Role, Stop, StopReason, Turn,
    Verbatim, derive_id,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter};

use super::encode::context::{BlockParent, EncodeCx};
use super::encode::{self, fields};
use super::id::ID;
use super::{decode, error, stop, usage};
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::common::stop_notice::notice_text;

pub(super) fn decode(
    doc: &JsonDoc,
    cx: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, ApiError> {
    let root = doc.root();
    if let Some(error) = error::decode_embedded(root) {
        return Err(error);
    }
    let mut reply = Reply::new();
    let mut stop = None;
    let mut content = None;
    for field in root.fields() {
        match &*field.key() {
            "type" | "role" | "stop_sequence" => {}
            "id" => reply.id = field.value.json_string(),
            "model" => reply.model = field.value.json_string(),
            "content" => content = Some(field.value),
            "stop_reason" => stop = stop::decode_fields(root),
            "usage" if field.value.is_object() => reply.usage = usage::decode(field.value),
            _ if field.value.is_null() => {}
            _ => reply.extras.push_field(ID, field),
        }
    }
    if stop.is_none() && content.is_none_or(JsonNode::is_null) {
        return Err(ApiError::empty_reply());
    }
    let blocks = decode::block::decode_content(content, LedgerPath::REPLY, ledger);
    reply.turn = Turn { role: Role::Assistant, blocks, ..Turn::new(Role::Assistant) };
    freeform::unwrap_calls(&mut reply.turn, &NameSet::new(&cx.freeform_tools));
    let has_calls = reply.has_tool_calls();
    reply.stop = stop.unwrap_or(Stop::new(StopReason::EndTurn)).adjusted_for_tool_calls(has_calls);
    Ok(Verbatim::with_text(reply, ID, doc.to_json()))
}

pub(super) fn encode(reply: &Reply, exchange: &ReplyContext, ledger: &mut Ledger) -> Vec<u8> {
    let mut out = JsonWriter::default();
    let mut cx = EncodeCx { ledger, same_dialect: false, allows_unsigned_thinking: false };
    out.object(|o| {
        write_message_header(reply.id.as_ref(), reply.model.as_ref(), exchange, o);
        o.array("content", |a| {
            for (at, block) in reply.turn.blocks.iter().enumerate() {
                encode::block::encode_block(
                    block,
                    BlockParent::Reply,
                    LedgerPath::reply(at),
                    &mut cx,
                    a,
                );
            }
            if let Some(notice) = notice_text(&reply.stop) {
                a.object(|o| {
                    o.static_str("type", "text");
                    o.json_string("text", &notice);
                });
            }
        });
        let has_refusal =
            reply.turn.blocks.iter().any(|block| matches!(block.content, BlockContent::Refusal(_)));
        o.json_string("stop_reason", &stop::encode(&reply.stop, has_refusal, cx.ledger));
        match &reply.stop.sequence {
            Some(sequence) => o.json_string("stop_sequence", sequence),
            None => o.null("stop_sequence"),
        }
        fields::note_dropped_extras(&reply.turn.extras, LedgerPath::REPLY, cx.ledger);
        fields::note_dropped_extras(&reply.extras, LedgerPath::REPLY, cx.ledger);
        reply.extras.write(ID, o);
        usage::encode(&reply.usage, o);
    });
    out.into_bytes()
}

/// Writes the fields that every message begins with.
pub(super) fn write_message_header(
    id: Option<&JsonString>,
    model: Option<&JsonString>,
    cx: &ReplyContext,
    o: &mut ObjectWriter<'_>,
) {
    match id.or(cx.fallback_id.as_ref()) {
        Some(id) => o.json_string("id", id),
        None => o.json_string("id", &derive_id("msg_", &JsonString::from_static("interlingua"), 0)),
    }
    o.static_str("type", "message");
    o.static_str("role", "assistant");
    o.json_string("model", model.or(cx.client_model.as_ref()).unwrap_or(&JsonString::EMPTY));
}

pub(super) fn decode_id_and_model(
    message: JsonNode<'_>,
) -> (Option<JsonString>, Option<JsonString>) {
    (
        message.get("id").and_then(JsonNode::json_string),
        message.get("model").and_then(JsonNode::json_string),
    )
}
