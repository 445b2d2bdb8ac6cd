//! Stored sessions, in the native form.

use serde_json::{Value, json};

use super::Writer;
use super::script::{Args, Block, Media, Part, Role, Script, Source, Tool, Turn};

pub(super) fn body(w: &mut Writer, script: &Script) -> Value {
    let mut body = json!({"interlingua": 1, "model": "claude-sonnet-4-5"});
    if !script.system.is_empty() {
        body["system"] = blocks(w, &script.system);
    }
    body["turns"] = script.turns.iter().map(|one| turn(w, one)).collect();
    if !script.tools.is_empty() {
        body["tools"] = script.tools.iter().map(tool).collect();
    }
    body["settings"] = settings(w, !script.tools.is_empty());
    w.strew(&mut body);
    body
}

fn turn(w: &mut Writer, turn: &Turn) -> Value {
    let role = match turn.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => w.rng.pick(&["system", "developer"]),
        Role::Odd(role) => role,
    };
    let blocks = blocks(w, &turn.blocks);
    json!({"role": role, "blocks": w.or_odd(blocks)})
}

fn blocks(w: &mut Writer, blocks: &[Block]) -> Value {
    blocks.iter().map(|one| block(w, one)).collect()
}

fn block(w: &mut Writer, block: &Block) -> Value {
    let mut written = match &block.part {
        Part::Text(text) => json!({"text": w.or_odd(text.as_str().into())}),
        Part::Refusal(text) => json!({"refusal": text}),
        Part::Thinking { text, seal } => {
            let mut thought = json!({"thinking": text});
            if let Some(seal) = seal {
                thought["seal"] = self::seal(w, seal);
            }
            if w.odd() {
                thought["form"] = "summary".into();
            }
            thought
        }
        Part::Redacted(data) => {
            json!({"thinking": "", "form": "redacted", "seal": seal(w, data)})
        }
        Part::Call { id, name, args } => {
            let mut call = json!({"id": id, "name": name});
            match args {
                Args::Json(json) => call["args"] = json.clone(),
                Args::Text(text) if w.rng.once_in(4) => call["freeform"] = text.as_str().into(),
                Args::Text(text) => call["malformed"] = text.as_str().into(),
            }
            let mut block = json!({"call": call});
            if w.odd() {
                let data = w.seal();
                block["seal"] = json!({"issuer": "google", "data": data});
            }
            block
        }
        Part::Result { id, name, content, error } => {
            let content = blocks(w, content);
            let mut result = json!({"name": name, "content": w.or_odd(content)});
            if let Some(id) = id {
                result["call"] = id.as_str().into();
            }
            if *error {
                result["is_error"] = true.into();
            }
            json!({"result": result})
        }
        Part::Media(media) => self::media(media),
        Part::Odd(_) if w.rng.once_in(2) => {
            let dialect =
                w.rng.pick(&["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"]);
            json!({"foreign": {"dialect": dialect, "kind": "from_the_future", "json": {"type": "from_the_future"}}})
        }
        Part::Odd(value) => value.clone(),
    };
    if let (Some(cache), true) = (&block.cache, written.is_object()) {
        written["cache"] = cache.get("ttl").map_or(json!({}), |ttl| json!({"ttl": ttl}));
    }
    written
}

fn seal(w: &mut Writer, data: &str) -> Value {
    let issuer = w.rng.pick(&["anthropic", "anthropic", "openai", "google", "xai", "unknown"]);
    let mut seal = json!({"issuer": issuer, "data": data});
    if w.rng.once_in(2) {
        seal["model"] =
            w.rng.pick(&["claude-sonnet-4-5", "gpt-5.1", "gemini-3-pro-preview"]).into();
    }
    seal
}

fn media(media: &Media) -> Value {
    let Media { kind, mime, source, name } = media;
    let mut source = match source {
        Source::Base64(data) => json!({"base64": data, "mime": mime}),
        Source::Url(url) => json!({"url": url, "mime": mime}),
        Source::File(id) => json!({"file": id}),
        Source::Plain(text) => json!({"plain": text}),
    };
    if let Some(name) = name {
        source["name"] = (*name).into();
    }
    json!({*kind: source})
}

fn tool(tool: &Tool) -> Value {
    let mut written = json!({"name": tool.name, "schema": tool.schema});
    if let Some(about) = &tool.about {
        written["description"] = about.as_str().into();
    }
    if let Some(("strict", value)) = &tool.extra {
        written["strict"] = value.clone();
    }
    written
}

fn settings(w: &mut Writer, tools: bool) -> Value {
    let mut settings = json!({});
    if w.rng.once_in(2) {
        settings["max_tokens"] = json!(4096);
    }
    if tools && w.rng.once_in(4) {
        settings["choice"] = w.rng.pick(&[
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"named": "read_file"}),
            json!({"allowed": ["read_file"], "required": false}),
        ]);
    }
    for _ in 0..ODD.len() / 4 {
        if w.odd() {
            let (key, value) = w.rng.pick(ODD);
            settings[key] = serde_json::from_str(value).unwrap_or_default();
        }
    }
    settings
}

const ODD: &[(&str, &str)] = &[
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
