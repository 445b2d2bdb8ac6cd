//! Rules about roles and their order.

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::provider::provider_of;
use super::view::{Message, bracket_path, message_column, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::JsonExt as _;

pub(super) fn unknown_role(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if knows_role(request, &message) || !has_role(&message) {
            continue;
        }
        let (index, column) =
            (message.index.to_string(), message_column(request.body, message.index).to_string());
        let path = message.field_path("role");
        let param = bracket_path(&path);
        let details = ViolationDetails {
            path,
            placeholders: &[("role", message.role), ("index", &index), ("column", &column)],
            param: Some(&param),
            code: Some("invalid_value"),
        };
        reject(request, cx, &details);
    }
}

pub(super) fn mistral_role(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if !knows_role(request, &message) && has_role(&message) {
            let (path, param) = (message.field_path("role"), message.path());
            let details = ViolationDetails {
                path,
                placeholders: &[("role", message.role)],
                param: Some(&param),
                code: Some("union_tag_invalid"),
            };
            reject(request, cx, &details);
        }
    }
}

fn knows_role(request: &Request<'_>, message: &Message<'_>) -> bool {
    provider_of(request).roles.iter().any(|role| role == message.role)
}

/// A missing role violates another rule.
fn has_role(message: &Message<'_>) -> bool {
    message.value.field("role").is_some_and(serde_json::Value::is_string)
}

pub(super) fn alternation(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    if request.switches.alternation != Some(true) {
        return;
    }
    let has_system = messages.first().is_some_and(|message| message.has_role("system"));
    let template = if has_system { cx.case("after-system") } else { standard_message(request, cx) };
    let mut last = "assistant";
    for message in messages.iter().skip(usize::from(has_system)) {
        // Results are between a call and the reply to them.
        if message.has_role("tool") || message.has_tool_calls() {
            last = message.role;
            continue;
        }
        let in_turn = match message.role {
            "user" => last == "assistant",
            "assistant" => last != "assistant",
            _ => false,
        };
        if !in_turn {
            let details = ViolationDetails { path: message.path(), ..ViolationDetails::default() };
            reject_as(template, request, cx, &details);
            return;
        }
        last = message.role;
    }
}

pub(super) fn trailing_assistants(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    if let [.., before, last] = messages.as_slice()
        && before.has_role("assistant")
        && last.has_role("assistant")
    {
        reject_at(request, cx, last.path());
    }
}

pub(super) fn xai_name(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if !message.has_role("user")
            && message.value.field("name").is_some_and(|name| !name.is_null())
        {
            reject_at(request, cx, message.field_path("name"));
        }
    }
}
