//! Calls and responses: adjacent, as many, and by the same names.

use serde_json::Value;

use super::profile::profile;
use super::view::{self, Content, field, is_vertex, many, text};
use crate::{Evidence, Findings, Request, Rule};

fn calls(content: &Content<'_>) -> usize {
    content.calls().count()
}

fn responses(content: &Content<'_>) -> usize {
    content.responses().count()
}

/// Each content with the one before it.
fn followed<'c, 'v>(
    contents: &'c [Content<'v>],
) -> impl Iterator<Item = (Option<&'c Content<'v>>, &'c Content<'v>)> {
    contents.iter().enumerate().map(|(at, content)| {
        let before = at.checked_sub(1).and_then(|before| contents.get(before));
        (before, content)
    })
}

fn misplaced(request: &Request<'_>, findings: &mut Findings) {
    for (before, content) in followed(&view::contents(request)) {
        if calls(content) > 0 && before.is_none_or(|before| before.role != "user") {
            findings.add(content.path(), MISPLACED);
        }
    }
}

fn orphaned(request: &Request<'_>, findings: &mut Findings) {
    for (before, content) in followed(&view::contents(request)) {
        if responses(content) > 0 && before.is_none_or(|before| calls(before) == 0) {
            findings.add(content.path(), ORPHANED);
        }
    }
}

fn counts(request: &Request<'_>, findings: &mut Findings) {
    for (before, content) in followed(&view::contents(request)) {
        let called = before.map_or(0, calls);
        if called > 0 && called != responses(content) {
            findings.add(content.path(), COUNTS);
        }
    }
}

fn names(request: &Request<'_>, findings: &mut Findings) {
    if !is_vertex(request.flavor) || !profile(request.model).named_responses {
        return;
    }
    for (before, content) in followed(&view::contents(request)) {
        let Some(before) = before else { continue };
        let calls: Vec<&Value> = before.calls().map(|(_, call)| call).collect();
        for (order, (part, response)) in content.responses().enumerate() {
            let id = text(response, "id");
            let same = |call: &&&Value| !id.is_empty() && text(call, "id") == id;
            let call = calls.iter().find(same).or_else(|| calls.get(order));
            if call.is_some_and(|call| text(call, "name") != text(response, "name")) {
                findings
                    .add(format!("{}.parts.{part}.function_response.name", content.path()), NAME);
            }
        }
    }
}

fn media(request: &Request<'_>, findings: &mut Findings) {
    if profile(request.model).media_responses {
        return;
    }
    for content in view::contents(request) {
        for (part, response) in content.responses() {
            if many(response, "parts").iter().any(is_media) {
                let path = format!("{}.parts.{part}.function_response.parts", content.path());
                let words = if is_vertex(request.flavor) {
                    format!("Unable to submit request because {NO_PARTS}. {LEARN_CALLING}")
                } else {
                    NO_MEDIA.to_owned()
                };
                findings.add(path, words);
            }
        }
    }
}

fn is_media(part: &Value) -> bool {
    ["inline_data", "file_data"].iter().any(|key| field(part, key).is_some_and(Value::is_object))
}

const MISPLACED: &str = "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
const ORPHANED: &str = "Please ensure that function response turn comes immediately after a function call turn. And the number of function response parts should be equal to number of function call parts of the function call turn.";
const COUNTS: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const NAME: &str = "Request contains an invalid argument.";
const NO_PARTS: &str = "`function_response.parts` is not supported for this model";
const LEARN_CALLING: &str =
    "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling";
const NO_MEDIA: &str = "Multimodal function responses are not supported for this model";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "misplaced-call",
        status: 400,
        when: "A call stands first, or after the model's own words.",
        words: MISPLACED,
        evidence: Evidence::Seen,
        source: "row 7; gemini-cli#26486, #11814, #26956, continue#11164",
        check: misplaced,
    },
    Rule {
        name: "orphan-response",
        status: 400,
        when: "A response does not come directly after a call.",
        words: ORPHANED,
        evidence: Evidence::Seen,
        source: "row 8; langchain#27799, litellm#26755",
        check: orphaned,
    },
    Rule {
        name: "response-count",
        status: 400,
        when: "A content with calls is not followed by one with as many responses.",
        words: COUNTS,
        evidence: Evidence::Seen,
        source: "row 5; gemini-cli#4217, #5443, #16415",
        check: counts,
    },
    Rule {
        name: "response-name",
        status: 400,
        when: "On Vertex, from Gemini 3 on: a response has another name than its call.",
        words: NAME,
        evidence: Evidence::Seen,
        source: "row 9; archestra PR#7583",
        check: names,
    },
    Rule {
        name: "media-in-response",
        status: 400,
        when: "A response holds media, on models before Gemini 3.",
        words: "Multimodal function responses are not supported for this model\nUnable to submit request because `function_response.parts` is not supported for this model. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "gemini-cli#19436, #19853; AI Studio: public code 66874894921",
        check: media,
    },
];
