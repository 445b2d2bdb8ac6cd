//! Rules about function calls and responses: adjacent, equal in number, with the same names.

use serde_json::Value;

use super::profile::profile;
use super::view::{self, Content, field, is_vertex, repeated_field, str_field};
use crate::{CheckContext, Request};

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

pub(super) fn misplaced_call(request: &Request<'_>, cx: &mut CheckContext) {
    for (previous, content) in with_previous(&view::contents(request)) {
        if count_calls(content) > 0 && previous.is_none_or(|previous| previous.role != "user") {
            cx.reject(content.path(), cx.message());
        }
    }
}

pub(super) fn orphan_response(request: &Request<'_>, cx: &mut CheckContext) {
    for (previous, content) in with_previous(&view::contents(request)) {
        if count_responses(content) > 0
            && previous.is_none_or(|previous| count_calls(previous) == 0)
        {
            cx.reject(content.path(), cx.message());
        }
    }
}

pub(super) fn response_count(request: &Request<'_>, cx: &mut CheckContext) {
    for (previous, content) in with_previous(&view::contents(request)) {
        let call_count = previous.map_or(0, count_calls);
        if call_count > 0 && call_count != count_responses(content) {
            cx.reject(content.path(), cx.message());
        }
    }
}

pub(super) fn response_name(request: &Request<'_>, cx: &mut CheckContext) {
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
                    cx.message(),
                );
            }
        }
    }
}

pub(super) fn media_in_response(request: &Request<'_>, cx: &mut CheckContext) {
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
                    cx.case("media-in-response").to_owned()
                };
                cx.reject(path, message);
            }
        }
    }
}

fn is_media(part: &Value) -> bool {
    ["inline_data", "file_data"].iter().any(|key| field(part, key).is_some_and(Value::is_object))
}

const MEDIA_RESPONSE_VERTEX_ERROR: &str =
    "`function_response.parts` is not supported for this model";
const CALLING_DOCS_LINK: &str =
    "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling";
