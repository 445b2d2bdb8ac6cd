//! Of more images or documents than the target takes, the oldest are left out, and the text says so.
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

use interlingua_model::{MediaKind, Role, Source, Turn, Verbatim};

use crate::Work;
use crate::media::{self, Spot, base64};

pub fn apply(work: &mut Work<'_>) {
    let rules = &work.profile.media;
    let limits = [rules.most_images, rules.most_pages, rules.message_images];
    if limits.iter().all(Option::is_none) {
        return;
    }
    let spots = media::all(work);
    if spots.is_empty() {
        return;
    }
    let of = |work: &Work<'_>, kind: MediaKind| -> Vec<Spot> {
        let is = |spot: &&Spot| {
            spot.is_seen() && media::media(work, spot).is_some_and(|media| media.kind == kind)
        };
        spots.iter().filter(is).cloned().collect()
    };
    if let Some(most) = rules.most_images {
        leave(work, &of(work, MediaKind::Image), most, "images");
    }
    if let Some(most) = rules.most_pages {
        pages(work, &of(work, MediaKind::Document), most);
    }
    for (kind, most, nouns) in [
        (MediaKind::Image, rules.message_images, "images in a message"),
        (MediaKind::Document, rules.message_documents, "documents in a message"),
    ] {
        let Some(most) = most else { continue };
        let all: Vec<Spot> = of(work, kind).into_iter().filter(Spot::is_outer).collect();
        let messages: Vec<&[Spot]> =
            all.chunk_by(|one, other| is_one_message(work, one, other)).collect();
        for message in messages {
            leave(work, message, most, nouns);
        }
    }
}

/// Leaves out the first of too many.
fn leave(work: &mut Work<'_>, spots: &[Spot], most: usize, nouns: &str) {
    for spot in &spots[..spots.len().saturating_sub(most)] {
        media::omit(work, spot, &format!("more than {most} {nouns}"));
    }
}

/// Whether two spots, the one before the other, are in turns that leave as one message.
fn is_one_message(work: &Work<'_>, one: &Spot, other: &Spot) -> bool {
    let (Some(one), Some(other)) = (one.turn, other.turn) else { return one.turn == other.turn };
    let assistants = |turn: &Verbatim<Turn>| turn.role == Role::Assistant;
    let mut between = work.turns()[one..=other].iter().map(assistants);
    between.next().is_none_or(|first| between.all(|next| next == first))
}

fn pages(work: &mut Work<'_>, documents: &[Spot], most: usize) {
    let counts: Vec<usize> = documents
        .iter()
        .map(|spot| match media::media(work, spot).map(|media| &media.source) {
            Some(Source::Base64 { data, .. }) => count(&data.contents()),
            _ => 0,
        })
        .collect();
    let mut all: usize = counts.iter().sum();
    for (spot, count) in documents.iter().zip(&counts) {
        if all > most && *count > 0 {
            media::omit(work, spot, &format!("more than {most} pages"));
            all -= count;
        }
    }
}

/// The pages of a PDF, where its objects stand in the open.
fn count(data: &str) -> usize {
    let Some(bytes) = base64::decode(data, data.len()) else { return 0 };
    let named = bytes.windows(PAGE.len()).enumerate().filter(|(_, window)| *window == PAGE);
    let is_page = |at: usize| {
        let rest = bytes[at + PAGE.len()..].trim_ascii_start();
        rest.strip_prefix(b"/Page").is_some_and(|rest| !rest.starts_with(b"s"))
    };
    named.filter(|(at, _)| is_page(*at)).count()
}

const PAGE: &[u8] = b"/Type";
