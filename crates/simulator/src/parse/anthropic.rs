//! Reads an Anthropic Messages request into a `ModelInput`.

use interlingua_strict::anthropic::profile::{self, profile};
use serde_json::Value;

use super::input::{
    HistoryEntry, ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult, array_field,
    bool_field, content_text, str_field, string_list, user_text,
};

pub(super) fn parse(model: &str, body: &Value) -> ModelInput {
    let messages = array_field(body, "messages");
    let mut model_input = ModelInput {
        tools: tools(body),
        stream: bool_field(body, "stream"),
        max_tokens: body.get("max_tokens").and_then(Value::as_u64),
        stop_sequences: string_list(body.get("stop_sequences")),
        thinking: thinking_visibility(model, body.get("thinking")),
        wants_summary: body.get("compaction").is_some_and(Value::is_object),
        tool_choice: tool_choice(body.get("tool_choice")),
        response_schema: body.pointer("/output_config/format/schema").cloned(),
        ..ModelInput::default()
    };
    model_input.set_history(history(messages));
    let cached = body.to_string().contains("\"cache_control\":{");
    model_input.count_input(body, messages, cached);
    model_input
}

fn history(messages: &[Value]) -> Vec<HistoryEntry> {
    let mut out = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let blocks_of_type =
            |kind: &'static str| blocks.iter().filter(move |b| str_field(b, "type") == kind);
        match str_field(message, "role") {
            "assistant" => {
                let calls = blocks_of_type("tool_use").map(|call| {
                    (str_field(call, "id").to_owned(), str_field(call, "name").to_owned())
                });
                out.push(HistoryEntry::Model(calls.collect()));
            }
            "user" => {
                let results: Vec<ToolResult> =
                    blocks_of_type("tool_result").map(tool_result).collect();
                out.push(if results.is_empty() {
                    HistoryEntry::User(vec![user_text(content)])
                } else {
                    HistoryEntry::Results(results)
                });
            }
            _ => {}
        }
    }
    out
}

fn tool_result(result: &Value) -> ToolResult {
    ToolResult {
        call_id: str_field(result, "tool_use_id").to_owned(),
        tool_name: String::new(),
        text: content_text(result.get("content").unwrap_or(&Value::Null)),
        is_error: bool_field(result, "is_error"),
    }
}

fn tools(body: &Value) -> Vec<Tool> {
    let custom = |tool: &&Value| tool.get("input_schema").is_some();
    let tool = |tool: &Value| Tool {
        name: str_field(tool, "name").to_owned(),
        description: str_field(tool, "description").to_owned(),
        schema: tool.get("input_schema").cloned().unwrap_or_default(),
        ..Tool::default()
    };
    array_field(body, "tools").iter().filter(custom).map(tool).collect()
}

/// Newer models think by default, and show the text only on request.
pub(super) fn thinking_visibility(model: &str, thinking: Option<&Value>) -> ThinkingVisibility {
    let profile = profile(model);
    let shown = profile.shows_thinking();
    let setting = thinking.map(|it| (str_field(it, "type"), str_field(it, "display")));
    match setting {
        None if profile.default_thinking == profile::ThinkingMode::Off => ThinkingVisibility::Off,
        Some(("disabled" | "between_tools", _)) => ThinkingVisibility::Off,
        Some((_, "summarized" | "updates")) => ThinkingVisibility::Shown,
        Some((_, "omitted")) => ThinkingVisibility::Hidden,
        _ if shown => ThinkingVisibility::Shown,
        _ => ThinkingVisibility::Hidden,
    }
}

fn tool_choice(choice: Option<&Value>) -> ToolChoice {
    match choice.map(|choice| (str_field(choice, "type"), str_field(choice, "name"))) {
        Some(("none", _)) => ToolChoice::None,
        Some(("any", _)) => ToolChoice::Any,
        Some(("tool", name)) => ToolChoice::Tool(name.to_owned()),
        _ => ToolChoice::Auto,
    }
}
