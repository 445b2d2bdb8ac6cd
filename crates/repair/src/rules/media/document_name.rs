//! Gives documents names that the target accepts.
//!
//! Letters, digits, single spaces, hyphens and brackets are accepted; other targets only require
//! that an inline file has some name.
//!
//! ## Why
//! > The document file name can only contain alphanumeric characters, whitespace characters, hyphens,
//! > parentheses, and square brackets. The name can't contain more than one consecutive whitespace
//! > character.
//!
//! > Missing required parameter: 'messages\[1\].content\[1\].file.file_id'.
//!
//! ## Example
//! ```text
//! before   user: the document `report.v2.pdf`
//! after    user: the document `report-v2-pdf`
//! ```

use interlingua_model::{MediaKind, MediaSource};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::edit::media::edit_media;
use crate::engine::Work;
use crate::query::media::{self, MediaPos};

pub(super) fn apply(work: &mut Work<'_>) {
    if let Some(name_field) =
        work.profile.media.inline_files_need_name.filter(|_| work.is_same_dialect())
    {
        name_inline_files(work, name_field);
    }
    if !work.profile.media.documents_need_name_and_text {
        return;
    }
    for (at, media_pos) in media::all(work).iter().enumerate() {
        let Some(document) =
            media::media(work, media_pos).filter(|document| document.kind == MediaKind::Document)
        else {
            continue;
        };
        let name = document.name.as_ref().map(JsonString::unescape).unwrap_or_default();
        if is_accepted_name(&name) || !media_pos.is_direct() {
            continue;
        }
        let new_name = sanitized_name(&name).unwrap_or_else(|| format!("document-{}", at + 1));
        let message = match &*name {
            "" => format!("named a document without a name `{new_name}`"),
            name => format!("renamed the document `{name}` to `{new_name}`"),
        };
        rename_document(work, media_pos, message, &new_name);
    }
}

/// Files of other dialects get their name in the encoder.
fn name_inline_files(work: &mut Work<'_>, (outer, inner): (&str, &str)) {
    for media_pos in media::all(work) {
        let is_nameless = media::media(work, &media_pos).is_some_and(|media| {
            let is_data =
                matches!(&media.source, MediaSource::Base64 { mime: Some(mime), .. } if mime == PDF);
            media.kind == MediaKind::Document && is_data && media.name.is_none()
        });
        let has_written_name = || {
            let written =
                media::block(work, &media_pos).text_for(work.profile.dialect).map(RawJson::to_doc);
            let container = written.as_ref().and_then(|written| written.root().get(outer));
            container.and_then(|object| object.get(inner)).is_some_and(JsonNode::is_string)
        };
        if is_nameless && !has_written_name() {
            let message = format!("named a file without a name `{DEFAULT_NAME}`");
            rename_document(work, &media_pos, message, DEFAULT_NAME);
        }
    }
}

fn rename_document(work: &mut Work<'_>, media_pos: &MediaPos, message: String, new_name: &str) {
    work.record_change(media_pos.ledger_path(), message);
    let new_name = JsonString::new(new_name);
    edit_media(work, media_pos, |media| media.name = Some(new_name));
}

fn is_accepted_name(name: &str) -> bool {
    let mut pairs = name.chars().zip(name.chars().skip(1));
    let has_double_space = pairs.any(|(a, b)| a.is_whitespace() && b.is_whitespace());
    !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && name.chars().all(is_allowed_char)
        && !has_double_space
}

fn is_allowed_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c.is_whitespace() || "-()[]".contains(c)
}

fn sanitized_name(name: &str) -> Option<String> {
    let mut sanitized = String::with_capacity(name.len());
    for c in name.trim().chars().take(MAX_NAME_CHARS) {
        match c {
            c if c.is_whitespace() && sanitized.ends_with(' ') => {}
            c if c.is_whitespace() => sanitized.push(' '),
            c => sanitized.push(if is_allowed_char(c) { c } else { '-' }),
        }
    }
    (!sanitized.is_empty()).then_some(sanitized)
}

const MAX_NAME_CHARS: usize = 200;
const PDF: &str = "application/pdf";
const DEFAULT_NAME: &str = "document.pdf";
