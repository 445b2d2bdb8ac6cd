//! Thinking without a signature is left out where only signed thinking is taken.
//!
//! Thinking lives or dies by its signature: signed, it goes back even if its text is empty; unsigned, or
//! with a signature that was lost or emptied on the way, it is refused.
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

use crate::profile::thinking::Replay;
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    if work.profile.thinking.replay != Replay::Sealed {
        return;
    }
    let all = 0..work.turns().len();
    thoughts::leave_out(work, all, |work, turn, at| {
        let unsigned = !thoughts::is_sealed(work.block(turn, at));
        unsigned.then(|| "left out thinking that nobody signed".to_owned())
    });
}
