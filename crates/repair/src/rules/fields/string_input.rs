//! Sends a conversation that is one string as a list of one message where the target accepts only
//! lists.
//!
//! ## Why
//! > Input must be a list
//!
//! ## Example
//! ```text
//! before   input: "hi"
//! after    input: [user: "hi"]
//! ```

use interlingua_model::LedgerPath;
use interlingua_wire::{JsonKind, RawJson};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let [only] = work.turns() else { return };
    let is_string = |text: &RawJson| text.kind() == JsonKind::String;
    if !work.profile.roles.accepts_string_input
        && only.text_for(work.profile.dialect).is_some_and(is_string)
    {
        work.record_change(
            LedgerPath::turn(0),
            "the string is sent as a list with one user message: the target accepts only lists",
        );
        work.discard_turn_text(0);
    }
}
