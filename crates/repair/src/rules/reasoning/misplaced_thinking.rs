//! Removes reasoning where the target accepts none.
//!
//! Only assistant turns have reasoning. On models that reason once, it is the first block of a reply.
//! It is never the last block of a reply, and a prefill has none while reasoning is off.
//!
//! ## Why
//! > messages.0.content: thinking blocks may only be in `assistant` messages
//!
//! > messages.1: The final block in an assistant message cannot be `thinking`.
//!
//! > messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be
//! > `thinking` or `redacted_thinking`. Found `text`.
//!
//! > When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.
//!
//! ## Example
//! ```text
//! before   assistant: "let me see", thinking     user: "go on"
//! after    assistant: "let me see"               user: "go on"
//! ```

use crate::edit::misplaced_reasoning::remove_misplaced_reasoning;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    remove_misplaced_reasoning(work);
}
