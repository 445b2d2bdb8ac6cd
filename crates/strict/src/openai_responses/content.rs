//! Rules about images and the position of the compaction trigger.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use super::view::{self, dotted_path};
use crate::json::{array_field, str_field};
use crate::{CheckContext, Request};

/// The image URLs in messages and outputs, with their paths.
fn image_urls(body: &Value) -> Vec<(String, &str)> {
    let mut urls = Vec::new();
    for item in view::input(body) {
        for key in ["content", "output"] {
            for (at, part) in array_field(item.value, key).iter().enumerate() {
                if str_field(part, "type") == "input_image" {
                    let path = format!("input[{}].{key}[{at}].image_url", item.index);
                    urls.push((path, str_field(part, "image_url")));
                }
            }
        }
    }
    urls
}

/// The bytes of a data URL, or a description of the error; `None` for other URLs.
fn decode_data_url(url: &str) -> Option<Result<Vec<u8>, String>> {
    let (head, body) = url.strip_prefix("data:")?.split_once(',').unwrap_or(("", ""));
    if !head.starts_with("image/") {
        let kind = head.split(';').next().unwrap_or_default();
        return Some(Err(format!("unsupported MIME type '{kind}'")));
    }
    let bytes = head.ends_with(";base64").then(|| LENIENT_BASE64.decode(body).ok()).flatten();
    Some(bytes.ok_or_else(|| "an invalid base64-encoded value".to_owned()))
}

pub(super) fn image_url(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, url) in image_urls(request.body) {
        if let Some(Err(description)) = decode_data_url(url) {
            let message = format!(
                "Invalid '{path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got {description}."
            );
            cx.reject_with(dotted_path(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

pub(super) fn image_data(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, url) in image_urls(request.body) {
        let Some(Ok(bytes)) = decode_data_url(url) else { continue };
        let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
        if !is_webp && !IMAGE_MAGIC.iter().any(|magic| bytes.starts_with(magic)) {
            let message = "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].";
            cx.reject_with(dotted_path(&path), message, Some("input"), Some("invalid_value"));
        }
    }
}

pub(super) fn compaction_trigger_last(request: &Request<'_>, cx: &mut CheckContext) {
    let last = array_field(request.body, "input").len().saturating_sub(1);
    for item in view::input(request.body).take(last) {
        if item.is_type("compaction_trigger") {
            let path = format!("input[{}]", item.index);
            let message = format!(
                "Invalid '{path}': 'compaction_trigger' must be the last item of the input."
            );
            cx.reject_with(item.path(), message, Some(&path), Some("invalid_value"));
        }
    }
}

/// Base64 with optional padding.
const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
const IMAGE_MAGIC: &[&[u8]] = &[b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a"];
