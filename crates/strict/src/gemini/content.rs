//! Rules about roles, empty contents and media types.

use serde_json::Value;

use super::proto::dotted_path;
use super::tools::with_field_path;
use super::view::{
    self, DOCS_LINK, field, flavored_message, holds_data, is_vertex, repeated_field, str_field,
};
use crate::{CheckContext, Request};

pub(super) fn no_contents(request: &Request<'_>, cx: &mut CheckContext) {
    if repeated_field(view::generate_request(request), "contents").is_empty() {
        let message = if is_vertex(request.flavor) {
            flavored_message(request.flavor, "at least one contents field is required")
        } else {
            with_field_path("contents", "contents is not specified")
        };
        cx.reject("contents", message);
    }
}

pub(super) fn role(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, content) in
        repeated_field(view::generate_request(request), "contents").iter().enumerate()
    {
        let is_valid = match str_field(content, "role") {
            "user" | "model" => true,
            // Only AI Studio accepts a missing role.
            "" => !is_vertex(request.flavor),
            _ => false,
        };
        if !is_valid {
            cx.reject(format!("contents.{at}.role"), cx.message());
        }
    }
}

pub(super) fn roles_alternate(request: &Request<'_>, cx: &mut CheckContext) {
    if request.switches.alternation != Some(true) {
        return;
    }
    for pair in view::contents(request).windows(2) {
        if let [previous, next] = pair
            && previous.role == next.role
        {
            cx.reject(next.path(), cx.message());
        }
    }
}

pub(super) fn ends_with_model(request: &Request<'_>, cx: &mut CheckContext) {
    if request.count_tokens {
        return;
    }
    let is_continued = request.switches.prefill.unwrap_or(!is_vertex(request.flavor));
    let contents = view::contents(request);
    let is_rejected = |last: &&view::Content<'_>| {
        let calls = last.parts.iter().any(|part| field(part, "function_call").is_some());
        last.role == "model" && (calls || !is_continued)
    };
    if let Some(last) = contents.last().filter(is_rejected) {
        cx.reject(
            last.path(),
            if contents.len() == 1 {
                cx.case("single-turn-end")
            } else {
                cx.case("multi-turn-end")
            },
        );
    }
}

pub(super) fn no_parts(request: &Request<'_>, cx: &mut CheckContext) {
    for content in view::contents(request).iter().filter(|content| content.parts.is_empty()) {
        let message = if is_vertex(request.flavor) {
            format!(
                "Unable to submit request because it must include at least one parts field, which describes the prompt input. {DOCS_LINK}"
            )
        } else {
            with_field_path(
                &format!("contents[{}].parts", content.index),
                "contents.parts must not be empty.",
            )
        };
        cx.reject(content.path(), message);
    }
}

/// All parts of the contents and the system instruction, with their paths.
fn all_parts<'r>(request: &Request<'r>) -> Vec<(String, &'r Value)> {
    let body = view::generate_request(request);
    let system =
        field(body, "system_instruction").map_or(&[][..], |system| repeated_field(system, "parts"));
    let system = system.iter().enumerate();
    let mut parts: Vec<_> =
        system.map(|(at, part)| (format!("system_instruction.parts[{at}]"), part)).collect();
    for content in view::contents(request) {
        let with_path = |(at, part)| (format!("contents[{}].parts[{at}]", content.index), part);
        parts.extend(content.parts.iter().enumerate().map(with_path));
    }
    parts
}

pub(super) fn empty_part(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, part) in all_parts(request) {
        if !holds_data(part) && str_field(part, "thought_signature").is_empty() {
            cx.reject(dotted_path(&path), empty_part_message(request.flavor, &path));
        }
    }
}

pub(super) fn empty_text(request: &Request<'_>, cx: &mut CheckContext) {
    if !is_vertex(request.flavor) {
        return;
    }
    for (path, part) in all_parts(request) {
        let is_empty = field(part, "text").is_some_and(|text| text == "");
        if is_empty && str_field(part, "thought_signature").is_empty() {
            cx.reject(dotted_path(&path), cx.message());
        }
    }
}

fn empty_part_message(flavor: &str, path: &str) -> String {
    if is_vertex(flavor) {
        format!("{MISSING_TEXT_ERROR} {DOCS_LINK}")
    } else {
        with_field_path(
            &format!("{path}.data"),
            "required oneof field 'data' must have one initialized field",
        )
    }
}

pub(super) fn empty_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, part) in all_parts(request) {
        for kind in ["function_call", "function_response"] {
            if field(part, kind).is_some_and(|call| str_field(call, "name").is_empty()) {
                let path = format!("{path}.{kind}.name");
                let message = flavored_message(
                    request.flavor,
                    &with_field_path(&path, "Name cannot be empty."),
                );
                cx.reject(dotted_path(&path), message);
            }
        }
    }
}

pub(super) fn image_type(request: &Request<'_>, cx: &mut CheckContext) {
    reject_media_types(request, cx, |mime| {
        let is_bare = !mime.is_empty() && !mime.contains('/');
        is_bare || mime.to_lowercase().starts_with("image/") && !IMAGE_TYPES.contains(&mime)
    });
}

pub(super) fn document_type(request: &Request<'_>, cx: &mut CheckContext) {
    reject_media_types(request, cx, |mime| UNSUPPORTED_DOCUMENT_TYPES.contains(&mime));
}

fn reject_media_types(
    request: &Request<'_>,
    cx: &mut CheckContext,
    is_rejected: impl Fn(&str) -> bool,
) {
    for (path, part) in all_parts(request) {
        let response_parts = field(part, "function_response")
            .map_or(&[][..], |response| repeated_field(response, "parts"));
        let response_parts = response_parts.iter().enumerate();
        let response_parts = response_parts
            .map(|(at, part)| (format!("{path}.function_response.parts[{at}]"), part));
        for (path, part) in std::iter::once((path.clone(), part)).chain(response_parts) {
            let mime = field(part, "inline_data").map_or("", |data| str_field(data, "mime_type"));
            if is_rejected(mime) {
                let message = if is_vertex(request.flavor) {
                    let reason = format!(
                        "it has a mimeType parameter with value {mime}, which is not supported. Update the mimeType and try again"
                    );
                    flavored_message(request.flavor, &reason)
                } else {
                    format!("Unsupported MIME type: {mime}")
                };
                cx.reject(dotted_path(&format!("{path}.inline_data.mime_type")), message);
            }
        }
    }
}

const IMAGE_TYPES: &[&str] = &["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const UNSUPPORTED_DOCUMENT_TYPES: &[&str] = &[
    "application/json",
    "application/octet-stream",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];
const MISSING_TEXT_ERROR: &str = "Unable to submit request because it must have a text parameter. Add a text parameter and try again.";
