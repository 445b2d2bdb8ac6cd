//! Rules about the generation config, thinking, cached content and the context window.

use serde_json::Value;

use super::profile::profile;
use super::tools::{has_builtin_tool, has_functions};
use super::view::{
    self, field, flavored_message, is_vertex, nested_field, repeated_field, str_field,
};
use crate::{CheckContext, Request};

fn thinking_config<'r>(request: &Request<'r>) -> Option<&'r Value> {
    nested_field(view::generate_request(request), &["generation_config", "thinking_config"])
}

fn requested_budget(request: &Request<'_>) -> Option<i64> {
    let budget = field(thinking_config(request)?, "thinking_budget")?;
    let number = budget.as_f64().or_else(|| budget.as_str()?.parse().ok())?;
    // A whole number may be written with a zero fraction.
    (number.fract() == 0.0).then_some(number as i64)
}

fn has_thinking_level(request: &Request<'_>) -> bool {
    thinking_config(request).is_some_and(|thinking| field(thinking, "thinking_level").is_some())
}

pub(super) fn budget_and_level(request: &Request<'_>, cx: &mut CheckContext) {
    if has_thinking_level(request) && requested_budget(request).is_some() {
        cx.reject(
            THINKING_CONFIG_PATH,
            flavored_message(request.flavor, cx.case("budget-and-level")),
        );
    }
}

pub(super) fn no_thinking_level(request: &Request<'_>, cx: &mut CheckContext) {
    if has_thinking_level(request) && profile(request.model).thinking_levels.is_empty() {
        cx.reject(
            format!("{THINKING_CONFIG_PATH}.thinking_level"),
            flavored_message(request.flavor, cx.case("no-thinking-level")),
        );
    }
}

pub(super) fn thinking_level(request: &Request<'_>, cx: &mut CheckContext) {
    let supported = profile(request.model).thinking_levels;
    let level =
        thinking_config(request).map_or("", |thinking| str_field(thinking, "thinking_level"));
    let level = level.to_uppercase();
    if !supported.is_empty() && THINKING_LEVELS.contains(&&*level) && !supported.contains(&&*level)
    {
        let message = if is_vertex(request.flavor) {
            format!("Thinking level is unsupported: THINKING_LEVEL_{level}")
        } else {
            format!("Thinking level {level} is not supported for this model.")
        };
        cx.reject(
            format!("{THINKING_CONFIG_PATH}.thinking_level"),
            flavored_message(request.flavor, &message),
        );
    }
}

pub(super) fn no_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let config = thinking_config(request).and_then(Value::as_object);
    let is_set = config.is_some_and(|config| config.values().any(|value| !value.is_null()));
    if is_set && !profile(request.model).has_thinking_config {
        let message = if is_vertex(request.flavor) {
            flavored_message(request.flavor, "thinking is not supported by this model")
        } else {
            cx.case("no-thinking").to_owned()
        };
        cx.reject(THINKING_CONFIG_PATH, message);
    }
}

pub(super) fn thinking_only(request: &Request<'_>, cx: &mut CheckContext) {
    if requested_budget(request) == Some(0) && !profile(request.model).can_disable_thinking {
        let message = if is_vertex(request.flavor) {
            flavored_message(request.flavor, THINKING_ONLY_VERTEX_ERROR)
        } else {
            cx.case("thinking-only").to_owned()
        };
        cx.reject(format!("{THINKING_CONFIG_PATH}.thinking_budget"), message);
    }
}

pub(super) fn thinking_budget(request: &Request<'_>, cx: &mut CheckContext) {
    let (Some(requested), Some((min, max))) =
        (requested_budget(request), profile(request.model).thinking_budget)
    else {
        return;
    };
    if requested != -1 && requested != 0 && !(min..=max).contains(&requested) {
        let message = format!(
            "The thinking budget {requested} is invalid. Please choose a value between {min} and {max}."
        );
        cx.reject(
            format!("{THINKING_CONFIG_PATH}.thinking_budget"),
            flavored_message(request.flavor, &message),
        );
    }
}

pub(super) fn json_and_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let body = view::generate_request(request);
    let kind = nested_field(body, &["generation_config", "response_mime_type"]);
    let is_json = kind.is_some_and(|kind| kind == "application/json");
    if !is_json || profile(request.model).json_with_tools {
        return;
    }
    let feature = if has_functions(body) {
        "Function calling"
    } else if has_builtin_tool(body) {
        "Tool use"
    } else {
        return;
    };
    let message = format!("{feature} with a response mime type: 'application/json' is unsupported");
    cx.reject("generation_config.response_mime_type", flavored_message(request.flavor, &message));
}

pub(super) fn cached_content(request: &Request<'_>, cx: &mut CheckContext) {
    let body = view::generate_request(request);
    let is_set = ["system_instruction", "tools", "tool_config"]
        .iter()
        .any(|name| field(body, name).is_some());
    if is_set && !str_field(body, "cached_content").is_empty() {
        cx.reject("cached_content", cx.message());
    }
}

/// A conservative estimate of a prompt's tokens: the real number is rarely smaller.
pub(super) fn estimate_tokens(body: &Value) -> u64 {
    let names = ["contents", "system_instruction", "tools"];
    let size: usize = names.iter().filter_map(|name| field(body, name)).map(text_bytes).sum();
    size as u64 / 4
}

/// Bytes of all strings, without media and signatures.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(text_bytes).sum(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| {
                !["data", "thought_signature"].iter().any(|name| view::is_name_of(key, name))
            })
            .map(|(_, value)| text_bytes(value))
            .sum(),
        _ => 1,
    }
}

pub(super) fn prompt_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let (tokens, limit) =
        (estimate_tokens(view::generate_request(request)), profile(request.model).context_window);
    if tokens > limit && !request.count_tokens {
        cx.reject_filled("contents", &[("n", &tokens), ("most", &limit)]);
    }
}

pub(super) fn temperature(request: &Request<'_>, cx: &mut CheckContext) {
    let setting =
        nested_field(view::generate_request(request), &["generation_config", "temperature"]);
    let number = setting.and_then(as_number).filter(|number| !(0.0..=2.0).contains(number));
    let Some(number) = number else { return };
    let message = if is_vertex(request.flavor) {
        format!(
            "Unable to submit request because it has a temperature value of {number} but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again."
        )
    } else {
        cx.case("temperature").to_owned()
    };
    cx.reject("generation_config.temperature", message);
}

/// A number, or a string that contains one.
fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

pub(super) fn max_output_tokens(request: &Request<'_>, cx: &mut CheckContext) {
    let setting =
        nested_field(view::generate_request(request), &["generation_config", "max_output_tokens"]);
    let limit = profile(request.model).vertex_max_output_tokens;
    let exceeds_limit = |number: f64| is_vertex(request.flavor) && number > f64::from(limit);
    let number =
        setting.and_then(as_number).filter(|number| *number < 1.0 || exceeds_limit(*number));
    if let Some(number) = number {
        let message = out_of_range_message("maxOutputTokens", &number.to_string(), limit + 1);
        cx.reject("generation_config.max_output_tokens", message);
    }
}

pub(super) fn stop_sequences(request: &Request<'_>, cx: &mut CheckContext) {
    let config = field(view::generate_request(request), "generation_config");
    let count = config.map_or(0, |config| repeated_field(config, "stop_sequences").len());
    let limit = if is_vertex(request.flavor) {
        profile(request.model).vertex_max_stop_sequences
    } else {
        5
    };
    if count > limit as usize {
        let message = out_of_range_message("stopSequences", &count.to_string(), limit + 1);
        cx.reject("generation_config.stop_sequences", message);
    }
}

fn out_of_range_message(name: &str, value: &str, exclusive_max: u32) -> String {
    format!(
        "Unable to submit request because it has a {name} value of {value} but the supported range is from 1 (inclusive) to {exclusive_max} (exclusive). Update the value and try again."
    )
}

const THINKING_CONFIG_PATH: &str = "generation_config.thinking_config";
const THINKING_LEVELS: &[&str] = &["MINIMAL", "LOW", "MEDIUM", "HIGH"];
const THINKING_ONLY_VERTEX_ERROR: &str = "The model does not support setting thinking_budget to 0.";
