//! Decodes and encodes settings.

use interlingua_model::{
    Ledger, LedgerPath, ReasoningSettings, ResponseFormat, Settings, ToolChoice,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::{enum_names, read_blocks, unread};

pub(super) fn encode_settings(settings: &Settings, o: &mut ObjectWriter<'_>) {
    for (name, value) in json_settings(settings) {
        o.json_opt(name, value.as_ref());
    }
    if !settings.stop_sequences.is_empty() {
        o.array("stop", |a| {
            settings.stop_sequences.iter().for_each(|stop| a.item().json_string(stop));
        });
    }
    let flags = [
        ("stream", settings.stream),
        ("stream_usage", settings.stream_usage),
        ("parallel", settings.parallel_tool_calls),
        ("store", settings.store),
    ];
    for (name, flag) in flags {
        o.json_opt(name, flag.map(RawJson::boolean).as_ref());
    }
    if let Some(choice) = &settings.tool_choice {
        encode_choice(choice, o);
    }
    if let Some(reasoning) = &settings.reasoning {
        o.object("reasoning", |o| encode_reasoning(reasoning, o));
    }
    if let Some(format) = &settings.response_format {
        encode_format(format, o);
    }
    o.json_string_opt("verbosity", settings.verbosity.as_ref());
    o.json_string_opt("user", settings.user.as_ref());
    o.json_string_opt("service_tier", settings.service_tier.as_ref());
    o.json_string_opt("cache_key", settings.cache_key.as_ref());
}

fn json_settings(settings: &Settings) -> [(&'static str, &Option<RawJson>); 9] {
    [
        ("max_tokens", &settings.max_tokens),
        ("temperature", &settings.temperature),
        ("top_p", &settings.top_p),
        ("top_k", &settings.top_k),
        ("seed", &settings.seed),
        ("presence_penalty", &settings.presence_penalty),
        ("frequency_penalty", &settings.frequency_penalty),
        ("answers", &settings.candidate_count),
        ("metadata", &settings.metadata),
    ]
}

fn encode_choice(choice: &ToolChoice, o: &mut ObjectWriter<'_>) {
    match choice {
        ToolChoice::Auto => o.static_str("choice", "auto"),
        ToolChoice::None => o.static_str("choice", "none"),
        ToolChoice::Required => o.static_str("choice", "required"),
        ToolChoice::Named(name) => o.object("choice", |o| o.json_string("named", name)),
        ToolChoice::Allowed { names, required } => o.object("choice", |o| {
            o.array("allowed", |a| names.iter().for_each(|name| a.item().json_string(name)));
            o.boolean("required", *required);
        }),
    }
}

fn encode_reasoning(reasoning: &ReasoningSettings, o: &mut ObjectWriter<'_>) {
    if let Some(mode) = reasoning.mode {
        o.str("mode", enum_names::name_of(enum_names::REASONING_MODES, mode));
    }
    o.json_string_opt("effort", reasoning.effort.as_ref());
    o.json_opt("budget", reasoning.budget_tokens.as_ref());
    o.json_string_opt("display", reasoning.display.as_ref());
}

fn encode_format(format: &ResponseFormat, o: &mut ObjectWriter<'_>) {
    match format {
        ResponseFormat::Text => o.static_str("format", "text"),
        ResponseFormat::Json => o.static_str("format", "json"),
        ResponseFormat::Schema { name, description, schema, strict } => o.object("format", |o| {
            o.json("schema", schema);
            o.json_string_opt("name", name.as_ref());
            o.json_string_opt("description", description.as_ref());
            o.json_opt("strict", strict.map(RawJson::boolean).as_ref());
        }),
    }
}

pub(super) fn decode_settings(node: JsonNode<'_>) -> Settings {
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
pub(super) fn note_unknown_settings(node: JsonNode<'_>, ledger: &mut Ledger) {
    let known: Vec<&str> =
        [JSON_KEYS, TEXT_KEYS, BOOL_KEYS, COMPOUND_KEYS].into_iter().flatten().copied().collect();
    unread::note_unknown_fields(node, &known, LedgerPath::BODY, ledger);
    unread::note_invalid_values(node, TEXT_KEYS, JsonNode::is_string, LedgerPath::BODY, ledger);
    unread::note_invalid_values(node, BOOL_KEYS, unread::is_boolean, LedgerPath::BODY, ledger);
    unread::note_invalid_values(node, &["stop"], JsonNode::is_array, LedgerPath::BODY, ledger);
    unread::note_invalid_values(
        node,
        &["reasoning"],
        JsonNode::is_object,
        LedgerPath::BODY,
        ledger,
    );
    unread::note_invalid_values(
        node,
        &["choice"],
        |value| decode_choice(value).is_some(),
        LedgerPath::BODY,
        ledger,
    );
    unread::note_invalid_values(
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
            unread::note_unknown_fields(group, known, LedgerPath::BODY, ledger);
            let text_keys = ["mode", "effort", "display", "name", "description"];
            unread::note_invalid_values(
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
    list.into_iter()
        .flat_map(JsonNode::items)
        .map(|item| read_blocks::text_or_raw(Some(item)))
        .collect()
}

fn decode_choice(node: JsonNode<'_>) -> Option<ToolChoice> {
    if let Some(name) = node.get("named") {
        return Some(ToolChoice::Named(read_blocks::text_or_raw(Some(name))));
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
