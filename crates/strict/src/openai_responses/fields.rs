//! Shape of a request: all known parameters.

use serde_json::Value;

use super::items::check_item;
use super::shape::FieldType::{
    Any, AnyObject, Array, Bool, Custom, Enum, Integer, Number, Object, Str,
};
use super::shape::{Field, ShapeErrorKind, ShapeValidator, optional, quoted_list, required};
use super::tool_fields::{check_tool, check_tool_choice};

use crate::json::JsonExt as _;

/// In the order in which the API checks them.
pub(super) const PARAMETERS: &[Field] = &[
    optional("input", Custom(check_input)),
    optional("moderation", AnyObject),
    optional("previous_response_id", Str),
    optional("prompt", AnyObject),
    optional("include", Custom(check_include)),
    optional("tools", Array("tools", &Custom(check_tool))),
    optional("metadata", Custom(check_metadata)),
    optional("text", Object(TEXT_FIELDS)),
    optional("temperature", Number),
    optional("top_p", Number),
    optional("presence_penalty", Number),
    optional("frequency_penalty", Number),
    optional("parallel_tool_calls", Bool),
    optional("stream", Bool),
    optional("stream_options", Object(STREAM_OPTIONS_FIELDS)),
    optional("background", Bool),
    optional("max_output_tokens", Integer),
    optional("max_tool_calls", Integer),
    optional("reasoning", Object(REASONING_FIELDS)),
    optional("user", Str),
    optional("safety_identifier", Str),
    optional("prompt_cache_options", Object(PROMPT_CACHE_OPTIONS_FIELDS)),
    optional("prompt_cache_key", Str),
    optional("prompt_cache_retention", Enum(&["in_memory", "24h"], &[])),
    optional("truncation", Enum(&["auto", "disabled"], &[])),
    optional("instructions", Str),
    optional("store", Bool),
    optional(
        "service_tier",
        Enum(&["auto", "default", "fast", "flex", "priority"], UNDOCUMENTED_SERVICE_TIERS),
    ),
    optional("top_logprobs", Integer),
    optional("context_management", Array("objects", &AnyObject)),
    optional("conversation", Any),
    optional("tool_choice", Custom(check_tool_choice)),
    optional("client_metadata", AnyObject),
    optional("access_programs", Any),
    optional("image", AnyObject),
    optional("model", Str),
];

const UNDOCUMENTED_SERVICE_TIERS: &[&str] = &["scale", "ultrafast"];
const TEXT_FIELDS: &[Field] = &[
    optional("format", Custom(check_text_format)),
    optional("verbosity", Enum(&["low", "medium", "high"], &[])),
];
const STREAM_OPTIONS_FIELDS: &[Field] =
    &[optional("include_obfuscation", Bool), optional("reasoning_summary_delivery", Str)];
const PROMPT_CACHE_OPTIONS_FIELDS: &[Field] = &[
    optional("mode", Enum(&["implicit", "explicit"], &[])),
    optional("ttl", Str),
    optional("prewarm", Any),
    optional("comparison_response_id", Str),
];
const REASONING_FIELDS: &[Field] = &[
    optional("effort", Enum(EFFORTS, &[])),
    optional("summary", Enum(&["concise", "detailed", "auto"], &[])),
    optional("context", Enum(&["auto", "current_turn", "all_turns"], &[])),
    optional("mode", Str),
    optional("generate_summary", Enum(&["concise", "detailed", "auto"], &[])),
];
pub(super) const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const PLAIN_FORMAT_FIELDS: &[Field] = &[required("type", Any)];
const JSON_SCHEMA_FORMAT_FIELDS: &[Field] = &[
    required("type", Any),
    required("name", Str),
    required("schema", AnyObject),
    optional("description", Str),
    optional("strict", Bool),
];

fn check_input(validator: &mut ShapeValidator, value: &Value) {
    match value {
        Value::String(_) => {}
        Value::Array(list) => validator.check_items(list, check_item),
        other => validator.expect(false, "one of a string or array of input items", other),
    }
}

fn check_include(validator: &mut ShapeValidator, value: &Value) {
    if let Some(list) = value.as_array() {
        return validator.check_items(list, |validator, value| {
            validator.check_enum(value, INCLUDE_VALUES, &[]);
        });
    }
    let abbreviated = |word: &&str| format!("{}...{}", &word[..3], &word[word.len() - 3..]);
    let abbreviated: Vec<_> = INCLUDE_VALUES.iter().map(abbreviated).collect();
    let abbreviated: Vec<_> = abbreviated.iter().map(String::as_str).collect();
    let values = quoted_list(&abbreviated, "or");
    validator.expect(false, &format!("an array of one of {values}"), value);
}

fn check_metadata(validator: &mut ShapeValidator, value: &Value) {
    validator.expect(value.is_object(), "a metadata object", value);
}

fn check_text_format(validator: &mut ShapeValidator, value: &Value) {
    let Some(kind) = value.field("type") else {
        return if value.is_object() {
            validator.at_key("type", |validator| validator.push_error(ShapeErrorKind::Missing));
        } else {
            validator.expect(false, "a text format", value);
        };
    };
    validator.at_key("type", |validator| {
        validator.check_enum(kind, &["json_object", "text", "json_schema"], &[]);
    });
    match kind.as_str() {
        Some("json_schema") => validator.check_object(value, JSON_SCHEMA_FORMAT_FIELDS),
        Some("json_object" | "text") => validator.check_object(value, PLAIN_FORMAT_FIELDS),
        _ => {}
    }
}

const INCLUDE_VALUES: &[&str] = &[
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
];
