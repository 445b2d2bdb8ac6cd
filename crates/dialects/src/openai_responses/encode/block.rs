//! Encodes parts of a message or of a tool result.

use interlingua_model::{
    Block, BlockContent, Citation, Ledger, Media, MediaKind, MediaSource, Role, ToolResult,
    Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::context::{EncodeCx, note_dropped_attributes};
use super::fields::{write_cache_breakpoint, write_extras};
use super::media::{encode_media, media_noun};
use crate::note;
use crate::openai_responses::decode::fields::CACHE_BREAKPOINT_KEY;
use crate::openai_responses::id::ID;

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
        BlockContent::Media(media) => encode_client_media(media, block, cx, a, ledger),
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

/// Media of the client; documents can be text.
fn encode_client_media(
    media: &Media,
    block: &Block,
    cx: EncodeCx,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    match (media.kind, &media.source) {
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
        _ => encode_media(media, block, cx, a, ledger),
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

/// JSON data as text.
fn data_text(json: &RawJson) -> JsonString {
    json.json_string().unwrap_or_else(|| JsonString::new(json.as_str()))
}

fn encode_annotations(
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
pub(crate) fn encode_citation(citation: &Citation) -> Option<RawJson> {
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
