//! Reads a Responses request into a `ModelInput`.

use serde_json::Value;

use super::input::{
    HistoryEntry, ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult, array_field,
    bool_field, content_text, model_contains, str_field, user_text,
};

pub(super) fn parse(model: &str, body: &Value) -> ModelInput {
    let input = array_field(body, "input");
    let mut model_input = ModelInput {
        tools: tools(body, input),
        stream: bool_field(body, "stream"),
        max_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
        thinking: thinking_visibility(model, body),
        wants_summary: input
            .last()
            .is_some_and(|last| str_field(last, "type") == "compaction_trigger"),
        tool_choice: tool_choice(body.get("tool_choice")),
        response_schema: response_schema(body),
        ..ModelInput::default()
    };
    model_input.set_history(match body.get("input") {
        Some(Value::String(text)) => vec![HistoryEntry::User(vec![text.clone()])],
        _ => input.iter().filter_map(history_entry).collect(),
    });
    model_input.count_input(body, input, true);
    model_input
}

fn history_entry(item: &Value) -> Option<HistoryEntry> {
    let content = item.get("content").unwrap_or(&Value::Null);
    let call = || vec![(str_field(item, "call_id").to_owned(), str_field(item, "name").to_owned())];
    match str_field(item, "type") {
        "message" | "" => match str_field(item, "role") {
            "user" => Some(HistoryEntry::User(vec![user_text(content)])),
            "assistant" => Some(HistoryEntry::Model(Vec::new())),
            _ => None,
        },
        "reasoning" => Some(HistoryEntry::Model(Vec::new())),
        "function_call" | "custom_tool_call" => Some(HistoryEntry::Model(call())),
        "function_call_output" | "custom_tool_call_output" => {
            Some(HistoryEntry::Results(vec![ToolResult {
                call_id: str_field(item, "call_id").to_owned(),
                tool_name: String::new(),
                text: content_text(item.get("output").unwrap_or(&Value::Null)),
                is_error: false,
            }]))
        }
        _ => None,
    }
}

fn tools(body: &Value, input: &[Value]) -> Vec<Tool> {
    let added_later = input.iter().filter(|item| str_field(item, "type") == "additional_tools");
    let all = array_field(body, "tools")
        .iter()
        .chain(added_later.flat_map(|item| array_field(item, "tools")));
    let mut tools = Vec::new();
    for declaration in all {
        match str_field(declaration, "type") {
            "function" | "custom" => tools.push(tool(declaration, None)),
            "namespace" => {
                let group = str_field(declaration, "name");
                tools.extend(
                    array_field(declaration, "tools").iter().map(|inner| tool(inner, Some(group))),
                );
            }
            _ => {}
        }
    }
    tools
}

fn tool(declaration: &Value, namespace: Option<&str>) -> Tool {
    Tool {
        name: str_field(declaration, "name").to_owned(),
        namespace: namespace.map(str::to_owned),
        description: str_field(declaration, "description").to_owned(),
        schema: declaration.get("parameters").cloned().unwrap_or_default(),
        is_custom: str_field(declaration, "type") == "custom",
    }
}

/// The reasoning text is never shown; a summary is on request.
fn thinking_visibility(model: &str, body: &Value) -> ThinkingVisibility {
    let reasoning = body.get("reasoning").unwrap_or(&Value::Null);
    if str_field(reasoning, "effort") == "none" || model_contains(model, NON_REASONING_MODELS) {
        return ThinkingVisibility::Off;
    }
    let summary = reasoning.get("summary").or_else(|| reasoning.get("generate_summary"));
    if summary.is_some_and(Value::is_string) {
        ThinkingVisibility::Shown
    } else {
        ThinkingVisibility::Hidden
    }
}

fn tool_choice(choice: Option<&Value>) -> ToolChoice {
    match choice {
        Some(Value::String(mode)) if mode == "none" => ToolChoice::None,
        Some(Value::String(mode)) if mode == "required" => ToolChoice::Any,
        Some(choice) if matches!(str_field(choice, "type"), "function" | "custom") => {
            ToolChoice::Tool(str_field(choice, "name").to_owned())
        }
        _ => ToolChoice::Auto,
    }
}

fn response_schema(body: &Value) -> Option<Value> {
    let format = body.pointer("/text/format")?;
    match str_field(format, "type") {
        "json_schema" => Some(format.get("schema").cloned().unwrap_or_default()),
        "json_object" => Some(Value::Null),
        _ => None,
    }
}

/// Models that do not reason.
const NON_REASONING_MODELS: &[&str] = &["gpt-3", "gpt-4", "chatgpt"];
