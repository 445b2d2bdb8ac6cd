//! Conversations with genuine seals: the reasoning is sealed as the judge's providers do.

use interlingua_strict::anthropic::mint::SealContext;
use interlingua_strict::openai_chat::{CallClaims, DetailClaims, ROUTER};
use interlingua_strict::openai_responses::Minter;
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, bedrock, gemini};
use serde_json::{Value, json};

use crate::laws::{SampleRequest, SealIssuer};
use crate::rng::Rng;

/// Models that seal reasoning: dialect, flavor, models.
const SEALING_MODELS: &[(&str, &str, &[&str])] = &[
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
        ROUTER,
        &["anthropic/claude-sonnet-4.5", "google/gemini-3-pro-preview", "openai/gpt-5.1"],
    ),
    ("openai-chat", "gemini-compat", &["gemini-3-pro-preview", "gemini-2.5-pro"]),
];

/// Seals a tidy conversation; `None` if no model of the dialect seals, or the provider rejects it.
pub fn with_genuine_seals(case: &SampleRequest, rng: &mut Rng) -> Option<SampleRequest> {
    let dialect = case.dialect.id().0;
    let issuers: Vec<_> = SEALING_MODELS.iter().filter(|(name, ..)| *name == dialect).collect();
    if issuers.is_empty() {
        return None;
    }
    let (_, flavor, models) = rng.pick(&issuers);
    let model = rng.pick(models);
    // A seal is bound to the body as the provider parses it.
    let mut body: Value = serde_json::from_slice(&case.bytes).ok()?;
    if body.get("model").is_some() {
        body["model"] = model.into();
    }
    let key = SealKey::default();
    match dialect {
        "anthropic" | "bedrock" => seal_messages(&mut body, model, dialect, &key)?,
        "gemini" => seal_contents(&mut body, model, flavor, &key),
        "openai-responses" => seal_items(&mut body, &Minter { key: &key, provider: flavor, model }),
        _ => seal_details(&mut body, model, flavor, &key),
    }
    let mut sealed = SampleRequest::new(case.dialect, body);
    sealed.seal_issuer = Some(SealIssuer { flavor, model: (*model).to_owned() });
    sealed.model_hint = Some((*model).to_owned());
    Some(sealed)
}

/// Seals message by message, each bound to those before it. Calls get new ids, which are bound to
/// the thinking. `None` if the provider rejects a request whose reply it would have sealed.
fn seal_messages(body: &mut Value, model: &str, dialect: &str, key: &SealKey) -> Option<()> {
    let messages = body["messages"].as_array_mut().map(std::mem::take)?;
    let judge = interlingua_strict::find(dialect)?;
    let mut renamed: Vec<(String, String)> = Vec::new();
    let mut after_assistant = false;
    body["messages"] = json!([]);
    for mut message in messages {
        let is_assistant = message["role"] == "assistant";
        if is_assistant {
            let switches = Switches::default();
            let request = Request { model, ..Request::new(body, dialect, &switches) };
            if !after_assistant && !judge.check(&request).is_accepted() {
                return None;
            }
            let seal_context = match dialect {
                "anthropic" => Some(SealContext::for_reply(&request)),
                _ => bedrock::mint::seal_context(&request),
            };
            if let (Some(seal_context), Some(blocks)) =
                (seal_context, message["content"].as_array_mut())
            {
                seal_blocks(blocks, seal_context, dialect, key, &mut renamed);
            }
        } else if let Some(blocks) = message["content"].as_array_mut() {
            for block in blocks {
                rename_call_id(block, &renamed);
            }
        }
        after_assistant = is_assistant;
        if let Some(list) = body["messages"].as_array_mut() {
            list.push(message);
        }
    }
    Some(())
}

fn seal_blocks(
    blocks: &mut [Value],
    mut seal_context: SealContext,
    dialect: &str,
    key: &SealKey,
    renamed: &mut Vec<(String, String)>,
) {
    for block in blocks {
        if block["type"] == "thinking" {
            let text = block["thinking"].as_str().unwrap_or_default().to_owned();
            block["signature"] = seal_context.sign_thinking(key, &text).into();
        } else if block["type"] == "redacted_thinking" {
            block["data"] = seal_context.sign_redacted(key).into();
        } else if let Some(reasoning) = block.get_mut("reasoningContent") {
            if reasoning.get("redactedContent").is_some() {
                reasoning["redactedContent"] = seal_context.sign_redacted(key).into();
            } else {
                let text =
                    reasoning["reasoningText"]["text"].as_str().unwrap_or_default().to_owned();
                reasoning["reasoningText"]["signature"] =
                    seal_context.sign_thinking(key, &text).into();
            }
        } else {
            if block["type"] == "tool_use" {
                let old = block["id"].as_str().unwrap_or_default().to_owned();
                let new = seal_context.call_id(key, &old);
                block["id"] = new.as_str().into();
                renamed.push((old, new));
            }
            match dialect {
                "anthropic" => seal_context.push_block(block),
                _ => seal_context.push_block(&bedrock::mint::anthropic_block(block)),
            }
        }
    }
}

fn rename_call_id(block: &mut Value, renamed: &[(String, String)]) {
    let Some(Value::String(id)) = block.get_mut("tool_use_id") else { return };
    if let Some((_, new)) = renamed.iter().rev().find(|(old, _)| old == id) {
        id.clone_from(new);
    }
}

fn seal_contents(body: &mut Value, model: &str, flavor: &str, key: &SealKey) {
    for content in body["contents"].as_array_mut().into_iter().flatten() {
        if content["role"] != "model" {
            continue;
        }
        let Some(parts) = content["parts"].as_array_mut() else { continue };
        // A generated part with only a signature cannot stay next to a genuine one.
        parts.retain(|part| part.get("text").is_none_or(|text| text != ""));
        for part in parts.iter_mut().filter_map(Value::as_object_mut) {
            part.shift_remove("thoughtSignature");
        }
        if let Some(at) = gemini::mint::signed_part_index(model, parts) {
            parts[at]["thoughtSignature"] =
                gemini::mint::sign_part(key, flavor, model, parts, at).into();
        }
    }
}

fn seal_items(body: &mut Value, mint: &Minter<'_>) {
    let Some(list) = body["input"].as_array_mut() else { return };
    for at in 0..list.len() {
        let seed = |at: usize| format!("item {at}");
        if list[at]["type"] != "reasoning" {
            let follows_reasoning = at > 0 && list[at - 1]["type"] == "reasoning";
            let prefix = if list[at]["type"] == "function_call" { "fc" } else { "msg" };
            match list[at].as_object_mut() {
                Some(item) if follows_reasoning => {
                    let id = mint.mint_id(prefix, &seed(at), Some(&seed(at - 1)));
                    item.insert("id".into(), id.into());
                }
                Some(item) => drop(item.shift_remove("id")),
                None => {}
            }
            continue;
        }
        list[at]["id"] = mint.mint_id("rs", &seed(at), Some(&seed(at + 1))).into();
        list[at]["encrypted_content"] = mint.seal_reasoning(&list[at]).into();
    }
}

fn seal_details(body: &mut Value, model: &str, flavor: &str, key: &SealKey) {
    let count = body["messages"].as_array().map_or(0, Vec::len);
    for at in 0..count {
        if flavor == "gemini-compat" {
            let calls = body["messages"][at]["tool_calls"].as_array().cloned().unwrap_or_default();
            for position in 0..calls.len() {
                let seal = CallClaims::new(model, &calls, position).seal(key);
                let google = json!({"google": {"thought_signature": seal}});
                body["messages"][at]["tool_calls"][position]["extra_content"] = google;
            }
            // This flavor has no `reasoning_details`.
            if let Some(message) = body["messages"][at].as_object_mut() {
                message.shift_remove("reasoning_details");
            }
            continue;
        }
        // This flavor does not sign calls.
        for call in body["messages"][at]["tool_calls"].as_array_mut().into_iter().flatten() {
            call.as_object_mut().map(|call| call.shift_remove("extra_content"));
        }
        let Some(mut details) = body["messages"][at]["reasoning_details"].as_array().cloned()
        else {
            continue;
        };
        for detail in &mut details {
            detail["format"] = reasoning_format(model).into();
        }
        for position in 0..details.len() {
            let seal = DetailClaims::new(model, &details, position, body, at, false).seal(key);
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

/// The `format` of a router's entries for the vendor of a model.
fn reasoning_format(model: &str) -> &'static str {
    match model.split('/').next() {
        Some("anthropic") => "anthropic-claude-v1",
        Some("google") => "google-gemini-v1",
        _ => "openai-responses-v1",
    }
}
