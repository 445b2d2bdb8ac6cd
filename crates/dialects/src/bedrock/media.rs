//! Images, documents, audio and video, both ways.

use std::borrow::Cow;

use interlingua_model::{Block, Body, Extras, Ledger, Media, MediaKind, Place, Source};
use interlingua_wire::json::Object;
use interlingua_wire::{Node, Text};

use super::ID;
use super::decode::{blocks, keep_unknown};
use super::encode::Way;
use crate::{media, note};

/// `None` for a source of an unknown kind.
pub(super) fn decode(
    kind: MediaKind,
    node: Node<'_>,
    place: Place,
    ledger: &mut Ledger,
) -> Option<Block> {
    let from = node.get("source")?;
    // What is in audio and video is looked at by who plays them.
    let is_plain = matches!(kind, MediaKind::Image | MediaKind::Document);
    let odd = |key: &str| node.get(key).is_some_and(|it| !it.is_null() && !it.is_string());
    let sources = if kind == MediaKind::Document { SOURCES } else { &SOURCES[..2] };
    let sources = sources.iter().filter_map(|key| from.get(key));
    let format = node.get("format").filter(|format| !format.is_null());
    let mime = format.and_then(|format| mime_of(kind, &format.word())).map(Text::word);
    let is_named = is_named(kind, format.map(Node::word).as_deref());
    let several = sources.filter(|source| !source.is_null()).count() > 1;
    let is_odd = odd("format") || kind == MediaKind::Document && odd("name");
    if is_plain && (is_odd || several || !is_named) {
        ledger.change(note::ODD_INPUT, place, "a medium of another form is read as far as it goes");
    }
    // Where the model does not hold the format, it stays as written.
    let mut unsaid = format.filter(|_| mime.is_none() && is_named);
    let mut owner = None;
    let source = if let Some(data) = from.get("bytes").and_then(Node::text) {
        Source::Base64 { mime, data }
    } else if let Some(location) = from.get("s3Location") {
        owner = location.get("bucketOwner");
        Source::Url { mime, url: location.get("uri")?.text()? }
    } else {
        unsaid = format.filter(|format| format.word() != "txt" && is_named);
        if let Some(text) = from.get("text").and_then(Node::text) {
            Source::Text(text)
        } else {
            Source::Blocks(blocks(from.get("content")?, place, ledger))
        }
    };
    let name = node.get("name").and_then(Node::text);
    let media = Media { kind, source, name, detail: None };
    let mut block = Block::new(Body::Media(Box::new(media)));
    keep_unknown(node, &["format", "source", "name"], &mut block);
    for (key, value) in [("format", unsaid), ("bucketOwner", owner)] {
        if let Some(value) = value {
            block.extras.put(ID, Text::word(key), value.json());
        }
    }
    Some(block)
}

/// Whether a format is one that there is. Of audio and video any may be.
fn is_named(kind: MediaKind, format: Option<&str>) -> bool {
    match (kind, format) {
        (MediaKind::Image, format) => format.is_some_and(|format| IMAGES.contains(&format)),
        (MediaKind::Document, Some(format)) => mime_of(kind, format).is_some(),
        (MediaKind::Document | MediaKind::Audio | MediaKind::Video, _) => true,
    }
}

const IMAGES: &[&str] = &["png", "jpeg", "gif", "webp"];

/// Where the data of a medium may be; those of a document alone last.
const SOURCES: &[&str] = &["bytes", "s3Location", "text", "content"];

/// Why these media cannot be said here, if they cannot.
pub(super) fn refusal(media: &Media, extras: &Extras, way: Way) -> Option<String> {
    let kind = word(media.kind);
    match &media.source {
        Source::Url { url, .. } if !url.raw().starts_with(S3) => {
            Some(format!("left out the {kind} at a URL: only data and S3 locations have a place"))
        }
        Source::File { .. } => {
            Some(format!("left out the {kind} in a provider's store of files: it has no place"))
        }
        Source::Text(_) | Source::Blocks(_) if media.kind != MediaKind::Document => {
            Some(format!("left out the {kind} without data"))
        }
        // Whoever writes this dialect may leave it to the provider what a document is.
        _ if format(media, extras).is_none()
            && (media.kind != MediaKind::Document || way != Way::Own) =>
        {
            Some(format!("left out the {kind}: its format has no place"))
        }
        _ => None,
    }
}

/// What stands in the place of media that have none.
pub(super) fn words(media: &Media) -> Text {
    let kind = word(media.kind);
    Text::new(&match &media.name {
        Some(name) if !name.is_empty() => format!("[{kind} `{name}` omitted: it cannot be sent]"),
        _ => format!("[{kind} omitted: it cannot be sent]"),
    })
}

/// Writes media for which there is no [`refusal`].
pub(super) fn encode(
    media: &Media,
    extras: &Extras,
    place: Place,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    o.object(word(media.kind), |o| {
        if let Some(format) = format(media, extras) {
            note_plain(media, &format, place, ledger);
            o.word("format", &format);
        }
        if media.kind == MediaKind::Document {
            o.word("name", &name(media.name.as_ref(), place, ledger));
        }
        o.object("source", |o| source(media, extras, place, ledger, o));
        for (key, value) in extras.of(ID) {
            if key != "format" && key != "bucketOwner" {
                o.key_text(key).json(value);
            }
        }
    });
    if media.detail.is_some() {
        ledger.loss(note::NO_SUCH_FIELD, place, "left out how closely to look at the image");
    }
}

/// The inside of `source`.
pub(super) fn source(
    media: &Media,
    extras: &Extras,
    place: Place,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    match &media.source {
        Source::Base64 { data, .. } => o.text("bytes", data),
        Source::Url { url, .. } => o.object("s3Location", |o| {
            o.text("uri", url);
            o.json_if("bucketOwner", extras.find(ID, "bucketOwner"));
        }),
        Source::Text(text) => o.text("text", text),
        Source::Blocks(blocks) => o.array("content", |a| {
            for block in blocks {
                match block.body.as_text() {
                    Some(text) => a.object(|o| o.text("text", text)),
                    None => ledger.loss(
                        note::NO_SUCH_BLOCK,
                        place,
                        "left out a part of a document that is not text",
                    ),
                }
            }
        }),
        Source::File { .. } => {}
    }
}

/// The short name of the format: as this dialect said it, as the type says, as the name or the data
/// shows.
pub(super) fn format(media: &Media, extras: &Extras) -> Option<Cow<'static, str>> {
    if let Some(format) = extras.find(ID, "format").and_then(interlingua_wire::Json::text) {
        return Some(format.contents().into_owned().into());
    }
    let (mime, url, data) = match &media.source {
        Source::Base64 { mime, data } => (mime.as_ref(), None, Some(data)),
        Source::Url { mime, url } => (mime.as_ref(), Some(url), None),
        Source::File { mime, .. } => (mime.as_ref(), None, None),
        Source::Text(_) | Source::Blocks(_) => return Some("txt".into()),
    };
    let kind = media.kind;
    let said = mime.and_then(|mime| format_of(kind, &mime.contents()));
    let shown = || data.and_then(|data| format_of(kind, media::sniff(data.raw())?));
    let named = || {
        [url, media.name.as_ref()].into_iter().flatten().find_map(|name| {
            let name = name.contents().to_ascii_lowercase();
            format_of(kind, mime_of(kind, name.rsplit_once('.')?.1)?)
        })
    };
    said.or_else(shown).or_else(named).map(Cow::Borrowed)
}

fn format_of(kind: MediaKind, mime: &str) -> Option<&'static str> {
    let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match (kind, &*mime) {
        (MediaKind::Audio, "audio/pcm" | "audio/l16") => Some("pcm"),
        (MediaKind::Audio, "audio/x-matroska") => Some("mka"),
        (MediaKind::Image, "image/jpg") => Some("jpeg"),
        _ => media::format_of_mime(kind, &mime).or_else(|| {
            let is_text = kind == MediaKind::Document
                && (mime.starts_with("text/") || TEXT_TYPES.contains(&&*mime));
            is_text.then_some("txt")
        }),
    }
}

fn mime_of(kind: MediaKind, format: &str) -> Option<&'static str> {
    match (kind, format) {
        (MediaKind::Audio, "mpeg" | "mpga") => Some("audio/mpeg"),
        (MediaKind::Audio, "mp4") => Some("audio/mp4"),
        (MediaKind::Audio, "mka" | "mkv") => Some("audio/x-matroska"),
        (MediaKind::Audio, "x-aac") => Some("audio/aac"),
        (MediaKind::Audio, "pcm") => Some("audio/pcm"),
        (MediaKind::Video, "mpg") => Some("video/mpeg"),
        _ => media::mime_of_format(kind, format),
    }
}

/// A type of text that has no name of its own is said as plain text.
fn note_plain(media: &Media, format: &str, place: Place, ledger: &mut Ledger) {
    if let Source::Base64 { mime: Some(mime), .. } = &media.source
        && format == "txt"
        && !mime.contents().starts_with("text/plain")
    {
        let what = format!("a document of type `{mime}` is sent as plain text");
        ledger.change(note::FORMAT_CHANGED, place, what);
    }
}

/// Letters, digits, single spaces, hyphens and brackets, at most 200 of them.
fn name(name: Option<&Text>, place: Place, ledger: &mut Ledger) -> String {
    let Some(name) = name.map(Text::contents) else {
        let name =
            format!("document-{}-{}", place.index.unwrap_or(0) + 1, place.block.unwrap_or(0) + 1);
        let what = format!("a document without a name is called `{name}`");
        ledger.change(note::REQUIRED_ADDED, place, what);
        return name;
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-()[]".contains(c);
    let mut spelled = String::with_capacity(name.len());
    for character in name.trim().chars().take(LONGEST_NAME) {
        if character.is_whitespace() {
            if !spelled.ends_with(' ') {
                spelled.push(' ');
            }
        } else {
            spelled.push(if allowed(character) { character } else { '-' });
        }
    }
    if spelled.is_empty() {
        spelled.push_str("document");
    }
    if spelled != *name {
        let what = format!("the document `{name}` is called `{spelled}`");
        ledger.change(note::NAME_CHANGED, place, what);
    }
    spelled
}

fn word(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
    }
}

const S3: &str = "s3:";
const LONGEST_NAME: usize = 200;
const TEXT_TYPES: &[&str] =
    &["application/json", "application/xml", "application/yaml", "application/x-yaml"];
