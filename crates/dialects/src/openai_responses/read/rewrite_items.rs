//! Completes items and token counts that a server sent with less than SDKs require.

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::openai_responses::decode::output_item::REASONING_ID_PREFIX;

/// The object with changed or added fields.
pub(super) fn with_fields(node: JsonNode<'_>, changes: &[(&'static str, RawJson)]) -> RawJson {
    RawJson::object(|o| {
        for field in node.fields() {
            let new_value =
                changes.iter().find(|(key, _)| field.key_is(key)).map(|(_, new_value)| new_value);
            let value = new_value.cloned().unwrap_or_else(|| field.value.json());
            o.key_json_string(&field.key_json_string()).json(&value);
        }
        for (key, value) in changes {
            if node.get(key).is_none() {
                o.json(key, value);
            }
        }
    })
}

/// The item with this id; `None` if it has it already.
pub(super) fn with_id(item: JsonNode<'_>, id: &JsonString) -> Option<RawJson> {
    let has_same_id =
        item.get("id").is_some_and(|own_id| own_id.is_string() && *id == *own_id.str_or_empty());
    (!has_same_id && item.is_object()).then(|| with_fields(item, &[("id", RawJson::string(id))]))
}

/// The finished item with the id and the name of its start; `None` if nothing changes.
pub(super) fn finished_item(
    item: JsonNode<'_>,
    id: &JsonString,
    added_item: Option<&RawJson>,
) -> Option<RawJson> {
    let non_empty_name = |item: JsonNode<'_>| {
        item.get("name").and_then(JsonNode::json_string).filter(|n| !n.is_empty())
    };
    let is_nameless = item.get("name").is_some_and(|name| name.raw() == "\"\"");
    let name = added_item
        .filter(|_| is_nameless)
        .and_then(|added_item| non_empty_name(added_item.to_doc().root()));
    match name {
        Some(name) => Some(with_fields(
            item,
            &[("id", RawJson::string(id)), ("name", RawJson::string(&name))],
        )),
        None => with_id(item, id),
    }
}

/// Prefix of ids of this item type.
pub(super) fn id_prefix(kind: &str) -> &'static str {
    match kind {
        "reasoning" => REASONING_ID_PREFIX,
        "function_call" => "fc_",
        "custom_tool_call" => "ctc_",
        _ => "msg_",
    }
}

/// An empty item; `None` if its type needs more fields.
pub(super) fn empty_item(kind: &str, id: &JsonString) -> Option<RawJson> {
    let list = match kind {
        "message" => "content",
        "reasoning" => "summary",
        _ => return None,
    };
    Some(RawJson::object(|o| {
        o.json_string("id", id);
        o.json_string("type", &JsonString::new(kind));
        if kind == "message" {
            o.static_str("status", "in_progress");
            o.static_str("role", "assistant");
        }
        o.array(list, |_| {});
    }))
}

/// The empty part that must begin before an event of this type.
pub(super) fn empty_part(event_type: &str) -> Option<RawJson> {
    let is_refusal = match event_type {
        "response.output_text.delta" | "response.output_text.done" => false,
        "response.refusal.delta" | "response.refusal.done" => true,
        _ => return None,
    };
    Some(text_part(is_refusal, &JsonString::EMPTY))
}

fn text_part(is_refusal: bool, text: &JsonString) -> RawJson {
    RawJson::object(|o| {
        o.static_str("type", if is_refusal { "refusal" } else { "output_text" });
        o.json_string(if is_refusal { "refusal" } else { "text" }, text);
        if !is_refusal {
            o.array("annotations", |_| {});
            o.array("logprobs", |_| {});
        }
    })
}

/// The item before its first delta.
pub(super) fn item_without_content(item: JsonNode<'_>) -> RawJson {
    let kind = item.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let empty_field = match &*kind {
        "message" => ("content", RawJson::EMPTY_ARRAY),
        "function_call" => ("arguments", RawJson::string(&JsonString::EMPTY)),
        "custom_tool_call" => ("input", RawJson::string(&JsonString::EMPTY)),
        "reasoning" => return with_fields(item, &[("summary", RawJson::EMPTY_ARRAY)]),
        _ => return item.json(),
    };
    with_fields(
        item,
        &[empty_field, ("status", RawJson::string(&JsonString::from_static("in_progress")))],
    )
}

/// Name and fields of an event.
type SyntheticEvent = (&'static str, Vec<(&'static str, RawJson)>);

/// The events of an item that arrived complete.
pub(super) fn item_events(item: JsonNode<'_>) -> Vec<SyntheticEvent> {
    let kind = item.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let string_field =
        |key: &str| item.get(key).filter(|value| value.is_string()).map(JsonNode::json);
    let args_events = |delta, done, key: &'static str| {
        let text = string_field(key).unwrap_or_else(|| RawJson::string(&JsonString::EMPTY));
        vec![(delta, vec![("delta", text.clone())]), (done, vec![(key, text)])]
    };
    match &*kind {
        "function_call" => args_events(
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "arguments",
        ),
        "custom_tool_call" => args_events(
            "response.custom_tool_call_input.delta",
            "response.custom_tool_call_input.done",
            "input",
        ),
        "message" => {
            let parts = item.get("content").into_iter().flat_map(JsonNode::items);
            parts.enumerate().flat_map(|(at, node)| part_events(at as u64, node)).collect()
        }
        "reasoning" => {
            let parts = item.get("summary").into_iter().flat_map(JsonNode::items);
            parts.enumerate().flat_map(|(at, node)| summary_events(at as u64, node)).collect()
        }
        _ => Vec::new(),
    }
}

fn part_events(at: u64, part: JsonNode<'_>) -> Vec<SyntheticEvent> {
    let string_field =
        |key: &str| part.get(key).filter(|text| text.is_string()).map(JsonNode::json);
    let at = || ("content_index", RawJson::number(at));
    let (delta, done) = if let Some(text) = string_field("text") {
        let empty_logprobs = || ("logprobs", RawJson::EMPTY_ARRAY);
        let delta = vec![at(), ("delta", text.clone()), empty_logprobs()];
        let done = vec![at(), ("text", text), empty_logprobs()];
        (("response.output_text.delta", delta), ("response.output_text.done", done))
    } else if let Some(text) = string_field("refusal") {
        let delta = vec![at(), ("delta", text.clone())];
        (
            ("response.refusal.delta", delta),
            ("response.refusal.done", vec![at(), ("refusal", text)]),
        )
    } else {
        return Vec::new();
    };
    let empty_part = text_part(delta.0 == "response.refusal.delta", &JsonString::EMPTY);
    vec![
        ("response.content_part.added", vec![at(), ("part", empty_part)]),
        delta,
        done,
        ("response.content_part.done", vec![at(), ("part", part.json())]),
    ]
}

fn summary_events(at: u64, part: JsonNode<'_>) -> Vec<SyntheticEvent> {
    let Some(text) = part.get("text").filter(|text| text.is_string()).map(JsonNode::json) else {
        return Vec::new();
    };
    let at = || ("summary_index", RawJson::number(at));
    let empty_part = RawJson::object(|o| {
        o.static_str("type", "summary_text");
        o.json_string("text", &JsonString::EMPTY);
    });
    vec![
        ("response.reasoning_summary_part.added", vec![at(), ("part", empty_part)]),
        ("response.reasoning_summary_text.delta", vec![at(), ("delta", text.clone())]),
        ("response.reasoning_summary_text.done", vec![at(), ("text", text)]),
        ("response.reasoning_summary_part.done", vec![at(), ("part", part.json())]),
    ]
}

/// Builds a finished item from its start, its finished parts and the open text; `true` marks a
/// refusal or full reasoning.
pub(super) fn item_from_deltas(
    kind: &str,
    added: &RawJson,
    parts: &[RawJson],
    emitted: Option<(bool, &str)>,
) -> RawJson {
    let doc = added.to_doc();
    let text = || {
        let emitted = emitted.map(|(_, emitted)| emitted).unwrap_or_default();
        RawJson::parse(format!("\"{emitted}\""))
            .ok()
            .and_then(|json| json.json_string())
            .unwrap_or_default()
    };
    let is_other_kind = emitted.is_some_and(|(is_other_kind, _)| is_other_kind);
    let completed = ("status", RawJson::string(&JsonString::from_static("completed")));
    match kind {
        "message" => {
            let open_part = emitted.map(|_| text_part(is_other_kind, &text()));
            let list = RawJson::array(|a| {
                parts.iter().chain(&open_part).for_each(|part| a.item().json(part));
            });
            with_fields(doc.root(), &[("content", list), completed])
        }
        "function_call" | "custom_tool_call"
            if emitted.is_some_and(|(_, emitted)| !emitted.is_empty()) =>
        {
            let key = if kind == "function_call" { "arguments" } else { "input" };
            with_fields(doc.root(), &[(key, RawJson::string(&text())), completed])
        }
        "reasoning" if emitted.is_some() => {
            let (key, part_type) = if is_other_kind {
                ("content", "reasoning_text")
            } else {
                ("summary", "summary_text")
            };
            let list = RawJson::array(|a| {
                a.object(|o| {
                    o.static_str("type", part_type);
                    o.json_string("text", &text());
                });
            });
            with_fields(doc.root(), &[(key, list)])
        }
        _ if doc.root().get("status").is_some() => with_fields(doc.root(), &[completed]),
        _ => added.clone(),
    }
}

/// The token counts with all fields that clients read unconditionally; `None` if none is missing.
/// Some servers use the field names of Chat Completions.
pub(super) fn fill_missing_usage(usage: Option<JsonNode<'_>>) -> Option<RawJson> {
    let usage = usage.filter(|usage| usage.is_object())?;
    let count = |key: &str| usage.get(key).and_then(JsonNode::as_u64);
    let detail = |details_key: &str, key: &str| usage.get(details_key)?.get(key)?.as_u64();
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    let cached = detail("input_tokens_details", "cached_tokens");
    let reasoning = detail("output_tokens_details", "reasoning_tokens");
    let required = [input, output, count("total_tokens"), cached, reasoning];
    if required.iter().all(Option::is_some) {
        return None;
    }
    let input = input.or_else(|| count("prompt_tokens")).unwrap_or(0);
    let output = output.or_else(|| count("completion_tokens")).unwrap_or(0);
    let total = count("total_tokens").unwrap_or(input.saturating_add(output));
    let cached = cached.or_else(|| detail("prompt_tokens_details", "cached_tokens"));
    let reasoning = reasoning.or_else(|| detail("completion_tokens_details", "reasoning_tokens"));
    let object = |details_key: &'static str, key: &'static str, count: Option<u64>| {
        let original = usage.get(details_key).filter(|original| original.is_object());
        RawJson::object(|o: &mut ObjectWriter<'_>| {
            for field in
                original.into_iter().flat_map(JsonNode::fields).filter(|field| !field.key_is(key))
            {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
            o.number(key, count.unwrap_or(0));
        })
    };
    Some(with_fields(
        usage,
        &[
            ("input_tokens", RawJson::number(input)),
            ("input_tokens_details", object("input_tokens_details", "cached_tokens", cached)),
            ("output_tokens", RawJson::number(output)),
            (
                "output_tokens_details",
                object("output_tokens_details", "reasoning_tokens", reasoning),
            ),
            ("total_tokens", RawJson::number(total)),
        ],
    ))
}
