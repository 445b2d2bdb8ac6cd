//! Converts media between dialects: data URLs, MIME types and format names.

use interlingua_model::{MediaKind, MediaSource};
use interlingua_wire::JsonString;

/// Converts a URL to a source: a `data:` URL becomes base64 data, any other stays a URL.
pub(crate) fn source_from_url(url: &JsonString) -> MediaSource {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(","));
    let Some((head, data)) = data else {
        return MediaSource::Url { mime: None, url: url.clone() };
    };
    match head.raw().strip_suffix(";base64") {
        Some(mime) => {
            let mime = mime.split(';').next().unwrap_or_default();
            let mime = (!mime.is_empty()).then(|| JsonString::new(&mime.replace("\\/", "/")));
            MediaSource::Base64 { mime, data }
        }
        // A data URL without base64 is rare and stays a URL.
        None => MediaSource::Url { mime: None, url: url.clone() },
    }
}

pub(crate) fn data_url(mime: &JsonString, data: &JsonString) -> JsonString {
    JsonString::concat([
        &JsonString::from_static("data:"),
        mime,
        &JsonString::from_static(";base64,"),
        data,
    ])
}

/// The media kind of a MIME type. Some clients send only a format name such as `png`.
pub(crate) fn kind_of_mime(mime: &str) -> MediaKind {
    match mime.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => {
            let known_format = FORMATS.iter().find(|(_, name, _)| *name == mime);
            known_format.map_or(MediaKind::Document, |(kind, _, _)| *kind)
        }
    }
}

/// The MIME type of a format name such as `png` or `mp3`; `None` if it is unknown.
pub(crate) fn mime_of_format(kind: MediaKind, format: &str) -> Option<&'static str> {
    FORMATS
        .iter()
        .find(|(format_kind, name, _)| *format_kind == kind && *name == format)
        .map(|(_, _, mime)| *mime)
}

/// The format name of a MIME type.
pub(crate) fn format_of_mime(kind: MediaKind, mime: &str) -> Option<&'static str> {
    FORMATS
        .iter()
        .find(|(format_kind, _, format_mime)| *format_kind == kind && *format_mime == mime)
        .map(|(_, name, _)| *name)
}

/// The file name of a document without one.
pub(crate) fn default_file_name(mime: Option<&JsonString>) -> JsonString {
    let mime = mime.map(JsonString::unescape).unwrap_or_default();
    let ending = format_of_mime(MediaKind::Document, &mime).unwrap_or("pdf");
    JsonString::new(&format!("document.{ending}"))
}

/// Detects the MIME type from the first bytes of base64 data.
pub(crate) fn sniff(data: &str) -> Option<&'static str> {
    SIGNATURES.iter().find(|(start, _)| data.starts_with(start)).map(|(_, mime)| *mime)
}

/// Detects the MIME type of a file from its first bytes, else from its name.
pub(crate) fn mime_of_file(data: &str, name: Option<&JsonString>) -> Option<&'static str> {
    let by_name = || {
        let name = name?.unescape().to_ascii_lowercase();
        mime_of_format(MediaKind::Document, name.rsplit_once('.')?.1)
    };
    sniff(data).or_else(by_name)
}

/// Kind, format name and MIME type. The first row of a MIME type determines the name that is
/// written.
const FORMATS: &[(MediaKind, &str, &str)] = &[
    (MediaKind::Image, "png", "image/png"),
    (MediaKind::Image, "jpeg", "image/jpeg"),
    (MediaKind::Image, "jpg", "image/jpeg"),
    (MediaKind::Image, "gif", "image/gif"),
    (MediaKind::Image, "webp", "image/webp"),
    (MediaKind::Audio, "wav", "audio/wav"),
    (MediaKind::Audio, "wav", "audio/x-wav"),
    (MediaKind::Audio, "mp3", "audio/mpeg"),
    (MediaKind::Audio, "mp3", "audio/mp3"),
    (MediaKind::Audio, "flac", "audio/flac"),
    (MediaKind::Audio, "ogg", "audio/ogg"),
    (MediaKind::Audio, "opus", "audio/opus"),
    (MediaKind::Audio, "aac", "audio/aac"),
    (MediaKind::Audio, "m4a", "audio/mp4"),
    (MediaKind::Audio, "webm", "audio/webm"),
    (MediaKind::Audio, "pcm16", "audio/pcm"),
    (MediaKind::Video, "mp4", "video/mp4"),
    (MediaKind::Video, "mov", "video/quicktime"),
    (MediaKind::Video, "mkv", "video/x-matroska"),
    (MediaKind::Video, "webm", "video/webm"),
    (MediaKind::Video, "flv", "video/x-flv"),
    (MediaKind::Video, "mpeg", "video/mpeg"),
    (MediaKind::Video, "wmv", "video/x-ms-wmv"),
    (MediaKind::Video, "three_gp", "video/3gpp"),
    (MediaKind::Document, "pdf", "application/pdf"),
    (MediaKind::Document, "txt", "text/plain"),
    (MediaKind::Document, "md", "text/markdown"),
    (MediaKind::Document, "html", "text/html"),
    (MediaKind::Document, "csv", "text/csv"),
    (MediaKind::Document, "doc", "application/msword"),
    (
        MediaKind::Document,
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    (MediaKind::Document, "xls", "application/vnd.ms-excel"),
    (
        MediaKind::Document,
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
];

/// Base64 prefixes of file signatures.
const SIGNATURES: &[(&str, &str)] = &[
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
];
