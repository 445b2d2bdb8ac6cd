//! Token counts, both ways. Input counts what came from the cache, output counts reasoning.

use interlingua_model::Usage;
use interlingua_wire::Node;
use interlingua_wire::json::Object;

use super::ID;

/// Nothing where nothing was counted: some servers send zeros for want of counts.
pub(super) fn decode(node: Node<'_>) -> Option<Usage> {
    let count = |key: &str| node.get(key).and_then(Node::count);
    let detail = |of: &str, key: &str| node.get(of)?.get(key)?.count();
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
        written: Some((ID, node.json())),
        ..Usage::default()
    })
}

/// All counts are there, zero where nothing is known: clients read them without asking.
pub(super) fn encode(usage: &Usage, o: &mut Object<'_>) {
    if let Some((ID, json)) = &usage.written {
        return o.json("usage", json);
    }
    let (input, output) = (usage.all_input(), usage.all_output());
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
