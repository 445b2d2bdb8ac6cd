//! Bodies as clients of the Messages API write them.

use serde_json::{Value, json};

use super::Writer;
use super::script::{Args, Block, Media, Part, Role, Script, Source, Tool, Turn};

pub(super) fn body(w: &mut Writer, script: &Script) -> Value {
    let mut body = json!({"model": w.rng.pick(MODELS), "max_tokens": 4096});
    if w.odd() {
        body["max_tokens"] = w.rng.pick(&[
            json!(null),
            json!(0),
            json!(9_999_999),
            json!(1),
            json!("64"),
            json!(-5),
        ]);
    }
    if !script.system.is_empty() {
        body["system"] = system(w, &script.system);
    }
    if !script.tools.is_empty() {
        body["tools"] = script.tools.iter().map(|one| tool(w, one)).collect();
    } else if w.odd() {
        body["tools"] = json!([]);
    }
    body["messages"] = script.turns.iter().map(|turn| message(w, turn)).collect();
    if w.odd() {
        body["messages"] = w.odd_value();
    }
    settings(w, &mut body, !script.tools.is_empty());
    w.strew(&mut body);
    body
}

fn system(w: &mut Writer, blocks: &[Block]) -> Value {
    if w.odd() {
        return w.odd_value();
    }
    match blocks {
        [Block { part: Part::Text(text), cache: None }] if w.rng.once_in(2) => text.as_str().into(),
        _ => blocks.iter().map(|one| block(w, one)).collect(),
    }
}

fn message(w: &mut Writer, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Odd(role) => role,
    };
    let content = match &turn.blocks[..] {
        [Block { part: Part::Text(text), cache: None }] if w.rng.once_in(2) => text.as_str().into(),
        [] if w.odd() => Value::from(""),
        blocks => blocks.iter().map(|one| block(w, one)).collect(),
    };
    let content = w.or_odd(content);
    let mut message = json!({"role": role, "content": content});
    if w.odd() {
        w.strew(&mut message);
    }
    message
}

fn block(w: &mut Writer, block: &Block) -> Value {
    let mut written = part(w, &block.part);
    if let (Some(cache), true) = (&block.cache, written.is_object()) {
        written["cache_control"] = cache.clone();
    }
    if written.is_object() && w.odd() {
        w.strew(&mut written);
    }
    written
}

fn part(w: &mut Writer, part: &Part) -> Value {
    match part {
        Part::Text(text) | Part::Refusal(text) => {
            let text = w.or_odd(text.as_str().into());
            json!({"type": "text", "text": text})
        }
        Part::Thinking { text, seal } => {
            let mut thinking = json!({"type": "thinking", "thinking": text});
            if let Some(seal) = seal {
                thinking["signature"] = w.or_odd(seal.as_str().into());
            }
            thinking
        }
        Part::Redacted(data) if w.odd() => json!({"type": "redacted_thinking", "signature": data}),
        Part::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        Part::Call { id, name, args } => {
            let input = match args {
                Args::Json(json) => json.clone(),
                Args::Text(text) => text.as_str().into(),
            };
            let kind = if w.odd() { "server_tool_use" } else { "tool_use" };
            json!({"type": kind, "id": id, "name": name, "input": input})
        }
        Part::Result { id, content, error, .. } => {
            let content = match &content[..] {
                [Block { part: Part::Text(text), cache: None }] if w.rng.once_in(2) => {
                    text.as_str().into()
                }
                blocks => blocks.iter().map(|one| self::block(w, one)).collect::<Value>(),
            };
            let mut result = json!({"type": "tool_result"});
            if let Some(id) = id {
                result["tool_use_id"] = id.as_str().into();
            }
            if !w.odd() {
                result["content"] = w.or_odd(content);
            }
            if *error {
                result["is_error"] = true.into();
            }
            result
        }
        Part::Media(media) => self::media(w, media),
        Part::Odd(value) => value.clone(),
    }
}

fn media(w: &mut Writer, media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let source = match source {
        Source::Base64(data) => json!({"type": "base64", "media_type": mime, "data": data}),
        Source::Url(url) => json!({"type": "url", "url": url}),
        Source::File(id) => json!({"type": "file", "file_id": id}),
        Source::Plain(text) => json!({"type": "text", "media_type": "text/plain", "data": text}),
    };
    if w.odd() {
        let url = "data:image/png;base64,iVBORw0KGgo=";
        return json!({"type": "image_url", "image_url": {"url": url}});
    }
    let mut media = json!({"type": kind, "source": source});
    if let (Some(name), "document") = (name, *kind) {
        media["title"] = (*name).into();
    }
    media
}

pub(super) fn tool(w: &mut Writer, tool: &Tool) -> Value {
    if w.odd() {
        return w.rng.pick(&[
            json!({"type": "web_search_20250305", "name": "web_search", "max_uses": 5}),
            json!({"type": "bash_20250124", "name": "bash"}),
            json!({"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}),
            json!({"type": "code_execution_20250825", "name": "code_execution"}),
            json!({"type": "function", "function": {"name": "chat_tool", "parameters": {"type": "object"}}}),
            json!({}),
            json!(null),
        ]);
    }
    let mut written = json!({"name": tool.name});
    if let Some(about) = &tool.about {
        written["description"] = about.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        written["input_schema"] = schema.clone();
    }
    if let Some((key, value)) = &tool.extra {
        written[*key] = value.clone();
    }
    written
}

fn settings(w: &mut Writer, body: &mut Value, tools: bool) {
    if w.rng.once_in(3) {
        body["stream"] = true.into();
    }
    if w.rng.once_in(5) {
        body["temperature"] = json!(w.rng.pick(&[0.0, 0.7, 1.0]));
    }
    if w.rng.once_in(10) {
        body["stop_sequences"] = json!(["STOP"]);
    }
    if w.rng.once_in(8) {
        body["metadata"] = json!({"user_id": "user-1"});
    }
    if w.rng.once_in(4) {
        body["thinking"] = w.rng.pick(&[
            json!({"type": "enabled", "budget_tokens": 2048}),
            json!({"type": "adaptive"}),
            json!({"type": "disabled"}),
        ]);
    }
    if tools && w.rng.once_in(4) {
        body["tool_choice"] = w.rng.pick(&[
            json!({"type": "auto"}),
            json!({"type": "any"}),
            json!({"type": "none"}),
            json!({"type": "tool", "name": "read_file"}),
            json!({"type": "auto", "disable_parallel_tool_use": true}),
        ]);
    }
    if w.rng.once_in(10) {
        body["output_config"] = json!({"effort": w.rng.pick(&["low", "high", "max"])});
    }
    for _ in 0..ODD.len() / 6 {
        if w.odd() {
            let (key, value) = w.rng.pick(ODD);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD: &[(&str, &str)] = &[
    ("temperature", "2.5"),
    ("temperature", "-1"),
    ("temperature", "\"0.5\""),
    ("temperature", "null"),
    ("top_p", "0.9"),
    ("top_p", "1.5"),
    ("top_k", "40"),
    ("top_k", "-1"),
    ("stop_sequences", r#"["", " "]"#),
    ("stop_sequences", "\"STOP\""),
    (
        "stop_sequences",
        r#"["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r"]"#,
    ),
    ("metadata", r#"{"user_id": 7, "x": "y"}"#),
    ("metadata", "\"me\""),
    ("thinking", r#"{"type":"enabled"}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":10}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":100000}"#),
    ("thinking", r#"{"type":"sometimes"}"#),
    ("thinking", "true"),
    ("tool_choice", r#"{"type":"tool","name":"nobody_knows_it"}"#),
    ("tool_choice", r#"{"type":"any"}"#),
    ("tool_choice", "\"auto\""),
    ("tool_choice", "\"required\""),
    ("tool_choice", r#"{"type":"function","function":{"name":"read_file"}}"#),
    ("output_config", r#"{"effort":"enormous"}"#),
    (
        "output_config",
        r#"{"format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}"#,
    ),
    ("output_format", r#"{"type":"json_schema","schema":{"type":"object"}}"#),
    ("response_format", r#"{"type":"json_object"}"#),
    ("max_completion_tokens", "100"),
    ("n", "2"),
    ("cache_control", r#"{"type":"ephemeral"}"#),
    ("context_management", r#"{"edits":[{"type":"clear_tool_uses_20250919"}]}"#),
    ("container", "\"c_1\""),
    ("service_tier", "\"priority\""),
    ("mcp_servers", r#"[{"type":"url","url":"https://mcp.example","name":"m"}]"#),
    ("anthropic_version", "\"bedrock-2023-05-31\""),
    ("stream", "\"yes\""),
    ("speed", "\"fast\""),
];

const MODELS: &[&str] = &[
    "claude-sonnet-4-5",
    "claude-opus-4-8",
    "claude-opus-5-5",
    "claude-sonnet-5",
    "claude-3-5-sonnet-20241022",
    "gpt-4.1",
    "some-model",
];
