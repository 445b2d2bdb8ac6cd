//! Adds instructions where the target requires them and the request has none.
//!
//! ## Why
//! > Instructions are required
//!
//! ## Example
//! ```text
//! before   user: "hi"
//! after    instructions: "You are a helpful assistant."   user: "hi"
//! ```

use interlingua_model::{Block, LedgerPath, Role, Turn, Verbatim};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::plain_text;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.roles.requires_instructions || has_instructions(work) {
        return;
    }
    work.remove_system_where(|work, at| plain_text(&work.conversation().system[at]).is_some());
    work.edit_system().push(Block::text(JsonString::from_static(DEFAULT_INSTRUCTIONS)).into());
    work.record_change(LedgerPath::SYSTEM, "added instructions: the target requires them");
}

fn has_instructions(work: &Work<'_>) -> bool {
    // Only texts of the instructions are encoded.
    let is_text = |block: &Verbatim<Block>| block.content.as_text().is_some();
    let has_text =
        |block: &Verbatim<Block>| block.content.as_text().is_some_and(|text| !text.is_blank());
    let turns = work.turns();
    let has_text_turns = if work.is_same_dialect() {
        turns.iter().any(|turn| turn.role == Role::Developer)
    } else {
        // From another dialect, leading instructions go into the separate field.
        let has_only_texts = |turn: &&Verbatim<Turn>| turn.blocks.iter().all(is_text);
        turns[..work.leading_instructions()]
            .iter()
            .take_while(has_only_texts)
            .flat_map(|turn| &turn.blocks)
            .any(has_text)
    };
    has_text_turns || work.conversation().system.iter().any(has_text)
}

const DEFAULT_INSTRUCTIONS: &str = "You are a helpful assistant.";
