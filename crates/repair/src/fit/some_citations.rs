//! All documents are to be cited, or none; the first says which.
//!
//! So what was sent before does not change when another document comes. Where the answer is to have a
//! form of its own, none is cited.
//!
//! ## Why
//! > Citations must be enabled on all documents or on none of them.
//!
//! ## Example
//! ```text
//! before   user: a document to be cited, another one
//! after    user: a document to be cited, another one to be cited
//! ```

use interlingua_model::{Body, Format, MediaKind, Place};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::media::{self, Spot};

pub fn apply(work: &mut Work<'_>) {
    if work.profile.media.mixed_sources {
        return;
    }
    let formed = !matches!(work.conversation().settings.format, None | Some(Format::Text));
    let is_document = |work: &Work<'_>, spot: &Spot| {
        spot.is_seen()
            && media::media(work, spot).is_some_and(|one| one.kind == MediaKind::Document)
    };
    let mut first = formed.then_some(false);
    for spot in media::all(work) {
        if !is_document(work, &spot) {
            continue;
        }
        let block = media::block(work, &spot);
        let cited = block.extras.find(work.profile.dialect, FIELD).is_some_and(is_on);
        let wanted = *first.get_or_insert(cited);
        if cited != wanted {
            note(work, spot.place(), wanted);
            let dialect = work.profile.dialect;
            media::edit(work, &spot, |block| {
                block.extras.retain(dialect, |key, _| key != FIELD);
                if wanted {
                    block.extras.put(dialect, Text::word(FIELD), enabled());
                }
            });
        }
    }
    found(work, formed.then_some(false));
}

/// The same of what a search found.
fn found(work: &mut Work<'_>, mut first: Option<bool>) {
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let Body::Foreign { kind, json, .. } = &work.block(turn, at).body else { continue };
            if kind != "search_result" {
                continue;
            }
            let doc = json.doc();
            let written = doc.root().get(FIELD).map(Node::json);
            let cited = written.as_ref().is_some_and(is_on);
            let wanted = *first.get_or_insert(cited);
            if cited == wanted {
                continue;
            }
            let rewritten = Json::object(|object| {
                for field in doc.root().fields().filter(|field| !field.is(FIELD)) {
                    object.key_text(&field.key()).json(&field.value.json());
                }
                if wanted {
                    object.json(FIELD, &enabled());
                }
            });
            note(work, Place::block(turn, at), wanted);
            if let Body::Foreign { json, .. } = &mut work.edit(turn, at).body {
                *json = rewritten;
            }
        }
    }
}

fn note(work: &mut Work<'_>, place: Place, wanted: bool) {
    if wanted {
        work.change(place, "the document is to be cited, as the first one is");
    } else {
        work.loss(place, "the document is not to be cited: the first one is not, or nothing is");
    }
}

fn is_on(citations: &Json) -> bool {
    citations.doc().root().get("enabled").and_then(Node::boolean) == Some(true)
}

fn enabled() -> Json {
    Json::object(|object| object.boolean("enabled", true))
}

const FIELD: &str = "citations";
