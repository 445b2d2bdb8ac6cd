//! Bodies as clients of the Responses API write them.

use serde_json::{Value, json};

use super::Writer;
use super::script::{Args, Block, Media, Part, Role, Script, Source, Tool, Turn};

pub(super) fn body(w: &mut Writer, script: &Script) -> Value {
    let mut body = json!({"model": w.rng.pick(MODELS), "store": false});
    let mut items = Vec::new();
    match &script.system[..] {
        [] => {}
        [Block { part: Part::Text(text), .. }] if w.rng.once_in(2) => {
            body["instructions"] = w.or_odd(text.as_str().into());
        }
        blocks => items.push(message(w, "developer", blocks, "input_text")),
    }
    for turn in &script.turns {
        self::turn(w, turn, &mut items);
    }
    body["input"] = items.into();
    if w.odd() {
        body["input"] = w.rng.pick(&[
            json!("a string"),
            json!(""),
            json!([]),
            json!(null),
            json!({"role": "user", "content": "x"}),
        ]);
    }
    if !script.tools.is_empty() {
        body["tools"] = script.tools.iter().map(|one| tool(w, one)).collect();
    }
    settings(w, &mut body, !script.tools.is_empty());
    w.strew(&mut body);
    body
}

fn turn(w: &mut Writer, turn: &Turn, items: &mut Vec<Value>) {
    let (role, text) = match turn.role {
        Role::User => ("user", "input_text"),
        Role::Assistant => ("assistant", "output_text"),
        Role::System => (w.rng.pick(&["system", "developer"]), "input_text"),
        Role::Odd(role) => (role, "input_text"),
    };
    let mut open: Vec<Block> = Vec::new();
    for block in &turn.blocks {
        let Some(item) = item(w, block) else {
            open.push(block.clone());
            continue;
        };
        if !open.is_empty() {
            items.push(message(w, role, &std::mem::take(&mut open), text));
        }
        items.push(item);
    }
    if !open.is_empty() || turn.blocks.is_empty() {
        items.push(message(w, role, &open, text));
    }
}

fn message(w: &mut Writer, role: &str, blocks: &[Block], text: &str) -> Value {
    let content = match blocks {
        [Block { part: Part::Text(text), .. }] if w.rng.once_in(2) => text.as_str().into(),
        blocks => blocks.iter().map(|block| part(w, block, text)).collect(),
    };
    let mut message = json!({"role": role, "content": w.or_odd(content)});
    if !w.odd() {
        message["type"] = "message".into();
    }
    if role == "assistant" && w.rng.once_in(3) {
        message["id"] = format!("msg_{:06}", w.rng.below(999_999)).into();
        message["status"] = "completed".into();
    }
    if w.odd() {
        w.strew(&mut message);
    }
    message
}

/// What is an item of its own.
fn item(w: &mut Writer, block: &Block) -> Option<Value> {
    let mut item = match &block.part {
        Part::Thinking { text, seal } => {
            let summary = if text.is_empty() {
                json!([])
            } else {
                json!([{"type": "summary_text", "text": text}])
            };
            let mut item = json!({"type": "reasoning", "summary": w.or_odd(summary)});
            if !w.odd() {
                item["id"] = format!("rs_{:06}", w.rng.below(999_999)).into();
            }
            if let Some(seal) = seal {
                item["encrypted_content"] = seal.as_str().into();
            }
            item
        }
        Part::Redacted(data) => {
            json!({"type": "reasoning", "summary": [], "encrypted_content": data})
        }
        Part::Call { id, name, args } => {
            if w.odd() {
                return Some(
                    json!({"type": "custom_tool_call", "call_id": id, "name": name, "input": "free text"}),
                );
            }
            let arguments = match args {
                Args::Json(json) if w.odd() => json.clone(),
                Args::Json(json) => crate::spell::within(json).into(),
                Args::Text(text) => text.as_str().into(),
            };
            let mut call = json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
            if w.rng.once_in(4) {
                let prefix = if w.odd() { "call_" } else { "fc_" };
                call["id"] = format!("{prefix}{:06}", w.rng.below(999_999)).into();
            }
            call
        }
        Part::Result { id, content, .. } => {
            let output = match &content[..] {
                [Block { part: Part::Text(text), .. }] => text.as_str().into(),
                [] => "".into(),
                blocks => blocks.iter().map(|block| part(w, block, "input_text")).collect(),
            };
            let kind = if w.odd() { "custom_tool_call_output" } else { "function_call_output" };
            let mut item = json!({"type": kind, "output": w.or_odd(output)});
            if let Some(id) = id {
                item["call_id"] = id.as_str().into();
            }
            item
        }
        Part::Text(_) | Part::Refusal(_) | Part::Media(_) | Part::Odd(_) => return None,
    };
    if w.odd() {
        w.strew(&mut item);
    }
    Some(item)
}

fn part(w: &mut Writer, block: &Block, text_kind: &str) -> Value {
    match &block.part {
        Part::Text(text) => {
            let kind = if w.odd() {
                w.rng.pick(&["text", "output_text", "input_text"])
            } else {
                text_kind
            };
            let mut part = json!({"type": kind, "text": w.or_odd(text.as_str().into())});
            if kind == "output_text" {
                part["annotations"] = json!([]);
            }
            part
        }
        Part::Refusal(text) => json!({"type": "refusal", "refusal": text}),
        Part::Media(media) => self::media(media),
        Part::Odd(value) => value.clone(),
        Part::Thinking { .. } | Part::Redacted(_) | Part::Call { .. } | Part::Result { .. } => {
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
        Source::Plain(text) => return json!({"type": "input_text", "text": text}),
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

fn tool(w: &mut Writer, tool: &Tool) -> Value {
    if w.odd() {
        return w.rng.pick(&[
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
    let mut written = json!({"type": "function", "name": tool.name, "strict": w.rng.pick(&[json!(false), json!(null)])});
    if let Some(about) = &tool.about {
        written["description"] = about.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        written["parameters"] = schema.clone();
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
    if w.rng.once_in(3) {
        body["max_output_tokens"] = json!(1024);
    }
    if w.rng.once_in(3) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if w.rng.once_in(4) {
        body["reasoning"] =
            json!({"effort": w.rng.pick(&["low", "medium", "high"]), "summary": "auto"});
    }
    if tools && w.rng.once_in(4) {
        body["tool_choice"] = w.rng.pick(&[
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "name": "read_file"}),
        ]);
    }
    for _ in 0..ODD.len() / 6 {
        if w.odd() {
            let (key, value) = w.rng.pick(ODD);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD: &[(&str, &str)] = &[
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
