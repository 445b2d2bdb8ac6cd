//! What a Responses request says.

use serde_json::Value;

use super::{Choice, Heard, Outcome, Said, Thinking, Tool, is_one_of, is_true, items};
use super::{spelled, string, words};

pub(super) fn hear(model: &str, body: &Value) -> Heard {
    let input = items(body, "input");
    let mut heard = Heard {
        tools: tools(body, input),
        stream: is_true(body, "stream"),
        max_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
        thinking: thinking(model, body),
        compact: input.last().is_some_and(|last| string(last, "type") == "compaction_trigger"),
        choice: choice(body.get("tool_choice")),
        format: format(body),
        ..Heard::default()
    };
    heard.conversation(match body.get("input") {
        Some(Value::String(text)) => vec![Said::User(vec![text.clone()])],
        _ => input.iter().filter_map(said).collect(),
    });
    heard.count(body, input, true);
    heard
}

fn said(item: &Value) -> Option<Said> {
    let content = item.get("content").unwrap_or(&Value::Null);
    let call = || vec![(string(item, "call_id").to_owned(), string(item, "name").to_owned())];
    match string(item, "type") {
        "message" | "" => match string(item, "role") {
            "user" => Some(Said::User(vec![words(content)])),
            "assistant" => Some(Said::Model(Vec::new())),
            _ => None,
        },
        "reasoning" => Some(Said::Model(Vec::new())),
        "function_call" | "custom_tool_call" => Some(Said::Model(call())),
        "function_call_output" | "custom_tool_call_output" => Some(Said::Results(vec![Outcome {
            call: string(item, "call_id").to_owned(),
            name: String::new(),
            text: spelled(item.get("output").unwrap_or(&Value::Null)),
            failed: false,
        }])),
        _ => None,
    }
}

fn tools(body: &Value, input: &[Value]) -> Vec<Tool> {
    let added = input.iter().filter(|item| string(item, "type") == "additional_tools");
    let all = items(body, "tools").iter().chain(added.flat_map(|item| items(item, "tools")));
    let mut tools = Vec::new();
    for declared in all {
        match string(declared, "type") {
            "function" | "custom" => tools.push(tool(declared, None)),
            "namespace" => {
                let group = string(declared, "name");
                tools.extend(items(declared, "tools").iter().map(|inner| tool(inner, Some(group))));
            }
            _ => {}
        }
    }
    tools
}

fn tool(declared: &Value, namespace: Option<&str>) -> Tool {
    Tool {
        name: string(declared, "name").to_owned(),
        namespace: namespace.map(str::to_owned),
        description: string(declared, "description").to_owned(),
        schema: declared.get("parameters").cloned().unwrap_or_default(),
        custom: string(declared, "type") == "custom",
    }
}

/// The reasoning itself is never shown; a summary is when asked for.
fn thinking(model: &str, body: &Value) -> Thinking {
    let reasoning = body.get("reasoning").unwrap_or(&Value::Null);
    if string(reasoning, "effort") == "none" || is_one_of(model, SILENT) {
        return Thinking::Off;
    }
    let summary = reasoning.get("summary").or_else(|| reasoning.get("generate_summary"));
    if summary.is_some_and(Value::is_string) { Thinking::Shown } else { Thinking::Hidden }
}

fn choice(choice: Option<&Value>) -> Choice {
    match choice {
        Some(Value::String(word)) if word == "none" => Choice::None,
        Some(Value::String(word)) if word == "required" => Choice::Any,
        Some(choice) if matches!(string(choice, "type"), "function" | "custom") => {
            Choice::Tool(string(choice, "name").to_owned())
        }
        _ => Choice::Auto,
    }
}

fn format(body: &Value) -> Option<Value> {
    let format = body.pointer("/text/format")?;
    match string(format, "type") {
        "json_schema" => Some(format.get("schema").cloned().unwrap_or_default()),
        "json_object" => Some(Value::Null),
        _ => None,
    }
}

/// Models that do not reason.
const SILENT: &[&str] = &["gpt-3", "gpt-4", "chatgpt"];
