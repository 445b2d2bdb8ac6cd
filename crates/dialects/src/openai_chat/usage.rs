//! Decodes and encodes token counts. `prompt_tokens` includes cached tokens, `completion_tokens`
//! includes reasoning.

use interlingua_model::Usage;
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::id::ID;

pub(super) fn decode(node: JsonNode<'_>) -> Usage {
    let count = |value: Option<JsonNode<'_>>| value.and_then(JsonNode::as_u64);
    #[rustfmt::skip]
    let [prompt, completion, total, prompt_details, completion_details, input, output, input_details, output_details, cache_hit, cached] =
        node.get_many([
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "prompt_tokens_details",
            "completion_tokens_details",
            // Some servers use the field names of another API.
            "input_tokens",
            "output_tokens",
            "input_tokens_details",
            "output_tokens_details",
            "prompt_cache_hit_tokens",
            "cached_tokens",
        ]);
    let completion_details = completion_details.or(output_details);
    let [cached_node, cache_write_node] = prompt_details
        .or(input_details)
        .map(|details| details.get_many(["cached_tokens", "cache_write_tokens"]))
        .unwrap_or_default();
    let prompt = count(prompt).or_else(|| count(input));
    let completion = count(completion).or_else(|| count(output));
    let reasoning = count(completion_details.and_then(|details| details.get("reasoning_tokens")));
    let cache_read = count(cached_node).or_else(|| count(cache_hit)).or_else(|| count(cached));
    let cache_write = count(cache_write_node);
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let input = prompt.map(|all| all.saturating_sub(cached));
    // Some servers count reasoning in addition to the completion; the total shows that.
    let parts = [prompt, completion, reasoning];
    let is_reasoning_separate = reasoning.is_some_and(|reasoning| reasoning > 0)
        && count(total) == Some(parts.into_iter().flatten().fold(0, u64::saturating_add));
    let included_reasoning = if is_reasoning_separate { 0 } else { reasoning.unwrap_or(0) };
    Usage {
        input,
        cache_read,
        cache_write,
        cache_write_1h: None,
        tool_input: None,
        output: completion.map(|all| all.saturating_sub(included_reasoning)),
        reasoning,
        original: Some((ID, node.json())),
    }
}

/// Writes `usage`: the original object of this dialect, or the sums.
pub(super) fn encode(usage: &Usage, o: &mut ObjectWriter<'_>) {
    if let Some((_, original)) = usage.original.as_ref().filter(|(dialect, _)| *dialect == ID) {
        return o.json("usage", original);
    }
    let (input, output) = (usage.total_input(), usage.total_output());
    o.object("usage", |o| {
        o.number("prompt_tokens", input);
        o.number("completion_tokens", output);
        o.number("total_tokens", input.saturating_add(output));
        if usage.cache_read.is_some() || usage.cache_write.is_some() {
            o.object("prompt_tokens_details", |o| {
                o.number("cached_tokens", usage.cache_read.unwrap_or(0));
                if let Some(original) = usage.cache_write {
                    o.number("cache_write_tokens", original);
                }
            });
        }
        if let Some(reasoning) = usage.reasoning {
            o.object("completion_tokens_details", |o| o.number("reasoning_tokens", reasoning));
        }
    });
}
