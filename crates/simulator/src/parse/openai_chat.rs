//! Reads a Chat Completions request into a `ModelInput`.

use interlingua_strict::openai_chat::{ReasoningSwitch, provider_or_vendor};
use serde_json::Value;

use super::input::{
    HistoryEntry, ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult, array_field,
    bool_field, content_text, model_contains, str_field, string_list, user_text,
};

pub(super) fn parse(flavor: &str, model: &str, body: &Value) -> ModelInput {
    let messages = array_field(body, "messages");
    let limit = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    let mut model_input = ModelInput {
        tools: tools(body),
        stream: bool_field(body, "stream"),
        stop_sequences: string_list(body.get("stop")),
        max_tokens: limit.and_then(Value::as_u64),
        thinking: thinking_visibility(flavor, model, body),
        tool_choice: tool_choice(body.get("tool_choice")),
        response_schema: response_schema(body),
        ..ModelInput::default()
    };
    model_input.set_history(history(messages));
    model_input.count_input(body, messages, true);
    model_input
}

fn history(messages: &[Value]) -> Vec<HistoryEntry> {
    let mut out = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        match str_field(message, "role") {
            "user" => out.push(HistoryEntry::User(vec![user_text(content)])),
            "assistant" => {
                let calls = array_field(message, "tool_calls").iter().map(|call| {
                    let inner = call.get("function").or_else(|| call.get("custom"));
                    let name = inner.map_or("", |inner| str_field(inner, "name"));
                    (str_field(call, "id").to_owned(), name.to_owned())
                });
                out.push(HistoryEntry::Model(calls.collect()));
            }
            "tool" => out.push(HistoryEntry::Results(vec![ToolResult {
                call_id: str_field(message, "tool_call_id").to_owned(),
                tool_name: str_field(message, "name").to_owned(),
                text: content_text(content),
                is_error: false,
            }])),
            _ => {}
        }
    }
    out
}

fn tools(body: &Value) -> Vec<Tool> {
    let tool = |tool: &Value| {
        let custom = str_field(tool, "type") == "custom";
        let inner = tool.get(if custom { "custom" } else { "function" })?;
        Some(Tool {
            name: str_field(inner, "name").to_owned(),
            description: str_field(inner, "description").to_owned(),
            schema: inner.get("parameters").cloned().unwrap_or_default(),
            is_custom: custom,
            namespace: None,
        })
    };
    array_field(body, "tools").iter().filter_map(tool).collect()
}

fn thinking_visibility(flavor: &str, model: &str, body: &Value) -> ThinkingVisibility {
    let effort = body.get("reasoning_effort").and_then(Value::as_str);
    let switch = body.pointer("/thinking/type").and_then(Value::as_str);
    let reasons_by_default = model_contains(model, REASONING_MODELS);
    let has_effort = effort.is_some_and(|effort| effort != "none");
    let on_demand = if let Some(reasoning) = body.get("reasoning") {
        str_field(reasoning, "effort") != "none"
            && reasoning.get("enabled") != Some(&Value::Bool(false))
            && !bool_field(reasoning, "exclude")
    } else {
        let is_requested = switch == Some("enabled")
            || str_field(body, "prompt_mode") == "reasoning"
            || has_effort;
        effort != Some("none") && (is_requested || reasons_by_default)
    };
    let is_excluded = str_field(body, "reasoning_format") == "hidden"
        || body.get("include_reasoning") == Some(&Value::Bool(false));
    match provider_or_vendor(flavor).replies.reasons {
        ReasoningSwitch::InSecret if on_demand => ThinkingVisibility::Hidden,
        ReasoningSwitch::UnlessDisabled if switch != Some("disabled") && effort != Some("none") => {
            ThinkingVisibility::Shown
        }
        ReasoningSwitch::OnDemand if on_demand && !is_excluded => ThinkingVisibility::Shown,
        _ => ThinkingVisibility::Off,
    }
}

fn tool_choice(choice: Option<&Value>) -> ToolChoice {
    match choice {
        Some(Value::String(mode)) => match mode.as_str() {
            "none" => ToolChoice::None,
            "required" | "any" => ToolChoice::Any,
            _ => ToolChoice::Auto,
        },
        Some(choice) => {
            let inner = choice.get("function").or_else(|| choice.get("custom"));
            inner.map_or(ToolChoice::Auto, |inner| {
                ToolChoice::Tool(str_field(inner, "name").to_owned())
            })
        }
        None => ToolChoice::Auto,
    }
}

fn response_schema(body: &Value) -> Option<Value> {
    let format = body.get("response_format")?;
    match str_field(format, "type") {
        "json_schema" => Some(format.pointer("/json_schema/schema").cloned().unwrap_or_default()),
        "json_object" => Some(Value::Null),
        _ => None,
    }
}

/// Substrings of models that reason by default.
const REASONING_MODELS: &[&str] = &[
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
