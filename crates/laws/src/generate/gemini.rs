//! Bodies as clients of generateContent write them.

use serde_json::{Value, json};

use super::Writer;
use super::script::{Args, Block, Media, Part, Role, Script, Source, Tool, Turn};

pub(super) fn body(w: &mut Writer, script: &Script) -> Value {
    let contents: Value = script.turns.iter().map(|turn| content(w, turn)).collect();
    let mut body = json!({"contents": w.or_odd(contents)});
    if !script.system.is_empty() {
        let parts: Vec<Value> = script.system.iter().map(|block| part(w, block)).collect();
        let key = w.rng.pick(&["systemInstruction", "systemInstruction", "system_instruction"]);
        body[key] = w.or_odd(json!({"parts": parts}));
    }
    if !script.tools.is_empty() {
        let tools: Vec<Value> = script.tools.iter().map(|one| tool(w, one)).collect();
        body["tools"] = json!([{"functionDeclarations": tools}]);
    }
    if w.odd() {
        let list = body["tools"].as_array().cloned().unwrap_or_default();
        let hosted = w.rng.pick(&[
            json!({"googleSearch": {}}),
            json!({"codeExecution": {}}),
            json!({"urlContext": {}}),
            json!({}),
            json!({"google_search_retrieval": {}}),
        ]);
        body["tools"] = list.into_iter().chain([hosted]).collect();
    }
    settings(w, &mut body, !script.tools.is_empty());
    w.strew(&mut body);
    body
}

fn content(w: &mut Writer, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User if w.odd() => w.rng.pick(&["function", "tool"]),
        Role::User => "user",
        Role::Assistant if w.odd() => "assistant",
        Role::Assistant => "model",
        Role::System => "system",
        Role::Odd(role) => role,
    };
    let parts: Value = turn.blocks.iter().map(|block| part(w, block)).collect();
    let mut content = json!({"parts": w.or_odd(parts)});
    if !w.odd() {
        content["role"] = role.into();
    }
    if w.odd() {
        w.strew(&mut content);
    }
    content
}

fn part(w: &mut Writer, block: &Block) -> Value {
    let mut part = match &block.part {
        Part::Text(text) | Part::Refusal(text) => json!({"text": w.or_odd(text.as_str().into())}),
        Part::Thinking { text, seal } => {
            let mut part = json!({"text": text, "thought": true});
            if let Some(seal) = seal
                && w.rng.once_in(2)
            {
                part["thoughtSignature"] = seal.as_str().into();
            }
            part
        }
        Part::Redacted(data) => json!({"text": "", "thoughtSignature": data}),
        Part::Call { id, name, args } => call(w, id, name, args),
        Part::Result { id, name, content, error } => {
            result(w, id.as_deref(), name, content, *error)
        }
        Part::Media(media) => self::media(w, media),
        Part::Odd(value) => value.clone(),
    };
    if part.is_object() && w.odd() {
        w.strew(&mut part);
    }
    part
}

fn call(w: &mut Writer, id: &str, name: &str, args: &Args) -> Value {
    let args = match args {
        Args::Json(json) => json.clone(),
        Args::Text(text) => text.as_str().into(),
    };
    let mut call = json!({"name": name});
    if !w.odd() {
        call["args"] = args;
    }
    if w.rng.once_in(2) {
        call["id"] = id.into();
    }
    let mut part = json!({"functionCall": call});
    if !w.odd() && !w.rng.once_in(4) {
        let seal = w.seal();
        let key = if w.odd() { "thought_signature" } else { "thoughtSignature" };
        part[key] = seal.into();
    }
    part
}

fn result(w: &mut Writer, id: Option<&str>, name: &str, content: &[Block], error: bool) -> Value {
    let key = if error { "error" } else { "output" };
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    for block in content {
        match &block.part {
            Part::Text(text) => texts.push(text.clone()),
            Part::Media(media) => parts.push(self::media(w, media)),
            Part::Odd(value) => {
                return json!({"functionResponse": {"name": name, "response": value}});
            }
            _ => {}
        }
    }
    let mut response = json!({"response": {key: texts.join("\n")}});
    if w.odd() {
        response["response"] = w.odd_value();
    }
    if !w.odd() {
        response["name"] = name.into();
    }
    if let Some(id) = id
        && w.rng.once_in(2)
    {
        response["id"] = id.into();
    }
    if !parts.is_empty() {
        response["parts"] = parts.into();
    }
    json!({"functionResponse": response})
}

fn media(w: &mut Writer, media: &Media) -> Value {
    let mime = media.mime;
    match &media.source {
        Source::Base64(data) if w.odd() => {
            json!({"inline_data": {"mime_type": mime, "data": data}})
        }
        Source::Base64(data) => json!({"inlineData": {"mimeType": mime, "data": data}}),
        Source::Url(url) | Source::File(url) => {
            json!({"fileData": {"mimeType": mime, "fileUri": url}})
        }
        Source::Plain(text) => json!({"text": text}),
    }
}

fn tool(w: &mut Writer, tool: &Tool) -> Value {
    let mut written = json!({"name": tool.name});
    if let Some(about) = &tool.about {
        written["description"] = about.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        let key = w.rng.pick(&["parameters", "parametersJsonSchema"]);
        written[key] = schema.clone();
        if w.odd() {
            written["parameters"] = schema.clone();
        }
    }
    if let Some((key, value)) = &tool.extra {
        written[*key] = value.clone();
    }
    written
}

fn settings(w: &mut Writer, body: &mut Value, tools: bool) {
    if w.rng.once_in(2) {
        body["generationConfig"] = json!({"maxOutputTokens": 1024});
        if w.rng.once_in(2) {
            body["generationConfig"]["temperature"] = json!(0.7);
        }
        if w.rng.once_in(3) {
            body["generationConfig"]["thinkingConfig"] = w.rng.pick(&[
                json!({"includeThoughts": true}),
                json!({"thinkingBudget": 1024}),
                json!({"thinkingLevel": "low"}),
                json!({"thinkingBudget": 0}),
            ]);
        }
    }
    if tools && w.rng.once_in(4) {
        body["toolConfig"] = w.rng.pick(&[
            json!({"functionCallingConfig": {"mode": "AUTO"}}),
            json!({"functionCallingConfig": {"mode": "NONE"}}),
            json!({"functionCallingConfig": {"mode": "ANY"}}),
            json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read_file"]}}),
        ]);
    }
    for _ in 0..ODD.len() / 5 {
        if w.odd() {
            let (key, value) = w.rng.pick(ODD);
            let value: Value = serde_json::from_str(value).unwrap_or_default();
            match key.split_once('.') {
                Some((_, inner)) => {
                    if !body["generationConfig"].is_object() {
                        body["generationConfig"] = json!({});
                    }
                    body["generationConfig"][inner] = value;
                }
                None => body[key] = value,
            }
        }
    }
}

const ODD: &[(&str, &str)] = &[
    (".temperature", "5"),
    (".temperature", "\"1\""),
    (".topP", "2"),
    (".topK", "-4"),
    (".maxOutputTokens", "0"),
    (".maxOutputTokens", "9999999"),
    (".stopSequences", r#"["a","b","c","d","e","f"]"#),
    (".stopSequences", r#"[""]"#),
    (".candidateCount", "3"),
    (".responseMimeType", "\"application/json\""),
    (".responseMimeType", "\"text/html\""),
    (".responseSchema", r#"{"type":"object","properties":{"a":{"type":"string"}}}"#),
    (".responseJsonSchema", r#"{"type":"object","additionalProperties":false}"#),
    (".seed", "7"),
    (".presencePenalty", "9"),
    (".thinkingConfig", r#"{"thinkingBudget":-5}"#),
    (".thinkingConfig", r#"{"thinkingBudget":100000,"includeThoughts":true}"#),
    (".thinkingConfig", r#"{"thinkingLevel":"enormous"}"#),
    (".thinkingConfig", r#"{"thinkingLevel":"low","thinkingBudget":5}"#),
    (".responseModalities", r#"["TEXT","IMAGE"]"#),
    (".unknown", "1"),
    (
        "toolConfig",
        r#"{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["nobody_knows_it"]}}"#,
    ),
    ("toolConfig", r#"{"functionCallingConfig":{"mode":"SOMETIMES"}}"#),
    (
        "toolConfig",
        r#"{"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":["read_file"]}}"#,
    ),
    ("safetySettings", r#"[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]"#),
    ("cachedContent", "\"cachedContents/x\""),
    ("labels", r#"{"a":"b"}"#),
    ("model", "\"gemini-3-pro-preview\""),
    ("messages", r#"[{"role":"user","content":"chat shaped"}]"#),
];
