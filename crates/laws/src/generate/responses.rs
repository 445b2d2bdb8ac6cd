//! Encodes a draft as a Responses API request, with the oddities of its clients.

use serde_json::{Value, json};

use super::draft::{Args, Block, ConversationDraft, DraftContent, Media, Role, Source, Tool, Turn};
use super::generator::Generator;

pub(super) fn body(g: &mut Generator, draft: &ConversationDraft) -> Value {
    let mut body = json!({"model": g.rng.pick(MODELS), "store": false});
    let mut items = Vec::new();
    match &draft.system[..] {
        [] => {}
        [Block { content: DraftContent::Text(text), .. }] if g.rng.one_in(2) => {
            body["instructions"] = g.or_odd_value(text.as_str().into());
        }
        blocks => items.push(message(g, "developer", blocks, "input_text")),
    }
    for turn in &draft.turns {
        self::turn(g, turn, &mut items);
    }
    body["input"] = items.into();
    if g.roll_odd() {
        body["input"] = g.rng.pick(&[
            json!("a string"),
            json!(""),
            json!([]),
            json!(null),
            json!({"role": "user", "content": "x"}),
        ]);
    }
    if !draft.tools.is_empty() {
        body["tools"] = draft.tools.iter().map(|it| tool(g, it)).collect();
    }
    settings(g, &mut body, !draft.tools.is_empty());
    g.maybe_add_field(&mut body);
    body
}

fn turn(g: &mut Generator, turn: &Turn, items: &mut Vec<Value>) {
    let (role, text) = match turn.role {
        Role::User => ("user", "input_text"),
        Role::Assistant => ("assistant", "output_text"),
        Role::System => (g.rng.pick(&["system", "developer"]), "input_text"),
        Role::Unknown(role) => (role, "input_text"),
    };
    let mut open: Vec<Block> = Vec::new();
    for block in &turn.blocks {
        let Some(item) = standalone_item(g, block) else {
            open.push(block.clone());
            continue;
        };
        if !open.is_empty() {
            items.push(message(g, role, &std::mem::take(&mut open), text));
        }
        items.push(item);
    }
    if !open.is_empty() || turn.blocks.is_empty() {
        items.push(message(g, role, &open, text));
    }
}

fn message(g: &mut Generator, role: &str, blocks: &[Block], text: &str) -> Value {
    let content = match blocks {
        [Block { content: DraftContent::Text(text), .. }] if g.rng.one_in(2) => {
            text.as_str().into()
        }
        blocks => blocks.iter().map(|block| part(g, block, text)).collect(),
    };
    let mut message = json!({"role": role, "content": g.or_odd_value(content)});
    if !g.roll_odd() {
        message["type"] = "message".into();
    }
    if role == "assistant" && g.rng.one_in(3) {
        message["id"] = format!("msg_{:06}", g.rng.below(999_999)).into();
        message["status"] = "completed".into();
    }
    if g.roll_odd() {
        g.maybe_add_field(&mut message);
    }
    message
}

/// The item of a block that is not part of a message.
fn standalone_item(g: &mut Generator, block: &Block) -> Option<Value> {
    let mut item = match &block.content {
        DraftContent::Thinking { text, seal } => {
            let summary = if text.is_empty() {
                json!([])
            } else {
                json!([{"type": "summary_text", "text": text}])
            };
            let mut item = json!({"type": "reasoning", "summary": g.or_odd_value(summary)});
            if !g.roll_odd() {
                item["id"] = format!("rs_{:06}", g.rng.below(999_999)).into();
            }
            if let Some(seal) = seal {
                item["encrypted_content"] = seal.as_str().into();
            }
            item
        }
        DraftContent::Redacted(data) => {
            json!({"type": "reasoning", "summary": [], "encrypted_content": data})
        }
        DraftContent::Call { id, name, args } => {
            if g.roll_odd() {
                return Some(
                    json!({"type": "custom_tool_call", "call_id": id, "name": name, "input": "free text"}),
                );
            }
            let arguments = match args {
                Args::Json(json) if g.roll_odd() => json.clone(),
                Args::Json(json) => crate::raw_json::nested_json(json).into(),
                Args::Text(text) => text.as_str().into(),
            };
            let mut call = json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
            if g.rng.one_in(4) {
                let prefix = if g.roll_odd() { "call_" } else { "fc_" };
                call["id"] = format!("{prefix}{:06}", g.rng.below(999_999)).into();
            }
            call
        }
        DraftContent::Result { id, content, .. } => {
            let output = match &content[..] {
                [Block { content: DraftContent::Text(text), .. }] => text.as_str().into(),
                [] => "".into(),
                blocks => blocks.iter().map(|block| part(g, block, "input_text")).collect(),
            };
            let kind =
                if g.roll_odd() { "custom_tool_call_output" } else { "function_call_output" };
            let mut item = json!({"type": kind, "output": g.or_odd_value(output)});
            if let Some(id) = id {
                item["call_id"] = id.as_str().into();
            }
            item
        }
        DraftContent::Text(_)
        | DraftContent::Refusal(_)
        | DraftContent::Media(_)
        | DraftContent::Unknown(_) => return None,
    };
    if g.roll_odd() {
        g.maybe_add_field(&mut item);
    }
    Some(item)
}

fn part(g: &mut Generator, block: &Block, text_kind: &str) -> Value {
    match &block.content {
        DraftContent::Text(text) => {
            let kind = if g.roll_odd() {
                g.rng.pick(&["text", "output_text", "input_text"])
            } else {
                text_kind
            };
            let mut part = json!({"type": kind, "text": g.or_odd_value(text.as_str().into())});
            if kind == "output_text" {
                part["annotations"] = json!([]);
            }
            part
        }
        DraftContent::Refusal(text) => json!({"type": "refusal", "refusal": text}),
        DraftContent::Media(media) => self::media(media),
        DraftContent::Unknown(value) => value.clone(),
        DraftContent::Thinking { .. }
        | DraftContent::Redacted(_)
        | DraftContent::Call { .. }
        | DraftContent::Result { .. } => {
            json!({})
        }
    }
}

fn media(media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let url = match source {
        Source::Base64(data) => format!("data:{mime};base64,{data}"),
        Source::Url(url) => url.clone(),
        Source::File(id) => return json!({"type": "input_file", "file_id": id}),
        Source::Text(text) => return json!({"type": "input_text", "text": text}),
    };
    match (*kind, source) {
        ("image", _) => json!({"type": "input_image", "image_url": url, "detail": "auto"}),
        ("audio", Source::Base64(data)) => {
            json!({"type": "input_audio", "input_audio": {"data": data, "format": "wav"}})
        }
        (_, Source::Url(_)) => json!({"type": "input_file", "file_url": url}),
        _ => json!({"type": "input_file", "file_data": url, "filename": name.unwrap_or("a.pdf")}),
    }
}

fn tool(g: &mut Generator, tool: &Tool) -> Value {
    if g.roll_odd() {
        return g.rng.pick(&[
            json!({"type": "web_search"}),
            json!({"type": "custom", "name": "patch", "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"}}),
            json!({"type": "local_shell"}),
            json!({"type": "namespace", "name": "mcp__fs", "description": "Files", "tools": [{"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}}]}),
            json!({"type": "mcp", "server_label": "s", "server_url": "https://a.example"}),
            json!({"type": "function", "function": {"name": "chat_tool", "parameters": {"type": "object"}}}),
            json!({"type": "file_search", "vector_store_ids": ["vs_1"]}),
            json!({}),
        ]);
    }
    let mut encoded = json!({"type": "function", "name": tool.name, "strict": g.rng.pick(&[json!(false), json!(null)])});
    if let Some(description) = &tool.description {
        encoded["description"] = description.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        encoded["parameters"] = schema.clone();
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
    if g.rng.one_in(3) {
        body["max_output_tokens"] = json!(1024);
    }
    if g.rng.one_in(3) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if g.rng.one_in(4) {
        body["reasoning"] =
            json!({"effort": g.rng.pick(&["low", "medium", "high"]), "summary": "auto"});
    }
    if tools && g.rng.one_in(4) {
        body["tool_choice"] = g.rng.pick(&[
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "name": "read_file"}),
        ]);
    }
    for _ in 0..ODD_SETTINGS.len() / 6 {
        if g.roll_odd() {
            let (key, value) = g.rng.pick(ODD_SETTINGS);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD_SETTINGS: &[(&str, &str)] = &[
    ("temperature", "0.5"),
    ("temperature", "5"),
    ("top_p", "0.5"),
    ("top_p", "2"),
    ("max_output_tokens", "1"),
    ("max_output_tokens", "0"),
    ("max_output_tokens", "99999999"),
    ("store", "true"),
    ("store", "null"),
    ("previous_response_id", "\"resp_1\""),
    ("conversation", "\"conv_1\""),
    ("parallel_tool_calls", "false"),
    ("reasoning", r#"{"effort":"none"}"#),
    ("reasoning", r#"{"effort":"enormous"}"#),
    ("reasoning", r#"{"effort":"xhigh","summary":"detailed"}"#),
    ("reasoning", "null"),
    ("text", r#"{"format":{"type":"json_object"},"verbosity":"low"}"#),
    (
        "text",
        r#"{"format":{"type":"json_schema","name":"r","schema":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}}"#,
    ),
    ("response_format", r#"{"type":"json_object"}"#),
    ("truncation", "\"auto\""),
    ("metadata", r#"{"a":"b","n":1}"#),
    ("user", "\"someone\""),
    ("service_tier", "\"flex\""),
    ("background", "true"),
    ("max_tool_calls", "3"),
    ("prompt", r#"{"id":"pmpt_1"}"#),
    ("prompt_cache_key", "\"k\""),
    ("tool_choice", r#"{"type":"function","name":"nobody_knows_it"}"#),
    (
        "tool_choice",
        r#"{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"read_file"}]}"#,
    ),
    ("tool_choice", "\"required\""),
    ("stop", r#"["x"]"#),
    ("messages", r#"[{"role":"user","content":"chat shaped"}]"#),
    ("max_tokens", "100"),
    ("include", r#"["nothing.known"]"#),
    ("client_metadata", r#"{"x":"y"}"#),
];

const MODELS: &[&str] =
    &["gpt-4.1", "gpt-5", "gpt-5.1", "gpt-5.6", "gpt-5.2-codex", "o3", "some-model"];
