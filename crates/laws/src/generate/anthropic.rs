//! Encodes a draft as a Messages API request, with the oddities of its clients.

use serde_json::{Value, json};

use super::draft::{Args, Block, ConversationDraft, DraftContent, Media, Role, Source, Tool, Turn};
use super::generator::Generator;

pub(super) fn body(g: &mut Generator, draft: &ConversationDraft) -> Value {
    let mut body = json!({"model": g.rng.pick(MODELS), "max_tokens": 4096});
    if g.roll_odd() {
        body["max_tokens"] = g.rng.pick(&[
            json!(null),
            json!(0),
            json!(9_999_999),
            json!(1),
            json!("64"),
            json!(-5),
        ]);
    }
    if !draft.system.is_empty() {
        body["system"] = system(g, &draft.system);
    }
    if !draft.tools.is_empty() {
        body["tools"] = draft.tools.iter().map(|it| tool(g, it)).collect();
    } else if g.roll_odd() {
        body["tools"] = json!([]);
    }
    body["messages"] = draft.turns.iter().map(|turn| message(g, turn)).collect();
    if g.roll_odd() {
        body["messages"] = g.odd_value();
    }
    settings(g, &mut body, !draft.tools.is_empty());
    g.maybe_add_field(&mut body);
    body
}

fn system(g: &mut Generator, blocks: &[Block]) -> Value {
    if g.roll_odd() {
        return g.odd_value();
    }
    match blocks {
        [Block { content: DraftContent::Text(text), cache: None }] if g.rng.one_in(2) => {
            text.as_str().into()
        }
        _ => blocks.iter().map(|it| block(g, it)).collect(),
    }
}

fn message(g: &mut Generator, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Unknown(role) => role,
    };
    let content = match &turn.blocks[..] {
        [Block { content: DraftContent::Text(text), cache: None }] if g.rng.one_in(2) => {
            text.as_str().into()
        }
        [] if g.roll_odd() => Value::from(""),
        blocks => blocks.iter().map(|it| block(g, it)).collect(),
    };
    let content = g.or_odd_value(content);
    let mut message = json!({"role": role, "content": content});
    if g.roll_odd() {
        g.maybe_add_field(&mut message);
    }
    message
}

fn block(g: &mut Generator, block: &Block) -> Value {
    let mut encoded = part(g, &block.content);
    if let (Some(cache), true) = (&block.cache, encoded.is_object()) {
        encoded["cache_control"] = cache.clone();
    }
    if encoded.is_object() && g.roll_odd() {
        g.maybe_add_field(&mut encoded);
    }
    encoded
}

fn part(g: &mut Generator, part: &DraftContent) -> Value {
    match part {
        DraftContent::Text(text) | DraftContent::Refusal(text) => {
            let text = g.or_odd_value(text.as_str().into());
            json!({"type": "text", "text": text})
        }
        DraftContent::Thinking { text, seal } => {
            let mut thinking = json!({"type": "thinking", "thinking": text});
            if let Some(seal) = seal {
                thinking["signature"] = g.or_odd_value(seal.as_str().into());
            }
            thinking
        }
        DraftContent::Redacted(data) if g.roll_odd() => {
            json!({"type": "redacted_thinking", "signature": data})
        }
        DraftContent::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        DraftContent::Call { id, name, args } => {
            let input = match args {
                Args::Json(json) => json.clone(),
                Args::Text(text) => text.as_str().into(),
            };
            let kind = if g.roll_odd() { "server_tool_use" } else { "tool_use" };
            json!({"type": kind, "id": id, "name": name, "input": input})
        }
        DraftContent::Result { id, content, error, .. } => {
            let content = match &content[..] {
                [Block { content: DraftContent::Text(text), cache: None }] if g.rng.one_in(2) => {
                    text.as_str().into()
                }
                blocks => blocks.iter().map(|it| self::block(g, it)).collect::<Value>(),
            };
            let mut result = json!({"type": "tool_result"});
            if let Some(id) = id {
                result["tool_use_id"] = id.as_str().into();
            }
            if !g.roll_odd() {
                result["content"] = g.or_odd_value(content);
            }
            if *error {
                result["is_error"] = true.into();
            }
            result
        }
        DraftContent::Media(media) => self::media(g, media),
        DraftContent::Unknown(value) => value.clone(),
    }
}

fn media(g: &mut Generator, media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let source = match source {
        Source::Base64(data) => json!({"type": "base64", "media_type": mime, "data": data}),
        Source::Url(url) => json!({"type": "url", "url": url}),
        Source::File(id) => json!({"type": "file", "file_id": id}),
        Source::Text(text) => json!({"type": "text", "media_type": "text/plain", "data": text}),
    };
    if g.roll_odd() {
        let url = "data:image/png;base64,iVBORw0KGgo=";
        return json!({"type": "image_url", "image_url": {"url": url}});
    }
    let mut media = json!({"type": kind, "source": source});
    if let (Some(name), "document") = (name, *kind) {
        media["title"] = (*name).into();
    }
    media
}

pub(super) fn tool(g: &mut Generator, tool: &Tool) -> Value {
    if g.roll_odd() {
        return g.rng.pick(&[
            json!({"type": "web_search_20250305", "name": "web_search", "max_uses": 5}),
            json!({"type": "bash_20250124", "name": "bash"}),
            json!({"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}),
            json!({"type": "code_execution_20250825", "name": "code_execution"}),
            json!({"type": "function", "function": {"name": "chat_tool", "parameters": {"type": "object"}}}),
            json!({}),
            json!(null),
        ]);
    }
    let mut encoded = json!({"name": tool.name});
    if let Some(description) = &tool.description {
        encoded["description"] = description.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        encoded["input_schema"] = schema.clone();
    }
    if let Some((key, value)) = &tool.extra_field {
        encoded[*key] = value.clone();
    }
    encoded
}

fn settings(g: &mut Generator, body: &mut Value, tools: bool) {
    if g.rng.one_in(3) {
        body["stream"] = true.into();
    }
    if g.rng.one_in(5) {
        body["temperature"] = json!(g.rng.pick(&[0.0, 0.7, 1.0]));
    }
    if g.rng.one_in(10) {
        body["stop_sequences"] = json!(["STOP"]);
    }
    if g.rng.one_in(8) {
        body["metadata"] = json!({"user_id": "user-1"});
    }
    if g.rng.one_in(4) {
        body["thinking"] = g.rng.pick(&[
            json!({"type": "enabled", "budget_tokens": 2048}),
            json!({"type": "adaptive"}),
            json!({"type": "disabled"}),
        ]);
    }
    if tools && g.rng.one_in(4) {
        body["tool_choice"] = g.rng.pick(&[
            json!({"type": "auto"}),
            json!({"type": "any"}),
            json!({"type": "none"}),
            json!({"type": "tool", "name": "read_file"}),
            json!({"type": "auto", "disable_parallel_tool_use": true}),
        ]);
    }
    if g.rng.one_in(10) {
        body["output_config"] = json!({"effort": g.rng.pick(&["low", "high", "max"])});
    }
    for _ in 0..ODD_SETTINGS.len() / 6 {
        if g.roll_odd() {
            let (key, value) = g.rng.pick(ODD_SETTINGS);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD_SETTINGS: &[(&str, &str)] = &[
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
