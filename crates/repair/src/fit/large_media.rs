//! An image or document that is larger than the target takes is made smaller, or left out with a word
//! in its place.
//!
//! Where the provider can be asked to make an image smaller it is asked; otherwise a note says what was
//! there and why it is gone. Among many images each must be smaller than one alone.
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

use interlingua_model::{Media, MediaKind, Source};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::media::{self, Spot};
use crate::profile::media::Media as Rules;

pub fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    if rules.image_size.is_none() && rules.document_size.is_none() && rules.image_side.is_none() {
        return;
    }
    let spots = media::all(work);
    for spot in &spots {
        if let Some(why) = media::media(work, spot).and_then(|one| too_heavy(one, spot, rules)) {
            media::omit(work, spot, &why);
        }
    }
    let images = |spot: &&Spot| {
        spot.is_seen()
            && media::media(work, spot).is_some_and(|media| media.kind == MediaKind::Image)
    };
    let crowd = rules.crowd.filter(|(few, _)| spots.iter().filter(images).count() > *few);
    let most = crowd.map(|(_, side)| side).or(rules.image_side);
    let Some(most) = most else { return };
    for spot in spots.iter().filter(|spot| spot.is_seen()) {
        let side = media::media(work, spot).and_then(media::header).and_then(|header| header.side);
        let Some(side) = side.filter(|side| *side > most) else { continue };
        if !rules.downsizing {
            let why = format!("it is {side} pixels wide or high, and {most} is the most");
            media::omit(work, spot, &why);
        } else if !is_downsized(work, spot) {
            downsize(work, spot, most);
        }
    }
}

fn too_heavy(media: &Media, spot: &Spot, rules: &Rules) -> Option<String> {
    let most = match media.kind {
        MediaKind::Image => rules.image_size,
        MediaKind::Document => rules.document_size,
        MediaKind::Audio | MediaKind::Video => None,
    };
    let Source::Base64 { data, .. } = &media.source else { return None };
    let size = data.contents().len();
    let most = most.filter(|most| size > *most && spot.is_seen())?;
    let megabytes = |size: usize| size.div_ceil(1024 * 1024);
    Some(format!("it has {} MB, and {} MB is the most", megabytes(size), megabytes(most)))
}

fn is_downsized(work: &Work<'_>, spot: &Spot) -> bool {
    let extras = &media::block(work, spot).extras;
    let asked = extras.find(work.profile.dialect, FIELD).map(Json::doc);
    asked.is_some_and(|doc| {
        doc.root().get("oversized_image").map(Node::word).as_deref() == Some("downsize")
    })
}

fn downsize(work: &mut Work<'_>, spot: &Spot, most: u32) {
    let what = format!("asked that the image be made smaller: {most} pixels are the most");
    work.change(spot.place(), what);
    let dialect = work.profile.dialect;
    let asked = Json::object(|object| object.word("oversized_image", "downsize"));
    media::edit(work, spot, |block| {
        block.extras.retain(dialect, |key, _| key != FIELD);
        block.extras.put(dialect, Text::word(FIELD), asked);
    });
}

const FIELD: &str = "transformations";
