//! Decodes settings.

use interlingua_model::{
    Ledger, LedgerPath, ReasoningMode, ReasoningSettings, ResponseFormat, Settings, ToolChoice,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::fields::{non_null_json, note_odd_input};

/// Decodes one field of the body into the settings, if it is a setting.
pub(crate) fn decode_setting(
    settings: &mut Settings,
    key: &str,
    node: JsonNode<'_>,
    ledger: &mut Ledger,
) {
    match key {
        "max_tokens" => settings.max_tokens = non_null_json(node),
        "temperature" => settings.temperature = non_null_json(node),
        "top_p" => settings.top_p = non_null_json(node),
        "top_k" => settings.top_k = non_null_json(node),
        "stop_sequences" => settings.stop_sequences = decode_stop_sequences(node, ledger),
        "stream" => settings.stream = node.as_bool(),
        "service_tier" => settings.service_tier = node.json_string(),
        "metadata" => settings.user = node.get("user_id").and_then(JsonNode::json_string),
        "tool_choice" => decode_tool_choice(settings, node, ledger),
        "thinking" => decode_thinking(settings, node),
        "output_config" => {
            if let Some(effort) = node.get("effort").and_then(JsonNode::json_string) {
                reasoning_mut(settings).effort = Some(effort);
            }
            if let Some(format) = node.get("format").and_then(decode_output_format) {
                settings.response_format = Some(format);
            }
        }
        "output_format" => {
            settings.response_format =
                settings.response_format.take().or_else(|| decode_output_format(node));
        }
        _ => {}
    }
}

/// Returns whether the model holds the field, at least in part.
pub(crate) fn is_known_field(key: &str, node: JsonNode<'_>) -> bool {
    matches!(key, "model" | "messages" | "system" | "tools") || is_setting(key) || node.is_null()
}

/// The keys of a field that the model holds, for fields with other keys too.
pub(crate) fn known_subfields(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "thinking" => Some(&["type", "budget_tokens", "display"]),
        "output_config" => Some(&["effort", "format"]),
        "metadata" => Some(&["user_id"]),
        _ => None,
    }
}

fn decode_stop_sequences(node: JsonNode<'_>, ledger: &mut Ledger) -> Vec<JsonString> {
    match node.kind() {
        JsonKind::Array => {
            if node.items().any(|item| !item.is_string()) {
                note_odd_input(
                    ledger,
                    LedgerPath::SETTINGS,
                    "a stop sequence is not a string: it is skipped",
                );
            }
            node.items().filter_map(JsonNode::json_string).collect()
        }
        JsonKind::String => {
            note_odd_input(
                ledger,
                LedgerPath::SETTINGS,
                "`stop_sequences` is one string and not a list",
            );
            node.json_string().into_iter().collect()
        }
        JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::Object => Vec::new(),
    }
}

fn decode_tool_choice(settings: &mut Settings, node: JsonNode<'_>, ledger: &mut Ledger) {
    let choice_type = node.get("type").unwrap_or(node).str_or_empty();
    if node.is_string() {
        note_odd_input(ledger, LedgerPath::SETTINGS, "`tool_choice` is a string and not an object");
    }
    settings.tool_choice = match &*choice_type {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        "any" | "required" => Some(ToolChoice::Required),
        "tool" => node.get("name").and_then(JsonNode::json_string).map(ToolChoice::Named),
        _ => None,
    };
    if settings.tool_choice.is_none() && !node.is_null() {
        note_odd_input(
            ledger,
            LedgerPath::SETTINGS,
            format!("the tool choice `{choice_type}` is unknown"),
        );
    }
    let disabled = node.get("disable_parallel_tool_use").and_then(JsonNode::as_bool);
    settings.parallel_tool_calls = disabled.map(|disabled| !disabled);
}

fn decode_thinking(settings: &mut Settings, node: JsonNode<'_>) {
    let mode = match &*node.get("type").map(JsonNode::str_or_empty).unwrap_or_default() {
        "enabled" => Some(ReasoningMode::On),
        "adaptive" => Some(ReasoningMode::Adaptive),
        "disabled" => Some(ReasoningMode::Off),
        "between_tools" => Some(ReasoningMode::BetweenTools),
        _ => None,
    };
    let budget = node.get("budget_tokens").and_then(non_null_json);
    // Without a known type or a budget, `display` has no effect.
    let has_thinking = mode.is_some() || budget.is_some();
    let display = node.get("display").and_then(JsonNode::json_string).filter(|_| has_thinking);
    if mode.is_some() || budget.is_some() || display.is_some() {
        let reasoning = reasoning_mut(settings);
        reasoning.mode = mode;
        reasoning.budget_tokens = budget;
        reasoning.display = display;
    }
}

fn decode_output_format(node: JsonNode<'_>) -> Option<ResponseFormat> {
    let schema = node.get("schema").filter(|schema| schema.is_object())?.json();
    Some(ResponseFormat::Schema { name: None, description: None, schema, strict: None })
}

fn reasoning_mut(settings: &mut Settings) -> &mut ReasoningSettings {
    settings.reasoning.get_or_insert_default()
}

/// Every field that is decoded into the settings, in the order it is written.
pub(crate) const SETTING_KEYS: &[&str] = &[
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "stream",
    "service_tier",
    "metadata",
    "tool_choice",
    "thinking",
    "output_config",
    "output_format",
];

fn is_setting(key: &str) -> bool {
    SETTING_KEYS.contains(&key)
}
