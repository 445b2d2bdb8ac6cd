//! Decodes the settings: the generation config, the tool config and the fields next to them.

use interlingua_model::{ResponseFormat, Settings, TopLevelField};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::{field_name, reasoning, schema, tools};

/// Decodes the settings of a request. Config fields that the model does not have are added to
/// `fields` with their path, so that they are noted in a cross-dialect request.
pub(super) fn decode_settings(
    request: JsonNode<'_>,
    prefix: &str,
    fields: &mut Vec<TopLevelField>,
) -> Box<Settings> {
    let mut settings = Box::<Settings>::default();
    if let Some(config) = field_name::get(request, "generationConfig") {
        decode_generation_config(config, prefix, &mut settings, fields);
    }
    if let Some(config) = field_name::get(request, "toolConfig") {
        settings.tool_choice = tools::decode_tool_choice(config);
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
                settings.reasoning = Some(reasoning::decode_thinking_config(value));
                if let Some(unknown) = field_name::unknown_fields(value, reasoning::KNOWN_KEYS) {
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
pub(super) fn decode_format(config: JsonNode<'_>) -> Option<ResponseFormat> {
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
pub(super) fn is_nested_field(field: &TopLevelField) -> bool {
    let key = field.key.raw();
    let head = key.split_once('.').map(|(head, _)| head);
    head.is_some_and(|head| ["request", "generationConfig", "toolConfig"].contains(&head))
}

fn push_unknown_field(fields: &mut Vec<TopLevelField>, path: &str, value: JsonNode<'_>) {
    let value: RawJson = value.json();
    fields.push(TopLevelField { key: JsonString::new(path), value, is_modeled: false });
}

/// Fields of the generation config that are decoded.
pub(super) const GENERATION_CONFIG_KEYS: &[&str] = &[
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
pub(super) const FUNCTION_CALLING_KEYS: &[&str] = &["mode", "allowedFunctionNames"];
