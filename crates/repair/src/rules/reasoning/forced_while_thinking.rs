//! Turns reasoning off for a request that forces a tool call.
//!
//! Some models do not support both. The client depends on the forced call, for example for an
//! answer in a given format; reasoning is only how the model gets there.
//!
//! ## Why
//! > Thinking may not be enabled when tool_choice forces tool use.
//!
//! > Thinking mode does not support this tool_choice
//!
//! ## Example
//! ```text
//! before   choice: call `answer`   thinking: a budget of 2000
//! after    choice: call `answer`   thinking: off
//! ```

use crate::edit::reasoning_settings::{is_choice_ignored, turn_off_for_forced_call};
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if is_choice_ignored(work) {
        return;
    }
    turn_off_for_forced_call(work);
}
