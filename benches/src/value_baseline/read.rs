//! Reads the tree of each dialect into a `RequestTree`.

use serde_json::{Value, json};

use super::tree::{Part, RequestTree, Tool, Turn, items, join_texts, parse_args};

pub(super) fn anthropic(body: &mut Value) -> RequestTree {
    let turn = |mut message: Value| {
        let content = message["content"].take();
        let parts = if content.is_string() { vec![Part::Text(content)] } else { blocks(content) };
        Turn { assistant: message["role"] == "assistant", parts }
    };
    RequestTree {
        model: body["model"].take(),
        system: items(&mut body["system"])
            .into_iter()
            .map(|mut part| part["text"].take())
            .collect(),
        turns: items(&mut body["messages"]).into_iter().map(turn).collect(),
        tools: tools(&mut body["tools"], "input_schema"),
        limit: body["max_tokens"].take(),
        stream: body["stream"].take(),
    }
}

fn blocks(mut content: Value) -> Vec<Part> {
    let part = |mut block: Value| match block["type"].as_str()? {
        "text" => Some(Part::Text(block["text"].take())),
        "tool_use" => Some(Part::Call {
            id: block["id"].take(),
            name: block["name"].take(),
            args: block["input"].take(),
        }),
        "tool_result" => {
            let text = join_texts(block["content"].take());
            Some(Part::Result { id: block["tool_use_id"].take(), name: Value::Null, text })
        }
        _ => None,
    };
    items(&mut content).into_iter().filter_map(part).collect()
}

pub(super) fn chat(body: &mut Value) -> RequestTree {
    let mut history = RequestTree {
        model: body["model"].take(),
        tools: wrapped_tools(&mut body["tools"]),
        limit: body["max_completion_tokens"].take(),
        stream: body["stream"].take(),
        ..RequestTree::default()
    };
    for mut message in items(&mut body["messages"]) {
        let content = join_texts(message["content"].take());
        let (assistant, parts) = match message["role"].as_str() {
            Some("system" | "developer") => {
                history.system.push(content);
                continue;
            }
            Some("tool") => {
                let (id, name) = (message["tool_call_id"].take(), Value::Null);
                (false, vec![Part::Result { id, name, text: content }])
            }
            Some("assistant") => {
                let text = content.as_str().is_some_and(|text| !text.is_empty());
                let mut parts: Vec<Part> =
                    text.then_some(Part::Text(content)).into_iter().collect();
                if let Some(calls) = message.get_mut("tool_calls") {
                    parts.extend(items(calls).into_iter().map(|mut call| Part::Call {
                        id: call["id"].take(),
                        name: call["function"]["name"].take(),
                        args: parse_args(&call["function"]["arguments"]),
                    }));
                }
                (true, parts)
            }
            _ => (false, vec![Part::Text(content)]),
        };
        history.turns.push(Turn { assistant, parts });
    }
    history
}

pub(super) fn responses(body: &mut Value) -> RequestTree {
    let turn = |mut item: Value| match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let part = Part::Text(join_texts(item["content"].take()));
            Some(Turn { assistant: item["role"] == "assistant", parts: vec![part] })
        }
        "function_call" => {
            let args = parse_args(&item["arguments"]);
            let call = Part::Call { id: item["call_id"].take(), name: item["name"].take(), args };
            Some(Turn { assistant: true, parts: vec![call] })
        }
        "function_call_output" => {
            let text = join_texts(item["output"].take());
            let result = Part::Result { id: item["call_id"].take(), name: Value::Null, text };
            Some(Turn { assistant: false, parts: vec![result] })
        }
        _ => None,
    };
    RequestTree {
        model: body["model"].take(),
        system: vec![body["instructions"].take()],
        turns: items(&mut body["input"]).into_iter().filter_map(turn).collect(),
        tools: tools(&mut body["tools"], "parameters"),
        limit: body["max_output_tokens"].take(),
        stream: body["stream"].take(),
    }
}

pub(super) fn gemini(body: &mut Value) -> RequestTree {
    let part = |mut part: Value| {
        if part["text"].is_string() && part["thought"] != json!(true) {
            return Some(Part::Text(part["text"].take()));
        }
        let mut call = part["functionCall"].take();
        if call.is_object() {
            let (id, name) = (call["id"].take(), call["name"].take());
            return Some(Part::Call { id, name, args: call["args"].take() });
        }
        let mut result = part["functionResponse"].take();
        result.is_object().then(|| Part::Result {
            id: result["id"].take(),
            name: result["name"].take(),
            text: result["response"]["output"].take(),
        })
    };
    let turn = |mut content: Value| Turn {
        assistant: content["role"] == "model",
        parts: items(&mut content["parts"]).into_iter().filter_map(part).collect(),
    };
    let system = items(&mut body["systemInstruction"]["parts"]);
    let tools = items(&mut body["tools"]);
    let declarations =
        tools.into_iter().flat_map(|mut tool| items(&mut tool["functionDeclarations"]));
    RequestTree {
        model: Value::Null,
        system: system.into_iter().map(|mut part| part["text"].take()).collect(),
        turns: items(&mut body["contents"]).into_iter().map(turn).collect(),
        tools: declarations.map(|tool| parse_tool(tool, "parametersJsonSchema")).collect(),
        limit: body["generationConfig"]["maxOutputTokens"].take(),
        stream: Value::Null,
    }
}

pub(super) fn bedrock(body: &mut Value) -> RequestTree {
    let part = |mut block: Value| {
        if block["text"].is_string() {
            return Some(Part::Text(block["text"].take()));
        }
        let mut call = block["toolUse"].take();
        if call.is_object() {
            let (id, name) = (call["toolUseId"].take(), call["name"].take());
            return Some(Part::Call { id, name, args: call["input"].take() });
        }
        let mut result = block["toolResult"].take();
        result.is_object().then(|| Part::Result {
            id: result["toolUseId"].take(),
            name: Value::Null,
            text: join_texts(result["content"].take()),
        })
    };
    let turn = |mut message: Value| Turn {
        assistant: message["role"] == "assistant",
        parts: items(&mut message["content"]).into_iter().filter_map(part).collect(),
    };
    let tool = |mut tool: Value| {
        let mut tool = tool["toolSpec"].take();
        tool["inputSchema"] = tool["inputSchema"]["json"].take();
        parse_tool(tool, "inputSchema")
    };
    RequestTree {
        model: Value::Null,
        system: items(&mut body["system"])
            .into_iter()
            .map(|mut part| part["text"].take())
            .collect(),
        turns: items(&mut body["messages"]).into_iter().map(turn).collect(),
        tools: items(&mut body["toolConfig"]["tools"]).into_iter().map(tool).collect(),
        limit: body["inferenceConfig"]["maxTokens"].take(),
        stream: Value::Null,
    }
}

fn tools(list: &mut Value, schema: &str) -> Vec<Tool> {
    items(list).into_iter().map(|tool| parse_tool(tool, schema)).collect()
}

fn wrapped_tools(list: &mut Value) -> Vec<Tool> {
    let inner = items(list).into_iter().map(|mut tool| tool["function"].take());
    inner.map(|tool| parse_tool(tool, "parameters")).collect()
}

fn parse_tool(mut tool: Value, schema: &str) -> Tool {
    Tool {
        name: tool["name"].take(),
        description: tool["description"].take(),
        schema: tool[schema].take(),
    }
}
