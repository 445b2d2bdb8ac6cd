//! Images, documents, sound and film, from every kind of source.

use super::Writer;
use super::script::{Media, Source};

impl Writer {
    pub(super) fn media(&mut self) -> Media {
        let (kind, mime) = if self.rng.once_in(3) || self.odd() {
            self.rng.pick(KINDS)
        } else {
            ("image", "image/png")
        };
        let mime = if self.odd() { self.rng.pick(ODD_TYPES) } else { mime };
        let mark = self.mark();
        let source = match self.rng.below(10) {
            0 | 1 => Source::Url(format!("https://files.example/{mark}.png")),
            2 if self.odd() => Source::File(format!("file-{mark}")),
            3 if kind == "document" => Source::Plain(format!("plain {mark}")),
            4 if self.odd() => Source::Url(self.rng.pick(ODD_URLS).into()),
            5 if self.odd() => {
                Source::Base64(self.rng.pick(&["", "***", "AAAA", WIDE, CUT]).into())
            }
            _ => Source::Base64(data(mime, &mark)),
        };
        let name = self.rng.once_in(3).then_some("report.pdf");
        let name = if self.odd() { Some("weird: name?.tar.gz") } else { name };
        Media { kind, mime, source, name }
    }
}

/// Base64 that begins as such a file does and holds the mark.
fn data(mime: &str, mark: &str) -> String {
    let begin = match mime {
        "image/png" => "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "image/jpeg" => "/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAABAAEBAREA/9oACAEBAAA/AAAA",
        "image/gif" => "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAAC",
        "image/webp" => "UklGRh4AAABXRUJQVlA4IBIAAAAwAQCdASoBAAEAAAAAAAAAAAAA",
        "application/pdf" => "JVBERi0xLjcKJeLjz9MKMSAw",
        _ => "QUJDREVGR0hJSktMTU5PUFFS",
    };
    format!("{begin}{mark}A")
}

const KINDS: &[(&str, &str)] = &[
    ("image", "image/jpeg"),
    ("image", "image/gif"),
    ("image", "image/webp"),
    ("document", "application/pdf"),
    ("document", "text/plain"),
    ("document", "text/csv"),
    ("audio", "audio/wav"),
    ("audio", "audio/mpeg"),
    ("video", "video/mp4"),
];

const ODD_TYPES: &[&str] = &[
    "image/jpg",
    "image/svg+xml",
    "image/tiff",
    "image/bmp",
    "application/octet-stream",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "text/markdown",
    "audio/x-unknown",
    "",
    "PNG",
];

const ODD_URLS: &[&str] = &[
    "",
    "http://files.example/a.png",
    "file:///etc/a.png",
    "gs://bucket/a.pdf",
    "s3://bucket/a.png",
];

/// Pictures that say they are wider than any provider takes, and ones that end in their head.
const WIDE: &str = "iVBORw0KGgoAAAANSUhEUgAAw1AAAAABCAYAAAAfFcSJ";
const CUT: &str = "iVBORw0KGgoAAAAN";
