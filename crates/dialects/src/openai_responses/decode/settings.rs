//! Decodes settings.

use std::collections::HashSet;

use interlingua_model::{
    Ledger, LedgerPath, ReasoningMode, ReasoningSettings, ResponseFormat, Settings, ToolChoice,
    TopLevelField,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::note;
use crate::openai_responses::namespace;

/// `None` for a choice that only this dialect has, such as one of the provider's own tools.
pub(crate) fn decode_tool_choice(node: JsonNode<'_>) -> Option<ToolChoice> {
    decode_tool_choice_with(node, &HashSet::new())
}

/// Like [`decode_tool_choice`]; `disambiguated` are the tool names with a disambiguated namespace.
pub(crate) fn decode_tool_choice_with(
    node: JsonNode<'_>,
    disambiguated: &HashSet<String>,
) -> Option<ToolChoice> {
    let tool_name = |node: JsonNode<'_>| decode_tool_name(node, disambiguated);
    match &*node.str_or_empty() {
        "auto" => return Some(ToolChoice::Auto),
        "none" => return Some(ToolChoice::None),
        "required" => return Some(ToolChoice::Required),
        _ => {}
    }
    match &*node.get("type")?.str_or_empty() {
        "function" | "custom" => tool_name(node).map(ToolChoice::Named),
        "allowed_tools" => {
            let tools = node.get("tools")?;
            let names: Option<Vec<JsonString>> = tools.items().map(tool_name).collect();
            let required = node.get("mode").is_some_and(|mode| mode.str_or_empty() == "required");
            Some(ToolChoice::Allowed { names: names?, required })
        }
        _ => None,
    }
}

fn decode_tool_name(node: JsonNode<'_>, disambiguated: &HashSet<String>) -> Option<JsonString> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    if kind != "function" && kind != "custom" {
        return None;
    }
    // Chat Completions nests the name; some clients mix both forms.
    let name = node.get("name").or_else(|| node.get("function")?.get("name"))?.json_string()?;
    let namespace = node.get("namespace").and_then(JsonNode::json_string);
    let disambiguated_name =
        namespace.as_ref().map(|space| namespace::disambiguated_name(space, &name));
    let disambiguated_name =
        disambiguated_name.filter(|name| disambiguated.contains(&*name.unescape()));
    Some(disambiguated_name.unwrap_or_else(|| namespace::qualified_name(namespace.as_ref(), &name)))
}

/// Decodes all settings. A field with a value that the model cannot hold is marked as not modeled.
pub(crate) fn decode_settings(
    body: JsonNode<'_>,
    fields: &mut [TopLevelField],
    ledger: &mut Ledger,
) -> Settings {
    let non_null = |key: &str| body.get(key).filter(|value| !value.is_null());
    let json = |key: &str| non_null(key).map(JsonNode::json);
    let text = |key: &str| non_null(key).and_then(JsonNode::json_string);
    let format = non_null("text").and_then(|text| text.get("format"));
    let choice = non_null("tool_choice").map(decode_tool_choice);
    if choice == Some(None) {
        mark_unknown(fields, "tool_choice");
    }
    if text("safety_identifier").is_some() && text("user") != text("safety_identifier") {
        mark_unknown(fields, "user");
    }
    let mut boolean = |key: &str| {
        let value = non_null(key)?;
        if value.as_bool().is_none() {
            let message = format!("`{key}` is not a boolean");
            ledger.record_change(note::ODD_INPUT, LedgerPath::SETTINGS, message);
        }
        value.as_bool().or_else(|| Some(value.str_or_empty() == "true"))
    };
    Settings {
        max_tokens: json("max_output_tokens"),
        temperature: json("temperature"),
        top_p: json("top_p"),
        presence_penalty: json("presence_penalty"),
        frequency_penalty: json("frequency_penalty"),
        stream: boolean("stream"),
        parallel_tool_calls: boolean("parallel_tool_calls"),
        store: boolean("store"),
        tool_choice: choice.flatten(),
        reasoning: non_null("reasoning").and_then(decode_reasoning),
        response_format: format.and_then(decode_format),
        verbosity: non_null("text")
            .and_then(|text| text.get("verbosity"))
            .and_then(JsonNode::json_string),
        user: text("safety_identifier").or_else(|| text("user")),
        metadata: json("metadata"),
        service_tier: text("service_tier"),
        cache_key: text("prompt_cache_key"),
        ..Settings::default()
    }
}

/// The keys of a field that the model holds, for fields with other keys too.
pub(crate) fn known_subfields(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "reasoning" => Some(&["effort", "summary", "generate_summary"]),
        "text" => Some(&["format", "verbosity"]),
        _ => None,
    }
}

fn mark_unknown(fields: &mut [TopLevelField], key: &str) {
    for field in fields.iter_mut().filter(|field| field.key == *key) {
        field.is_modeled = false;
    }
}

fn decode_reasoning(node: JsonNode<'_>) -> Option<ReasoningSettings> {
    let effort = node.get("effort").and_then(JsonNode::json_string);
    let display = node.get("summary").or_else(|| node.get("generate_summary"));
    let reasoning = ReasoningSettings {
        mode: effort.as_ref().filter(|effort| **effort == "none").map(|_| ReasoningMode::Off),
        effort,
        budget_tokens: None,
        display: display.and_then(JsonNode::json_string),
    };
    (reasoning != ReasoningSettings::default()).then_some(reasoning)
}

fn decode_format(node: JsonNode<'_>) -> Option<ResponseFormat> {
    match &*node.get("type").map(JsonNode::str_or_empty).unwrap_or_default() {
        "text" => Some(ResponseFormat::Text),
        "json_object" => Some(ResponseFormat::Json),
        "json_schema" => Some(ResponseFormat::Schema {
            name: node.get("name").and_then(JsonNode::json_string),
            description: node.get("description").and_then(JsonNode::json_string),
            schema: node
                .get("schema")
                .filter(|schema| schema.is_object())
                .map_or(RawJson::EMPTY_OBJECT, JsonNode::json),
            strict: node.get("strict").and_then(JsonNode::as_bool),
        }),
        _ => None,
    }
}
