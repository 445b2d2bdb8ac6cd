//! Rules about function calls and responses: adjacent, equal in number, with the same names.

use serde_json::Value;

use super::profile::profile;
use super::view::{self, Content, field, is_vertex, repeated_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

fn count_calls(content: &Content<'_>) -> usize {
    content.calls().count()
}

fn count_responses(content: &Content<'_>) -> usize {
    content.responses().count()
}

/// Each content with the previous one.
fn with_previous<'c, 'v>(
    contents: &'c [Content<'v>],
) -> impl Iterator<Item = (Option<&'c Content<'v>>, &'c Content<'v>)> {
    contents.iter().enumerate().map(|(at, content)| {
        let previous = at.checked_sub(1).and_then(|previous| contents.get(previous));
        (previous, content)
    })
}

fn misplaced_call(request: &Request<'_>, cx: &mut CheckContext) {
    for (previous, content) in with_previous(&view::contents(request)) {
        if count_calls(content) > 0 && previous.is_none_or(|previous| previous.role != "user") {
            cx.reject(content.path(), MISPLACED_CALL_ERROR);
        }
    }
}

fn orphan_response(request: &Request<'_>, cx: &mut CheckContext) {
    for (previous, content) in with_previous(&view::contents(request)) {
        if count_responses(content) > 0
            && previous.is_none_or(|previous| count_calls(previous) == 0)
        {
            cx.reject(content.path(), ORPHAN_RESPONSE_ERROR);
        }
    }
}

fn response_count(request: &Request<'_>, cx: &mut CheckContext) {
    for (previous, content) in with_previous(&view::contents(request)) {
        let call_count = previous.map_or(0, count_calls);
        if call_count > 0 && call_count != count_responses(content) {
            cx.reject(content.path(), RESPONSE_COUNT_ERROR);
        }
    }
}

fn response_name(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_vertex(request.flavor) || !profile(request.model).checks_response_names {
        return;
    }
    for (previous, content) in with_previous(&view::contents(request)) {
        let Some(previous) = previous else { continue };
        let calls: Vec<&Value> = previous.calls().map(|(_, call)| call).collect();
        for (order, (part, response)) in content.responses().enumerate() {
            let id = str_field(response, "id");
            let has_same_id = |call: &&&Value| !id.is_empty() && str_field(call, "id") == id;
            let call = calls.iter().find(has_same_id).or_else(|| calls.get(order));
            if call.is_some_and(|call| str_field(call, "name") != str_field(response, "name")) {
                cx.reject(
                    format!("{}.parts.{part}.function_response.name", content.path()),
                    RESPONSE_NAME_ERROR,
                );
            }
        }
    }
}

fn media_in_response(request: &Request<'_>, cx: &mut CheckContext) {
    if profile(request.model).media_in_responses {
        return;
    }
    for content in view::contents(request) {
        for (part, response) in content.responses() {
            if repeated_field(response, "parts").iter().any(is_media) {
                let path = format!("{}.parts.{part}.function_response.parts", content.path());
                let message = if is_vertex(request.flavor) {
                    format!(
                        "Unable to submit request because {MEDIA_RESPONSE_VERTEX_ERROR}. {CALLING_DOCS_LINK}"
                    )
                } else {
                    MEDIA_IN_RESPONSE_ERROR.to_owned()
                };
                cx.reject(path, message);
            }
        }
    }
}

fn is_media(part: &Value) -> bool {
    ["inline_data", "file_data"].iter().any(|key| field(part, key).is_some_and(Value::is_object))
}

const MISPLACED_CALL_ERROR: &str = "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
const ORPHAN_RESPONSE_ERROR: &str = "Please ensure that function response turn comes immediately after a function call turn. And the number of function response parts should be equal to number of function call parts of the function call turn.";
const RESPONSE_COUNT_ERROR: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const RESPONSE_NAME_ERROR: &str = "Request contains an invalid argument.";
const MEDIA_RESPONSE_VERTEX_ERROR: &str =
    "`function_response.parts` is not supported for this model";
const CALLING_DOCS_LINK: &str =
    "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling";
const MEDIA_IN_RESPONSE_ERROR: &str =
    "Multimodal function responses are not supported for this model";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "misplaced-call",
        status: 400,
        condition: "A function call is first, or follows a content of the model.",
        error_message: MISPLACED_CALL_ERROR,
        evidence: Evidence::Observed,
        source: "row 7; gemini-cli#26486, #11814, #26956, continue#11164",
        check: misplaced_call,
    },
    Rule {
        name: "orphan-response",
        status: 400,
        condition: "A function response does not directly follow a call.",
        error_message: ORPHAN_RESPONSE_ERROR,
        evidence: Evidence::Observed,
        source: "row 8; langchain#27799, litellm#26755",
        check: orphan_response,
    },
    Rule {
        name: "response-count",
        status: 400,
        condition: "A content with calls is not followed by one with as many responses.",
        error_message: RESPONSE_COUNT_ERROR,
        evidence: Evidence::Observed,
        source: "row 5; gemini-cli#4217, #5443, #16415",
        check: response_count,
    },
    Rule {
        name: "response-name",
        status: 400,
        condition: "On Vertex, from Gemini 3 on, a response has another name than its call.",
        error_message: RESPONSE_NAME_ERROR,
        evidence: Evidence::Observed,
        source: "row 9; archestra PR#7583",
        check: response_name,
    },
    Rule {
        name: "media-in-response",
        status: 400,
        condition: "A response has media, on models before Gemini 3.",
        error_message: "Multimodal function responses are not supported for this model\nUnable to submit request because `function_response.parts` is not supported for this model. Learn more: {url}",
        evidence: Evidence::Observed,
        source: "gemini-cli#19436, #19853; AI Studio: public code 66874894921",
        check: media_in_response,
    },
];
