//! Parts of a message or of a tool's output, written.

use interlingua_model::{
    Block, Body, Citation, Ledger, Media, MediaKind, Role, Source, ToolResult, Verbatim,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Text};

use super::ID;
use super::encode::{At, note_block};
use super::output::MESSAGE;
use super::parts::{DETAILS, MARK};
use crate::{media, note};

/// One part of a message. What the assistant says has part types of its own.
pub(super) fn write_part(
    block: &Verbatim<Block>,
    role: Role,
    at: At,
    a: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = block.text_for(ID) {
        return a.item().json(text);
    }
    note_block(block, at, ledger);
    let assistant = role == Role::Assistant;
    match &block.body {
        Body::Text { text, citations } if assistant => a.object(|o| {
            o.known("type", "output_text");
            o.text("text", text);
            if !citations.is_empty() {
                o.array("annotations", |a| write_citations(citations, at, a, ledger));
            }
            write_extras(block, &[MARK], o);
        }),
        Body::Text { text, citations } => {
            if !citations.is_empty() {
                ledger.loss(note::CITATION_REDUCED, at.place, "left out the citations of an input");
            }
            write_text(text, block, at, a);
        }
        Body::Refusal(text) if assistant => a.object(|o| {
            o.known("type", "refusal");
            o.text("refusal", text);
            write_extras(block, &[MARK], o);
        }),
        Body::Refusal(text) => write_text(text, block, at, a),
        Body::Data(json) => {
            let text = data_text(json);
            if assistant {
                a.object(|o| {
                    o.known("type", "output_text");
                    o.text("text", &text);
                });
            } else {
                write_text(&text, block, at, a);
            }
        }
        Body::Media(media) if assistant => {
            let what = format!("left out {}: an assistant's message holds none", noun(media.kind));
            ledger.loss(note::NO_SUCH_BLOCK, at.place, what);
        }
        Body::Media(media) => write_media(media, block, at, a, ledger),
        Body::Foreign { dialect, kind, json } => {
            if *dialect == ID {
                a.item().json(json);
            } else {
                let what = format!("left out `{kind}`: only {dialect} knows it");
                ledger.loss(note::NO_SUCH_BLOCK, at.place, what);
            }
        }
        // These are items, or stand in places where no dialect puts them.
        Body::Thinking(_) | Body::ToolCall(_) | Body::ToolResult(_) => {
            ledger.loss(note::NO_SUCH_BLOCK, at.place, "left out a block that cannot stand here");
        }
    }
}

fn write_text(text: &Text, block: &Block, at: At, a: &mut Array<'_>) {
    a.object(|o| {
        o.known("type", "input_text");
        o.text("text", text);
        write_extras(block, &["annotations", "logprobs", MARK], o);
        mark(block, at, o);
    });
}

/// What the block carries beside its body, in this dialect.
fn finish(block: &Block, at: At, o: &mut Object<'_>) {
    write_extras(block, &[MARK], o);
    mark(block, at, o);
}

/// The fields that the model has no name for, but for those that only other parts have.
fn write_extras(block: &Block, strange: &[&str], o: &mut Object<'_>) {
    let is_said = |key: &Text| !strange.contains(&key.raw()) && *key != MESSAGE;
    for (key, value) in block.extras.of(ID).iter().filter(|(key, _)| is_said(key)) {
        o.key_text(key).json(value);
    }
}

fn mark(block: &Block, at: At, o: &mut Object<'_>) {
    o.json_if(MARK, block.extras.find(ID, MARK));
    if at.same && block.cache.is_some() && block.extras.find(ID, MARK).is_none() {
        o.object(MARK, |o| o.known("mode", "explicit"));
    }
}

/// Structured data as the text of it.
fn data_text(json: &Json) -> Text {
    json.text().unwrap_or_else(|| Text::new(json.as_str()))
}

pub(super) fn write_citations(
    citations: &[Citation],
    at: At,
    a: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    for citation in citations {
        match citation_json(citation) {
            Some(json) => a.item().json(&json),
            None => {
                ledger.loss(note::CITATION_REDUCED, at.place, "left out a citation without a URL");
            }
        }
        let crosses = citation.written.as_ref().is_none_or(|(dialect, _)| *dialect != ID);
        if crosses && citation.url.is_some() && citation.quote.is_some() {
            ledger.loss(note::CITATION_REDUCED, at.place, "left out the words that are cited");
        }
    }
}

/// A citation as an annotation; one that points to no URL has no form here.
pub(super) fn citation_json(citation: &Citation) -> Option<Json> {
    if let Some((ID, json)) = &citation.written {
        return Some(json.clone());
    }
    let url = citation.url.as_ref()?;
    let (start, end) = citation.span.unwrap_or((0, 0));
    Some(Json::object(|o| {
        o.known("type", "url_citation");
        o.number("start_index", start);
        o.number("end_index", end);
        o.text("url", url);
        o.text("title", citation.title.as_ref().unwrap_or(&Text::EMPTY));
    }))
}

fn write_media(media: &Media, block: &Block, at: At, a: &mut Array<'_>, ledger: &mut Ledger) {
    match (media.kind, &media.source) {
        (
            MediaKind::Image,
            source @ (Source::Base64 { .. } | Source::Url { .. } | Source::File { .. }),
        ) => {
            a.object(|o| {
                o.known("type", "input_image");
                match source {
                    Source::File { id, .. } => o.text("file_id", id),
                    Source::Url { url, .. } => o.text("image_url", url),
                    Source::Base64 { mime, data } => {
                        o.text("image_url", &data_url(mime.as_ref(), data, "image/png"));
                    }
                    Source::Text(_) | Source::Blocks(_) => {}
                }
                let known = |detail: &&Text| DETAILS.iter().any(|known| *detail == known);
                let detail = media.detail.as_ref().filter(known);
                o.text("detail", detail.unwrap_or(&Text::word("auto")));
                finish(block, at, o);
            });
        }
        (MediaKind::Document, Source::Text(text)) => {
            let what = "a document that is plain text is said as text";
            ledger.change(note::NO_SUCH_BLOCK, at.place, what);
            write_text(text, block, at, a);
        }
        (MediaKind::Document, Source::Blocks(blocks)) => {
            let what = "the parts of a document stand in its place";
            ledger.change(note::NO_SUCH_BLOCK, at.place, what);
            for block in blocks {
                write_part(block, Role::User, at, a, ledger);
            }
        }
        (MediaKind::Document, _) => a.object(|o| {
            write_file(media, at, o, ledger);
            finish(block, at, o);
        }),
        (MediaKind::Audio, Source::Base64 { mime, data }) => a.object(|o| {
            o.known("type", "input_audio");
            let mime = mime.as_ref().map(Text::contents).unwrap_or_default();
            let format = media::format_of_mime(MediaKind::Audio, &mime).unwrap_or("wav");
            o.object("input_audio", |o| {
                o.text("data", data);
                o.word("format", format);
            });
            finish(block, at, o);
        }),
        (MediaKind::Audio, Source::Url { url, .. }) if at.same => a.object(|o| {
            o.known("type", "input_audio");
            o.text("audio_url", url);
            finish(block, at, o);
        }),
        (MediaKind::Audio | MediaKind::Video | MediaKind::Image, _) => {
            let what = format!("left out {} given in a form that has no place", noun(media.kind));
            ledger.loss(note::NO_SUCH_BLOCK, at.place, what);
        }
    }
}

fn write_file(media: &Media, at: At, o: &mut Object<'_>, ledger: &mut Ledger) {
    o.known("type", "input_file");
    match &media.source {
        Source::File { id, .. } => o.text("file_id", id),
        Source::Url { url, .. } => o.text("file_url", url),
        Source::Base64 { mime, data } => {
            let name = media.name.clone().unwrap_or_else(|| {
                let what = "a file given as data must have a name";
                ledger.change(note::REQUIRED_ADDED, at.place, what);
                media::usual_name(mime.as_ref())
            });
            o.text("filename", &name);
            o.text("file_data", &data_url(mime.as_ref(), data, "application/pdf"));
        }
        Source::Text(_) | Source::Blocks(_) => {}
    }
    // A file that is referred to has its name where it is kept.
    if matches!(media.source, Source::Url { .. } | Source::File { .. }) && media.name.is_some() {
        ledger.loss(
            note::NO_SUCH_FIELD,
            at.place,
            "left out the name of a file given by reference",
        );
    }
    o.text_if("detail", media.detail.as_ref());
}

fn data_url(mime: Option<&Text>, data: &Text, usual: &'static str) -> Text {
    let seen = || Text::word(media::sniff(data.raw()).unwrap_or(usual));
    // Whatever else a client puts into a type would end it, or the head of the URL.
    let of_type = |c: &char| c.is_ascii_alphanumeric() || "/.+-_".contains(*c);
    let spelled = mime.map(|mime| mime.contents().chars().filter(of_type).collect::<String>());
    let spelled = spelled.filter(|mime| !mime.is_empty());
    media::data_url(&spelled.map_or_else(seen, |mime| Text::new(&mime)), data)
}

fn noun(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "an image",
        MediaKind::Document => "a document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "a video",
    }
}

/// A tool's output: a string where it is one text, parts where it is more.
pub(super) fn write_output(result: &ToolResult, at: At, o: &mut Object<'_>, ledger: &mut Ledger) {
    if result.is_error {
        let what = "that the tool failed is said in words";
        ledger.change(note::ERROR_IN_TEXT, at.place, what);
    }
    let mark = result.is_error.then_some(Text::word(FAILED));
    let plain = |block: &Block| match &block.body {
        Body::Text { text, .. } => Some(text.clone()),
        Body::Data(json) => Some(data_text(json)),
        Body::Refusal(_)
        | Body::Thinking(_)
        | Body::Media(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_)
        | Body::Foreign { .. } => None,
    };
    match result.content.as_slice() {
        [] => o.text("output", mark.as_ref().unwrap_or(&Text::EMPTY)),
        [one] if plain(one).is_some() && one.text_for(ID).is_none() => {
            note_block(one, at, ledger);
            let text = plain(one).unwrap_or_default();
            o.text("output", &Text::concat(mark.iter().chain([&text])));
        }
        many => o.array("output", |a| {
            let mut mark = mark;
            for block in many {
                match (mark.take(), plain(block)) {
                    (None, _) => write_part(block, Role::User, at, a, ledger),
                    (Some(mark), Some(text)) => {
                        note_block(block, at, ledger);
                        write_text(&Text::concat([&mark, &text]), block, at, a);
                    }
                    (Some(mark), None) => {
                        write_text(&mark, &Block::text(Text::EMPTY), at, a);
                        write_part(block, Role::User, at, a, ledger);
                    }
                }
            }
        }),
    }
}

const FAILED: &str = "[tool error] ";
