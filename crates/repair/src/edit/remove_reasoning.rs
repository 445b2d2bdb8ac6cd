//! Removes reasoning blocks, and ids and turns that make no sense without them.

use std::ops::Range;

use interlingua_model::{
    Block, BlockContent, DialectId, Extras, LedgerPath, Role, Verbatim, WrittenForm,
};
use interlingua_wire::RawJson;

use crate::engine::{Removals, Work};
use crate::values::block::{ID_FIELD, is_reasoning_block, item_id};

/// Drops the ids of items behind removed reasoning, up to the next reasoning: with an id, the
/// provider looks for the reasoning that precedes the item, and rejects the request if it is
/// missing. Returns the end of the range that was processed.
pub(crate) fn drop_ids_after_reasoning(work: &mut Work<'_>, from: usize) -> usize {
    drop_ids_within(work, from..work.turns().len())
}

fn drop_ids_within(work: &mut Work<'_>, turns: Range<usize>) -> usize {
    let end = turns.end;
    if work.profile.calls.item_id_format.is_none() || !work.is_same_dialect() {
        return end;
    }
    let dialect = work.profile.dialect;
    let mut is_separated = false;
    for turn in turns {
        let source = &work.turns()[turn];
        if source.blocks.iter().any(|block| is_reasoning_block(block)) {
            return turn;
        }
        // Items that depend on the reasoning may follow turns of another role.
        let has_id = !is_separated && source.extras.get(dialect, ID_FIELD).is_some();
        if source.role != Role::Assistant && !has_id {
            let is_result =
                |block: &Verbatim<Block>| matches!(block.content, BlockContent::ToolResult(_));
            is_separated |= source.blocks.is_empty() || !source.blocks.iter().all(is_result);
            continue;
        }
        if source.extras.get(dialect, ID_FIELD).is_some() {
            work.edit_turn(turn).extras.retain(dialect, |key, _| *key != ID_FIELD);
            work.record_change(LedgerPath::turn(turn), ID_DROPPED);
        }
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            if item_id(block, dialect).is_none()
                || matches!(block.content, BlockContent::Foreign { .. })
            {
                continue;
            }
            drop_id(&mut work.edit_block(turn, at).extras, dialect);
            work.record_change(LedgerPath::block(turn, at), ID_DROPPED);
        }
    }
    end
}

/// Drops the id of an item and of the message that begins with it.
fn drop_id(extras: &mut Extras, dialect: DialectId) {
    extras.retain(dialect, |key, _| *key != ID_FIELD);
    if let Some(message) = extras.written_message(dialect).map(RawJson::to_doc) {
        let rest = message.root().fields().filter(|field| !field.key_is(ID_FIELD));
        let fields = RawJson::object(|o| {
            rest.for_each(|field| {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            });
        });
        extras.set_written(dialect, WrittenForm::Message(fields));
    }
}

/// Removes every reasoning block for which `gone` returns a ledger text. An empty turn is removed
/// as well, unless instructions behind it would become leading instructions, or it is a user turn,
/// which separates the assistant turns around it.
pub(crate) fn remove_reasoning(
    work: &mut Work<'_>,
    turns: Range<usize>,
    mut describe_removal: impl FnMut(&Work<'_>, usize, usize) -> Option<String>,
) {
    // Ids of the turns from here on are already dropped.
    let mut ids_dropped_from = work.turns().len();
    let mut emptied = Removals::default();
    for turn in turns.rev() {
        if !work.blocks(turn).iter().any(|block| is_reasoning_block(block)) {
            continue;
        }
        let is_changed = work.remove_blocks_where(turn, |work, at| {
            let is_reasoning = is_reasoning_block(work.block(turn, at));
            let Some(description) =
                is_reasoning.then(|| describe_removal(work, turn, at)).flatten()
            else {
                return false;
            };
            work.record_loss(LedgerPath::block(turn, at), description);
            true
        });
        if !is_changed {
            continue;
        }
        drop_ids_within(work, turn + 1..ids_dropped_from);
        ids_dropped_from = turn + 1;
        let is_user = work.turns()[turn].role == Role::User;
        let is_empty = work.blocks(turn).is_empty();
        if !is_user
            && is_empty
            && !work.separates_instructions_at(turn, emptied.next_kept_after(turn))
        {
            emptied.push(turn);
            ids_dropped_from = turn;
        }
    }
    work.remove_turns(&emptied.into_indices());
}

const ID_DROPPED: &str = "left out the id: the reasoning that it goes with is gone";
