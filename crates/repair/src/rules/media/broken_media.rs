//! Puts a note in place of an image that cannot be decoded or fetched.
//!
//! A broken image in the history is rejected with every later request, so the session cannot
//! continue. A note in its place keeps the conversation usable.
//!
//! ## Why
//! > Could not process image
//!
//! > Unable to download the file
//!
//! > Only HTTPS URLs are supported.
//!
//! > The image data you provided does not represent a valid image.
//!
//! ## Example
//! ```text
//! before   result 1: an image without data
//! after    result 1: "[image omitted: it cannot be read]"
//! ```

use interlingua_model::{Media, MediaKind, MediaSource};
use interlingua_providers::profile::media::{ImageCheck, MediaProfile as Rules, UrlCheck};

use crate::edit::media::replace_with_note;
use crate::engine::Work;
use crate::query::media::{self, MediaPos};
use crate::values::base64;
use crate::values::image_header::ImageHeader;

pub(super) fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    let is_unchecked =
        rules.image_check == ImageCheck::Unchecked && rules.url_check == UrlCheck::Unchecked;
    if is_unchecked && !rules.checks_base64 {
        return;
    }
    for media_pos in media::all(work) {
        let defect =
            media::media(work, &media_pos).and_then(|media| find_defect(media, &media_pos, rules));
        if let Some(reason) = defect {
            replace_with_note(work, &media_pos, reason);
        }
    }
}

fn find_defect(media: &Media, media_pos: &MediaPos, rules: &Rules) -> Option<&'static str> {
    let is_image = media.kind == MediaKind::Image;
    let is_usable = match &media.source {
        MediaSource::Base64 { data, .. } => {
            let data = data.unescape();
            let is_readable = match rules.image_check {
                _ if !is_image => true,
                ImageCheck::Header if media_pos.is_direct() => ImageHeader::read(&data).is_some(),
                ImageCheck::Unchecked | ImageCheck::Header => true,
                // A shorter start may lack its padding.
                ImageCheck::MagicBytes => {
                    let start =
                        data.get(..16).map_or_else(|| base64::normalize(&data), str::to_owned);
                    base64::is_valid(&data, false) && ImageHeader::is_image_start(&start)
                }
            };
            is_readable && (!rules.checks_base64 || base64::is_valid(&data, true))
        }
        MediaSource::Url { url, .. } => {
            let url = url.unescape();
            let is_fetchable = match rules.url_check {
                UrlCheck::Unchecked => true,
                UrlCheck::NoDataUrl => !is_image || !url.starts_with("data:"),
                UrlCheck::HttpsOnly => !media_pos.is_direct() || is_https_url(&url),
            };
            if !is_fetchable {
                return Some("nothing can be fetched from its address");
            }
            true
        }
        MediaSource::File { .. } | MediaSource::Text(_) | MediaSource::Blocks(_) => true,
    };
    (!is_usable).then_some("it cannot be read")
}

fn is_https_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://");
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
}
