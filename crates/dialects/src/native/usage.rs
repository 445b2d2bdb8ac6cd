//! Decodes and encodes token usage.

use interlingua_model::Usage;
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::decode::block;

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
        original: node.get("written").and_then(block::decode_tagged_json),
    }
}
