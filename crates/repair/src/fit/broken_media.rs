//! An image that cannot be read, or fetched, is left out, and the text says so.
//!
//! A broken image in the history is refused again with every request: the session is bricked. A note in
//! its place keeps the conversation going.
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

use interlingua_model::{Media, MediaKind, Source};

use crate::Work;
use crate::media::header::Header;
use crate::media::{self, Spot, base64};
use crate::profile::media::{Checked, Fetched, Media as Rules};

pub fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    let unchecked = rules.images == Checked::Unchecked && rules.addresses == Fetched::Unchecked;
    if unchecked && !rules.base64 {
        return;
    }
    for spot in media::all(work) {
        let broken = media::media(work, &spot).and_then(|one| broken(one, &spot, rules));
        if let Some(why) = broken {
            media::omit(work, &spot, why);
        }
    }
}

fn broken(media: &Media, spot: &Spot, rules: &Rules) -> Option<&'static str> {
    let is_image = media.kind == MediaKind::Image;
    let fits = match &media.source {
        Source::Base64 { data, .. } => {
            let data = data.contents();
            let reads = match rules.images {
                _ if !is_image => true,
                Checked::Header if spot.is_seen() => Header::read(&data).is_some(),
                Checked::Unchecked | Checked::Header => true,
                // One that is shorter may lack its padding.
                Checked::Start => {
                    let start = data.get(..16).map_or_else(|| base64::tidy(&data), str::to_owned);
                    base64::is_valid(&data, false) && Header::starts(&start)
                }
            };
            reads && (!rules.base64 || base64::is_valid(&data, true))
        }
        Source::Url { url, .. } => {
            let url = url.contents();
            let fetched = match rules.addresses {
                Fetched::Unchecked => true,
                Fetched::NoData => !is_image || !url.starts_with("data:"),
                Fetched::Https => !spot.is_seen() || is_address(&url),
            };
            if !fetched {
                return Some("nothing can be fetched from its address");
            }
            true
        }
        Source::File { .. } | Source::Text(_) | Source::Blocks(_) => true,
    };
    (!fits).then_some("it cannot be read")
}

fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://");
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
}
