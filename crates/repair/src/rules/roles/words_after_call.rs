//! Moves text before calls where text after them is reported to be rejected.
//!
//! A turn with signed reasoning is not reordered. A request in the target's own dialect stays as it
//! is: its client knows the target.
//!
//! ## Why
//! Converse is reported to reject an assistant turn with text after its calls. This is not
//! documented.
//!
//! ## Example
//! ```text
//! before   assistant: call 1, "calling"
//! after    assistant: "calling", call 1
//! ```

use interlingua_model::LedgerPath;

use crate::engine::Work;
use crate::values::block::{BlockPos, is_assistant, is_call, plain_text};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.roles.text_before_calls || work.is_same_dialect() {
        return;
    }
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        if !is_assistant(this) || this.has_sealed_block() {
            continue;
        }
        let Some(first) = this.blocks.iter().position(|block| is_call(block)) else { continue };
        move_text_before(work, turn, first);
    }
}

fn move_text_before(work: &mut Work<'_>, turn: usize, call: usize) {
    let after = call + 1..work.blocks(turn).len();
    let texts = after.filter(|block| plain_text(work.block(turn, *block)).is_some());
    let texts: Vec<BlockPos> = texts.map(|block| (turn, block)).collect();
    for (turn, block) in &texts {
        work.record_change(LedgerPath::block(*turn, *block), "moved text before the calls");
    }
    work.move_blocks_before(&texts, (turn, call));
}
