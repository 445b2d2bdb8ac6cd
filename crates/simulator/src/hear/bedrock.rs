//! What a Bedrock Converse request says.

use serde_json::Value;

use super::{Choice, Heard, Outcome, Said, Thinking, Tool, anthropic, items, string, texts, words};

pub(super) fn hear(model: &str, body: &Value) -> Heard {
    let messages = items(body, "messages");
    let mut heard = Heard {
        tools: tools(body),
        stops: texts(body.pointer("/inferenceConfig/stopSequences")),
        max_tokens: body.pointer("/inferenceConfig/maxTokens").and_then(Value::as_u64),
        thinking: body
            .pointer("/additionalModelRequestFields/thinking")
            .map_or(Thinking::Off, |asked| anthropic::thinking(model, Some(asked))),
        choice: choice(body.pointer("/toolConfig/toolChoice")),
        format: body.pointer("/outputConfig/textFormat/structure/jsonSchema/schema").map(parsed),
        ..Heard::default()
    };
    heard.conversation(said(messages));
    heard.count(body, messages, body.to_string().contains("\"cachePoint\":{"));
    heard
}

/// The schema stands as JSON within JSON.
fn parsed(schema: &Value) -> Value {
    match schema {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    }
}

fn said(messages: &[Value]) -> Vec<Said> {
    let mut out = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        match string(message, "role") {
            "assistant" => {
                let calls = blocks.iter().filter_map(|block| block.get("toolUse")).map(|call| {
                    (string(call, "toolUseId").to_owned(), string(call, "name").to_owned())
                });
                out.push(Said::Model(calls.collect()));
            }
            "user" => {
                let results = blocks.iter().filter_map(|block| block.get("toolResult"));
                let results: Vec<Outcome> = results.map(outcome).collect();
                out.push(if results.is_empty() {
                    Said::User(vec![words(content)])
                } else {
                    Said::Results(results)
                });
            }
            _ => {}
        }
    }
    out
}

fn outcome(result: &Value) -> Outcome {
    let part = |part: &Value| match (part.get("text"), part.get("json")) {
        (Some(Value::String(text)), _) => text.clone(),
        (_, Some(json)) => json.to_string(),
        _ => part.to_string(),
    };
    Outcome {
        call: string(result, "toolUseId").to_owned(),
        name: String::new(),
        text: items(result, "content").iter().map(part).collect(),
        failed: string(result, "status") == "error",
    }
}

fn tools(body: &Value) -> Vec<Tool> {
    let config = body.get("toolConfig").unwrap_or(&Value::Null);
    let specs = items(config, "tools").iter().filter_map(|tool| tool.get("toolSpec"));
    let tool = |spec: &Value| Tool {
        name: string(spec, "name").to_owned(),
        description: string(spec, "description").to_owned(),
        schema: spec.pointer("/inputSchema/json").cloned().unwrap_or_default(),
        ..Tool::default()
    };
    specs.map(tool).collect()
}

fn choice(choice: Option<&Value>) -> Choice {
    let Some(choice) = choice else { return Choice::Auto };
    if let Some(tool) = choice.get("tool") {
        return Choice::Tool(string(tool, "name").to_owned());
    }
    if choice.get("any").is_some() { Choice::Any } else { Choice::Auto }
}
