//! Rules about `tool_choice`.

use super::profile::{ThinkingMode, profile, thinking_mode};
use crate::json::{array_field, str_field};
use crate::{CheckContext, Request};

fn is_forced(request: &Request<'_>) -> bool {
    matches!(str_field(&request.body["tool_choice"], "type"), "any" | "tool")
}

pub(super) fn forced_while_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    if is_forced(request) && thinking_mode(request) == ThinkingMode::Manual {
        cx.reject("tool_choice", cx.message());
    }
}

pub(super) fn forced_choice(request: &Request<'_>, cx: &mut CheckContext) {
    if is_forced(request) && !profile(request.model).forced_tool_choice {
        cx.reject("tool_choice", cx.message());
    }
}

pub(super) fn choice_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    if is_forced(request) && array_field(request.body, "tools").is_empty() {
        cx.reject("tool_choice", cx.message());
    }
}
