//! Media, written as parts.

use interlingua_model::{Ledger, Media, MediaKind, Place, Source};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text};

use super::encode::Way;
use super::part::is_own_file;
use super::{ID, names};
use crate::{media, note};

/// Whether there is a part for this; the file stores of other providers are closed to this one. Who
/// speaks this dialect knows where its files are.
pub(super) fn can_write(media: &Media, way: Way<'_>) -> bool {
    let own = matches!(way, Way::Request(calls) if calls.conversation().source == ID);
    match &media.source {
        Source::File { id, .. } => own || is_own_file(id),
        Source::Base64 { .. } | Source::Url { .. } | Source::Text(_) | Source::Blocks(_) => true,
    }
}

/// Writes the field that holds the data; text and blocks are said as parts of their own elsewhere.
pub(super) fn write(
    media: &Media,
    extras: &interlingua_model::Extras,
    object: &mut Object<'_>,
    place: Place,
    ledger: &mut Ledger,
) {
    if let Some(detail) = media.detail.as_ref().filter(|detail| **detail != "auto") {
        let what = format!("left out the detail `{detail}` of an image");
        ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
    let name = media.name.as_ref().filter(|_| extras.find(ID, "display name").is_some());
    if media.name.is_some() && name.is_none() && !matches!(media.source, Source::Text(_)) {
        // One of the provider's two backends refuses it.
        ledger.loss(note::NO_SUCH_FIELD, place, "left out the name of a file");
    }
    match &media.source {
        Source::Base64 { mime, data } => {
            let mime = mime.clone().or_else(|| media::sniff(data.raw()).map(Text::word));
            let mime = mime.unwrap_or_else(|| assumed(media.kind, place, ledger));
            object.object("inlineData", |object| {
                object.text("mimeType", &mime);
                object.text("data", data);
                object.text_if("displayName", name);
                names::write_others(extras.find(ID, "inlineData"), object);
            });
        }
        Source::Url { mime, url: uri } | Source::File { mime, id: uri } => {
            let mime = mime.clone().or_else(|| guessed(uri, media.kind, place, ledger));
            object.object("fileData", |object| {
                object.text_if("mimeType", mime.as_ref());
                object.text("fileUri", uri);
                object.text_if("displayName", name);
                names::write_others(extras.find(ID, "fileData"), object);
            });
        }
        Source::Text(text) => object.text("text", text),
        Source::Blocks(_) => {}
    }
}

/// The MIME type that the ending of an address shows.
pub(super) fn mime_of_uri(uri: &Text) -> Option<&'static str> {
    let uri = uri.contents();
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit('/').next()?.rsplit_once('.')?.1.to_ascii_lowercase();
    let kinds = [MediaKind::Image, MediaKind::Document, MediaKind::Audio, MediaKind::Video];
    kinds.into_iter().find_map(|kind| media::mime_of_format(kind, &ending))
}

fn guessed(uri: &Text, kind: MediaKind, place: Place, ledger: &mut Ledger) -> Option<Text> {
    // Videos of its sister site need no type.
    if kind == MediaKind::Video && uri.contents().contains("youtu") {
        return None;
    }
    let Some(mime) = mime_of_uri(uri) else { return Some(assumed(kind, place, ledger)) };
    let what = format!("the type of a file is guessed from its address: {mime}");
    ledger.change(note::REQUIRED_ADDED, place, what);
    Some(Text::word(mime))
}

fn assumed(kind: MediaKind, place: Place, ledger: &mut Ledger) -> Text {
    let mime = match kind {
        MediaKind::Image => "image/jpeg",
        MediaKind::Document => "application/pdf",
        MediaKind::Audio => "audio/wav",
        MediaKind::Video => "video/mp4",
    };
    let what = format!("the type of a file is nowhere said: {mime} is assumed");
    ledger.change(note::REQUIRED_ADDED, place, what);
    Text::word(mime)
}

/// The data of a result's media, in the list beside its response.
pub(super) fn part(media: &Media, place: Place, ledger: &mut Ledger) -> Json {
    let extras = interlingua_model::Extras::default();
    Json::object(|object| write(media, &extras, object, place, ledger))
}
