//! Encodes a draft as a Bedrock Converse request, with the oddities of its clients.

use serde_json::{Value, json};

use super::draft::{Args, Block, ConversationDraft, DraftContent, Media, Role, Source, Tool, Turn};
use super::generator::Generator;

pub(super) fn body(g: &mut Generator, draft: &ConversationDraft) -> Value {
    let messages: Value = draft.turns.iter().map(|turn| message(g, turn)).collect();
    let mut body = json!({"messages": g.or_odd_value(messages)});
    if !draft.system.is_empty() {
        let system = blocks(g, &draft.system);
        body["system"] = g.or_odd_value(system);
    }
    if !draft.tools.is_empty() {
        let mut tools: Vec<Value> = draft.tools.iter().map(|it| tool(g, it)).collect();
        if g.rng.one_in(6) {
            tools.push(cache_point());
        }
        body["toolConfig"] = json!({"tools": tools});
        if g.rng.one_in(4) {
            body["toolConfig"]["toolChoice"] = g.rng.pick(&[
                json!({"auto": {}}),
                json!({"any": {}}),
                json!({"tool": {"name": "read_file"}}),
            ]);
        }
    }
    settings(g, &mut body);
    g.maybe_add_field(&mut body);
    body
}

fn message(g: &mut Generator, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Unknown(role) => role,
    };
    let content = blocks(g, &turn.blocks);
    let mut message = json!({"role": role, "content": g.or_odd_value(content)});
    if g.roll_odd() {
        g.maybe_add_field(&mut message);
    }
    message
}

/// A cache breakpoint is a separate block after the one it belongs to.
fn blocks(g: &mut Generator, blocks: &[Block]) -> Value {
    let mut list = Vec::new();
    for block in blocks {
        list.push(self::block(g, &block.content));
        if block.cache.is_some() {
            list.push(cache_point());
        }
    }
    list.into()
}

fn cache_point() -> Value {
    json!({"cachePoint": {"type": "default"}})
}

fn block(g: &mut Generator, part: &DraftContent) -> Value {
    let mut block = match part {
        DraftContent::Text(text) | DraftContent::Refusal(text) => {
            json!({"text": g.or_odd_value(text.as_str().into())})
        }
        DraftContent::Thinking { text, seal } => {
            let mut reasoning = json!({"text": text});
            if let Some(seal) = seal {
                reasoning["signature"] = seal.as_str().into();
            }
            json!({"reasoningContent": {"reasoningText": reasoning}})
        }
        DraftContent::Redacted(data) => json!({"reasoningContent": {"redactedContent": data}}),
        DraftContent::Call { id, name, args } => {
            let input = match args {
                Args::Json(json) => json.clone(),
                Args::Text(text) => text.as_str().into(),
            };
            let mut call = json!({"toolUseId": id, "name": name, "input": input});
            if g.rng.one_in(4) {
                call["type"] = "tool_use".into();
            }
            json!({"toolUse": call})
        }
        DraftContent::Result { id, content, error, .. } => {
            let content = content.iter().map(|it| block_in_result(g, &it.content)).collect();
            let mut result = json!({"content": g.or_odd_value(content)});
            if let Some(id) = id {
                result["toolUseId"] = id.as_str().into();
            }
            if *error || g.rng.one_in(4) {
                result["status"] = if *error { "error" } else { "success" }.into();
            }
            json!({"toolResult": result})
        }
        DraftContent::Media(media) => self::media(g, media),
        DraftContent::Unknown(value) => value.clone(),
    };
    if block.is_object() && g.roll_odd() {
        g.maybe_add_field(&mut block);
    }
    block
}

fn block_in_result(g: &mut Generator, part: &DraftContent) -> Value {
    match part {
        DraftContent::Text(text) if g.rng.one_in(6) => json!({"json": {"said": text}}),
        part => block(g, part),
    }
}

fn media(g: &mut Generator, media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let format = match *mime {
        "text/plain" => "txt",
        "audio/mpeg" => "mp3",
        mime if g.roll_odd() => mime,
        mime => mime.rsplit('/').next().unwrap_or_default(),
    };
    let source = match source {
        Source::Base64(data) => json!({"bytes": data}),
        Source::Url(uri) | Source::File(uri) => json!({"s3Location": {"uri": uri}}),
        Source::Text(text) => json!({"text": text}),
    };
    let mut media = json!({"format": format, "source": source});
    if *kind == "document" {
        let valid_name = name.map_or("report", |name| name.split('.').next().unwrap_or("report"));
        media["name"] = if g.roll_odd() { name.unwrap_or("a_b.c") } else { valid_name }.into();
    }
    json!({*kind: media})
}

fn tool(g: &mut Generator, tool: &Tool) -> Value {
    if g.roll_odd() {
        return g.rng.pick(&[
            json!({"systemTool": {"name": "nova_grounding"}}),
            json!({"name": "flat", "inputSchema": {"json": {"type": "object"}}}),
            cache_point(),
            json!({}),
        ]);
    }
    let mut spec = json!({"name": tool.name});
    if let Some(description) = &tool.description {
        spec["description"] = description.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        spec["inputSchema"] = if g.roll_odd() { schema.clone() } else { json!({"json": schema}) };
    }
    if let Some((key, value)) = &tool.extra_field {
        spec[*key] = value.clone();
    }
    json!({"toolSpec": spec})
}

fn settings(g: &mut Generator, body: &mut Value) {
    if g.rng.one_in(2) {
        body["inferenceConfig"] = json!({"maxTokens": 4096});
        if g.rng.one_in(3) {
            body["inferenceConfig"]["temperature"] = json!(1.0);
        }
    }
    if g.rng.one_in(5) {
        body["additionalModelRequestFields"] = g.rng.pick(&[
            json!({"thinking": {"type": "enabled", "budget_tokens": 2048}}),
            json!({"thinking": {"type": "adaptive"}}),
            json!({"top_k": 20}),
        ]);
    }
    for _ in 0..ODD_SETTINGS.len() / 4 {
        if g.roll_odd() {
            let (key, value) = g.rng.pick(ODD_SETTINGS);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD_SETTINGS: &[(&str, &str)] = &[
    ("inferenceConfig", r#"{"maxTokens":0}"#),
    ("inferenceConfig", r#"{"maxTokens":9999999,"temperature":2}"#),
    ("inferenceConfig", r#"{"temperature":0.5,"topP":0.5}"#),
    ("inferenceConfig", r#"{"stopSequences":["","a","b","c","d","e"]}"#),
    ("inferenceConfig", r#"{"topK":5}"#),
    ("inferenceConfig", "null"),
    ("additionalModelRequestFields", r#"{"thinking":{"type":"enabled","budget_tokens":5}}"#),
    ("additionalModelRequestFields", r#"{"anthropic_beta":["x"],"unknown":1}"#),
    ("additionalModelRequestFields", "\"odd\""),
    ("toolConfig", r#"{"tools":[]}"#),
    ("toolConfig", r#"{"toolChoice":{"any":{}}}"#),
    (
        "toolConfig",
        r#"{"tools":[{"toolSpec":{"name":"a","inputSchema":{"json":{"type":"object"}}}}],"toolChoice":{"tool":{"name":"nobody"}}}"#,
    ),
    ("guardrailConfig", r#"{"guardrailIdentifier":"g","guardrailVersion":"1"}"#),
    ("performanceConfig", r#"{"latency":"optimized"}"#),
    ("requestMetadata", r#"{"a":"b"}"#),
    ("requestMetadata", r#"{"a":1}"#),
    (
        "outputConfig",
        r#"{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{}","name":"r"}}}}"#,
    ),
    ("modelId", "\"us.anthropic.claude-sonnet-4-5-20250929-v1:0\""),
];
