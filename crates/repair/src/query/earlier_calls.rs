//! Decides whether a call before a turn has an id, or may have it: calls in blocks of one dialect
//! and items that the provider stores count as well.

use interlingua_model::{Block, BlockContent, Verbatim};
use interlingua_wire::{JsonNode, JsonString};

use super::{continued, unknown_block};
use crate::engine::{CallIndex, Work};

/// Ids of results that may answer a foreign call or an item that the provider stores.
enum AnswerableIds {
    Any,
    One(String),
}

fn answerable_ids(work: &Work<'_>, turn: usize, block: &Verbatim<Block>) -> Option<AnswerableIds> {
    let BlockContent::Foreign { kind, json, .. } = &block.content else { return None };
    // A block that is not accepted is not sent.
    if !unknown_block::is_accepted(work, block, work.turns()[turn].role) {
        return None;
    }
    if kind == continued::ITEM_REFERENCE {
        // A reference to an item that is not stored is not sent, either.
        let is_sent =
            string_field(json.to_doc().root(), "id").is_empty() || !continued::is_stateless(work);
        return is_sent.then_some(AnswerableIds::Any);
    }
    let pair = work.profile.calls.foreign_pairs.iter().find(|pair| *kind == pair.call_kind)?;
    Some(AnswerableIds::One(string_field(json.to_doc().root(), pair.id_fields.0)))
}

pub(crate) fn string_field(node: JsonNode<'_>, key: &str) -> String {
    node.get(key).map(|value| value.str_or_empty().into_owned()).unwrap_or_default()
}

/// Whether a call before this turn has this id, or may have it.
pub(crate) fn has_call_before(work: &Work<'_>, turn: usize, id: &JsonString) -> bool {
    let mut index = work.call_index();
    scan(work, &mut index, turn);
    index.calls.is_before(id, turn)
        || index.wildcard_turns.first().is_some_and(|first| *first < turn)
        || index.foreign_calls.is_before(id, turn)
}

fn scan(work: &Work<'_>, index: &mut CallIndex, until: usize) {
    let until = until.min(work.turns().len());
    for turn in index.scanned_turns..until {
        for block in work.blocks(turn) {
            if let BlockContent::ToolCall(call) = &block.content {
                index.calls.insert(&call.id.unescape(), turn);
            }
            match answerable_ids(work, turn, block) {
                Some(AnswerableIds::Any) => index.wildcard_turns.push(turn),
                Some(AnswerableIds::One(id)) => index.foreign_calls.insert(&id, turn),
                None => {}
            }
        }
    }
    index.scanned_turns = index.scanned_turns.max(until);
}
