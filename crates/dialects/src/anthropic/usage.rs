//! Decodes and encodes token counts.

use interlingua_model::Usage;
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::id::ID;

/// The input counts are disjoint on the wire; the output count includes thinking.
pub(super) fn decode(node: JsonNode<'_>) -> Usage {
    let count = |key| node.get(key).and_then(JsonNode::as_u64);
    let cache_creation = node.get("cache_creation");
    let cache_write_count = |key| {
        cache_creation.and_then(|cache_creation| cache_creation.get(key)).and_then(JsonNode::as_u64)
    };
    let (minutes, hour) =
        (cache_write_count("ephemeral_5m_input_tokens"), cache_write_count(CACHE_1H_KEY));
    let cache_write_sum =
        || minutes.or(hour).map(|_| minutes.unwrap_or(0).saturating_add(hour.unwrap_or(0)));
    let details = node.get("output_tokens_details");
    let reasoning =
        details.and_then(|details| details.get("thinking_tokens")).and_then(JsonNode::as_u64);
    let output = count("output_tokens");
    Usage {
        input: count("input_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens").or_else(cache_write_sum),
        cache_write_1h: hour,
        tool_input: None,
        output: output.map(|all| all.saturating_sub(reasoning.unwrap_or(0))),
        reasoning,
        original: Some((ID, node.json())),
    }
}

/// Writes `usage`: the original object, or one with every field that clients read unconditionally.
pub(super) fn encode(usage: &Usage, o: &mut ObjectWriter<'_>) {
    if let Some((_, json)) = usage.original.as_ref().filter(|(dialect, _)| *dialect == ID) {
        o.json("usage", json);
        return;
    }
    let cache_write = usage.cache_write.unwrap_or(0);
    let input = usage.input.unwrap_or(0).saturating_add(usage.tool_input.unwrap_or(0));
    o.object("usage", |o| {
        o.number("input_tokens", input);
        o.number("cache_creation_input_tokens", cache_write);
        o.number("cache_read_input_tokens", usage.cache_read.unwrap_or(0));
        if let Some(hour) = usage.cache_write_1h {
            o.object("cache_creation", |o| {
                o.number("ephemeral_5m_input_tokens", cache_write.saturating_sub(hour));
                o.number(CACHE_1H_KEY, hour);
            });
        }
        o.number("output_tokens", usage.total_output());
        if let Some(reasoning) = usage.reasoning {
            o.object("output_tokens_details", |o| o.number("thinking_tokens", reasoning));
        }
    });
}

const CACHE_1H_KEY: &str = "ephemeral_1h_input_tokens";
