//! Rules about images and documents.

use serde_json::Value;

use super::profile::profile;
use super::view::{Block, blocks, message_blocks};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

/// All images or documents, including those in results, with their paths.
fn media_blocks<'v>(body: &'v Value, kind: &'static str) -> Vec<(String, &'v Value)> {
    let mut blocks_found = Vec::new();
    for block in blocks(body) {
        blocks_found.extend(block.member(kind).map(|media| (block.path(), media)));
        let Some(result) = block.member("toolResult") else { continue };
        for (at, inner) in array_field(result, "content").iter().enumerate() {
            let path = || format!("{}.toolResult.content.{at}", block.path());
            blocks_found.extend(inner.field(kind).map(|media| (path(), media)));
        }
    }
    blocks_found
}

fn document_alone(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        let has_block = |kind| message_blocks(message, at).any(|block| block.is_type(kind));
        if has_block("document") && !has_block("text") {
            cx.reject(format!("messages.{at}"), DOCUMENT_ALONE_ERROR);
        }
    }
}

fn document_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, document) in media_blocks(request.body, "document") {
        let name = str_field(document, "name");
        let is_allowed =
            |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "-()[]".contains(c);
        let mut pairs = name.chars().zip(name.chars().skip(1));
        let has_double_space =
            pairs.any(|(one, other)| one.is_whitespace() && other.is_whitespace());
        if !name.chars().all(is_allowed) || has_double_space {
            cx.reject(format!("{path}.document.name"), DOCUMENT_NAME_ERROR);
        }
    }
}

/// Text documents are only accepted with citations.
fn document_source(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, document) in media_blocks(request.body, "document") {
        let has_citations = document.pointer("/citations/enabled") == Some(&Value::Bool(true));
        let is_set = |key| document.pointer(key).is_some_and(|value| !value.is_null());
        if !has_citations && (is_set("/source/text") || is_set("/source/content")) {
            let path = format!("{path}.document.source");
            let message = format!(
                "DocumentSource object at {path} must set one of the following keys: bytes, s3Location."
            );
            cx.reject(path, message);
        }
    }
}

fn media_from_assistant(request: &Request<'_>, cx: &mut CheckContext) {
    for block in blocks(request.body).filter(|block| block.role == "assistant") {
        if let Some(kind) = MEDIA_TYPES.iter().find(|kind| block.is_type(kind)) {
            let message = format!(
                "The {kind} field in the ContentBlock object at {} is only supported in user messages. Remove the {kind} field, and try again.",
                block.path()
            );
            cx.reject(block.path(), message);
        }
    }
}

fn unsupported_media(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).is_claude {
        return;
    }
    for kind in ["video", "audio"] {
        for (path, media) in media_blocks(request.body, kind) {
            let is_set = |at: &str| media.pointer(at).is_some_and(Value::is_string);
            if !is_set("/source/bytes") && !is_set("/source/s3Location/uri") {
                continue;
            }
            let message = format!(
                "This model doesn't support the {kind} content block that you provided. Update the content block and try again."
            );
            cx.reject(path, message);
        }
    }
}

fn too_many_media(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        let count = |kind| {
            message_blocks(message, at).filter(|block: &Block<'_>| block.is_type(kind)).count()
        };
        let (images, documents) = (count("image"), count("document"));
        let error_message = if images > MAX_IMAGES {
            format!(
                "The model returned the following errors: too many images and documents: {images} + {documents} > {MAX_IMAGES}"
            )
        } else if documents > MAX_DOCUMENTS {
            format!(
                "The number of documents in the Message object at messages.{at} exceeds {MAX_DOCUMENTS}."
            )
        } else {
            continue;
        };
        cx.reject(format!("messages.{at}"), error_message);
    }
}

fn image_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, image) in media_blocks(request.body, "image") {
        let bytes = image.pointer("/source/bytes").and_then(Value::as_str).map_or(0, str::len);
        if bytes > MAX_IMAGE_BYTES {
            let message = format!(
                "The model returned the following errors: {path}.image.source.base64: image exceeds 5 MB maximum: {bytes} bytes > {MAX_IMAGE_BYTES} bytes"
            );
            cx.reject(path, message);
        }
    }
}

fn document_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, document) in media_blocks(request.body, "document") {
        let bytes = document.pointer("/source/bytes").and_then(Value::as_str).map_or(0, str::len);
        if bytes > MAX_DOCUMENT_BYTES {
            let path = format!("{path}.document.source.bytes");
            let message = format!("The document at {path} exceeds the maximum size of 4.5 MB.");
            cx.reject(path, message);
        }
    }
}

const DOCUMENT_ALONE_ERROR: &str = "A text block must be included when using documents.";
const DOCUMENT_NAME_ERROR: &str = "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.";
const MEDIA_TYPES: [&str; 4] = ["image", "document", "video", "audio"];
const MAX_IMAGES: usize = 20;
const MAX_DOCUMENTS: usize = 5;
const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// 4.5 MB in base64.
const MAX_DOCUMENT_BYTES: usize = 6 * 1024 * 1024;

pub(super) const RULES: [Rule; 8] = [
    Rule {
        name: "document-source",
        status: 400,
        condition: "A document is sent as text without citations.",
        error_message: "DocumentSource object at {path} must set one of the following keys: bytes, s3Location.",
        evidence: Evidence::Observed,
        source: "public log 68985746329",
        check: document_source,
    },
    Rule {
        name: "document-name",
        status: 400,
        condition: "The name of a document has invalid characters, or consecutive whitespace.",
        error_message: DOCUMENT_NAME_ERROR,
        evidence: Evidence::Observed,
        source: "§6.2; public code 68715618288, 26571276845",
        check: document_name,
    },
    Rule {
        name: "document-alone",
        status: 400,
        condition: "A message has a document, but no text.",
        error_message: DOCUMENT_ALONE_ERROR,
        evidence: Evidence::Observed,
        source: "B9; archestra#4220",
        check: document_alone,
    },
    Rule {
        name: "media-from-assistant",
        status: 400,
        condition: "An image, document, video or audio is in an assistant message.",
        error_message: "The {kind} field in the ContentBlock object at messages.{n}.content.{m} is only supported in user messages. Remove the {kind} field, and try again.",
        evidence: Evidence::Inferred,
        source: "§6.2; documentation of Converse",
        check: media_from_assistant,
    },
    Rule {
        name: "unsupported-media",
        status: 400,
        condition: "A video or audio is sent to Claude.",
        error_message: "This model doesn't support the {kind} content block that you provided. Update the content block and try again.",
        evidence: Evidence::Observed,
        source: "public code 57455044907 (a probe of seven models with a video), 53854027447; the message for audio is ours",
        check: unsupported_media,
    },
    Rule {
        name: "too-many-media",
        status: 400,
        condition: "A message has more than 20 images or more than 5 documents.",
        error_message: "The model returned the following errors: too many images and documents: {n} + {m} > {most}\nThe number of documents in the Message object at messages.{n} exceeds {most}.",
        evidence: Evidence::Observed,
        source: "§6.2; public log 39952797547, the second message is ours",
        check: too_many_media,
    },
    Rule {
        name: "image-too-large",
        status: 400,
        condition: "An image has more than 5 MB of base64.",
        error_message: "The model returned the following errors: {path}.image.source.base64: image exceeds 5 MB maximum: {n} bytes > {most} bytes",
        evidence: Evidence::Observed,
        source: "L5; public code 56262009662",
        check: image_too_large,
    },
    Rule {
        name: "document-too-large",
        status: 400,
        condition: "A document has more than 4.5 MB.",
        error_message: "The document at {path} exceeds the maximum size of 4.5 MB.",
        evidence: Evidence::Inferred,
        source: "§6.2; documentation of Converse",
        check: document_too_large,
    },
];
