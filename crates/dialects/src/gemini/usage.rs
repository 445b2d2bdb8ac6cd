//! Decodes and encodes token usage.

use interlingua_model::Usage;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonWriter};

use super::field_name;
use super::id::ID;

/// `promptTokenCount` includes cached tokens; `candidatesTokenCount` does not include thoughts.
pub(super) fn decode_usage(usage: JsonNode<'_>) -> Usage {
    let count = |key: &str| field_name::get(usage, key).and_then(JsonNode::as_u64);
    let cache_read = count("cachedContentTokenCount");
    let prompt = count("promptTokenCount");
    Usage {
        input: prompt.map(|prompt| prompt.saturating_sub(cache_read.unwrap_or(0))),
        cache_read,
        tool_input: count("toolUsePromptTokenCount"),
        output: count("candidatesTokenCount"),
        reasoning: count("thoughtsTokenCount"),
        original: Some((ID, usage.json())),
        ..Usage::default()
    }
}

/// Only the last counts are valid: a count that they no longer contain is set to 0.
pub(super) fn supersede(early: &Usage, last: &mut Usage) {
    for (early, last) in [
        (early.input, &mut last.input),
        (early.cache_read, &mut last.cache_read),
        (early.tool_input, &mut last.tool_input),
        (early.output, &mut last.output),
        (early.reasoning, &mut last.reasoning),
    ] {
        *last = last.or(early.map(|_| 0));
    }
}

pub(super) fn write_usage(usage: &Usage, out: &mut JsonWriter) {
    if let Some((ID, original)) = &usage.original {
        return out.json(original);
    }
    out.object(|object| write_counts(usage, object));
}

fn write_counts(usage: &Usage, object: &mut ObjectWriter<'_>) {
    let prompt = usage.total_input().saturating_sub(usage.tool_input.unwrap_or(0));
    object.number("promptTokenCount", prompt);
    object.number("candidatesTokenCount", usage.output.unwrap_or(0));
    for (key, count) in [
        ("cachedContentTokenCount", usage.cache_read),
        ("thoughtsTokenCount", usage.reasoning),
        ("toolUsePromptTokenCount", usage.tool_input),
    ] {
        if let Some(count) = count {
            object.number(key, count);
        }
    }
    object.number("totalTokenCount", usage.total_input().saturating_add(usage.total_output()));
}
