//! Decodes settings.

use interlingua_model::{
    Ledger, LedgerPath, ReasoningSettings, ResponseFormat, Settings, ToolChoice,
};
use interlingua_wire::{JsonNode, JsonString};

use super::{block, unknown_fields};
use crate::native::enum_names;

pub(crate) fn decode_settings(node: JsonNode<'_>) -> Settings {
    let number = |key: &str| node.get(key).filter(|node| !node.is_null()).map(JsonNode::json);
    let text = |key: &str| node.get(key).and_then(JsonNode::json_string);
    let flag = |key: &str| node.get(key).and_then(JsonNode::as_bool);
    Settings {
        max_tokens: number("max_tokens"),
        temperature: number("temperature"),
        top_p: number("top_p"),
        top_k: number("top_k"),
        seed: number("seed"),
        presence_penalty: number("presence_penalty"),
        frequency_penalty: number("frequency_penalty"),
        candidate_count: number("answers"),
        stop_sequences: decode_texts(node.get("stop")),
        stream: flag("stream"),
        stream_usage: flag("stream_usage"),
        tool_choice: node.get("choice").and_then(decode_choice),
        parallel_tool_calls: flag("parallel"),
        reasoning: node.get("reasoning").map(decode_reasoning),
        response_format: node.get("format").and_then(decode_format),
        verbosity: text("verbosity"),
        user: text("user"),
        metadata: number("metadata"),
        service_tier: text("service_tier"),
        cache_key: text("cache_key"),
        store: flag("store"),
        sealed_reasoning: false,
        betas: Vec::new(),
    }
}

/// Notes settings that are unknown or have an invalid value.
pub(crate) fn note_unknown_settings(node: JsonNode<'_>, ledger: &mut Ledger) {
    let known: Vec<&str> =
        [JSON_KEYS, TEXT_KEYS, BOOL_KEYS, COMPOUND_KEYS].into_iter().flatten().copied().collect();
    unknown_fields::note_unknown_fields(node, &known, LedgerPath::BODY, ledger);
    unknown_fields::note_invalid_values(
        node,
        TEXT_KEYS,
        JsonNode::is_string,
        LedgerPath::BODY,
        ledger,
    );
    unknown_fields::note_invalid_values(
        node,
        BOOL_KEYS,
        unknown_fields::is_boolean,
        LedgerPath::BODY,
        ledger,
    );
    unknown_fields::note_invalid_values(
        node,
        &["stop"],
        JsonNode::is_array,
        LedgerPath::BODY,
        ledger,
    );
    unknown_fields::note_invalid_values(
        node,
        &["reasoning"],
        JsonNode::is_object,
        LedgerPath::BODY,
        ledger,
    );
    unknown_fields::note_invalid_values(
        node,
        &["choice"],
        |value| decode_choice(value).is_some(),
        LedgerPath::BODY,
        ledger,
    );
    unknown_fields::note_invalid_values(
        node,
        &["format"],
        |value| decode_format(value).is_some(),
        LedgerPath::BODY,
        ledger,
    );
    let nested_keys: [(&str, &[&str]); 3] = [
        ("reasoning", &["mode", "effort", "budget", "display"]),
        ("choice", &["named", "allowed", "required"]),
        ("format", &["schema", "name", "description", "strict"]),
    ];
    for (key, known) in nested_keys {
        if let Some(group) = node.get(key).filter(|group| group.is_object()) {
            unknown_fields::note_unknown_fields(group, known, LedgerPath::BODY, ledger);
            let text_keys = ["mode", "effort", "display", "name", "description"];
            unknown_fields::note_invalid_values(
                group,
                &text_keys,
                JsonNode::is_string,
                LedgerPath::BODY,
                ledger,
            );
        }
    }
}

fn decode_texts(list: Option<JsonNode<'_>>) -> Vec<JsonString> {
    list.into_iter().flat_map(JsonNode::items).map(|item| block::text_or_raw(Some(item))).collect()
}

fn decode_choice(node: JsonNode<'_>) -> Option<ToolChoice> {
    if let Some(name) = node.get("named") {
        return Some(ToolChoice::Named(block::text_or_raw(Some(name))));
    }
    if let Some(allowed) = node.get("allowed") {
        let required = node.get("required").and_then(JsonNode::as_bool).unwrap_or(false);
        return Some(ToolChoice::Allowed { names: decode_texts(Some(allowed)), required });
    }
    match &*node.str_or_empty() {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        "required" => Some(ToolChoice::Required),
        _ => None,
    }
}

fn decode_reasoning(node: JsonNode<'_>) -> ReasoningSettings {
    ReasoningSettings {
        mode: enum_names::parse_name(enum_names::REASONING_MODES, node.get("mode")),
        effort: node.get("effort").and_then(JsonNode::json_string),
        budget_tokens: node.get("budget").map(JsonNode::json),
        display: node.get("display").and_then(JsonNode::json_string),
    }
}

fn decode_format(node: JsonNode<'_>) -> Option<ResponseFormat> {
    match &*node.str_or_empty() {
        "text" => return Some(ResponseFormat::Text),
        "json" => return Some(ResponseFormat::Json),
        _ => {}
    }
    Some(ResponseFormat::Schema {
        name: node.get("name").and_then(JsonNode::json_string),
        description: node.get("description").and_then(JsonNode::json_string),
        schema: node.get("schema")?.json(),
        strict: node.get("strict").and_then(JsonNode::as_bool),
    })
}

/// Kept with any type.
const JSON_KEYS: &[&str] = &[
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "answers",
    "metadata",
];
const TEXT_KEYS: &[&str] = &["verbosity", "user", "service_tier", "cache_key"];
const BOOL_KEYS: &[&str] = &["stream", "stream_usage", "parallel", "store", "as_written"];
const COMPOUND_KEYS: &[&str] = &["stop", "choice", "reasoning", "format"];
