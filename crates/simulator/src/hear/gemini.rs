//! What a Gemini request says. Names are accepted in both of the forms that the API accepts.

use serde_json::Value;

use super::{
    Choice, Heard, Outcome, Said, Thinking, Tool, is_one_of, is_true, string, texts, words,
};

pub(super) fn hear(model: &str, body: &Value) -> Heard {
    let config = either(body, "generationConfig", "generation_config").unwrap_or(&Value::Null);
    let contents = list(body, "contents", "contents");
    let limit = either(config, "maxOutputTokens", "max_output_tokens");
    let mut heard = Heard {
        tools: tools(body),
        stops: texts(either(config, "stopSequences", "stop_sequences")),
        max_tokens: limit.and_then(Value::as_u64),
        thinking: thinking(model, config),
        choice: choice(body),
        format: format(config),
        ..Heard::default()
    };
    heard.conversation(contents.iter().filter_map(said).collect());
    heard.count(body, contents, true);
    heard
}

fn said(content: &Value) -> Option<Said> {
    let parts = list(content, "parts", "parts");
    if string(content, "role") == "model" {
        let calls = parts.iter().filter_map(|part| either(part, "functionCall", "function_call"));
        let call = |call: &Value| (string(call, "id").to_owned(), string(call, "name").to_owned());
        return Some(Said::Model(calls.map(call).collect()));
    }
    let results =
        parts.iter().filter_map(|part| either(part, "functionResponse", "function_response"));
    let results: Vec<Outcome> = results.map(outcome).collect();
    if !results.is_empty() {
        return Some(Said::Results(results));
    }
    content.get("parts").map(|parts| Said::User(vec![words(parts)]))
}

fn outcome(result: &Value) -> Outcome {
    let response = result.get("response").unwrap_or(&Value::Null);
    // Some clients repeat the name of the function beside its result.
    let own =
        |(key, value): &(&String, &Value)| *key != "name" || Some(*value) != result.get("name");
    let mut fields = response.as_object().into_iter().flatten().filter(own);
    let only = fields.next().filter(|_| fields.next().is_none());
    let (text, failed) = match only {
        Some((key, Value::String(text))) if RESULT.contains(&key.as_str()) => (text.clone(), false),
        Some((key, Value::String(text))) if key == "error" => (text.clone(), true),
        _ => (response.to_string(), false),
    };
    Outcome {
        call: string(result, "id").to_owned(),
        name: string(result, "name").to_owned(),
        text,
        failed,
    }
}

fn tools(body: &Value) -> Vec<Tool> {
    let groups = list(body, "tools", "tools").iter();
    let declared = groups.flat_map(|g| list(g, "functionDeclarations", "function_declarations"));
    let tool = |declared: &Value| {
        let schema = either(declared, "parametersJsonSchema", "parameters_json_schema");
        Tool {
            name: string(declared, "name").to_owned(),
            description: string(declared, "description").to_owned(),
            schema: schema.or_else(|| declared.get("parameters")).cloned().unwrap_or_default(),
            ..Tool::default()
        }
    };
    declared.map(tool).collect()
}

fn thinking(model: &str, config: &Value) -> Thinking {
    let asked = either(config, "thinkingConfig", "thinking_config").unwrap_or(&Value::Null);
    let budget = either(asked, "thinkingBudget", "thinking_budget").and_then(Value::as_i64);
    if budget == Some(0) || is_one_of(model, &["gemini-1", "gemini-2.0"]) {
        return Thinking::Off;
    }
    let shown = is_true(asked, "includeThoughts") || is_true(asked, "include_thoughts");
    if shown { Thinking::Shown } else { Thinking::Hidden }
}

fn choice(body: &Value) -> Choice {
    let config = either(body, "toolConfig", "tool_config")
        .and_then(|config| either(config, "functionCallingConfig", "function_calling_config"));
    let Some(config) = config else { return Choice::Auto };
    let allowed = list(config, "allowedFunctionNames", "allowed_function_names");
    match (string(config, "mode").to_ascii_uppercase().as_str(), allowed) {
        ("NONE", _) => Choice::None,
        ("ANY", [Value::String(name), ..]) => Choice::Tool(name.clone()),
        ("ANY", _) => Choice::Any,
        _ => Choice::Auto,
    }
}

fn format(config: &Value) -> Option<Value> {
    let schema = either(config, "responseJsonSchema", "response_json_schema")
        .or_else(|| either(config, "responseSchema", "response_schema"));
    let kind = either(config, "responseMimeType", "response_mime_type").and_then(Value::as_str);
    (kind == Some("application/json")).then(|| schema.cloned().unwrap_or_default())
}

fn either<'v>(value: &'v Value, camel: &str, snake: &str) -> Option<&'v Value> {
    value.get(camel).or_else(|| value.get(snake))
}

fn list<'v>(value: &'v Value, camel: &str, snake: &str) -> &'v [Value] {
    either(value, camel, snake).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Where the text of a result stands, by convention.
const RESULT: &[&str] = &["output", "result", "content"];
