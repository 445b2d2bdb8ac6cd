//! Who speaks, and that something is said.

use serde_json::Value;

use super::proto::dotted;
use super::tools::named;
use super::view::{self, LEARN, field, holds_data, is_vertex, many, said, text};
use crate::{Evidence, Findings, Request, Rule};

fn nothing(request: &Request<'_>, findings: &mut Findings) {
    if many(view::body(request), "contents").is_empty() {
        let words = if is_vertex(request.flavor) {
            said(request.flavor, "at least one contents field is required")
        } else {
            named("contents", "contents is not specified")
        };
        findings.add("contents", words);
    }
}

fn roles(request: &Request<'_>, findings: &mut Findings) {
    for (at, content) in many(view::body(request), "contents").iter().enumerate() {
        let fits = match text(content, "role") {
            "user" | "model" => true,
            // Only AI Studio takes who says nothing for the user.
            "" => !is_vertex(request.flavor),
            _ => false,
        };
        if !fits {
            findings.add(format!("contents.{at}.role"), ROLE);
        }
    }
}

fn alternate(request: &Request<'_>, findings: &mut Findings) {
    if request.switches.alternation != Some(true) {
        return;
    }
    for pair in view::contents(request).windows(2) {
        if let [before, after] = pair
            && before.role == after.role
        {
            findings.add(after.path(), ALTERNATE);
        }
    }
}

fn ends(request: &Request<'_>, findings: &mut Findings) {
    if request.switches.prefill == Some(true) || request.counting {
        return;
    }
    let contents = view::contents(request);
    if let Some(last) = contents.last().filter(|last| last.role == "model") {
        findings.add(last.path(), if contents.len() == 1 { SINGLE } else { MULTI });
    }
}

fn no_parts(request: &Request<'_>, findings: &mut Findings) {
    for content in view::contents(request).iter().filter(|content| content.parts.is_empty()) {
        let words = if is_vertex(request.flavor) {
            format!(
                "Unable to submit request because it must include at least one parts field, which describes the prompt input. {LEARN}"
            )
        } else {
            named(
                &format!("contents[{}].parts", content.index),
                "contents.parts must not be empty.",
            )
        };
        findings.add(content.path(), words);
    }
}

/// Every part of the contents and of the system instruction, with its path.
fn parts<'r>(request: &Request<'r>) -> Vec<(String, &'r Value)> {
    let body = view::body(request);
    let system = field(body, "system_instruction").map_or(&[][..], |system| many(system, "parts"));
    let system = system.iter().enumerate();
    let mut parts: Vec<_> =
        system.map(|(at, part)| (format!("system_instruction.parts[{at}]"), part)).collect();
    for content in view::contents(request) {
        let of = |(at, part)| (format!("contents[{}].parts[{at}]", content.index), part);
        parts.extend(content.parts.iter().enumerate().map(of));
    }
    parts
}

fn empty_parts(request: &Request<'_>, findings: &mut Findings) {
    for (path, part) in parts(request) {
        if !holds_data(part) {
            findings.add(dotted(&path), uninitialized(request.flavor, &path, NO_TEXT));
        }
    }
}

fn empty_text(request: &Request<'_>, findings: &mut Findings) {
    for (path, part) in parts(request) {
        let empty = field(part, "text").is_some_and(|text| text == "");
        if empty && text(part, "thought_signature").is_empty() {
            findings.add(dotted(&path), uninitialized(request.flavor, &path, EMPTY_TEXT));
        }
    }
}

fn uninitialized(flavor: &str, path: &str, on_vertex: &str) -> String {
    if is_vertex(flavor) {
        format!("{on_vertex} {LEARN}")
    } else {
        named(
            &format!("{path}.data"),
            "required oneof field 'data' must have one initialized field",
        )
    }
}

fn nameless(request: &Request<'_>, findings: &mut Findings) {
    for (path, part) in parts(request) {
        for kind in ["function_call", "function_response"] {
            if field(part, kind).is_some_and(|call| text(call, "name").is_empty()) {
                let path = format!("{path}.{kind}.name");
                let words = said(request.flavor, &named(&path, "Name cannot be empty."));
                findings.add(dotted(&path), words);
            }
        }
    }
}

fn image_types(request: &Request<'_>, findings: &mut Findings) {
    media_types(request, findings, |mime| {
        let bare = !mime.is_empty() && !mime.contains('/');
        bare || mime.to_lowercase().starts_with("image/") && !IMAGES.contains(&mime)
    });
}

fn document_types(request: &Request<'_>, findings: &mut Findings) {
    media_types(request, findings, |mime| UNREAD.contains(&mime));
}

fn media_types(request: &Request<'_>, findings: &mut Findings, is_refused: impl Fn(&str) -> bool) {
    for (path, part) in parts(request) {
        let inner = field(part, "function_response").map_or(&[][..], |it| many(it, "parts"));
        let inner = inner.iter().enumerate();
        let inner = inner.map(|(at, part)| (format!("{path}.function_response.parts[{at}]"), part));
        for (path, part) in std::iter::once((path.clone(), part)).chain(inner) {
            let mime = field(part, "inline_data").map_or("", |data| text(data, "mime_type"));
            if is_refused(mime) {
                let words = if is_vertex(request.flavor) {
                    let what = format!(
                        "it has a mimeType parameter with value {mime}, which is not supported. Update the mimeType and try again"
                    );
                    said(request.flavor, &what)
                } else {
                    format!("Unsupported MIME type: {mime}")
                };
                findings.add(dotted(&format!("{path}.inline_data.mime_type")), words);
            }
        }
    }
}

const IMAGES: &[&str] = &["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
const UNREAD: &[&str] = &[
    "application/json",
    "application/octet-stream",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];
const ROLE: &str = "Please use a valid role: user, model.";
const ALTERNATE: &str = "Please ensure that multiturn requests alternate between user and model.";
const MULTI: &str =
    "Please ensure that multiturn requests ends with a user role or a function response.";
const SINGLE: &str =
    "Please ensure that single turn requests end with a user role or the role field is empty.";
const NO_TEXT: &str = "Unable to submit request because it must have a text parameter. Add a text parameter and try again.";
const EMPTY_TEXT: &str = "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.";

pub(super) const RULES: [Rule; 10] = [
    Rule {
        name: "no-contents",
        status: 400,
        when: "There are no contents.",
        words: "* GenerateContentRequest.contents: contents is not specified\nUnable to submit request because at least one contents field is required. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "public logs 69777126587, 66533234891",
        check: nothing,
    },
    Rule {
        name: "role",
        status: 400,
        when: "A role is neither user nor model; on Vertex also if there is none.",
        words: "Please use a valid role: user, model.",
        evidence: Evidence::Seen,
        source: "row 6; CLIProxyAPI#17, litellm PR#22046, one-api#1385",
        check: roles,
    },
    Rule {
        name: "roles-alternate",
        status: 400,
        when: "Two contents in a row have one role (switch alternation; left alone, this is accepted).",
        words: "Please ensure that multiturn requests alternate between user and model.",
        evidence: Evidence::Seen,
        source: "§5; public code 1344320119, 27286629093",
        check: alternate,
    },
    Rule {
        name: "no-parts",
        status: 400,
        when: "A content has no parts.",
        words: "* GenerateContentRequest.contents[{n}].parts: contents.parts must not be empty.\nUnable to submit request because it must include at least one parts field, which describes the prompt input. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "row 13; dify#30566, genkit#3690, CLIProxyAPI#176, gemini-cli PR#7769; AI Studio: public code 22824965660",
        check: no_parts,
    },
    Rule {
        name: "empty-part",
        status: 400,
        when: "A part holds nothing.",
        words: "* GenerateContentRequest.{path}.data: required oneof field 'data' must have one initialized field\nUnable to submit request because it must have a text parameter. Add a text parameter and try again. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "rows 14, 15; CLIProxyAPI#1292, openai-gemini PR#37, public log 31412835519",
        check: empty_parts,
    },
    Rule {
        name: "empty-text",
        status: 400,
        when: "A text is empty and has no signature.",
        words: "* GenerateContentRequest.{path}.data: required oneof field 'data' must have one initialized field\nUnable to submit request because it has an empty text parameter. Add a value to the parameter and try again. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "rows 14, 15; gemini-openai-proxy PR#86, public logs 58118598885, 8982402171",
        check: empty_text,
    },
    Rule {
        name: "empty-name",
        status: 400,
        when: "A call or a response has no name.",
        words: "* GenerateContentRequest.{path}.name: Name cannot be empty.\nUnable to submit request because * GenerateContentRequest.{path}.name: Name cannot be empty.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "public logs 55718933603, 37413205403; wrapped on Vertex (§7)",
        check: nameless,
    },
    Rule {
        name: "image-type",
        status: 400,
        when: "An image is neither PNG, JPEG, WEBP, HEIC nor HEIF; or a type is one word, such as `png`.",
        words: "Unsupported MIME type: {type}\nUnable to submit request because it has a mimeType parameter with value {type}, which is not supported. Update the mimeType and try again. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "comic-translate PR#399, gemini-cli#3054, #14838, MaiBot#1435, gemini-ai#3, vscode#286628, crush#995 (`png`); Vertex: public code 70917727330",
        check: image_types,
    },
    Rule {
        name: "document-type",
        status: 400,
        when: "A document is of a type that was seen to be refused: JSON, Word, or any bytes.",
        words: "Unsupported MIME type: {type}\nUnable to submit request because it has a mimeType parameter with value {type}, which is not supported. Update the mimeType and try again. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "agno#3964, mcp-handley-lab PR#51, python-genai#829",
        check: document_types,
    },
    Rule {
        name: "ends-with-model",
        status: 400,
        when: "The conversation ends with the model's words (switch prefill).",
        words: "Please ensure that multiturn requests ends with a user role or a function response.\nPlease ensure that single turn requests end with a user role or the role field is empty.",
        evidence: Evidence::Seen,
        source: "row 19; one-api#836, semantic-kernel PR#13288, public code 7970765732",
        check: ends,
    },
];
