//! Token counts, both ways. Here the prompt holds what was cached, and the completion the reasoning.

use interlingua_model::Usage;
use interlingua_wire::Node;
use interlingua_wire::json::Object;

use super::ID;

pub(super) fn decode(node: Node<'_>) -> Usage {
    let count = |key: &str| node.get(key).and_then(Node::count);
    let prompt = node.get("prompt_tokens_details");
    let of_prompt = |key: &str| prompt.and_then(|details| details.get(key)).and_then(Node::count);
    let details = node.get("completion_tokens_details");
    let reasoning =
        details.and_then(|details| details.get("reasoning_tokens")).and_then(Node::count);
    let cache_read = of_prompt("cached_tokens")
        .or_else(|| count("prompt_cache_hit_tokens"))
        .or_else(|| count("cached_tokens"));
    let cache_write = of_prompt("cache_write_tokens");
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let input = count("prompt_tokens").map(|all| all.saturating_sub(cached));
    // Some servers count reasoning beside the completion: then the total shows it.
    let parts = [count("prompt_tokens"), count("completion_tokens"), reasoning];
    let apart = reasoning.is_some_and(|reasoning| reasoning > 0)
        && count("total_tokens") == Some(parts.into_iter().flatten().fold(0, u64::saturating_add));
    let within = if apart { 0 } else { reasoning.unwrap_or(0) };
    Usage {
        input,
        cache_read,
        cache_write,
        cache_write_hour: None,
        tool_input: None,
        output: count("completion_tokens").map(|all| all.saturating_sub(within)),
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
