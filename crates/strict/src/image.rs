//! What the first bytes of an image tell: its type, and how large it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An image, as far as its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The media type.
    pub(crate) kind: &'static str,
    /// In pixels; none if the header is cut or broken.
    pub(crate) size: Option<(u32, u32)>,
}

/// Reads the header of an image in base64; none of what is no image, or no base64.
pub(crate) fn header(data: &str) -> Option<Header> {
    let start = decoded(data, START)?;
    let kind = kind(&start)?;
    let size = match kind {
        "image/png" => png(&start),
        "image/gif" => gif(&start),
        "image/webp" => webp(&start),
        // Pictures and notes may stand before the size of a photograph.
        _ => jpeg(&start).or_else(|| jpeg(&decoded(data, data.len())?)),
    };
    Some(Header { kind, size: size.filter(|(width, height)| *width > 0 && *height > 0) })
}

/// The bytes of the first so many characters.
fn decoded(data: &str, most: usize) -> Option<Vec<u8>> {
    if data.len() <= most {
        return STANDARD.decode(data).ok();
    }
    STANDARD.decode(data.get(..most / 4 * 4)?).ok()
}

fn kind(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    MAGIC.iter().find(|(_, magic)| start.starts_with(magic)).map(|(kind, _)| *kind)
}

/// The first chunk is the header: its length, its name, width and height.
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
            let (width, height) = (bytes.get(26..28)?, bytes.get(28..30)?);
            Some((little(width) & 0x3fff, little(height) & 0x3fff))
        }
        _ => None,
    }
}

/// Segments follow one another, each with its length, until the one that begins the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    loop {
        let marker = *rest.get(1).filter(|_| rest.first() == Some(&0xff))?;
        match marker {
            // Filling, and markers without a length.
            0xff => rest = rest.get(1..)?,
            0x01 | 0xd0..=0xd8 => rest = rest.get(2..)?,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(rest.get(7..9)?), big(rest.get(5..7)?)));
            }
            0xd9 | 0xda => return None,
            _ => rest = rest.get(2 + big(rest.get(2..4)?) as usize..)?,
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
