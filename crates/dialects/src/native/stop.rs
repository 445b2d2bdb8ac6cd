//! Decodes and encodes stop reasons.

use interlingua_model::{Stop, StopReason};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::decode::block;
use super::enum_names;

pub(super) fn encode_stop(stop: &Stop, o: &mut ObjectWriter<'_>) {
    o.str("reason", enum_names::name_of(enum_names::STOP_REASONS, stop.reason));
    o.json_string_opt("sequence", stop.sequence.as_ref());
    if let Some((dialect, reason_name)) = &stop.original_reason {
        o.object("word", |o| o.json_string(dialect.0, reason_name));
    }
    o.json_string_opt("message", stop.message.as_ref());
}

pub(super) fn decode_stop(node: JsonNode<'_>) -> Stop {
    let reason_name = node.get("word").and_then(block::decode_tagged_json);
    Stop {
        reason: enum_names::parse_name(enum_names::STOP_REASONS, node.get("reason"))
            .unwrap_or(StopReason::Other),
        sequence: node.get("sequence").and_then(JsonNode::json_string),
        original_reason: reason_name
            .and_then(|(dialect, json)| Some((dialect, json.json_string()?))),
        message: node.get("message").and_then(JsonNode::json_string),
    }
}
