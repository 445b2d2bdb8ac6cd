//! Reads the media type and size of an image from its first bytes.

use super::base64;

/// Header of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageHeader {
    /// The media type.
    pub media_type: &'static str,
    /// The longer side in pixels; `None` if the header is truncated or invalid.
    pub longer_side: Option<u32>,
}

impl ImageHeader {
    /// Reads the header of an image in base64; `None` for other data.
    pub(crate) fn read(data: &str) -> Option<Self> {
        let start = base64::decode(data, HEADER_BASE64_CHARS)?;
        let mime = media_type(&start)?;
        let size = match mime {
            "image/png" => png(&start),
            "image/gif" => gif(&start),
            "image/webp" => webp(&start),
            // A JPEG may have thumbnails and metadata before its size.
            _ => jpeg(&start).or_else(|| jpeg(&base64::decode(data, data.len())?)),
        };
        let size = size.filter(|(width, height)| *width > 0 && *height > 0);
        Some(Self { media_type: mime, longer_side: size.map(|(width, height)| width.max(height)) })
    }
}

impl ImageHeader {
    /// Whether this beginning of a base64 text is that of an image.
    pub(crate) fn is_image_start(data: &str) -> bool {
        base64::decode(data, data.len()).is_some_and(|start| media_type(&start).is_some())
    }
}

fn media_type(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    MAGIC.iter().find(|(_, magic)| start.starts_with(magic)).map(|(mime, _)| *mime)
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let is_header = bytes.get(12..16)? == b"IHDR";
    is_header.then_some((big_endian(bytes.get(16..20)?), big_endian(bytes.get(20..24)?)))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little_endian(bytes.get(6..8)?), little_endian(bytes.get(8..10)?)))
}

/// Three kinds of chunks have the size, each in its own format.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => {
            Some((little_endian(bytes.get(24..27)?) + 1, little_endian(bytes.get(27..30)?) + 1))
        }
        b"VP8L" => {
            let bits = little_endian(bytes.get(21..25)?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => {
            let (width, height) =
                (little_endian(bytes.get(26..28)?), little_endian(bytes.get(28..30)?));
            Some((width & 0x3fff, height & 0x3fff))
        }
        _ => None,
    }
}

/// Skips segments by their length up to the start of frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xff))?;
        match marker {
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let (height, width) = (bytes.get(at + 5..at + 7)?, bytes.get(at + 7..at + 9)?);
                return Some((big_endian(width), big_endian(height)));
            }
            0xd9 | 0xda => return None,
            _ => at += 2 + big_endian(bytes.get(at + 2..at + 4)?) as usize,
        }
    }
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Base64 characters with the header of all images but some JPEGs.
const HEADER_BASE64_CHARS: usize = 4096;
const MAGIC: &[(&str, &[u8])] =
    &[("image/png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", b"\xff\xd8\xff"), ("image/gif", b"GIF8")];
