//! Removes trailing white space from a prefill.
//!
//! Only the last text of a final assistant turn is shortened. If the text is empty then, there is
//! no prefill, and the turn is removed. Where later instructions are sent as user text, the turn is
//! not the last one.
//!
//! ## Why
//! > messages: final assistant content cannot end with trailing whitespace
//!
//! ## Example
//! ```text
//! before   user: "x"   assistant: "Say: "
//! after    user: "x"   assistant: "Say:"
//! ```

use interlingua_model::{BlockContent, LedgerPath};
use interlingua_providers::profile::roles::LastRole;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::{is_assistant, plain_text};

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.roles.last_role != LastRole::PrefillUnlessReasoning {
        return;
    }
    let Some(turn) = work.last_dialogue_turn().filter(|turn| is_assistant(&work.turns()[*turn]))
    else {
        return;
    };
    let is_user_text =
        |turn: usize| work.becomes_user_text(turn) && work.is_turn_encoded(&work.turns()[turn]);
    if (turn + 1..work.turns().len()).any(is_user_text) {
        return;
    }
    let Some(block) = work.blocks(turn).iter().rposition(|block| work.is_encoded(block)) else {
        return;
    };
    let Some(text) = plain_text(work.block(turn, block)) else { return };
    let contents = text.unescape();
    let trimmed = contents.trim_end();
    if trimmed.len() == contents.len() {
        return;
    }
    let trimmed = JsonString::new(trimmed);
    work.record_change(
        LedgerPath::block(turn, block),
        "removed the white space at the end of the prefill",
    );
    let edited = work.edit_block(turn, block);
    match &mut edited.content {
        BlockContent::Text { text, .. } | BlockContent::Refusal(text) => *text = trimmed,
        _ => {}
    }
}
