//! Rules about messages without content.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages};
use super::view::messages;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const MOONSHOT_EMPTY: Rule = Rule {
    name: "moonshot-empty",
    status: 400,
    condition: "An assistant message has neither text nor tool calls.",
    error_message: MOONSHOT_EMPTY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "public code, several repositories",
    check: moonshot_empty,
};
const MOONSHOT_EMPTY_ERRORS: ErrorMessages = error_messages! {
    &["moonshot"] => "Invalid request: the message at position {index} with role 'assistant' must not be empty",
};

pub(super) const XAI_EMPTY: Rule = Rule {
    name: "xai-empty",
    status: 400,
    condition: "The content of a message is missing or has only empty text. A message with tool calls needs no content, and a tool message may be empty.",
    error_message: XAI_EMPTY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "AstrBot#6447 (assistant), cherry-studio#4941 (user), n8n#14797; calls beside an empty string: the xAI package of the Vercel AI SDK",
    check: xai_empty,
};
const XAI_EMPTY_ERRORS: ErrorMessages = error_messages! {
    &["xai"] => "Invalid request content: Each message must have at least one content element.",
};

fn moonshot_empty(request: &Request<'_>, cx: &mut CheckContext) {
    for message in messages(request) {
        if message.has_role("assistant") && message.has_no_content() && !message.has_tool_calls() {
            let index = message.index.to_string();
            let details = ViolationDetails {
                path: message.path(),
                placeholders: &[("index", &index)],
                ..ViolationDetails::default()
            };
            MOONSHOT_EMPTY_ERRORS.reject(request, cx, &details);
        }
    }
}

fn xai_empty(request: &Request<'_>, cx: &mut CheckContext) {
    let is_empty_text = |part: &Value| {
        str_field(part, "type") == "text" && part.field("text").is_some_and(|text| text == "")
    };
    for message in messages(request) {
        let may_be_empty =
            message.has_role("tool") || message.has_role("assistant") && message.has_tool_calls();
        let has_content = !message.has_no_content()
            && (message.parts().is_empty() || !message.parts().iter().all(is_empty_text));
        if !may_be_empty && !has_content {
            let details = ViolationDetails { path: message.path(), ..ViolationDetails::default() };
            XAI_EMPTY_ERRORS.reject(request, cx, &details);
        }
    }
}
