//! Encodes a draft as a stored session in the native form.

use serde_json::{Value, json};

use super::draft::{Args, Block, ConversationDraft, DraftContent, Media, Role, Source, Tool, Turn};
use super::generator::Generator;

pub(super) fn body(g: &mut Generator, draft: &ConversationDraft) -> Value {
    let mut body = json!({"interlingua": 1, "model": "claude-sonnet-4-5"});
    if !draft.system.is_empty() {
        body["system"] = blocks(g, &draft.system);
    }
    body["turns"] = draft.turns.iter().map(|it| turn(g, it)).collect();
    if !draft.tools.is_empty() {
        body["tools"] = draft.tools.iter().map(|it| tool(g, it)).collect();
    }
    body["settings"] = settings(g, !draft.tools.is_empty());
    g.maybe_add_field(&mut body);
    body
}

fn turn(g: &mut Generator, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => g.rng.pick(&["system", "developer"]),
        Role::Unknown(role) => role,
    };
    let mut blocks = blocks(g, &turn.blocks);
    // Some providers seal texts and calls, too.
    if turn.role == Role::Assistant && blocks[0]["text"].is_string() && g.roll_odd() {
        blocks[0]["seal"] = json!({"issuer": "google", "data": g.seal()});
    }
    json!({"role": role, "blocks": g.or_odd_value(blocks)})
}

fn blocks(g: &mut Generator, blocks: &[Block]) -> Value {
    blocks.iter().map(|it| block(g, it)).collect()
}

fn block(g: &mut Generator, block: &Block) -> Value {
    let mut encoded = match &block.content {
        DraftContent::Text(text) => self::text(g, text),
        DraftContent::Refusal(text) => json!({"refusal": text}),
        DraftContent::Thinking { text, seal } => {
            let mut thinking = json!({"thinking": text});
            if let Some(seal) = seal {
                thinking["seal"] = self::seal(g, seal);
            }
            if g.roll_odd() {
                thinking["form"] = "summary".into();
            }
            thinking
        }
        DraftContent::Redacted(data) => {
            json!({"thinking": "", "form": "redacted", "seal": seal(g, data)})
        }
        DraftContent::Call { id, name, args } => {
            let mut call = json!({"id": id, "name": name});
            match args {
                Args::Json(json) => call["args"] = json.clone(),
                Args::Text(text) if g.rng.one_in(4) => call["freeform"] = text.as_str().into(),
                Args::Text(text) => call["malformed"] = text.as_str().into(),
            }
            let mut block = json!({"call": call});
            if g.roll_odd() {
                let data = g.seal();
                block["seal"] = json!({"issuer": "google", "data": data});
            }
            block
        }
        DraftContent::Result { id, name, content, error } => {
            let content = content.iter().map(|it| block_in_result(g, it)).collect();
            let mut result = json!({"name": name, "content": g.or_odd_value(content)});
            if let Some(id) = id {
                result["call"] = id.as_str().into();
            }
            if *error {
                result["is_error"] = true.into();
            }
            json!({"result": result})
        }
        DraftContent::Media(media) => self::media(g, media),
        DraftContent::Unknown(_) if g.rng.one_in(2) => {
            let dialect =
                g.rng.pick(&["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"]);
            let json = json!({"type": "from_the_future", "data": g.canary()});
            json!({"foreign": {"dialect": dialect, "kind": "from_the_future", "json": json}})
        }
        DraftContent::Unknown(value) => value.clone(),
    };
    if let (Some(cache), true) = (&block.cache, encoded.is_object()) {
        encoded["cache"] = cache.get("ttl").map_or(json!({}), |ttl| json!({"ttl": ttl}));
    }
    encoded
}

/// A text, sometimes with citations.
fn text(g: &mut Generator, text: &str) -> Value {
    let mut block = json!({"text": g.or_odd_value(text.into())});
    if g.rng.one_in(12) {
        block["citations"] = json!([{"url": "https://a.example/", "title": "A", "quote": "q"}]);
    }
    block
}

fn block_in_result(g: &mut Generator, block: &Block) -> Value {
    match &block.content {
        DraftContent::Text(text) if g.rng.one_in(8) => {
            json!({"data": {"rows": [1, text]}})
        }
        _ => self::block(g, block),
    }
}

fn seal(g: &mut Generator, data: &str) -> Value {
    let issuer = g.rng.pick(&["anthropic", "anthropic", "openai", "google", "xai", "unknown"]);
    let mut seal = json!({"issuer": issuer, "data": data});
    if g.rng.one_in(2) {
        seal["model"] =
            g.rng.pick(&["claude-sonnet-4-5", "gpt-5.1", "gemini-3-pro-preview"]).into();
    }
    seal
}

fn media(g: &mut Generator, media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let mut source = match source {
        Source::Base64(data) => json!({"base64": data, "mime": mime}),
        Source::Url(url) => json!({"url": url, "mime": mime}),
        Source::File(id) => json!({"file": id}),
        Source::Text(text) if g.rng.one_in(3) => json!({"blocks": [{"text": text}]}),
        Source::Text(text) => json!({"plain": text}),
    };
    if *kind == "image" && g.rng.one_in(8) {
        source["detail"] = "high".into();
    }
    if let Some(name) = name {
        source["name"] = (*name).into();
    }
    json!({*kind: source})
}

fn tool(g: &mut Generator, tool: &Tool) -> Value {
    if g.roll_odd() {
        let json = json!({"type": "web_search_20250305", "name": "web_search"});
        let foreign = json!({"dialect": "anthropic", "kind": "web_search_20250305", "json": json});
        return json!({"name": "web_search", "foreign": foreign});
    }
    let is_freeform = g.rng.one_in(12);
    let (key, value) =
        if is_freeform { ("freeform", Value::Null) } else { ("schema", json!(tool.schema)) };
    let mut encoded = json!({"name": tool.name, key: value});
    if let Some(description) = &tool.description {
        encoded["description"] = description.as_str().into();
    }
    if let Some(("strict", value)) = &tool.extra_field
        && !is_freeform
    {
        encoded["strict"] = value.clone();
    }
    encoded
}

fn settings(g: &mut Generator, tools: bool) -> Value {
    let mut settings = json!({});
    if g.rng.one_in(2) {
        settings["max_tokens"] = json!(4096);
    }
    if tools && g.rng.one_in(4) {
        settings["choice"] = g.rng.pick(&[
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"named": "read_file"}),
            json!({"allowed": ["read_file"], "required": false}),
        ]);
    }
    for _ in 0..ODD_SETTINGS.len() / 4 {
        if g.roll_odd() {
            let (key, value) = g.rng.pick(ODD_SETTINGS);
            settings[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
    settings
}

const ODD_SETTINGS: &[(&str, &str)] = &[
    ("max_tokens", "0"),
    ("max_tokens", "9999999"),
    ("temperature", "0.5"),
    ("temperature", "9"),
    ("top_p", "0.5"),
    ("top_p", "7"),
    ("top_k", "-1"),
    ("seed", "7"),
    ("presence_penalty", "9"),
    ("frequency_penalty", "1"),
    ("answers", "3"),
    ("stop", r#"[""," ","a","b","c","d"]"#),
    ("stream", "true"),
    ("choice", "\"required\""),
    ("choice", r#"{"named":"nobody_knows_it"}"#),
    ("parallel", "false"),
    ("store", "true"),
    ("reasoning", r#"{"mode":"on","effort":"high","budget":2048}"#),
    ("reasoning", r#"{"mode":"off"}"#),
    ("reasoning", r#"{"mode":"on","budget":5}"#),
    ("reasoning", r#"{"effort":"enormous"}"#),
    ("format", "\"json\""),
    ("format", r#"{"schema":{"type":"object"},"name":"odd name!"}"#),
    ("verbosity", "\"low\""),
    ("user", "\"u\""),
    ("metadata", r#"{"a":1}"#),
    ("service_tier", "\"flex\""),
    ("cache_key", "\"k\""),
];
