//! Replaces the oldest images or documents beyond the target's limit with notes.
//!
//! ## Why
//! > too many images and documents: 105 + 0 > 100
//!
//! > The number of documents in the Message object at messages.0 exceeds 5.
//!
//! ## Example
//! ```text
//! before   101 images
//! after    "[image omitted: more than 100 images]" and the last 100
//! ```

use interlingua_model::{MediaKind, MediaSource, Role, Turn, Verbatim};

use crate::edit::media::replace_with_note;
use crate::engine::Work;
use crate::query::media::{self, MediaPos};
use crate::values::base64;

pub(super) fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    let limits = [rules.max_images, rules.max_pdf_pages, rules.max_images_per_message];
    if limits.iter().all(Option::is_none) {
        return;
    }
    let positions = media::all(work);
    if positions.is_empty() {
        return;
    }
    let direct_media = |work: &Work<'_>, kind: MediaKind| -> Vec<MediaPos> {
        let has_kind = |media_pos: &&MediaPos| {
            media_pos.is_direct()
                && media::media(work, media_pos).is_some_and(|media| media.kind == kind)
        };
        positions.iter().filter(has_kind).cloned().collect()
    };
    if let Some(max) = rules.max_images {
        keep_last(work, &direct_media(work, MediaKind::Image), max, "images");
    }
    if let Some(max) = rules.max_pdf_pages {
        limit_pdf_pages(work, &direct_media(work, MediaKind::Document), max);
    }
    for (kind, max, nouns) in [
        (MediaKind::Image, rules.max_images_per_message, "images in a message"),
        (MediaKind::Document, rules.max_documents_per_message, "documents in a message"),
    ] {
        let Some(max) = max else { continue };
        let all: Vec<MediaPos> =
            direct_media(work, kind).into_iter().filter(MediaPos::is_top_level).collect();
        let messages: Vec<&[MediaPos]> = all.chunk_by(|a, b| is_one_message(work, a, b)).collect();
        for message in messages {
            keep_last(work, message, max, nouns);
        }
    }
}

/// Replaces all but the last `max` media with notes.
fn keep_last(work: &mut Work<'_>, positions: &[MediaPos], max: usize, nouns: &str) {
    for media_pos in &positions[..positions.len().saturating_sub(max)] {
        replace_with_note(work, media_pos, &format!("more than {max} {nouns}"));
    }
}

/// Whether two positions, in order, are in turns that are sent as one message.
fn is_one_message(work: &Work<'_>, first: &MediaPos, end: &MediaPos) -> bool {
    let (Some(first), Some(end)) = (first.turn, end.turn) else { return first.turn == end.turn };
    let is_assistant_turn = |turn: &Verbatim<Turn>| turn.role == Role::Assistant;
    let mut sides = work.turns()[first..=end].iter().map(is_assistant_turn);
    sides.next().is_none_or(|first| sides.all(|next| next == first))
}

fn limit_pdf_pages(work: &mut Work<'_>, documents: &[MediaPos], max: usize) {
    let counts: Vec<usize> = documents
        .iter()
        .map(|media_pos| match media::media(work, media_pos).map(|media| &media.source) {
            Some(MediaSource::Base64 { data, .. }) => count_pdf_pages(&data.unescape()),
            _ => 0,
        })
        .collect();
    let mut total: usize = counts.iter().sum();
    for (media_pos, count) in documents.iter().zip(&counts) {
        if total > max && *count > 0 {
            replace_with_note(work, media_pos, &format!("more than {max} pages"));
            total -= count;
        }
    }
}

/// Counts the pages of a PDF. Pages in compressed object streams are not counted.
fn count_pdf_pages(data: &str) -> usize {
    let Some(bytes) = base64::decode(data, data.len()) else { return 0 };
    let named = bytes.windows(PAGE.len()).enumerate().filter(|(_, window)| *window == PAGE);
    let is_page = |at: usize| {
        let rest = bytes[at + PAGE.len()..].trim_ascii_start();
        rest.strip_prefix(b"/Page").is_some_and(|rest| !rest.starts_with(b"s"))
    };
    named.filter(|(at, _)| is_page(*at)).count()
}

const PAGE: &[u8] = b"/Type";
