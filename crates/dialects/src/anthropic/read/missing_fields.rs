//! Adds fields that client SDKs read unconditionally and a provider left out.

use std::borrow::Cow;

use interlingua_model::{ReplyContext, Usage};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, RawJson};

use crate::anthropic::{reply, usage};

pub(super) fn has_counts(counts: Option<JsonNode<'_>>, keys: &[&str]) -> bool {
    let has_number =
        |counts: JsonNode<'_>, key: &&str| counts.get(key).and_then(JsonNode::as_u64).is_some();
    counts.is_some_and(|counts| keys.iter().all(|key| has_number(counts, key)))
}

pub(super) fn is_complete_message(message: Option<JsonNode<'_>>) -> bool {
    message.is_some_and(|message| {
        let [content, counts] = message.get_many(["content", "usage"]);
        content.is_some_and(JsonNode::is_array)
            && has_counts(counts, &["input_tokens", "output_tokens"])
    })
}

pub(super) fn write_complete_message(
    message: Option<JsonNode<'_>>,
    cx: &ReplyContext,
    o: &mut ObjectWriter<'_>,
) {
    o.object("message", |o| {
        let message = message.filter(|message| message.is_object());
        if message.is_none() {
            reply::write_message_header(None, None, cx, o);
            o.null("stop_reason");
            o.null("stop_sequence");
        }
        write_fields_except(message, &["content", "usage"], o);
        match message.and_then(|message| message.get("content")).filter(|list| list.is_array()) {
            Some(content) => o.json("content", &content.json()),
            None => o.array("content", |_| {}),
        }
        match message.and_then(|message| message.get("usage")).filter(|counts| counts.is_object()) {
            Some(counts) => o.object("usage", |o| {
                let is_missing = |key: &str| counts.get(key).and_then(JsonNode::as_u64).is_none();
                let missing_keys: Vec<&str> = ["input_tokens", "output_tokens"]
                    .into_iter()
                    .filter(|key| is_missing(key))
                    .collect();
                write_fields_except(Some(counts), &missing_keys, o);
                for key in ["input_tokens", "output_tokens"] {
                    if is_missing(key) {
                        o.number(key, 0);
                    }
                }
            }),
            None => usage::encode(&Usage::default(), o),
        }
    });
}

pub(super) fn write_complete_usage(
    counts: Option<JsonNode<'_>>,
    earlier_usage: Option<&RawJson>,
    o: &mut ObjectWriter<'_>,
) {
    let count =
        |json: &RawJson| json.to_doc().root().get("output_tokens").and_then(JsonNode::as_u64);
    o.object("usage", |o| {
        write_fields_except(counts.filter(|counts| counts.is_object()), &["output_tokens"], o);
        o.number("output_tokens", earlier_usage.and_then(count).unwrap_or(0));
    });
}

pub(super) fn write_fields_except(
    node: Option<JsonNode<'_>>,
    excluded: &[&str],
    o: &mut ObjectWriter<'_>,
) {
    for field in node.into_iter().flat_map(JsonNode::fields) {
        let name: Cow<'_, str> = field.key();
        if !excluded.contains(&&*name) {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    }
}
