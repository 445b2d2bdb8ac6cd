//! Decodes the settings of a request.

use interlingua_model::{ReasoningMode, ReasoningSettings, ResponseFormat, Settings, ToolChoice};
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use super::fields::{non_null_json, text_or_raw};

/// Decodes the settings. Keys with an unknown value are added to `unknown_fields`.
pub(crate) fn decode_settings(
    body: JsonNode<'_>,
    unknown_fields: &mut Vec<JsonString>,
) -> Box<Settings> {
    let mut settings = Box::<Settings>::default();
    let mut reasoning = ReasoningSettings::default();
    for field in body.fields().filter(|field| !field.value.is_null()) {
        let value = field.value;
        let mut unknown_fields = || unknown_fields.push(field.key_json_string());
        match &*field.key() {
            "max_completion_tokens" => settings.max_tokens = Some(value.json()),
            "max_tokens" if body.get("max_completion_tokens").is_none_or(JsonNode::is_null) => {
                settings.max_tokens = Some(value.json());
            }
            "temperature" => settings.temperature = Some(value.json()),
            "top_p" => settings.top_p = Some(value.json()),
            "top_k" => settings.top_k = Some(value.json()),
            "seed" | "random_seed" => settings.seed = Some(value.json()),
            "presence_penalty" => settings.presence_penalty = Some(value.json()),
            "frequency_penalty" => settings.frequency_penalty = Some(value.json()),
            "n" => settings.candidate_count = Some(value.json()),
            "stop" => match decode_stop_sequences(value) {
                Some(texts) => settings.stop_sequences = texts,
                None => unknown_fields(),
            },
            "stream" => settings.stream = value.as_bool(),
            "stream_options" => {
                settings.stream_usage = value.get("include_usage").and_then(JsonNode::as_bool);
            }
            "tool_choice" => {
                settings.tool_choice = decode_tool_choice(value);
                if settings.tool_choice.is_none() {
                    unknown_fields();
                }
            }
            "function_call" if body.get("tool_choice").is_none_or(JsonNode::is_null) => {
                settings.tool_choice = decode_tool_choice(value);
                if settings.tool_choice.is_none() {
                    unknown_fields();
                }
            }
            "parallel_tool_calls" => settings.parallel_tool_calls = value.as_bool(),
            "reasoning_effort" => decode_effort(value, &mut reasoning),
            "reasoning" => decode_reasoning_object(value, &mut reasoning),
            "thinking" => decode_thinking(value, &mut reasoning),
            "enable_thinking" => {
                reasoning.mode = value.as_bool().map(reasoning_mode).or(reasoning.mode.take());
            }
            "thinking_budget" => reasoning.budget_tokens = Some(value.json()),
            "response_format" => {
                settings.response_format = decode_response_format(value);
                if settings.response_format.is_none() {
                    unknown_fields();
                }
            }
            "verbosity" => settings.verbosity = Some(text_or_raw(value)),
            "safety_identifier" => settings.user = Some(text_or_raw(value)),
            "user" if settings.user.is_none() => settings.user = Some(text_or_raw(value)),
            "metadata" => settings.metadata = Some(value.json()),
            "service_tier" => settings.service_tier = Some(text_or_raw(value)),
            "prompt_cache_key" => settings.cache_key = Some(text_or_raw(value)),
            "store" => settings.store = value.as_bool(),
            _ => {}
        }
    }
    settings.reasoning = (reasoning != ReasoningSettings::default()).then_some(reasoning);
    settings
}

/// The keys of a field that the model holds, for fields with other keys too.
pub(crate) fn known_subfields(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "stream_options" => Some(&["include_usage"]),
        "reasoning" => Some(&["effort", "enabled", "max_tokens", "summary", "exclude"]),
        "thinking" => Some(&["type", "budget_tokens"]),
        _ => None,
    }
}

fn decode_stop_sequences(node: JsonNode<'_>) -> Option<Vec<JsonString>> {
    match node.kind() {
        JsonKind::String => Some(node.json_string().into_iter().collect()),
        JsonKind::Array => Some(node.items().map(text_or_raw).collect()),
        JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::Object => None,
    }
}

fn decode_tool_choice(node: JsonNode<'_>) -> Option<ToolChoice> {
    match &*node.str_or_empty() {
        "auto" => return Some(ToolChoice::Auto),
        "none" => return Some(ToolChoice::None),
        "required" | "any" => return Some(ToolChoice::Required),
        _ => {}
    }
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    if kind == "allowed_tools" {
        let allowed = node.get("allowed_tools").unwrap_or(node);
        let tools = allowed.get("tools").into_iter().flat_map(JsonNode::items);
        return Some(ToolChoice::Allowed {
            names: tools.filter_map(tool_name).collect(),
            required: allowed.get("mode").is_some_and(|mode| mode.str_or_empty() == "required"),
        });
    }
    if let Some(name) = tool_name(node) {
        return Some(ToolChoice::Named(name));
    }
    match &*kind {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        "required" | "any" => Some(ToolChoice::Required),
        _ => None,
    }
}

/// The name of a tool, in any form that contains one.
fn tool_name(node: JsonNode<'_>) -> Option<JsonString> {
    let inner = node.get("function").or_else(|| node.get("custom")).unwrap_or(node);
    inner.get("name")?.json_string()
}

fn reasoning_mode(is_on: bool) -> ReasoningMode {
    if is_on { ReasoningMode::On } else { ReasoningMode::Off }
}

/// The effort `none` turns reasoning off.
fn decode_effort(node: JsonNode<'_>, reasoning: &mut ReasoningSettings) {
    if node.str_or_empty() == "none" {
        reasoning.mode = Some(ReasoningMode::Off);
    } else {
        reasoning.effort = node.json_string();
    }
}

fn decode_reasoning_object(node: JsonNode<'_>, reasoning: &mut ReasoningSettings) {
    if let Some(node) = node.get("effort").filter(|node| !node.is_null()) {
        decode_effort(node, reasoning);
    }
    if let Some(enabled) = node.get("enabled").and_then(JsonNode::as_bool) {
        reasoning.mode = Some(reasoning_mode(enabled));
    }
    reasoning.budget_tokens =
        non_null_json(node.get("max_tokens")).or(reasoning.budget_tokens.take());
    reasoning.display = node.get("summary").and_then(JsonNode::json_string);
    if node.get("exclude").and_then(JsonNode::as_bool) == Some(true) {
        reasoning.display = Some(JsonString::from_static("omitted"));
    }
}

fn decode_thinking(node: JsonNode<'_>, reasoning: &mut ReasoningSettings) {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    reasoning.mode = match &*kind {
        "enabled" => Some(ReasoningMode::On),
        "disabled" => Some(ReasoningMode::Off),
        "adaptive" | "auto" => Some(ReasoningMode::Adaptive),
        _ => node.as_bool().map(reasoning_mode).or(reasoning.mode.take()),
    };
    reasoning.budget_tokens =
        non_null_json(node.get("budget_tokens")).or(reasoning.budget_tokens.take());
}

fn decode_response_format(node: JsonNode<'_>) -> Option<ResponseFormat> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    match &*kind {
        "text" => Some(ResponseFormat::Text),
        "json_object" => Some(ResponseFormat::Json),
        kind if kind == "json_schema"
            || node.get("json_schema").is_some_and(JsonNode::is_object) =>
        {
            let inner = node.get("json_schema").unwrap_or(node);
            Some(ResponseFormat::Schema {
                name: inner.get("name").and_then(JsonNode::json_string),
                description: inner.get("description").and_then(JsonNode::json_string),
                schema: non_null_json(inner.get("schema")).unwrap_or(RawJson::EMPTY_OBJECT),
                strict: inner.get("strict").and_then(JsonNode::as_bool),
            })
        }
        _ => None,
    }
}
