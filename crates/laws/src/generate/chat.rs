//! Bodies as clients of Chat Completions and its many relatives write them.

use serde_json::{Value, json};

use super::Writer;
use super::script::{Args, Block, Media, Part, Role, Script, Source, Tool, Turn};

/// How a family of clients writes what the dialect leaves open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Habit {
    Plain,
    /// `reasoning_content`, as `DeepSeek` has it.
    Content,
    /// `reasoning_details`, as `OpenRouter` has it.
    Details,
    /// Chunks of thinking in the content, as Mistral has it.
    Chunks,
    /// Signatures on the calls, as Gemini has it.
    Signed,
}

pub(super) fn body(w: &mut Writer, script: &Script) -> Value {
    let habit =
        w.rng.pick(&[Habit::Plain, Habit::Content, Habit::Details, Habit::Chunks, Habit::Signed]);
    let mut body = json!({"model": w.rng.pick(MODELS)});
    let mut messages = Vec::new();
    if !script.system.is_empty() {
        let role = w.rng.pick(&["system", "system", "developer"]);
        let content = content(w, &script.system, habit);
        messages.push(json!({"role": role, "content": content}));
    }
    for turn in &script.turns {
        self::turn(w, turn, habit, &mut messages);
    }
    body["messages"] = messages.into();
    if w.odd() {
        body["messages"] = w.odd_value();
    }
    if !script.tools.is_empty() {
        body["tools"] = script.tools.iter().map(|one| tool(w, one)).collect();
    } else if w.odd() {
        body["tools"] = json!([]);
    }
    settings(w, &mut body, !script.tools.is_empty());
    w.strew(&mut body);
    body
}

/// Results are messages of their own; what else a turn says follows them, or stands where it stood.
fn turn(w: &mut Writer, turn: &Turn, habit: Habit, messages: &mut Vec<Value>) {
    let (role, said) = match turn.role {
        Role::User => ("user", &turn.blocks),
        Role::Assistant => return messages.push(assistant(w, &turn.blocks, habit)),
        Role::System => (w.rng.pick(&["system", "developer"]), &turn.blocks),
        Role::Odd(role) => (role, &turn.blocks),
    };
    let mut open: Vec<Block> = Vec::new();
    for block in said {
        let Part::Result { id, name, content, .. } = &block.part else {
            open.push(block.clone());
            continue;
        };
        if !open.is_empty() {
            messages.push(message(w, role, &std::mem::take(&mut open), habit));
        }
        let content = match &content[..] {
            [] => Value::from(""),
            blocks => self::content(w, blocks, habit),
        };
        let mut result = json!({"role": "tool"});
        if let Some(id) = id {
            result["tool_call_id"] = w.or_odd(id.as_str().into());
        }
        result["content"] = w.or_odd(content);
        if w.odd() {
            result["name"] = name.as_str().into();
        }
        messages.push(result);
    }
    if !open.is_empty() || said.is_empty() {
        messages.push(message(w, role, &open, habit));
    }
}

fn message(w: &mut Writer, role: &str, blocks: &[Block], habit: Habit) -> Value {
    let content = content(w, blocks, habit);
    let mut message = json!({"role": role, "content": w.or_odd(content)});
    if w.odd() {
        w.strew(&mut message);
    }
    message
}

fn content(w: &mut Writer, blocks: &[Block], habit: Habit) -> Value {
    match blocks {
        [] if w.odd() => Value::Null,
        [] => "".into(),
        [Block { part: Part::Text(text), cache: None }] if !w.odd() => text.as_str().into(),
        blocks => blocks.iter().filter_map(|block| part(w, block, habit)).collect(),
    }
}

fn assistant(w: &mut Writer, blocks: &[Block], habit: Habit) -> Value {
    let mut message = json!({"role": "assistant"});
    let mut calls = Vec::new();
    let mut said = Vec::new();
    for block in blocks {
        match &block.part {
            Part::Call { id, name, args } => calls.push(call(w, id, name, args, habit)),
            Part::Thinking { text, seal } => think(w, &mut message, text, seal.as_deref(), habit),
            Part::Redacted(data) => think(w, &mut message, "", Some(data), habit),
            Part::Refusal(text) => message["refusal"] = text.as_str().into(),
            _ => said.push(block.clone()),
        }
    }
    let content = match &said[..] {
        [] if !calls.is_empty() => w.rng.pick(&[json!(null), json!(null), json!("")]),
        said => content(w, said, habit),
    };
    if habit == Habit::Chunks
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
        message["content"] = w.or_odd(content);
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    } else if w.odd() {
        message["tool_calls"] = w.rng.pick(&[json!([]), json!(null)]);
    }
    if w.odd() {
        message["function_call"] = json!({"name": "read_file", "arguments": "{}"});
    }
    message
}

fn think(w: &mut Writer, message: &mut Value, text: &str, seal: Option<&str>, habit: Habit) {
    match habit {
        Habit::Plain if !w.odd() => {}
        Habit::Plain => message["reasoning"] = text.into(),
        Habit::Content | Habit::Signed => message["reasoning_content"] = text.into(),
        Habit::Chunks => message["thought"] = text.into(),
        Habit::Details => {
            let detail = match (text, seal) {
                ("", Some(seal)) => json!({"type": "reasoning.encrypted", "data": seal}),
                (_, Some(seal)) => json!({
                    "type": "reasoning.text", "text": text, "signature": seal,
                    "format": w.rng.pick(&["anthropic-claude-v1", "google-gemini-v1", "openai-responses-v1"]),
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

fn call(w: &mut Writer, id: &str, name: &str, args: &Args, habit: Habit) -> Value {
    let arguments = match args {
        Args::Json(json) if w.odd() => json.clone(),
        Args::Json(json) => crate::spell::within(json).into(),
        Args::Text(text) => text.as_str().into(),
    };
    let function = json!({"name": name, "arguments": arguments});
    let mut call = json!({"id": id, "type": "function", "function": function});
    if habit == Habit::Signed {
        call["extra_content"] = json!({"google": {"thought_signature": w.seal()}});
    }
    if w.odd() {
        w.strew(&mut call);
    }
    call
}

fn part(w: &mut Writer, block: &Block, habit: Habit) -> Option<Value> {
    let mut part = match &block.part {
        Part::Text(text) | Part::Refusal(text) => {
            json!({"type": "text", "text": w.or_odd(text.as_str().into())})
        }
        Part::Media(media) => self::media(media),
        Part::Odd(value) => value.clone(),
        Part::Thinking { text, .. } if habit == Habit::Chunks || w.odd() => {
            json!({"type": "thinking", "thinking": text})
        }
        Part::Call { id, name, args: Args::Json(json) } if w.odd() => {
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
        Source::Plain(text) => return json!({"type": "text", "text": text}),
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

fn tool(w: &mut Writer, tool: &Tool) -> Value {
    if w.odd() {
        return w.rng.pick(&[
            json!({"type": "custom", "custom": {"name": "patch", "format": {"type": "text"}}}),
            json!({"name": "flat", "parameters": {"type": "object", "properties": {}}}),
            json!({"name": "claude_tool", "input_schema": {"type": "object", "properties": {}}}),
            json!({"type": "web_search"}),
            json!({"type": "function"}),
            json!({}),
        ]);
    }
    let mut function = json!({"name": tool.name});
    if let Some(about) = &tool.about {
        function["description"] = about.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        function["parameters"] = schema.clone();
    }
    if let Some((key, value)) = &tool.extra
        && *key != "type"
    {
        function[*key] = value.clone();
    }
    json!({"type": "function", "function": function})
}

fn settings(w: &mut Writer, body: &mut Value, tools: bool) {
    if w.rng.once_in(3) {
        body["stream"] = true.into();
        if w.rng.once_in(2) {
            body["stream_options"] = json!({"include_usage": true});
        }
    }
    if w.rng.once_in(3) {
        body[w.rng.pick(&["max_tokens", "max_completion_tokens"])] = json!(1024);
    }
    if w.rng.once_in(5) {
        body["temperature"] = json!(w.rng.pick(&[0.0, 0.7, 1.0]));
    }
    if w.rng.once_in(8) {
        body["reasoning_effort"] = w.rng.pick(&["low", "medium", "high"]).into();
    }
    if tools && w.rng.once_in(4) {
        body["tool_choice"] = w.rng.pick(&[
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "function": {"name": "read_file"}}),
        ]);
    }
    if tools && w.rng.once_in(6) {
        body["parallel_tool_calls"] = json!(w.rng.once_in(2));
    }
    for _ in 0..ODD.len() / 6 {
        if w.odd() {
            let (key, value) = w.rng.pick(ODD);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD: &[(&str, &str)] = &[
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
