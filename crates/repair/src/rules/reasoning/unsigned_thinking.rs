//! Removes reasoning without a signature where the target accepts only signed reasoning.
//!
//! Signed reasoning is accepted even if its text is empty. Reasoning without a signature, or with one
//! that was lost or emptied on the way, is rejected.
//!
//! ## Why
//! > messages.1.content.0.thinking.signature: Field required
//!
//! > messages.1.content.0.thinking: each thinking block must contain thinking
//!
//! > messages.0.content.0.redacted_thinking.data: Field required
//!
//! ## Example
//! ```text
//! before   assistant: thinking without a signature, "done"
//! after    assistant: "done"
//! ```

use interlingua_providers::profile::reasoning::ReasoningReplay;

use crate::edit::remove_reasoning;
use crate::engine::Work;
use crate::values::block::is_sealed;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.reasoning.replay != ReasoningReplay::Sealed {
        return;
    }
    let all = 0..work.turns().len();
    remove_reasoning::remove_reasoning(work, all, |work, turn, at| {
        let unsigned = !is_sealed(work.block(turn, at));
        unsigned.then(|| "left out reasoning without a signature".to_owned())
    });
}
