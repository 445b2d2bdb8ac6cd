//! Decodes annotations of a message as citations.

use interlingua_model::{Block, BlockContent, Citation, Ledger, LedgerPath, Spelling, Verbatim};
use interlingua_wire::{JsonNode, JsonString};

use super::decode::message_fields::MessageFields;
use super::id::ID;
use crate::note;

/// Attaches annotations to the last text of the message. Without a text, a request keeps them
/// unchanged.
pub(super) fn attach_annotations(
    fields: &mut MessageFields<'_>,
    blocks: &mut [Verbatim<Block>],
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    let Some(list) = fields.annotations.filter(|list| !list.is_empty()) else { return };
    let text =
        blocks.iter_mut().rev().find(|block| matches!(block.content, BlockContent::Text { .. }));
    match text {
        // Citations are stored outside the block's original text, so that text stays valid.
        Some(text) => text.edit_keeping_text(|block| {
            if let BlockContent::Text { citations, .. } = &mut block.content {
                citations.extend(list.items().map(decode_citation));
            }
        }),
        None if path == LedgerPath::REPLY => {
            ledger.record_loss(note::CITATION_REDUCED, path, "left out annotations without a text");
        }
        None => {
            fields.extras.remove_spellings(ID, Spelling::AnnotationsField);
            fields.extras.push(ID, JsonString::from_static("annotations"), list.json());
        }
    }
}

/// Decodes an annotation such as `url_citation`.
pub(super) fn decode_citation(node: JsonNode<'_>) -> Citation {
    let inner = node.get("url_citation").unwrap_or(node);
    let get = |key: &str| inner.get(key).and_then(JsonNode::json_string);
    let count = |key: &str| inner.get(key).and_then(JsonNode::as_u64);
    Citation {
        url: get("url"),
        title: get("title"),
        quote: get("content"),
        span: count("start_index").zip(count("end_index")),
        original: Some((ID, node.json())),
    }
}
