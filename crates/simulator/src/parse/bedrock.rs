//! Reads a Bedrock Converse request into a `ModelInput`.

use serde_json::Value;

use super::anthropic;
use super::input::{
    HistoryEntry, ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult, array_field,
    str_field, string_list, user_text,
};

pub(super) fn parse(model: &str, body: &Value) -> ModelInput {
    let messages = array_field(body, "messages");
    let mut model_input = ModelInput {
        tools: tools(body),
        stop_sequences: string_list(body.pointer("/inferenceConfig/stopSequences")),
        max_tokens: body.pointer("/inferenceConfig/maxTokens").and_then(Value::as_u64),
        thinking: body
            .pointer("/additionalModelRequestFields/thinking")
            .map_or(ThinkingVisibility::Off, |thinking| {
                anthropic::thinking_visibility(model, Some(thinking))
            }),
        tool_choice: tool_choice(body.pointer("/toolConfig/toolChoice")),
        response_schema: body
            .pointer("/outputConfig/textFormat/structure/jsonSchema/schema")
            .map(parse_schema),
        ..ModelInput::default()
    };
    model_input.set_history(history(messages));
    model_input.count_input(body, messages, body.to_string().contains("\"cachePoint\":{"));
    model_input
}

/// The schema is a JSON text in a string.
fn parse_schema(schema: &Value) -> Value {
    match schema {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    }
}

fn history(messages: &[Value]) -> Vec<HistoryEntry> {
    let mut out = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        match str_field(message, "role") {
            "assistant" => {
                let calls = blocks.iter().filter_map(|block| block.get("toolUse")).map(|call| {
                    (str_field(call, "toolUseId").to_owned(), str_field(call, "name").to_owned())
                });
                out.push(HistoryEntry::Model(calls.collect()));
            }
            "user" => {
                let results = blocks.iter().filter_map(|block| block.get("toolResult"));
                let results: Vec<ToolResult> = results.map(tool_result).collect();
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
    let part = |part: &Value| match (part.get("text"), part.get("json")) {
        (Some(Value::String(text)), _) => text.clone(),
        (_, Some(json)) => json.to_string(),
        _ => part.to_string(),
    };
    ToolResult {
        call_id: str_field(result, "toolUseId").to_owned(),
        tool_name: String::new(),
        text: array_field(result, "content").iter().map(part).collect(),
        is_error: str_field(result, "status") == "error",
    }
}

fn tools(body: &Value) -> Vec<Tool> {
    let config = body.get("toolConfig").unwrap_or(&Value::Null);
    let specs = array_field(config, "tools").iter().filter_map(|tool| tool.get("toolSpec"));
    let tool = |spec: &Value| Tool {
        name: str_field(spec, "name").to_owned(),
        description: str_field(spec, "description").to_owned(),
        schema: spec.pointer("/inputSchema/json").cloned().unwrap_or_default(),
        ..Tool::default()
    };
    specs.map(tool).collect()
}

fn tool_choice(choice: Option<&Value>) -> ToolChoice {
    let Some(choice) = choice else { return ToolChoice::Auto };
    if let Some(tool) = choice.get("tool") {
        return ToolChoice::Tool(str_field(tool, "name").to_owned());
    }
    if choice.get("any").is_some() { ToolChoice::Any } else { ToolChoice::Auto }
}
