//! Corrects the media type of an image or document, and the spelling of its base64 data.
//!
//! Tools that take screenshots often declare a JPEG as PNG. The first bytes show the real type.
//! Base64 in the URL-safe alphabet, with line breaks or without padding is rewritten in the
//! standard form.
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
//! before   user: an image declared as image/jpeg that starts like a PNG
//! after    user: the image, declared as image/png
//! ```

use interlingua_model::{Media, MediaKind, MediaSource};
use interlingua_providers::profile::media::{ImageCheck, MediaProfile as Rules};
use interlingua_wire::JsonString;

use crate::edit::media::{edit_block, edit_media};
use crate::engine::Work;
use crate::query::media::{self, MediaPos};
use crate::values::base64;
use crate::values::image_header::ImageHeader;

pub(super) fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    let accepts_any_type = rules.image_types.is_none() && rules.document_types.is_none();
    if !rules.types_must_match && accepts_any_type && !rules.checks_base64 {
        return;
    }
    for media_pos in media::all(work) {
        let Some(correction) = media::media(work, &media_pos)
            .and_then(|media| find_correction(media, &media_pos, rules))
        else {
            continue;
        };
        let message = match (&correction.mime, &correction.data) {
            (Some(mime), _) => {
                let noun = media::media(work, &media_pos)
                    .map_or("image", |media| media::kind_name(media.kind));
                format!("the {noun} is sent as {mime}, its real type")
            }
            (None, _) => "the data are rewritten as standard base64".to_owned(),
        };
        work.record_change(media_pos.ledger_path(), message);
        let dialect = work.profile.dialect;
        edit_block(work, &media_pos, |block| {
            // An unknown format is recorded in the extras; the corrected type replaces it.
            block.extras.retain(dialect, |key, _| key != "format");
        });
        edit_media(work, &media_pos, |media| {
            if let MediaSource::Base64 { mime, data } = &mut media.source {
                *mime = correction.mime.map(JsonString::from_static).or_else(|| mime.take());
                *data = correction.data.unwrap_or_else(|| data.clone());
            }
        });
    }
}

/// The parts of a media source that must be corrected.
struct Correction {
    mime: Option<&'static str>,
    data: Option<JsonString>,
}

fn find_correction(media: &Media, media_pos: &MediaPos, rules: &Rules) -> Option<Correction> {
    let MediaSource::Base64 { mime, data } = &media.source else { return None };
    let contents = data.unescape();
    let rewrite = || Some(base64::normalize(&contents)).filter(|rewritten| *rewritten != *contents);
    if let Some(mime) = document_type(media, rules) {
        return Some(Correction { mime: Some(mime), data: None });
    }
    if media.kind != MediaKind::Image {
        let is_invalid = rules.checks_base64 && !base64::is_valid(&contents, true);
        let data =
            rewrite().filter(|rewritten| is_invalid && base64::is_valid(rewritten, false))?;
        return Some(Correction { mime: None, data: Some(JsonString::new(&data)) });
    }
    let declared = mime.as_ref().map(JsonString::unescape).unwrap_or_default();
    let is_declared_type_accepted = rules.accepts_image_type(&declared);
    let must_match = rules.types_must_match && media_pos.is_direct();
    let is_readable = match rules.image_check {
        ImageCheck::Header if media_pos.is_direct() => None,
        ImageCheck::MagicBytes => Some(base64::is_valid(&contents, false)),
        _ if rules.checks_base64 => Some(base64::is_valid(&contents, true)),
        _ => Some(true),
    };
    if is_declared_type_accepted && !must_match && is_readable == Some(true) {
        return None;
    }
    let header = ImageHeader::read(&contents);
    let valid = is_readable.unwrap_or(header.is_some());
    let rewritten = rewrite().filter(|_| !valid);
    let rewritten_header = rewritten.as_ref().and_then(|rewritten| ImageHeader::read(rewritten));
    let mime = header.or(rewritten_header).map(|header| header.media_type);
    // A type that is not registered; the intended type is used where the first bytes show none.
    let intended =
        || (declared == "image/jpg" && rules.image_check == ImageCheck::Unchecked).then_some(JPEG);
    let mime = mime.or_else(intended);
    let mime = mime.filter(|mime| {
        rules.accepts_image_type(mime)
            && *mime != declared
            && (must_match || !is_declared_type_accepted)
    });
    let data = rewritten
        .filter(|_| rewritten_header.is_some())
        .map(|rewritten| JsonString::new(&rewritten));
    (mime.is_some() || data.is_some()).then_some(Correction { mime, data })
}

/// The type of a document by its first bytes, if it is declared otherwise or not at all.
fn document_type(media: &Media, rules: &Rules) -> Option<&'static str> {
    let MediaSource::Base64 { mime, data } = &media.source else { return None };
    let bare = mime.as_ref().is_some_and(|mime| rules.is_type_without_slash(&mime.unescape()));
    let expected = match rules.document_types {
        Some(types) => *types.first()?,
        None => bare.then_some("application/pdf")?,
    };
    let is_declared = mime.as_ref().is_some_and(|mime| *mime == expected);
    let is_pdf = || data.unescape().starts_with(PDF);
    (media.kind == MediaKind::Document && !is_declared && is_pdf()).then_some(expected)
}

const JPEG: &str = "image/jpeg";

/// First characters of `%PDF-` in base64.
const PDF: &str = "JVBERi";
