//! Decodes and encodes complete replies.

use interlingua_model::{ApiError, Ledger, Reply, ReplyContext, Role, Turn, Verbatim};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonWriter};

use super::encode::block::RawPolicy;
use super::id::ID;
use super::stop::{decode_stop, encode_stop};
use super::usage::{decode_usage, encode_usage};
use super::{decode, encode, error};

pub(super) fn encode(reply: &Reply, _: &ReplyContext, _: &mut Ledger) -> Vec<u8> {
    let mut out = JsonWriter::default();
    out.object(|o| encode_fields(reply, o));
    out.into_bytes()
}

pub(super) fn encode_fields(reply: &Reply, o: &mut ObjectWriter<'_>) {
    o.number("interlingua", 1);
    o.json_string_opt("id", reply.id.as_ref());
    o.json_string_opt("model", reply.model.as_ref());
    o.array("blocks", |a| encode::block::encode_blocks(&reply.turn.blocks, RawPolicy::Include, a));
    if !reply.usage.is_empty() {
        o.object("usage", |o| encode_usage(&reply.usage, o));
    }
    o.object("stop", |o| encode_stop(&reply.stop, o));
    encode::block::encode_extras(&reply.extras, o);
    if !reply.turn.extras.is_empty() {
        o.object("turn", |o| encode::block::encode_extras(&reply.turn.extras, o));
    }
}

pub(super) fn decode(
    body: &JsonDoc,
    _: &ReplyContext,
    ledger: &mut Ledger,
) -> Result<Verbatim<Reply>, ApiError> {
    match body.root().get("error") {
        Some(failure) => Err(error::decode_error(failure)),
        None => Ok(Verbatim::with_text(decode_fields(body.root(), ledger), ID, body.to_json())),
    }
}

fn decode_fields(root: JsonNode<'_>, ledger: &mut Ledger) -> Reply {
    Reply {
        id: root.get("id").and_then(JsonNode::json_string),
        model: root.get("model").and_then(JsonNode::json_string),
        turn: Turn {
            role: Role::Assistant,
            blocks: decode::block::decode_blocks(root.get("blocks"), Role::Assistant, ledger),
            extras: root.get("turn").map(decode::block::decode_extras).unwrap_or_default(),
        },
        usage: root.get("usage").map(decode_usage).unwrap_or_default(),
        stop: root.get("stop").map(decode_stop).unwrap_or_default(),
        extras: decode::block::decode_extras(root),
    }
}
