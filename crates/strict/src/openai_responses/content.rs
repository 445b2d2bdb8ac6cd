//! Images, and what must come last.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use super::view::{self, dotted};
use crate::rule::{items, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "image-url",
        status: 400,
        when: "An image is a data URL that is not base64 or not of an image.",
        words: "Invalid '{path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got {found}.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: image_url,
    },
    Rule {
        name: "image-data",
        status: 400,
        when: "The data of an image do not begin as a JPEG, PNG, GIF or WebP does.",
        words: "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
        evidence: Evidence::Seen,
        source: "openai/codex; several public repositories",
        check: image_data,
    },
    Rule {
        name: "compaction-trigger-last",
        status: 400,
        when: "Something comes after the item that asks for compaction.",
        words: "Invalid '{path}': 'compaction_trigger' must be the last item of the input.",
        evidence: Evidence::Inferred,
        source: "openai SDK response_input_item_param.py",
        check: compaction_trigger_last,
    },
];

/// The images in messages and outputs: where each address stands, and the address.
fn images(body: &Value) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for item in view::input(body) {
        for key in ["content", "output"] {
            for (at, part) in items(item.value, key).iter().enumerate() {
                if string(part, "type") == "input_image" {
                    let path = format!("input[{}].{key}[{at}].image_url", item.at);
                    found.push((path, string(part, "image_url")));
                }
            }
        }
    }
    found
}

/// The bytes of a data URL, or what it is instead; `None` for another address.
fn data(url: &str) -> Option<Result<Vec<u8>, String>> {
    let (head, body) = url.strip_prefix("data:")?.split_once(',').unwrap_or(("", ""));
    if !head.starts_with("image/") {
        let kind = head.split(';').next().unwrap_or_default();
        return Some(Err(format!("unsupported MIME type '{kind}'")));
    }
    let bytes = head.ends_with(";base64").then(|| UNPADDED.decode(body).ok()).flatten();
    Some(bytes.ok_or_else(|| "an invalid base64-encoded value".to_owned()))
}

fn image_url(request: &Request<'_>, findings: &mut Findings) {
    for (path, url) in images(request.body) {
        if let Some(Err(found)) = data(url) {
            let message = format!(
                "Invalid '{path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got {found}."
            );
            findings.add_with(dotted(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

fn image_data(request: &Request<'_>, findings: &mut Findings) {
    for (path, url) in images(request.body) {
        let Some(Ok(bytes)) = data(url) else { continue };
        let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
        if !webp && !MAGIC.iter().any(|magic| bytes.starts_with(magic)) {
            let words = "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].";
            findings.add_with(dotted(&path), words, Some("input"), Some("invalid_value"));
        }
    }
}

fn compaction_trigger_last(request: &Request<'_>, findings: &mut Findings) {
    let last = items(request.body, "input").len().saturating_sub(1);
    for item in view::input(request.body).take(last) {
        if item.is("compaction_trigger") {
            let path = format!("input[{}]", item.at);
            let message = format!(
                "Invalid '{path}': 'compaction_trigger' must be the last item of the input."
            );
            findings.add_with(item.path(), message, Some(&path), Some("invalid_value"));
        }
    }
}

/// Padding may be left out.
const UNPADDED: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
const MAGIC: &[&[u8]] = &[b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a"];
