//! Settings, read.

use interlingua_model::{Choice, Format, Ledger, Place, Reasoning, ReasoningMode, Settings};
use interlingua_wire::{Kind, Node, Text};

use crate::anthropic::decode::{odd, said};

/// Takes one field of the body into the settings, if it is one of theirs.
pub(in crate::anthropic) fn decode(
    settings: &mut Settings,
    key: &str,
    node: Node<'_>,
    ledger: &mut Ledger,
) {
    match key {
        "max_tokens" => settings.max_tokens = said(node),
        "temperature" => settings.temperature = said(node),
        "top_p" => settings.top_p = said(node),
        "top_k" => settings.top_k = said(node),
        "stop_sequences" => settings.stop = stop(node, ledger),
        "stream" => settings.stream = node.boolean(),
        "service_tier" => settings.service_tier = node.text(),
        "metadata" => settings.user = node.get("user_id").and_then(Node::text),
        "tool_choice" => choice(settings, node, ledger),
        "thinking" => thinking(settings, node),
        "output_config" => {
            if let Some(effort) = node.get("effort").and_then(Node::text) {
                reasoning(settings).effort = Some(effort);
            }
            if let Some(format) = node.get("format").and_then(format) {
                settings.format = Some(format);
            }
        }
        "output_format" => settings.format = settings.format.take().or_else(|| format(node)),
        _ => {}
    }
}

/// Whether the model holds a field, or at least some of what is inside.
pub(in crate::anthropic) fn is_known(key: &str, node: Node<'_>) -> bool {
    matches!(key, "model" | "messages" | "system" | "tools")
        || super::is_setting(key)
        || node.is_null()
}

/// The keys the model holds of a field that has more.
pub(in crate::anthropic) fn held_inside(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "thinking" => Some(&["type", "budget_tokens", "display"]),
        "output_config" => Some(&["effort", "format"]),
        "metadata" => Some(&["user_id"]),
        _ => None,
    }
}

fn stop(node: Node<'_>, ledger: &mut Ledger) -> Vec<Text> {
    match node.kind() {
        Kind::Array => {
            if node.items().any(|item| !item.is_string()) {
                odd(ledger, Place::SETTINGS, "a stop sequence is not a string: it is passed over");
            }
            node.items().filter_map(Node::text).collect()
        }
        Kind::String => {
            odd(ledger, Place::SETTINGS, "`stop_sequences` is one string and not a list");
            node.text().into_iter().collect()
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => Vec::new(),
    }
}

fn choice(settings: &mut Settings, node: Node<'_>, ledger: &mut Ledger) {
    let word = node.get("type").unwrap_or(node).word();
    if node.is_string() {
        odd(ledger, Place::SETTINGS, "`tool_choice` is a string and not an object");
    }
    settings.choice = match &*word {
        "auto" => Some(Choice::Auto),
        "none" => Some(Choice::None),
        "any" | "required" => Some(Choice::Required),
        "tool" => node.get("name").and_then(Node::text).map(Choice::Named),
        _ => None,
    };
    if settings.choice.is_none() && !node.is_null() {
        odd(ledger, Place::SETTINGS, format!("the tool choice `{word}` means nothing here"));
    }
    let disabled = node.get("disable_parallel_tool_use").and_then(Node::boolean);
    settings.parallel = disabled.map(|disabled| !disabled);
}

fn thinking(settings: &mut Settings, node: Node<'_>) {
    let mode = match &*node.get("type").map(Node::word).unwrap_or_default() {
        "enabled" => Some(ReasoningMode::On),
        "adaptive" => Some(ReasoningMode::Adaptive),
        "disabled" => Some(ReasoningMode::Off),
        "between_tools" => Some(ReasoningMode::BetweenTools),
        _ => None,
    };
    let budget = node.get("budget_tokens").and_then(said);
    // What is no way of thinking has nothing to show.
    let asked = mode.is_some() || budget.is_some();
    let display = node.get("display").and_then(Node::text).filter(|_| asked);
    if mode.is_some() || budget.is_some() || display.is_some() {
        let reasoning = reasoning(settings);
        reasoning.mode = mode;
        reasoning.budget = budget;
        reasoning.display = display;
    }
}

fn format(node: Node<'_>) -> Option<Format> {
    let schema = node.get("schema").filter(|schema| schema.is_object())?.json();
    Some(Format::Schema { name: None, description: None, schema, strict: None })
}

fn reasoning(settings: &mut Settings) -> &mut Reasoning {
    settings.reasoning.get_or_insert_default()
}
