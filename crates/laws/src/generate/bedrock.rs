//! Bodies as clients of Converse write them.

use serde_json::{Value, json};

use super::Writer;
use super::script::{Args, Block, Media, Part, Role, Script, Source, Tool, Turn};

pub(super) fn body(w: &mut Writer, script: &Script) -> Value {
    let messages: Value = script.turns.iter().map(|turn| message(w, turn)).collect();
    let mut body = json!({"messages": w.or_odd(messages)});
    if !script.system.is_empty() {
        let system = blocks(w, &script.system);
        body["system"] = w.or_odd(system);
    }
    if !script.tools.is_empty() {
        let mut tools: Vec<Value> = script.tools.iter().map(|one| tool(w, one)).collect();
        if w.rng.once_in(6) {
            tools.push(cache_point());
        }
        body["toolConfig"] = json!({"tools": tools});
        if w.rng.once_in(4) {
            body["toolConfig"]["toolChoice"] = w.rng.pick(&[
                json!({"auto": {}}),
                json!({"any": {}}),
                json!({"tool": {"name": "read_file"}}),
            ]);
        }
    }
    settings(w, &mut body);
    w.strew(&mut body);
    body
}

fn message(w: &mut Writer, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Odd(role) => role,
    };
    let content = blocks(w, &turn.blocks);
    let mut message = json!({"role": role, "content": w.or_odd(content)});
    if w.odd() {
        w.strew(&mut message);
    }
    message
}

/// A cache marker is a block after the one it marks.
fn blocks(w: &mut Writer, blocks: &[Block]) -> Value {
    let mut list = Vec::new();
    for one in blocks {
        list.push(block(w, &one.part));
        if one.cache.is_some() {
            list.push(cache_point());
        }
    }
    list.into()
}

fn cache_point() -> Value {
    json!({"cachePoint": {"type": "default"}})
}

fn block(w: &mut Writer, part: &Part) -> Value {
    let mut block = match part {
        Part::Text(text) | Part::Refusal(text) => json!({"text": w.or_odd(text.as_str().into())}),
        Part::Thinking { text, seal } => {
            let mut thought = json!({"text": text});
            if let Some(seal) = seal {
                thought["signature"] = seal.as_str().into();
            }
            json!({"reasoningContent": {"reasoningText": thought}})
        }
        Part::Redacted(data) => json!({"reasoningContent": {"redactedContent": data}}),
        Part::Call { id, name, args } => {
            let input = match args {
                Args::Json(json) => json.clone(),
                Args::Text(text) => text.as_str().into(),
            };
            json!({"toolUse": {"toolUseId": id, "name": name, "input": input}})
        }
        Part::Result { id, content, error, .. } => {
            let content = content.iter().map(|one| block_in_result(w, &one.part)).collect();
            let mut result = json!({"content": w.or_odd(content)});
            if let Some(id) = id {
                result["toolUseId"] = id.as_str().into();
            }
            if *error || w.rng.once_in(4) {
                result["status"] = if *error { "error" } else { "success" }.into();
            }
            json!({"toolResult": result})
        }
        Part::Media(media) => self::media(w, media),
        Part::Odd(value) => value.clone(),
    };
    if block.is_object() && w.odd() {
        w.strew(&mut block);
    }
    block
}

fn block_in_result(w: &mut Writer, part: &Part) -> Value {
    match part {
        Part::Text(text) if w.rng.once_in(6) => json!({"json": {"said": text}}),
        part => block(w, part),
    }
}

fn media(w: &mut Writer, media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let format = match *mime {
        "text/plain" => "txt",
        "audio/mpeg" => "mp3",
        mime if w.odd() => mime,
        mime => mime.rsplit('/').next().unwrap_or_default(),
    };
    let source = match source {
        Source::Base64(data) => json!({"bytes": data}),
        Source::Url(uri) | Source::File(uri) => json!({"s3Location": {"uri": uri}}),
        Source::Plain(text) => json!({"text": text}),
    };
    let mut media = json!({"format": format, "source": source});
    if *kind == "document" {
        let plain = name.map_or("report", |name| name.split('.').next().unwrap_or("report"));
        media["name"] = if w.odd() { name.unwrap_or("a_b.c") } else { plain }.into();
    }
    json!({*kind: media})
}

fn tool(w: &mut Writer, tool: &Tool) -> Value {
    if w.odd() {
        return w.rng.pick(&[
            json!({"systemTool": {"name": "nova_grounding"}}),
            json!({"name": "flat", "inputSchema": {"json": {"type": "object"}}}),
            cache_point(),
            json!({}),
        ]);
    }
    let mut spec = json!({"name": tool.name});
    if let Some(about) = &tool.about {
        spec["description"] = about.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        spec["inputSchema"] = if w.odd() { schema.clone() } else { json!({"json": schema}) };
    }
    if let Some((key, value)) = &tool.extra {
        spec[*key] = value.clone();
    }
    json!({"toolSpec": spec})
}

fn settings(w: &mut Writer, body: &mut Value) {
    if w.rng.once_in(2) {
        body["inferenceConfig"] = json!({"maxTokens": 4096});
        if w.rng.once_in(3) {
            body["inferenceConfig"]["temperature"] = json!(1.0);
        }
    }
    if w.rng.once_in(5) {
        body["additionalModelRequestFields"] = w.rng.pick(&[
            json!({"thinking": {"type": "enabled", "budget_tokens": 2048}}),
            json!({"thinking": {"type": "adaptive"}}),
            json!({"top_k": 20}),
        ]);
    }
    for _ in 0..ODD.len() / 4 {
        if w.odd() {
            let (key, value) = w.rng.pick(ODD);
            body[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
}

const ODD: &[(&str, &str)] = &[
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
