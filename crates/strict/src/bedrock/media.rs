//! Rules about images and documents.

use serde_json::Value;

use super::profile::profile;
use super::view::{Block, blocks, message_blocks};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

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

pub(super) fn document_alone(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, message) in array_field(request.body, "messages").iter().enumerate() {
        let has_block = |kind| message_blocks(message, at).any(|block| block.is_type(kind));
        if has_block("document") && !has_block("text") {
            cx.reject(format!("messages.{at}"), cx.message());
        }
    }
}

pub(super) fn document_name(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, document) in media_blocks(request.body, "document") {
        let name = str_field(document, "name");
        let is_allowed =
            |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "-()[]".contains(c);
        let mut pairs = name.chars().zip(name.chars().skip(1));
        let has_double_space =
            pairs.any(|(one, other)| one.is_whitespace() && other.is_whitespace());
        if !name.chars().all(is_allowed) || has_double_space {
            cx.reject(format!("{path}.document.name"), cx.message());
        }
    }
}

/// Text documents are only accepted with citations.
pub(super) fn document_source(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, document) in media_blocks(request.body, "document") {
        let has_citations = document.pointer("/citations/enabled") == Some(&Value::Bool(true));
        let is_set = |key| document.pointer(key).is_some_and(|value| !value.is_null());
        if !has_citations && (is_set("/source/text") || is_set("/source/content")) {
            let path = format!("{path}.document.source");
            cx.reject_filled(path, &[]);
        }
    }
}

pub(super) fn media_from_assistant(request: &Request<'_>, cx: &mut CheckContext) {
    for block in blocks(request.body).filter(|block| block.role == "assistant") {
        if let Some(kind) = MEDIA_TYPES.iter().find(|kind| block.is_type(kind)) {
            cx.reject_filled(block.path(), &[("kind", &kind), ("kind", &kind)]);
        }
    }
}

pub(super) fn unsupported_media(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile(request.model).is_claude {
        return;
    }
    for kind in ["video", "audio"] {
        for (path, media) in media_blocks(request.body, kind) {
            let is_set = |at: &str| media.pointer(at).is_some_and(Value::is_string);
            if !is_set("/source/bytes") && !is_set("/source/s3Location/uri") {
                continue;
            }
            cx.reject_filled(path, &[("kind", &kind)]);
        }
    }
}

pub(super) fn too_many_media(request: &Request<'_>, cx: &mut CheckContext) {
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

pub(super) fn image_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, image) in media_blocks(request.body, "image") {
        let bytes = image.pointer("/source/bytes").and_then(Value::as_str).map_or(0, str::len);
        if bytes > MAX_IMAGE_BYTES {
            cx.reject_filled(path, &[("n", &bytes), ("most", &MAX_IMAGE_BYTES)]);
        }
    }
}

pub(super) fn document_too_large(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, document) in media_blocks(request.body, "document") {
        let bytes = document.pointer("/source/bytes").and_then(Value::as_str).map_or(0, str::len);
        if bytes > MAX_DOCUMENT_BYTES {
            let path = format!("{path}.document.source.bytes");
            cx.reject_filled(path, &[]);
        }
    }
}

const MEDIA_TYPES: [&str; 4] = ["image", "document", "video", "audio"];
const MAX_IMAGES: usize = 20;
const MAX_DOCUMENTS: usize = 5;
const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// 4.5 MB in base64.
const MAX_DOCUMENT_BYTES: usize = 6 * 1024 * 1024;
