//! Rules about messages without content.

use std::cell::LazyCell;

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as};
use super::pairing::merged_indexes;
use super::provider::{Trait, provider_of};
use super::view::{Message, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};

pub(super) fn moonshot_empty(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if message.has_role("assistant") && message.has_no_content() && !message.has_tool_calls() {
            let index = message.index.to_string();
            let details = ViolationDetails {
                path: message.path(),
                placeholders: &[("index", &index)],
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn empty_message(request: &Request<'_>, cx: &mut CheckContext) {
    let is_empty_text = |part: &Value| {
        str_field(part, "type") == "text" && part.field("text").is_some_and(|text| text == "")
    };
    let messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&messages));
    let is_relayed = provider_of(request).has(Trait::RelayedMessages);
    let is_instruction =
        |message: &Message<'_>| message.has_role("system") || message.has_role("developer");
    if is_relayed && !messages.is_empty() && messages.iter().all(is_instruction) {
        let details = ViolationDetails { path: "messages".into(), ..ViolationDetails::default() };
        reject_as(cx.case("instructions-only"), request, cx, &details);
    }
    for message in &messages {
        let is_last = message.index + 1 == messages.len();
        let may_be_empty = message.has_role("tool")
            || is_relayed && message.has_role("function")
            || message.has_role("assistant") && (message.has_tool_calls() || is_last && is_relayed);
        let is_filled = |field: &str| match message.value.field(field) {
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::String(_)) => true,
            Some(Value::Object(object)) => !object.is_empty(),
            _ => false,
        };
        let has_other_content = CONTENT_FIELDS.iter().any(|field| is_filled(field));
        let may_be_empty = may_be_empty || is_relayed && has_other_content;
        let has_content = !message.has_no_content()
            && (message.parts().is_empty() || !message.parts().iter().all(is_empty_text));
        if !may_be_empty && !has_content {
            let upstream_index = merged_indexes[message.index].to_string();
            let details = ViolationDetails {
                path: message.path(),
                placeholders: &[("sent", &upstream_index)],
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}

/// Fields of an assistant message that `OpenRouter` reads beside its content.
const CONTENT_FIELDS: &[&str] =
    &["reasoning_details", "reasoning", "reasoning_content", "refusal", "images", "audio"];
