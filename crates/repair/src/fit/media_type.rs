//! An image says the type that it is of, and its data are spelled as base64 is.
//!
//! Tools that take screenshots often say PNG of a JPEG. The first bytes tell what an image is. Base64 in
//! the alphabet for addresses, with line breaks or without its padding is spelled in the usual way.
//!
//! ## Why
//! > messages.1.content.0.image.source.base64: The image was specified using the image/jpeg media type,
//! > but the image appears to be a image/png image
//!
//! > invalid image input
//!
//! > Unsupported MIME type: image/jpg
//!
//! ## Example
//! ```text
//! before   user: an image, said to be image/jpeg, that begins as a PNG does
//! after    user: the image, said to be image/png
//! ```

use interlingua_model::{Media, MediaKind, Source};
use interlingua_wire::Text;

use crate::Work;
use crate::media::header::Header;
use crate::media::{self, Spot, base64};
use crate::profile::media::{Checked, Media as Rules};

pub fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    let any = rules.image_types.is_none() && rules.document_types.is_none();
    if !rules.exact_types && any && !rules.base64 {
        return;
    }
    for spot in media::all(work) {
        let Some(found) = media::media(work, &spot).and_then(|one| better(one, &spot, rules))
        else {
            continue;
        };
        let what = match (&found.mime, &found.data) {
            (Some(mime), _) => {
                let noun = media::media(work, &spot).map_or("image", |one| media::noun(one.kind));
                format!("the {noun} is said to be {mime}, which it is")
            }
            (None, _) => "the data are spelled as base64 is".to_owned(),
        };
        work.change(spot.place(), what);
        let dialect = work.profile.dialect;
        media::edit(work, &spot, |block| {
            // Where a format was not known it is kept beside the media.
            block.extras.retain(dialect, |key, _| key != "format");
        });
        media::edit_media(work, &spot, |media| {
            if let Source::Base64 { mime, data } = &mut media.source {
                *mime = found.mime.map(Text::word).or_else(|| mime.take());
                *data = found.data.unwrap_or_else(|| data.clone());
            }
        });
    }
}

/// What must be said otherwise.
struct Better {
    mime: Option<&'static str>,
    data: Option<Text>,
}

fn better(media: &Media, spot: &Spot, rules: &Rules) -> Option<Better> {
    let Source::Base64 { mime, data } = &media.source else { return None };
    let contents = data.contents();
    let tidied = || Some(base64::tidy(&contents)).filter(|tidy| *tidy != *contents);
    if let Some(mime) = document(media, rules) {
        return Some(Better { mime: Some(mime), data: None });
    }
    if media.kind != MediaKind::Image {
        let odd = rules.base64 && !base64::is_valid(&contents, true);
        let data = tidied().filter(|tidy| odd && base64::is_valid(tidy, false))?;
        return Some(Better { mime: None, data: Some(Text::new(&data)) });
    }
    let said = mime.as_ref().map(Text::contents).unwrap_or_default();
    let fits = rules.takes_type(&said);
    let looks = rules.exact_types && spot.is_seen();
    let reads = match rules.images {
        Checked::Header if spot.is_seen() => None,
        Checked::Start => Some(base64::is_valid(&contents, false)),
        _ if rules.base64 => Some(base64::is_valid(&contents, true)),
        _ => Some(true),
    };
    if fits && !looks && reads == Some(true) {
        return None;
    }
    let header = Header::read(&contents);
    let valid = reads.unwrap_or(header.is_some());
    let tidy = tidied().filter(|_| !valid);
    let tidy_header = tidy.as_ref().and_then(|tidy| Header::read(tidy));
    let mime = header.or(tidy_header).map(|header| header.mime);
    // A name that nobody registered; where the first bytes tell nothing it means what it says.
    let meant = || (said == "image/jpg" && rules.images == Checked::Unchecked).then_some(JPEG);
    let mime = mime.or_else(meant);
    let mime = mime.filter(|mime| rules.takes_type(mime) && *mime != said && (looks || !fits));
    let data = tidy.filter(|_| tidy_header.is_some()).map(|tidy| Text::new(&tidy));
    (mime.is_some() || data.is_some()).then_some(Better { mime, data })
}

/// The type of a document that says another, or none, as its first bytes tell.
fn document(media: &Media, rules: &Rules) -> Option<&'static str> {
    let Source::Base64 { mime, data } = &media.source else { return None };
    let bare = mime.as_ref().is_some_and(|mime| rules.is_bare(&mime.contents()));
    let first = match rules.document_types {
        Some(types) => *types.first()?,
        None => bare.then_some("application/pdf")?,
    };
    let said = mime.as_ref().is_some_and(|mime| *mime == first);
    let looks = || data.contents().starts_with(PDF);
    (media.kind == MediaKind::Document && !said && looks()).then_some(first)
}

const JPEG: &str = "image/jpeg";

/// How `%PDF-` begins in base64.
const PDF: &str = "JVBERi";
