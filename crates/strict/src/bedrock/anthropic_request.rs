//! Converts a Converse request to Claude into the Messages request behind it.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::pairing::is_server_tool;
use super::profile::profile;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{Request, anthropic};

/// A Messages request with the origin of its blocks.
pub(super) struct AnthropicRequest {
    pub(super) body: Value,
    betas: Vec<String>,
    /// For each message, the original indices of its blocks.
    block_indices: Vec<Vec<usize>>,
    /// Intermediate results that the rules of the Messages API share.
    checks: RefCell<CheckContext>,
}

impl AnthropicRequest {
    /// The converted request, shared by all rules; `None` if the model is not a Claude.
    pub(super) fn memoized(request: &Request<'_>, cx: &mut CheckContext) -> Rc<Option<Self>> {
        cx.memoized(|| Self::from_converse(request))
    }

    pub(super) fn from_converse(request: &Request<'_>) -> Option<Self> {
        let mut converted = Self::without_messages(request)?;
        let mut messages = Vec::new();
        for message in array_field(request.body, "messages") {
            let (content, indices) = anthropic_blocks(array_field(message, "content"));
            messages.push(json!({"role": message.field("role"), "content": content}));
            converted.block_indices.push(indices);
        }
        converted.body["messages"] = messages.into();
        Some(converted)
    }

    /// The converted request without messages.
    fn without_messages(request: &Request<'_>) -> Option<Self> {
        if !profile(request.model).is_claude {
            return None;
        }
        let mut body = Map::new();
        body.insert("model".to_owned(), request.model.into());
        if let Some(system) = request.body.field("system") {
            body.insert("system".to_owned(), anthropic_blocks(as_slice(system)).0.into());
        }
        if let Some(config) = request.body.field("toolConfig") {
            body.insert("tools".to_owned(), anthropic_tools(config).into());
            body.extend(
                config
                    .field("toolChoice")
                    .map(|choice| ("tool_choice".to_owned(), anthropic_tool_choice(choice))),
            );
        }
        let inference = request.body.field("inferenceConfig");
        for (converse_key, messages_key) in INFERENCE_FIELDS {
            let value = inference.and_then(|inference| inference.get(converse_key));
            body.extend(value.map(|value| (messages_key.to_owned(), value.clone())));
        }
        if let Some(effort) = request.body.pointer("/outputConfig/effort") {
            body.insert("output_config".to_owned(), json!({"effort": effort}));
        }
        let mut betas = Vec::new();
        for (key, value) in additional_fields(request.body) {
            if key == "anthropic_beta" {
                betas =
                    as_slice(value).iter().filter_map(Value::as_str).map(str::to_owned).collect();
            } else if key == "reasoning_config" {
                // Converse's name for `thinking`.
                body.insert("thinking".to_owned(), value.clone());
            } else if key != "anthropic_version" {
                body.insert(key.clone(), value.clone());
            }
        }
        let checks = RefCell::default();
        Some(Self { body: body.into(), betas, block_indices: Vec::new(), checks })
    }

    /// Violations of a rule of the Messages API: Converse paths and error messages.
    pub(super) fn violations(&self, request: &Request<'_>, rule: &str) -> Vec<(String, String)> {
        let Some(rule) = anthropic::JUDGE.rule(rule) else { return Vec::new() };
        let betas: Vec<_> = self.betas.iter().map(String::as_str).collect();
        let mut cx = self.checks.borrow_mut();
        rule.violations(&self.judge_request(request, &betas), &mut cx)
            .map(|violation| (self.converse_path(request.body, &violation.path), violation.message))
            .collect()
    }

    pub(super) fn seal_context(&self, request: &Request<'_>) -> anthropic::mint::SealContext {
        let betas: Vec<_> = self.betas.iter().map(String::as_str).collect();
        anthropic::mint::SealContext::for_reply(&self.judge_request(request, &betas))
    }

    pub(super) fn are_seals_in_place(&self, request: &Request<'_>) -> bool {
        let betas: Vec<_> = self.betas.iter().map(String::as_str).collect();
        anthropic::mint::are_seals_in_place(&self.judge_request(request, &betas))
    }

    fn judge_request<'u>(&'u self, request: &Request<'u>, betas: &'u [&'u str]) -> Request<'u> {
        Request {
            body: &self.body,
            flavor: "anthropic",
            version: Some("2023-06-01"),
            betas,
            ..request.clone()
        }
    }

    /// The path in the Converse request for a path in the Messages request.
    fn converse_path(&self, body: &Value, path: &str) -> String {
        let mut parts: Vec<_> = path.split('.').map(str::to_owned).collect();
        if let [first, message, content, index, ..] = parts.as_mut_slice()
            && *first == "messages"
            && *content == "content"
            && let (Ok(message), Ok(at)) = (message.parse::<usize>(), index.parse::<usize>())
            && let Some(index_in_converse) =
                self.block_indices.get(message).and_then(|indices| indices.get(at))
        {
            *index = index_in_converse.to_string();
        }
        if let Some(first) = parts.first_mut() {
            let is_additional = |name: &str| additional_fields(body).any(|(key, _)| key == name);
            if *first == "thinking" && is_additional("reasoning_config") {
                *first = format!("{ADDITIONAL_FIELDS_KEY}.reasoning_config");
            } else if is_additional(first) {
                *first = format!("{ADDITIONAL_FIELDS_KEY}.{first}");
            } else if let Some((converse_path, _)) =
                FIELD_PATHS.iter().find(|(_, messages_key)| messages_key == first)
            {
                (*converse_path).clone_into(first);
            }
        }
        parts.join(".")
    }
}

fn additional_fields(body: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let fields = body.get(ADDITIONAL_FIELDS_KEY).and_then(Value::as_object);
    fields.into_iter().flatten()
}

fn as_slice(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Converts blocks to those of the Messages API, with their original indices. A cache point becomes
/// a cache breakpoint of the previous block.
fn anthropic_blocks(content: &[Value]) -> (Vec<Value>, Vec<usize>) {
    let (mut blocks, mut indices) = (Vec::<Value>::new(), Vec::new());
    for (at, value) in content.iter().enumerate() {
        if let Some(point) = value.field("cachePoint") {
            add_cache_control(blocks.last_mut(), point);
        } else {
            blocks.push(anthropic_block(value));
            indices.push(at);
        }
    }
    (blocks, indices)
}

fn add_cache_control(block: Option<&mut Value>, point: &Value) {
    if let Some(block) = block {
        let mut cache = json!({"type": "ephemeral"});
        if let Some(ttl) = point.field("ttl") {
            cache["ttl"] = ttl.clone();
        }
        block["cache_control"] = cache;
    }
}

/// Converts a block to one of the Messages API.
pub(super) fn anthropic_block(value: &Value) -> Value {
    // A null member counts as missing.
    let mut members = value.as_object().into_iter().flatten();
    let Some((kind, inner)) = members.find(|(_, inner)| !inner.is_null()) else {
        return json!({"type": "text", "text": "{}"});
    };
    match kind.as_str() {
        "text" => json!({"type": "text", "text": inner}),
        "image" => {
            let kind = format!("image/{}", str_field(inner, "format"));
            let source = match inner.pointer("/source/bytes") {
                Some(data) => json!({"type": "base64", "media_type": kind, "data": data}),
                // Seals compare blocks, so that different locations need different URLs.
                None => json!({"type": "url", "url": format!("https://s3.amazonaws.com/{inner}")}),
            };
            json!({"type": "image", "source": source})
        }
        "document" => {
            let source = match inner.pointer("/source/bytes") {
                Some(data) => json!({"type": "base64", "data": data}),
                None => json!(inner.field("source")),
            };
            let (title, format) = (inner.field("name"), inner.field("format"));
            json!({"type": "document", "source": source, "title": title, "context": format})
        }
        // Server tools' calls and results must not match any rule about the client's.
        "toolUse" | "toolResult" if is_server_tool(kind, inner) => {
            json!({"type": kind, "id": inner.field("toolUseId")})
        }
        "toolUse" => json!({
            "type": "tool_use",
            "id": inner.field("toolUseId"),
            "name": inner.field("name"),
            "input": inner.field("input"),
        }),
        "toolResult" => {
            let content: Vec<_> =
                array_field(inner, "content").iter().map(anthropic_block).collect();
            let mut result = json!({
                "type": "tool_result",
                "tool_use_id": inner.field("toolUseId"),
                "content": content,
            });
            if str_field(inner, "status") == "error" {
                result["is_error"] = true.into();
            }
            result
        }
        "reasoningContent" => thinking_block(inner),
        "citationsContent" => {
            let text: String =
                array_field(inner, "content").iter().map(|part| str_field(part, "text")).collect();
            json!({"type": "text", "text": text})
        }
        // Only the type matters: it is not text.
        "video" | "audio" | "searchResult" => json!({"type": kind}),
        // Any other block is treated as text.
        _ => json!({"type": "text", "text": inner.to_string()}),
    }
}

fn thinking_block(value: &Value) -> Value {
    if let Some(data) = value.field("redactedContent") {
        return json!({"type": "redacted_thinking", "data": data});
    }
    let text = value.pointer("/reasoningText/text");
    let mut thinking = json!({"type": "thinking", "thinking": text});
    if let Some(signature) = value.pointer("/reasoningText/signature") {
        thinking["signature"] = signature.clone();
    }
    thinking
}

fn anthropic_tools(config: &Value) -> Vec<Value> {
    let mut tools: Vec<Value> = Vec::new();
    for tool in array_field(config, "tools") {
        if let Some(point) = tool.field("cachePoint") {
            add_cache_control(tools.last_mut(), point);
            continue;
        }
        let Some(spec) = tool.field("toolSpec") else { continue };
        let mut converted = json!({"name": spec.field("name")});
        for (pointer, messages_key) in [
            ("/description", "description"),
            ("/inputSchema/json", "input_schema"),
            ("/strict", "strict"),
        ] {
            if let Some(value) = spec.pointer(pointer) {
                converted[messages_key] = value.clone();
            }
        }
        tools.push(converted);
    }
    tools
}

fn anthropic_tool_choice(choice: &Value) -> Value {
    match choice.field("tool") {
        Some(tool) => json!({"type": "tool", "name": tool.field("name")}),
        None if choice.field("any").is_some() => json!({"type": "any"}),
        None => json!({"type": "auto"}),
    }
}

pub(super) const ADDITIONAL_FIELDS_KEY: &str = "additionalModelRequestFields";

const INFERENCE_FIELDS: [(&str, &str); 4] = [
    ("maxTokens", "max_tokens"),
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("stopSequences", "stop_sequences"),
];

/// Converse paths of Messages fields.
const FIELD_PATHS: [(&str, &str); 7] = [
    ("inferenceConfig.maxTokens", "max_tokens"),
    ("inferenceConfig.temperature", "temperature"),
    ("inferenceConfig.topP", "top_p"),
    ("inferenceConfig.stopSequences", "stop_sequences"),
    ("toolConfig.tools", "tools"),
    ("toolConfig.toolChoice", "tool_choice"),
    ("outputConfig", "output_config"),
];
