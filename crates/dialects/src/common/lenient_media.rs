//! Decodes images in the forms of other dialects, agents and tool servers.
//!
//! Clients copy blocks from one dialect into another, most often inside tool results. A dialect
//! that does not have a block tries to decode it as an image here.

use interlingua_model::{Media, MediaKind, MediaSource};
use interlingua_wire::{JsonNode, JsonString};

use super::media_types::{kind_of_mime, source_from_url};

/// Decodes an image in any of these forms, or a file of another kind in the same form.
pub(crate) fn decode(node: JsonNode<'_>) -> Option<Media> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let (kind, source, detail) = match &*kind {
        "image_url" | "input_image" => {
            let (source, detail) = decode_image_url(node)?;
            (MediaKind::Image, source, detail)
        }
        "image" => (MediaKind::Image, decode_image(node)?, None),
        "" => {
            let source = decode_inline_data(node)?;
            let mime = match &source {
                MediaSource::Base64 { mime, .. } => mime.as_ref().map(JsonString::unescape),
                _ => None,
            };
            (kind_of_mime(&mime.unwrap_or_default()), source, None)
        }
        _ => return None,
    };
    Some(Media { kind, source, name: None, detail })
}

/// `image_url` as an object or as a string, or a file id.
fn decode_image_url(node: JsonNode<'_>) -> Option<(MediaSource, Option<JsonString>)> {
    let image_url = node.get("image_url").filter(|image_url| !image_url.is_null());
    let object = image_url.filter(|image_url| image_url.is_object());
    let detail =
        node.get("detail").or_else(|| object?.get("detail")).and_then(JsonNode::json_string);
    let Some(image_url) = image_url else {
        return Some((
            MediaSource::File { mime: None, id: non_empty_text(node, "file_id")? },
            detail,
        ));
    };
    let url = image_url.json_string().or_else(|| non_empty_text(image_url, "url"))?;
    Some((source_from_url(&url), detail))
}

/// An image with a `source`, or with data and type directly in the block.
fn decode_image(node: JsonNode<'_>) -> Option<MediaSource> {
    let source_node = node.get("source").filter(|source| source.is_object()).unwrap_or(node);
    let mime = MIME_KEYS.iter().find_map(|key| non_empty_text(source_node, key));
    if let Some(data) = non_empty_text(source_node, "data") {
        return Some(match source_from_url(&data) {
            MediaSource::Base64 { mime: url_mime, data } => {
                MediaSource::Base64 { mime: url_mime.or(mime), data }
            }
            _ => MediaSource::Base64 { mime, data },
        });
    }
    if let Some(url) = non_empty_text(source_node, "url") {
        return Some(match source_from_url(&url) {
            MediaSource::Url { url, .. } => MediaSource::Url { mime, url },
            data => data,
        });
    }
    Some(MediaSource::File { mime, id: non_empty_text(source_node, "file_id")? })
}

/// Inline data with its MIME type.
fn decode_inline_data(node: JsonNode<'_>) -> Option<MediaSource> {
    let inline_data = INLINE_DATA_KEYS.iter().find_map(|key| node.get(key))?;
    let mime = MIME_KEYS.iter().find_map(|key| non_empty_text(inline_data, key));
    Some(MediaSource::Base64 { mime, data: non_empty_text(inline_data, "data")? })
}

fn non_empty_text(node: JsonNode<'_>, key: &str) -> Option<JsonString> {
    node.get(key).and_then(JsonNode::json_string).filter(|text| !text.is_empty())
}

const MIME_KEYS: &[&str] = &["media_type", "mimeType", "mime_type"];
const INLINE_DATA_KEYS: &[&str] = &["inlineData", "inline_data"];
