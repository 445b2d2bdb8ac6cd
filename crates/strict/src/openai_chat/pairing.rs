//! Rules about tool calls and their results.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::rc::Rc;

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::profile::Profile;
use super::provider::{Trait, provider_of};
use super::view::{Message, bracket_path, messages, tool_results_after};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};

/// The ids of a message's calls.
pub(super) fn call_ids<'v>(message: &Message<'v>) -> Vec<&'v str> {
    message.tool_calls().iter().map(|call| str_field(call, "id")).collect()
}

/// The ids of the calls that each message may answer: those of the message before the run of tool
/// messages that it is in. `None` where that message has no calls.
pub(super) fn answerable_ids<'v>(
    messages: &[Message<'v>],
) -> impl Iterator<Item = (Message<'v>, Option<Rc<HashSet<&'v str>>>)> {
    let mut caller_ids = None;
    messages.iter().map(move |message| {
        let ids: Option<Rc<HashSet<&str>>> = caller_ids.clone();
        if !message.has_role("tool") {
            let has_calls = message.has_role("assistant") && !message.tool_calls().is_empty();
            caller_ids = has_calls.then(|| Rc::new(call_ids(message).into_iter().collect()));
        }
        (*message, ids)
    })
}

pub(super) fn call_id_length(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(limit) = Profile::for_request(request).max_call_id_length else { return };
    let mut check = |path: String, id: &str| {
        let count = id.chars().count();
        if count > limit {
            let (at, limit, count) = (bracket_path(&path), limit.to_string(), count.to_string());
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("limit", &limit), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            reject(request, cx, &details);
        }
    };
    for message in messages(request) {
        for (at, id) in call_ids(&message).iter().enumerate() {
            check(message.field_path(&format!("tool_calls.{at}.id")), id);
        }
        check(message.field_path("tool_call_id"), message.str_field("tool_call_id"));
    }
}

/// Whether calls are identified by id, so that none may be empty.
pub(super) fn pairs_by_id(request: &Request<'_>) -> bool {
    let provider = provider_of(request);
    provider.has_rule("call-id-empty") && !provider.has(Trait::PairsByPosition)
}

pub(super) fn call_id_empty(request: &Request<'_>, cx: &mut CheckContext) {
    let template = standard_message(request, cx);
    let pairs_by_position = provider_of(request).has(Trait::PairsByPosition);
    let is_empty = |value: &Value, field: &str| value.field(field).is_some_and(|id| id == "");
    for message in messages(request) {
        let calls = if pairs_by_position { &[][..] } else { message.tool_calls() };
        let calls = calls.iter().enumerate().filter(|(_, call)| is_empty(call, "id"));
        let mut paths: Vec<_> =
            calls.map(|(at, _)| message.field_path(&format!("tool_calls.{at}.id"))).collect();
        if message.has_role("tool") && is_empty(message.value, "tool_call_id") {
            paths.push(message.field_path("tool_call_id"));
        }
        for path in paths {
            let at = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at)],
                param: Some(&at),
                code: Some("empty_string"),
            };
            reject_as(template, request, cx, &details);
        }
    }
}

pub(super) fn call_type(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            if call.field("type").is_none() {
                let text = call.to_string();
                let details = ViolationDetails {
                    path: message.field_path(&format!("tool_calls.{at}")),
                    placeholders: &[("call", &text)],
                    ..ViolationDetails::default()
                };
                reject(request, cx, &details);
            }
        }
    }
}

pub(super) fn arguments(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            let text = call.field("function").and_then(|call| call.field("arguments"));
            let Some(text) = text.and_then(Value::as_str) else { continue };
            let is_accepted_empty =
                text.is_empty() && provider_of(request).has(Trait::EmptyArguments);
            if !is_accepted_empty && serde_json::from_str::<Value>(text).is_err() {
                let path = message.field_path(&format!("tool_calls.{at}.function.arguments"));
                reject_at(request, cx, path);
            }
        }
    }
}

/// The ids of calls without a result in the tool messages directly after.
fn unanswered_ids<'v>(messages: &[Message<'v>], message: &Message<'v>) -> Vec<&'v str> {
    let results = tool_results_after(messages, message.index);
    let result_ids: HashSet<&str> =
        results.iter().map(|result| result.str_field("tool_call_id")).collect();
    call_ids(message).into_iter().filter(|id| !result_ids.contains(id)).collect()
}

pub(super) fn unanswered_call(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    let merged_indexes = LazyCell::new(|| merged_indexes(&messages));
    for message in messages.iter().filter(|message| message.has_role("assistant")) {
        let unanswered = unanswered_ids(&messages, message);
        let counts_differ = provider_of(request).has(Trait::EqualCounts)
            && tool_results_after(&messages, message.index).len() != message.tool_calls().len();
        if unanswered.is_empty() && !counts_differ {
            continue;
        }
        let next = message.index + 1 + tool_results_after(&messages, message.index).len();
        let (next, upstream_index) = (next.to_string(), merged_indexes[message.index].to_string());
        let param = format!("messages.[{next}].role");
        let ids = unanswered.join(", ");
        let details = ViolationDetails {
            path: message.field_path("tool_calls"),
            placeholders: &[("ids", &ids), ("next", &next), ("sent", &upstream_index)],
            param: Some(&param)
                .filter(|_| provider_of(request).has(Trait::FirstParty))
                .map(String::as_str),
            code: None,
        };
        reject(request, cx, &details);
    }
}

/// The messages' indexes upstream, where system messages are separate and results are merged into
/// one message. All at once: a long conversation may have as many violations as messages.
pub(super) fn merged_indexes(messages: &[Message<'_>]) -> Vec<usize> {
    let (mut count, mut last_is_assistant) = (0, None);
    let index = |message: &Message<'_>| {
        let is_assistant = Some(message.has_role("assistant"));
        let index = count - usize::from(last_is_assistant == is_assistant);
        let is_separate = message.has_role("system") || message.has_role("developer");
        if !is_separate {
            count += usize::from(last_is_assistant != is_assistant);
            last_is_assistant = is_assistant;
        }
        index
    };
    messages.iter().map(index).collect()
}

pub(super) fn orphan_result(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    let is_orphan = |message: &Message<'_>, ids: Option<&HashSet<&str>>| {
        message.has_role("tool") && ids.is_none()
    };
    reject_results(request, cx, &messages, "role", is_orphan);
}

pub(super) fn unknown_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    let is_unknown = |message: &Message<'_>, ids: Option<&HashSet<&str>>| {
        message.has_role("tool")
            && ids.is_some_and(|ids| !ids.contains(message.str_field("tool_call_id")))
    };
    reject_results(request, cx, &messages, "tool_call_id", is_unknown);
}

/// Rejects messages that are no answers to the ids of the calls before them.
fn reject_results(
    request: &Request<'_>,
    cx: &mut CheckContext,
    messages: &[Message<'_>],
    field: &str,
    is_rejected: impl Fn(&Message<'_>, Option<&HashSet<&str>>) -> bool,
) {
    let merged_indexes = LazyCell::new(|| merged_indexes(messages));
    let mut results_before = 0;
    for (message, ids) in answerable_ids(messages) {
        if is_rejected(&message, ids.as_deref()) {
            let param = format!("messages.[{}].{field}", message.index);
            let upstream_index = merged_indexes[message.index].to_string();
            let details = ViolationDetails {
                path: message.field_path(field),
                placeholders: &[
                    ("id", message.str_field("tool_call_id")),
                    ("sent", &upstream_index),
                    ("at", &results_before.to_string()),
                ],
                param: Some(&param),
                code: None,
            };
            reject(request, cx, &details);
        }
        results_before = if message.has_role("tool") { results_before + 1 } else { 0 };
    }
}

pub(super) fn glm_messages(request: &Request<'_>, cx: &mut CheckContext) {
    let template = standard_message(request, cx);
    let messages = messages(request);
    let mut reject_path = |path: String| {
        let details = ViolationDetails { path, code: Some("1214"), ..ViolationDetails::default() };
        reject_as(template, request, cx, &details);
    };
    if !messages.iter().any(|message| message.has_role("user")) {
        reject_path("messages".into());
    }
    let mut seen = HashSet::new();
    for (message, answerable) in answerable_ids(&messages) {
        for (at, id) in call_ids(&message).into_iter().enumerate() {
            if !seen.insert(id) {
                reject_path(message.field_path(&format!("tool_calls.{at}.id")));
            }
        }
        if message.has_role("assistant") && !unanswered_ids(&messages, &message).is_empty() {
            reject_path(message.field_path("tool_calls"));
        }
        let id = message.str_field("tool_call_id");
        let has_call = answerable.is_some_and(|ids| ids.contains(id));
        if message.has_role("tool") && !has_call {
            reject_path(message.field_path("tool_call_id"));
        }
    }
}
