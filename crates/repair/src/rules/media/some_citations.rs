//! Enables citations on all documents or on none, as the first document has it.
//!
//! So a later document does not change the turns before it. With a structured answer format,
//! citations are turned off.
//!
//! ## Why
//! > Citations must be enabled on all documents or on none of them.
//!
//! ## Example
//! ```text
//! before   user: a document to be cited, another one
//! after    user: a document to be cited, another one to be cited
//! ```

use interlingua_model::{BlockContent, LedgerPath, MediaKind, ResponseFormat};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::edit::media::edit_block;
use crate::engine::Work;
use crate::query::media::{self, MediaPos};

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.media.mixed_citations {
        return;
    }
    let has_format =
        !matches!(work.conversation().settings.response_format, None | Some(ResponseFormat::Text));
    let is_document = |work: &Work<'_>, media_pos: &MediaPos| {
        media_pos.is_direct()
            && media::media(work, media_pos).is_some_and(|media| media.kind == MediaKind::Document)
    };
    let mut first_setting = has_format.then_some(false);
    for media_pos in media::all(work) {
        if !is_document(work, &media_pos) {
            continue;
        }
        let block = media::block(work, &media_pos);
        let is_cited =
            block.extras.get(work.profile.dialect, CITATIONS_FIELD).is_some_and(is_enabled);
        let is_wanted = *first_setting.get_or_insert(is_cited);
        if is_cited != is_wanted {
            record_citations(work, media_pos.ledger_path(), is_wanted);
            let dialect = work.profile.dialect;
            edit_block(work, &media_pos, |block| {
                block.extras.retain(dialect, |key, _| key != CITATIONS_FIELD);
                if is_wanted {
                    block.extras.push(
                        dialect,
                        JsonString::from_static(CITATIONS_FIELD),
                        enabled_json(),
                    );
                }
            });
        }
    }
    align_search_results(work, has_format.then_some(false));
}

/// Does the same for search results.
fn align_search_results(work: &mut Work<'_>, mut first_setting: Option<bool>) {
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let BlockContent::Foreign { kind, json, .. } = &work.block(turn, at).content else {
                continue;
            };
            if kind != "search_result" {
                continue;
            }
            let doc = json.to_doc();
            let written = doc.root().get(CITATIONS_FIELD).map(JsonNode::json);
            let is_cited = written.as_ref().is_some_and(is_enabled);
            let is_wanted = *first_setting.get_or_insert(is_cited);
            if is_cited == is_wanted {
                continue;
            }
            let rewritten = RawJson::object(|object| {
                for field in doc.root().fields().filter(|field| !field.key_is(CITATIONS_FIELD)) {
                    object.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
                if is_wanted {
                    object.json(CITATIONS_FIELD, &enabled_json());
                }
            });
            record_citations(work, LedgerPath::block(turn, at), is_wanted);
            if let BlockContent::Foreign { json, .. } = &mut work.edit_block(turn, at).content {
                *json = rewritten;
            }
        }
    }
}

fn record_citations(work: &mut Work<'_>, path: LedgerPath, is_wanted: bool) {
    if is_wanted {
        work.record_change(path, "citations are turned on, as for the first document");
    } else {
        work.record_loss(
            path,
            "citations are turned off: the first document has none, or the answer format excludes them",
        );
    }
}

fn is_enabled(citations: &RawJson) -> bool {
    citations.to_doc().root().get("enabled").and_then(JsonNode::as_bool) == Some(true)
}

fn enabled_json() -> RawJson {
    RawJson::object(|object| object.boolean("enabled", true))
}

const CITATIONS_FIELD: &str = "citations";
