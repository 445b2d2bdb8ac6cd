//! Decodes and encodes token usage.

use interlingua_model::Usage;
use interlingua_wire::{JsonNode, JsonWriter};

use super::id::ID;

/// Cache reads and cache writes are counted in addition to the input.
pub(super) fn read_usage(node: JsonNode<'_>) -> Usage {
    let count = |key: &str| node.get(key).and_then(JsonNode::as_u64);
    let details = node.get("cacheDetails").into_iter().flat_map(JsonNode::items);
    let one_hour_counts: Vec<u64> = details
        .filter(|detail| detail.get("ttl").is_some_and(|ttl| ttl.str_or_empty() == "1h"))
        .filter_map(|detail| detail.get("inputTokens").and_then(JsonNode::as_u64))
        .collect();
    Usage {
        input: count("inputTokens"),
        cache_read: count("cacheReadInputTokens"),
        cache_write: count("cacheWriteInputTokens"),
        cache_write_1h: one_hour_counts.iter().copied().reduce(u64::saturating_add),
        tool_input: None,
        output: count("outputTokens"),
        reasoning: None,
        original: Some((ID, node.json())),
    }
}

pub(super) fn write_usage(usage: &Usage, out: &mut JsonWriter) {
    if let Some((_, json)) = usage.original.as_ref().filter(|(dialect, _)| *dialect == ID) {
        out.json(json);
        return;
    }
    let input = usage.input.unwrap_or(0).saturating_add(usage.tool_input.unwrap_or(0));
    out.object(|o| {
        o.number("inputTokens", input);
        o.number("outputTokens", usage.total_output());
        o.number("totalTokens", usage.total_input().saturating_add(usage.total_output()));
        if let Some(cache_read) = usage.cache_read {
            o.number("cacheReadInputTokens", cache_read);
        }
        if let Some(cache_write) = usage.cache_write {
            o.number("cacheWriteInputTokens", cache_write);
        }
        if let Some(hour) = usage.cache_write_1h.filter(|hour| *hour > 0) {
            let five_minutes = usage.cache_write.unwrap_or(0).saturating_sub(hour);
            o.array("cacheDetails", |a| {
                for (ttl, tokens) in [("1h", hour), ("5m", five_minutes)] {
                    if tokens > 0 {
                        a.object(|o| {
                            o.str("ttl", ttl);
                            o.number("inputTokens", tokens);
                        });
                    }
                }
            });
        }
    });
}
