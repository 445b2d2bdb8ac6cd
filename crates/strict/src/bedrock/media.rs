//! Images and documents.

use serde_json::Value;

use super::profile::profile;
use super::view::{Block, blocks, blocks_of};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

/// Every image or document, also within results, with its path.
fn all<'v>(body: &'v Value, kind: &'static str) -> Vec<(String, &'v Value)> {
    let mut found = Vec::new();
    for block in blocks(body) {
        found.extend(block.field(kind).map(|media| (block.path(), media)));
        let Some(result) = block.field("toolResult") else { continue };
        for (at, inner) in items(result, "content").iter().enumerate() {
            let path = || format!("{}.toolResult.content.{at}", block.path());
            found.extend(inner.field(kind).map(|media| (path(), media)));
        }
    }
    found
}

fn document_alone(request: &Request<'_>, findings: &mut Findings) {
    for (at, message) in items(request.body, "messages").iter().enumerate() {
        let has = |kind| blocks_of(message, at).any(|block| block.is(kind));
        if has("document") && !has("text") {
            findings.add(format!("messages.{at}"), NO_TEXT);
        }
    }
}

fn document_names(request: &Request<'_>, findings: &mut Findings) {
    for (path, document) in all(request.body, "document") {
        let name = string(document, "name");
        let fits = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "-()[]".contains(c);
        let mut spaces = name.chars().zip(name.chars().skip(1));
        let doubled = spaces.any(|(one, other)| one.is_whitespace() && other.is_whitespace());
        if !name.chars().all(fits) || doubled {
            findings.add(format!("{path}.document.name"), NAME);
        }
    }
}

/// A document as text is only taken with citations.
fn document_source(request: &Request<'_>, findings: &mut Findings) {
    for (path, document) in all(request.body, "document") {
        let cited = document.pointer("/citations/enabled") == Some(&Value::Bool(true));
        let spelled = |key| document.pointer(key).is_some_and(|value| !value.is_null());
        if !cited && (spelled("/source/text") || spelled("/source/content")) {
            let path = format!("{path}.document.source");
            let words = format!(
                "DocumentSource object at {path} must set one of the following keys: bytes, s3Location."
            );
            findings.add(path, words);
        }
    }
}

fn from_assistant(request: &Request<'_>, findings: &mut Findings) {
    for block in blocks(request.body).filter(|block| block.role == "assistant") {
        if let Some(kind) = MEDIA.iter().find(|kind| block.is(kind)) {
            let words = format!(
                "The {kind} field in the ContentBlock object at {} is only supported in user messages. Remove the {kind} field, and try again.",
                block.path()
            );
            findings.add(block.path(), words);
        }
    }
}

fn unseen(request: &Request<'_>, findings: &mut Findings) {
    if !profile(request.model).claude {
        return;
    }
    for kind in ["video", "audio"] {
        for (path, media) in all(request.body, kind) {
            let given = |at: &str| media.pointer(at).is_some_and(Value::is_string);
            if !given("/source/bytes") && !given("/source/s3Location/uri") {
                continue;
            }
            let words = format!(
                "This model doesn't support the {kind} content block that you provided. Update the content block and try again."
            );
            findings.add(path, words);
        }
    }
}

fn too_many(request: &Request<'_>, findings: &mut Findings) {
    for (at, message) in items(request.body, "messages").iter().enumerate() {
        let count =
            |kind| blocks_of(message, at).filter(|block: &Block<'_>| block.is(kind)).count();
        let (images, documents) = (count("image"), count("document"));
        let words = if images > IMAGES {
            format!(
                "The model returned the following errors: too many images and documents: {images} + {documents} > {IMAGES}"
            )
        } else if documents > DOCUMENTS {
            format!(
                "The number of documents in the Message object at messages.{at} exceeds {DOCUMENTS}."
            )
        } else {
            continue;
        };
        findings.add(format!("messages.{at}"), words);
    }
}

fn too_large(request: &Request<'_>, findings: &mut Findings) {
    for (path, image) in all(request.body, "image") {
        let bytes = image.pointer("/source/bytes").and_then(Value::as_str).map_or(0, str::len);
        if bytes > BYTES {
            let words = format!(
                "The model returned the following errors: {path}.image.source.base64: image exceeds 5 MB maximum: {bytes} bytes > {BYTES} bytes"
            );
            findings.add(path, words);
        }
    }
}

fn document_too_large(request: &Request<'_>, findings: &mut Findings) {
    for (path, document) in all(request.body, "document") {
        let bytes = document.pointer("/source/bytes").and_then(Value::as_str).map_or(0, str::len);
        if bytes > DOCUMENT {
            let path = format!("{path}.document.source.bytes");
            let words = format!("The document at {path} exceeds the maximum size of 4.5 MB.");
            findings.add(path, words);
        }
    }
}

const NO_TEXT: &str = "A text block must be included when using documents.";
const NAME: &str = "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.";
const MEDIA: [&str; 4] = ["image", "document", "video", "audio"];
const IMAGES: usize = 20;
const DOCUMENTS: usize = 5;
const BYTES: usize = 5 * 1024 * 1024;
/// 4.5 MB in base64.
const DOCUMENT: usize = 6 * 1024 * 1024;

pub(super) const RULES: [Rule; 8] = [
    Rule {
        name: "document-source",
        status: 400,
        when: "A document is given as text without citations.",
        words: "DocumentSource object at {path} must set one of the following keys: bytes, s3Location.",
        evidence: Evidence::Seen,
        source: "public log 68985746329",
        check: document_source,
    },
    Rule {
        name: "document-name",
        status: 400,
        when: "The name of a document has other characters than are allowed, or two blanks in a row.",
        words: NAME,
        evidence: Evidence::Seen,
        source: "§6.2; public code 68715618288, 26571276845",
        check: document_names,
    },
    Rule {
        name: "document-alone",
        status: 400,
        when: "A message has a document, but no text.",
        words: NO_TEXT,
        evidence: Evidence::Seen,
        source: "B9; archestra#4220",
        check: document_alone,
    },
    Rule {
        name: "media-from-assistant",
        status: 400,
        when: "An image, document, video or audio stands in an assistant's message.",
        words: "The {kind} field in the ContentBlock object at messages.{n}.content.{m} is only supported in user messages. Remove the {kind} field, and try again.",
        evidence: Evidence::Inferred,
        source: "§6.2; documentation of Converse",
        check: from_assistant,
    },
    Rule {
        name: "unsupported-media",
        status: 400,
        when: "Claude is shown a video, or is to listen.",
        words: "This model doesn't support the {kind} content block that you provided. Update the content block and try again.",
        evidence: Evidence::Seen,
        source: "public code 57455044907 (a probe of seven models with a video), 53854027447; of sounds the words are ours",
        check: unseen,
    },
    Rule {
        name: "too-many-media",
        status: 400,
        when: "A message has more than 20 images or more than 5 documents.",
        words: "The model returned the following errors: too many images and documents: {n} + {m} > {most}\nThe number of documents in the Message object at messages.{n} exceeds {most}.",
        evidence: Evidence::Seen,
        source: "§6.2; public log 39952797547, the second wording is ours",
        check: too_many,
    },
    Rule {
        name: "image-too-large",
        status: 400,
        when: "An image has more than 5 MB of base64.",
        words: "The model returned the following errors: {path}.image.source.base64: image exceeds 5 MB maximum: {n} bytes > {most} bytes",
        evidence: Evidence::Seen,
        source: "L5; public code 56262009662",
        check: too_large,
    },
    Rule {
        name: "document-too-large",
        status: 400,
        when: "A document has more than 4.5 MB.",
        words: "The document at {path} exceeds the maximum size of 4.5 MB.",
        evidence: Evidence::Inferred,
        source: "§6.2; documentation of Converse",
        check: document_too_large,
    },
];
