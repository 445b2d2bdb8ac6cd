//! Decodes settings.

use interlingua_model::{
    ReasoningMode, ReasoningSettings, ResponseFormat, Settings, ToolChoice, TopLevelField,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::gemini::{field_name, schema};

/// Decodes the settings of a request. Config fields that the model does not have are added to
/// `fields` with their path, so that they are noted in a cross-dialect request.
pub(crate) fn decode_settings(
    request: JsonNode<'_>,
    prefix: &str,
    fields: &mut Vec<TopLevelField>,
) -> Box<Settings> {
    let mut settings = Box::<Settings>::default();
    if let Some(config) = field_name::get(request, "generationConfig") {
        decode_generation_config(config, prefix, &mut settings, fields);
    }
    if let Some(config) = field_name::get(request, "toolConfig") {
        settings.tool_choice = decode_tool_choice(config);
        for field in config.fields().filter(|field| !field.value.is_null()) {
            if !field_name::matches(&field.key(), "functionCallingConfig") {
                push_unknown_field(
                    fields,
                    &format!("{prefix}toolConfig.{}", field.key()),
                    field.value,
                );
            } else if settings.tool_choice.is_none() {
                push_unknown_field(
                    fields,
                    &format!("{prefix}toolConfig.functionCallingConfig"),
                    field.value,
                );
            } else if let Some(unknown) =
                field_name::unknown_fields(field.value, FUNCTION_CALLING_KEYS)
            {
                for unknown_field in unknown.to_doc().root().fields() {
                    let path = "toolConfig.functionCallingConfig";
                    push_unknown_field(
                        fields,
                        &format!("{prefix}{path}.{}", unknown_field.key()),
                        unknown_field.value,
                    );
                }
            }
        }
    }
    settings.service_tier = field_name::get(request, "serviceTier").and_then(JsonNode::json_string);
    settings.store = field_name::get(request, "store").and_then(JsonNode::as_bool);
    settings
}

fn decode_generation_config(
    config: JsonNode<'_>,
    prefix: &str,
    settings: &mut Settings,
    fields: &mut Vec<TopLevelField>,
) {
    settings.response_format = decode_format(config);
    for field in config.fields().filter(|field| !field.value.is_null()) {
        let value = field.value;
        let path = || format!("{prefix}generationConfig.{}", field.key());
        match field_name::find_known(&field.key(), GENERATION_CONFIG_KEYS) {
            Some("temperature") => settings.temperature = Some(value.json()),
            Some("topP") => settings.top_p = Some(value.json()),
            Some("topK") => settings.top_k = Some(value.json()),
            Some("candidateCount") => settings.candidate_count = Some(value.json()),
            Some("maxOutputTokens") => settings.max_tokens = Some(value.json()),
            Some("seed") => settings.seed = Some(value.json()),
            Some("presencePenalty") => settings.presence_penalty = Some(value.json()),
            Some("frequencyPenalty") => settings.frequency_penalty = Some(value.json()),
            Some("stopSequences") => {
                settings.stop_sequences = match value.json_string() {
                    Some(sequence) => vec![sequence],
                    None => value.items().filter_map(JsonNode::json_string).collect(),
                };
            }
            Some("thinkingConfig") => {
                settings.reasoning = Some(decode_thinking_config(value));
                if let Some(unknown) = field_name::unknown_fields(value, KNOWN_KEYS) {
                    for unknown_field in unknown.to_doc().root().fields() {
                        push_unknown_field(
                            fields,
                            &format!("{}.{}", path(), unknown_field.key()),
                            unknown_field.value,
                        );
                    }
                }
            }
            Some(_) if settings.response_format.is_some() => {}
            Some(_) | None => push_unknown_field(fields, &path(), value),
        }
    }
}

/// The response format; `None` if it is missing or unknown to other dialects.
pub(crate) fn decode_format(config: JsonNode<'_>) -> Option<ResponseFormat> {
    let mime = field_name::get(config, "responseMimeType").map(JsonNode::str_or_empty);
    let openapi_schema = field_name::get(config, "responseSchema").map(schema::to_json_schema);
    let schema =
        field_name::get(config, "responseJsonSchema").map(JsonNode::json).or(openapi_schema);
    match (mime.as_deref(), schema) {
        (_, Some(schema)) => {
            Some(ResponseFormat::Schema { name: None, description: None, schema, strict: None })
        }
        (Some("application/json"), None) => Some(ResponseFormat::Json),
        (Some("text/plain"), None) => Some(ResponseFormat::Text),
        _ => None,
    }
}

/// Returns whether the entry is a field inside a config, not of the body itself.
pub(crate) fn is_nested_field(field: &TopLevelField) -> bool {
    let key = field.key.raw();
    let head = key.split_once('.').map(|(head, _)| head);
    head.is_some_and(|head| ["request", "generationConfig", "toolConfig"].contains(&head))
}

fn push_unknown_field(fields: &mut Vec<TopLevelField>, path: &str, value: JsonNode<'_>) {
    let value: RawJson = value.json();
    fields.push(TopLevelField {
        key: JsonString::new(path),
        value,
        is_modeled: false,
        known_subfields: None,
    });
}

fn decode_thinking_config(config: JsonNode<'_>) -> ReasoningSettings {
    let mut reasoning = ReasoningSettings::default();
    if let Some(budget) = field_name::get(config, "thinkingBudget") {
        match budget.raw() {
            "0" => reasoning.mode = Some(ReasoningMode::Off),
            "-1" => reasoning.mode = Some(ReasoningMode::Adaptive),
            _ => {
                reasoning.mode = Some(ReasoningMode::On);
                reasoning.budget_tokens = Some(budget.json());
            }
        }
    }
    if let Some(level) = field_name::get(config, "thinkingLevel") {
        reasoning.effort = Some(JsonString::new(&level.str_or_empty().to_ascii_lowercase()));
    }
    reasoning.display =
        field_name::get(config, "includeThoughts").and_then(lenient_bool).map(|is_shown| {
            JsonString::from_static(if is_shown { DISPLAY_SHOWN } else { DISPLAY_HIDDEN })
        });
    reasoning
}

/// A boolean, which the provider also accepts as a string.
fn lenient_bool(node: JsonNode<'_>) -> Option<bool> {
    match &*node.str_or_empty() {
        "true" => Some(true),
        "false" => Some(false),
        _ => node.as_bool(),
    }
}

/// Decodes which functions may or must be called.
fn decode_tool_choice(config: JsonNode<'_>) -> Option<ToolChoice> {
    let calling_config = field_name::get(config, "functionCallingConfig")?;
    let allowed = field_name::get(calling_config, "allowedFunctionNames");
    let names: Vec<JsonString> =
        allowed.into_iter().flat_map(JsonNode::items).filter_map(JsonNode::json_string).collect();
    let mode =
        field_name::get(calling_config, "mode").map(JsonNode::str_or_empty).unwrap_or_default();
    match (&*mode.to_ascii_uppercase(), names.len()) {
        ("NONE", _) => Some(ToolChoice::None),
        ("ANY", 0) => Some(ToolChoice::Required),
        ("ANY", 1) => names.into_iter().next().map(ToolChoice::Named),
        ("ANY", _) => Some(ToolChoice::Allowed { names, required: true }),
        ("AUTO" | "VALIDATED" | "", 0) => Some(ToolChoice::Auto),
        ("AUTO" | "VALIDATED" | "", 1..) => Some(ToolChoice::Allowed { names, required: false }),
        _ => None,
    }
}

/// Fields of the generation config that are decoded.
pub(crate) const GENERATION_CONFIG_KEYS: &[&str] = &[
    "temperature",
    "topP",
    "topK",
    "candidateCount",
    "maxOutputTokens",
    "stopSequences",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "thinkingConfig",
];

/// Fields of the function calling config that are decoded.
pub(crate) const FUNCTION_CALLING_KEYS: &[&str] = &["mode", "allowedFunctionNames"];

/// The fields that are decoded.
pub(crate) const KNOWN_KEYS: &[&str] = &["includeThoughts", "thinkingBudget", "thinkingLevel"];

const DISPLAY_SHOWN: &str = "summarized";
pub(crate) const DISPLAY_HIDDEN: &str = "omitted";
