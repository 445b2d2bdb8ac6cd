//! The Messages request that stands behind a Converse request to Claude.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::profile::profile;
use crate::Request;
use crate::anthropic;
use crate::rule::{Fields as _, Findings, items, string};

/// A Messages request and where its blocks come from.
pub(super) struct Underlying {
    pub(super) body: Value,
    betas: Vec<String>,
    /// For each message, the places that its blocks had.
    places: Vec<Vec<usize>>,
    /// What the rules of the Messages API share.
    findings: RefCell<Findings>,
}

impl Underlying {
    /// The request behind this one, made once for all rules; none if the model is not a Claude.
    pub(super) fn shared(request: &Request<'_>, findings: &mut Findings) -> Rc<Option<Self>> {
        findings.shared(|| Self::of(request))
    }

    pub(super) fn of(request: &Request<'_>) -> Option<Self> {
        let mut underlying = Self::around(request)?;
        let mut messages = Vec::new();
        for message in items(request.body, "messages") {
            let (content, places) = blocks(items(message, "content"));
            messages.push(json!({"role": message.field("role"), "content": content}));
            underlying.places.push(places);
        }
        underlying.body["messages"] = messages.into();
        Some(underlying)
    }

    /// What stands around the messages.
    fn around(request: &Request<'_>) -> Option<Self> {
        if !profile(request.model).claude {
            return None;
        }
        let mut body = Map::new();
        body.insert("model".to_owned(), request.model.into());
        if let Some(system) = request.body.field("system") {
            body.insert("system".to_owned(), blocks(list(system)).0.into());
        }
        if let Some(config) = request.body.field("toolConfig") {
            body.insert("tools".to_owned(), tools(config).into());
            body.extend(
                config.field("toolChoice").map(|choice| ("tool_choice".to_owned(), chosen(choice))),
            );
        }
        let inference = request.body.field("inferenceConfig");
        for (here, there) in INFERENCE {
            let value = inference.and_then(|inference| inference.get(here));
            body.extend(value.map(|value| (there.to_owned(), value.clone())));
        }
        if let Some(effort) = request.body.pointer("/outputConfig/effort") {
            body.insert("output_config".to_owned(), json!({"effort": effort}));
        }
        let mut betas = Vec::new();
        for (key, value) in additional(request.body) {
            if key == "anthropic_beta" {
                betas = list(value).iter().filter_map(Value::as_str).map(str::to_owned).collect();
            } else if key == "reasoning_config" {
                // Converse's own name for it.
                body.insert("thinking".to_owned(), value.clone());
            } else if key != "anthropic_version" {
                body.insert(key.clone(), value.clone());
            }
        }
        let findings = RefCell::default();
        Some(Self { body: body.into(), betas, places: Vec::new(), findings })
    }

    /// Where a rule of the Messages API finds the request broken, and in which words.
    pub(super) fn violations(&self, request: &Request<'_>, rule: &str) -> Vec<(String, String)> {
        let Some(rule) = anthropic::JUDGE.rule(rule) else { return Vec::new() };
        let betas: Vec<_> = self.betas.iter().map(String::as_str).collect();
        let mut findings = self.findings.borrow_mut();
        findings.run(rule, &self.request(request, &betas));
        findings
            .take()
            .into_iter()
            .map(|found| (self.place(request.body, &found.path), found.message))
            .collect()
    }

    pub(super) fn trail(&self, request: &Request<'_>) -> anthropic::mint::Trail {
        let betas: Vec<_> = self.betas.iter().map(String::as_str).collect();
        anthropic::mint::Trail::of(&self.request(request, &betas))
    }

    pub(super) fn is_in_place(&self, request: &Request<'_>) -> bool {
        let betas: Vec<_> = self.betas.iter().map(String::as_str).collect();
        anthropic::mint::is_in_place(&self.request(request, &betas))
    }

    fn request<'u>(&'u self, request: &Request<'u>, betas: &'u [&'u str]) -> Request<'u> {
        Request {
            body: &self.body,
            flavor: "anthropic",
            version: Some("2023-06-01"),
            betas,
            ..request.clone()
        }
    }

    /// Where in the Converse request stands what has this path in the Messages request.
    fn place(&self, body: &Value, path: &str) -> String {
        let mut parts: Vec<_> = path.split('.').map(str::to_owned).collect();
        if let [first, message, content, index, ..] = parts.as_mut_slice()
            && *first == "messages"
            && *content == "content"
            && let (Ok(message), Ok(at)) = (message.parse::<usize>(), index.parse::<usize>())
            && let Some(place) = self.places.get(message).and_then(|places| places.get(at))
        {
            *index = place.to_string();
        }
        if let Some(first) = parts.first_mut() {
            let said = |name: &str| additional(body).any(|(key, _)| key == name);
            if *first == "thinking" && said("reasoning_config") {
                *first = format!("{ADDITIONAL}.reasoning_config");
            } else if said(first) {
                *first = format!("{ADDITIONAL}.{first}");
            } else if let Some((place, _)) = PLACES.iter().find(|(_, there)| there == first) {
                (*place).clone_into(first);
            }
        }
        parts.join(".")
    }
}

fn additional(body: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let fields = body.get(ADDITIONAL).and_then(Value::as_object);
    fields.into_iter().flatten()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Blocks as the Messages API knows them, and the places they had. A cache point is a mark on the
/// block before it.
fn blocks(content: &[Value]) -> (Vec<Value>, Vec<usize>) {
    let (mut blocks, mut places) = (Vec::<Value>::new(), Vec::new());
    for (at, value) in content.iter().enumerate() {
        if let Some(point) = value.field("cachePoint") {
            mark(blocks.last_mut(), point);
        } else {
            blocks.push(block(value));
            places.push(at);
        }
    }
    (blocks, places)
}

fn mark(block: Option<&mut Value>, point: &Value) {
    if let Some(block) = block {
        let mut cache = json!({"type": "ephemeral"});
        if let Some(ttl) = point.field("ttl") {
            cache["ttl"] = ttl.clone();
        }
        block["cache_control"] = cache;
    }
}

/// A block as the Messages API knows it.
pub(super) fn block(value: &Value) -> Value {
    // Null is no member of a union.
    let mut members = value.as_object().into_iter().flatten();
    let Some((kind, inner)) = members.find(|(_, inner)| !inner.is_null()) else {
        return json!({"type": "text", "text": "{}"});
    };
    match kind.as_str() {
        "text" => json!({"type": "text", "text": inner}),
        "image" => {
            let kind = format!("image/{}", string(inner, "format"));
            let source = match inner.pointer("/source/bytes") {
                Some(data) => json!({"type": "base64", "media_type": kind, "data": data}),
                // Wherever it is, it is this image and no other.
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
        // What the provider runs itself stands where nothing of the client's does.
        "toolUse" | "toolResult" if inner.field("type").is_some_and(Value::is_string) => {
            json!({"type": kind, "id": inner.field("toolUseId")})
        }
        "toolUse" => json!({
            "type": "tool_use",
            "id": inner.field("toolUseId"),
            "name": inner.field("name"),
            "input": inner.field("input"),
        }),
        "toolResult" => {
            let content: Vec<_> = items(inner, "content").iter().map(block).collect();
            let mut result = json!({
                "type": "tool_result",
                "tool_use_id": inner.field("toolUseId"),
                "content": content,
            });
            if string(inner, "status") == "error" {
                result["is_error"] = true.into();
            }
            result
        }
        "reasoningContent" => reasoning(inner),
        "citationsContent" => {
            let text: String =
                items(inner, "content").iter().map(|part| string(part, "text")).collect();
            json!({"type": "text", "text": text})
        }
        // Something else than text.
        "video" | "audio" | "searchResult" => json!({"type": kind}),
        // Whatever else there is, is something said.
        _ => json!({"type": "text", "text": inner.to_string()}),
    }
}

fn reasoning(value: &Value) -> Value {
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

fn tools(config: &Value) -> Vec<Value> {
    let mut tools: Vec<Value> = Vec::new();
    for tool in items(config, "tools") {
        if let Some(point) = tool.field("cachePoint") {
            mark(tools.last_mut(), point);
            continue;
        }
        let Some(spec) = tool.field("toolSpec") else { continue };
        let mut spelled = json!({"name": spec.field("name")});
        for (here, there) in [
            ("/description", "description"),
            ("/inputSchema/json", "input_schema"),
            ("/strict", "strict"),
        ] {
            if let Some(value) = spec.pointer(here) {
                spelled[there] = value.clone();
            }
        }
        tools.push(spelled);
    }
    tools
}

fn chosen(choice: &Value) -> Value {
    match choice.field("tool") {
        Some(tool) => json!({"type": "tool", "name": tool.field("name")}),
        None if choice.field("any").is_some() => json!({"type": "any"}),
        None => json!({"type": "auto"}),
    }
}

pub(super) const ADDITIONAL: &str = "additionalModelRequestFields";

const INFERENCE: [(&str, &str); 4] = [
    ("maxTokens", "max_tokens"),
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("stopSequences", "stop_sequences"),
];

/// Where fields of the Messages request stand here.
const PLACES: [(&str, &str); 7] = [
    ("inferenceConfig.maxTokens", "max_tokens"),
    ("inferenceConfig.temperature", "temperature"),
    ("inferenceConfig.topP", "top_p"),
    ("inferenceConfig.stopSequences", "stop_sequences"),
    ("toolConfig.tools", "tools"),
    ("toolConfig.toolChoice", "tool_choice"),
    ("outputConfig", "output_config"),
];
