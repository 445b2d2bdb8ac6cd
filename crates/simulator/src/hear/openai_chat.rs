//! What a Chat Completions request says.

use serde_json::Value;

use super::{Choice, Heard, Outcome, Said, Thinking, Tool, is_one_of, is_true, items};
use super::{spelled, string, texts, words};

pub(super) fn hear(flavor: &str, model: &str, body: &Value) -> Heard {
    let messages = items(body, "messages");
    let limit = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    let mut heard = Heard {
        tools: tools(body),
        stream: is_true(body, "stream"),
        stops: texts(body.get("stop")),
        max_tokens: limit.and_then(Value::as_u64),
        thinking: thinking(flavor, model, body),
        choice: choice(body.get("tool_choice")),
        format: format(body),
        ..Heard::default()
    };
    heard.conversation(said(messages));
    heard.count(body, messages, true);
    heard
}

fn said(messages: &[Value]) -> Vec<Said> {
    let mut out = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        match string(message, "role") {
            "user" => out.push(Said::User(vec![words(content)])),
            "assistant" => {
                let calls = items(message, "tool_calls").iter().map(|call| {
                    let inner = call.get("function").or_else(|| call.get("custom"));
                    let name = inner.map_or("", |inner| string(inner, "name"));
                    (string(call, "id").to_owned(), name.to_owned())
                });
                out.push(Said::Model(calls.collect()));
            }
            "tool" => out.push(Said::Results(vec![Outcome {
                call: string(message, "tool_call_id").to_owned(),
                name: string(message, "name").to_owned(),
                text: spelled(content),
                failed: false,
            }])),
            _ => {}
        }
    }
    out
}

fn tools(body: &Value) -> Vec<Tool> {
    let tool = |tool: &Value| {
        let custom = string(tool, "type") == "custom";
        let inner = tool.get(if custom { "custom" } else { "function" })?;
        Some(Tool {
            name: string(inner, "name").to_owned(),
            description: string(inner, "description").to_owned(),
            schema: inner.get("parameters").cloned().unwrap_or_default(),
            custom,
            namespace: None,
        })
    };
    items(body, "tools").iter().filter_map(tool).collect()
}

fn thinking(flavor: &str, model: &str, body: &Value) -> Thinking {
    let effort = body.get("reasoning_effort").and_then(Value::as_str);
    let switch = body.pointer("/thinking/type").and_then(Value::as_str);
    let named = is_one_of(model, REASONERS);
    let asked = effort.is_some_and(|effort| effort != "none");
    let on = match flavor {
        "openai" | "azure" => return if named || asked { Thinking::Hidden } else { Thinking::Off },
        "deepseek" | "moonshot" => switch != Some("disabled") && effort != Some("none"),
        "openrouter" => match body.get("reasoning") {
            Some(reasoning) => {
                string(reasoning, "effort") != "none"
                    && reasoning.get("enabled") != Some(&Value::Bool(false))
                    && !is_true(reasoning, "exclude")
            }
            None => asked || named,
        },
        "mistral" => string(body, "prompt_mode") == "reasoning" || asked || named,
        "groq" => {
            let hidden = string(body, "reasoning_format") == "hidden"
                || body.get("include_reasoning") == Some(&Value::Bool(false));
            !hidden && effort != Some("none") && (named || asked)
        }
        _ => asked || named || switch == Some("enabled"),
    };
    if on { Thinking::Shown } else { Thinking::Off }
}

fn choice(choice: Option<&Value>) -> Choice {
    match choice {
        Some(Value::String(word)) => match word.as_str() {
            "none" => Choice::None,
            "required" | "any" => Choice::Any,
            _ => Choice::Auto,
        },
        Some(choice) => {
            let inner = choice.get("function").or_else(|| choice.get("custom"));
            inner.map_or(Choice::Auto, |inner| Choice::Tool(string(inner, "name").to_owned()))
        }
        None => Choice::Auto,
    }
}

fn format(body: &Value) -> Option<Value> {
    let format = body.get("response_format")?;
    match string(format, "type") {
        "json_schema" => Some(format.pointer("/json_schema/schema").cloned().unwrap_or_default()),
        "json_object" => Some(Value::Null),
        _ => None,
    }
}

/// Models that reason without being asked.
const REASONERS: &[&str] = &[
    "gpt-5",
    "gpt-oss",
    "o1",
    "o3",
    "o4-",
    "qwen3",
    "deepseek-r",
    "magistral",
    "kimi",
    "glm-",
    "claude",
    "gemini",
    "grok-4",
    "sim/",
];
