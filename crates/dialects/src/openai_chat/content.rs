//! The content of a message, encoded: a string where one will do, a list of parts where not.

use interlingua_model::{Block, Body, Cache, Media, MediaKind, Place, Source, Verbatim};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Text};

use super::encode::Pen;
use super::flavor::{CacheMark, Flavor, Skill};
use super::{ID, mark};
use crate::{media, note};

/// One part to be written.
#[derive(Clone, Debug)]
pub(super) enum Piece<'c> {
    /// As it was written in this dialect.
    Written(&'c Json),
    /// Some text, with what else its block had.
    Text(Text, Option<&'c Block>),
    Media(&'c Media, Option<&'c Block>),
}

/// The pieces of one block in a message that holds anything a user can say.
pub(super) fn pieces<'c>(
    block: &'c Verbatim<Block>,
    place: Place,
    out: &mut Vec<Piece<'c>>,
    pen: &mut Pen<'_>,
) {
    if let Some(text) = block.text_for(ID) {
        return out.push(Piece::Written(text));
    }
    match &block.body {
        Body::Text { text, citations } => {
            out.push(Piece::Text(text.clone(), Some(block)));
            if !citations.is_empty() {
                let what = "the marks of where a text comes from are left out";
                pen.ledger.loss(note::CITATION_REDUCED, place, what);
            }
        }
        Body::Refusal(text) => out.push(Piece::Text(text.clone(), Some(block))),
        Body::Data(json) => out.push(Piece::Text(Text::new(json.as_str()), Some(block))),
        Body::Media(media) => media_pieces(media, block, place, out, pen),
        Body::Foreign { dialect, json, .. } if *dialect == ID => out.push(Piece::Written(json)),
        Body::Foreign { kind, .. } => pen.no_block(place, &kind.contents()),
        Body::Thinking(_) => pen.reasoning_stays(place),
        Body::ToolCall(_) => pen.no_block(place, "a call where none can stand"),
        Body::ToolResult(_) => pen.no_block(place, "a result where none can stand"),
    }
    notes(block, place, pen);
}

/// What of a block cannot come along.
pub(super) fn notes(block: &Block, place: Place, pen: &mut Pen<'_>) {
    if block.cache.is_some() && !pen.writes_cache() {
        pen.cache_stays(place);
    }
    if block.seal.is_some() && !matches!(block.body, Body::Thinking(_)) {
        pen.seal_stays(place);
    }
    pen.note_extras(&block.extras, place);
}

fn media_pieces<'c>(
    media: &'c Media,
    block: &'c Block,
    place: Place,
    out: &mut Vec<Piece<'c>>,
    pen: &mut Pen<'_>,
) {
    match &media.source {
        Source::Text(text) => {
            pen.ledger.change(note::NO_SUCH_BLOCK, place, "a plain document is written as text");
            out.push(Piece::Text(text.clone(), Some(block)));
        }
        Source::Blocks(blocks) => {
            let what = match &media.name {
                Some(name) => format!("the document `{name}` is written as its blocks alone"),
                None => "a document is written as its blocks".to_owned(),
            };
            pen.ledger.change(note::NO_SUCH_BLOCK, place, what);
            for inner in blocks {
                pieces(inner, place, out, pen);
            }
        }
        Source::Base64 { .. } | Source::Url { .. } | Source::File { .. } => {
            if can_say(media, pen.flavor) {
                note_name(media, place, pen);
                out.push(Piece::Media(media, Some(block)));
            } else {
                pen.no_block(place, name(media.kind));
            }
        }
    }
}

/// A file that is given as data is called something.
pub(super) fn note_name(media: &Media, place: Place, pen: &mut Pen<'_>) {
    let is_data = matches!(media.source, Source::Base64 { .. });
    if media.kind == MediaKind::Document && is_data && media.name.is_none() {
        let what = "a file given as data must have a name";
        pen.ledger.change(note::REQUIRED_ADDED, place, what);
    }
}

/// Whether the flavor has a part for this.
pub(super) fn can_say(media: &Media, flavor: &Flavor) -> bool {
    match (media.kind, &media.source) {
        (MediaKind::Image, Source::Base64 { .. } | Source::Url { .. }) => true,
        (MediaKind::Video, Source::Base64 { .. } | Source::Url { .. }) => flavor.can(Skill::Video),
        (MediaKind::Audio, Source::Base64 { mime, .. }) => audio_format(mime.as_ref()).is_some(),
        (MediaKind::Document, Source::Base64 { .. } | Source::File { .. }) => {
            flavor.can(Skill::Files)
        }
        (MediaKind::Document, Source::Url { .. }) => flavor.can(Skill::FileUrls),
        (MediaKind::Image | MediaKind::Video | MediaKind::Audio, Source::File { .. })
        | (MediaKind::Audio, Source::Url { .. })
        | (_, Source::Text(_) | Source::Blocks(_)) => false,
    }
}

pub(super) fn name(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
    }
}

/// Writes `content`. `lists` says whether this message may have several texts as parts; otherwise
/// they are joined with `between`.
pub(super) fn write(
    pieces: &[Piece<'_>],
    lists: bool,
    between: &str,
    o: &mut Object<'_>,
    pen: &Pen<'_>,
) {
    let texts: Option<Vec<&Text>> = pieces.iter().map(|piece| plain(piece, pen)).collect();
    match texts {
        Some(texts) if texts.len() < 2 || !lists => o.key("content").joined(texts, between),
        Some(_) | None => o.array("content", |a| {
            for piece in pieces {
                write_piece(piece, a, pen);
            }
        }),
    }
}

/// The text of a piece that is nothing but text.
fn plain<'p>(piece: &'p Piece<'_>, pen: &Pen<'_>) -> Option<&'p Text> {
    match piece {
        Piece::Text(text, block) => {
            let marked = block.is_some_and(|block| {
                (block.cache.is_some() && pen.writes_cache())
                    || block.extras.of(ID).iter().any(|(key, _)| !mark::is(key))
            });
            (!marked).then_some(text)
        }
        Piece::Written(_) | Piece::Media(..) => None,
    }
}

pub(super) fn write_piece(piece: &Piece<'_>, out: &mut Array<'_>, pen: &Pen<'_>) {
    match piece {
        Piece::Written(json) => out.item().json(json),
        Piece::Text(text, block) => out.object(|o| {
            o.known("type", "text");
            o.text("text", text);
            rest(*block, o, pen);
        }),
        Piece::Media(media, block) => out.object(|o| {
            write_media(media, o);
            rest(*block, o, pen);
        }),
    }
}

fn rest(block: Option<&Block>, o: &mut Object<'_>, pen: &Pen<'_>) {
    let Some(block) = block else { return };
    if let Some(cache) = block.cache.as_deref().filter(|_| pen.writes_cache()) {
        write_cache(cache, pen.flavor.cache, o);
    }
    mark::write_unmarked(&block.extras, o);
}

/// A lifetime the spelling does not know is left to the server.
pub(super) fn write_cache(cache: &Cache, mark: CacheMark, o: &mut Object<'_>) {
    let (key, head, word, known): (_, _, _, &[&str]) = match mark {
        CacheMark::None => return,
        CacheMark::Control => ("cache_control", "type", "ephemeral", &["5m", "1h"]),
        CacheMark::Breakpoint => ("prompt_cache_breakpoint", "mode", "explicit", &["30m", "12h"]),
    };
    o.object(key, |o| {
        o.word(head, word);
        let ttl = cache.ttl.as_ref().filter(|ttl| known.iter().any(|known| *ttl == known));
        o.text_if("ttl", ttl);
    });
}

pub(super) fn write_media(media: &Media, o: &mut Object<'_>) {
    match media.kind {
        MediaKind::Image => {
            o.known("type", "image_url");
            o.object("image_url", |o| {
                write_url("url", media, "image/png", o);
                let detail = media.detail.as_ref();
                o.text_if("detail", detail.filter(|word| DETAILS.iter().any(|d| *word == d)));
            });
        }
        MediaKind::Video => {
            o.known("type", "video_url");
            o.object("video_url", |o| write_url("url", media, "video/mp4", o));
        }
        MediaKind::Audio => {
            o.known("type", "input_audio");
            o.object("input_audio", |o| {
                if let Source::Base64 { mime, data } = &media.source {
                    o.text("data", data);
                    o.word("format", audio_format(mime.as_ref()).unwrap_or("wav"));
                }
            });
        }
        MediaKind::Document => {
            o.known("type", "file");
            o.object("file", |o| {
                if let Source::File { id, .. } = &media.source {
                    o.text("file_id", id);
                } else {
                    write_url("file_data", media, "application/pdf", o);
                }
                let usual = match &media.source {
                    Source::Base64 { mime, .. } => Some(media::usual_name(mime.as_ref())),
                    _ => None,
                };
                o.text_if("filename", media.name.as_ref().or(usual.as_ref()));
            });
        }
    }
}

/// A URL, or the data as one. `usual` is the type of data that neither says nor shows its own.
fn write_url(key: &'static str, media: &Media, usual: &'static str, o: &mut Object<'_>) {
    match &media.source {
        Source::Url { url, .. } => o.text(key, url),
        Source::Base64 { mime, data } => {
            let told = mime.clone();
            let mime =
                told.unwrap_or_else(|| Text::word(media::sniff(data.raw()).unwrap_or(usual)));
            let url = [&Text::word("data:"), &mime, &Text::word(";base64,"), data];
            o.key(key).joined(url, "");
        }
        Source::File { .. } | Source::Text(_) | Source::Blocks(_) => {}
    }
}

fn audio_format(mime: Option<&Text>) -> Option<&'static str> {
    let mime = mime?.contents();
    media::format_of_mime(MediaKind::Audio, mime.split(';').next().unwrap_or_default())
}

const DETAILS: &[&str] = &["auto", "low", "high", "original"];
