//! Decides whether a turn is empty for the target, and what becomes of it.

use interlingua_model::{Block, Role, Verbatim};
use interlingua_providers::profile::calls::ResultPlacement;
use interlingua_providers::profile::roles::{InstructionPlacement, LastRole, MergePolicy};
use interlingua_providers::profile::texts::MissingContent;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::{
    has_part_type, is_call, is_instruction, is_reasoning_block, is_result, plain_text,
};

/// Whether an assistant turn is empty and will be removed.
pub(crate) fn will_be_removed(work: &Work<'_>, turn: usize) -> bool {
    !(work.accepts_empty_user_turn() && work.accepts_empty_assistant_turn())
        && work.turns()[turn].role == Role::Assistant
        && is_empty(work, turn)
        && !is_accepted(work, turn)
}

/// Whether a user turn is empty and will get the placeholder.
pub(crate) fn will_be_filled(work: &Work<'_>, turn: usize) -> bool {
    !work.accepts_empty_user_turn()
        && is_empty(work, turn)
        && !is_preceded_by(work, turn, Role::User)
}

/// Whether empty instructions will become a user turn with the placeholder.
pub(crate) fn will_become_user_turn(work: &Work<'_>, turn: usize) -> bool {
    !(work.accepts_empty_user_turn() && work.accepts_empty_assistant_turn())
        && separates_assistant_turns(work, turn)
        && is_empty(work, turn)
        && !is_accepted(work, turn)
}

/// Whether only these instructions separate two assistant turns.
fn separates_assistant_turns(work: &Work<'_>, turn: usize) -> bool {
    may_separate(work, turn) && is_preceded_by(work, turn, Role::Assistant)
}

/// Whether these are instructions, and the target or the encoder would merge the turns around them.
pub(crate) fn may_separate(work: &Work<'_>, turn: usize) -> bool {
    let profile = work.profile;
    let counts_results = profile.calls.result_placement == ResultPlacement::MatchingCount;
    let merges =
        !work.is_same_dialect() || profile.roles.merge_policy == MergePolicy::All || counts_results;
    is_instruction(&work.turns()[turn]) && merges
}

/// Whether the last encoded turn before this one has a role.
fn is_preceded_by(work: &Work<'_>, turn: usize, role: Role) -> bool {
    let last_encoded = work.turns()[..turn].iter().rev().find(|turn| work.is_turn_encoded(turn));
    last_encoded.is_some_and(|last_encoded| last_encoded.role == role)
}

/// Whether no block of the turn has content.
pub(crate) fn is_empty(work: &Work<'_>, turn: usize) -> bool {
    let is_assistant_turn = work.turns()[turn].role == Role::Assistant;
    let checks_whole_message = work.profile.texts.checks_whole_message;
    let is_user_turn = work.turns()[turn].role == Role::User;
    let is_misplaced = |block: &Verbatim<Block>| {
        is_call(block) && !is_assistant_turn || is_result(block) && !is_user_turn
    };
    let is_nothing = |block: &Verbatim<Block>| {
        work.is_text_rejected(block)
            || is_assistant_turn && is_empty_string(work, block)
            || checks_whole_message && is_misplaced(block)
            || !work.is_encoded(block)
    };
    match work.blocks(turn) {
        [] => true,
        [first, ..] => is_nothing(first) && work.blocks(turn).iter().all(is_nothing),
    }
}

/// Whether the block is encoded as an empty string.
fn is_empty_string(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    block.text_for(work.profile.dialect).is_none()
        && !work.is_sealed_by_target(block)
        && plain_text(block).is_some_and(JsonString::is_empty)
}

pub(crate) fn is_accepted(work: &Work<'_>, turn: usize) -> bool {
    let roles = &work.profile.roles;
    let this = &work.turns()[turn];
    match this.role {
        Role::Assistant => {
            work.accepts_empty_assistant_turn()
                || has_written_reasoning(work, turn)
                || work.is_same_dialect()
                    && roles.allows_empty_last_assistant
                    && turn + 1 == work.turns().len()
                    && is_written_empty(work, turn)
                    && !(roles.last_role == LastRole::PrefillUnlessReasoning
                        && work.is_reasoning_enabled())
        }
        Role::User => work.accepts_empty_user_turn(),
        // Instructions with other fields have a meaning of their own where they may stand.
        Role::System | Role::Developer => {
            let may_stand = work.is_same_dialect()
                && roles.instruction_placement != InstructionPlacement::SeparateField
                && work.profile.texts.missing_content == MissingContent::Accepted;
            work.accepts_empty_user_turn()
                || may_stand && this.blocks.is_empty() && !this.extras.is_empty()
        }
    }
}

/// Whether the content that the client wrote is reasoning, even without text.
fn has_written_reasoning(work: &Work<'_>, turn: usize) -> bool {
    let dialect = work.profile.dialect;
    let is_reasoning_part =
        |block: &Verbatim<Block>| is_reasoning_block(block) && has_part_type(block, dialect);
    work.profile.texts.reasoning_in_content
        && work.turns()[turn].text_for(dialect).is_some()
        && work.blocks(turn).iter().any(is_reasoning_part)
}

/// Whether the client wrote an empty list or string.
fn is_written_empty(work: &Work<'_>, turn: usize) -> bool {
    let is_empty_text = |block: &Verbatim<Block>| {
        block.original().is_none() && plain_text(block).is_some_and(JsonString::is_empty)
    };
    work.turns()[turn].original().is_some() && work.blocks(turn).iter().all(is_empty_text)
}
