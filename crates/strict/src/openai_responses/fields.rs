//! The parameters of a request: all that it may have.

use serde_json::Value;

use super::items::item;
use super::shape::Kind::{Any, By, Decimal, Flag, Integer, List, Map, Object, One, Text};
use super::shape::{Field, Walk, What, listed, may, need};
use super::tool_fields::{choice, tool};

use crate::rule::Fields as _;

/// In the order in which they are checked.
pub(super) const PARAMETERS: &[Field] = &[
    may("input", By(input)),
    may("moderation", Map),
    may("previous_response_id", Text),
    may("prompt", Map),
    may("include", By(include)),
    may("tools", List("tools", &By(tool))),
    may("metadata", By(metadata)),
    may("text", Object(TEXT)),
    may("temperature", Decimal),
    may("top_p", Decimal),
    may("presence_penalty", Decimal),
    may("frequency_penalty", Decimal),
    may("parallel_tool_calls", Flag),
    may("stream", Flag),
    may("stream_options", Object(STREAM_OPTIONS)),
    may("background", Flag),
    may("max_output_tokens", Integer),
    may("max_tool_calls", Integer),
    may("reasoning", Object(REASONING)),
    may("user", Text),
    may("safety_identifier", Text),
    may("prompt_cache_options", Object(PROMPT_CACHE_OPTIONS)),
    may("prompt_cache_key", Text),
    may("prompt_cache_retention", One(&["in_memory", "24h"], &[])),
    may("truncation", One(&["auto", "disabled"], &[])),
    may("instructions", Text),
    may("store", Flag),
    may("service_tier", One(&["auto", "default", "fast", "flex", "priority"], SERVICE_TIERS)),
    may("top_logprobs", Integer),
    may("context_management", List("objects", &Map)),
    may("conversation", Any),
    may("tool_choice", By(choice)),
    may("client_metadata", Map),
    may("access_programs", Any),
    may("image", Map),
    may("model", Text),
];

const SERVICE_TIERS: &[&str] = &["scale", "ultrafast"];
const TEXT: &[Field] =
    &[may("format", By(format)), may("verbosity", One(&["low", "medium", "high"], &[]))];
const STREAM_OPTIONS: &[Field] =
    &[may("include_obfuscation", Flag), may("reasoning_summary_delivery", Text)];
const PROMPT_CACHE_OPTIONS: &[Field] = &[
    may("mode", One(&["implicit", "explicit"], &[])),
    may("ttl", Text),
    may("prewarm", Any),
    may("comparison_response_id", Text),
];
const REASONING: &[Field] = &[
    may("effort", One(EFFORTS, &[])),
    may("summary", One(&["concise", "detailed", "auto"], &[])),
    may("context", One(&["auto", "current_turn", "all_turns"], &[])),
    may("mode", Text),
    may("generate_summary", One(&["concise", "detailed", "auto"], &[])),
];
pub(super) const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const PLAIN: &[Field] = &[need("type", Any)];
const JSON_SCHEMA: &[Field] = &[
    need("type", Any),
    need("name", Text),
    need("schema", Map),
    may("description", Text),
    may("strict", Flag),
];

fn input(walk: &mut Walk, value: &Value) {
    match value {
        Value::String(_) => {}
        Value::Array(list) => walk.each(list, item),
        other => walk.expect(false, "one of a string or array of input items", other),
    }
}

fn include(walk: &mut Walk, value: &Value) {
    if let Some(list) = value.as_array() {
        return walk.each(list, |walk, value| walk.word(value, INCLUDES, &[]));
    }
    let short = |word: &&str| format!("{}...{}", &word[..3], &word[word.len() - 3..]);
    let short: Vec<_> = INCLUDES.iter().map(short).collect();
    let short: Vec<_> = short.iter().map(String::as_str).collect();
    let words = listed(&short, "or");
    walk.expect(false, &format!("an array of one of {words}"), value);
}

fn metadata(walk: &mut Walk, value: &Value) {
    walk.expect(value.is_object(), "a metadata object", value);
}

fn format(walk: &mut Walk, value: &Value) {
    let Some(kind) = value.field("type") else {
        return if value.is_object() {
            walk.at("type", |walk| walk.fault(What::Missing));
        } else {
            walk.expect(false, "a text format", value);
        };
    };
    walk.at("type", |walk| walk.word(kind, &["json_object", "text", "json_schema"], &[]));
    match kind.as_str() {
        Some("json_schema") => walk.object(value, JSON_SCHEMA),
        Some("json_object" | "text") => walk.object(value, PLAIN),
        _ => {}
    }
}

const INCLUDES: &[&str] = &[
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
];
