//! Reads texts, reasoning and calls out of replies and streams, without the translation's code.

use serde_json::{Value, json};

/// What a reply says, whatever its dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReplyContents {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<CallContents>,
    /// Reasoning in a form that repeats it.
    reasoning_details: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallContents {
    /// The number of the block or call in the reply.
    key: u64,
    pub(super) name: String,
    pub(super) arguments: Value,
    /// Streamed arguments.
    arguments_text: String,
}

/// The contents of a complete reply or a stream; `None` if it has no frame of the dialect.
pub(super) fn read_contents(dialect: &str, body: &[u8]) -> Option<ReplyContents> {
    let read_frame = match dialect {
        "anthropic" => read_anthropic,
        "openai-chat" => read_chat,
        "openai-responses" => read_responses,
        "gemini" => read_gemini,
        "bedrock" => read_bedrock,
        _ => return None,
    };
    let mut contents = ReplyContents::default();
    let mut has_frame = false;
    for frame in frames(body) {
        has_frame |= read_frame(&frame, &mut contents).is_some();
    }
    if contents.reasoning.is_empty() {
        contents.reasoning = std::mem::take(&mut contents.reasoning_details);
    }
    for call in &mut contents.calls {
        if !call.arguments_text.is_empty() {
            call.arguments = parse_arguments(&call.arguments_text);
        }
        if call.arguments.is_null() {
            call.arguments = json!({});
        }
    }
    has_frame.then_some(contents)
}

/// Whether the body is server-sent events or a list of frames.
pub(super) fn is_stream(body: &[u8]) -> bool {
    !body.trim_ascii_start().starts_with(b"{")
}

fn frames(body: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(body) {
        Ok(Value::Array(frames)) => return frames,
        Ok(frame) => return vec![frame],
        Err(_) => {}
    }
    let text = String::from_utf8_lossy(body);
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

impl ReplyContents {
    fn call(&mut self, key: u64) -> &mut CallContents {
        if let Some(at) = self.calls.iter().position(|call| call.key == key) {
            return &mut self.calls[at];
        }
        let at = self.calls.len();
        self.calls.push(CallContents { key, ..CallContents::default() });
        &mut self.calls[at]
    }

    fn add_call(&mut self, name: &Value, arguments: &Value) {
        let (name, key) = (string(name).to_owned(), u64::MAX - self.calls.len() as u64);
        let arguments = match arguments {
            Value::String(text) => parse_arguments(text),
            other => other.clone(),
        };
        self.calls.push(CallContents { key, name, arguments, arguments_text: String::new() });
    }
}

fn read_anthropic(frame: &Value, out: &mut ReplyContents) -> Option<()> {
    let index = frame["index"].as_u64().unwrap_or_default();
    match frame["type"].as_str()? {
        "message" => {
            for (index, block) in items(&frame["content"]).enumerate() {
                read_anthropic_block(index as u64, block, out);
            }
        }
        "content_block_start" => read_anthropic_block(index, &frame["content_block"], out),
        "content_block_delta" => {
            let delta = &frame["delta"];
            out.text += string(&delta["text"]);
            out.reasoning += string(&delta["thinking"]);
            if let Some(call) = out.calls.iter_mut().find(|call| call.key == index) {
                call.arguments_text += string(&delta["partial_json"]);
            }
        }
        _ => {}
    }
    Some(())
}

fn read_anthropic_block(index: u64, block: &Value, out: &mut ReplyContents) {
    match string(&block["type"]) {
        "text" => out.text += string(&block["text"]),
        "thinking" => out.reasoning += string(&block["thinking"]),
        "tool_use" => {
            let call = out.call(index);
            string(&block["name"]).clone_into(&mut call.name);
            call.arguments = block["input"].clone();
        }
        _ => {}
    }
}

fn read_chat(frame: &Value, out: &mut ReplyContents) -> Option<()> {
    let mut choices = frame["choices"].as_array()?.iter();
    let Some(choice) = choices.find(|choice| choice["index"].as_u64().unwrap_or_default() == 0)
    else {
        return Some(());
    };
    // Perplexity's chunks have the message so far beside the delta, and its bodies an empty delta.
    let is_body = frame["object"] == "chat.completion";
    let [first, second] = if is_body { ["message", "delta"] } else { ["delta", "message"] };
    let message = [&choice[first], &choice[second]].into_iter().find(|it| it.is_object())?;
    read_chat_content(&message["content"], out);
    out.text += string(&message["refusal"]);
    let reasoning = ["reasoning_content", "reasoning"].map(|key| string(&message[key]));
    out.reasoning += reasoning.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    for detail in items(&message["reasoning_details"]) {
        out.reasoning_details += string(&detail["text"]);
        out.reasoning_details += string(&detail["summary"]);
    }
    for (position, call) in items(&message["tool_calls"]).enumerate() {
        let key = call["index"].as_u64().unwrap_or(position as u64);
        // Arguments of custom tools are any text.
        let is_custom = call["custom"].is_object();
        let function = if is_custom { &call["custom"] } else { &call["function"] };
        if is_custom {
            out.add_call(&function["name"], &json!({"input": function["input"]}));
            continue;
        }
        let open = out.call(key);
        // Some servers repeat the name with each part of the arguments.
        if open.name.is_empty() {
            string(&function["name"]).clone_into(&mut open.name);
        }
        open.arguments_text += string(&function["arguments"]);
    }
    if let function @ Value::Object(_) = &message["function_call"] {
        let call = out.call(0);
        call.name += string(&function["name"]);
        call.arguments_text += string(&function["arguments"]);
    }
    Some(())
}

fn read_chat_content(content: &Value, out: &mut ReplyContents) {
    out.text += string(content);
    for part in items(content) {
        out.text += string(&part["text"]);
        for thought in items(&part["thinking"]) {
            out.reasoning += string(&thought["text"]);
        }
    }
}

fn read_responses(frame: &Value, out: &mut ReplyContents) -> Option<()> {
    match frame["type"].as_str() {
        Some("response.output_item.done") => read_item(&frame["item"], out),
        Some(_) => {}
        None => frame["output"].as_array()?.iter().for_each(|item| read_item(item, out)),
    }
    Some(())
}

fn read_item(item: &Value, out: &mut ReplyContents) {
    match string(&item["type"]) {
        "message" => {
            for part in items(&item["content"]) {
                out.text += string(&part["text"]);
                out.text += string(&part["refusal"]);
            }
        }
        "reasoning" => {
            for part in items(&item["summary"]).chain(items(&item["content"])) {
                out.reasoning += string(&part["text"]);
            }
        }
        "function_call" => out.add_call(&item["name"], &item["arguments"]),
        "custom_tool_call" => out.add_call(&item["name"], &json!({"input": item["input"]})),
        _ => {}
    }
}

fn read_gemini(frame: &Value, out: &mut ReplyContents) -> Option<()> {
    let candidate = frame["candidates"].as_array()?.first();
    for part in candidate.into_iter().flat_map(|candidate| items(&candidate["content"]["parts"])) {
        let is_thought = part["thought"] == true;
        *(if is_thought { &mut out.reasoning } else { &mut out.text }) += string(&part["text"]);
        if let call @ Value::Object(_) = &part["functionCall"] {
            out.add_call(&call["name"], &call["args"]);
        }
    }
    Some(())
}

fn read_bedrock(frame: &Value, out: &mut ReplyContents) -> Option<()> {
    for block in frame["output"]["message"]["content"].as_array()? {
        out.text += string(&block["text"]);
        for part in items(&block["citationsContent"]["content"]) {
            out.text += string(&part["text"]);
        }
        out.reasoning += string(&block["reasoningContent"]["reasoningText"]["text"]);
        // Only a server's own call has this type; others are the client's, whatever their type.
        if let call @ Value::Object(_) = &block["toolUse"]
            && call["type"] != "server_tool_use"
        {
            out.add_call(&call["name"], &call["input"]);
        }
    }
    Some(())
}

fn parse_arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
