//! Decodes and encodes token counts. Input includes cached tokens, output includes reasoning.

use interlingua_model::Usage;
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::id::ID;

/// `None` if all counts are zero: some servers send zeros when they did not count.
pub(super) fn decode(node: JsonNode<'_>) -> Option<Usage> {
    let count = |key: &str| node.get(key).and_then(JsonNode::as_u64);
    let detail = |details_key: &str, key: &str| node.get(details_key)?.get(key)?.as_u64();
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    if input.unwrap_or(0) == 0 && output.unwrap_or(0) == 0 {
        return None;
    }
    let cache_read = detail("input_tokens_details", "cached_tokens");
    let cache_write = detail("input_tokens_details", "cache_write_tokens");
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let reasoning = detail("output_tokens_details", "reasoning_tokens");
    Some(Usage {
        input: input.map(|input| input.saturating_sub(cached)),
        cache_read,
        cache_write,
        output: output.map(|output| output.saturating_sub(reasoning.unwrap_or(0))),
        reasoning,
        original: Some((ID, node.json())),
        ..Usage::default()
    })
}

/// All counts are written, with zero for unknown ones: clients read them unconditionally.
pub(super) fn encode(usage: &Usage, o: &mut ObjectWriter<'_>) {
    if let Some((ID, json)) = &usage.original {
        return o.json("usage", json);
    }
    let (input, output) = (usage.total_input(), usage.total_output());
    o.object("usage", |o| {
        o.number("input_tokens", input);
        o.object("input_tokens_details", |o| {
            o.number("cached_tokens", usage.cache_read.unwrap_or(0));
            o.number("cache_write_tokens", usage.cache_write.unwrap_or(0));
        });
        o.number("output_tokens", output);
        o.object("output_tokens_details", |o| {
            o.number("reasoning_tokens", usage.reasoning.unwrap_or(0));
        });
        o.number("total_tokens", input.saturating_add(output));
    });
}
