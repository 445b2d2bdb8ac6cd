//! Conversations whose opaque reasoning is genuine: sealed as the judge's providers seal.

use interlingua_strict::anthropic::mint::Trail;
use interlingua_strict::openai_chat::{Detail, SignedCall};
use interlingua_strict::openai_responses::Mint;
use interlingua_strict::seal::Key;
use interlingua_strict::{Request, Switches, bedrock, gemini};
use serde_json::{Value, json};

use crate::laws::{Case, Maker};
use crate::rng::Rng;

/// Who can seal: dialect, flavor and models.
const MAKERS: &[(&str, &str, &[&str])] = &[
    (
        "anthropic",
        "anthropic",
        &["claude-sonnet-4-5", "claude-opus-4-8", "claude-opus-5-5", "claude-sonnet-5"],
    ),
    (
        "bedrock",
        "bedrock",
        &[
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "us.anthropic.claude-opus-4-8",
            "us.anthropic.claude-opus-5-5",
        ],
    ),
    ("gemini", "ai-studio", &["gemini-3-pro-preview", "gemini-2.5-pro"]),
    ("gemini", "vertex", &["gemini-3-pro-preview", "gemini-2.5-flash"]),
    ("openai-responses", "openai", &["gpt-5.1", "gpt-5.6", "o3"]),
    ("openai-responses", "azure", &["gpt-5.1", "gpt-5"]),
    (
        "openai-chat",
        "openrouter",
        &["anthropic/claude-sonnet-4.5", "google/gemini-3-pro-preview", "openai/gpt-5.1"],
    ),
    ("openai-chat", "gemini-compat", &["gemini-3-pro-preview", "gemini-2.5-pro"]),
];

/// Seals a tidy conversation; none if nobody in this dialect seals.
pub fn seal(case: &Case, rng: &mut Rng) -> Option<Case> {
    let dialect = case.from.id().0;
    let makers: Vec<_> = MAKERS.iter().filter(|(of, ..)| *of == dialect).collect();
    if makers.is_empty() {
        return None;
    }
    let (_, flavor, models) = rng.pick(&makers);
    let model = rng.pick(models);
    // A seal is bound to what the provider read.
    let mut body: Value = serde_json::from_slice(&case.bytes).ok()?;
    if body.get("model").is_some() {
        body["model"] = model.into();
    }
    let key = Key::default();
    match dialect {
        "anthropic" | "bedrock" => messages(&mut body, model, dialect, &key)?,
        "gemini" => contents(&mut body, model, flavor, &key),
        "openai-responses" => items(&mut body, &Mint { key: &key, provider: flavor, model }),
        _ => details(&mut body, model, flavor, &key),
    }
    let mut sealed = Case::new(case.from, body);
    sealed.maker = Some(Maker { flavor, model: (*model).to_owned() });
    sealed.asked = Some((*model).to_owned());
    Some(sealed)
}

/// Message by message, each bound to those before it. Calls get new ids, which vouch for thinking.
/// None where the provider refuses what it would have answered: it seals nothing then.
fn messages(body: &mut Value, model: &str, dialect: &str, key: &Key) -> Option<()> {
    let all = body["messages"].as_array_mut().map(std::mem::take)?;
    let judge = interlingua_strict::find(dialect)?;
    let mut renamed: Vec<(String, String)> = Vec::new();
    let mut goes_on = false;
    body["messages"] = json!([]);
    for mut message in all {
        let speaks = message["role"] == "assistant";
        if speaks {
            let switches = Switches::default();
            let request = Request { model, ..Request::new(body, dialect, &switches) };
            if !goes_on && !judge.check(&request).is_accepted() {
                return None;
            }
            let trail = match dialect {
                "anthropic" => Some(Trail::of(&request)),
                _ => bedrock::mint::trail(&request),
            };
            if let (Some(trail), Some(blocks)) = (trail, message["content"].as_array_mut()) {
                sign(blocks, trail, dialect, key, &mut renamed);
            }
        } else if let Some(blocks) = message["content"].as_array_mut() {
            for block in blocks {
                rename(block, &renamed);
            }
        }
        goes_on = speaks;
        if let Some(list) = body["messages"].as_array_mut() {
            list.push(message);
        }
    }
    Some(())
}

fn sign(
    blocks: &mut [Value],
    mut trail: Trail,
    dialect: &str,
    key: &Key,
    renamed: &mut Vec<(String, String)>,
) {
    for block in blocks {
        if block["type"] == "thinking" {
            let text = block["thinking"].as_str().unwrap_or_default().to_owned();
            block["signature"] = trail.think(key, &text).into();
        } else if block["type"] == "redacted_thinking" {
            block["data"] = trail.redact(key).into();
        } else if let Some(reasoning) = block.get_mut("reasoningContent") {
            if reasoning.get("redactedContent").is_some() {
                reasoning["redactedContent"] = trail.redact(key).into();
            } else {
                let text =
                    reasoning["reasoningText"]["text"].as_str().unwrap_or_default().to_owned();
                reasoning["reasoningText"]["signature"] = trail.think(key, &text).into();
            }
        } else {
            if block["type"] == "tool_use" {
                let old = block["id"].as_str().unwrap_or_default().to_owned();
                let new = trail.call_id(key, &old);
                block["id"] = new.as_str().into();
                renamed.push((old, new));
            }
            match dialect {
                "anthropic" => trail.block(block),
                _ => trail.block(&bedrock::mint::block(block)),
            }
        }
    }
}

fn rename(block: &mut Value, renamed: &[(String, String)]) {
    let Some(Value::String(id)) = block.get_mut("tool_use_id") else { return };
    if let Some((_, new)) = renamed.iter().rev().find(|(old, _)| old == id) {
        id.clone_from(new);
    }
}

fn contents(body: &mut Value, model: &str, flavor: &str, key: &Key) {
    for content in body["contents"].as_array_mut().into_iter().flatten() {
        if content["role"] != "model" {
            continue;
        }
        let Some(parts) = content["parts"].as_array_mut() else { continue };
        // A part that is nothing but a signature of ours has no place beside a genuine one.
        parts.retain(|part| part.get("text").is_none_or(|text| text != ""));
        for part in parts.iter_mut().filter_map(Value::as_object_mut) {
            part.shift_remove("thoughtSignature");
        }
        if let Some(at) = gemini::mint::signed_part(model, parts) {
            parts[at]["thoughtSignature"] =
                gemini::mint::sign(key, flavor, model, parts, at).into();
        }
    }
}

fn items(body: &mut Value, mint: &Mint<'_>) {
    let Some(list) = body["input"].as_array_mut() else { return };
    for at in 0..list.len() {
        let seed = |at: usize| format!("item {at}");
        if list[at]["type"] != "reasoning" {
            let reasoned = at > 0 && list[at - 1]["type"] == "reasoning";
            let prefix = if list[at]["type"] == "function_call" { "fc" } else { "msg" };
            match list[at].as_object_mut() {
                Some(item) if reasoned => {
                    let id = mint.id(prefix, &seed(at), Some(&seed(at - 1)));
                    item.insert("id".into(), id.into());
                }
                Some(item) => drop(item.shift_remove("id")),
                None => {}
            }
            continue;
        }
        list[at]["id"] = mint.id("rs", &seed(at), Some(&seed(at + 1))).into();
        list[at]["encrypted_content"] = mint.reasoning(&list[at]).into();
    }
}

fn details(body: &mut Value, model: &str, flavor: &str, key: &Key) {
    let count = body["messages"].as_array().map_or(0, Vec::len);
    for at in 0..count {
        if flavor == "gemini-compat" {
            let calls = body["messages"][at]["tool_calls"].as_array().cloned().unwrap_or_default();
            for position in 0..calls.len() {
                let seal = SignedCall::new(model, &calls, position).mint(key);
                let google = json!({"google": {"thought_signature": seal}});
                body["messages"][at]["tool_calls"][position]["extra_content"] = google;
            }
            // Nor are a router's entries known here.
            if let Some(message) = body["messages"][at].as_object_mut() {
                message.shift_remove("reasoning_details");
            }
            continue;
        }
        // What another house would have sealed has no place in this one's answers.
        for call in body["messages"][at]["tool_calls"].as_array_mut().into_iter().flatten() {
            call.as_object_mut().map(|call| call.shift_remove("extra_content"));
        }
        let Some(mut details) = body["messages"][at]["reasoning_details"].as_array().cloned()
        else {
            continue;
        };
        for detail in &mut details {
            detail["format"] = format(model).into();
        }
        for position in 0..details.len() {
            let seal = Detail::new(model, &details, position, body, at, false).mint(key);
            let field = if details[position]["type"] == "reasoning.encrypted" {
                "data"
            } else {
                "signature"
            };
            details[position][field] = seal.into();
        }
        body["messages"][at]["reasoning_details"] = details.into();
    }
}

/// How a router calls the entries of a model's house.
fn format(model: &str) -> &'static str {
    match model.split('/').next() {
        Some("anthropic") => "anthropic-claude-v1",
        Some("google") => "google-gemini-v1",
        _ => "openai-responses-v1",
    }
}
