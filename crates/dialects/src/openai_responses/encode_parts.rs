//! Encodes parts of a message or of a tool result.

use interlingua_model::{
    Block, BlockContent, Citation, Ledger, Media, MediaKind, MediaSource, Role, ToolResult,
    Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::ID;
use super::encode::{EncodeCx, note_dropped_attributes};
use super::output::MESSAGE_FIELDS_KEY;
use super::parts::{CACHE_BREAKPOINT_KEY, IMAGE_DETAILS};
use crate::{media, note};

/// Encodes one part of a message. Assistant messages have their own part types.
pub(super) fn encode_part(
    block: &Verbatim<Block>,
    role: Role,
    cx: EncodeCx,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = block.text_for(ID) {
        return a.item().json(text);
    }
    note_dropped_attributes(block, cx, ledger);
    let is_assistant = role == Role::Assistant;
    match &block.content {
        BlockContent::Text { text, citations } if is_assistant => a.object(|o| {
            o.static_str("type", "output_text");
            o.json_string("text", text);
            if !citations.is_empty() {
                o.array("annotations", |a| encode_annotations(citations, cx, a, ledger));
            }
            write_extras(block, &[CACHE_BREAKPOINT_KEY], o);
        }),
        BlockContent::Text { text, citations } => {
            if !citations.is_empty() {
                ledger.record_loss(
                    note::CITATION_REDUCED,
                    cx.path,
                    "left out the citations of an input text",
                );
            }
            encode_text(text, block, cx, a);
        }
        BlockContent::Refusal(text) if is_assistant => a.object(|o| {
            o.static_str("type", "refusal");
            o.json_string("refusal", text);
            write_extras(block, &[CACHE_BREAKPOINT_KEY], o);
        }),
        BlockContent::Refusal(text) => encode_text(text, block, cx, a),
        BlockContent::Json(json) => {
            let text = data_text(json);
            if is_assistant {
                a.object(|o| {
                    o.static_str("type", "output_text");
                    o.json_string("text", &text);
                });
            } else {
                encode_text(&text, block, cx, a);
            }
        }
        BlockContent::Media(media) if is_assistant => {
            let message = format!(
                "left out {}: an assistant message cannot contain it",
                media_noun(media.kind)
            );
            ledger.record_loss(note::NO_SUCH_BLOCK, cx.path, message);
        }
        BlockContent::Media(media) => encode_media(media, block, cx, a, ledger),
        BlockContent::Foreign { dialect, kind, json } => {
            if *dialect == ID {
                a.item().json(json);
            } else {
                let message = format!("left out `{kind}`: only {dialect} has it");
                ledger.record_loss(note::NO_SUCH_BLOCK, cx.path, message);
            }
        }
        // These are items of their own and never parts.
        BlockContent::Reasoning(_) | BlockContent::ToolCall(_) | BlockContent::ToolResult(_) => {
            ledger.record_loss(
                note::NO_SUCH_BLOCK,
                cx.path,
                "left out a block that cannot be a part",
            );
        }
    }
}

fn encode_text(text: &JsonString, block: &Block, cx: EncodeCx, a: &mut ArrayWriter<'_>) {
    a.object(|o| {
        o.static_str("type", "input_text");
        o.json_string("text", text);
        write_extras(block, &["annotations", "logprobs", CACHE_BREAKPOINT_KEY], o);
        write_cache_breakpoint(block, cx, o);
    });
}

/// Writes the attributes of a block in this dialect.
fn write_common_fields(block: &Block, cx: EncodeCx, o: &mut ObjectWriter<'_>) {
    write_extras(block, &[CACHE_BREAKPOINT_KEY], o);
    write_cache_breakpoint(block, cx, o);
}

/// Writes the extras, except those of other part types.
fn write_extras(block: &Block, excluded: &[&str], o: &mut ObjectWriter<'_>) {
    let is_written =
        |key: &JsonString| !excluded.contains(&key.raw()) && *key != MESSAGE_FIELDS_KEY;
    for (key, value) in block.extras.fields_for(ID).iter().filter(|(key, _)| is_written(key)) {
        o.key_json_string(key).json(value);
    }
}

fn write_cache_breakpoint(block: &Block, cx: EncodeCx, o: &mut ObjectWriter<'_>) {
    o.json_opt(CACHE_BREAKPOINT_KEY, block.extras.get(ID, CACHE_BREAKPOINT_KEY));
    if cx.same_dialect
        && block.cache_breakpoint.is_some()
        && block.extras.get(ID, CACHE_BREAKPOINT_KEY).is_none()
    {
        o.object(CACHE_BREAKPOINT_KEY, |o| o.static_str("mode", "explicit"));
    }
}

/// JSON data as text.
fn data_text(json: &RawJson) -> JsonString {
    json.json_string().unwrap_or_else(|| JsonString::new(json.as_str()))
}

pub(super) fn encode_annotations(
    citations: &[Citation],
    cx: EncodeCx,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    for citation in citations {
        match encode_citation(citation) {
            Some(json) => a.item().json(&json),
            None => {
                ledger.record_loss(
                    note::CITATION_REDUCED,
                    cx.path,
                    "left out a citation without a URL",
                );
            }
        }
        let is_foreign = citation.original.as_ref().is_none_or(|(dialect, _)| *dialect != ID);
        if is_foreign && citation.url.is_some() && citation.quote.is_some() {
            ledger.record_loss(note::CITATION_REDUCED, cx.path, "left out the quote of a citation");
        }
    }
}

/// Encodes a citation as an annotation; `None` without a URL.
pub(super) fn encode_citation(citation: &Citation) -> Option<RawJson> {
    if let Some((ID, json)) = &citation.original {
        return Some(json.clone());
    }
    let url = citation.url.as_ref()?;
    let (start, end) = citation.span.unwrap_or((0, 0));
    Some(RawJson::object(|o| {
        o.static_str("type", "url_citation");
        o.number("start_index", start);
        o.number("end_index", end);
        o.json_string("url", url);
        o.json_string("title", citation.title.as_ref().unwrap_or(&JsonString::EMPTY));
    }))
}

fn encode_media(
    media: &Media,
    block: &Block,
    cx: EncodeCx,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    match (media.kind, &media.source) {
        (
            MediaKind::Image,
            source @ (MediaSource::Base64 { .. }
            | MediaSource::Url { .. }
            | MediaSource::File { .. }),
        ) => {
            a.object(|o| {
                o.static_str("type", "input_image");
                match source {
                    MediaSource::File { id, .. } => o.json_string("file_id", id),
                    MediaSource::Url { url, .. } => o.json_string("image_url", url),
                    MediaSource::Base64 { mime, data } => {
                        o.json_string("image_url", &data_url(mime.as_ref(), data, "image/png"));
                    }
                    MediaSource::Text(_) | MediaSource::Blocks(_) => {}
                }
                let is_supported = |detail: &&JsonString| {
                    IMAGE_DETAILS.iter().any(|is_supported| *detail == is_supported)
                };
                let detail = media.detail.as_ref().filter(is_supported);
                o.json_string("detail", detail.unwrap_or(&JsonString::from_static("auto")));
                write_common_fields(block, cx, o);
            });
        }
        (MediaKind::Document, MediaSource::Text(text)) => {
            let message = "a plain-text document is encoded as text";
            ledger.record_change(note::NO_SUCH_BLOCK, cx.path, message);
            encode_text(text, block, cx, a);
        }
        (MediaKind::Document, MediaSource::Blocks(blocks)) => {
            let message = "a document is encoded as its parts";
            ledger.record_change(note::NO_SUCH_BLOCK, cx.path, message);
            for block in blocks {
                encode_part(block, Role::User, cx, a, ledger);
            }
        }
        (MediaKind::Document, _) => a.object(|o| {
            encode_file(media, cx, o, ledger);
            write_common_fields(block, cx, o);
        }),
        (MediaKind::Audio, MediaSource::Base64 { mime, data }) => a.object(|o| {
            o.static_str("type", "input_audio");
            let mime = mime.as_ref().map(JsonString::unescape).unwrap_or_default();
            let format = media::format_of_mime(MediaKind::Audio, &mime).unwrap_or("wav");
            o.object("input_audio", |o| {
                o.json_string("data", data);
                o.str("format", format);
            });
            write_common_fields(block, cx, o);
        }),
        (MediaKind::Audio, MediaSource::Url { url, .. }) if cx.same_dialect => a.object(|o| {
            o.static_str("type", "input_audio");
            o.json_string("audio_url", url);
            write_common_fields(block, cx, o);
        }),
        (MediaKind::Audio | MediaKind::Video | MediaKind::Image, _) => {
            let message = format!(
                "left out {} in a form that the API does not accept",
                media_noun(media.kind)
            );
            ledger.record_loss(note::NO_SUCH_BLOCK, cx.path, message);
        }
    }
}

fn encode_file(media: &Media, cx: EncodeCx, o: &mut ObjectWriter<'_>, ledger: &mut Ledger) {
    o.static_str("type", "input_file");
    match &media.source {
        MediaSource::File { id, .. } => o.json_string("file_id", id),
        MediaSource::Url { url, .. } => o.json_string("file_url", url),
        MediaSource::Base64 { mime, data } => {
            let name = media.name.clone().unwrap_or_else(|| {
                let message = "a file name is added: file data requires one";
                ledger.record_change(note::REQUIRED_ADDED, cx.path, message);
                media::default_file_name(mime.as_ref())
            });
            o.json_string("filename", &name);
            o.json_string("file_data", &data_url(mime.as_ref(), data, "application/pdf"));
        }
        MediaSource::Text(_) | MediaSource::Blocks(_) => {}
    }
    // A referenced file has its name in the file storage.
    if matches!(media.source, MediaSource::Url { .. } | MediaSource::File { .. })
        && media.name.is_some()
    {
        ledger.record_loss(
            note::NO_SUCH_FIELD,
            cx.path,
            "left out the name of a file given by reference",
        );
    }
    o.json_string_opt("detail", media.detail.as_ref());
}

fn data_url(
    mime: Option<&JsonString>,
    data: &JsonString,
    default_mime: &'static str,
) -> JsonString {
    let detected = || JsonString::from_static(media::sniff(data.raw()).unwrap_or(default_mime));
    // Any other character could end the MIME type or the data URL's header.
    let is_mime_char = |c: &char| c.is_ascii_alphanumeric() || "/.+-_".contains(*c);
    let cleaned = mime.map(|mime| mime.unescape().chars().filter(is_mime_char).collect::<String>());
    let cleaned = cleaned.filter(|mime| !mime.is_empty());
    media::data_url(&cleaned.map_or_else(detected, |mime| JsonString::new(&mime)), data)
}

fn media_noun(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "an image",
        MediaKind::Document => "a document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "a video",
    }
}

/// Encodes a tool's output: a string if it is one text, else a list of parts.
pub(super) fn encode_output(
    result: &ToolResult,
    cx: EncodeCx,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    if result.is_error {
        let message = "the error flag of the result is encoded as text";
        ledger.record_change(note::ERROR_IN_TEXT, cx.path, message);
    }
    let error_prefix = result.is_error.then_some(JsonString::from_static(ERROR_PREFIX));
    let plain_text = |block: &Block| match &block.content {
        BlockContent::Text { text, .. } => Some(text.clone()),
        BlockContent::Json(json) => Some(data_text(json)),
        BlockContent::Refusal(_)
        | BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => None,
    };
    match result.content.as_slice() {
        [] => o.json_string("output", error_prefix.as_ref().unwrap_or(&JsonString::EMPTY)),
        [single] if plain_text(single).is_some() && single.text_for(ID).is_none() => {
            note_dropped_attributes(single, cx, ledger);
            let text = plain_text(single).unwrap_or_default();
            o.json_string("output", &JsonString::concat(error_prefix.iter().chain([&text])));
        }
        blocks => o.array("output", |a| {
            let mut error_prefix = error_prefix;
            for block in blocks {
                match (error_prefix.take(), plain_text(block)) {
                    (None, _) => encode_part(block, Role::User, cx, a, ledger),
                    (Some(error_prefix), Some(text)) => {
                        note_dropped_attributes(block, cx, ledger);
                        encode_text(&JsonString::concat([&error_prefix, &text]), block, cx, a);
                    }
                    (Some(error_prefix), None) => {
                        encode_text(&error_prefix, &Block::text(JsonString::EMPTY), cx, a);
                        encode_part(block, Role::User, cx, a, ledger);
                    }
                }
            }
        }),
    }
}

const ERROR_PREFIX: &str = "[tool error] ";
