//! Rules about messages without content.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_at};
use super::view::messages;
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

pub(super) fn xai_empty(request: &Request<'_>, cx: &mut CheckContext) {
    let is_empty_text = |part: &Value| {
        str_field(part, "type") == "text" && part.field("text").is_some_and(|text| text == "")
    };
    for message in messages(request) {
        let may_be_empty =
            message.has_role("tool") || message.has_role("assistant") && message.has_tool_calls();
        let has_content = !message.has_no_content()
            && (message.parts().is_empty() || !message.parts().iter().all(is_empty_text));
        if !may_be_empty && !has_content {
            reject_at(request, cx, message.path());
        }
    }
}
