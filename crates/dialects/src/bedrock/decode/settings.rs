//! Decodes settings.

use interlingua_model::{
    Ledger, LedgerPath, ReasoningMode, ReasoningSettings, ResponseFormat, Settings, ToolChoice,
};
use interlingua_wire::{JsonKind, JsonNode, RawJson};

use crate::note;

/// Decodes the settings from the body fields that contain them.
pub(crate) fn decode_settings<'d>(
    field: impl Fn(&str) -> Option<JsonNode<'d>>,
    ledger: &mut Ledger,
) -> Box<Settings> {
    let field = |key: &str| field(key).filter(|node| !node.is_null());
    let mut settings = Box::<Settings>::default();
    if let Some(config) = field("toolConfig") {
        settings.tool_choice =
            config.get("toolChoice").and_then(|choice| decode_tool_choice(choice, ledger));
    }
    if let Some(config) = field("inferenceConfig") {
        decode_inference_config(config, &mut settings, ledger);
    }
    if let Some(additional_fields) = field("additionalModelRequestFields") {
        decode_additional_fields(additional_fields, &mut settings);
    }
    if let Some(config) = field("outputConfig") {
        decode_output_config(config, &mut settings);
    }
    settings.metadata = field("requestMetadata").map(JsonNode::json);
    settings.service_tier =
        field("serviceTier").and_then(|tier| tier.get("type").unwrap_or(tier).json_string());
    settings
}

/// Returns whether the model holds the field, at least in part.
pub(crate) fn is_known_field(key: &str) -> bool {
    matches!(key, "modelId" | "model" | "messages" | "system" | "requestMetadata")
        || known_subfields(key).is_some()
}

/// The keys of a field that the model holds, for fields with other keys too.
pub(crate) fn known_subfields(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "toolConfig" => Some(&["tools", "toolChoice"]),
        "inferenceConfig" => Some(INFERENCE_KEYS),
        "additionalModelRequestFields" => Some(ADDITIONAL_KEYS),
        "outputConfig" => Some(OUTPUT_KEYS),
        "serviceTier" => Some(&["type"]),
        _ => None,
    }
}

fn decode_inference_config(config: JsonNode<'_>, settings: &mut Settings, ledger: &mut Ledger) {
    settings.max_tokens = decode_number(config, "maxTokens", ledger);
    settings.temperature = decode_number(config, "temperature", ledger);
    settings.top_p = decode_number(config, "topP", ledger);
    if let Some(stop) = config.get("stopSequences") {
        settings.stop_sequences = match stop.json_string() {
            Some(sequence) => {
                note_odd_input("`stopSequences` is a string: read as a list", ledger);
                vec![sequence]
            }
            None => stop.items().filter_map(JsonNode::json_string).collect(),
        };
    }
}

/// A number with its original text. A number in a string is extracted.
fn decode_number(config: JsonNode<'_>, key: &str, ledger: &mut Ledger) -> Option<RawJson> {
    let node = config.get(key)?;
    match node.kind() {
        JsonKind::Number => Some(node.json()),
        JsonKind::Null => None,
        _ => {
            note_odd_input(format!("`{key}` is not a number"), ledger);
            RawJson::parse(node.str_or_empty().into_owned())
                .ok()
                .filter(|json| json.kind() == JsonKind::Number)
        }
    }
}

/// These fields are passed to the model unchanged. Claude's fields are known; fields of other
/// models are not checked, so nothing is noted.
fn decode_additional_fields(fields: JsonNode<'_>, settings: &mut Settings) {
    let ledger = &mut Ledger::default();
    settings.top_k = decode_number(fields, "top_k", ledger);
    let mut reasoning = ReasoningSettings::default();
    for key in ["thinking", "reasoning_config"] {
        if let Some(thinking) = fields.get(key) {
            reasoning.mode =
                match &*thinking.get("type").map(JsonNode::str_or_empty).unwrap_or_default() {
                    "enabled" => Some(ReasoningMode::On),
                    "adaptive" => Some(ReasoningMode::Adaptive),
                    "disabled" => Some(ReasoningMode::Off),
                    "between_tools" => Some(ReasoningMode::BetweenTools),
                    _ => None,
                };
            reasoning.budget_tokens = decode_number(thinking, "budget_tokens", ledger);
            reasoning.display = thinking.get("display").and_then(JsonNode::json_string);
        }
    }
    let output_effort =
        fields.get("output_config").and_then(|output_effort| output_effort.get("effort"));
    reasoning.effort =
        output_effort.or_else(|| fields.get("reasoning_effort")).and_then(JsonNode::json_string);
    if reasoning != ReasoningSettings::default() {
        settings.reasoning = Some(reasoning);
    }
}

fn decode_output_config(config: JsonNode<'_>, settings: &mut Settings) {
    if let Some(effort) = config.get("effort").and_then(JsonNode::json_string) {
        settings.reasoning.get_or_insert_default().effort = Some(effort);
    }
    let Some(format) = config.get("textFormat") else { return };
    let schema = format.get("structure").and_then(|structure| structure.get("jsonSchema"));
    settings.response_format = schema.and_then(decode_schema);
}

/// The schema is JSON inside a string.
fn decode_schema(node: JsonNode<'_>) -> Option<ResponseFormat> {
    let schema = node.get("schema")?;
    let schema = if schema.is_object() {
        schema.json()
    } else {
        RawJson::parse(schema.json_string()?.unescape().into_owned()).ok()?
    };
    let text = |key: &str| node.get(key).and_then(JsonNode::json_string);
    Some(ResponseFormat::Schema {
        name: text("name"),
        description: text("description"),
        schema,
        strict: None,
    })
}

fn note_odd_input(message: impl Into<std::borrow::Cow<'static, str>>, ledger: &mut Ledger) {
    ledger.record_change(note::ODD_INPUT, LedgerPath::SETTINGS, message);
}

pub(crate) fn decode_tool_choice(node: JsonNode<'_>, ledger: &mut Ledger) -> Option<ToolChoice> {
    let union_field = node.fields().find(|field| !field.value.is_null());
    let choice = union_field.and_then(|field| match &*field.key() {
        "auto" => Some(ToolChoice::Auto),
        "any" => Some(ToolChoice::Required),
        "tool" => Some(ToolChoice::Named(field.value.get("name")?.json_string()?)),
        _ => None,
    });
    if choice.is_none() && !node.is_null() {
        ledger.record_change(
            note::ODD_INPUT,
            LedgerPath::SETTINGS,
            "`toolChoice` has an unknown kind",
        );
    }
    choice
}

pub(crate) const INFERENCE_KEYS: &[&str] = &["maxTokens", "temperature", "topP", "stopSequences"];
pub(crate) const ADDITIONAL_KEYS: &[&str] =
    &["top_k", "thinking", "reasoning_config", "output_config", "reasoning_effort"];
pub(crate) const OUTPUT_KEYS: &[&str] = &["textFormat", "effort"];
