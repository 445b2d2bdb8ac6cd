//! Random images, documents, audio and video, from every kind of source.

use super::draft::{Media, Source};
use super::generator::Generator;

impl Generator {
    pub(super) fn media(&mut self) -> Media {
        let (kind, mime) = if self.rng.one_in(3) || self.roll_odd() {
            self.rng.pick(MEDIA_TYPES)
        } else {
            ("image", "image/png")
        };
        let mime = if self.roll_odd() { self.rng.pick(ODD_TYPES) } else { mime };
        let canary = self.canary();
        let source = match self.rng.below(10) {
            0 | 1 => Source::Url(format!("https://files.example/{canary}.png")),
            2 if self.roll_odd() => Source::File(format!("file-{canary}")),
            3 if kind == "document" => Source::Text(format!("plain {canary}")),
            4 if self.roll_odd() => Source::Url(self.rng.pick(ODD_URLS).into()),
            5 if self.roll_odd() => Source::Base64(
                self.rng.pick(&["", "***", "AAAA", OVERSIZED_PNG, TRUNCATED_PNG]).into(),
            ),
            _ => Source::Base64(media_data(mime, &canary)),
        };
        let name = self.rng.one_in(3).then_some("report.pdf");
        let name = if self.roll_odd() { Some("weird: name?.tar.gz") } else { name };
        Media { kind, mime, source, name }
    }
}

/// Base64 that starts like a file of this type and contains the canary.
fn media_data(mime: &str, canary: &str) -> String {
    let prefix = match mime {
        "image/png" => "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "image/jpeg" => "/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAABAAEBAREA/9oACAEBAAA/AAAA",
        "image/gif" => "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAAC",
        "image/webp" => "UklGRh4AAABXRUJQVlA4IBIAAAAwAQCdASoBAAEAAAAAAAAAAAAA",
        "application/pdf" => "JVBERi0xLjcKJeLjz9MKMSAw",
        _ => "QUJDREVGR0hJSktMTU5PUFFS",
    };
    format!("{prefix}{canary}A")
}

const MEDIA_TYPES: &[(&str, &str)] = &[
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

/// A PNG header with a width above every limit, and a PNG that ends within its header.
const OVERSIZED_PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAw1AAAAABCAYAAAAfFcSJ";
const TRUNCATED_PNG: &str = "iVBORw0KGgoAAAAN";
