//! Splits text and calls into two turns where the target accepts only one of them in a turn.
//!
//! ## Why
//! > Assistant message must have either content or tool_calls, but not both.
//!
//! ## Example
//! ```text
//! before   assistant: "I look.", call 1
//! after    assistant: "I look."   user: "Continue."   assistant: call 1
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::{BlockPos, is_assistant, is_call, plain_text};
use crate::values::placeholder::CONTINUE;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.roles.allows_text_with_calls {
        return;
    }
    let mut turn = 0;
    while turn < work.turns().len() {
        while is_merged_with_next(work, turn) {
            work.merge_next(turn);
        }
        let this = &work.turns()[turn];
        let calls = this.blocks.iter().filter(|block| is_call(block)).count();
        let has_content = this
            .blocks
            .iter()
            .any(|block| !is_call(block) && !is_empty(block) && work.is_encoded(block));
        if is_assistant(this) && calls > 0 && !has_content {
            remove_empty_parts(work, turn);
        }
        let this = &work.turns()[turn];
        if is_assistant(this) && calls > 0 && has_content {
            split_turn(work, turn);
        } else if is_assistant(this) && calls == 0 && precedes_call_turn(work, turn) {
            work.insert_turn(turn + 1, separator_turn());
            work.record_change(LedgerPath::turn(turn + 1), "split text and calls into two turns");
        }
        turn += 1;
    }
}

/// Removes empty parts, which count as content.
fn remove_empty_parts(work: &mut Work<'_>, turn: usize) {
    let dialect = work.profile.dialect;
    // Several texts are encoded as a list, which is content even if each text is empty.
    let is_reencoded = work.turns()[turn].text_for(dialect).is_none();
    let is_list =
        is_reencoded && work.blocks(turn).iter().filter(|block| is_empty(block)).nth(1).is_some();
    work.remove_blocks_where(turn, |work, at| {
        let block = work.block(turn, at);
        let is_part = !is_call(block) && block.text_for(dialect).is_some();
        let is_text = is_empty(block) && (is_list || !work.is_same_dialect());
        if is_part {
            work.record_loss(LedgerPath::block(turn, at), "left out an empty part next to calls");
        } else if is_text {
            work.record_change(LedgerPath::block(turn, at), "left out an empty text next to calls");
        }
        is_part || is_text
    });
}

fn is_empty(block: &Block) -> bool {
    plain_text(block).is_some_and(JsonString::is_empty)
}

/// Whether the assistant continues in the next turn after calls; the encoder merges both turns.
fn is_merged_with_next(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let next =
        work.turns().get(turn + 1).filter(|next| is_assistant(next) && !work.is_same_dialect());
    next.is_some() && is_assistant(this) && this.blocks.iter().any(|block| is_call(block))
}

/// Whether the next assistant turn has calls; the encoder merges both turns.
fn precedes_call_turn(work: &Work<'_>, turn: usize) -> bool {
    let next =
        work.turns().get(turn + 1).filter(|next| is_assistant(next) && !work.is_same_dialect());
    next.is_some_and(|next| next.blocks.iter().any(|block| is_call(block)))
}

fn separator_turn() -> Turn {
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(JsonString::from_static(CONTINUE)).into());
    turn
}

fn split_turn(work: &mut Work<'_>, turn: usize) {
    work.insert_turn(turn + 1, separator_turn());
    work.insert_turn(turn + 2, Turn::new(Role::Assistant));
    let all = 0..work.blocks(turn).len();
    let calls: Vec<BlockPos> =
        all.filter(|at| is_call(work.block(turn, *at))).map(|at| (turn, at)).collect();
    work.move_blocks_to_end(&calls, turn + 2);
    work.record_change(LedgerPath::turn(turn), "split text and calls into two turns");
}
