//! Replaces media that the target does not support in their position with a note in the text.
//!
//! Some models accept no images, some no audio, none accepts media in assistant messages; a file in
//! one provider's store is not in another's. Unsupported media leave a note in their place, so that
//! the model knows that something was there. A plain-text document is sent as text or as data where
//! the target has no such documents, and an image in a result is moved after the results where only
//! the user can show images.
//!
//! ## Why
//! > Invalid 'messages\[9\]'. Image URLs are only allowed for messages with role 'user', but this message
//! > with role 'tool' contains an image URL.
//!
//! > Failed to deserialize the JSON body into the target type: messages\[0\]: unknown variant
//! > `image_url`, expected `text`
//!
//! > The image field in the ContentBlock object at messages.1.content.0 is only supported in user
//! > messages.
//!
//! > Unable to submit request because `function_response.parts` is not supported for this model.
//!
//! ## Example
//! ```text
//! before   user: "what is this?", an image
//! after    user: "what is this?", "[image omitted: this model takes none]"
//! ```

use interlingua_model::{
    Block, BlockContent, Media, MediaKind, MediaSource, Verbatim, WrittenForm,
};
use interlingua_providers::profile::media::{
    AllowedSources, MediaByContainer, MediaByKind, PlainTextHandling, UrlSupport,
};
use interlingua_wire::{JsonString, RawJson};

use crate::edit::media::{
    edit_block, edit_media, move_out_of_results, replace_with_note, replace_with_text,
};
use crate::engine::Work;
use crate::query::media::{self, MediaContainer, MediaPos};
use crate::values::base64;

pub(super) fn apply(work: &mut Work<'_>) {
    let mut moved = Vec::new();
    for media_pos in media::all(work) {
        let Some(media) = media::media(work, &media_pos) else { continue };
        match decide_action(work, &media_pos, media) {
            MediaAction::Keep => {}
            MediaAction::EncodeAfterResults => {
                let noun = media::kind_name(media.kind);
                work.record_change(
                    media_pos.ledger_path(),
                    format!("moved the {noun} of a result after the results"),
                );
                edit_block(work, &media_pos, |_| {});
            }
            MediaAction::MoveToUserTurn => moved.push(media_pos),
            MediaAction::AsData(text) => {
                if holds_media(&media.source) {
                    let message = "a document is sent as a plain-text file, without its images";
                    work.record_loss(media_pos.ledger_path(), message);
                } else {
                    work.record_change(
                        media_pos.ledger_path(),
                        "a plain-text document is sent as a file",
                    );
                }
                let data = JsonString::new(&base64::encode(text.as_bytes()));
                let source =
                    MediaSource::Base64 { mime: Some(JsonString::from_static("text/plain")), data };
                edit_media(work, &media_pos, |media| media.source = source);
            }
            MediaAction::AsPlainDocument(text) => {
                let message = "the document is sent as plain text: its type is left out";
                work.record_loss(media_pos.ledger_path(), message);
                edit_media(work, &media_pos, |media| media.source = MediaSource::Text(text));
            }
            MediaAction::AsText(text) => {
                let DocumentContext { texts: context_texts, lost } =
                    document_context(media::block(work, &media_pos), media);
                if holds_media(&media.source) {
                    work.record_loss(
                        media_pos.ledger_path(),
                        "a document is sent as text, without its images",
                    );
                } else {
                    work.record_change(
                        media_pos.ledger_path(),
                        "a plain-text document is sent as text",
                    );
                }
                if !lost.is_empty() {
                    let message = format!("left out {} of the document", lost.join(", "));
                    work.record_loss(media_pos.ledger_path(), message);
                }
                let texts: Vec<_> = context_texts.into_iter().chain([text]).collect();
                replace_with_text(work, &media_pos, JsonString::new(&texts.join("\n\n")));
            }
            MediaAction::Omit(why) => replace_with_note(work, &media_pos, &why),
        }
    }
    move_out_of_results(work, &moved);
}

enum MediaAction {
    Keep,
    /// Is encoded in a separate message after the results.
    EncodeAfterResults,
    /// Is moved into a separate turn after the results.
    MoveToUserTurn,
    AsData(String),
    /// Is plain text that the client sent as data.
    AsPlainDocument(JsonString),
    AsText(String),
    Omit(String),
}

/// Texts and fields that describe a document.
struct DocumentContext {
    /// Its title and its context.
    texts: Vec<String>,
    lost: Vec<String>,
}

fn document_context(block: &Block, media: &Media) -> DocumentContext {
    let non_empty =
        |text: JsonString| Some(text.unescape().into_owned()).filter(|text| !text.is_empty());
    let mut texts: Vec<String> = media.name.clone().and_then(non_empty).into_iter().collect();
    let mut lost = Vec::new();
    let extras = block.extras.as_parts().map_or(&[][..], |(_, extras)| extras);
    for (key, value) in extras {
        match value.json_string().and_then(non_empty).filter(|_| *key == CONTEXT_FIELD) {
            Some(context) => texts.push(context),
            None if *value == RawJson::NULL => {}
            None => lost.push(format!("`{key}`")),
        }
    }
    DocumentContext { texts, lost }
}

fn decide_action(work: &Work<'_>, media_pos: &MediaPos, media: &Media) -> MediaAction {
    let rules = &work.profile.media;
    let is_verbatim = media::block(work, media_pos).text_for(work.profile.dialect).is_some()
        && is_place_kept(work, media_pos);
    let allowed = if is_verbatim { &rules.same_dialect } else { &rules.cross_dialect };
    // A part that is written as a file is a document, whatever its contents.
    let is_file = is_verbatim
        && matches!(
            media::block(work, media_pos).extras.written(work.profile.dialect),
            Some(WrittenForm::PartType(kind)) if kind == FILE_PART
        );
    let kind = if is_file { MediaKind::Document } else { media.kind };
    let sources = by_container(allowed, media_pos.container).get(kind);
    let is_accepted = accepts_source(work, media, sources, is_verbatim);
    // A changed block is encoded, so the limits for other dialects apply.
    let is_accepted_encoded = accepts_source(
        work,
        media,
        by_container(&rules.cross_dialect, media_pos.container).get(media.kind),
        false,
    );
    if let Some(text) = plain_document_text(&media.source) {
        return match sources.plain_text {
            PlainTextHandling::AsDocument if is_accepted && media.kind == MediaKind::Document => {
                MediaAction::Keep
            }
            PlainTextHandling::AsData if is_verbatim && is_cited(work, media_pos) => {
                MediaAction::Keep
            }
            _ if text.trim().is_empty() => MediaAction::Omit("it is empty".to_owned()),
            PlainTextHandling::AsData if is_accepted && is_accepted_encoded => {
                MediaAction::AsData(text)
            }
            // Blocks without their document are checked separately. Assistant turns and
            // instructions hold only texts.
            PlainTextHandling::AsText
                if matches!(media.source, MediaSource::Blocks(_))
                    && !work.is_same_dialect()
                    && matches!(
                        media_pos.container,
                        MediaContainer::User | MediaContainer::Result
                    ) =>
            {
                MediaAction::Keep
            }
            PlainTextHandling::AsDocument
            | PlainTextHandling::AsData
            | PlainTextHandling::AsText => MediaAction::AsText(text),
        };
    }
    let is_movable = !is_accepted
        && rules.result_media_follows
        && media_pos.container == MediaContainer::Result
        && accepts_source(work, media, rules.cross_dialect.user.get(kind), is_verbatim);
    if is_accepted || is_movable {
        return match wrong_type(media, kind, rules, is_verbatim) {
            Some(mime) => match decoded_text(media, &mime) {
                Some(text)
                    if sources.plain_text == PlainTextHandling::AsDocument
                        && is_accepted_encoded =>
                {
                    MediaAction::AsPlainDocument(text)
                }
                _ if mime.is_empty() => {
                    MediaAction::Omit("of what type it is is not known".to_owned())
                }
                _ => MediaAction::Omit(format!("the type `{mime}` is not taken")),
            },
            None if is_movable => MediaAction::MoveToUserTurn,
            None => MediaAction::Keep,
        };
    }
    if is_verbatim
        && media_pos.container == MediaContainer::Result
        && accepts_source(work, media, rules.cross_dialect.result.get(media.kind), false)
    {
        return MediaAction::EncodeAfterResults;
    }
    MediaAction::Omit(omission_reason(work, media_pos, media, sources))
}

/// Whether the message around it is sent verbatim, or the encoder keeps its position.
fn is_place_kept(work: &Work<'_>, media_pos: &MediaPos) -> bool {
    let turn = media_pos.ledger_path().index.map(|turn| turn as usize);
    let dialect = work.profile.dialect;
    media_pos.container != MediaContainer::Assistant
        || turn.is_none_or(|turn| work.turns()[turn].text_for(dialect).is_some())
}

fn by_container(allowed: &MediaByContainer, container: MediaContainer) -> MediaByKind {
    match container {
        MediaContainer::Instructions => allowed.instructions,
        MediaContainer::User => allowed.user,
        MediaContainer::Assistant => allowed.assistant,
        MediaContainer::Result => allowed.result,
    }
}

fn accepts_source(
    work: &Work<'_>,
    media: &Media,
    sources: AllowedSources,
    is_verbatim: bool,
) -> bool {
    match &media.source {
        MediaSource::Base64 { .. } | MediaSource::Text(_) | MediaSource::Blocks(_) => sources.data,
        MediaSource::Url { url, .. } => match sources.url {
            UrlSupport::Unsupported => false,
            UrlSupport::Any => true,
            UrlSupport::Prefix(start) => url.raw().starts_with(start),
        },
        MediaSource::File { .. } => sources.file && (is_verbatim || shares_file_store(work)),
    }
}

/// Whether both dialects share one vendor's file store.
fn shares_file_store(work: &Work<'_>) -> bool {
    let (from, to) = (work.conversation().dialect.0, work.profile.dialect.0);
    let vendor = |dialect: &str| dialect.split('-').next().unwrap_or_default().to_owned();
    from == to || vendor(from) == vendor(to)
}

/// The text of a document that consists of text or blocks; blocks without text are represented by
/// their JSON or by a note.
fn plain_document_text(source: &MediaSource) -> Option<String> {
    let block_text = |block: &Verbatim<Block>| match &block.content {
        BlockContent::Text { text, .. } | BlockContent::Refusal(text) => {
            text.unescape().into_owned()
        }
        BlockContent::Json(json) | BlockContent::Foreign { json, .. } => json.as_str().to_owned(),
        BlockContent::Media(media) => {
            format!("[{} omitted: this is a plain document]", media::kind_name(media.kind))
        }
        BlockContent::Reasoning(_) | BlockContent::ToolCall(_) | BlockContent::ToolResult(_) => {
            String::new()
        }
    };
    match source {
        MediaSource::Text(text) => Some(text.unescape().into_owned()),
        MediaSource::Blocks(blocks) => {
            Some(blocks.iter().map(block_text).collect::<Vec<_>>().join("\n\n"))
        }
        MediaSource::Base64 { .. } | MediaSource::Url { .. } | MediaSource::File { .. } => None,
    }
}

/// Whether a document of blocks contains media.
fn holds_media(source: &MediaSource) -> bool {
    let is_media = |block: &Verbatim<Block>| matches!(block.content, BlockContent::Media(_));
    matches!(source, MediaSource::Blocks(blocks) if blocks.iter().any(is_media))
}

/// Whether citations are on: plain documents are accepted then.
fn is_cited(work: &Work<'_>, media_pos: &MediaPos) -> bool {
    let extras = &media::block(work, media_pos).extras;
    let citations = extras.get(work.profile.dialect, "citations").map(RawJson::to_doc);
    citations.is_some_and(|doc| {
        doc.root().get("enabled").and_then(interlingua_wire::JsonNode::as_bool) == Some(true)
    })
}

/// The media type that the target rejects, if it does.
fn wrong_type(
    media: &Media,
    kind: MediaKind,
    rules: &interlingua_providers::profile::media::MediaProfile,
    is_verbatim: bool,
) -> Option<String> {
    let MediaSource::Base64 { mime, data } = &media.source else { return None };
    // Without a declared type, the encoder derives it from the first bytes.
    let detected = (mime.is_none() && !is_verbatim && data.raw().starts_with(GIF_BASE64))
        .then_some("image/gif");
    let mime =
        mime.as_ref().map(JsonString::unescape).or(detected.map(Into::into)).unwrap_or_default();
    // Where all document types are accepted, the declared type also decides whether it is an image.
    let is_image = rules.document_types.is_none()
        && !is_verbatim
        && mime.to_ascii_lowercase().starts_with("image");
    let is_accepted = match kind {
        MediaKind::Image => rules.accepts_image_type(&mime),
        MediaKind::Document => rules.document_types.is_none_or(|types| types.contains(&&*mime)),
        MediaKind::Audio => {
            let bare_type = mime.split(';').next().unwrap_or_default();
            is_verbatim || rules.audio_types.is_none_or(|types| types.contains(&bare_type))
        }
        MediaKind::Video => true,
    };
    let is_accepted = is_accepted && (!is_image || rules.accepts_image_type(&mime));
    let is_rejected = rules.rejected_types.contains(&&*mime) || rules.is_type_without_slash(&mime);
    (!is_accepted || is_rejected).then(|| mime.into_owned())
}

/// The text of a document that the client sent as data with a text type, or without a type.
fn decoded_text(media: &Media, mime: &str) -> Option<JsonString> {
    let MediaSource::Base64 { data, .. } = &media.source else { return None };
    let is_text = mime.starts_with("text/") || mime == "application/json" || mime.is_empty();
    if media.kind != MediaKind::Document || !is_text {
        return None;
    }
    let bytes = base64::decode(&base64::normalize(&data.unescape()), usize::MAX)?;
    let text = String::from_utf8(bytes).ok()?;
    let is_odd = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    (!mime.is_empty() || !text.contains(is_odd)).then(|| JsonString::new(&text))
}

fn omission_reason(
    work: &Work<'_>,
    media_pos: &MediaPos,
    media: &Media,
    sources: AllowedSources,
) -> String {
    let rules = &work.profile.media;
    let noun = media::kind_name(media.kind);
    let user_sources = rules.cross_dialect.user.get(media.kind);
    match &media.source {
        MediaSource::File { .. } if sources.data || user_sources.data => {
            "it is in another provider's store of files".to_owned()
        }
        MediaSource::Url { .. }
            if sources.data || user_sources.data && media_pos.container == MediaContainer::User =>
        {
            "it is not fetched from an address".to_owned()
        }
        _ if !user_sources.data => format!("no {noun} is taken here"),
        _ => match media_pos.container {
            MediaContainer::Assistant => "it was shown by the assistant".to_owned(),
            MediaContainer::Instructions => "instructions are text".to_owned(),
            MediaContainer::User | MediaContainer::Result => format!("no {noun} is taken here"),
        },
    }
}

/// The field of a document with its context.
const CONTEXT_FIELD: &str = "context";
/// First characters of `GIF8` in base64.
const GIF_BASE64: &str = "R0lGOD";

/// Type of a part that holds other media than a document, too.
const FILE_PART: &str = "file";
