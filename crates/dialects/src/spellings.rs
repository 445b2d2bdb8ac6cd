//! Images as other dialects, agents and tool servers spell them.
//!
//! Clients put into one dialect what they have read in another, most of all inside the results of tools.
//! A dialect that does not know a block asks here whether it is an image all the same.

use interlingua_model::{Media, MediaKind, Source};
use interlingua_wire::{Node, Text};

use crate::media::{kind_of_mime, source_of_url};

/// The image that an object is in one of the spellings, or the file of another kind that it holds in the
/// same way.
pub(crate) fn media(node: Node<'_>) -> Option<Media> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    let (kind, source, detail) = match &*kind {
        "image_url" | "input_image" => {
            let (source, detail) = addressed(node)?;
            (MediaKind::Image, source, detail)
        }
        "image" => (MediaKind::Image, image(node)?, None),
        "" => {
            let source = inline(node)?;
            let mime = match &source {
                Source::Base64 { mime, .. } => mime.as_ref().map(Text::contents),
                _ => None,
            };
            (kind_of_mime(&mime.unwrap_or_default()), source, None)
        }
        _ => return None,
    };
    Some(Media { kind, source, name: None, detail })
}

/// `image_url` as an object or as a string, or an id in a store of files.
fn addressed(node: Node<'_>) -> Option<(Source, Option<Text>)> {
    let said = node.get("image_url").filter(|said| !said.is_null());
    let inside = said.filter(|said| said.is_object());
    let detail = node.get("detail").or_else(|| inside?.get("detail")).and_then(Node::text);
    let Some(said) = said else {
        return Some((Source::File { mime: None, id: text(node, "file_id")? }, detail));
    };
    let url = said.text().or_else(|| text(said, "url"))?;
    Some((source_of_url(&url), detail))
}

/// With a `source`, or with its data beside the type of them.
fn image(node: Node<'_>) -> Option<Source> {
    let of = node.get("source").filter(|source| source.is_object()).unwrap_or(node);
    let mime = MIMES.iter().find_map(|key| text(of, key));
    if let Some(data) = text(of, "data") {
        return Some(match source_of_url(&data) {
            Source::Base64 { mime: told, data } => Source::Base64 { mime: told.or(mime), data },
            _ => Source::Base64 { mime, data },
        });
    }
    if let Some(url) = text(of, "url") {
        return Some(match source_of_url(&url) {
            Source::Url { url, .. } => Source::Url { mime, url },
            data => data,
        });
    }
    Some(Source::File { mime, id: text(of, "file_id")? })
}

/// Data in a field of their own, with their type.
fn inline(node: Node<'_>) -> Option<Source> {
    let held = INLINE.iter().find_map(|key| node.get(key))?;
    let mime = MIMES.iter().find_map(|key| text(held, key));
    Some(Source::Base64 { mime, data: text(held, "data")? })
}

fn text(node: Node<'_>, key: &str) -> Option<Text> {
    node.get(key).and_then(Node::text).filter(|text| !text.is_empty())
}

const MIMES: &[&str] = &["media_type", "mimeType", "mime_type"];
const INLINE: &[&str] = &["inlineData", "inline_data"];
