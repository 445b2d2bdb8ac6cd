//! Shrinks an image or document that exceeds the target's size limit, or replaces it with a note.
//!
//! Where the provider can be asked to downsize an image, the request does that. Otherwise a note
//! names the media and the reason. In requests with many images each must be smaller than a single
//! image.
//!
//! ## Why
//! > messages.169.content.0.tool_result.content.1.image.source.base64: image exceeds 10 MB maximum
//!
//! > At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels
//!
//! ## Example
//! ```text
//! before   result 1: an image of 12 MB
//! after    result 1: "[image omitted: it has 12 MB, and 10 MB is the most]"
//! ```

use interlingua_model::{Media, MediaKind, MediaSource};
use interlingua_providers::profile::media::MediaProfile as Rules;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::edit::media::{edit_block, replace_with_note};
use crate::engine::Work;
use crate::query::media::{self, MediaPos};

pub(super) fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    if rules.max_image_base64_chars.is_none()
        && rules.max_document_base64_chars.is_none()
        && rules.max_image_pixels.is_none()
    {
        return;
    }
    let positions = media::all(work);
    for media_pos in &positions {
        if let Some(why) =
            media::media(work, media_pos).and_then(|media| size_problem(media, media_pos, rules))
        {
            replace_with_note(work, media_pos, &why);
        }
    }
    let images = |media_pos: &&MediaPos| {
        media_pos.is_direct()
            && media::media(work, media_pos).is_some_and(|media| media.kind == MediaKind::Image)
    };
    let many_images_side = rules
        .many_images_limit
        .filter(|(count, _)| positions.iter().filter(images).count() > *count);
    let max_side = many_images_side.map(|(_, side)| side).or(rules.max_image_pixels);
    let Some(max_side) = max_side else { return };
    for media_pos in positions.iter().filter(|media_pos| media_pos.is_direct()) {
        let side = media::media(work, media_pos)
            .and_then(media::image_header)
            .and_then(|header| header.longer_side);
        let Some(side) = side.filter(|side| *side > max_side) else { continue };
        if !rules.supports_downsizing {
            let why = format!("it is {side} pixels wide or high, and {max_side} is the most");
            replace_with_note(work, media_pos, &why);
        } else if !is_downsized(work, media_pos) {
            downsize(work, media_pos, max_side);
        }
    }
}

fn size_problem(media: &Media, media_pos: &MediaPos, rules: &Rules) -> Option<String> {
    let max_chars = match media.kind {
        MediaKind::Image => rules.max_image_base64_chars,
        MediaKind::Document => rules.max_document_base64_chars,
        MediaKind::Audio | MediaKind::Video => None,
    };
    let MediaSource::Base64 { data, .. } = &media.source else { return None };
    let size = data.unescape().len();
    let max_chars = max_chars.filter(|max_chars| size > *max_chars && media_pos.is_direct())?;
    let megabytes = |size: usize| size.div_ceil(1024 * 1024);
    Some(format!("it has {} MB, and {} MB is the most", megabytes(size), megabytes(max_chars)))
}

fn is_downsized(work: &Work<'_>, media_pos: &MediaPos) -> bool {
    let extras = &media::block(work, media_pos).extras;
    let transformations =
        extras.get(work.profile.dialect, TRANSFORMATIONS_FIELD).map(RawJson::to_doc);
    transformations.is_some_and(|doc| {
        doc.root().get("oversized_image").map(JsonNode::str_or_empty).as_deref() == Some("downsize")
    })
}

fn downsize(work: &mut Work<'_>, media_pos: &MediaPos, max: u32) {
    let message = format!("the provider is asked to downsize the image to {max} pixels");
    work.record_change(media_pos.ledger_path(), message);
    let dialect = work.profile.dialect;
    let transformations = RawJson::object(|object| object.str("oversized_image", "downsize"));
    edit_block(work, media_pos, |block| {
        block.extras.retain(dialect, |key, _| key != TRANSFORMATIONS_FIELD);
        block.extras.push(dialect, JsonString::from_static(TRANSFORMATIONS_FIELD), transformations);
    });
}

const TRANSFORMATIONS_FIELD: &str = "transformations";
