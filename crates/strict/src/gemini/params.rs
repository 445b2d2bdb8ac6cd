//! Rules about the generation config, thinking, cached content and the context window.

use serde_json::Value;

use super::profile::profile;
use super::tools::{has_builtin_tool, has_functions};
use super::view::{
    self, field, flavored_message, is_vertex, nested_field, repeated_field, str_field,
};
use crate::{CheckContext, Evidence, Request, Rule};

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

fn budget_and_level(request: &Request<'_>, cx: &mut CheckContext) {
    if has_thinking_level(request) && requested_budget(request).is_some() {
        cx.reject(THINKING_CONFIG_PATH, flavored_message(request.flavor, BUDGET_AND_LEVEL_ERROR));
    }
}

fn no_thinking_level(request: &Request<'_>, cx: &mut CheckContext) {
    if has_thinking_level(request) && profile(request.model).thinking_levels.is_empty() {
        cx.reject(
            format!("{THINKING_CONFIG_PATH}.thinking_level"),
            flavored_message(request.flavor, NO_THINKING_LEVEL_ERROR),
        );
    }
}

fn thinking_level(request: &Request<'_>, cx: &mut CheckContext) {
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

fn no_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let config = thinking_config(request).and_then(Value::as_object);
    let is_set = config.is_some_and(|config| config.values().any(|value| !value.is_null()));
    if is_set && !profile(request.model).has_thinking_config {
        let message = if is_vertex(request.flavor) {
            flavored_message(request.flavor, "thinking is not supported by this model")
        } else {
            NO_THINKING_ERROR.to_owned()
        };
        cx.reject(THINKING_CONFIG_PATH, message);
    }
}

fn thinking_only(request: &Request<'_>, cx: &mut CheckContext) {
    if requested_budget(request) == Some(0) && !profile(request.model).can_disable_thinking {
        let message = if is_vertex(request.flavor) {
            flavored_message(request.flavor, THINKING_ONLY_VERTEX_ERROR)
        } else {
            THINKING_ONLY_ERROR.to_owned()
        };
        cx.reject(format!("{THINKING_CONFIG_PATH}.thinking_budget"), message);
    }
}

fn thinking_budget(request: &Request<'_>, cx: &mut CheckContext) {
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

fn json_and_tools(request: &Request<'_>, cx: &mut CheckContext) {
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

fn cached_content(request: &Request<'_>, cx: &mut CheckContext) {
    let body = view::generate_request(request);
    let is_set = ["system_instruction", "tools", "tool_config"]
        .iter()
        .any(|name| field(body, name).is_some());
    if is_set && !str_field(body, "cached_content").is_empty() {
        cx.reject("cached_content", CACHED_CONTENT_ERROR);
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

fn prompt_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let (tokens, limit) =
        (estimate_tokens(view::generate_request(request)), profile(request.model).context_window);
    if tokens > limit && !request.count_tokens {
        let message = format!(
            "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit})."
        );
        cx.reject("contents", message);
    }
}

fn temperature(request: &Request<'_>, cx: &mut CheckContext) {
    let setting =
        nested_field(view::generate_request(request), &["generation_config", "temperature"]);
    let number = setting.and_then(as_number).filter(|number| !(0.0..=2.0).contains(number));
    let Some(number) = number else { return };
    let message = if is_vertex(request.flavor) {
        format!(
            "Unable to submit request because it has a temperature value of {number} but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again."
        )
    } else {
        TEMPERATURE_ERROR.to_owned()
    };
    cx.reject("generation_config.temperature", message);
}

/// A number, or a string that contains one.
fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn max_output_tokens(request: &Request<'_>, cx: &mut CheckContext) {
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

fn stop_sequences(request: &Request<'_>, cx: &mut CheckContext) {
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

const TEMPERATURE_ERROR: &str = "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].";
const THINKING_CONFIG_PATH: &str = "generation_config.thinking_config";
const BUDGET_AND_LEVEL_ERROR: &str =
    "You can only set only one of thinking budget and thinking level.";
const NO_THINKING_LEVEL_ERROR: &str = "Thinking level is not supported for this model.";
const THINKING_LEVELS: &[&str] = &["MINIMAL", "LOW", "MEDIUM", "HIGH"];
const NO_THINKING_ERROR: &str = "thinking_config is not supported.";
const THINKING_ONLY_VERTEX_ERROR: &str = "The model does not support setting thinking_budget to 0.";
const THINKING_ONLY_ERROR: &str = "Budget 0 is invalid. This model only works in thinking mode.";
const CACHED_CONTENT_ERROR: &str = "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.";

pub(super) const RULES: [Rule; 12] = [
    Rule {
        name: "max-output-tokens",
        status: 400,
        condition: "max_output_tokens is below 1, or on Vertex above the model's maximum.",
        error_message: "Unable to submit request because it has a maxOutputTokens value of {value} but the supported range is from 1 (inclusive) to {most} (exclusive). Update the value and try again.",
        evidence: Evidence::Observed,
        source: "bolt.diy#955, litellm#10548, public code 68995531814, 68451697838; AI Studio accepted more (chatwise-releases#371)",
        check: max_output_tokens,
    },
    Rule {
        name: "stop-sequences",
        status: 400,
        condition: "There are more than 5 stop sequences; on Vertex, more than 16 before Gemini 2.5.",
        error_message: "Unable to submit request because it has a stopSequences value of {n} but the supported range is from 1 (inclusive) to {most} (exclusive). Update the value and try again.",
        evidence: Evidence::Observed,
        source: "continue#7849, generative-ai-go#233; AI Studio: documentation of the generation config (up to 5)",
        check: stop_sequences,
    },
    Rule {
        name: "temperature",
        status: 400,
        condition: "The temperature is below 0 or above 2.",
        error_message: "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\nUnable to submit request because it has a temperature value of {value} but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.",
        evidence: Evidence::Inferred,
        source: "§2; documentation of the generation config",
        check: temperature,
    },
    Rule {
        name: "budget-and-level",
        status: 400,
        condition: "Both a thinking budget and a thinking level are set.",
        error_message: "You can only set only one of thinking budget and thinking level.\nUnable to submit request because You can only set only one of thinking budget and thinking level.. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "row 21; public code, kilocode PR#5139",
        check: budget_and_level,
    },
    Rule {
        name: "no-thinking",
        status: 400,
        condition: "A thinking config is set for a model before Gemini 2.5, which does not think.",
        error_message: "thinking_config is not supported.\nUnable to submit request because thinking is not supported by this model. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "immersive-translate#2976, js-genai#681, lobehub#7985",
        check: no_thinking,
    },
    Rule {
        name: "thinking-level",
        status: 400,
        condition: "A Gemini 3 model does not support this thinking level.",
        error_message: "Thinking level {level} is not supported for this model.\nUnable to submit request because Thinking level is unsupported: THINKING_LEVEL_{level}. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "vellum-assistant PR#32687, agno#5807, browser-use#3925; Vertex: oh-my-pi#10543, bolna PR#956, public code 70122402765",
        check: thinking_level,
    },
    Rule {
        name: "no-thinking-level",
        status: 400,
        condition: "A thinking level is set for a model before Gemini 3.",
        error_message: "Thinking level is not supported for this model.\nUnable to submit request because Thinking level is not supported for this model.. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 21; public code 68685726530, 54692463530",
        check: no_thinking_level,
    },
    Rule {
        name: "thinking-only",
        status: 400,
        condition: "Thinking is disabled on a model that always thinks.",
        error_message: "Budget 0 is invalid. This model only works in thinking mode.\nUnable to submit request because The model does not support setting thinking_budget to 0.. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 20; pi#3460, public code 60454546699, 59124910365",
        check: thinking_only,
    },
    Rule {
        name: "thinking-budget",
        status: 400,
        condition: "The thinking budget is out of a 2.5 model's range.",
        error_message: "The thinking budget {n} is invalid. Please choose a value between {least} and {most}.\nUnable to submit request because The thinking budget {n} is invalid. Please choose a value between {least} and {most}.. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "§2; public code 52698956507, 70348054893",
        check: thinking_budget,
    },
    Rule {
        name: "json-and-tools",
        status: 400,
        condition: "On models before Gemini 3, a JSON reply is requested, and there are tools.",
        error_message: "{what} with a response mime type: 'application/json' is unsupported\nUnable to submit request because {what} with a response mime type: 'application/json' is unsupported. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "row 17; symfony/ai#803, dartantic#96",
        check: json_and_tools,
    },
    Rule {
        name: "cached-content",
        status: 400,
        condition: "Cached content is used together with a system instruction, tools or a tool config.",
        error_message: "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.",
        evidence: Evidence::Observed,
        source: "row 18; langchain-google#1528",
        check: cached_content,
    },
    Rule {
        name: "prompt-too-long",
        status: 400,
        condition: "The prompt, conservatively estimated, exceeds the model's context window.",
        error_message: "The input token count ({n}) exceeds the maximum number of tokens allowed ({most}).",
        evidence: Evidence::Quoted,
        source: "row 22; public code",
        check: prompt_too_long,
    },
];
