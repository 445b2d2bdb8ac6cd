//! Removes reasoning items that no item follows.

use interlingua_model::{Block, BlockContent, Role, Turn};
use interlingua_wire::{JsonString, RawJson};

use crate::edit::remove_reasoning;
use crate::engine::Work;
use crate::values::block::{is_sealed, item_id};

pub(crate) fn remove_lone_reasoning(work: &mut Work<'_>) {
    if !work.profile.reasoning.is_item {
        return;
    }
    let is_stateless = work.conversation().settings.store == Some(false);
    let all = 0..work.turns().len();
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        let block = work.block(turn, at);
        id_of(block, work)?;
        let is_sent_by_value = is_stateless && is_sealed(block);
        let mut rest = work.blocks(turn)[at + 1..].iter();
        let has_follower = match rest.find(|block| is_encoded(block, work)) {
            // A turn of another dialect has both items together; it is encoded without ids.
            Some(next) => is_sent_by_value || id_of(next, work).is_some(),
            None => next_turn(work, turn)
                .is_some_and(|next| is_followed_by(next, is_sent_by_value, work)),
        };
        (!has_follower).then(|| "left out reasoning: the item that it led to is missing".to_owned())
    });
}

fn is_followed_by(next: &Turn, is_sent_by_value: bool, work: &Work<'_>) -> bool {
    let has_id = |extras: &interlingua_model::Extras| {
        extras
            .get(work.profile.dialect, "id")
            .and_then(RawJson::json_string)
            .is_some_and(|id| !id.is_empty())
    };
    next.role == Role::Assistant
        && (is_sent_by_value
            || has_id(&next.extras)
            || next.blocks.first().is_some_and(|block| id_of(block, work).is_some()))
}

/// Whether the block is encoded: blocks of other dialects are not, and no reasoning leads to them.
fn is_encoded(block: &Block, work: &Work<'_>) -> bool {
    !matches!(&block.content, BlockContent::Foreign { dialect, .. } if *dialect != work.profile.dialect)
}

/// The next turn, except assistant turns without any encoded block.
fn next_turn<'w>(work: &'w Work<'_>, turn: usize) -> Option<&'w Turn> {
    let is_unwritten = |turn: &Turn| {
        turn.role == Role::Assistant
            && !turn.blocks.is_empty()
            && !turn.blocks.iter().any(|block| is_encoded(block, work))
    };
    work.turns()[turn + 1..].iter().map(|turn| &**turn).find(|turn| !is_unwritten(turn))
}

fn id_of(block: &Block, work: &Work<'_>) -> Option<JsonString> {
    item_id(block, work.profile.dialect)
}
