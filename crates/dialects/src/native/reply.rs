//! Decodes and encodes complete replies.

use interlingua_model::{Ledger, Reply, Role, Stop, StopReason, Turn, Usage};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::blocks::{self, RawPolicy};
use super::{enum_names, read_blocks};

pub(super) fn encode(reply: &Reply, o: &mut ObjectWriter<'_>) {
    o.number("interlingua", 1);
    o.json_string_opt("id", reply.id.as_ref());
    o.json_string_opt("model", reply.model.as_ref());
    o.array("blocks", |a| blocks::encode_blocks(&reply.turn.blocks, RawPolicy::Include, a));
    if !reply.usage.is_empty() {
        o.object("usage", |o| encode_usage(&reply.usage, o));
    }
    o.object("stop", |o| encode_stop(&reply.stop, o));
    blocks::encode_extras(&reply.extras, o);
    if !reply.turn.extras.is_empty() {
        o.object("turn", |o| blocks::encode_extras(&reply.turn.extras, o));
    }
}

pub(super) fn encode_usage(usage: &Usage, o: &mut ObjectWriter<'_>) {
    let counts = [
        ("input", usage.input),
        ("cache_read", usage.cache_read),
        ("cache_write", usage.cache_write),
        ("cache_write_hour", usage.cache_write_1h),
        ("tool_input", usage.tool_input),
        ("output", usage.output),
        ("reasoning", usage.reasoning),
    ];
    for (name, count) in counts {
        if let Some(count) = count {
            o.number(name, count);
        }
    }
    if let Some((dialect, json)) = &usage.original {
        o.object("written", |o| o.json(dialect.0, json));
    }
}

pub(super) fn encode_stop(stop: &Stop, o: &mut ObjectWriter<'_>) {
    o.str("reason", enum_names::name_of(enum_names::STOP_REASONS, stop.reason));
    o.json_string_opt("sequence", stop.sequence.as_ref());
    if let Some((dialect, reason_name)) = &stop.original_reason {
        o.object("word", |o| o.json_string(dialect.0, reason_name));
    }
    o.json_string_opt("message", stop.message.as_ref());
}

pub(super) fn decode(root: JsonNode<'_>, ledger: &mut Ledger) -> Reply {
    Reply {
        id: root.get("id").and_then(JsonNode::json_string),
        model: root.get("model").and_then(JsonNode::json_string),
        turn: Turn {
            role: Role::Assistant,
            blocks: read_blocks::decode_blocks(root.get("blocks"), Role::Assistant, ledger),
            extras: root.get("turn").map(read_blocks::decode_extras).unwrap_or_default(),
        },
        usage: root.get("usage").map(decode_usage).unwrap_or_default(),
        stop: root.get("stop").map(decode_stop).unwrap_or_default(),
        extras: read_blocks::decode_extras(root),
    }
}

pub(super) fn decode_usage(node: JsonNode<'_>) -> Usage {
    let count = |key: &str| node.get(key).and_then(JsonNode::as_u64);
    Usage {
        input: count("input"),
        cache_read: count("cache_read"),
        cache_write: count("cache_write"),
        cache_write_1h: count("cache_write_hour"),
        tool_input: count("tool_input"),
        output: count("output"),
        reasoning: count("reasoning"),
        original: node.get("written").and_then(read_blocks::decode_tagged_json),
    }
}

pub(super) fn decode_stop(node: JsonNode<'_>) -> Stop {
    let reason_name = node.get("word").and_then(read_blocks::decode_tagged_json);
    Stop {
        reason: enum_names::parse_name(enum_names::STOP_REASONS, node.get("reason"))
            .unwrap_or(StopReason::Other),
        sequence: node.get("sequence").and_then(JsonNode::json_string),
        original_reason: reason_name
            .and_then(|(dialect, json)| Some((dialect, json.json_string()?))),
        message: node.get("message").and_then(JsonNode::json_string),
    }
}
