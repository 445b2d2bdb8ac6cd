//! Encodes a draft as a Chat Completions request, with the oddities of its clients and flavors.

use serde_json::{Value, json};

use super::draft::{Args, Block, ConversationDraft, DraftContent, Media, Role, Source, Tool, Turn};
use super::generator::Generator;

/// How a family of clients writes reasoning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReasoningStyle {
    Omitted,
    /// `reasoning_content`, as `DeepSeek` has it.
    ReasoningContent,
    /// `reasoning_details`, as `OpenRouter` has it.
    ReasoningDetails,
    /// Chunks of thinking in the content, as Mistral has it.
    ThinkingChunks,
    /// Signatures on the calls, as Gemini has it.
    SignedCalls,
}

pub(super) fn body(g: &mut Generator, draft: &ConversationDraft) -> Value {
    let style = g.rng.pick(&[
        ReasoningStyle::Omitted,
        ReasoningStyle::ReasoningContent,
        ReasoningStyle::ReasoningDetails,
        ReasoningStyle::ThinkingChunks,
        ReasoningStyle::SignedCalls,
    ]);
    let mut body = json!({"model": g.rng.pick(MODELS)});
    let mut messages = Vec::new();
    if !draft.system.is_empty() {
        let role = g.rng.pick(&["system", "system", "developer"]);
        let content = content(g, &draft.system, style);
        messages.push(json!({"role": role, "content": content}));
    }
    for turn in &draft.turns {
        self::turn(g, turn, style, &mut messages);
    }
    body["messages"] = messages.into();
    if g.roll_odd() {
        body["messages"] = g.odd_value();
    }
    if !draft.tools.is_empty() {
        body["tools"] = draft.tools.iter().map(|it| tool(g, it)).collect();
    } else if g.roll_odd() {
        body["tools"] = json!([]);
    }
    settings(g, &mut body, !draft.tools.is_empty());
    g.maybe_add_field(&mut body);
    body
}

/// Encodes a turn: each result is a separate message, other blocks keep their position.
fn turn(g: &mut Generator, turn: &Turn, style: ReasoningStyle, messages: &mut Vec<Value>) {
    let (role, blocks) = match turn.role {
        Role::User => ("user", &turn.blocks),
        Role::Assistant => return messages.push(assistant(g, &turn.blocks, style)),
        Role::System => (g.rng.pick(&["system", "developer"]), &turn.blocks),
        Role::Unknown(role) => (role, &turn.blocks),
    };
    let mut open: Vec<Block> = Vec::new();
    for block in blocks {
        let DraftContent::Result { id, name, content, .. } = &block.content else {
            open.push(block.clone());
            continue;
        };
        if !open.is_empty() {
            messages.push(message(g, role, &std::mem::take(&mut open), style));
        }
        let content = match &content[..] {
            [] => Value::from(""),
            blocks => self::content(g, blocks, style),
        };
        let mut result = json!({"role": "tool"});
        if let Some(id) = id {
            result["tool_call_id"] = g.or_odd_value(id.as_str().into());
        }
        result["content"] = g.or_odd_value(content);
        if g.roll_odd() {
            result["name"] = name.as_str().into();
        }
        messages.push(result);
    }
    if !open.is_empty() || blocks.is_empty() {
        messages.push(message(g, role, &open, style));
    }
}

fn message(g: &mut Generator, role: &str, blocks: &[Block], style: ReasoningStyle) -> Value {
    let content = content(g, blocks, style);
    let mut message = json!({"role": role, "content": g.or_odd_value(content)});
    if g.roll_odd() {
        g.maybe_add_field(&mut message);
    }
    message
}

fn content(g: &mut Generator, blocks: &[Block], style: ReasoningStyle) -> Value {
    match blocks {
        [] if g.roll_odd() => Value::Null,
        [] => "".into(),
        [Block { content: DraftContent::Text(text), cache: None }] if !g.roll_odd() => {
            text.as_str().into()
        }
        blocks => blocks.iter().filter_map(|block| part(g, block, style)).collect(),
    }
}

fn assistant(g: &mut Generator, blocks: &[Block], style: ReasoningStyle) -> Value {
    let mut message = json!({"role": "assistant"});
    let mut calls = Vec::new();
    let mut content_blocks = Vec::new();
    for block in blocks {
        match &block.content {
            DraftContent::Call { id, name, args } => calls.push(call(g, id, name, args, style)),
            DraftContent::Thinking { text, seal } => {
                add_reasoning(g, &mut message, text, seal.as_deref(), style);
            }
            DraftContent::Redacted(data) => add_reasoning(g, &mut message, "", Some(data), style),
            DraftContent::Refusal(text) => message["refusal"] = text.as_str().into(),
            _ => content_blocks.push(block.clone()),
        }
    }
    let content = match &content_blocks[..] {
        [] if !calls.is_empty() => g.rng.pick(&[json!(null), json!(null), json!("")]),
        blocks => content(g, blocks, style),
    };
    if style == ReasoningStyle::ThinkingChunks
        && let Some(thought) = message.as_object_mut().and_then(|it| it.remove("thought"))
    {
        let mut list =
            vec![json!({"type": "thinking", "thinking": [{"type": "text", "text": thought}]})];
        match content {
            Value::Array(parts) => list.extend(parts),
            Value::String(text) => list.push(json!({"type": "text", "text": text})),
            _ => {}
        }
        message["content"] = list.into();
    } else {
        message["content"] = g.or_odd_value(content);
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    } else if g.roll_odd() {
        message["tool_calls"] = g.rng.pick(&[json!([]), json!(null)]);
    }
    if g.roll_odd() {
        message["function_call"] = json!({"name": "read_file", "arguments": "{}"});
    }
    message
}

fn add_reasoning(
    g: &mut Generator,
    message: &mut Value,
    text: &str,
    seal: Option<&str>,
    style: ReasoningStyle,
) {
    match style {
        ReasoningStyle::Omitted if !g.roll_odd() => {}
        ReasoningStyle::Omitted => message["reasoning"] = text.into(),
        ReasoningStyle::ReasoningContent | ReasoningStyle::SignedCalls => {
            message["reasoning_content"] = text.into();
        }
        ReasoningStyle::ThinkingChunks => message["thought"] = text.into(),
        ReasoningStyle::ReasoningDetails => {
            let detail = match (text, seal) {
                ("", Some(seal)) => json!({"type": "reasoning.encrypted", "data": seal}),
                (_, Some(seal)) => json!({
                    "type": "reasoning.text", "text": text, "signature": seal,
                    "format": g.rng.pick(&["anthropic-claude-v1", "google-gemini-v1", "openai-responses-v1"]),
                    "index": 0,
                }),
                _ => json!({"type": "reasoning.text", "text": text}),
            };
            match &mut message["reasoning_details"] {
                Value::Array(list) => list.push(detail),
                other => *other = json!([detail]),
            }
        }
    }
}

fn call(g: &mut Generator, id: &str, name: &str, args: &Args, style: ReasoningStyle) -> Value {
    let arguments = match args {
        Args::Json(json) if g.roll_odd() => json.clone(),
        Args::Json(json) => crate::raw_json::nested_json(json).into(),
        Args::Text(text) => text.as_str().into(),
    };
    let function = json!({"name": name, "arguments": arguments});
    let mut call = json!({"id": id, "type": "function", "function": function});
    if style == ReasoningStyle::SignedCalls {
        call["extra_content"] = json!({"google": {"thought_signature": g.seal()}});
    }
    if g.roll_odd() {
        g.maybe_add_field(&mut call);
    }
    call
}

fn part(g: &mut Generator, block: &Block, style: ReasoningStyle) -> Option<Value> {
    let mut part = match &block.content {
        DraftContent::Text(text) | DraftContent::Refusal(text) => {
            json!({"type": "text", "text": g.or_odd_value(text.as_str().into())})
        }
        DraftContent::Media(media) => self::media(media),
        DraftContent::Unknown(value) => value.clone(),
        DraftContent::Thinking { text, .. }
            if style == ReasoningStyle::ThinkingChunks || g.roll_odd() =>
        {
            json!({"type": "thinking", "thinking": text})
        }
        DraftContent::Call { id, name, args: Args::Json(json) } if g.roll_odd() => {
            json!({"type": "tool_use", "id": id, "name": name, "input": json})
        }
        _ => return None,
    };
    if let (Some(cache), true) = (&block.cache, part.is_object()) {
        part["cache_control"] = cache.clone();
    }
    Some(part)
}

fn media(media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let url = match source {
        Source::Base64(data) => format!("data:{mime};base64,{data}"),
        Source::Url(url) => url.clone(),
        Source::File(id) => return json!({"type": "file", "file": {"file_id": id}}),
        Source::Text(text) => return json!({"type": "text", "text": text}),
    };
    match *kind {
        "audio" => {
            let data = url.rsplit(',').next().unwrap_or_default();
            let format = mime.rsplit('/').next().unwrap_or_default();
            json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
        }
        "video" => json!({"type": "video_url", "video_url": {"url": url}}),
        "document" => {
            json!({"type": "file", "file": {"file_data": url, "filename": name.unwrap_or("a.pdf")}})
        }
        _ => json!({"type": "image_url", "image_url": {"url": url}}),
    }
}

fn tool(g: &mut Generator, tool: &Tool) -> Value {
    if g.roll_odd() {
        return g.rng.pick(&[
            json!({"type": "custom", "custom": {"name": "patch", "format": {"type": "text"}}}),
            json!({"name": "flat", "parameters": {"type": "object", "properties": {}}}),
            json!({"name": "claude_tool", "input_schema": {"type": "object", "properties": {}}}),
            json!({"type": "web_search"}),
            json!({"type": "function"}),
            json!({}),
        ]);
    }
    let mut function = json!({"name": tool.name});
    if let Some(description) = &tool.description {
        function["description"] = description.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        function["parameters"] = schema.clone();
    }
    if let Some((key, value)) = &tool.extra_field
        && *key != "type"
    {
        function[*key] = value.clone();
    }
    json!({"type": "function", "function": function})
}

fn settings(g: &mut Generator, body: &mut Value, tools: bool) {
    if g.rng.one_in(3) {
        body["stream"] = true.into();
        if g.rng.one_in(2) {
            body["stream_options"] = json!({"include_usage": true});
        }
    }
    if g.rng.one_in(3) {
        body[g.rng.pick(&["max_tokens", "max_completion_tokens"])] = json!(1024);
    }
    if g.rng.one_in(5) {
        body["temperature"] = json!(g.rng.pick(&[0.0, 0.7, 1.0]));
    }
    if g.rng.one_in(8) {
        body["reasoning_effort"] = g.rng.pick(&["low", "medium", "high"]).into();
    }
    if tools && g.rng.one_in(4) {
        body["tool_choice"] = g.rng.pick(&[
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "function": {"name": "read_file"}}),
        ]);
    }
    if tools && g.rng.one_in(6) {
        body["parallel_tool_calls"] = json!(g.rng.one_in(2));
    }
    for _ in 0..ODD_SETTINGS.len() / 6 {
        if g.roll_odd() {
            let (key, value) = g.rng.pick(ODD_SETTINGS);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD_SETTINGS: &[(&str, &str)] = &[
    ("temperature", "3"),
    ("temperature", "\"1\""),
    ("temperature", "null"),
    ("top_p", "0.5"),
    ("top_p", "-0.5"),
    ("top_k", "20"),
    ("max_tokens", "0"),
    ("max_tokens", "99999999"),
    ("max_completion_tokens", "1"),
    ("max_tokens", "null"),
    ("stop", r#"["","a","b","c","d","e"]"#),
    ("stop", "\"STOP\""),
    ("stop", "null"),
    ("n", "3"),
    ("seed", "7"),
    ("seed", "\"x\""),
    ("presence_penalty", "1.5"),
    ("frequency_penalty", "9"),
    ("logit_bias", r#"{"50256":-100}"#),
    ("logprobs", "true"),
    ("top_logprobs", "5"),
    ("user", "\"someone\""),
    ("metadata", r#"{"a":"b","n":1}"#),
    ("store", "true"),
    ("service_tier", "\"flex\""),
    ("reasoning_effort", "\"none\""),
    ("reasoning_effort", "\"xhigh\""),
    ("reasoning_effort", "\"enormous\""),
    ("reasoning", r#"{"effort":"high","max_tokens":2000}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":2000}"#),
    ("thinking", r#"{"type":"disabled"}"#),
    ("enable_thinking", "true"),
    ("chat_template_kwargs", r#"{"enable_thinking":false}"#),
    ("extra_body", r#"{"google":{"thinking_config":{"include_thoughts":true}}}"#),
    ("response_format", r#"{"type":"json_object"}"#),
    (
        "response_format",
        r#"{"type":"json_schema","json_schema":{"name":"r","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}}"#,
    ),
    ("response_format", r#"{"type":"json_schema"}"#),
    ("response_format", r#"{"type":"text"}"#),
    ("tool_choice", "\"any\""),
    ("tool_choice", "\"required\""),
    ("tool_choice", r#"{"type":"function","function":{"name":"nobody_knows_it"}}"#),
    ("tool_choice", r#"{"type":"tool","name":"read_file"}"#),
    (
        "tool_choice",
        r#"{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"read_file"}}]}}"#,
    ),
    ("parallel_tool_calls", "true"),
    ("functions", r#"[{"name":"old","parameters":{"type":"object"}}]"#),
    ("function_call", "\"auto\""),
    ("stream_options", r#"{"include_usage":true}"#),
    ("modalities", r#"["text","audio"]"#),
    ("prediction", r#"{"type":"content","content":"x"}"#),
    ("verbosity", "\"low\""),
    ("web_search_options", "{}"),
    ("prompt_cache_key", "\"k\""),
    ("safety_identifier", "\"s\""),
    ("provider", r#"{"order":["anthropic"]}"#),
    ("input", r#"[{"role":"user","content":"responses shaped"}]"#),
    ("instructions", "\"be brief\""),
    ("prefix", "true"),
];

const MODELS: &[&str] = &[
    "gpt-4.1",
    "gpt-4o-mini",
    "gpt-5.1",
    "gpt-5.6",
    "o3",
    "deepseek-chat",
    "deepseek-reasoner",
    "mistral-large-2411",
    "anthropic/claude-sonnet-4-5",
    "kimi-k2-thinking",
    "qwen3-coder",
    "some-model",
];
