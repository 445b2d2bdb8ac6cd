//! Token counts, both ways. Here the prompt holds what was cached, and the completion the reasoning.

use interlingua_model::Usage;
use interlingua_wire::Node;
use interlingua_wire::json::Object;

use super::ID;

pub(super) fn decode(node: Node<'_>) -> Usage {
    let count = |found: Option<Node<'_>>| found.and_then(Node::count);
    #[rustfmt::skip]
    let [prompt, completion, total, of_prompt, of_completion, input, output, of_input, of_output, hit, cached] =
        node.pick([
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "prompt_tokens_details",
            "completion_tokens_details",
            // Some servers count in the words of another API.
            "input_tokens",
            "output_tokens",
            "input_tokens_details",
            "output_tokens_details",
            "prompt_cache_hit_tokens",
            "cached_tokens",
        ]);
    let of_completion = of_completion.or(of_output);
    let [read, written] = of_prompt
        .or(of_input)
        .map(|details| details.pick(["cached_tokens", "cache_write_tokens"]))
        .unwrap_or_default();
    let prompt = count(prompt).or_else(|| count(input));
    let completion = count(completion).or_else(|| count(output));
    let reasoning = count(of_completion.and_then(|details| details.get("reasoning_tokens")));
    let cache_read = count(read).or_else(|| count(hit)).or_else(|| count(cached));
    let cache_write = count(written);
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let input = prompt.map(|all| all.saturating_sub(cached));
    // Some servers count reasoning beside the completion: then the total shows it.
    let parts = [prompt, completion, reasoning];
    let apart = reasoning.is_some_and(|reasoning| reasoning > 0)
        && count(total) == Some(parts.into_iter().flatten().fold(0, u64::saturating_add));
    let within = if apart { 0 } else { reasoning.unwrap_or(0) };
    Usage {
        input,
        cache_read,
        cache_write,
        cache_write_hour: None,
        tool_input: None,
        output: completion.map(|all| all.saturating_sub(within)),
        reasoning,
        written: Some((ID, node.json())),
    }
}

/// Writes `usage`: as it came from this dialect, or added up.
pub(super) fn encode(usage: &Usage, o: &mut Object<'_>) {
    if let Some((_, written)) = usage.written.as_ref().filter(|(dialect, _)| *dialect == ID) {
        return o.json("usage", written);
    }
    let (input, output) = (usage.all_input(), usage.all_output());
    o.object("usage", |o| {
        o.number("prompt_tokens", input);
        o.number("completion_tokens", output);
        o.number("total_tokens", input.saturating_add(output));
        if usage.cache_read.is_some() || usage.cache_write.is_some() {
            o.object("prompt_tokens_details", |o| {
                o.number("cached_tokens", usage.cache_read.unwrap_or(0));
                if let Some(written) = usage.cache_write {
                    o.number("cache_write_tokens", written);
                }
            });
        }
        if let Some(reasoning) = usage.reasoning {
            o.object("completion_tokens_details", |o| o.number("reasoning_tokens", reasoning));
        }
    });
}
