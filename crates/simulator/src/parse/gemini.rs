//! Reads a Gemini request into a `ModelInput`; field names may be in camelCase or `snake_case`.

use serde_json::Value;

use super::input::{
    HistoryEntry, ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult, bool_field,
    model_contains, str_field, string_list, user_text,
};

pub(super) fn parse(model: &str, body: &Value) -> ModelInput {
    let config =
        camel_or_snake(body, "generationConfig", "generation_config").unwrap_or(&Value::Null);
    let contents = array_camel_or_snake(body, "contents", "contents");
    let limit = camel_or_snake(config, "maxOutputTokens", "max_output_tokens");
    let mut model_input = ModelInput {
        tools: tools(body),
        stop_sequences: string_list(camel_or_snake(config, "stopSequences", "stop_sequences")),
        max_tokens: limit.and_then(Value::as_u64),
        thinking: thinking_visibility(model, config),
        tool_choice: tool_choice(body),
        response_schema: response_schema(config),
        ..ModelInput::default()
    };
    model_input.set_history(contents.iter().filter_map(history_entry).collect());
    model_input.count_input(body, contents, true);
    model_input
}

fn history_entry(content: &Value) -> Option<HistoryEntry> {
    let parts = array_camel_or_snake(content, "parts", "parts");
    if str_field(content, "role") == "model" {
        let calls =
            parts.iter().filter_map(|part| camel_or_snake(part, "functionCall", "function_call"));
        let call =
            |call: &Value| (str_field(call, "id").to_owned(), str_field(call, "name").to_owned());
        return Some(HistoryEntry::Model(calls.map(call).collect()));
    }
    let results = parts
        .iter()
        .filter_map(|part| camel_or_snake(part, "functionResponse", "function_response"));
    let results: Vec<ToolResult> = results.map(tool_result).collect();
    if !results.is_empty() {
        return Some(HistoryEntry::Results(results));
    }
    content.get("parts").map(|parts| HistoryEntry::User(vec![user_text(parts)]))
}

fn tool_result(result: &Value) -> ToolResult {
    let response = result.get("response").unwrap_or(&Value::Null);
    // Some clients repeat the name of the function next to its result.
    let is_result_field =
        |(key, value): &(&String, &Value)| *key != "name" || Some(*value) != result.get("name");
    let mut fields = response.as_object().into_iter().flatten().filter(is_result_field);
    let only = fields.next().filter(|_| fields.next().is_none());
    let (text, is_error) = match only {
        Some((key, Value::String(text))) if RESULT_KEYS.contains(&key.as_str()) => {
            (text.clone(), false)
        }
        Some((key, Value::String(text))) if key == "error" => (text.clone(), true),
        _ => (response.to_string(), false),
    };
    ToolResult {
        call_id: str_field(result, "id").to_owned(),
        tool_name: str_field(result, "name").to_owned(),
        text,
        is_error,
    }
}

fn tools(body: &Value) -> Vec<Tool> {
    let groups = array_camel_or_snake(body, "tools", "tools").iter();
    let declarations = groups
        .flat_map(|g| array_camel_or_snake(g, "functionDeclarations", "function_declarations"));
    let tool = |declaration: &Value| {
        let schema = camel_or_snake(declaration, "parametersJsonSchema", "parameters_json_schema");
        Tool {
            name: str_field(declaration, "name").to_owned(),
            description: str_field(declaration, "description").to_owned(),
            schema: schema.or_else(|| declaration.get("parameters")).cloned().unwrap_or_default(),
            ..Tool::default()
        }
    };
    declarations.map(tool).collect()
}

fn thinking_visibility(model: &str, config: &Value) -> ThinkingVisibility {
    let thinking =
        camel_or_snake(config, "thinkingConfig", "thinking_config").unwrap_or(&Value::Null);
    let budget =
        camel_or_snake(thinking, "thinkingBudget", "thinking_budget").and_then(Value::as_i64);
    if budget == Some(0) || model_contains(model, &["gemini-1", "gemini-2.0"]) {
        return ThinkingVisibility::Off;
    }
    let shown = bool_field(thinking, "includeThoughts") || bool_field(thinking, "include_thoughts");
    if shown { ThinkingVisibility::Shown } else { ThinkingVisibility::Hidden }
}

fn tool_choice(body: &Value) -> ToolChoice {
    let config = camel_or_snake(body, "toolConfig", "tool_config").and_then(|config| {
        camel_or_snake(config, "functionCallingConfig", "function_calling_config")
    });
    let Some(config) = config else { return ToolChoice::Auto };
    let allowed = array_camel_or_snake(config, "allowedFunctionNames", "allowed_function_names");
    match (str_field(config, "mode").to_ascii_uppercase().as_str(), allowed) {
        ("NONE", _) => ToolChoice::None,
        ("ANY", [Value::String(name), ..]) => ToolChoice::Tool(name.clone()),
        ("ANY", _) => ToolChoice::Any,
        _ => ToolChoice::Auto,
    }
}

fn response_schema(config: &Value) -> Option<Value> {
    let schema = camel_or_snake(config, "responseJsonSchema", "response_json_schema")
        .or_else(|| camel_or_snake(config, "responseSchema", "response_schema"));
    let kind =
        camel_or_snake(config, "responseMimeType", "response_mime_type").and_then(Value::as_str);
    (kind == Some("application/json")).then(|| schema.cloned().unwrap_or_default())
}

fn camel_or_snake<'v>(value: &'v Value, camel: &str, snake: &str) -> Option<&'v Value> {
    value.get(camel).or_else(|| value.get(snake))
}

fn array_camel_or_snake<'v>(value: &'v Value, camel: &str, snake: &str) -> &'v [Value] {
    camel_or_snake(value, camel, snake).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Fields of a response that hold the text of a result, by convention.
const RESULT_KEYS: &[&str] = &["output", "result", "content"];
