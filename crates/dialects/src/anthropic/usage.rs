//! Token counts, both ways.

use interlingua_model::Usage;
use interlingua_wire::Node;
use interlingua_wire::json::Object;

use super::ID;

/// Input counts are disjoint on the wire; output includes thinking.
pub(super) fn decode(node: Node<'_>) -> Usage {
    let count = |key| node.get(key).and_then(Node::count);
    let kept = node.get("cache_creation");
    let kept_for = |key| kept.and_then(|kept| kept.get(key)).and_then(Node::count);
    let (minutes, hour) = (kept_for("ephemeral_5m_input_tokens"), kept_for(AN_HOUR));
    let parts = || minutes.or(hour).map(|_| minutes.unwrap_or(0).saturating_add(hour.unwrap_or(0)));
    let details = node.get("output_tokens_details");
    let reasoning =
        details.and_then(|details| details.get("thinking_tokens")).and_then(Node::count);
    let written = count("output_tokens");
    Usage {
        input: count("input_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens").or_else(parts),
        cache_write_hour: hour,
        tool_input: None,
        output: written.map(|all| all.saturating_sub(reasoning.unwrap_or(0))),
        reasoning,
        written: Some((ID, node.json())),
    }
}

/// Writes the counts under `usage`: as this dialect wrote them, or with nothing missing that its
/// clients read without asking.
pub(super) fn write(usage: &Usage, o: &mut Object<'_>) {
    if let Some((_, json)) = usage.written.as_ref().filter(|(from, _)| *from == ID) {
        o.json("usage", json);
        return;
    }
    let cache_write = usage.cache_write.unwrap_or(0);
    let input = usage.input.unwrap_or(0).saturating_add(usage.tool_input.unwrap_or(0));
    o.object("usage", |o| {
        o.number("input_tokens", input);
        o.number("cache_creation_input_tokens", cache_write);
        o.number("cache_read_input_tokens", usage.cache_read.unwrap_or(0));
        if let Some(hour) = usage.cache_write_hour {
            o.object("cache_creation", |o| {
                o.number("ephemeral_5m_input_tokens", cache_write.saturating_sub(hour));
                o.number(AN_HOUR, hour);
            });
        }
        o.number("output_tokens", usage.all_output());
        if let Some(reasoning) = usage.reasoning {
            o.object("output_tokens_details", |o| o.number("thinking_tokens", reasoning));
        }
    });
}

const AN_HOUR: &str = "ephemeral_1h_input_tokens";
