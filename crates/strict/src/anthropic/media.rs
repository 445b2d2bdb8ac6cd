//! Images, as far as they can be judged without being drawn.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::view;
use crate::rule::string;
use crate::{Evidence, Findings, Request, Rule};

/// Every image that stands in the request as base64, with the path of its source.
fn images(body: &Value) -> Vec<(String, &Value)> {
    let is_image = |value: &Value| {
        string(value, "type") == "image"
            && value.pointer("/source/type").is_some_and(|kind| kind == "base64")
    };
    let mut found = Vec::new();
    for block in view::blocks(body) {
        let own = is_image(block.value).then(|| (block.path(), block.value));
        let nested = view::inside(&block).filter(|inner| is_image(inner.value));
        let nested = nested.map(|inner| (inner.path(), inner.value));
        for (path, value) in own.into_iter().chain(nested) {
            found.push((format!("{path}.image.source.base64"), &value["source"]));
        }
    }
    found
}

fn size(request: &Request<'_>, findings: &mut Findings) {
    for (path, source) in images(request.body) {
        let bytes = string(source, "data").len();
        if bytes > MOST {
            let words =
                format!("{path}: image exceeds 10 MB maximum: {bytes} bytes > {MOST} bytes");
            findings.add(path, words);
        }
    }
}

fn mismatch(request: &Request<'_>, findings: &mut Findings) {
    for (path, source) in images(request.body) {
        let said = string(source, "media_type");
        if let Some(found) = sniff(string(source, "data")).filter(|found| *found != said) {
            let words = format!(
                "{path}: The image was specified using the {said} media type, but the image appears to be a {found} image"
            );
            findings.add(path, words);
        }
    }
}

/// The type that the first bytes tell.
fn sniff(data: &str) -> Option<&'static str> {
    let start = STANDARD.decode(data.get(..16)?).ok()?;
    let known = MAGIC.iter().find(|(_, magic)| start.starts_with(magic));
    match known {
        Some((kind, _)) => Some(kind),
        None if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") => {
            Some("image/webp")
        }
        None => None,
    }
}

const MOST: usize = 10 * 1024 * 1024;
const MAGIC: &[(&str, &[u8])] =
    &[("image/png", b"\x89PNG"), ("image/jpeg", b"\xff\xd8\xff"), ("image/gif", b"GIF8")];

pub(super) const RULES: [Rule; 2] = [
    Rule {
        name: "image-too-large",
        status: 400,
        when: "An image in base64 is larger than 10 MB.",
        words: "{path}: image exceeds 10 MB maximum: {bytes} bytes > {most} bytes",
        evidence: Evidence::Inferred,
        source: "L5; public code 56262009662 with the earlier limit of 5 MB, documentation of images",
        check: size,
    },
    Rule {
        name: "media-mismatch",
        status: 400,
        when: "An image is not of the type that it says.",
        words: "{path}: The image was specified using the {said} media type, but the image appears to be a {found} image",
        evidence: Evidence::Seen,
        source: "L7; public code 51825969579",
        check: mismatch,
    },
];
