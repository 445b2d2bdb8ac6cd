//! Media between dialects: data URLs, MIME types and short names of formats.

use interlingua_model::{MediaKind, Source};
use interlingua_wire::Text;

/// A URL as a source: a `data:` URL is its data, anything else stays a URL.
pub fn source_of_url(url: &Text) -> Source {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(","));
    let Some((head, data)) = data else {
        return Source::Url { mime: None, url: url.clone() };
    };
    match head.raw().strip_suffix(";base64") {
        Some(mime) => {
            let mime = mime.split(';').next().unwrap_or_default();
            let mime = (!mime.is_empty()).then(|| Text::new(&mime.replace("\\/", "/")));
            Source::Base64 { mime, data }
        }
        // A data URL that is not base64 is rare; it stays a URL, whole.
        None => Source::Url { mime: None, url: url.clone() },
    }
}

/// The `data:` URL of base64 data.
pub fn data_url(mime: &Text, data: &Text) -> Text {
    Text::concat([&Text::word("data:"), mime, &Text::word(";base64,"), data])
}

/// What something of this type is. Some clients write the short name of one alone, such as `png`.
pub fn kind_of_mime(mime: &str) -> MediaKind {
    match mime.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => {
            let short = FORMATS.iter().find(|(_, name, _)| *name == mime);
            short.map_or(MediaKind::Document, |(kind, _, _)| *kind)
        }
    }
}

/// The MIME type of a short name such as `png` or `mp3`; `None` for a name nobody knows.
pub fn mime_of_format(kind: MediaKind, format: &str) -> Option<&'static str> {
    FORMATS.iter().find(|(of, name, _)| *of == kind && *name == format).map(|(_, _, mime)| *mime)
}

/// The short name of a MIME type.
pub fn format_of_mime(kind: MediaKind, mime: &str) -> Option<&'static str> {
    FORMATS.iter().find(|(of, _, known)| *of == kind && *known == mime).map(|(_, name, _)| *name)
}

/// What a document of this type is called that has no name.
pub fn usual_name(mime: Option<&Text>) -> Text {
    let mime = mime.map(Text::contents).unwrap_or_default();
    let ending = format_of_mime(MediaKind::Document, &mime).unwrap_or("pdf");
    Text::new(&format!("document.{ending}"))
}

/// The MIME type that the first bytes of base64 data show, for data that came without one.
pub fn sniff(data: &str) -> Option<&'static str> {
    SIGNATURES.iter().find(|(start, _)| data.starts_with(start)).map(|(_, mime)| *mime)
}

/// The MIME type of a file that came without one: as its first bytes show, or as its name says.
pub fn type_of_file(data: &str, name: Option<&Text>) -> Option<&'static str> {
    let by_name = || {
        let name = name?.contents().to_ascii_lowercase();
        mime_of_format(MediaKind::Document, name.rsplit_once('.')?.1)
    };
    sniff(data).or_else(by_name)
}

/// The first name of a MIME type is the one written.
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

/// Base64 of the first bytes of a file.
const SIGNATURES: &[(&str, &str)] = &[
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
];
