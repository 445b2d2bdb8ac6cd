//! Reads the media type and dimensions from the header of an image.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The header of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageHeader {
    pub(crate) media_type: &'static str,
    /// Width and height in pixels; `None` if the header is truncated or malformed.
    pub(crate) dimensions: Option<(u32, u32)>,
}

/// Reads the header of a base64-encoded image; `None` if it is no image, or no base64.
pub(crate) fn read_header(data: &str) -> Option<ImageHeader> {
    let header = decode_prefix(data, HEADER_BASE64_CHARS)?;
    let image_type = media_type(&header)?;
    let dimensions = match image_type {
        "image/png" => png_dimensions(&header),
        "image/gif" => gif_dimensions(&header),
        "image/webp" => webp_dimensions(&header),
        // A JPEG may have thumbnails and metadata before the frame header with its size.
        _ => {
            jpeg_dimensions(&header).or_else(|| jpeg_dimensions(&decode_prefix(data, data.len())?))
        }
    };
    Some(ImageHeader {
        media_type: image_type,
        dimensions: dimensions.filter(|(width, height)| *width > 0 && *height > 0),
    })
}

/// Decodes at most this many base64 characters.
fn decode_prefix(data: &str, max_chars: usize) -> Option<Vec<u8>> {
    if data.len() <= max_chars {
        return STANDARD.decode(data).ok();
    }
    STANDARD.decode(data.get(..max_chars / 4 * 4)?).ok()
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    MAGIC.iter().find(|(_, magic)| bytes.starts_with(magic)).map(|(kind, _)| *kind)
}

/// The first chunk is the header: length, name, width, height.
fn png_dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let is_header = bytes.get(12..16)? == b"IHDR";
    is_header.then_some((read_be(bytes.get(16..20)?), read_be(bytes.get(20..24)?)))
}

fn gif_dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((read_le(bytes.get(6..8)?), read_le(bytes.get(8..10)?)))
}

/// Each of the three chunk types stores the dimensions in another form.
fn webp_dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((read_le(bytes.get(24..27)?) + 1, read_le(bytes.get(27..30)?) + 1)),
        b"VP8L" => {
            let bits = read_le(bytes.get(21..25)?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => {
            let (width, height) = (bytes.get(26..28)?, bytes.get(28..30)?);
            Some((read_le(width) & 0x3fff, read_le(height) & 0x3fff))
        }
        _ => None,
    }
}

/// Skips segments by their length until a start of frame.
fn jpeg_dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    loop {
        let marker = *rest.get(1).filter(|_| rest.first() == Some(&0xff))?;
        match marker {
            // Padding, and markers without a length.
            0xff => rest = rest.get(1..)?,
            0x01 | 0xd0..=0xd8 => rest = rest.get(2..)?,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((read_be(rest.get(7..9)?), read_be(rest.get(5..7)?)));
            }
            0xd9 | 0xda => return None,
            _ => rest = rest.get(2 + read_be(rest.get(2..4)?) as usize..)?,
        }
    }
}

fn read_be(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn read_le(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Base64 characters that contain the header of all images except some JPEGs.
const HEADER_BASE64_CHARS: usize = 4096;
const MAGIC: &[(&str, &[u8])] =
    &[("image/png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", b"\xff\xd8\xff"), ("image/gif", b"GIF8")];
