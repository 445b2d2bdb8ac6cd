//! Annotations of a message, decoded: marks on its text.

use interlingua_model::{Block, Body, Citation, Ledger, Place, Verbatim};
use interlingua_wire::{Node, Text};

use super::ID;
use super::fields::Fields;
use crate::note;

/// Annotations mark the last text of the message; where there is none, a request keeps them as they are.
pub(super) fn decode(
    fields: &mut Fields<'_>,
    blocks: &mut [Verbatim<Block>],
    place: Place,
    ledger: &mut Ledger,
) {
    let Some(list) = fields.annotations.filter(|list| !list.is_empty()) else { return };
    let text = blocks.iter_mut().rev().find(|block| matches!(block.body, Body::Text { .. }));
    match text {
        // They stand beside the text, as the message's signature does: a part stays as it is written.
        Some(text) => text.change_beside(|block| {
            if let Body::Text { citations, .. } = &mut block.body {
                citations.extend(list.items().map(citation));
            }
        }),
        None if place == Place::REPLY => {
            ledger.loss(note::CITATION_REDUCED, place, "annotations without a text are left out");
        }
        None => {
            fields.extras.retain(ID, |key, _| *key != "held annotations");
            fields.extras.put(ID, Text::word("annotations"), list.json());
        }
    }
}

/// A mark such as `url_citation`.
pub(super) fn citation(node: Node<'_>) -> Citation {
    let inner = node.get("url_citation").unwrap_or(node);
    let get = |key: &str| inner.get(key).and_then(Node::text);
    let count = |key: &str| inner.get(key).and_then(Node::count);
    Citation {
        url: get("url"),
        title: get("title"),
        quote: get("content"),
        span: count("start_index").zip(count("end_index")),
        written: Some((ID, node.json())),
    }
}
