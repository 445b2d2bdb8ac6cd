//! What stands around the conversation: thinking, the reply's type, cached content, the context.

use serde_json::Value;

use super::profile::profile;
use super::tools::{has_built_in, has_functions};
use super::view::{self, field, is_vertex, many, said, text, within};
use crate::{Evidence, Findings, Request, Rule};

fn thinking<'r>(request: &Request<'r>) -> Option<&'r Value> {
    within(view::body(request), &["generation_config", "thinking_config"])
}

fn budget(request: &Request<'_>) -> Option<i64> {
    let budget = field(thinking(request)?, "thinking_budget")?;
    let number = budget.as_f64().or_else(|| budget.as_str()?.parse().ok())?;
    // A whole number may be written with a fraction of nothing.
    (number.fract() == 0.0).then_some(number as i64)
}

fn level(request: &Request<'_>) -> bool {
    thinking(request).is_some_and(|thinking| field(thinking, "thinking_level").is_some())
}

fn both(request: &Request<'_>, findings: &mut Findings) {
    if level(request) && budget(request).is_some() {
        findings.add(CONFIG, said(request.flavor, BOTH));
    }
}

fn no_level(request: &Request<'_>, findings: &mut Findings) {
    if level(request) && profile(request.model).levels.is_empty() {
        findings.add(format!("{CONFIG}.thinking_level"), said(request.flavor, NO_LEVEL));
    }
}

fn some_level(request: &Request<'_>, findings: &mut Findings) {
    let known = profile(request.model).levels;
    let level = thinking(request).map_or("", |thinking| text(thinking, "thinking_level"));
    let level = level.to_uppercase();
    if !known.is_empty() && LEVELS.contains(&&*level) && !known.contains(&&*level) {
        let words = if is_vertex(request.flavor) {
            format!("Thinking level is unsupported: THINKING_LEVEL_{level}")
        } else {
            format!("Thinking level {level} is not supported for this model.")
        };
        findings.add(format!("{CONFIG}.thinking_level"), said(request.flavor, &words));
    }
}

fn no_thinking(request: &Request<'_>, findings: &mut Findings) {
    let config = thinking(request).and_then(Value::as_object);
    let says = config.is_some_and(|config| config.values().any(|value| !value.is_null()));
    if says && !profile(request.model).thinks {
        let words = if is_vertex(request.flavor) {
            said(request.flavor, "thinking is not supported by this model")
        } else {
            NO_THINKING.to_owned()
        };
        findings.add(CONFIG, words);
    }
}

fn off(request: &Request<'_>, findings: &mut Findings) {
    if budget(request) == Some(0) && !profile(request.model).can_stop_thinking {
        let words = if is_vertex(request.flavor) {
            said(request.flavor, NO_ZERO)
        } else {
            ONLY_THINKS.to_owned()
        };
        findings.add(format!("{CONFIG}.thinking_budget"), words);
    }
}

fn range(request: &Request<'_>, findings: &mut Findings) {
    let (Some(asked), Some((least, most))) = (budget(request), profile(request.model).budget)
    else {
        return;
    };
    if asked != -1 && asked != 0 && !(least..=most).contains(&asked) {
        let words = format!(
            "The thinking budget {asked} is invalid. Please choose a value between {least} and {most}."
        );
        findings.add(format!("{CONFIG}.thinking_budget"), said(request.flavor, &words));
    }
}

fn formatted(request: &Request<'_>, findings: &mut Findings) {
    let body = view::body(request);
    let kind = within(body, &["generation_config", "response_mime_type"]);
    let json = kind.is_some_and(|kind| kind == "application/json");
    if !json || profile(request.model).formats_with_tools {
        return;
    }
    let what = if has_functions(body) {
        "Function calling"
    } else if has_built_in(body) {
        "Tool use"
    } else {
        return;
    };
    let words = format!("{what} with a response mime type: 'application/json' is unsupported");
    findings.add("generation_config.response_mime_type", said(request.flavor, &words));
}

fn cached(request: &Request<'_>, findings: &mut Findings) {
    let body = view::body(request);
    let set = ["system_instruction", "tools", "tool_config"]
        .iter()
        .any(|name| field(body, name).is_some());
    if set && !text(body, "cached_content").is_empty() {
        findings.add("cached_content", CACHED);
    }
}

/// A careful guess at the tokens of a prompt: real ones are rarely fewer.
pub(super) fn estimate(body: &Value) -> u64 {
    let counted = ["contents", "system_instruction", "tools"];
    let size: usize = counted.iter().filter_map(|name| field(body, name)).map(size).sum();
    size as u64 / 4
}

/// The bytes of all texts, without media and signatures.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| {
                !["data", "thought_signature"].iter().any(|name| view::is_spelling(key, name))
            })
            .map(|(_, value)| size(value))
            .sum(),
        _ => 1,
    }
}

fn context(request: &Request<'_>, findings: &mut Findings) {
    let (tokens, most) = (estimate(view::body(request)), profile(request.model).context);
    if tokens > most && !request.counting {
        let words = format!(
            "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({most})."
        );
        findings.add("contents", words);
    }
}

fn temperature(request: &Request<'_>, findings: &mut Findings) {
    let given = within(view::body(request), &["generation_config", "temperature"]);
    let number = given.and_then(number).filter(|number| !(0.0..=2.0).contains(number));
    let Some(number) = number else { return };
    let words = if is_vertex(request.flavor) {
        format!(
            "Unable to submit request because it has a temperature value of {number} but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again."
        )
    } else {
        TEMPERATURE.to_owned()
    };
    findings.add("generation_config.temperature", words);
}

/// A number, which may stand in a string.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn length(request: &Request<'_>, findings: &mut Findings) {
    let given = within(view::body(request), &["generation_config", "max_output_tokens"]);
    let most = profile(request.model).vertex_output;
    let beyond = |number: f64| is_vertex(request.flavor) && number > f64::from(most);
    let number = given.and_then(number).filter(|number| *number < 1.0 || beyond(*number));
    if let Some(number) = number {
        let words = out_of_range("maxOutputTokens", &number.to_string(), most + 1);
        findings.add("generation_config.max_output_tokens", words);
    }
}

fn stops(request: &Request<'_>, findings: &mut Findings) {
    let config = field(view::body(request), "generation_config");
    let stops = config.map_or(0, |config| many(config, "stop_sequences").len());
    let most = if is_vertex(request.flavor) { profile(request.model).vertex_stops } else { 5 };
    if stops > most as usize {
        let words = out_of_range("stopSequences", &stops.to_string(), most + 1);
        findings.add("generation_config.stop_sequences", words);
    }
}

fn out_of_range(name: &str, value: &str, beyond: u32) -> String {
    format!(
        "Unable to submit request because it has a {name} value of {value} but the supported range is from 1 (inclusive) to {beyond} (exclusive). Update the value and try again."
    )
}

const TEMPERATURE: &str = "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].";
const CONFIG: &str = "generation_config.thinking_config";
const BOTH: &str = "You can only set only one of thinking budget and thinking level.";
const NO_LEVEL: &str = "Thinking level is not supported for this model.";
const LEVELS: &[&str] = &["MINIMAL", "LOW", "MEDIUM", "HIGH"];
const NO_THINKING: &str = "thinking_config is not supported.";
const NO_ZERO: &str = "The model does not support setting thinking_budget to 0.";
const ONLY_THINKS: &str = "Budget 0 is invalid. This model only works in thinking mode.";
const CACHED: &str = "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.";

pub(super) const RULES: [Rule; 12] = [
    Rule {
        name: "max-output-tokens",
        status: 400,
        when: "Fewer tokens than one are asked for, or on Vertex more than the model writes.",
        words: "Unable to submit request because it has a maxOutputTokens value of {value} but the supported range is from 1 (inclusive) to {most} (exclusive). Update the value and try again.",
        evidence: Evidence::Seen,
        source: "bolt.diy#955, litellm#10548, public code 68995531814, 68451697838; on AI Studio more was taken (chatwise-releases#371)",
        check: length,
    },
    Rule {
        name: "stop-sequences",
        status: 400,
        when: "There are more than 5 stop sequences; on Vertex more than 16 before Gemini 2.5.",
        words: "Unable to submit request because it has a stopSequences value of {n} but the supported range is from 1 (inclusive) to {most} (exclusive). Update the value and try again.",
        evidence: Evidence::Seen,
        source: "continue#7849, generative-ai-go#233; AI Studio: documentation of the generation config (up to 5)",
        check: stops,
    },
    Rule {
        name: "temperature",
        status: 400,
        when: "The temperature is below 0 or above 2.",
        words: "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\nUnable to submit request because it has a temperature value of {value} but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.",
        evidence: Evidence::Inferred,
        source: "§2; documentation of the generation config",
        check: temperature,
    },
    Rule {
        name: "budget-and-level",
        status: 400,
        when: "Both a budget and a level of thinking are given.",
        words: "You can only set only one of thinking budget and thinking level.\nUnable to submit request because You can only set only one of thinking budget and thinking level.. Learn more: {url}",
        evidence: Evidence::Quoted,
        source: "row 21; public code, kilocode PR#5139",
        check: both,
    },
    Rule {
        name: "no-thinking",
        status: 400,
        when: "Something is said of thinking to a model before Gemini 2.5, which does not think.",
        words: "thinking_config is not supported.\nUnable to submit request because thinking is not supported by this model. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "immersive-translate#2976, js-genai#681, lobehub#7985",
        check: no_thinking,
    },
    Rule {
        name: "thinking-level",
        status: 400,
        when: "A model of Gemini 3 does not know this level of thinking.",
        words: "Thinking level {level} is not supported for this model.\nUnable to submit request because Thinking level is unsupported: THINKING_LEVEL_{level}. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "vellum-assistant PR#32687, agno#5807, browser-use#3925; Vertex: oh-my-pi#10543, bolna PR#956, public code 70122402765",
        check: some_level,
    },
    Rule {
        name: "no-thinking-level",
        status: 400,
        when: "A level of thinking is given to a model before Gemini 3.",
        words: "Thinking level is not supported for this model.\nUnable to submit request because Thinking level is not supported for this model.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 21; public code 68685726530, 54692463530",
        check: no_level,
    },
    Rule {
        name: "thinking-only",
        status: 400,
        when: "Thinking is turned off on a model that always thinks.",
        words: "Budget 0 is invalid. This model only works in thinking mode.\nUnable to submit request because The model does not support setting thinking_budget to 0.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 20; pi#3460, public code 60454546699, 59124910365",
        check: off,
    },
    Rule {
        name: "thinking-budget",
        status: 400,
        when: "The budget of thinking is less or more than a 2.5 model takes.",
        words: "The thinking budget {n} is invalid. Please choose a value between {least} and {most}.\nUnable to submit request because The thinking budget {n} is invalid. Please choose a value between {least} and {most}.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "§2; public code 52698956507, 70348054893",
        check: range,
    },
    Rule {
        name: "json-and-tools",
        status: 400,
        when: "On models before Gemini 3: the reply is to be JSON, and there are tools.",
        words: "{what} with a response mime type: 'application/json' is unsupported\nUnable to submit request because {what} with a response mime type: 'application/json' is unsupported. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 17; symfony/ai#803, dartantic#96",
        check: formatted,
    },
    Rule {
        name: "cached-content",
        status: 400,
        when: "Cached content is used together with a system instruction, tools or a tool config.",
        words: "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.",
        evidence: Evidence::Seen,
        source: "row 18; langchain-google#1528",
        check: cached,
    },
    Rule {
        name: "prompt-too-long",
        status: 400,
        when: "The prompt has more tokens than the model takes (estimated).",
        words: "The input token count ({n}) exceeds the maximum number of tokens allowed ({most}).",
        evidence: Evidence::Quoted,
        source: "row 22; public code",
        check: context,
    },
];
