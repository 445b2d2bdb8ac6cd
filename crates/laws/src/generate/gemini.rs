//! Encodes a draft as a generateContent request, with the oddities of its clients.

use serde_json::{Value, json};

use super::draft::{Args, Block, ConversationDraft, DraftContent, Media, Role, Source, Tool, Turn};
use super::generator::Generator;

pub(super) fn body(g: &mut Generator, draft: &ConversationDraft) -> Value {
    let contents: Value = draft.turns.iter().map(|turn| content(g, turn)).collect();
    let mut body = json!({"contents": g.or_odd_value(contents)});
    if !draft.system.is_empty() {
        let parts: Vec<Value> = draft.system.iter().map(|block| part(g, block)).collect();
        let key = g.rng.pick(&["systemInstruction", "systemInstruction", "system_instruction"]);
        body[key] = g.or_odd_value(json!({"parts": parts}));
    }
    if !draft.tools.is_empty() {
        let tools: Vec<Value> = draft.tools.iter().map(|it| tool(g, it)).collect();
        body["tools"] = json!([{"functionDeclarations": tools}]);
    }
    if g.roll_odd() {
        let list = body["tools"].as_array().cloned().unwrap_or_default();
        let hosted = g.rng.pick(&[
            json!({"googleSearch": {}}),
            json!({"codeExecution": {}}),
            json!({"urlContext": {}}),
            json!({}),
            json!({"google_search_retrieval": {}}),
        ]);
        body["tools"] = list.into_iter().chain([hosted]).collect();
    }
    settings(g, &mut body, !draft.tools.is_empty());
    g.maybe_add_field(&mut body);
    body
}

fn content(g: &mut Generator, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User if g.roll_odd() => g.rng.pick(&["function", "tool"]),
        Role::User => "user",
        Role::Assistant if g.roll_odd() => "assistant",
        Role::Assistant => "model",
        Role::System => "system",
        Role::Unknown(role) => role,
    };
    let parts: Value = turn.blocks.iter().map(|block| part(g, block)).collect();
    let mut content = json!({"parts": g.or_odd_value(parts)});
    if !g.roll_odd() {
        content["role"] = role.into();
    }
    if g.roll_odd() {
        g.maybe_add_field(&mut content);
    }
    content
}

fn part(g: &mut Generator, block: &Block) -> Value {
    let mut part = match &block.content {
        DraftContent::Text(text) | DraftContent::Refusal(text) => {
            json!({"text": g.or_odd_value(text.as_str().into())})
        }
        DraftContent::Thinking { text, seal } => {
            let mut part = json!({"text": text, "thought": true});
            if let Some(seal) = seal
                && g.rng.one_in(2)
            {
                part["thoughtSignature"] = seal.as_str().into();
            }
            part
        }
        DraftContent::Redacted(data) => json!({"text": "", "thoughtSignature": data}),
        DraftContent::Call { id, name, args } => call(g, id, name, args),
        DraftContent::Result { id, name, content, error } => {
            result(g, id.as_deref(), name, content, *error)
        }
        DraftContent::Media(media) => self::media(g, media),
        DraftContent::Unknown(value) => value.clone(),
    };
    if part.is_object() && g.roll_odd() {
        g.maybe_add_field(&mut part);
    }
    part
}

fn call(g: &mut Generator, id: &str, name: &str, args: &Args) -> Value {
    let args = match args {
        Args::Json(json) => json.clone(),
        Args::Text(text) => text.as_str().into(),
    };
    let mut call = json!({"name": name});
    if !g.roll_odd() {
        call["args"] = args;
    }
    if g.rng.one_in(2) {
        call["id"] = id.into();
    }
    let mut part = json!({"functionCall": call});
    if !g.roll_odd() && !g.rng.one_in(4) {
        let seal = g.seal();
        let key = if g.roll_odd() { "thought_signature" } else { "thoughtSignature" };
        part[key] = seal.into();
    }
    part
}

fn result(
    g: &mut Generator,
    id: Option<&str>,
    name: &str,
    content: &[Block],
    error: bool,
) -> Value {
    let key = if error { "error" } else { "output" };
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    for block in content {
        match &block.content {
            DraftContent::Text(text) => texts.push(text.clone()),
            DraftContent::Media(media) => parts.push(self::media(g, media)),
            DraftContent::Unknown(value) => {
                return json!({"functionResponse": {"name": name, "response": value}});
            }
            _ => {}
        }
    }
    let mut response = json!({"response": {key: texts.join("\n")}});
    if g.roll_odd() {
        response["response"] = g.odd_value();
    }
    if !g.roll_odd() {
        response["name"] = name.into();
    }
    if let Some(id) = id
        && g.rng.one_in(2)
    {
        response["id"] = id.into();
    }
    if !parts.is_empty() {
        response["parts"] = parts.into();
    }
    json!({"functionResponse": response})
}

fn media(g: &mut Generator, media: &Media) -> Value {
    let mime = media.mime;
    match &media.source {
        Source::Base64(data) if g.roll_odd() => {
            json!({"inline_data": {"mime_type": mime, "data": data}})
        }
        Source::Base64(data) => json!({"inlineData": {"mimeType": mime, "data": data}}),
        Source::Url(url) | Source::File(url) => {
            json!({"fileData": {"mimeType": mime, "fileUri": url}})
        }
        Source::Text(text) => json!({"text": text}),
    }
}

fn tool(g: &mut Generator, tool: &Tool) -> Value {
    let mut encoded = json!({"name": tool.name});
    if let Some(description) = &tool.description {
        encoded["description"] = description.as_str().into();
    }
    if let Some(schema) = &tool.schema {
        let key = g.rng.pick(&["parameters", "parametersJsonSchema"]);
        encoded[key] = schema.clone();
        if g.roll_odd() {
            encoded["parameters"] = schema.clone();
        }
    }
    if let Some((key, value)) = &tool.extra_field {
        encoded[*key] = value.clone();
    }
    encoded
}

fn settings(g: &mut Generator, body: &mut Value, tools: bool) {
    if g.rng.one_in(2) {
        body["generationConfig"] = json!({"maxOutputTokens": 1024});
        if g.rng.one_in(2) {
            body["generationConfig"]["temperature"] = json!(0.7);
        }
        if g.rng.one_in(3) {
            body["generationConfig"]["thinkingConfig"] = g.rng.pick(&[
                json!({"includeThoughts": true}),
                json!({"thinkingBudget": 1024}),
                json!({"thinkingLevel": "low"}),
                json!({"thinkingBudget": 0}),
            ]);
        }
    }
    if tools && g.rng.one_in(4) {
        body["toolConfig"] = g.rng.pick(&[
            json!({"functionCallingConfig": {"mode": "AUTO"}}),
            json!({"functionCallingConfig": {"mode": "NONE"}}),
            json!({"functionCallingConfig": {"mode": "ANY"}}),
            json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read_file"]}}),
        ]);
    }
    for _ in 0..ODD_SETTINGS.len() / 5 {
        if g.roll_odd() {
            let (key, value) = g.rng.pick(ODD_SETTINGS);
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

const ODD_SETTINGS: &[(&str, &str)] = &[
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
