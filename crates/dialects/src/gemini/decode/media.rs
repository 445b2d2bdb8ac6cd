//! Decodes the media of a part.

use interlingua_model::{
    BlockContent, Extras, Ledger, LedgerPath, Media, MediaKind, MediaSource, Spelling,
};
use interlingua_wire::{JsonNode, JsonString};

use super::fields::keep_unknown_fields;
use crate::common::media_types;
use crate::gemini::field_name;
use crate::gemini::id::ID;

/// Derives the MIME type from the file extension of a URI.
pub(crate) fn mime_of_uri(uri: &JsonString) -> Option<&'static str> {
    let uri = uri.unescape();
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit('/').next()?.rsplit_once('.')?.1.to_ascii_lowercase();
    let kinds = [MediaKind::Image, MediaKind::Document, MediaKind::Audio, MediaKind::Video];
    kinds.into_iter().find_map(|kind| media_types::mime_of_format(kind, &ending))
}

pub(super) fn decode_inline_data(
    data: JsonNode<'_>,
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> BlockContent {
    keep_unknown_fields(
        data,
        "inlineData",
        &["mimeType", "data", "displayName"],
        extras,
        path,
        ledger,
    );
    let mime = field_name::get_text(data, "mimeType", path, ledger);
    let contents = field_name::get_text(data, "data", path, ledger).unwrap_or_default();
    let contents = to_standard_base64(contents);
    let name = decode_display_name(data, extras, path, ledger);
    let known_mime = mime.as_ref().map(JsonString::unescape);
    let effective_mime = known_mime.as_deref().or_else(|| media_types::sniff(contents.raw()));
    let kind = media_types::kind_of_mime(effective_mime.unwrap_or_default());
    let source = MediaSource::Base64 { mime, data: contents };
    BlockContent::Media(Box::new(Media { kind, source, name, detail: None }))
}

pub(super) fn decode_file_data(
    data: JsonNode<'_>,
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> BlockContent {
    keep_unknown_fields(
        data,
        "fileData",
        &["mimeType", "fileUri", "displayName"],
        extras,
        path,
        ledger,
    );
    let mime = field_name::get_text(data, "mimeType", path, ledger);
    let uri = field_name::get_text(data, "fileUri", path, ledger).unwrap_or_default();
    let name = decode_display_name(data, extras, path, ledger);
    let kind = match &mime {
        Some(mime) => media_types::kind_of_mime(&mime.unescape()),
        None => media_types::kind_of_mime(mime_of_uri(&uri).unwrap_or_default()),
    };
    let source = if is_own_file(&uri) || !uri.raw().starts_with("http") {
        MediaSource::File { mime, id: uri }
    } else {
        MediaSource::Url { mime, url: uri }
    };
    BlockContent::Media(Box::new(Media { kind, source, name, detail: None }))
}

/// Decodes the display name, and records that the client sent one: not every backend accepts it.
fn decode_display_name(
    data: JsonNode<'_>,
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<JsonString> {
    let name = field_name::get_text(data, "displayName", path, ledger)?;
    extras.add_spellings(ID, Spelling::DisplayName);
    Some(name)
}

/// Some clients of this provider send URL-safe base64, which no other provider decodes.
fn to_standard_base64(data: JsonString) -> JsonString {
    if !data.raw().contains(['-', '_']) {
        return data;
    }
    let mut converted = data.unescape().replace('-', "+").replace('_', "/");
    while !converted.len().is_multiple_of(4) {
        converted.push('=');
    }
    JsonString::new(&converted)
}

/// Returns whether the URI is a file in the provider's own storage, which only this provider can
/// read.
pub(crate) fn is_own_file(uri: &JsonString) -> bool {
    let uri = uri.unescape();
    OWN_FILE_PREFIXES.iter().any(|start| uri.starts_with(start))
}

const OWN_FILE_PREFIXES: &[&str] =
    &["https://generativelanguage.googleapis.com/", "gs://", "files/"];
