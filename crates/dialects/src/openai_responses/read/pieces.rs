//! Which events are pieces of an item, and of which type of item.

/// The type of the items that events of this name are pieces of.
pub(super) fn kind_of(event: &str) -> Option<&'static str> {
    PIECES.iter().find(|(name, _)| *name == event).map(|(_, kind)| *kind)
}

const PIECES: &[(&str, &str)] = &[
    ("response.output_text.delta", "message"),
    ("response.function_call_arguments.delta", "function_call"),
    ("response.reasoning_summary_text.delta", "reasoning"),
    ("response.reasoning_text.delta", "reasoning"),
    ("response.custom_tool_call_input.delta", "custom_tool_call"),
    ("response.refusal.delta", "message"),
    ("response.content_part.added", "message"),
    ("response.content_part.done", "message"),
    ("response.output_text.done", "message"),
    ("response.output_text.annotation.added", "message"),
    ("response.refusal.done", "message"),
    ("response.reasoning_summary_part.added", "reasoning"),
    ("response.reasoning_summary_part.done", "reasoning"),
    ("response.reasoning_summary_text.done", "reasoning"),
    ("response.reasoning_text.done", "reasoning"),
    ("response.function_call_arguments.done", "function_call"),
    ("response.custom_tool_call_input.done", "custom_tool_call"),
];
