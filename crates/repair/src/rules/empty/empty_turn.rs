//! Removes turns without content, or fills them with a placeholder.
//!
//! Empty assistant turns and instructions are removed. An empty user turn is removed after another
//! user turn, and gets the text `(empty message)` otherwise: it separates two assistant turns. The
//! placeholder is never blank, because blank texts are rejected as well.
//!
//! ## Why
//! > messages.2: all messages must have non-empty content except for the optional final assistant
//! > message
//!
//! > The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the
//! > content field and try again.
//!
//! > Unable to submit request because it must include at least one parts field, which describes the
//! > prompt input.
//!
//! > Invalid request: the message at position 79 with role 'assistant' must not be empty
//!
//! ## Example
//! ```text
//! before   user: ""                  assistant: "hi"   user: "a"   assistant: (nothing)   user: "b"
//! after    user: "(empty message)"   assistant: "hi"   user: "a"   user: "b"
//! ```

use interlingua_model::{Block, LedgerPath, Role};
use interlingua_wire::{JsonString, RawJson};

use crate::edit::empty_texts::{note_removal, remove_noted};
use crate::engine::{Removals, Work};
use crate::query::empty_turn::{is_accepted, is_empty, may_separate};
use crate::values::block::{is_call, is_instruction, is_result};
use crate::values::placeholder::EMPTY_MESSAGE;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.accepts_empty_user_turn() && work.accepts_empty_assistant_turn() {
        return;
    }
    let is_rejected_empty =
        |work: &Work<'_>, turn| is_empty(work, turn) && !is_accepted(work, turn);
    let mut turns = 0..work.turns().len();
    let Some(mut turn) = turns.find(|turn| is_rejected_empty(work, *turn)) else { return };
    let mut preceding = PrecedingTurns::default();
    // Later turns are split off, so that removing a turn does not move them.
    let mut detached_turns = work.split_off(turn + 2);
    while turn < work.turns().len() {
        if !is_rejected_empty(work, turn) || fill_or_remove(work, turn, &mut preceding) {
            turn += 1;
        }
        work.reattach_after(&mut detached_turns, turn);
    }
}

/// The turns before a turn, scanned incrementally.
#[derive(Default)]
struct PrecedingTurns {
    scanned: usize,
    /// Role of the last encoded turn.
    last_role: Option<Role>,
    /// Whether a user or assistant turn was scanned.
    has_dialogue: bool,
}

impl PrecedingTurns {
    fn scan(&mut self, work: &Work<'_>, until: usize) {
        for turn in &work.turns()[self.scanned..until] {
            if work.is_turn_encoded(turn) {
                self.last_role = Some(turn.role);
            }
            self.has_dialogue |= !is_instruction(turn);
        }
        self.scanned = until;
    }
}

/// Fills or removes an empty turn; returns whether it is still there.
fn fill_or_remove(work: &mut Work<'_>, turn: usize, preceding: &mut PrecedingTurns) -> bool {
    preceding.scan(work, turn);
    let role = work.turns()[turn].role;
    if role == Role::User && preceding.last_role != Some(Role::User) {
        fill(work, turn);
        return true;
    }
    // Later instructions then keep their position in the conversation.
    if !preceding.has_dialogue && work.separates_instructions(turn) {
        work.edit_turn(turn).role = Role::User;
        fill(work, turn);
        return true;
    }
    if may_separate(work, turn) && preceding.last_role == Some(Role::Assistant) {
        work.edit_turn(turn).role = Role::User;
        fill(work, turn);
        return true;
    }
    // Where reasoning is part of the content, a turn with empty reasoning cannot be encoded.
    let reasoning_in_content = work.is_same_dialect() && work.profile.texts.reasoning_in_content;
    if reasoning_in_content && work.blocks(turn).iter().any(|block| !work.is_encoded(block)) {
        work.record_loss(LedgerPath::turn(turn), "left out a turn that the target has no form for");
        work.remove_turn(turn);
        return false;
    }
    // Blocks that cannot be encoded are removed and recorded by their own rules.
    if work.blocks(turn).iter().any(|block| !work.is_encoded(block)) {
        let mut removals = Removals::default();
        for block in (0..work.blocks(turn).len()).rev() {
            if work.is_encoded(work.block(turn, block)) {
                note_removal(work, turn, block);
                removals.push(block);
            }
        }
        remove_noted(work, turn, removals);
        return true;
    }
    let role_name = match role {
        Role::User => "the user's turn",
        Role::Assistant => "the assistant's turn",
        Role::System | Role::Developer => "the instructions",
    };
    let path = LedgerPath::turn(turn);
    let message = format!("left out {role_name}: it is empty");
    let extras = &work.turns()[turn].extras;
    let mut fields = extras.fields_for(work.profile.dialect).iter();
    let has_fields = fields.any(|(_, value)| *value != RawJson::NULL)
        || extras.written_role(work.profile.dialect).is_some();
    if work.blocks(turn).iter().any(|block| is_call(block) || is_result(block)) {
        work.record_loss(path, message + ", except for a call or a result that is misplaced");
    } else if has_fields {
        work.record_loss(path, message + ", except for other fields");
    } else {
        work.record_change(path, message);
    }
    let with_breakpoint =
        work.blocks(turn).iter().rposition(|block| block.cache_breakpoint.is_some());
    if with_breakpoint.is_some_and(|block| work.pass_cache_breakpoint_back(turn, block)) {
        work.record_loss(
            path,
            "left out the cache breakpoint of an empty turn: no block before it",
        );
    }
    work.remove_turn(turn);
    false
}

fn fill(work: &mut Work<'_>, turn: usize) {
    let breakpoint = work.blocks(turn).iter().find_map(|block| block.cache_breakpoint.clone());
    work.remove_blocks_where(turn, |work, at| {
        let block = work.block(turn, at);
        work.is_encoded(block) && !is_call(block)
    });
    let mut block = Block::text(JsonString::from_static(EMPTY_MESSAGE));
    block.cache_breakpoint = breakpoint;
    work.insert_block(turn, 0, block);
    work.record_change(
        LedgerPath::turn(turn),
        "the empty user turn has the text `(empty message)`",
    );
}
