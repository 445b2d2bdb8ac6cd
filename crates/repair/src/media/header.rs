//! What the first bytes of an image tell: its type, and how large it is.

use super::base64;

/// An image, as far as its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The media type.
    pub mime: &'static str,
    /// The longer side, in pixels; `None` if the header is cut or broken.
    pub side: Option<u32>,
}

impl Header {
    /// Of an image in base64; `None` if this is no image, or no base64.
    pub(crate) fn read(data: &str) -> Option<Self> {
        let start = base64::decode(data, START)?;
        let mime = mime(&start)?;
        let size = match mime {
            "image/png" => png(&start),
            "image/gif" => gif(&start),
            "image/webp" => webp(&start),
            // Pictures and notes may stand before the size of a photograph.
            _ => jpeg(&start).or_else(|| jpeg(&base64::decode(data, data.len())?)),
        };
        let size = size.filter(|(width, height)| *width > 0 && *height > 0);
        Some(Self { mime, side: size.map(|(width, height)| width.max(height)) })
    }
}

impl Header {
    /// Whether base64 that begins so is that of an image.
    pub(crate) fn starts(data: &str) -> bool {
        base64::decode(data, data.len()).is_some_and(|start| mime(&start).is_some())
    }
}

fn mime(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    MAGIC.iter().find(|(_, magic)| start.starts_with(magic)).map(|(mime, _)| *mime)
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let named = bytes.get(12..16)? == b"IHDR";
    named.then_some((big(bytes.get(16..20)?), big(bytes.get(20..24)?)))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little(bytes.get(6..8)?), little(bytes.get(8..10)?)))
}

/// Three kinds of chunks hold the size, each in its own way.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes.get(24..27)?) + 1, little(bytes.get(27..30)?) + 1)),
        b"VP8L" => {
            let bits = little(bytes.get(21..25)?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => {
            let (width, height) = (little(bytes.get(26..28)?), little(bytes.get(28..30)?));
            Some((width & 0x3fff, height & 0x3fff))
        }
        _ => None,
    }
}

/// Segments, each with its length, up to the one that begins the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xff))?;
        match marker {
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let (height, width) = (bytes.get(at + 5..at + 7)?, bytes.get(at + 7..at + 9)?);
                return Some((big(width), big(height)));
            }
            0xd9 | 0xda => return None,
            _ => at += 2 + big(bytes.get(at + 2..at + 4)?) as usize,
        }
    }
}

fn big(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Characters of base64 that hold the header of all but some photographs.
const START: usize = 4096;
const MAGIC: &[(&str, &[u8])] =
    &[("image/png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", b"\xff\xd8\xff"), ("image/gif", b"GIF8")];
