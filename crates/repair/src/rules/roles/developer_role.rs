//! Renames the developer role to system where the target has no developer role, and the other way
//! round.
//!
//! ## Why
//! > messages\[0\].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`,
//! > `tool`
//!
//! > developer is not one of \['system', 'assistant', 'user', 'tool', 'function'\]
//!
//! > System messages are not allowed
//!
//! ## Example
//! ```text
//! before   developer: "Be brief."
//! after    system: "Be brief."
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn, Verbatim};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let roles = &work.profile.roles;
    // Across dialects the encoder writes the target's roles.
    if !roles.has_developer_role && work.is_same_dialect() {
        change_role(
            work,
            Role::Developer,
            Role::System,
            "the role `developer` is sent as `system`",
        );
    }
    if !roles.has_system_role {
        change_role(
            work,
            Role::System,
            Role::Developer,
            "the role `system` is sent as `developer`",
        );
    }
}

fn change_role(work: &mut Work<'_>, from: Role, to: Role, message: &'static str) {
    // From another dialect, leading texts go into the target's separate field for instructions.
    let is_text = |block: &Verbatim<Block>| block.content.as_text().is_some();
    let has_only_texts = |turn: &&Verbatim<Turn>| turn.blocks.iter().all(is_text);
    let leading = if work.is_same_dialect() { 0 } else { work.leading_instructions() };
    let first = work.turns()[..leading].iter().take_while(has_only_texts).count();
    for turn in first..work.turns().len() {
        if work.turns()[turn].role == from {
            work.edit_turn(turn).role = to;
            work.record_change(LedgerPath::turn(turn), message);
        }
    }
}
