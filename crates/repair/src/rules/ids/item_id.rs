//! Removes item ids that the provider did not make.
//!
//! Where every item of a conversation may have an id in addition to the call id, the provider
//! recognizes its ids by their format. A client that replays a conversation of another provider
//! sends other ids. The ids are optional: calls and results are matched without them. Reasoning
//! with such an id is from another provider and is removed.
//!
//! ## Why
//! > Invalid 'input\[2\].id': 'call_1'. Expected an ID that begins with 'fc'.
//!
//! > Invalid 'input\[3\].id': string too long. Expected a string with maximum length 64, but got a
//! > string with length 408 instead.
//!
//! > Duplicate item found with id msg_1. Remove duplicate items from your input and try again.
//!
//! ## Example
//! ```text
//! before   {"type": "function_call", "id": "call_1", "call_id": "call_1", …}
//! after    {"type": "function_call", "call_id": "call_1", …}
//! ```

use std::collections::HashSet;

use interlingua_model::{
    Block, BlockContent, DialectId, Extras, LedgerPath, Spelling, ToolArgs, derive_id,
};
use interlingua_providers::profile::calls::ItemIdFormat;
use interlingua_wire::{JsonString, RawJson};

use crate::edit::{lone_reasoning, remove_reasoning};
use crate::engine::Work;
use crate::values::block::without_key;
use crate::values::fingerprint::{fingerprint, has_duplicates};

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(ids) = work.profile.calls.item_id_format else { return };
    if are_ids_valid(work, &ids) {
        return;
    }
    let dialect = work.profile.dialect;
    let mut seen = HashSet::new();
    for turn in 0..work.turns().len() {
        let id = written_id(&work.turns()[turn].extras, dialect);
        if let Some(id) = id.filter(|id| !accept(&ids, Some(ids.message_prefix), id, &mut seen)) {
            let remaining = without_key(&work.turns()[turn].extras, dialect, ID_FIELD);
            work.edit_turn(turn).extras = remaining;
            work.record_change(LedgerPath::turn(turn), format!("left out the id {id}"));
            if id.raw().starts_with(ids.reasoning_prefix) {
                remove_reasoning::drop_ids_after_reasoning(work, turn + 1);
            }
        }
        let mut at = 0;
        while at < work.blocks(turn).len() {
            at += usize::from(check_block(work, &ids, turn, at, &mut seen));
        }
    }
    // Items that follow removed reasoning still refer to its id.
    lone_reasoning::remove_lone_reasoning(work);
}

/// Whether all ids are valid and none is likely a duplicate.
fn are_ids_valid(work: &Work<'_>, ids: &ItemIdFormat) -> bool {
    let (dialect, is_reencoded) = (work.profile.dialect, !work.is_same_dialect());
    let mut seen = Vec::new();
    let mut is_valid = |(id, prefix): (JsonString, Option<&str>)| {
        seen.push(fingerprint(&id));
        is_valid(ids, prefix, &id.unescape())
    };
    for turn in work.turns() {
        let id = written_id(&turn.extras, dialect).map(|id| (id, Some(ids.message_prefix)));
        let block_ids = turn.blocks.iter();
        let mut block_ids = block_ids.filter_map(|block| id_of(block, ids, dialect, is_reencoded));
        if !id.is_none_or(&mut is_valid) || !block_ids.all(&mut is_valid) {
            return false;
        }
    }
    !has_duplicates(&mut seen)
}

/// Checks one block; returns whether it is still there.
fn check_block(
    work: &mut Work<'_>,
    ids: &ItemIdFormat,
    turn: usize,
    at: usize,
    seen: &mut HashSet<String>,
) -> bool {
    let dialect = work.profile.dialect;
    let block = work.block(turn, at);
    let is_reencoded = !work.is_same_dialect();
    let Some((id, prefix)) = id_of(block, ids, dialect, is_reencoded) else { return true };
    if accept(ids, prefix, &id, seen) {
        return true;
    }
    let path = LedgerPath::block(turn, at);
    match &block.content {
        BlockContent::Reasoning(_) => {
            work.record_loss(path, format!("left out reasoning with the id {id}"));
            work.remove_block(turn, at);
            remove_reasoning::drop_ids_after_reasoning(work, turn + 1);
            return false;
        }
        BlockContent::Foreign { json, kind, .. }
            if !ids.id_required_kinds.iter().any(|needed| kind == needed) =>
        {
            let remaining = RawJson::object(|object| {
                let doc = json.to_doc();
                for field in doc.root().fields().filter(|field| !field.key_is(ID_FIELD)) {
                    object.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            });
            if let BlockContent::Foreign { json, .. } = &mut work.edit_block(turn, at).content {
                *json = remaining;
            }
        }
        BlockContent::Foreign { kind, .. } => {
            let message = format!("left out `{kind}` {id}: it is a duplicate");
            work.record_loss(path, message);
            work.remove_block(turn, at);
            return false;
        }
        BlockContent::ToolCall(_) | BlockContent::ToolResult(_) => {
            let remaining = without_key(&block.extras, dialect, ID_FIELD);
            work.edit_block(turn, at).extras = remaining;
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_) => return true,
    }
    work.record_change(path, format!("left out the id {id}"));
    true
}

/// The id of an item, and its required prefix.
fn id_of(
    block: &Block,
    ids: &ItemIdFormat,
    dialect: DialectId,
    is_reencoded: bool,
) -> Option<(JsonString, Option<&'static str>)> {
    match &block.content {
        BlockContent::ToolCall(call) => {
            let freeform = matches!(call.args, ToolArgs::Freeform(_));
            let prefix = if freeform { ids.freeform_prefix } else { ids.call_prefix };
            Some((written_id(&block.extras, dialect)?, Some(prefix)))
        }
        BlockContent::ToolResult(_) => {
            let freeform = block.extras.has(dialect, Spelling::FreeformResult);
            let prefix = if freeform { ids.freeform_prefix } else { ids.call_prefix };
            Some((written_id(&block.extras, dialect)?, Some(prefix)))
        }
        BlockContent::Reasoning(_) => {
            let seal = block.seal.as_ref();
            let id = seal.and_then(|seal| seal.id.clone()).filter(|id| !id.is_empty());
            if let Some(id) = id.or_else(|| written_id(&block.extras, dialect)) {
                return Some((id, Some(ids.reasoning_prefix)));
            }
            // A block without verbatim text gets an id that is derived from the seal alone.
            let data = seal.filter(|_| is_reencoded).map(|seal| &seal.data)?;
            Some((derive_id(ids.reasoning_prefix, data, 0), Some(ids.reasoning_prefix)))
        }
        BlockContent::Foreign { dialect: block_dialect, kind, json }
            if *block_dialect == dialect =>
        {
            let doc = json.to_doc();
            let id = doc.root().get(ID_FIELD)?.json_string().filter(|id| !id.is_empty())?;
            let prefix = ids.other_prefixes.iter().find(|(known, _)| kind == known);
            Some((id, prefix.map(|(_, prefix)| *prefix)))
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::Foreign { .. } => None,
    }
}

fn written_id(extras: &Extras, dialect: DialectId) -> Option<JsonString> {
    if extras.is_empty() {
        return None;
    }
    extras.get(dialect, ID_FIELD)?.json_string().filter(|id| !id.is_empty())
}

/// Whether an id is valid and not a duplicate.
fn accept(
    ids: &ItemIdFormat,
    prefix: Option<&str>,
    id: &JsonString,
    seen: &mut HashSet<String>,
) -> bool {
    let contents = id.unescape();
    is_valid(ids, prefix, &contents) && seen.insert(contents.into_owned())
}

fn is_valid(ids: &ItemIdFormat, prefix: Option<&str>, id: &str) -> bool {
    prefix.is_none_or(|prefix| id.starts_with(prefix))
        && (id.len() <= ids.max_chars || id.chars().count() <= ids.max_chars)
}

const ID_FIELD: &str = "id";
